"""Compiled loops of `clusters`. Import this module where a kernel runs: it imports numba."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass._numba import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]


@compiled()
def split_by_gaps(descending: Integers, max_clusters: int) -> tuple[float, int]:
    """Return the largest ratio of successive gaps, and the number of clusters it separates.

    Gaps are sorted, largest first. A gap of zero counts as one unit of the grid, so that the
    multiples of a common step, which the integral of `tilted` counts exactly, are not clusters.
    """
    n = len(descending) - 1
    gaps = np.empty(n, np.int64)
    for i in range(n):
        gaps[i] = descending[i + 1] - descending[i]
    gaps.sort()
    best, clusters = 0.0, 1
    for j in range(min(n - 1, max_clusters - 1)):
        ratio = -gaps[j] / max(1.0, -gaps[j + 1])
        if ratio > best:
            best, clusters = ratio, j + 2
    return best, clusters


@compiled()
def list_straddling(
    prefix: Integers,
    starts: Integers,
    choose: Floats,
    choose_rest: Floats,
    size: int,
    threshold: int,
    max_nodes: int,
    max_vectors: int,
) -> tuple[float, Integers, Floats, bool]:
    """Count the sets that are certainly in the tail; list the count vectors that straddle.

    `prefix` has the sums of the first 0, 1, … associations in descending order; cluster g is the
    targets `starts[g]` to `starts[g + 1]`. `choose[g, k]` is the number of ways to choose k of
    cluster g, `choose_rest[g, k]` of cluster g and all later ones. Returns the number of sets in
    the tail, the straddling vectors and their numbers of sets, and whether the list is complete.

    A partial vector is extended only if its sets may be on both sides of the threshold.
    """
    clusters, targets = len(starts) - 1, len(prefix) - 1
    vectors, weights = np.empty((max_vectors, clusters), np.int64), np.empty(max_vectors)
    inside, nodes, found = 0.0, 0, 0
    k = np.zeros(clusters + 1, np.int64)
    rest = np.zeros(clusters + 1, np.int64)
    low, high = np.zeros(clusters + 1, np.int64), np.zeros(clusters + 1, np.int64)
    weight = np.ones(clusters + 1)
    rest[0] = size
    k[0] = max(0, size - (targets - starts[1])) - 1
    g = 0
    while g >= 0:
        k[g] += 1
        start, end = starts[g], starts[g + 1]
        if k[g] > min(end - start, rest[g]):
            g -= 1
            continue
        nodes += 1
        if nodes > max_nodes:
            return inside, vectors[:found], weights[:found], False
        left = rest[g] - k[g]
        low[g + 1] = low[g] + prefix[end] - prefix[end - k[g]]
        high[g + 1] = high[g] + prefix[start + k[g]] - prefix[start]
        weight[g + 1] = weight[g] * choose[g, k[g]]
        if low[g + 1] + prefix[targets] - prefix[targets - left] >= threshold:
            inside += weight[g + 1] * choose_rest[g + 1, left]
        elif high[g + 1] + prefix[end + left] - prefix[end] >= threshold:
            if g < clusters - 1:
                rest[g + 1] = left
                k[g + 1] = max(0, left - (targets - starts[g + 2])) - 1
                g += 1
            elif found == max_vectors:
                return inside, vectors, weights, False
            else:
                vectors[found] = k[:clusters]
                weights[found] = weight[g + 1]
                found += 1
    return inside, vectors[:found], weights[:found], True


@compiled()
def subset_sums_by_cell(cells: Integers, sizes: int) -> Floats:
    """Count the subsets of each size up to `sizes` by the sum of their ascending `cells`.

    Row j begins at the sum of the j smallest cells.
    """
    n = len(cells)
    prefix = np.zeros(n + 1, np.int64)
    for i in range(n):
        prefix[i + 1] = prefix[i] + cells[i]
    width = 1
    for j in range(sizes + 1):
        width = max(width, prefix[n] - prefix[n - j] - prefix[j] + 1)
    counts = np.zeros((sizes + 1, width))
    counts[0, 0] = 1.0
    for i in range(n):
        for j in range(min(i + 1, sizes), 0, -1):
            shift = cells[i] - cells[j - 1]
            # Up to the largest sum of j - 1 of the targets before this one.
            reach = prefix[i] - prefix[i - j + 1] - prefix[j - 1] + 1
            for c in range(reach):
                counts[j, c + shift] += counts[j - 1, c]
    return counts


@compiled()
def tail_shares(
    spectra: Complex, rows: Integers, cuts: Integers, circle: Complex, shares: Floats
) -> None:
    """Fill in, for each vector and cut, the share of sums in cells from the cut upwards.

    `spectra` has the Fourier transforms of the distributions that the vector's `rows` name: those
    of the clusters' independent sums, so their product is the transform of the whole sum, and the
    sum over the cells from the cut to the last one is a geometric series at each frequency.
    `circle` has the roots of unity.
    """
    cells, last = len(circle), spectra.shape[1] - 1
    for v in range(len(rows)):
        for c in range(cuts.shape[1]):
            shares[v, c] = cells - cuts[v, c]
        for f in range(1, last + 1):
            product = spectra[rows[v, 0], f]
            for g in range(1, rows.shape[1]):
                product *= spectra[rows[v, g], f]
            # Each frequency has a conjugate, except the last one.
            factor = (1.0 if f == last else 2.0) * product / (1.0 - circle[f])
            for c in range(cuts.shape[1]):
                root = circle[(f * cuts[v, c]) & (cells - 1)] - 1.0
                shares[v, c] += factor.real * root.real - factor.imag * root.imag
        for c in range(cuts.shape[1]):
            shares[v, c] /= cells
