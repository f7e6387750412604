"""``weatherglass measure``: any measure of bias, on word sets that the user names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UnknownEntry, UsageError, join_first, quote_safe

from .output import emit, format_option, out_option, progress_bar, put, remarks, table
from .run_tests import missing_option, open_for, run_all, say
from .seeds import case_option, slurs_option

if TYPE_CHECKING:
    from weatherglass.measures import Measure, MeasureResult
    from weatherglass.vectors import Vectors


def list_measures(asked: Sequence[Measure], form: str, out: Path | None) -> None:
    """Print what is declared: a line a measure, or all that is known of the only one."""
    if form != "table" or len(asked) > 1:
        documents = [_document(one) for one in asked]
        emit([_entry(one) for one in asked], form, document=documents, out=out)
        return
    (which,) = asked
    sets = [
        {"set": one.name, "words": f"≥ {one.least}", "what for": one.meaning} for one in which.needs
    ]
    if which.further:
        sets.append({"set": "others", "words": "≥ 1", "what for": which.further})
    pairs = "The words of A and B answer each other in their order.\n" * which.paired
    options = ", ".join(f"{name}={value}" for name, value in which.options.items()) or "none"
    text = f"{which.title} ({which.name})\n{which.reading}\n{table(sets)}{pairs}"
    text += f"Options: {options}.\n{which.citation} doi:{which.doi}\n"
    put(text, out)


def _entry(which: Measure) -> dict[str, Any]:
    """A line of the list."""
    sets = ", ".join(f"{one.name} ≥ {one.least}" for one in which.needs)
    larger = {"more": "more bias", "less": "less bias", "either": "towards a side"}
    return {
        "name": which.name,
        "measure": which.title,
        "sets": sets + (", …" if which.further else "") + ("; A, B in pairs" * which.paired),
        "larger is": larger[which.larger],
        "options": " ".join(f"{name}={value}" for name, value in which.options.items()),
        "doi": which.doi,
    }


def _document(which: Measure) -> dict[str, Any]:
    """All that is declared of a measure."""
    return {
        "name": which.name,
        "title": which.title,
        "sets": [
            {"name": one.name, "least": one.least, "meaning": one.meaning} for one in which.needs
        ],
        "further": which.further,
        "paired": which.paired,
        "options": which.options,
        "reading": which.reading,
        "low": which.low,
        "high": which.high,
        "neutral": which.neutral,
        "larger": which.larger,
        "citation": which.citation,
        "doi": which.doi,
    }


_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")
_HEADS = {"p": "p", "p_holm": "p Holm"}


@click.command()
@click.argument("name", required=False)
@click.argument("source", required=False)
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=WORDS",
    help="A word set by its name: the id of a seed set, a file of words, or words with commas "
    "between; once for each set.",
)
@click.option(
    "--option",
    "chosen",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the measure, such as unit=yes; --list has them.",
)
@click.option("--list", "listing", is_flag=True, help="List the measures, or say what NAME needs.")
@click.option(
    "--words",
    "count",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many words to show at each end of the table; the other formats have all.",
)
@slurs_option
@case_option
@missing_option
@format_option
@out_option
def measure(
    name: str | None,
    source: str | None,
    given: tuple[str, ...],
    chosen: tuple[str, ...],
    listing: bool,
    count: int,
    show_slurs: bool,
    case: Any,
    max_missing: float,
    form: str,
    out: Path | None,
) -> None:
    """Run the measure NAME on SOURCE with word sets that you name.

    Each measure is declared with the sets that it needs, such as X (words that should be neutral),
    A and B (words of two groups); --list shows them all.
    """
    from weatherglass.measures import MEASURES, measure_named

    which = measure_named(name) if name else None
    if listing:
        list_measures([which] if which else list(MEASURES.values()), form, out)
        return
    if which is None or source is None:
        raise UsageError("Name a measure and a source; `weatherglass measure --list` has measures.")
    sets = {part: _words(text) for part, text in _parts(given, "--set").items()}
    options = {part: _typed(which, part, text) for part, text in _parts(chosen, "--option").items()}
    vectors = _opened(source, which, sets, options)
    results = run_all(
        [sets],
        lambda some: which(vectors, some, case=case, max_missing=max_missing, **options),
    )
    say(results, form, out, None, lambda made: _page(which, made[0], count, show_slurs))


def _parts(given: Sequence[str], option: str) -> dict[str, str]:
    """What stands before the first equals sign, and what after it."""
    made: dict[str, str] = {}
    for text in given:
        part, equals, value = text.partition("=")
        if not part or not equals or not value:
            raise UsageError(f"{option} is {quote_safe(text)}; NAME=… was expected.")
        if part in made:
            raise UsageError(f"{option} names {quote_safe(part)} twice.")
        made[part] = value
    return made


def _words(text: str) -> Any:
    """A seed set of the catalogue, the one in a file, or the words themselves."""
    from weatherglass.catalog import load_seeds, seeds

    try:
        return seeds(text)
    except UnknownEntry as error:
        unknown = str(error)
    if Path(text).is_file():
        found = load_seeds(text)
        if len(found) > 1:
            names = join_first(quote_safe(one.id) for one in found)
            raise UsageError(
                f"{quote_safe(text)} has {len(found)} sets ({names}); one was expected."
            )
        return found[0]
    words = [word.strip() for word in text.split(",") if word.strip()]
    # An id or a path with a slip in it is no word, and would only be missing from the source.
    if not words or ("," not in text and re.search(r"[_./\\]", text)):
        raise UsageError(
            f"{unknown} It is no file either. Words have commas between or after them."
        )
    return words


def _typed(which: Measure, name: str, text: str) -> Any:
    """An option's value as the measure wants it."""
    usual = which.options.get(name)
    try:
        if isinstance(usual, bool):
            return {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}[text.lower()]
        return type(usual)(text) if isinstance(usual, int | float) else text
    except (KeyError, ValueError):
        kind = "yes or no" if isinstance(usual, bool) else "a number"
        raise UsageError(f"{name} is {quote_safe(text)}; {kind} was expected.") from None


def _opened(source: str, which: Measure, sets: dict[str, Any], options: dict[str, Any]) -> Vectors:
    """The rows that the measure needs; all of them where neighbours are looked for."""
    asked = which.checked_sets(sets)
    if not which.checked_options(options).get("neighbours"):
        return open_for(source, [SimpleNamespace(sets=asked)])
    from weatherglass.vectors import open_vectors

    with progress_bar(f"reading {source}") as draw:
        return open_vectors(source, progress=draw)


def _page(which: Measure, one: MeasureResult, count: int, show_slurs: bool) -> str:
    """The number, what it means, and the words at both ends."""
    if one.status != "done":
        return ""
    text = table([_row(one)], f"{which.title} on {one.source['name']}") + remarks([which.reading])
    for name in one.by_word:
        rows = _word_rows(one, name, show_slurs)
        if count and len(rows) > 1:
            kept = rows if len(rows) <= 2 * count else [*rows[:count], *rows[-count:]]
            some = "" if len(kept) == len(rows) else f": the {count} at each end of {len(rows)}"
            text += "\n" + table(kept, f"Words of {name}{some}")
    return text


def _row(one: MeasureResult) -> dict[str, Any]:
    row: dict[str, Any] = {"measure": one.measure, "value": f"{one.value:.3f}"}
    if one.intervals:
        first = one.intervals[0]
        row["interval"] = f"{first.low:.3f} to {first.high:.3f}"
    if one.p is not None:
        row |= {"p": str(one.p), "by": one.p.method, "counted": one.p.fraction or ""}
    counts = {"pairs"}
    row |= {
        name: f"{number:.0f}" if name in counts else f"{number:.3f}"
        for name, number in one.details.items()
    }
    return row | {"words": " ".join(f"{name} {size}" for name, size in one.n.items())}


def _word_rows(one: MeasureResult, name: str, show_slurs: bool) -> list[dict[str, Any]]:
    """The words of a set, the largest number first, with what else is known of each."""
    from weatherglass.catalog import masked
    from weatherglass.significance import format_p

    values = one.by_word[name]
    beside = {column: some[name] for column, some in one.columns.items() if name in some}
    return [
        {
            "word": one.words[name][k] if show_slurs else masked(one.words[name][k]),
            "value": f"{values[k]:.3f}",
            **{
                _HEADS.get(column, column): (format_p if column in _HEADS else "{:.3f}".format)(
                    numbers[k]
                )
                for column, numbers in beside.items()
            },
        }
        for k in sorted(range(len(values)), key=lambda k: -values[k])
    ]
