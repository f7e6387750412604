"""The tables of tests of several groups: each test, its groups, and the pairs of groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .output import table
from .run_tests import p_heading, with_controlled_rows

if TYPE_CHECKING:
    from weatherglass.measures import GeneralisedResult


_OPTIONAL = ("g", "counted", "99 % bounds", "p Holm")  # columns that are left out if empty


def groups_table(results: Sequence[GeneralisedResult]) -> str:
    """Return the tables of generalised WEATs that were run."""
    p_name = p_heading(results)
    rows = [
        row
        for result in results
        for row in with_controlled_rows(_row(result, p_name), result, "effect", p_name=p_name)
    ]
    unused = [name for name in _OPTIONAL if not any(row[name] for row in rows)]
    rows = [{name: cell for name, cell in row.items() if name not in unused} for row in rows]
    text = table(rows, f"Generalised WEAT on {results[0].source['name']}")
    groups = [_group_row(row) for result in results for row in result.group_rows()]
    text += table(groups, "Groups: how far each is above the mean of all groups")
    pairs = [_pair_row(row) for result in results for row in result.pair_rows()]
    return text + table(pairs, "Pairs of groups, corrected for the pairs of a test (Holm)")


def _row(result: GeneralisedResult, p_name: str) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert result.p is not None
    low, high = format_p(result.p.low), format_p(result.p.high)
    bound = f"{low} to {high}" if result.p.low > 0 else f"at most {high}"
    return {
        "test": result.test,
        "effect": f"{result.effect:.2f}",
        "g": "" if result.g is None else f"{result.g:.3f}",
        p_name: str(result.p),
        "by": result.p.method,
        "counted": result.p.fraction or "",
        "99 % bounds": "" if result.p.fraction else bound,
        "p Holm": "" if result.p_holm is None else format_p(result.p_holm),
        "words": "+".join(str(result.n[name]) for name in result.groups),
        "grade": result.finding.grade,
    }


def _group_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "test": row["test"],
        "group": row["group"],
        "words": row["words"],
        "association": f"{row['association']:.3f}",
        "above the mean": f"{row['part']:+.3f}",
    }


def _pair_row(row: dict[str, Any]) -> dict[str, Any]:
    from weatherglass.significance import format_p

    has_interval = row["low"] is not None
    return {
        "test": row["test"],
        "groups": f"{row['first']} vs {row['second']}",
        "effect": "" if row["effect"] is None else f"{row['effect']:.2f}",
        "interval": f"{row['low']:.2f} to {row['high']:.2f}" if has_interval else "",
        "p": format_p(row["p"]),
        "p Holm": format_p(row["p_holm"]),
    }
