"""``weatherglass agree``: the associations of the same words in several sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError, join_first, quote_safe

from .options import (
    case_option,
    missing_option,
    output_options,
    overlap_option,
    seed_option,
    tests_options,
)
from .output import Output, remarks, table
from .run_tests import open_rows, run_all, select_tests, write_results

if TYPE_CHECKING:
    from weatherglass.measures import Agreement, SourcePair
    from weatherglass.significance import Correlation

_MAX_NAMED = 5  # words on which two sources differ most, or that a source lacks

_MIN_SHOWN = 0.05  # standard deviations; less would be printed as zero


@click.command()
@click.argument("sources", metavar="SOURCE SOURCE...", nargs=-1, required=True)
@tests_options
@case_option()
@missing_option()
@overlap_option
@seed_option
@output_options(plot=True, paper=True)
def agree(
    sources: tuple[str, ...],
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    case: Any,
    max_missing: float,
    allow_overlap: bool,
    seed: int,
    output: Output,
) -> None:
    """Compare what two sources or more say about the same words.

    For each association or factual test that you name: the correlation of the words' associations,
    with 95 % intervals over words, and the difference of the effects with the p-value of a paired
    sign-flip test. A word that one SOURCE lacks is dropped in all.
    """
    from weatherglass.catalog import FactualTest, Test
    from weatherglass.measures import agree as compare

    if len(sources) < 2:
        raise UsageError("Name two sources or more.")
    if not ids and not files:
        raise UsageError("Name a test with --test ID, or give your own with --tests FILE.")
    tests = select_tests(ids, files, Test | FactualTest)
    opened = [open_rows(source, tests, case=case) for source in sources]
    results = run_all(
        tests,
        lambda test: compare(
            opened,
            test,
            case=case,
            max_missing=max_missing,
            allow_overlap=allow_overlap,
            rng=seed,
        ),
    )
    write_results(results, output, _text)


def _text(results: Sequence[Agreement]) -> str:
    from weatherglass.report import short_names

    done = [result for result in results if result.is_done]
    if not done:
        return ""
    names = short_names([source["name"] for source in done[0].sources])
    text = ""
    if len(done[0].sources) > 2:
        for result in done:
            text += table(_matrix(result, names), f"{result.test}: Pearson correlations")
    rows = [_row(result, pair, names) for result in done for pair in result.pairs]
    text += table(rows, "Agreement of associations")
    differences = [_difference_row(result, pair, names) for result in done for pair in result.pairs]
    text += table(differences, "Differences of effects")
    return text + remarks(line for result in done for line in _notes(result, names))


def _matrix(result: Agreement, names: Mapping[str, str]) -> list[dict[str, Any]]:
    values = {(pair.first, pair.second): pair.pearson.value for pair in result.pairs}
    order = [source["name"] for source in result.sources]
    return [
        {"": names[first]}
        | {
            names[second]: "1"
            if first == second
            else f"{values.get((first, second), values.get((second, first))):.2f}"
            for second in order
        }
        for first in order
    ]


def _row(result: Agreement, pair: SourcePair, names: Mapping[str, str]) -> dict[str, Any]:
    published = result.published_agreement or {}
    return {
        "test": result.test,
        "sources": f"{names[pair.first]}, {names[pair.second]}",
        "Pearson": f"{pair.pearson.value:.2f}",
        "Pearson 95 %": _interval(pair.pearson),
        "published": f"{published['pearson']:.2f}" if published else "",
        "Spearman": f"{pair.spearman.value:.2f}",
        "Spearman 95 %": _interval(pair.spearman),
        " published": f"{published['spearman']:.2f}" if published else "",
        "words": pair.pearson.n,
    }


def _difference_row(
    result: Agreement, pair: SourcePair, names: Mapping[str, str]
) -> dict[str, Any]:
    difference = pair.difference
    row = {
        "test": result.test,
        "sources": f"{names[pair.first]} − {names[pair.second]}",
        "effects": f"{difference.first:.2f} − {difference.second:.2f}",
        "difference": f"{difference.difference:+.2f}",
        "95 %": f"{difference.low:+.2f} to {difference.high:+.2f}",
        "p": str(difference.p),
        "by": difference.p.method,
    }
    if len(result.pairs) > 1 and difference.p_holm is not None:
        from weatherglass.significance import format_p

        row["p Holm"] = format_p(difference.p_holm)
    return row | {"": result.title}


def _interval(correlation: Correlation) -> str:
    return f"{correlation.low:.2f} to {correlation.high:.2f}"


def _notes(result: Agreement, names: Mapping[str, str]) -> list[str]:
    """Which sources were published, lack words, and differ most on which words."""
    lines = []
    if published := result.published_agreement:
        first, second = published["sources"]
        lines.append(f"{result.test}: the published correlations are of {first} and {second}.")
    for source, words in zip(result.sources, result.absent, strict=True):
        if words:
            listed = join_first(map(quote_safe, words), _MAX_NAMED)
            lines.append(f"{result.test}: {names[source['name']]} lacks {listed}.")
    if len(result.pairs) == 1:
        (pair,) = result.pairs
        listed = ", ".join(
            f"{quote_safe(word)} {size:+.1f}"
            for word, size in result.most_different(pair, _MAX_NAMED)
            if abs(size) >= _MIN_SHOWN
        )
        if listed:
            lines.append(
                f"{result.test}: {names[pair.first]} and {names[pair.second]} differ most on "
                f"{listed} standard deviations."
            )
    return lines
