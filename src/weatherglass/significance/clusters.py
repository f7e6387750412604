"""The tail of clustered associations, by counting how many targets each cluster gives.

Associations that take a few levels plus a little noise (ratings, near-copies of sentences, the
same word under several spellings) have sums in lumps. A smooth formula does not see the lumps, and
a grid that spans all levels does not resolve the noise, which decides the order within a lump. So:

1. The gaps between neighbouring associations are sorted. Where the ratio of successive gaps is
   largest, the gaps divide into those between clusters and those within.
2. A set is described by its count vector k: k_g targets of each cluster g. Of the C(N, n) sets,
   the product of C(m_g, k_g) have this vector. If the k_g smallest associations of each cluster
   reach the threshold together, all of these sets are in the tail; if the k_g largest do not, none
   is.
3. For the vectors that straddle the threshold, what each target adds beyond the smallest of its
   cluster is rounded to cells, the subsets of each cluster are counted by size and summed cells,
   and the clusters are convolved by a Fourier transform. Sets that reach the threshold for the
   least rounding error are certainly in the tail, and those that miss it for the most error
   certainly outside, as in `bracket`; the value is that for the mean error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tail import Integers, MethodFailed, Tail

Floats = NDArray[np.float64]

MIN_GAP_RATIO = 30.0
"""Associations are clustered if the smallest gap between clusters is this many times as large as
the largest gap within. In samples of continuous distributions such a ratio is rare."""

MAX_CLUSTERS = 9
MAX_NODES = 500_000
MAX_STRADDLING = 4_000
MAX_TARGETS = 1000
"""With more targets the number of subsets can exceed the largest float."""

CELLS = (1 << 14, 1 << 17, 1 << 20)
"""Cells of the first grid, and of those that follow while the bounds are too wide."""

MIN_TARGETS_FINE = 45
"""Targets from which on the last grid is used: fewer are counted in less time."""

MAX_ERROR = 1e-3
"""The bounds may be this far from the value, as a share of it."""

MAX_STEPS = 1_000_000_000
MAX_NUMBERS = 1 << 23
"""Additions, and complex numbers in memory (128 MB), that a grid may take: about a second."""

FOURIER_ERROR = 1e-11
"""Bound of the rounding error of a share from the Fourier transform. A transform of a distribution
is off by at most a few units in the last place times the number of its stages, 17; the product of
nine by nine times that; and the geometric series over all frequencies sum to less than eight."""

ROUNDING = 1e-12
"""Bound of the relative rounding error of sums of products of correctly rounded binomials."""


@dataclass(frozen=True, slots=True)
class Straddling:
    """The count vectors whose sets are on both sides of the threshold, one per row of `vectors`.

    `inside` is the share of all sets that are certainly in the tail, `weights` the share with each
    vector, and `starts` has the first target of each cluster, and the number of targets.
    """

    starts: Integers
    inside: float
    vectors: Integers
    weights: Floats


def find_clusters(values: Integers) -> tuple[float, int]:
    """Return the largest ratio of successive gaps, and into how many clusters it divides `values`.

    `values` are in descending order. They are clustered if the ratio is at least `MIN_GAP_RATIO`.

    Examples
    --------
    >>> find_clusters(np.array([905, 903, 900, 502, 501, 500]))
    (132.66666666666666, 2)
    """
    from .cluster_kernels import split_by_gaps

    ratio, clusters = split_by_gaps(values, MAX_CLUSTERS)
    return float(ratio), int(clusters)


def cluster_shares(tail: Tail, clusters: int) -> tuple[float, float, float]:
    """Return the share of all sets that are in the tail, and its certain bounds.

    Raises `MethodFailed` if there are too many count vectors. The bounds may be wider than
    `MAX_ERROR`, if a grid that is fine enough takes too much time or memory.
    """
    straddling = _list_straddling(tail, clusters)
    low = straddling.inside
    high = low + float(straddling.weights.sum())
    value = (low + high) / 2
    for cells in CELLS if len(tail.values) >= MIN_TARGETS_FINE else CELLS[:-1]:
        if is_narrow(value, low, high):
            break
        try:
            value, *ends = straddling.inside + straddling.weights @ _settle(tail, straddling, cells)
        except MethodFailed:
            break
        low, high = max(low, ends[0]), min(high, ends[1])
        value = min(max(value, low), high)
    return float(value), float(low) * (1 - ROUNDING), min(1.0, float(high) * (1 + ROUNDING))


def is_narrow(value: float, low: float, high: float) -> bool:
    """Whether the bounds say that `value` is within `MAX_ERROR` of the true value."""
    return max(value - low, high - value) <= MAX_ERROR * low


def _list_straddling(tail: Tail, clusters: int) -> Straddling:
    from .cluster_kernels import list_straddling

    targets = len(tail.values)
    if targets > MAX_TARGETS:
        raise MethodFailed
    widest = np.argsort(np.diff(tail.values), kind="stable")[: clusters - 1]
    starts = np.concatenate([[0], np.sort(widest) + 1, [targets]])
    choose = _binomials(np.diff(starts).tolist(), tail.size)
    choose_rest = _binomials((targets - starts).tolist(), tail.size)
    prefix = np.concatenate([[0], np.cumsum(tail.values)])
    inside, vectors, weights, is_complete = list_straddling(
        prefix, starts, choose, choose_rest, tail.size, tail.threshold, MAX_NODES, MAX_STRADDLING
    )
    if not is_complete:
        raise MethodFailed
    partitions = float(tail.partitions)
    return Straddling(starts, inside / partitions, vectors, weights / partitions)


def _binomials(members: list[int], size: int) -> Floats:
    return np.array([[float(math.comb(m, k)) for k in range(size + 1)] for m in members])


def _settle(tail: Tail, straddling: Straddling, cells: int) -> Floats:
    """Return, for each straddling vector, the share of its sets in the tail and its bounds.

    Raises `MethodFailed` if that takes too many steps, or too much memory.
    """
    from .cluster_kernels import tail_shares

    starts, vectors = straddling.starts, straddling.vectors
    lowest = tail.values[starts[1:] - 1]
    residuals = [
        (tail.values[start:end] - least)[::-1].copy()
        for start, end, least in zip(starts[:-1], starts[1:], lowest, strict=True)
    ]
    _check_cost(residuals, vectors, cells)
    cell = _cell_size(residuals, vectors, cells)
    spectra: list[NDArray[np.complex128]] = []
    rows = np.empty_like(vectors)
    # What a vector's residuals must reach, its first cell, and its rounding errors.
    needed = tail.threshold - vectors @ lowest
    first, least_error, most_error = np.zeros((3, len(vectors)), np.int64)
    mean_error = np.zeros(len(vectors))
    for g, residual in enumerate(residuals):
        k = vectors[:, g]
        in_cells = (residual + cell // 2) // cell
        sizes, row = np.unique(k, return_inverse=True)
        rows[:, g] = row + sum(map(len, spectra))
        spectra.append(_spectra(in_cells, sizes, cells))
        errors = np.sort(residual - in_cells * cell)
        first += _sums(in_cells)[k]
        least_error += _sums(errors)[k]
        most_error += _sums(errors[::-1])[k]
        mean_error += k * float(errors.mean())

    # Half a cell further on, because an error shifts a sum by parts of a cell; none does if a cell
    # is one unit of the integers.
    cut = (needed - mean_error) / cell - first + (0.5 if cell > 1 else 0.0)
    below = np.floor(cut)
    certain = [-((error - needed) // cell) - first for error in (least_error, most_error)]
    cuts = np.stack([below.astype(np.int64), below.astype(np.int64) + 1, *certain], axis=1)
    cuts = np.clip(cuts, 0, cells)
    shares = np.empty(cuts.shape)
    circle = np.exp(2j * np.pi * np.arange(cells) / cells)
    tail_shares(np.concatenate(spectra), rows, cuts, circle, shares)
    value = shares[:, 0] + (cut - below) * (shares[:, 1] - shares[:, 0])
    low, high = shares[:, 2] - FOURIER_ERROR, shares[:, 3] + FOURIER_ERROR
    return np.clip(np.stack([value, low, high], axis=1), 0.0, 1.0)


def _sums(values: Integers) -> Integers:
    """Return the sums of the first 0, 1, 2, … values."""
    return np.concatenate([[0], np.cumsum(values)])


def _check_cost(residuals: list[Integers], vectors: Integers, cells: int) -> None:
    steps = len(vectors) * len(residuals) * cells
    numbers = 0
    for residual, k in zip(residuals, vectors.T, strict=True):
        smaller = min(int(k.max()), len(residual) - int(k.min()))
        steps += len(residual) * smaller * cells // 4
        numbers += (len(np.unique(k)) + smaller) * cells // 2
    if steps > MAX_STEPS or numbers > MAX_NUMBERS:
        raise MethodFailed


def _cell_size(residuals: list[Integers], vectors: Integers, cells: int) -> int:
    """Return the smallest cell with which the sums of every vector fit into the cells."""
    spread = np.zeros(len(vectors), np.int64)
    for residual, k in zip(residuals, vectors.T, strict=True):
        spread += (_sums(residual[::-1]) - _sums(residual))[k]
    # Rounding makes the range of a sum longer by up to a cell for each target.
    room = cells - int(vectors[0].sum()) - 2
    return max(1, -(-int(spread.max()) // room))


def _spectra(in_cells: Integers, sizes: Integers, cells: int) -> NDArray[np.complex128]:
    """Return the Fourier transforms of the summed cells of random subsets of these `sizes`.

    A sum is counted from the smallest one of its size.
    """
    from .cluster_kernels import subset_sums_by_cell

    members = len(in_cells)
    leave_out = int(sizes.max()) > members - int(sizes.min())
    chosen = members - sizes if leave_out else sizes
    counts: Floats = subset_sums_by_cell(in_cells, int(chosen.max()))
    widths = (_sums(in_cells[::-1]) - _sums(in_cells))[sizes] + 1
    distributions = np.zeros((len(sizes), cells))
    for row, j, width in zip(distributions, chosen.tolist(), widths.tolist(), strict=True):
        shares = counts[j, :width] / float(math.comb(members, j))
        # What a set takes in is the whole cluster minus what it leaves out.
        row[:width] = shares[::-1] if leave_out else shares
    return np.fft.rfft(distributions, axis=1)
