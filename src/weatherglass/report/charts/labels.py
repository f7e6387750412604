"""Names beside points: as many as there is room for, none on another, on a point or over the edge.

The outermost points are named first, because they are what a reader asks for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The widths of Arial's letters in ems, by and large: what font will draw them is not known here.
_WIDTHS = {0.24: "ijl'’|", 0.3: "ft .,:;!()[]", 0.36: "r-*", 0.51: "ckszvxyJ", 0.85: "mwMW@%"}


def wrap_text(text: str, width: float, size: float) -> list[str]:
    """The lines of a text at a width and a font size in pixels; a word that is too long is broken.

    >>> wrap_text("aggravated robbery", 80, 10.5), wrap_text("extraordinarily", 50, 10.5)
    (['aggravated', 'robbery'], ['extraordi-', 'narily'])
    """
    room = width / size
    lines = [""]
    for part in text.split():
        line = f"{lines[-1]} {part}".strip()
        if width_in_ems(line) <= room:
            lines[-1] = line
            continue
        lines = lines if lines[-1] else []
        while width_in_ems(part) > room and len(part) > 3:
            fits = sum(width_in_ems(part[: k + 1] + "-") <= room for k in range(len(part)))
            fits = max(1, min(fits, len(part) - 3))  # no line of one or two letters
            lines.append(part[:fits] + "-")
            part = part[fits:]
        lines.append(part)
    return lines


def width_in_ems(text: str) -> float:
    """How wide a text is, in ems.

    >>> width_in_ems("il") < width_in_ems("mw")
    True
    """
    return sum(map(_letter, text))


def _letter(letter: str) -> float:
    for width, letters in _WIDTHS.items():
        if letter in letters:
            return width
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return 0.7 if letter.isupper() else 0.57


GAP = 6.0
"""From the middle of a point to its name, in pixels."""

_RADIUS, _AIR = 4.0, 1.5
# Which side of the point the name is on: right, left, above, below, and the corners between.
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))

Boxes = NDArray[np.float64]


@dataclass(frozen=True)
class Label:
    """A name that has a place: of the point `at`, its left edge, its middle, its width."""

    at: int
    left: float
    middle: float
    width: float
    height: float


def place_labels(
    points: Sequence[tuple[float, float]],
    names: Sequence[str],
    *,
    width: float,
    height: float,
    size: float = 11,
) -> list[Label]:
    """Find places for the names of points.

    Parameters
    ----------
    points
        Pixels from the left and from the top of a picture.
    names
        What each is called; a point without a name stays without one.
    width, height
        Of the picture, in pixels.
    size
        Of the letters, in pixels.

    Returns
    -------
    list of Label
        The names that have a place, in the order in which they found it. No name touches another
        one or a point that is not its own, and all are inside the picture.

    Examples
    --------
    >>> found = place_labels([(10, 50), (14, 50)], ["left", "right"], width=100, height=100, size=10)
    >>> [(one.at, one.left > 14) for one in found]
    [(0, False), (1, True)]
    """
    where = np.array(points, dtype=float).reshape(-1, 2)
    if not len(where):
        return []
    dots = np.column_stack([where - _RADIUS, where + _RADIUS])
    far = np.hypot(*((where - np.median(where, axis=0)) / (width, height)).T)
    taken: Boxes = np.empty((0, 4))
    made = []
    for at in np.argsort(-far, kind="stable").tolist():
        if not names[at]:
            continue
        others = np.delete(dots, at, axis=0)
        x, y = where[at].tolist()
        for box in _boxes(x, y, width_in_ems(names[at]) * size, 1.15 * size):
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if inside and not _touches(box, others) and not _touches(box, taken):
                taken = np.vstack([taken, box])
                left, top, right, bottom = box.tolist()
                made.append(Label(at, left, (top + bottom) / 2, right - left, bottom - top))
                break
    return made


def _boxes(x: float, y: float, width: float, height: float) -> list[Boxes]:
    """The places beside a point that a name may have, the best first."""
    made = []
    for across, down in _SIDES:
        reach = GAP if not (across and down) else 0.6 * GAP
        left = x + across * (reach + width / 2) - width / 2
        top = y + down * (reach + height / 2) - height / 2
        made.append(np.array([left, top, left + width, top + height]))
    return made


def _touches(box: Boxes, others: Boxes) -> bool:
    left, top, right, bottom = box + np.array([-_AIR, -_AIR, _AIR, _AIR])
    apart = (
        (others[:, 2] <= left)
        | (others[:, 0] >= right)
        | (others[:, 3] <= top)
        | (others[:, 1] >= bottom)
    )
    return bool((~apart).any())
