"""``weatherglass measure``: any measure of bias, on word sets that the user chooses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UnknownEntry, UsageError, join_first, quote_safe

from .groups_table import groups_table
from .masking import slurs_option
from .options import (
    case_option,
    control_option,
    missing_option,
    output_options,
    overlap_option,
)
from .output import Output, remarks, source_title, table
from .run_tests import (
    document_column,
    is_table,
    open_rows,
    open_source,
    p_heading,
    run_all,
    with_controlled_rows,
    write_results,
)

if TYPE_CHECKING:
    from weatherglass.measures import (
        Embedding,
        GeneralisedResult,
        Measure,
        MeasureResult,
        WeatResult,
    )

    AnyResult = MeasureResult | WeatResult | GeneralisedResult


def list_measures(measures: Sequence[Measure], output: Output) -> None:
    """Print a table with a line for each measure, or for a single one everything declared of it."""
    if output.format != "table" or len(measures) > 1:
        rows = [_summary_row(which) for which in measures]
        output.write_rows(rows, document=[_document(which) for which in measures])
        return
    (which,) = measures
    sets = [
        {"set": need.name, "words": f"≥ {need.min_words}", "meaning": need.meaning}
        for need in which.needs
    ]
    if which.further:
        sets.append({"set": "others", "words": "≥ 1", "meaning": which.further})
    pairs = "The words of A and B are pairs, in their order.\n" * which.paired
    options = ", ".join(f"{name}={value}" for name, value in which.options.items()) or "none"
    text = f"{which.title} ({which.name})\n{which.reading}\n{table(sets)}{pairs}"
    text += f"Options: {options}.\n{which.citation} doi:{which.doi}\n"
    output.write(text)


def _summary_row(which: Measure) -> dict[str, Any]:
    sets = ", ".join(f"{need.name} ≥ {need.min_words}" for need in which.needs)
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
    """Everything that is declared of a measure."""
    return {
        "name": which.name,
        "title": which.title,
        "sets": [
            {"name": need.name, "least": need.min_words, "meaning": need.meaning}
            for need in which.needs
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
@click.argument("source", required=False)
@click.argument("name", required=False)
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="NAME=WORDS",
    help="A word set of the measure: the id of a seed set, a file of words, or words separated by "
    "commas; repeat it for each set.",
)
@click.option(
    "--option",
    "chosen",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the measure, such as unit=yes; --list shows them. Repeatable.",
)
@click.option("--list", "listing", is_flag=True, help="List the measures; with NAME, describe it.")
@click.option(
    "--words",
    "count",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Words to show at each end of the table; the other formats have all.",
)
@slurs_option()
@case_option()
@missing_option()
@overlap_option
@control_option(
    "Measure again on controlled vectors: without word frequency, without the mean (center), "
    "without the mean and the first K principal components (top:K), or whitened; auto: without "
    "frequency, if it is strong in the vectors."
)
@output_options(paper=True)
def measure(
    source: str | None,
    name: str | None,
    given: tuple[str, ...],
    chosen: tuple[str, ...],
    listing: bool,
    count: int,
    case: Any,
    max_missing: float,
    allow_overlap: bool,
    control: tuple[str, ...],
    output: Output,
) -> None:
    """Measure SOURCE with the measure NAME, on word sets of your choice.

    A measure needs certain sets, such as X (words that should be neutral), A and B (words of two
    groups); --list shows them for each measure.
    """
    from weatherglass.measures import MEASURES, measure_named, run_measure

    if listing:
        named = name or source  # a single argument is the measure: no source is needed
        list_measures([measure_named(named)] if named else list(MEASURES.values()), output)
        return
    if source is None or name is None:
        raise UsageError(
            "Name a source and a measure; `weatherglass measure --list` lists measures."
        )
    if source in MEASURES and name.replace("_", "-") not in MEASURES:
        raise UsageError(
            f"The source comes first: weatherglass measure {quote_safe(name)[1:-1]} {source}."
        )
    which = measure_named(name)
    sets = {part: parse_words(text) for part, text in _parts(given, "--set").items()}
    options = {
        part: _convert(which, part, text) for part, text in _parts(chosen, "--option").items()
    }
    vectors = _open_needed(source, which, sets, options, bool(control))
    results = run_all(
        [sets],
        lambda word_sets: run_measure(
            which,
            vectors,
            word_sets,
            control or None,
            case=case,
            max_missing=max_missing,
            allow_overlap=allow_overlap,
            **options,
        ),
    )
    write_results(results, output, lambda done: _page(which, done[0], count))


def _parts(given: Sequence[str], option: str) -> dict[str, str]:
    """Split each NAME=VALUE of an option at the first equals sign."""
    parts: dict[str, str] = {}
    for text in given:
        part, equals, value = text.partition("=")
        if not part or not equals or not value:
            raise UsageError(f"{option} is {quote_safe(text)}; expected NAME=….")
        if part in parts:
            raise UsageError(f"{option} has the duplicate name {quote_safe(part)}.")
        parts[part] = value
    return parts


def parse_words(text: str) -> Any:
    """A seed set of the catalogue or of a file, or the words themselves."""
    from weatherglass.catalog import load_seeds, seeds

    try:
        return seeds(text)
    except UnknownEntry as error:
        unknown = str(error)
    if Path(text).is_file():
        sets = load_seeds(text)
        if len(sets) > 1:
            names = join_first(quote_safe(seed_set.id) for seed_set in sets)
            raise UsageError(f"{quote_safe(text)} has {len(sets)} sets ({names}); expected one.")
        return sets[0]
    words = [word.strip() for word in text.split(",") if word.strip()]
    # A mistyped id or path is not a word; as one, it would only be reported as missing.
    if not words or ("," not in text and re.search(r"[_./\\]", text)):
        raise UsageError(
            f"{unknown} There is no such file either. Separate words by commas; put a comma after "
            "a single word."
        )
    return words


def _convert(which: Measure, name: str, text: str) -> Any:
    """Convert an option's value to the type of its default."""
    default = which.options.get(name)
    try:
        if isinstance(default, bool):
            return {**dict.fromkeys(_YES, True), **dict.fromkeys(_NO, False)}[text.lower()]
        return type(default)(text) if isinstance(default, int | float) else text
    except (KeyError, ValueError):
        kind = "yes or no" if isinstance(default, bool) else "a number"
        raise UsageError(f"{name} is {quote_safe(text)}; expected {kind}.") from None


def _open_needed(
    source: str,
    which: Measure,
    sets: dict[str, Any],
    options: dict[str, Any],
    is_controlled: bool,
) -> Embedding:
    """Open the rows that the measure needs; all of them for a control or a neighbour search."""
    checked = which.check_sets(sets)
    if is_table(source):
        return open_rows(source, [SimpleNamespace(sets=checked)])
    if is_controlled or which.check_options(options).get("neighbours"):
        return open_source(source)
    return open_rows(source, [SimpleNamespace(sets=checked)], sample=which.name == "weat")


def _page(which: Measure, result: AnyResult, count: int) -> str:
    """The value, what it means, and the words with the largest and smallest values."""
    if not result.is_done:
        return ""
    p_name = p_heading([result])
    row = _row(result, p_name)
    rows = with_controlled_rows(row, result, "value", decimals=3, p_name=p_name)
    text = table(rows, source_title(which.title, result.source_name))
    if result.chart == "groups":
        text = groups_table([result])  # type: ignore[list-item]
    if result.p is not None:  # without a p-value the finding has the reading
        text += remarks([which.reading])
    for name in result.by_word:
        rows = _word_rows(result, name)
        if count and len(rows) > 1:
            ends = rows if len(rows) <= 2 * count else [*rows[:count], *rows[-count:]]
            title = "" if len(ends) == len(rows) else f": the {count} at each end of {len(rows)}"
            text += "\n" + table(ends, f"Words of {name}{title}")
    return text


def _row(result: AnyResult, p_name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"measure": result.measure, "value": f"{result.value:.3f}"}
    if result.intervals:
        first = result.intervals[0]
        row["interval"] = f"{first.low:.3f} to {first.high:.3f}"
    row |= document_column(result)
    if result.p is not None:
        row |= {p_name: str(result.p), "by": result.p.method, "counted": result.p.fraction or ""}
    counts = {"pairs"}  # printed without decimals
    row |= {
        name: f"{number:.0f}" if name in counts else f"{number:.3f}"
        for name, number in result.details.items()
    }
    row["words"] = " ".join(f"{name} {size}" for name, size in result.n.items())
    return row | {"grade": result.finding.grade}


def _word_rows(result: AnyResult, name: str) -> list[dict[str, Any]]:
    """Rows for the words of a set, largest value first, with the further columns of the measure."""
    from weatherglass.significance import format_p

    values = result.by_word[name]
    columns = {column: sets[name] for column, sets in result.columns.items() if name in sets}
    return [
        {
            "word": result.words[name][k],
            "value": f"{values[k]:.3f}",
            **{
                _HEADS.get(column, column): (format_p if column in _HEADS else "{:.3f}".format)(
                    numbers[k]
                )
                for column, numbers in columns.items()
            },
        }
        for k in sorted(range(len(values)), key=lambda k: -values[k])
    ]
