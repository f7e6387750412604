"""Labels of points: as many as fit at the width of the chart, without overlaps.

Every chart that writes words next to points places them here. The outermost points are labelled
first, because they are the ones a reader looks for.
"""

from __future__ import annotations

import functools
import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Approximate widths of Arial's letters in ems: the font that will draw them is not known here.
_LETTER_WIDTHS = {
    0.24: "ijl'’|",
    0.3: "ft .,:;!()[]",
    0.36: "r-*",
    0.51: "ckszvxyJ",
    0.85: "mwMW@%",
}


def wrap_text(text: str, width: float, size: float) -> list[str]:
    """Break text into lines at a width and a font size in pixels; words too long are hyphenated.

    >>> wrap_text("aggravated robbery", 80, 10.5), wrap_text("extraordinarily", 50, 10.5)
    (['aggravated', 'robbery'], ['extraordi-', 'narily'])
    """
    room = width / size
    lines = [""]
    for word in text.split():
        line = f"{lines[-1]} {word}".strip()
        if width_in_ems(line) <= room:
            lines[-1] = line
            continue
        lines = lines if lines[-1] else []
        while width_in_ems(word) > room and len(word) > 3:
            fitting = sum(width_in_ems(word[: k + 1] + "-") <= room for k in range(len(word)))
            fitting = max(1, min(fitting, len(word) - 3))  # no line of one or two letters
            lines.append(word[:fitting] + "-")
            word = word[fitting:]
        lines.append(word)
    return lines


@functools.lru_cache(16384)
def width_in_ems(text: str) -> float:
    """The width of a text as a multiple of its font size.

    >>> width_in_ems("il") < width_in_ems("mw")
    True
    """
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    for width, letters in _LETTER_WIDTHS.items():
        if letter in letters:
            return width
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.7 if letter.isupper() else 0.57


LINE_HEIGHT = 1.15
"""Height of a label as a multiple of its font size."""

_LINE_STEP = 2.0  # pixels between the boxes that cover a line, and their size
_POINT_RADIUS, _CLEARANCE, _GAP = 4.0, 1.5, 6.0  # pixels; the gap is from a point's centre
# The sides of a point where its label may be: right, left, above, below, then the corners.
_FAR_CLEARANCE = 7.0  # of a label with a line to its point, from other points
_FAR_GAPS = (14.0, 22.0, 32.0)
_MAX_GAP_WITHOUT_LEADER = 8.0  # from the centre of a point to its label
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))

Boxes = NDArray[np.float64]
"""Rows of left, top, right and bottom, in pixels."""

Positions = Callable[[float, float, float, float], list[tuple[float, float]]]
"""Left and top of a label at each place it may have, best first, from the point's x and y and the
label's width and height."""


@dataclass(frozen=True)
class Label:
    """A label with a place: the index of its point, and its box in pixels."""

    index: int
    left: float
    top: float
    width: float
    height: float

    def leader_from(self, x: float, y: float) -> list[tuple[float, float]]:
        """The ends of the line from its point to the label; none if the label is next to it."""
        end = (
            min(max(x, self.left), self.left + self.width),
            min(max(y, self.top), self.top + self.height),
        )
        distance = math.hypot(end[0] - x, end[1] - y)
        return [(x, y), end] if distance > _MAX_GAP_WITHOUT_LEADER else []

    @property
    def middle(self) -> float:
        """The vertical middle."""
        return self.top + self.height / 2

    @property
    def centre(self) -> float:
        """The horizontal middle."""
        return self.left + self.width / 2


def place_around(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    """The places on all sides of a point."""
    return _ring(x, y, width, height, _GAP)


def place_near(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    """The places on all sides of a point, then others further away, which need a line to it."""
    rings = [_ring(x, y, width, height, gap) for gap in (_GAP, *_FAR_GAPS)]
    return [place for ring in rings for place in ring]


def _ring(x: float, y: float, width: float, height: float, gap: float) -> list[tuple[float, float]]:
    places = []
    for across, down in _SIDES:
        distance = gap if not (across and down) else 0.6 * gap
        left = x + across * (distance + width / 2) - width / 2
        top = y + down * (distance + height / 2) - height / 2
        places.append((left, top))
    return places


def stack_above(levels: int, *, gap: float, pitch: float, chart_width: float) -> Positions:
    """The places above a point, a `pitch` apart, shifted sideways where the chart ends."""

    def places(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
        left = min(max(0.0, x - width / 2), max(0.0, chart_width - width))
        return [(left, y - gap - height - level * pitch) for level in range(levels)]

    return places


def place_labels(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    *,
    width: float,
    height: float,
    size: float = 11,
    positions: Positions = place_around,
    line: Sequence[tuple[float, float]] = (),
) -> list[Label]:
    """Place the labels of points, at the size at which the chart is drawn.

    Parameters
    ----------
    points
        Pixels from the left and from the top of the chart.
    names
        The text of each label; a point with an empty text gets none.
    width, height
        Size of the chart, in pixels.
    size
        Font size, in pixels.
    positions
        Where a label may be: on all sides of its point, or stacked above it (`stack_above`).
    line
        The ends of a straight line that no label may touch, such as a regression line.

    Returns
    -------
    list of Label
        The labels that fit, in the order in which they were placed. No label touches another, or a
        point other than its own, and all are inside the chart.

    Examples
    --------
    >>> points = [(10, 50), (14, 50)]
    >>> labels = place_labels(points, ["left", "right"], width=100, height=100, size=10)
    >>> [(label.index, label.left > 14) for label in labels]
    [(0, False), (1, True)]
    """
    centres = np.array(points, dtype=float).reshape(-1, 2)
    if not len(centres):
        return []
    dots = np.column_stack([centres - _POINT_RADIUS, centres + _POINT_RADIUS])
    distances = np.hypot(*((centres - np.median(centres, axis=0)) / (width, height)).T)
    placed: Boxes = _cover_line(line)
    boxes: Boxes = np.empty((0, 4))  # of labels alone: a line to a label may cross `line`
    labels = []
    for index in np.argsort(-distances, kind="stable").tolist():
        if not names[index]:
            continue
        other_dots = np.delete(dots, index, axis=0)
        x, y = centres[index].tolist()
        label_width, label_height = width_in_ems(names[index]) * size, LINE_HEIGHT * size
        for left, top in positions(x, y, label_width, label_height):
            label = Label(index, left, top, label_width, label_height)
            box = np.array([left, top, left + label_width, top + label_height])
            is_inside = left >= 0 and top >= 0 and box[2] <= width and box[3] <= height
            leader = _cover_line(label.leader_from(x, y) if positions is place_near else ())
            # A label that is far from its point must not seem to belong to another one.
            clearance = _FAR_CLEARANCE if len(leader) else _CLEARANCE
            is_free = not _touches(box, other_dots, clearance) and not _touches(box, placed)
            if is_inside and is_free and not _any_touches(leader, other_dots, boxes):
                placed = np.vstack([placed, box, leader])
                boxes = np.vstack([boxes, box])
                labels.append(label)
                break
    return labels


def _cover_line(ends: Sequence[tuple[float, float]]) -> Boxes:
    """Return small boxes along a line, so that labels keep off it as they keep off each other."""
    if not ends:
        return np.empty((0, 4))
    first, last = np.array(ends, dtype=float)
    steps = np.linspace(0, 1, 2 + int(np.hypot(*(last - first)) / _LINE_STEP))[:, None]
    middles = first + steps * (last - first)
    return np.column_stack([middles - _LINE_STEP / 2, middles + _LINE_STEP / 2])


def _any_touches(parts: Boxes, dots: Boxes, boxes: Boxes) -> bool:
    """Return whether the line to a label touches another point or another label."""
    return any(_touches(part, dots) or _touches(part, boxes) for part in parts)


def _touches(box: Boxes, others: Boxes, clearance: float = _CLEARANCE) -> bool:
    left, top, right, bottom = box + np.array([-1, -1, 1, 1]) * clearance
    is_apart = (
        (others[:, 2] <= left)
        | (others[:, 0] >= right)
        | (others[:, 3] <= top)
        | (others[:, 1] >= bottom)
    )
    return bool((~is_apart).any())


@dataclass(frozen=True)
class PlacedLabel:
    """The label of a point in a scatter plot, in the units of its axes.

    `x` is its left edge and `y` its middle; `leader` has the ends of the line to its point, if the
    label is not next to it.
    """

    index: int
    x: float
    y: float
    leader: list[tuple[float, float]]


def place_on_axes(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    domains: Sequence[Sequence[float]],
    width: float,
    height: float,
    size: float,
    line: Sequence[tuple[float, float]] = (),
    positions: Positions = place_around,
) -> list[PlacedLabel]:
    """Place labels of points in a scatter plot, in the units of its axes, off a straight line."""
    (low_x, high_x), (low_y, high_y) = domains
    x_per_pixel, y_per_pixel = (high_x - low_x) / width, (high_y - low_y) / height

    def to_pixels(x: float, y: float) -> tuple[float, float]:
        return (x - low_x) / x_per_pixel, (high_y - y) / y_per_pixel

    pixels = [to_pixels(*point) for point in points]
    labels = place_labels(
        pixels,
        names,
        width=width,
        height=height,
        size=size,
        positions=positions,
        line=[to_pixels(*end) for end in line],
    )
    return [
        PlacedLabel(
            label.index,
            low_x + label.left * x_per_pixel,
            high_y - label.middle * y_per_pixel,
            [
                (low_x + x * x_per_pixel, high_y - y * y_per_pixel)
                for x, y in label.leader_from(*pixels[label.index])
            ],
        )
        for label in labels
    ]
