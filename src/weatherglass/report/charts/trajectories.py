"""Trajectories: the effects of tests over time, with bands and trend lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure, quote_safe
from weatherglass.significance import equate_p

from .style import INK, PALE, RULE, SERIES, SOFT, Values, import_altair, quiet_axis

if TYPE_CHECKING:
    from weatherglass.seedlab import Trajectory, TrajectoryPoint

_WIDTH, _HEIGHT = 520, 190
_STATISTICS = {"effect": "effect size", "correlation": "correlation"}
_MAX_LABELLED = 16  # periods whose names fit under the axis


def plot_trajectory(trajectory: Trajectory) -> Any:
    """Draw a panel for each test: points and their band over time, and the line of the trend.

    The line is solid if the trend is clear, and dashed otherwise. Corpora differ in colour.
    """
    alt = import_altair()
    measured = [point for point in trajectory.points if point.value is not None]
    if not measured:
        raise CannotMeasure("There is nothing to draw: no test was run.")
    tests = list(dict.fromkeys(point.test for point in measured))
    panels = [_panel(trajectory, test, measured) for test in tests]
    has_band = any(point.low is not None for point in measured)
    parts = ["points: periods"]
    parts += ["band: 95 % interval over documents"] if has_band else []
    if trajectory.trends:
        parts.append("line: least squares, solid where the trend is clear")
    title = alt.TitleParams(
        f"Effects over time, by {trajectory.by}",
        subtitle="; ".join(parts),
        anchor="start",
        offset=14,
        subtitleColor=SOFT,
    )
    return (
        alt.vconcat(*panels, spacing=26)  # also of a single panel, which has its own title
        .properties(title=title)
        .configure_view(strokeWidth=0)
        .configure_legend(labelFontSize=11, titleFontSize=11, symbolType="circle", symbolOpacity=1)
    )


def _panel(trajectory: Trajectory, test: str, points: list[TrajectoryPoint]) -> Any:
    """The trajectory of one test, with a colour for each corpus."""
    alt = import_altair()
    corpora = list(trajectory.corpora)
    of_test = [point for point in points if point.test == test]
    rows: Values = [
        {
            "corpus": point.corpus,
            "period": point.period,
            "time": point.time,
            "value": point.value,
            "low": point.low,
            "high": point.high,
            "documents": point.documents,
            "tokens": point.tokens,
        }
        for point in of_test
    ]
    parts: dict[str, int] = {}
    for row in rows:
        parts[row["corpus"]] = parts.get(row["corpus"], 0) + (row["low"] is None)
        row["part"] = f"{row['corpus']} {parts[row['corpus']]}"
    if len(corpora) > 1:
        scale = alt.Scale(domain=corpora, range=list(SERIES[: len(corpora)]))
        colour: Any = alt.Color("corpus:N", scale=scale, title=None)
    else:
        colour = alt.value(INK)
    statistic = "effect"
    if any(trend.test == test and trend.statistic == "correlation" for trend in trajectory.trends):
        statistic = "correlation"
    x = alt.X(
        "time:Q",
        title=None,
        scale=alt.Scale(zero=False, nice=False, padding=12),
        axis=_time_axis(of_test, trajectory.by),
    )
    y = alt.Y("value:Q", title=_STATISTICS[statistic], axis=quiet_axis(tickCount=5))
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, color=colour)
    zero = (
        alt.Chart(alt.Data(values=[{}]))
        .mark_rule(color=PALE, strokeDash=[3, 3])
        .encode(y=alt.datum(0))
    )
    layers = [zero]
    if any(row["low"] is not None for row in rows):
        with_interval = base.transform_filter("datum.low !== null").encode(
            y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
        )
        # A band ends at a period without an interval; a rule shows one that stands alone.
        layers.append(with_interval.mark_area(opacity=0.16, line=False).encode(detail="part:N"))
        layers.append(with_interval.mark_rule(opacity=0.3))
    layers.append(base.mark_line(strokeWidth=1.5, opacity=0.55).encode(y=y))
    layers += _trend_lines(trajectory, test, of_test, colour)
    tooltip = ["corpus:N", "period:N", alt.Tooltip("value:Q", format=".2f"), "documents:Q"]
    layers.append(base.mark_circle(size=52, opacity=1).encode(y=y, tooltip=tooltip))
    heading = alt.TitleParams(
        trajectory.titles[test] or test,
        subtitle=_verdicts(trajectory, test),
        anchor="start",
        fontSize=12,
        subtitleFontSize=11,
        subtitleColor=SOFT,
    )
    return alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT, title=heading)


def _time_axis(points: list[TrajectoryPoint], by: str) -> Any:
    """Ticks at the periods, with their names; plain numbers where the names do not fit."""
    alt = import_altair()
    names = {point.time: point.period for point in points}
    corpora = {point.corpus for point in points}
    style = {"domainColor": RULE, "grid": False, "ticks": False, "labelFontSize": 11}
    style |= {"labelPadding": 8}
    if len(corpora) > 1 or len(names) > _MAX_LABELLED:
        return alt.Axis(format="d", **style)
    cases = "".join(
        f"datum.value == {time!r} ? {_quoted(name)} : " for time, name in sorted(names.items())
    )
    is_long = max(map(len, names.values())) > 6
    return alt.Axis(
        values=sorted(names),
        labelExpr=f"{cases}''",
        labelAngle=-40 if is_long and len(names) > 6 else 0,
        labelOverlap=True,
        **style,
    )


def _quoted(text: str) -> str:
    """A text as a string in a Vega expression."""
    import json

    return json.dumps(text)


def _trend_lines(
    trajectory: Trajectory, test: str, points: list[TrajectoryPoint], colour: Any
) -> list[Any]:
    """The least-squares line of each corpus."""
    alt = import_altair()
    findings = trajectory.findings()
    lines = []
    for trend in trajectory.trends:
        if trend.test != test or trend.statistic == "unstandardised":
            continue
        times = [point.time for point in points if point.corpus == trend.corpus]
        rows = [
            {"corpus": trend.corpus, "time": at, "value": trend.intercept + trend.slope * at}
            for at in (min(times), max(times))
        ]
        is_clear = findings[test, trend.corpus].grade == "clear"
        lines.append(
            alt.Chart(alt.Data(values=rows))
            .mark_line(strokeWidth=2.2, strokeDash=[1, 0] if is_clear else [5, 4])
            .encode(x="time:Q", y="value:Q", color=colour)
        )
    return lines


def _verdicts(trajectory: Trajectory, test: str) -> list[str]:
    """The trend of each corpus in a line: direction, change, p-values."""
    findings = trajectory.findings()
    lines = []
    for trend in trajectory.trends:
        if trend.test != test or trend.statistic == "unstandardised":
            continue
        finding = findings[test, trend.corpus]
        words = {1: "rose", -1: "fell", 0: "no clear trend"}[finding.direction]
        name = f"{trend.corpus}: " if len(trajectory.corpora) > 1 else ""
        residual = "" if trend.residual_p is None else f", residual {equate_p(trend.residual_p)}"
        change = f"{trend.change:+.2f}".replace("-", "−")
        lines.append(
            f"{name}{words}; change {change} ({quote_safe(trend.first)} to "
            f"{quote_safe(trend.last)}), {equate_p(trend.p)}{residual}"
        )
    return lines
