"""The slope chart of two audits: each effect before and after, by topic, as SVG.

A template draws it narrow and wide, and the style sheet chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from weatherglass.catalog import CONTROL
from weatherglass.findings import ChangeKind, FindingChange

from .. import numbers
from ..audit import dimension_title
from ..charts import pad_range, wrap_text
from .forest import CONTROLS_TITLE

SLOPE_WIDTHS = {"wide": 960.0, "narrow": 340.0}
"""Widths in pixels at which slope charts are drawn."""

_WIDTH_ALLOWANCE = 1.08  # other fonts than Arial are wider
_LINE, _LABEL_GAP, _MIN_HEIGHT, _MARGIN = 17.0, 7.0, 76.0, 20.0
_BEFORE_WIDTH, _LABEL_ROOM = 46.0, 14.0  # for the number on the left, and the line to a label


@dataclass(frozen=True)
class Slope:
    """The line of one test: its ends, whether each is a finding, and its label."""

    kind: ChangeKind
    before: float
    after: float
    is_finding_before: bool
    is_finding_after: bool
    before_text: str
    before_y: float
    label_y: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class SlopeChart:
    """The slopes of one topic, in pixels."""

    title: str
    width: float
    height: float
    size: float
    left: float
    right: float
    label_x: float
    zero: float
    slopes: tuple[Slope, ...]


def lay_out_slopes(
    changes: Sequence[FindingChange], width: float, show_source: bool = False
) -> list[SlopeChart]:
    """Lay out one chart for each social dimension; all have the same scale.

    Parameters
    ----------
    changes
        In the order of dimensions. Tests that only one audit ran have no slope, and neither have
        other measures than association tests: each of them has a scale of its own.
    width
        One of `SLOPE_WIDTHS`.
    show_source
        Whether labels name the source.
    """
    drawn = [
        change
        for change in changes
        if change.delta is not None and change.finding.result.section != "measures"
    ]
    if not drawn:
        return []
    values = [value for change in drawn for value in change.values if value is not None]
    low, high = pad_range([*values, 0.0], 0.0)
    domain = low, high if high > low else low + 1.0
    return [
        _lay_out_topic(dimension, list(group), width, domain, show_source)
        for dimension, group in groupby(drawn, key=lambda change: change.finding.result.dimension)
    ]


def _lay_out_topic(
    dimension: str,
    changes: Sequence[FindingChange],
    width: float,
    domain: tuple[float, float],
    show_source: bool,
) -> SlopeChart:
    is_narrow = width <= SLOPE_WIDTHS["narrow"]
    size = 12.5 if is_narrow else 13.0
    right = 132.0 if is_narrow else 360.0
    label_x = right + _LABEL_ROOM
    room = (width - label_x) / _WIDTH_ALLOWANCE
    labels = [tuple(wrap_text(_label(change, show_source), room, size)) for change in changes]
    heights = [_LINE * len(lines) for lines in labels]
    height = max(_MIN_HEIGHT, sum(heights) + _LABEL_GAP * len(heights)) + 2 * _MARGIN
    low, high = domain

    def y(value: float) -> float:
        return round(_MARGIN + (high - value) / (high - low) * (height - 2 * _MARGIN), 1)

    ends = [(y(change.values[0] or 0.0), y(change.values[1] or 0.0)) for change in changes]
    lefts = _spread([before for before, _ in ends], [_LINE] * len(ends), height, 0.0)
    tops = _spread([after for _, after in ends], heights, height, _LABEL_GAP)
    slopes = tuple(
        Slope(
            change.kind,
            before,
            after,
            bool(change.before and change.before.direction),
            bool(change.after and change.after.direction),
            numbers.effect(change.values[0] or 0.0),
            left,
            top,
            lines,
        )
        for change, (before, after), left, top, lines in zip(
            changes, ends, lefts, tops, labels, strict=True
        )
    )
    title = CONTROLS_TITLE if dimension == CONTROL else dimension_title(dimension)
    return SlopeChart(
        title, width, round(height, 1), size, _BEFORE_WIDTH, right, label_x, y(0.0), slopes
    )


def _label(change: FindingChange, show_source: bool) -> str:
    result = change.finding.result
    text = f"{numbers.effect(change.values[1] or 0.0)} {result.title}"
    return f"{text} ({result.source_name})" if show_source else text


def _spread(
    centres: Sequence[float], heights: Sequence[float], height: float, gap: float
) -> list[float]:
    """Return the tops of labels next to their line ends, without overlap.

    >>> _spread([50.0, 52.0], [17.0, 17.0], 120.0, 7.0)
    [41.5, 65.5]
    """
    order = sorted(range(len(centres)), key=lambda k: centres[k])
    tops = [0.0] * len(centres)
    next_top = 0.0
    for k in order:
        tops[k] = max(next_top, centres[k] - heights[k] / 2)
        next_top = tops[k] + heights[k] + gap
    limit = height
    for k in reversed(order):  # back up what would stand below the chart
        tops[k] = round(min(tops[k], limit - heights[k]), 1)
        limit = tops[k] - gap
    return tops
