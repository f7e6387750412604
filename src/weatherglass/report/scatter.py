"""Facts of the world against associations: a point for each word, named on hover."""

from __future__ import annotations

from typing import Any

from weatherglass.measures import WefatResult
from weatherglass.report import rounding
from weatherglass.report.plots import INK, RULE, drawing
from weatherglass.report.strips import between
from weatherglass.report.words import spelled

WIDTH, HEIGHT = 330, 270
_LINE = "#b8600b"


def scatter(result: WefatResult) -> Any:
    """Draw a factual test: points, the regression line, and names where there is room."""
    alt = drawing()
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    name = (result.fact.get("name") or "fact") + unit
    points = [
        {"word": spelled(word), "association": x, "fact": y, "near": rounding.effect(x)}
        for word, x, y in zip(result.words["W"], result.associations, result.facts, strict=True)
    ]
    slope, intercept = result.slope or 0.0, result.intercept or 0.0
    ends = [min(result.associations), max(result.associations)]
    line = [{"association": x, "fact": slope * x + intercept} for x in ends]
    x = alt.X("association:Q", title=between(result)).scale(zero=False)
    y = alt.Y("fact:Q", title=name)
    about = [
        alt.Tooltip("word:N"),
        alt.Tooltip("near:N", title="association"),
        alt.Tooltip("fact:Q", title=name),
    ]
    here = alt.selection_point(name="pointed", on="pointerover", empty=False)
    dots = (
        alt.Chart(alt.Data(values=points))
        .mark_circle(color=INK, opacity=0.8)
        .encode(x, y, size=alt.condition(here, alt.value(150), alt.value(45)), tooltip=about)
        .add_params(here)
    )
    names = alt.Chart(alt.Data(values=_readable(points))).mark_text(
        align="left", dx=6, fontSize=9.5, color="#444"
    )
    fit = alt.Chart(alt.Data(values=line)).mark_line(color=_LINE, strokeWidth=1.5)
    return (
        alt.layer(fit.encode(x, y), dots, names.encode(x, y, alt.Text("word:N")))
        .properties(width=WIDTH, height=HEIGHT)
        .configure_view(strokeWidth=0)
        .configure_axis(
            gridColor=RULE, domain=False, ticks=False, labelFontSize=11, titleFontSize=11
        )
    )


def _readable(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points whose names touch no name already written, no point and no edge."""
    scales, least = {}, {}
    for axis, pixels in (("association", WIDTH), ("fact", HEIGHT)):
        values = [point[axis] for point in points]
        scales[axis] = pixels / (max(values) - min(values) or 1)
        least[axis] = min(values)

    def place(point: dict[str, Any]) -> tuple[float, float]:
        left = (point["association"] - least["association"]) * scales["association"]
        return left, (point["fact"] - least["fact"]) * scales["fact"]

    dots = [place(point) for point in points]
    taken: list[tuple[float, float, float]] = []
    kept = []
    for point, (left, low) in zip(points, dots, strict=True):
        start, end = left + 5, left + 8 + 5.2 * len(point["word"])
        covers = any(start < x < end and abs(low - y) < 7 for x, y in dots)
        touches = any(abs(low - y) < 10 and start < b and end > a for a, b, y in taken)
        if end < WIDTH + 10 and not covers and not touches:
            taken.append((start, end, low))
            kept.append(point)
    return kept
