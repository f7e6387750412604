"""The scatter plot of a factual test in a report, as SVG that a template writes.

`draw_scatter` of `charts` draws the same numbers with altair, for files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import is_slur, mask_slurs

from .. import numbers
from ..charts import fact_domain, pad_range, scatter_labels
from ..html import spell
from .ticks import nice_ticks

WIDTH, HEIGHT = 420.0, 330.0
SIZE = 10.5
"""Size of the words, in pixels."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 412.0, 24.0, 282.0


@dataclass(frozen=True)
class ScatterPoint:
    """A word at its place, with what it says when it is pointed at."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class ScatterLabel:
    """The label of a word; `slur` is its spelling where the text is masked."""

    x: float
    y: float
    text: str
    slur: str


@dataclass(frozen=True)
class Scatter:
    """A scatter plot; all lengths are in pixels."""

    width: float
    height: float
    size: float
    plot: tuple[float, float, float, float]
    points: tuple[ScatterPoint, ...]
    labels: tuple[ScatterLabel, ...]
    leaders: tuple[tuple[float, float, float, float], ...]
    line: tuple[float, float, float, float]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    fact: str
    ends: tuple[str, str]


def lay_out_scatter(result: Any) -> Scatter:
    """Place the words of a factual test, the regression line, and the labels that fit."""
    words = [spell(word) for word in result.words["W"]]
    pairs = list(zip(result.associations, result.facts, strict=True))
    slope, intercept = result.slope or 0.0, result.intercept or 0.0
    extremes = (min(result.associations), max(result.associations))
    line = [(x, slope * x + intercept) for x in extremes]
    domains = [
        pad_range(result.associations, 0.05),
        fact_domain([*result.facts, *(y for _, y in line)]),
    ]
    (low_x, high_x), (low_y, high_y) = domains

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + (x - low_x) / (high_x - low_x) * (_RIGHT - _LEFT),
            _BOTTOM - (y - low_y) / (high_y - low_y) * (_BOTTOM - _TOP),
        )

    rows = [
        {"word": mask_slurs(word), "association": x, "fact": y}
        for word, (x, y) in zip(words, pairs, strict=True)
    ]
    ends = [{"association": x, "fact": y} for x, y in line]
    # Other fonts than Arial are wider: labels are placed as if the chart were a little smaller.
    room = (0.94 * (_RIGHT - _LEFT), 0.94 * (_BOTTOM - _TOP))
    placed, leaders = scatter_labels(rows, ends, domains, *room)
    slurs = {mask_slurs(word): word for word in words if is_slur(word)}
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    return Scatter(
        WIDTH,
        HEIGHT,
        SIZE,
        (_LEFT, _TOP, _RIGHT, _BOTTOM),
        tuple(
            ScatterPoint(*place(x, y), f"{row['word']}: {numbers.effect(x)}, {y:,.4g}")
            for row, (x, y) in zip(rows, pairs, strict=True)
        ),
        tuple(
            ScatterLabel(
                *place(row["association"], row["fact"]), row["word"], slurs.get(row["word"], "")
            )
            for row in placed
        ),
        tuple(
            (*place(row["association"], row["fact"]), *place(row["x2"], row["y2"]))
            for row in leaders
        ),
        (*place(*line[0]), *place(*line[1])),
        tuple((place(x, 0)[0], numbers.plain(x)) for x in nice_ticks(low_x, high_x, 5)),
        tuple((place(0, y)[1], numbers.plain(y)) for y in nice_ticks(low_y, high_y, 5)),
        (result.fact.get("name") or "Fact") + unit,
        (result.label("B"), result.label("A")),
    )
