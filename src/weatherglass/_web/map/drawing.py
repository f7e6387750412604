"""The picture of a map that the server draws: marked words with labels, at one size.

Both coordinates have the same scale, so that distances mean the same in every direction. The script
takes over the same picture, so nothing moves when it arrives.
"""

from __future__ import annotations

from dataclasses import dataclass

from weatherglass.report import place_labels

from .projection import Bounds
from .question import Layout, Mark, SourceMap

WIDE, HALF, NARROW = (900.0, 600.0), (660.0, 560.0), (340.0, 380.0)
"""Width and height in pixels: on a large screen, there next to another map, and on a phone."""

MARGIN = 34.0
"""Pixels around the window of the words, for the names of the axes."""

LETTER_SIZE = {WIDE: 13.0, HALF: 13.0, NARROW: 12.0}
MAX_MARKS = 300
"""How many words are marked in the picture; the table has them all."""


@dataclass(frozen=True)
class View:
    """How coordinates become pixels: the centre of the window, and pixels per unit."""

    x: float
    y: float
    zoom: float
    width: float
    height: float

    def to_pixels(self, place: tuple[float, float]) -> tuple[float, float]:
        """Return the pixels of coordinates, from the left and from the top.

        >>> View(0, 0, 100, 400, 300).to_pixels((1, 1))
        (300.0, 50.0)
        """
        x, y = place
        return (
            round(self.width / 2 + (x - self.x) * self.zoom, 1),
            round(self.height / 2 - (y - self.y) * self.zoom, 1),
        )


@dataclass(frozen=True)
class DrawnMark:
    """A mark in pixels; `label` has the left edge and the baseline, from its point, if it fits.

    A word without a place in this layout is hidden until a script switches to another.
    """

    mark: Mark
    x: float
    y: float
    label: tuple[float, float] | None
    is_hidden: bool = False


@dataclass(frozen=True)
class Drawing:
    """A picture at one size; `zero` are the pixels of the origin."""

    name: str
    width: float
    height: float
    size: float
    zero: tuple[float, float]
    marks: tuple[DrawnMark, ...]


def fit_view(bounds: Bounds, width: float, height: float) -> View:
    """Return the view that shows a window whole, with the same scale on both axes.

    >>> fit_view((-1, 1, -0.5, 0.5), 268, 268).zoom
    100.0
    """
    left, right, low, high = bounds
    across, up = max(right - left, 1e-6), max(high - low, 1e-6)
    zoom = min((width - 2 * MARGIN) / across, (height - 2 * MARGIN) / up)
    return View((left + right) / 2, (low + high) / 2, zoom, width, height)


def draw_map(drawn: SourceMap, layout: Layout, size: tuple[float, float]) -> Drawing:
    """Lay out the picture of a map at a size in pixels."""
    width, height = size
    layout = layout if layout in drawn.bounds else "components"
    view = fit_view(drawn.bounds[layout], width, height)
    marks = drawn.marks[:MAX_MARKS]
    placed = [(mark, place) for mark in marks if (place := mark.at(layout)) is not None]
    points = [view.to_pixels(place) for _, place in placed]
    letters = LETTER_SIZE[size]
    texts = [mark.text for mark, _ in placed]
    labels = place_labels(points, texts, width=width, height=height, size=letters)
    # `place_labels` counts from the top of a label, and SVG from the baseline of its letters.
    places = {
        label.index: (
            round(label.left - points[label.index][0], 1),
            round(label.top + 0.92 * letters - points[label.index][1], 1),
        )
        for label in labels
    }
    return Drawing(
        "narrow" if size == NARROW else "wide",
        width,
        height,
        letters,
        view.to_pixels((0.0, 0.0)),
        (
            *(
                DrawnMark(mark, *points[index], places.get(index))
                for index, (mark, _) in enumerate(placed)
            ),
            *(
                DrawnMark(mark, 0.0, 0.0, None, is_hidden=True)
                for mark in marks
                if mark.at(layout) is None
            ),
        ),
    )
