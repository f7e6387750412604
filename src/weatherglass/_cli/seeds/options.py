"""What the commands of the seed lab share: sources, pairs of seed sets, and their output."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weatherglass.errors import BadContent, CannotMeasure, UsageError, join_first, quote_safe

from ..options import control_option, missing_option
from ..output import Output, delimited, progress_bar, remarks
from ..run_tests import describe_control, open_source

if TYPE_CHECKING:
    from weatherglass.catalog import SeedSet
    from weatherglass.seedlab import Experiment, Models, SeedPair, Spread
    from weatherglass.vectors import Vectors

Command = TypeVar("Command", bound=Callable[..., Any])

# --- Options ---

sources_argument = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
controlled_vectors_option = control_option(
    "Measure on controlled vectors: without word frequency, without the mean (center), without the "
    "mean and the first K principal components (top:K), or whitened; auto: without frequency, if "
    "it is strong in the vectors.",
    single=True,
)
missing_sets_option = missing_option(0.5, "set")
_sets_option = click.option(
    "--sets",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Your own seed sets, to name by their ids: YAML, JSON, CSV or a list of words; "
    "repeatable.",
)
_pair_option = click.option(
    "--pair",
    "named",
    type=(str, str),
    multiple=True,
    metavar="X Y",
    help="Two seed sets, by id; repeatable.",
)


def pair_options(command: Command) -> Command:
    """Add SOURCE..., ``--pair X Y`` and ``--sets FILE``."""
    return sources_argument(_pair_option(_sets_option(command)))


def sets_options(command: Command) -> Command:
    """Add SOURCE... and ``--sets FILE``."""
    return sources_argument(_sets_option(command))


def words_option(default: int | None, help: str) -> Callable[[Command], Command]:
    """Add ``--words N``: the number of most frequent words to use; 0 for all."""
    return click.option(
        "--words",
        type=click.IntRange(0),
        default=default or 0,
        show_default=True,
        callback=lambda context, option, value: value or None,
        help=help,
    )


# --- Sources ---


def open_sources(sources: Sequence[str], control: Any = "none") -> Iterator[Models]:
    """Open each source, controlled unless `control` is ``none``.

    A folder of trained models gives each group with its bootstrap samples.
    """
    from weatherglass.seedlab import Models

    for source in sources:
        if _is_trained(source):
            groups = list(_open_groups(source))
        else:
            groups = [Models.of(open_source(source), source)]
        for models in groups:
            yield _control(models, control)


def open_whole(
    source: str, words: Iterable[str] | None = None, control: Any = "none"
) -> list[Models]:
    """Open a source; a folder of trained models gives the full model of each group.

    Only the rows of `words` are read, unless there is a control, which needs all rows.
    """
    from weatherglass.corpus import SUFFIX, read_record
    from weatherglass.seedlab import Models

    needed = list(words) if words is not None and control == "none" else None
    if not _is_trained(source):
        return [_control(Models.of(open_source(source, needed), source), control)]
    models = read_record(Path(source))["models"]
    done = [label for label, state in models.items() if state == "done" and _is_full(label)]
    paths = {label: Path(source, label + SUFFIX) for label in done}
    paths = {label: path for label, path in paths.items() if path.exists()}
    if not paths:
        raise BadContent(
            f"{source} has no finished model of a whole corpus yet: run `weatherglass train` on it "
            "again, which continues where it was interrupted."
        )
    return [
        _control(Models.of(open_source(str(path), needed), _group_name(source, label)), control)
        for label, path in paths.items()
    ]


def named_vectors(models: Models) -> Vectors:
    """Return the vectors of the whole corpus, under the name that the user gave."""
    return dataclasses.replace(models.whole, source=models.name)


def describe_controls(sources: Iterable[Mapping[str, Any]]) -> list[str]:
    """Describe the control of each source in a sentence; none if it was not used."""
    from weatherglass.vectors import Control

    controls = {source["name"]: source["control"] for source in sources if "control" in source}
    names = {name: f" ({name})" if len(controls) > 1 else "" for name in controls}
    return [
        f"{sentence[:-1]}{names[name]}."
        for name, record in controls.items()
        for sentence in describe_control(Control(**record))
    ]


def _is_trained(source: str) -> bool:
    """Return whether a source is a folder that `weatherglass train` has written."""
    from weatherglass.corpus import RECORD

    return (Path(source) / RECORD).is_file()


def _is_full(label: str) -> bool:
    return label.rpartition("/")[2] == "full"


def _open_groups(folder: str) -> Iterator[Models]:
    from weatherglass.corpus import open_models
    from weatherglass.seedlab import Models

    models = open_models(folder)
    for group in dict.fromkeys(model.group for model in models):
        members = [model for model in models if model.group == group]
        yield Models.of(members, _group_name(folder, members[0].label))


def _group_name(folder: str, label: str) -> str:
    """The name of a group's models in results."""
    group = label.rpartition("/")[0]
    return f"{folder.rstrip('/')}: {group}" if group else folder.rstrip("/")


def _control(models: Models, method: Any) -> Models:
    if method == "none":
        return models
    with progress_bar(f"controlling {models.name}") as draw:
        return models.controlled(method, draw)


# --- Seed sets and pairs ---


def load_sets(files: Sequence[Path]) -> dict[str, SeedSet]:
    """Load the user's own seed sets, by id."""
    from weatherglass.seedlab import resolve_sets

    return {seed_set.id: seed_set for seed_set in resolve_sets(files)} if files else {}


def select_pairs(
    named: Sequence[tuple[str, str]],
    files: Sequence[Path],
    default: Callable[[], Sequence[SeedPair]],
) -> tuple[SeedPair, ...]:
    """Return the pairs of ``--pair`` and ``--sets``, or the default ones without these."""
    from weatherglass.seedlab import seed_pair

    own = load_sets(files)
    if not named and own:
        if len(own) != 2:
            raise UsageError(
                f"The files of --sets have {len(own)} seed sets; choose two with --pair X Y."
            )
        x, y = own.values()
        return (seed_pair(x, y),)
    if not named:
        return tuple(default())
    return tuple(seed_pair(own.get(x, x), own.get(y, y)) for x, y in named)


def attribute_words(text: str, own: dict[str, SeedSet]) -> tuple[str, ...]:
    """Return the words of an attribute set: a seed set's id, or words separated by commas."""
    from weatherglass.catalog import seed_sets

    sets = {seed_set.id: seed_set for seed_set in seed_sets()} | own
    if text in sets:
        return sets[text].word_set().words
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise UsageError(
            f"{quote_safe(text)} has no words; give a seed set's id, or words separated by commas."
        )
    return words


# --- Output ---


def format_spread(value: Spread | None, digits: int = 3) -> str:
    """Format a number with its standard deviation, if it has one."""
    if value is None:
        return ""
    if value.sd is None:
        return f"{value.mean:.{digits}f}"
    return f"{value.mean:.{digits}f} ± {value.sd:.{digits}f}"


def write_experiments(
    experiments: Sequence[Experiment], output: Output, page: Callable[[], str]
) -> None:
    """Write and draw the results of experiments; `page` gives the text for people."""
    if output.format == "json":
        from weatherglass.seedlab import experiments_json

        text = experiments_json(experiments) + "\n"
    elif output.format in ("tsv", "csv"):
        rows = [row for experiment in experiments for row in experiment.to_rows()]
        text = delimited(rows, output.delimiter)
    else:
        text = page() + unique_remarks(describe_controls([e.source for e in experiments]))
    output.write(text)
    output.draw(experiments)


def unique_remarks(sentences: Sequence[str]) -> str:
    """Format sentences, one per line, without repeats."""
    return remarks(dict.fromkeys(sentences))


def missing_words(pair: str, missing: Sequence[str], source: str = "") -> list[str]:
    """A sentence about the words that a source does not have; none if it has all."""
    if not missing:
        return []
    words = join_first(map(quote_safe, missing), 10)
    where = f" in {source}" if source else ""
    count = "1 word is" if len(missing) == 1 else f"{len(missing)} words are"
    return [f"{pair}: {count} missing{where}: {words}."]


def run_each(
    pairs: Sequence[SeedPair], sources: Sequence[str], control: Any, run: Any
) -> tuple[list[Any], str]:
    """Run an experiment on each source and pair; return the results, and the errors as remarks."""
    results, errors = [], []
    for models in open_sources(sources, control):
        for pair in pairs:
            try:
                results.append(run(models, pair))
            except CannotMeasure as error:
                errors.append(error)
    if not results:
        raise errors[0]
    return results, unique_remarks([str(error) for error in errors])
