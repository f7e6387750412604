"""The chart of differences between groups of documents, next to what could have been found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..audit import ALPHA
from ..html import make_visible
from .style import INK, PALE, RULE, SOFT, import_altair, quiet_axis

if TYPE_CHECKING:
    from weatherglass.seedlab import GroupDifference

_WIDTH = 420
_MAX_LINES = 60
_LABEL_LIMIT = 420


def plot_group_differences(results: Sequence[GroupDifference]) -> Any:
    """Draw each difference with its 95 % interval.

    Parameters
    ----------
    results
        Results of `weatherglass.compare_groups`.

    Returns
    -------
    altair.LayerChart
        A dot is filled if its corrected p-value is at most 0.05. The grey bar goes as far as the
        difference that is found with 80 % power: a dot inside it may be one that was missed.
    """
    alt = import_altair()
    several = len({result.test for result in results}) > 1
    rows = [_row(result, several) for result in results[:_MAX_LINES]]
    data = alt.Chart(alt.Data(values=rows))
    names = list(dict.fromkeys(row["name"] for row in rows))
    y = alt.Y("name:N", sort=names, title=None, axis=quiet_axis(labelLimit=_LABEL_LIMIT))
    axis = quiet_axis(title="difference of effects, in standard deviations", tickCount=7)
    x = alt.X("difference:Q", axis=axis)
    zero = alt.Chart(alt.Data(values=[{"difference": 0}])).mark_rule(color=SOFT).encode(x)
    bars = data.mark_bar(color=RULE, height=12).encode(alt.X("least:Q"), y, alt.X2("most:Q"))
    lines = (
        data.transform_filter("isValid(datum.low)")
        .mark_rule(color=INK, strokeWidth=2)
        .encode(alt.X("low:Q"), y, alt.X2("high:Q"))
    )
    fill = alt.condition("datum.is_significant", alt.value(INK), alt.value("white"))
    columns = ["name", "effect", "interval", "p", "detectable", "documents"]
    dots = data.mark_point(size=70, opacity=1, stroke=INK, strokeWidth=1.8).encode(
        x, y, fill=fill, tooltip=[alt.Tooltip(f"{name}:N") for name in columns]
    )
    title = alt.TitleParams(
        _title(results), subtitle=_subtitle(results), anchor="start", offset=10, subtitleColor=SOFT
    )
    return (
        alt.layer(bars, zero, lines, dots)
        .properties(width=_WIDTH, height=alt.Step(24), title=title)
        .configure_view(strokeWidth=0)
        .configure_axis(domainColor=PALE)
    )


def _row(result: GroupDifference, several: bool) -> dict[str, Any]:
    interval = result.main_interval
    detectable = result.detectable or 0.0
    p = result.p_finding if result.p_finding is not None else result.p_value
    contrast = make_visible(result.contrast)
    if result.groups:
        contrast = f"{make_visible(result.column)}: {contrast}"
    return {
        "name": f"{make_visible(result.title or result.test)}, {contrast}" if several else contrast,
        "difference": result.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "least": -detectable,
        "most": detectable,
        "is_significant": p is not None and p <= ALPHA,
        "effect": f"{result.value:+.2f}",
        "interval": f"{interval.low:.2f} to {interval.high:.2f}" if interval else "",
        "p": str(result.p),
        "detectable": f"{detectable:.2f}",
        "documents": " and ".join(f"{count:,}" for count in result.documents),
    }


def _title(results: Sequence[GroupDifference]) -> str:
    titles = {result.title or result.test for result in results}
    return make_visible(titles.pop()) if len(titles) == 1 else "Differences of groups"


def _subtitle(results: Sequence[GroupDifference]) -> list[str]:
    first = results[0]
    lines = []
    if len({result.test for result in results}) == 1:
        x, y, a, b = (make_visible(first.set_phrase(name)) for name in "XYAB")
        lines.append(f"positive: {x}, compared with {y}, more with {a} than {b}")
    lines.append(
        "line: 95 % interval; filled: p ≤ 0.05; grey: differences with less than 80 % power"
    )
    if len(results) > _MAX_LINES:
        lines.append(f"the first {_MAX_LINES} of {len(results)}")
    return lines
