"""``weatherglass wefat``: factual tests on a source of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .options import (
    case_option,
    control_option,
    missing_option,
    output_options,
    overlap_option,
    tests_options,
)
from .output import Output, source_title, table
from .run_tests import (
    document_column,
    interval_text,
    open_controlled,
    run_all,
    select_tests,
    with_controlled_rows,
    write_results,
)

if TYPE_CHECKING:
    from weatherglass.measures import WefatResult


@click.command()
@click.argument("source")
@tests_options
@case_option()
@missing_option()
@overlap_option
@click.option(
    "--facts",
    type=click.Path(path_type=Path),
    help="Your own facts: CSV with a word and a number on each line. The attributes are those of "
    "the test that you name (wefat1 by default: female and male terms).",
)
@control_option(
    "Measure again on controlled vectors: without word frequency, without the mean (center), "
    "without the mean and the first K principal components (top:K), or whitened; auto: without "
    "frequency, if it is strong in the vectors."
)
@output_options(plot=True, paper=True)
def wefat(
    source: str,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    facts: Path | None,
    case: Any,
    max_missing: float,
    allow_overlap: bool,
    control: tuple[str, ...],
    output: Output,
) -> None:
    """Run factual tests (WEFAT) on SOURCE: both of the Science paper, or those you name.

    Does a word's association with A, compared with B, predict a fact about it, such as the share
    of women in an occupation? The table has the correlation with its 95 % confidence interval over
    other words, the published one, and the grade of the finding. Under it are the findings in
    sentences, by the two-sided p of Pearson's correlation.
    """
    from weatherglass.catalog import FactualTest, load_facts
    from weatherglass.measures import wefat as measure

    if facts is not None and not ids and not files:
        ids = ("wefat1",)
    chosen = select_tests(ids, files, FactualTest, "wefat*")
    if facts is not None:
        if len(chosen) > 1:
            raise UsageError(
                "--facts needs a single test, for its attributes: name one with --test."
            )
        own = {"id": facts.stem, "a": chosen[0].a, "b": chosen[0].b, "facts": load_facts(facts)}
        chosen = [FactualTest.model_validate(own)]
    vectors, controlled = open_controlled(source, chosen, control, case=case)
    results = run_all(
        chosen,
        lambda test: measure(
            vectors,
            test,
            case=case,
            max_missing=max_missing,
            allow_overlap=allow_overlap,
            control=controlled,
        ),
    )
    write_results(results.correct(), output, _table)


def _table(results: Sequence[Any]) -> str:
    done = [result for result in results if result.status == "done"]
    rows = [row for r in done for row in with_controlled_rows(_row(r), r, "Pearson")]
    return table(rows, source_title("WEFAT", results[0].source_name)) if rows else ""


def _row(result: WefatResult) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert result.pearson_p is not None
    assert result.spearman_p is not None
    published = result.published or {}
    return {
        "test": result.test,
        "Pearson": f"{result.pearson:.2f}",
        "interval": interval_text(result.main_interval),
        **document_column(result),
        "published": f"{published['correlation']:.2f}" if published else "",
        "p": format_p(result.pearson_p),
        "published p": published.get("p", ""),
        "Spearman": f"{result.spearman:.2f}",
        "Spearman p": format_p(result.spearman_p),
        "slope": f"{result.slope:.3g}",
        "targets": result.n["W"],
        "grade": result.finding.grade,
    }
