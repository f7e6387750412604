"""``weatherglass norms``: associations against the ratings of people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError, join_first, quote_safe

from .measure import parse_words
from .options import cache_option, case_option, missing_option, output_options
from .output import Output, remarks, table
from .run_tests import interval_text, open_rows, write_results

if TYPE_CHECKING:
    from weatherglass.measures import NormsResult

_MAX_NAMED = 10  # words with the largest residuals


@click.command()
@click.argument("source")
@click.option(
    "--norms",
    "which",
    metavar="NAME|FILE",
    default="glasgow-valence",
    show_default=True,
    help="Ratings of words by people: glasgow-valence, glasgow-gender, or your own table with a "
    "header (CSV, or TSV if the name ends in .tsv).",
)
@click.option("--word", metavar="COLUMN", help="The column of the words; by default word.")
@click.option(
    "--value",
    metavar="COLUMN",
    help="The column of the ratings; not needed for a table with two columns.",
)
@click.option("--sd", metavar="COLUMN", help="The column of the standard deviation over raters.")
@click.option(
    "--raters",
    metavar="COLUMN|N",
    help="The column of the number of raters, or the number; with --sd it gives the reliability "
    "of the ratings.",
)
@click.option(
    "--test",
    metavar="ID",
    help="Score words by the single-category WEAT with the attributes A and B of this test, as "
    "ValNorm does with weat1.",
)
@click.option(
    "--axis",
    metavar="SEEDS/SEEDS",
    help="Score words on the axis between two word sets: ids of seed sets, files, or words "
    "separated by commas. High ratings belong to the first.",
)
@click.option(
    "--pairs",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Score words on the axis of these antonyms: two words on a line, separated by a comma; "
    "high ratings belong to the first.",
)
@click.option(
    "--shared",
    type=click.Choice(["keep", "leave-out"]),
    help="Rated words that are also attributes: keep (the default for tests, as ValNorm) or "
    "leave-out (the default for axes). The other correlation is printed too.",
)
@case_option()
@missing_option()
@cache_option
@output_options(plot=True)
def norms(
    source: str,
    which: str,
    word: str | None,
    value: str | None,
    sd: str | None,
    raters: str | None,
    test: str | None,
    axis: str | None,
    pairs: Path | None,
    shared: str | None,
    case: Any,
    max_missing: float,
    no_cache: bool,
    output: Output,
) -> None:
    """Correlate the associations of words in SOURCE with what people say about them.

    The table has Pearson's and Spearman's correlation with 95 % intervals over other words, and
    the correlation given log word frequency. An encoder encodes each word as a sentence.
    """
    from weatherglass.catalog import load_norms, load_pairs
    from weatherglass.measures import Results
    from weatherglass.measures import norms as measure

    count = int(raters) if raters and raters.isascii() and raters.isdigit() else raters
    rated = load_norms(which, word=word, value=value, sd=sd, raters=count)
    chosen: dict[str, Any] = {"test": test}
    chosen["axis"] = _parse_axis(axis) if axis else None
    chosen["pairs"] = load_pairs(pairs) if pairs else None
    if shared:
        chosen["shared"] = shared.replace("-", " ")
    opened = _open(source, rated, chosen, case, not no_cache)
    result = measure(opened, rated, case=case, max_missing=max_missing, **chosen)
    write_results(Results.of([result]), output, _text)


def _parse_axis(text: str) -> tuple[Any, Any]:
    sides = text.split("/") if text.count("/") == 1 else []
    if len(sides) != 2 or not all(sides):
        raise UsageError(
            f"--axis is {quote_safe(text)}; expected two word sets with a slash between them, "
            "such as rich,wealthy/poor,needy."
        )
    first, second = (parse_words(side) for side in sides)
    return first, second


def _open(source: str, rated: Any, chosen: dict[str, Any], case: Any, use_cache: bool) -> Any:
    """Open the rows of a source that are needed, or encode the words."""
    from types import SimpleNamespace

    from weatherglass.encoders import encode_words, open_encoder, schemes
    from weatherglass.measures import norm_sets
    from weatherglass.vectors import parse_spec

    sets, _ = norm_sets(rated, chosen["test"], chosen["axis"], chosen["pairs"])
    sets = {"W": rated, **sets}
    if parse_spec(source).scheme not in schemes():
        return open_rows(source, [SimpleNamespace(sets=sets)], sample=True, case=case)
    # Opened here, because only an encoder has a cache to leave out.
    encoder = open_encoder(source, cache=use_cache)
    words = [word for part in sets.values() for word in part.words]
    asked = [word.lower() for word in words] if case == "lower" else words
    return encode_words(encoder, asked, cache=use_cache)


def _text(results: Sequence[NormsResult]) -> str:
    done = [result for result in results if result.is_done]
    if not done:
        return ""
    rows = [_row(result) for result in done]
    text = table(rows, f"Norms on {done[0].source_name}")
    return text + remarks(line for result in done for line in _notes(result))


def _row(result: NormsResult) -> dict[str, Any]:
    row = {
        "norms": result.test,
        "score": result.score,
        "Pearson": f"{result.pearson:.3f}",
        "interval": interval_text(result.main_interval),
        "Spearman": f"{result.spearman:.3f}",
        "Spearman interval": interval_text(result.spearman_interval),
        "words": result.n["W"],
    }
    if result.partial is not None:
        row["given frequency"] = f"{result.partial:.3f}"
    if result.disattenuated is not None:
        row |= {"ceiling": f"{result.ceiling:.3f}", "corrected": f"{result.disattenuated:.3f}"}
    return row | {"grade": result.finding.grade}


def _notes(result: NormsResult) -> list[str]:
    """What was rated and by whom, shared words, reliability, and the largest residuals."""
    from weatherglass.catalog import mask_slurs

    about = result.norms
    lines = []
    unit = f" ({about['unit']})" if about["unit"] else ""
    rows = f", {about['merged']:,} rows of other senses averaged" if about["merged"] else ""
    rows += f", {about['left_out']:,} rows without a rating left out" if about["left_out"] else ""
    lines.append(
        f"{about['name']}{unit}: {about['rated']:,} words{rows}; {result.source_name} lacks "
        f"{about['absent']:,}."
    )
    if about["citation"]:
        lines.append(f"Ratings: {about['citation']}")
    if result.shared and result.pearson_other is not None:
        kept = result.options["shared"] == "keep"
        do = "counted" if kept else "were left out"
        otherwise = "without" if kept else "with"
        lines.append(
            f"{len(result.shared)} rated words are also attributes and {do}; r = "
            f"{result.pearson_other:.3f} {otherwise} them."
        )
    if result.reliability is not None:
        lines.append(
            f"Reliability of the ratings {result.reliability:.3f}: no correlation above "
            f"{result.ceiling:.3f} can be expected."
        )
    if not result.frequency:
        lines.append("The source states no word frequencies, so none were controlled for.")
    named = join_first(
        (
            f"{quote_safe(mask_slurs(word))} {size:+.1f}"
            for word, size in result.largest_residuals(_MAX_NAMED)
        ),
        _MAX_NAMED,
    )
    lines.append(f"Largest residuals (rating minus line): {named}.")
    return lines
