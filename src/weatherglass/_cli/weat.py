"""``weatherglass weat``: association tests on a source of vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import format_option, out_option, plot_option, table
from .run_tests import (
    alternative_option,
    chosen_tests,
    control_for,
    control_option,
    run_all,
    say,
    seed_option,
    survival_columns,
    test_options,
)

if TYPE_CHECKING:
    from weatherglass.measures import WeatResult

_MOST_INFLUENTIAL = 3


@click.command()
@test_options
@click.option(
    "--p",
    "method",
    type=click.Choice(["auto", "exact", "tilted", "bracket", "sample", "normal"]),
    default="auto",
    show_default=True,
    help="How the permutation p-value is found.",
)
@alternative_option
@click.option(
    "--ddof",
    type=click.Choice(["0", "1"]),
    default="1",
    show_default=True,
    help="1: the paper's unbiased standard deviation in the effect; 0: as some packages have it.",
)
@seed_option
@click.option("--intervals", is_flag=True, help="Bootstrap confidence intervals of the effect.")
@click.option("--influence", is_flag=True, help="Drop each word in turn: which one matters most.")
@control_option
@format_option
@out_option
@plot_option
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
    control: str,
    form: str,
    out: Path | None,
    picture: Path | None,
) -> None:
    """Run association tests (WEAT) on SOURCE: the ten of the Science paper, or those you name.

    Are the targets X rather than Y near the attributes A rather than B? The table has the effect
    and the permutation p-value beside the published ones, the p-value corrected for the number of
    tests (Holm), and the rotation p-value.
    """
    from weatherglass.catalog import Test
    from weatherglass.measures import weat as measure

    chosen = chosen_tests(ids, files, Test, "weat[1-9]", "weat10")
    vectors, controlled = control_for(source, chosen, control)
    results = run_all(
        chosen,
        lambda entry: measure(
            vectors,
            entry,
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
    say(results.correct(), form, out, picture, _table)


def _table(results: Sequence[Any]) -> str:
    rows = [_row(one) for one in results if one.status == "done"]
    if not rows:
        return ""
    text = table(rows, f"WEAT on {results[0].source['name']}")
    influential = [row for one in results for row in _influence_rows(one)]
    return text + (table(influential, "Without one word") if influential else "")


def _row(one: WeatResult) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert one.p is not None
    assert one.p_rotation is not None
    assert one.p_holm is not None
    printed = one.published or {}
    row: dict[str, Any] = {
        "test": one.test,
        "effect": f"{one.effect:.2f}",
        **survival_columns(one),
        "published": f"{printed['effect']:.2f}" if printed else "",
        "p": str(one.p),
        "by": one.p.method,
        "counted": one.p.fraction or "",
        "published p": printed.get("p", ""),
        "p Holm": format_p(one.p_holm),
        "p rotation": str(one.p_rotation),
        "targets": f"{one.n['X']}+{one.n['Y']}",
    }
    if one.intervals:
        first = one.intervals[0]
        row["interval"] = f"{first.low:.2f} to {first.high:.2f} ({first.method})"
    return row | {"": one.title}


def _influence_rows(one: WeatResult) -> list[dict[str, Any]]:
    """The words that move the effect most, and the one that moves the p-value most."""
    from weatherglass.significance import format_p

    if not one.influence or one.p is None:
        return []
    whole = math.log(one.p.value)
    shift = max(one.influence, key=lambda gone: abs(math.log(gone.p) - whole))
    picked = dict.fromkeys([*one.influence[:_MOST_INFLUENTIAL], shift])
    return [
        {
            "test": one.test,
            "set": gone.set,
            "without": gone.word,
            "effect": f"{gone.effect:.2f}",
            "moved by": f"{gone.moved:+.2f}",
            "p": format_p(gone.p),
        }
        for gone in picked
    ]
