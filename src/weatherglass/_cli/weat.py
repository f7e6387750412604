"""``weatherglass weat``: association tests on a source of vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import (
    alternative_option,
    case_option,
    control_option,
    missing_option,
    output_options,
    seed_option,
    tests_options,
)
from .output import Output, table
from .run_tests import (
    open_controlled,
    run_all,
    select_tests,
    with_controlled_rows,
    write_results,
)

if TYPE_CHECKING:
    from weatherglass.measures import WeatResult

_MAX_INFLUENTIAL = 3


@click.command()
@click.argument("source")
@tests_options
@case_option()
@missing_option()
@click.option(
    "--p",
    "method",
    type=click.Choice(["auto", "exact", "tilted", "bracket", "sample", "normal"]),
    default="auto",
    show_default=True,
    help="Method for the permutation p-value.",
)
@alternative_option
@click.option(
    "--ddof",
    type=click.Choice(["0", "1"]),
    default="1",
    show_default=True,
    help="Degrees of freedom of the standard deviation in the effect size: 1 as in the paper, 0 as "
    "in some packages.",
)
@seed_option
@click.option(
    "--intervals", is_flag=True, help="Bootstrap confidence intervals of the effect size."
)
@click.option(
    "--influence",
    is_flag=True,
    help="Leave each word out in turn and show the most influential ones.",
)
@control_option(
    "Measure again on controlled vectors: without word frequency, without the mean (center), "
    "without the mean and the first K principal components (top:K), or whitened; auto: without "
    "frequency, if it is strong in the vectors."
)
@output_options(plot=True)
def weat(
    source: str,
    ids: tuple[str, ...],
    files: tuple[Path, ...],
    method: Any,
    alternative: Any,
    ddof: str,
    case: Any,
    max_missing: float,
    seed: int,
    intervals: bool,
    influence: bool,
    control: tuple[str, ...],
    output: Output,
) -> None:
    """Run association tests (WEAT) on SOURCE: the ten of the Science paper, or those you name.

    Are targets X, compared with Y, more strongly associated with attributes A than with B? The
    table has the effect size and the permutation p-value with the published ones, the p-value
    corrected for the number of tests (Holm), and the rotation p-value.
    """
    from weatherglass.catalog import Test
    from weatherglass.measures import weat as measure

    chosen = select_tests(ids, files, Test, "weat[1-9]", "weat10")
    vectors, controlled = open_controlled(source, chosen, control)
    results = run_all(
        chosen,
        lambda test: measure(
            vectors,
            test,
            alternative=alternative,
            method=method,
            ddof=int(ddof),
            case=case,
            max_missing=max_missing,
            rng=seed,
            intervals=intervals,
            influence=influence,
            control=controlled,
        ),
    )
    write_results(results.correct(), output, _table)


def _table(results: Sequence[Any]) -> str:
    done = [result for result in results if result.status == "done"]
    rows = [row for r in done for row in with_controlled_rows(_row(r), r, "effect")]
    if not rows:
        return ""
    text = table(rows, f"WEAT on {results[0].source['name']}")
    influential = [row for result in results for row in _influence_rows(result)]
    return text + (table(influential, "Leave-one-out") if influential else "")


def _row(result: WeatResult) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert result.p is not None
    assert result.p_rotation is not None
    assert result.p_holm is not None
    published = result.published or {}
    row: dict[str, Any] = {
        "test": result.test,
        "effect": f"{result.effect:.2f}",
        "published": f"{published['effect']:.2f}" if published else "",
        "p": str(result.p),
        "by": result.p.method,
        "counted": result.p.fraction or "",
        "published p": published.get("p", ""),
        "p Holm": format_p(result.p_holm),
        "p rotation": str(result.p_rotation),
        "targets": f"{result.n['X']}+{result.n['Y']}",
    }
    if result.intervals:
        first = result.intervals[0]
        row["interval"] = f"{first.low:.2f} to {first.high:.2f} ({first.method})"
    return row | {"": result.title}


def _influence_rows(result: WeatResult) -> list[dict[str, Any]]:
    """Rows for the words that change the effect size most, and the p-value most."""
    from weatherglass.significance import format_p

    if not result.influence or result.p is None:
        return []
    log_p = math.log(result.p.value)
    largest = max(result.influence, key=lambda left_out: abs(math.log(left_out.p) - log_p))
    chosen = dict.fromkeys([*result.influence[:_MAX_INFLUENTIAL], largest])
    return [
        {
            "test": result.test,
            "set": left_out.set,
            "without": left_out.word,
            "effect": f"{left_out.effect:.2f}",
            "moved by": f"{left_out.moved:+.2f}",
            "p": format_p(left_out.p),
        }
        for left_out in chosen
    ]
