"""What the commands of the seed lab share: sources, pairs of seed sets, and what they print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weatherglass.errors import CannotMeasure, UsageError, few, shown

from .asking import a_share
from .output import delimited, put, remarks
from .seeds_sources import control_told, open_sources, sources_argument

if TYPE_CHECKING:
    from weatherglass.catalog import SeedSet
    from weatherglass.seedlab.pairs import SeedPair
    from weatherglass.seedlab.record import Experiment
    from weatherglass.seedlab.spread import Spread

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
    from weatherglass.seedlab.choosing import chosen_sets

    return {one.id: one for one in chosen_sets(files)} if files else {}


def chosen_pairs(
    named: Sequence[tuple[str, str]],
    files: Sequence[Path],
    otherwise: Callable[[], Sequence[SeedPair]],
) -> tuple[SeedPair, ...]:
    """The pairs that were named, or others if none was."""
    from weatherglass.seedlab.pairs import seed_pair

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
        raise UsageError(f"{shown(text)} has no words; give a seed set's id, or words with commas.")
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
        from weatherglass.seedlab.record import experiments_json

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
    some = few(map(shown, missing), 10)
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
