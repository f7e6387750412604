"""What the commands of the seed lab share: sources, pairs of seed sets, and what they print."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weatherglass.errors import BadContent, CannotMeasure, UsageError, join_first, quote_safe

from ..output import delimited, progress_bar, put, remarks
from ..run_tests import a_share, frequency_told

if TYPE_CHECKING:
    from weatherglass.catalog import SeedSet
    from weatherglass.seedlab import Experiment, Models, SeedPair, Spread
    from weatherglass.vectors import Vectors

sources_argument = click.argument("sources", metavar="SOURCE...", nargs=-1, required=True)
control_option = click.option(
    "--control",
    type=click.Choice(["auto", "frequency", "none"]),
    default="none",
    show_default=True,
    help="Measure on vectors from which word frequency was taken out; auto: where it is a large "
    "part of them.",
)


def open_sources(sources: Sequence[str], control: Any = "none") -> Iterator[Models]:
    """The vectors of each source, without frequency if asked for; of a folder of trained models,
    each group with its samples."""
    from weatherglass.seedlab import Models

    for source in sources:
        if _is_trained(source):
            opened = list(_trained(source))
        else:
            opened = [Models.of(_opened(source), source)]
        for models in opened:
            yield _controlled(models, control)


def open_whole(
    source: str, words: Iterable[str] | None = None, control: Any = "none"
) -> list[Models]:
    """The vectors of a source; of a folder of trained models, the full one of each group.

    Only some words, where frequency stays in: how frequent they are, only the others can tell.
    """
    from weatherglass.corpus import SUFFIX, read_record
    from weatherglass.seedlab import Models

    some = list(words) if words is not None and control == "none" else None
    if not _is_trained(source):
        return [_controlled(Models.of(_opened(source, some), source), control)]
    models = read_record(Path(source))["models"]
    done = [label for label, state in models.items() if state == "done" and _is_full(label)]
    full = [label for label in done if Path(source, label + SUFFIX).exists()]
    if not full:
        raise BadContent(
            f"{source} holds no finished model of a whole corpus yet: run `weatherglass train` on "
            "it again, which goes on where it stopped."
        )
    return [
        _controlled(
            Models.of(_opened(str(Path(source, label + SUFFIX)), some), _name(source, label)),
            control,
        )
        for label in full
    ]


def named_vectors(models: Models) -> Vectors:
    """The vectors of the whole corpus, which results call as the user does."""
    return dataclasses.replace(models.whole, source=models.name)


def control_told(sources: Iterable[Mapping[str, Any]]) -> list[str]:
    """What was done about frequency, a sentence for each source; none if that was not asked."""
    told = {one["name"]: one["control"] for one in sources if "control" in one}
    where = {name: f" ({name})" if len(told) > 1 else "" for name in told}
    return [f"{frequency_told(one)[:-1]}{where[name]}." for name, one in told.items()]


def _opened(source: str, words: list[str] | None = None) -> Vectors:
    from weatherglass.vectors import open_vectors

    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, words=words, progress=draw)


def _is_trained(source: str) -> bool:
    """Whether a source is a folder that `weatherglass train` has written."""
    from weatherglass.corpus import RECORD

    return (Path(source) / RECORD).is_file()


def _is_full(label: str) -> bool:
    return label.rpartition("/")[2] == "full"


def _trained(folder: str) -> Iterator[Models]:
    from weatherglass.corpus import open_models
    from weatherglass.seedlab import Models

    models = open_models(folder)
    for group in dict.fromkeys(one.group for one in models):
        some = [one for one in models if one.group == group]
        yield Models.of(some, _name(folder, some[0].label))


def _name(folder: str, label: str) -> str:
    """What results call the models of a group."""
    group = label.rpartition("/")[0]
    return f"{folder.rstrip('/')}: {group}" if group else folder.rstrip("/")


def _controlled(models: Models, method: Any) -> Models:
    if method == "none":
        return models
    with progress_bar(f"taking frequency out of {models.name}") as draw:
        return models.controlled(method, draw)


Command = TypeVar("Command", bound=Callable[..., Any])

case_option = click.option(
    "--case",
    type=click.Choice(["auto", "keep", "lower"]),
    default="auto",
    show_default=True,
    help="Look seeds up as written, in lower case, or (auto) in lower case where the vocabulary "
    "has no capitals.",
)
missing_option = click.option(
    "--max-missing",
    type=float,
    callback=a_share,
    default=0.5,
    show_default=True,
    help="Largest share of a set's words that may be missing; a set over it is not measured.",
)
slurs_option = click.option("--show-slurs", is_flag=True, help="Print slurs in full.")
_sets_option = click.option(
    "--sets",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Your own seed sets, to be named by their ids: YAML, JSON, CSV or a list of words.",
)
_pair_option = click.option(
    "--pair",
    "named",
    type=(str, str),
    multiple=True,
    metavar="X Y",
    help="Two seed sets, by id; may be given again.",
)


def pair_options(command: Command) -> Command:
    """Add SOURCE..., ``--pair X Y`` and ``--sets FILE``."""
    return sources_argument(_pair_option(_sets_option(command)))


def sets_options(command: Command) -> Command:
    """Add SOURCE... and ``--sets FILE``."""
    return sources_argument(_sets_option(command))


def words_option(default: int | None, help: str) -> Callable[[Command], Command]:
    """Add ``--words N``: how many of the most frequent words take part; 0 for all."""
    return click.option(
        "--words",
        type=click.IntRange(0),
        default=default or 0,
        show_default=True,
        callback=lambda context, option, value: value or None,
        help=help,
    )


def known_sets(files: Sequence[Path]) -> dict[str, SeedSet]:
    """The user's own seed sets, by id."""
    from weatherglass.seedlab import chosen_sets

    return {one.id: one for one in chosen_sets(files)} if files else {}


def chosen_pairs(
    named: Sequence[tuple[str, str]],
    files: Sequence[Path],
    otherwise: Callable[[], Sequence[SeedPair]],
) -> tuple[SeedPair, ...]:
    """The pairs that were named, or others if none was."""
    from weatherglass.seedlab import seed_pair

    own = known_sets(files)
    if not named and own:
        if len(own) != 2:
            raise UsageError(
                f"The files of --sets hold {len(own)} seed sets; say with --pair X Y which to use."
            )
        x, y = own.values()
        return (seed_pair(x, y),)
    if not named:
        return tuple(otherwise())
    return tuple(seed_pair(own.get(x, x), own.get(y, y)) for x, y in named)


def attribute_words(text: str, own: dict[str, SeedSet]) -> tuple[str, ...]:
    """The words of an attribute set: a seed set by its id, or words with commas between them."""
    from weatherglass.catalog import seed_sets

    sets = {one.id: one for one in seed_sets()} | own
    if text in sets:
        return sets[text].word_set().words
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise UsageError(
            f"{quote_safe(text)} has no words; give a seed set's id, or words with commas."
        )
    return words


def number(value: Spread | None, digits: int = 3) -> str:
    """A number with its standard deviation, if it has one."""
    if value is None:
        return ""
    if value.sd is None:
        return f"{value.mean:.{digits}f}"
    return f"{value.mean:.{digits}f} ± {value.sd:.{digits}f}"


def tell(
    experiments: Sequence[Experiment],
    form: str,
    out: Path | None,
    picture: Path | None,
    page: Callable[[], str],
) -> None:
    """Print or write what was found, and draw it."""
    if form == "json":
        from weatherglass.seedlab import experiments_json

        text = experiments_json(experiments) + "\n"
    elif form in ("tsv", "csv"):
        rows = [row for one in experiments for row in one.to_rows()]
        text = delimited(rows, "\t" if form == "tsv" else ",")
    else:
        text = page() + lines(control_told([one.source for one in experiments]))
    put(text, out)
    if picture is not None:
        from weatherglass.report import plot, save_plot

        save_plot(plot(experiments), picture)


def lines(sentences: Sequence[str]) -> str:
    """Sentences, a line each, each once."""
    return remarks(dict.fromkeys(sentences))


def missing_words(pair: str, missing: Sequence[str], source: str = "") -> list[str]:
    """A sentence on the words that a source does not have, or none."""
    if not missing:
        return []
    some = join_first(map(quote_safe, missing), 10)
    where = f" in {source}" if source else ""
    count = "1 word is" if len(missing) == 1 else f"{len(missing)} words are"
    return [f"{pair}: {count} missing{where}: {some}."]


def each_of(
    pairs: Sequence[SeedPair], sources: Sequence[str], control: Any, run: Any
) -> tuple[list[Any], str]:
    """What an experiment gives for each source and pair, and what could not be measured."""
    found, failed = [], []
    for models in open_sources(sources, control):
        for pair in pairs:
            try:
                found.append(run(models, pair))
            except CannotMeasure as error:
                failed.append(error)
    if not found:
        raise failed[0]
    return found, lines([str(error) for error in failed])
