"""Compiled inner loops. Import this where a kernel runs: it brings in numba, which is slow."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def merge_shifted(a: Integers, add_a: int, b: Integers, add_b: int) -> Integers:
    """The sorted union of `a` + `add_a` and `b` + `add_b`, both sorted; repeats are kept."""
    n, m = len(a), len(b)
    out = np.empty(n + m, np.int64)
    i = j = 0
    while i < n and j < m:
        # Written without a branch: which side is less is a coin toss that no predictor learns.
        p, q = a[i] + add_a, b[j] + add_b
        first = p <= q
        out[i + j] = p if first else q
        i += first
        j += not first
    for k in range(i, n):
        out[k + j] = a[k] + add_a
    for k in range(j, m):
        out[n + k] = b[k] + add_b
    return out


@njit(cache=True, nogil=True)
def count_pairs(a: Integers, b: Integers, limit: int) -> int:
    """How many pairs of an element of `a` and one of `b`, both sorted, sum to at most `limit`."""
    count = 0
    i, j = 0, len(b) - 1
    n = len(a)
    while i < n and j >= 0:
        fits = a[i] + b[j] <= limit
        count += (j + 1) * fits
        i += fits
        j -= not fits
    return count


@njit(cache=True, nogil=True)
def characteristic(
    values: Floats, chosen: Floats, size: int, total: float, turns: int, us: Floats
) -> NDArray[np.complex128]:
    """E[exp(iu(S - total)); size targets chosen] for independent choices, at each u in `us`.

    Target i is chosen with probability `chosen[i]` and adds `values[i]` to S. The size is picked
    out by the discrete Fourier transform over `turns` angles.
    """
    out = np.empty(len(us), np.complex128)
    n = len(values)
    half = turns // 2
    factor = np.empty(n, np.complex128)
    for k in range(len(us)):
        u = us[k]
        for i in range(n):
            factor[i] = chosen[i] * np.exp(1j * (u * values[i]))
        acc = 0j
        for m in range(-half, turns - half):
            v = 2 * np.pi * m / turns
            turn = np.exp(1j * v)
            prod = np.exp(-1j * (v * size + u * total))
            for i in range(n):
                prod *= (1.0 - chosen[i]) + factor[i] * turn
                # Where a factor has brought the product to nothing, the rest cannot bring it back.
                if (i & 15) == 15 and abs(prod.real) + abs(prod.imag) < 1e-18:
                    prod = 0j
                    break
            acc += prod
        out[k] = acc / turns
    return out


@njit(cache=True, nogil=True)
def subsets_by_cell(cells: Integers, sizes: int, width: int) -> Floats:
    """How many subsets of each size up to `sizes` have each sum of `cells` below `width`."""
    counts = np.zeros((sizes + 1, width))
    counts[0, 0] = 1.0
    for i in range(len(cells)):
        f = cells[i]
        for j in range(min(i + 1, sizes), 0, -1):
            for c in range(f, width):
                counts[j, c] += counts[j - 1, c - f]
    return counts


@njit(cache=True, nogil=True)
def sums_of_random_sets(values: Integers, draws: Floats) -> Integers:
    """The sum of a random set of `values` for each row of `draws`, uniform numbers in [0, 1).

    Fisher and Yates: as many first steps of a shuffle as a row has numbers. The order left by one
    set is where the next one starts, which is as good as any other order.
    """
    order = values.copy()
    last = len(order) - 1
    sums = np.empty(len(draws), np.int64)
    for r in range(len(draws)):
        total = 0
        for k in range(draws.shape[1]):
            # A number just under 1 can round up to the end.
            other = min(last, k + int(draws[r, k] * (last + 1 - k)))
            order[k], order[other] = order[other], order[k]
            total += order[k]
        sums[r] = total
    return sums
