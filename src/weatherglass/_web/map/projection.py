"""Words in a plane: on two principal components, or on two axes between word sets.

Both are projections of unit vectors u: (u - centre) · direction. An axis from set B to set A has
the direction (mean(A) - mean(B)) / length, with means of unit vectors, and no centre, so that a
coordinate is the cosine of the word with the axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.measures import find_words
from weatherglass.vectors import Vectors, order_by_frequency, row_blocks, unit_rows

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Bounds = tuple[float, float, float, float]
"""The left, right, lower and upper end of a window."""

MAX_POINTS = 50_000
"""How many of the most frequent words are drawn."""

SCALE = 2 / 32767
"""The unit of coordinates that are sent as 16-bit integers: no two unit vectors are more than 2
apart."""

CLOUD_SHARE = 0.995
"""The window of a map has at least this share of the words on each side of each coordinate."""

MIN_AXIS_LENGTH = 1e-6
"""Two means that are closer than this, in unit vectors, have no direction between them."""


@dataclass(frozen=True, eq=False)
class Projection:
    """A projection into a plane: `centre` has shape (dim,) and `directions` (dim, 2).

    `shares` are the shares of the variance on two principal components; empty for axes.
    """

    centre: Floats
    directions: Floats
    shares: tuple[float, ...] = ()

    def place(self, units: Floats) -> Floats:
        """Return the coordinates of unit vectors, one row each."""
        placed: Floats = (units - self.centre) @ self.directions
        return placed


def frequent_positions(vectors: Vectors) -> Positions:
    """Return the positions of the most frequent words that have a direction."""
    order = order_by_frequency(vectors)
    # Sources may have unusable rows anywhere; leave them out of the first words only.
    order = order[: MAX_POINTS + len(vectors.unusable)]
    return order[~np.isin(order, vectors.unusable)][:MAX_POINTS]


def fit_components(vectors: Vectors, positions: Positions) -> Projection:
    """Fit the first two principal components of unit vectors.

    The sign of a component is arbitrary: its largest loading is positive here, so that the map is
    the same each time.

    >>> vectors = Vectors.of(["a", "b", "c", "d"], [[1, 0], [-1, 0], [1, 0.1], [-1, 0.1]])
    >>> fit_components(vectors, np.arange(4)).directions.round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    dim, count = vectors.dim, max(1, len(positions))
    total, products = np.zeros(dim), np.zeros((dim, dim))
    for rows in row_blocks(len(positions)):
        units = unit_rows(vectors, positions[rows])
        total += units.sum(axis=0)
        products += units.T @ units
    centre = total / count
    values, loadings = np.linalg.eigh(products / count - np.outer(centre, centre))
    values, loadings = np.maximum(values[::-1], 0), loadings[:, ::-1]
    directions = np.zeros((dim, 2))
    directions[:, : min(2, dim)] = loadings[:, :2]
    largest = np.abs(directions).argmax(axis=0)
    directions *= np.where(directions[largest, [0, 1]] < 0, -1.0, 1.0)
    variance = float(values.sum()) or 1.0
    return Projection(centre, directions, tuple(float(value) / variance for value in values[:2]))


@dataclass(frozen=True, eq=False)
class Pole:
    """One end of an axis: its words that the source has, their unit vectors, and the others."""

    words: tuple[str, ...]
    units: Floats
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class WordAxis:
    """An axis from the pole `low` to the pole `high`."""

    high: Pole
    low: Pole

    @property
    def difference(self) -> Floats:
        """The difference of the mean unit vectors."""
        difference: Floats = self.high.units.mean(axis=0) - self.low.units.mean(axis=0)
        return difference

    @property
    def length(self) -> float:
        """The length of the difference."""
        return float(np.linalg.norm(self.difference))

    def contributions(self, unit: Floats) -> list[Contribution]:
        """Return what each seed word contributes to the coordinate of a word, highest first.

        The coordinate is cos(u, d) with d = mean(A) - mean(B), which is the sum over a in A of
        cos(u, a) / (\\|A\\| \\|\\|d\\|\\|) minus the same sum over b in B.
        """
        contributions = []
        for pole, sign in ((self.high, 1), (self.low, -1)):
            cosines = pole.units @ unit
            weight = sign / (len(pole.words) * self.length)
            contributions += [
                Contribution(word, sign > 0, float(cosine), float(cosine * weight))
                for word, cosine in zip(pole.words, cosines, strict=True)
            ]
        return sorted(contributions, key=lambda each: -each.value)


@dataclass(frozen=True)
class Contribution:
    """What a seed word adds to the coordinate of a word: its cosine, and its signed share."""

    seed: str
    is_high: bool
    cosine: float
    value: float


def find_axis(vectors: Vectors, high: Sequence[str], low: Sequence[str]) -> WordAxis:
    """Look up the poles of an axis.

    Raises
    ------
    CannotMeasure
        The source has no word of a pole, or both poles have the same mean.
    """
    poles = []
    for words in (high, low):
        lookup = find_words(vectors, words, "auto")
        if not lookup.words:
            raise CannotMeasure(f"{vectors.source} has none of these words: {', '.join(words)}.")
        poles.append(Pole(lookup.words, lookup.rows, lookup.missing))
    axis = WordAxis(*poles)
    if axis.length < MIN_AXIS_LENGTH:
        raise CannotMeasure("Both ends of an axis have the same mean, so there is no direction.")
    return axis


def project_on_axes(axes: Sequence[WordAxis]) -> Projection:
    """Return the projection whose coordinates are cosines with two axes."""
    directions = np.column_stack([axis.difference / axis.length for axis in axes])
    return Projection(np.zeros(len(directions)), directions)


def project_words(vectors: Vectors, positions: Positions, projection: Projection) -> Floats:
    """Return the coordinates of words, computed block by block."""
    placed = np.empty((len(positions), 2))
    for rows in row_blocks(len(positions)):
        placed[rows] = projection.place(unit_rows(vectors, positions[rows]))
    return placed


def find_bounds(coordinates: Floats) -> Bounds:
    """Return the window that holds nearly all points.

    >>> find_bounds(np.array([[0.0, 1.0], [2.0, 3.0]]))
    (0.01, 1.99, 1.01, 2.99)
    """
    if not len(coordinates):
        return (-1.0, 1.0, -1.0, 1.0)
    low, high = np.quantile(coordinates, (1 - CLOUD_SHARE, CLOUD_SHARE), axis=0).round(9).tolist()
    return (low[0], high[0], low[1], high[1])


def encode_coordinates(coordinates: Floats) -> bytes:
    """Return coordinates as little-endian 16-bit integers in units of `SCALE`, x before y.

    >>> encode_coordinates(np.array([[2.0, -2.0]])).hex()
    'ff7f0180'
    """
    return np.rint(coordinates / SCALE).clip(-32767, 32767).astype("<i2").tobytes()
