"""The section of an audit's report about tests of several groups: the pairs of groups."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from .. import numbers
from ..page import Draw
from .data import AuditResult, Names
from .rendering import render_part

_GUIDE = (
    "A test of several groups has one p-value for all of them, which is above under the findings. "
    "These are its follow-up tests of every two groups, with p-values corrected for the pairs of "
    "the test (Holm). A positive effect size means that the first group is more strongly "
    "associated with the first attributes than the second group is, or each with its own."
)


def groups_section(audit: AuditResult, names: Names, draw: Draw) -> list[Markup]:
    """The tests of several groups: a chart of the groups, and a table of their pairs."""
    from ..charts import plot_groups

    tested = [result for result in _results(audit) if result.is_done and result.pairs]
    if not tested:
        return []
    cards = []
    for number, result in enumerate(tested):
        on = f" on {names[result.source_name]}" if len(names) > 1 else ""
        title = f"{result.title}{on}"
        chart = draw(
            lambda result=result: plot_groups(result),
            f"groups-{number}",
            f"Groups of {title}: how far each is above the mean of all groups",
            title=f"{title}: each group compared with the mean of all",
            table=f"groups-{number}-table",
            sources=[result.source_name],
        )
        rows = [_row(pair) for pair in result.pair_rows()]
        cards.append((title, chart, f"groups-{number}-table", rows))
    return [render_part("audit/groups.html", guide=_GUIDE, cards=cards)]


def _results(audit: AuditResult) -> list[Any]:
    return [result for result in audit.results if result.chart == "groups"]


def _row(pair: dict[str, Any]) -> tuple[str, ...]:
    low, high = pair["low"], pair["high"]
    return (
        f"{pair['first']} vs {pair['second']}",
        numbers.effect(pair["effect"]),
        numbers.ABSENT if low is None else numbers.interval(low, high),
        numbers.p_value(pair["p"]),
        numbers.p_value(pair["p_holm"]),
    )
