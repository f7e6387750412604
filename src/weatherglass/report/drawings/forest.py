"""The forest plot of a report: effects with intervals, by topic, as SVG that a template writes.

The report draws it without altair, narrow and wide, and the style sheet chooses. `draw_forest` in
`charts` draws the same numbers with altair, for files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import CONTROL
from weatherglass.findings import is_reversing

from .. import numbers
from ..audit import ALPHA, TestBySource, dimension_title
from ..charts import pad_range, style, width_in_ems, wrap_text
from ..html import spell
from .ticks import nice_ticks

WIDE, NARROW = 960.0, 340.0
"""Widths in pixels at which forest plots are drawn."""

CONTROLS_TITLE = "Controls, whose answer is known"
_WIDTH_ALLOWANCE = 1.08  # other fonts than Arial are wider
_LINE, _SOURCE_LINE, _ROW_GAP, _HEADING = 17.0, 17.0, 9.0, 30.0
_RADIUS = 5.5


@dataclass(frozen=True)
class Layout:
    """Columns of a forest plot in pixels: titles, the plot, numbers and grades."""

    width: float
    size: float
    left: float
    right: float
    title_width: float
    is_stacked: bool
    """Whether titles are above their lines, as on a phone."""


_LAYOUTS = {
    WIDE: Layout(WIDE, 13.0, 330, 704, 312, is_stacked=False),
    NARROW: Layout(NARROW, 12.5, 8, 332, 324, is_stacked=True),
}


@dataclass(frozen=True)
class ControlPoint:
    """The effect under a control: `kind` is ``frequency`` or ``anisotropy``."""

    kind: str
    x: float
    y: float
    reverses: bool


@dataclass(frozen=True)
class Point:
    """An effect of a source: its place, its interval, and its numbers in words."""

    x: float
    y: float
    low: float | None
    high: float | None
    is_filled: bool
    series: int
    source: str
    numbers: str
    grade: str
    controls: tuple[ControlPoint, ...]


@dataclass(frozen=True)
class TestRow:
    """A test: the lines of its title, its effects and the published effect."""

    lines: tuple[tuple[float, str], ...]
    points: tuple[Point, ...]
    published: tuple[float, float] | None
    """Place of the published effect."""


@dataclass(frozen=True)
class Topic:
    """A heading with the tests below it."""

    title: str
    y: float
    rows: tuple[TestRow, ...]


@dataclass(frozen=True)
class LegendItem:
    """A mark of the legend with its place and text."""

    kind: str
    x: float
    y: float
    text: str
    series: int = 0


@dataclass(frozen=True)
class Forest:
    """A forest plot at one width; all lengths are in pixels."""

    layout: Layout
    height: float
    top: float
    topics: tuple[Topic, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float
    legend: tuple[LegendItem, ...]
    has_sources: bool


def lay_out_forest(
    tests: Sequence[TestBySource], names: Mapping[str, str], width: float = WIDE
) -> Forest:
    """Place the effects of association tests by topic, with a legend.

    Parameters
    ----------
    tests
        Association tests in the order of the report, with their results on each source.
    names
        Short name of each source.
    width
        `WIDE` or `NARROW`.

    Returns
    -------
    Forest
        Controls, whose answer is known, are the last topic. A dot is filled if p ≤ 0.05 after
        correction; marks of the same effect under controls are on the same line.
    """
    layout = _LAYOUTS[width]
    tests = [test for test in tests if test.done]
    sources = [name for name in names if any(name in test.done for test in tests)]
    low, high = pad_range([0.0, *_values(tests)], 0.03)
    span = layout.right - layout.left

    def place(value: float) -> float:
        return layout.left + (value - low) / (high - low) * span

    legend, top = _legend(layout, tests, [names[name] for name in sources])
    topics, y = [], top + 26
    for dimension in dict.fromkeys(test.any.dimension for test in tests):
        heading, rows = y + 19, []
        y += _HEADING
        for test in (test for test in tests if test.any.dimension == dimension):
            row, y = _row(test, sources, names, layout, y, place)
            rows.append(row)
        title = CONTROLS_TITLE if dimension == CONTROL else dimension_title(dimension)
        topics.append(Topic(title, heading, tuple(rows)))
    ticks = tuple((place(value), numbers.plain(value)) for value in nice_ticks(low, high))
    return Forest(layout, y + 4, top, tuple(topics), ticks, place(0.0), legend, len(sources) > 1)


def _values(tests: Iterable[TestBySource]) -> list[float]:
    values: list[float | None] = []
    for test in tests:
        values.append(test.any.published_value)
        for result in test.done.values():
            ends = result.main_interval
            values += [result.main_value, *((ends.low, ends.high) if ends else ())]
            values += [control.effect for control in result.controls]
    return [value for value in values if value is not None and math.isfinite(value)]


def _row(
    test: TestBySource,
    sources: Sequence[str],
    names: Mapping[str, str],
    layout: Layout,
    top: float,
    place: Any,
) -> tuple[TestRow, float]:
    """Place a test below `top`; return it with the y at which the next one begins."""
    title = spell(test.title, mask=True, phrase=False) if len(test.title) > 400 else test.title
    lines = wrap_text(title, layout.title_width, layout.size * _WIDTH_ALLOWANCE)[:3]
    title_height = _LINE * len(lines)
    done = [name for name in sources if name in test.done]
    has_sources = len(sources) > 1
    first = top + _LINE * 0.75
    baselines = tuple((first + _LINE * index, line) for index, line in enumerate(lines))
    # Sources are named under the title; with one source, its effect is level with the title.
    start = top + title_height if layout.is_stacked or has_sources else top
    offset = 0.5 * _SOURCE_LINE
    if not layout.is_stacked and not has_sources:
        offset = title_height / 2
    if layout.is_stacked:
        offset += _SOURCE_LINE  # the numbers are between title and line
    pitch = 2 * _SOURCE_LINE if layout.is_stacked else _SOURCE_LINE
    points = tuple(
        _point(test.done[name], names[name], sources.index(name), start + offset + k * pitch, place)
        for k, name in enumerate(done)
    )
    end = max(start + pitch * len(done), top + title_height)
    effect, published = test.any.published_value, None
    if effect is not None and math.isfinite(effect) and points:
        published = (place(effect), points[0].y)
    return TestRow(baselines, points, published), end + _ROW_GAP


def _point(result: Any, source: str, series: int, y: float, place: Any) -> Point:
    ends = result.main_interval
    text = numbers.effect(result.main_value)
    if ends is not None:
        text += f" ({numbers.interval(ends.low, ends.high)})"
    controls = tuple(
        ControlPoint(
            "frequency" if "frequency" in control.name else "anisotropy",
            place(control.effect),
            y,
            reverses=is_reversing(result.finding) and control.effect * result.main_value < 0,
        )
        for control in result.controls
        if control.effect is not None and math.isfinite(control.effect)
    )
    return Point(
        place(result.main_value),
        y,
        None if ends is None else place(ends.low),
        None if ends is None else place(ends.high),
        result.p_finding is None or result.p_finding <= ALPHA,
        series % len(style.SERIES),
        source,
        text,
        result.finding.grade,
        controls,
    )


def _legend(
    layout: Layout, tests: Sequence[TestBySource], sources: Sequence[str]
) -> tuple[tuple[LegendItem, ...], float]:
    """The marks that the plot has, in lines as wide as the plot; and the height of the legend."""
    results = [result for test in tests for result in test.done.values()]
    entries = [("filled", f"p ≤ {ALPHA:g}, corrected", 0), ("hollow", "not significant", 0)]
    if any(result.main_interval for result in results):
        entries.append(("interval", "95 % interval", 0))
    if any(test.any.published_value is not None for test in tests):
        entries.append(("published", "published", 0))
    kinds = {
        "frequency" if "frequency" in control.name else "anisotropy"
        for result in results
        for control in result.controls
        if control.effect is not None
    }
    labels = {"frequency": "without frequency", "anisotropy": "without anisotropy"}
    entries += [(kind, text, 0) for kind, text in labels.items() if kind in kinds]
    if len(sources) > 1:
        entries += [("series", name, k % len(style.SERIES)) for k, name in enumerate(sources)]
    items, x, y = [], 8.0, 12.0
    for kind, text, series in entries:
        needed = 22 + width_in_ems(text) * layout.size * _WIDTH_ALLOWANCE + 16
        if x > 8 and x + needed > layout.width:
            x, y = 8.0, y + 20
        items.append(LegendItem(kind, x, y, text, series))
        x += needed
    return tuple(items), y + 14
