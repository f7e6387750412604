"""Frequency control: recolour the vectors so that rare and frequent words are distributed alike.

In most embeddings frequent and rare words have different directions, and the directions of one
band of frequencies vary more, and along other axes, than those of another. Words can then seem
related because they are about equally frequent. The control maps the mean and the covariance of
the unit vectors at each frequency to the average ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import map_in_order

from .anisotropy import RowMap, Rows, powers_of_covariance
from .vectors import Floats, Positions, Vectors, row_blocks

KNOTS = 16  # eight leave boosted trees an R² of 0.15 on `default`; 32 change nothing
FIRST_RANK = 50  # of the first knot; more frequent words are mapped as those at this rank
HALF_WIDTH = 1.5  # of the triangle of weights around a knot, in knots
MAX_ROWS_PER_KNOT = 20_000
MIN_DISTINCT_COUNTS = 6  # fewer cannot order the words


def order_by_frequency(vectors: Vectors) -> Positions:
    """Return the positions of all words, most frequent first: by count, or else in file order."""
    if vectors.counts is None:
        return np.arange(len(vectors), dtype=np.intp)
    return np.argsort(-vectors.counts, kind="stable")


def informative_counts(vectors: Vectors) -> NDArray[np.int64] | None:
    """Return the counts, if the source has them and enough of them differ."""
    counts = vectors.counts
    if counts is None:
        return None
    distinct = len(np.unique(np.delete(counts, vectors.unusable)))
    return counts if distinct >= MIN_DISTINCT_COUNTS else None


@dataclass(frozen=True, eq=False)
class WordFrequencies:
    """The frequencies of all words.

    Attributes
    ----------
    log
        Log frequency, up to a constant.
    rank
        The rank by frequency, from 1; words of the same count share their mean rank.
    order
        The positions of usable words, most frequent first.
    """

    log: Floats
    rank: Floats
    order: Positions

    @classmethod
    def of(cls, vectors: Vectors) -> WordFrequencies:
        counts = informative_counts(vectors)
        if counts is None:
            rank = np.arange(1, len(vectors) + 1, dtype=np.float64)
            log = -np.log(rank)
        else:
            log = np.log(np.maximum(counts, 0.5))  # a count of 0 is taken as 0.5
            _, group, size = np.unique(-counts, return_inverse=True, return_counts=True)
            rank = (np.cumsum(size) - (size - 1) / 2).astype(np.float64)[group]
        is_usable = np.ones(len(vectors), dtype=bool)
        is_usable[vectors.unusable] = False
        usable = np.flatnonzero(is_usable)
        return cls(log, rank, usable[np.argsort(rank[usable], kind="stable")])


@dataclass(frozen=True, eq=False)
class Recolouring(RowMap):
    """The map of rows by their words' log rank.

    Attributes
    ----------
    place
        Where each word is between the knots: 3.25 is a quarter of the way from knot 3 to knot 4.
    means
        μ of each knot.
    maps
        A = Σ^(-1/2) Σ̄^(1/2) of each knot, next to that of the following knot: D × 2D numbers.
    """

    place: Floats
    means: Floats
    maps: Floats

    def apply(self, rows: Floats, positions: Positions) -> Floats:
        """Return (1 - f)(v - μ)A_k + f(v - μ)A_{k+1} of each row v, not normalised.

        f is the fraction of the way from knot k to the next, and μ is interpolated likewise.
        """
        knot = np.minimum(self.place[positions].astype(np.intp), len(self.maps) - 1)
        fraction = (self.place[positions] - knot)[:, None]
        dim = rows.shape[1]
        mapped = np.empty_like(rows)
        for k in np.unique(knot):
            here = np.flatnonzero(knot == k)
            f = fraction[here]
            centred = rows[here] - ((1 - f) * self.means[k] + f * self.means[k + 1])
            both = centred @ self.maps[k]
            mapped[here] = (1 - f) * both[:, :dim] + f * both[:, dim:]
        return mapped


def fit_recolouring(
    rows: Rows, frequencies: WordFrequencies, dim: int, workers: int
) -> Recolouring:
    """Fit the means and covariances of unit vectors at each frequency.

    Parameters
    ----------
    rows
        A function that returns the unit rows at positions.
    frequencies
        How frequent each word is.
    dim
        The number of dimensions D.
    workers
        Threads; the result does not depend on their number.

    Notes
    -----
    16 knots are equally spaced in log rank, from log 50 to the log of the largest rank. μ and Σ of
    a knot are the weighted mean and covariance of the rows around it: the weight is a triangle of
    half-width 1.5 knots, times 1 / max(rank, 2D), so that every range of log rank has about the
    same influence; of more than 20,000 rows around a knot, 20,000 at equal distances are used. Σ̄
    is the mean of Σ over knots. Each Σ is shrunk towards Σ̄ tr Σ / tr Σ̄ with the weight
    D / (n + D), where n = 1 / Σw² is the effective number of its rows.
    """
    rank = frequencies.rank[frequencies.order]
    knots = np.linspace(np.log(min(FIRST_RANK, rank[-1] / 2)), np.log(rank[-1]), KNOTS)
    step = knots[1] - knots[0]
    place = np.clip((np.log(frequencies.rank) - knots[0]) / step, 0, KNOTS - 1)
    ordered = place[frequencies.order]

    def moments(k: int) -> tuple[float, Floats, Floats]:
        first, last = np.searchsorted(ordered, [k - HALF_WIDTH, k + HALF_WIDTH], side="left")
        count = int(last - first)
        # Words that share a rank, and with it a place, may leave a knot without a word of its own.
        if not count:
            first = min(int(np.searchsorted(ordered, k)), len(ordered) - 1)
            count = 1
        chosen = first + (
            np.arange(count)
            if count <= MAX_ROWS_PER_KNOT
            else np.linspace(0, count - 1, MAX_ROWS_PER_KNOT).astype(np.intp)
        )
        weight = np.maximum(1 - np.abs(ordered[chosen] - k) / HALF_WIDTH, 1e-12)
        weight /= np.maximum(rank[chosen], 2 * dim)
        weight /= weight.sum()
        mean, squares = np.zeros(dim), np.zeros((dim, dim))
        for block in row_blocks(len(chosen)):
            near = rows(frequencies.order[chosen[block]])
            mean += weight[block] @ near
            squares += (near * weight[block, None]).T @ near
        return 1 / float(weight @ weight), mean, squares - np.outer(mean, mean)

    fitted = list(map_in_order(moments, range(KNOTS), workers))
    average = np.mean([covariance for _, _, covariance in fitted], axis=0)
    (root,) = powers_of_covariance(average, 0.5)
    trace = max(float(np.trace(average)), np.finfo(float).tiny)
    maps = []
    for size, _, covariance in fitted:
        share = dim / (size + dim)
        target = average * (np.trace(covariance) / trace)
        (inverse,) = powers_of_covariance((1 - share) * covariance + share * target, -0.5)
        maps.append(inverse @ root)
    return Recolouring(
        place,
        np.stack([mean for _, mean, _ in fitted]),
        np.stack([np.hstack(pair) for pair in pairwise(maps)]),
    )
