"""Compiled inner loops. Import this module where a kernel runs: it imports numba, which is slow."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from weatherglass._numba import compiled

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


# Merging and counting walk along two sorted lists, and which list comes next is a coin toss that no
# processor predicts. So a step has no branch, and four walks over four parts of the lists take
# turns: while one waits for its numbers, the others go on. This is three times as fast as one walk.


@njit(inline="always")
def _merge_step(
    a: Integers, add_a: int, i: int, b: Integers, add_b: int, j: int, out: Integers
) -> tuple[int, int]:
    p, q = a[i] + add_a, b[j] + add_b
    first = p <= q
    out[i + j] = p if first else q
    return i + first, j + (not first)


@compiled()
def _merge_part(
    a: Integers, add_a: int, i: int, n: int, b: Integers, add_b: int, j: int, m: int, out: Integers
) -> None:
    while i < n and j < m:
        i, j = _merge_step(a, add_a, i, b, add_b, j, out)
    while i < n:
        out[i + j] = a[i] + add_a
        i += 1
    while j < m:
        out[i + j] = b[j] + add_b
        j += 1


@compiled()
def merge_shifted(a: Integers, add_a: int, b: Integers, add_b: int) -> Integers:
    """Merge `a` + `add_a` and `b` + `add_b`, both sorted, into one sorted list with repeats."""
    n, m = len(a), len(b)
    out = np.empty(n + m, np.int64)
    if n < 64:
        _merge_part(a, add_a, 0, n, b, add_b, 0, m, out)
        return out
    i0, i1, i2, i3 = 0, n // 4, n // 2, n // 4 * 3
    j0, j1 = 0, np.searchsorted(b, a[i1] + add_a - add_b)
    j2, j3 = np.searchsorted(b, a[i2] + add_a - add_b), np.searchsorted(b, a[i3] + add_a - add_b)
    n0, n1, n2 = i1, i2, i3
    m0, m1, m2 = j1, j2, j3
    while i0 < n0 and i1 < n1 and i2 < n2 and i3 < n and j0 < m0 and j1 < m1 and j2 < m2 and j3 < m:
        i0, j0 = _merge_step(a, add_a, i0, b, add_b, j0, out)
        i1, j1 = _merge_step(a, add_a, i1, b, add_b, j1, out)
        i2, j2 = _merge_step(a, add_a, i2, b, add_b, j2, out)
        i3, j3 = _merge_step(a, add_a, i3, b, add_b, j3, out)
    _merge_part(a, add_a, i0, n0, b, add_b, j0, m0, out)
    _merge_part(a, add_a, i1, n1, b, add_b, j1, m1, out)
    _merge_part(a, add_a, i2, n2, b, add_b, j2, m2, out)
    _merge_part(a, add_a, i3, n, b, add_b, j3, m, out)
    return out


@compiled()
def _up_to(ascending: Integers, limit: int) -> Integers:
    return ascending[: np.searchsorted(ascending, limit, side="right")]


@compiled()
def subset_costs(
    leave: Integers, take: Integers, others: int, size: int, limit: int, cap: int
) -> list[Integers]:
    """Return the sorted costs of the subsets of a half, by size; no list at all if over `cap`.

    A subset pays `take` for each target in it and `leave` for each target of the half outside it.
    Subsets that cost more than `limit`, or that the `others` targets cannot extend to `size`, are
    left out.
    """
    none = np.empty(0, np.int64)
    lists = [np.zeros(1, np.int64)]
    for i in range(len(leave)):
        if i < size:
            lists.append(none)
        smallest = max(0, size - others - (len(leave) - i - 1))
        total = 0
        # Downwards, so that each list can take the place of its predecessor, which is then freed.
        for j in range(len(lists) - 1, smallest - 1, -1):
            excluding = _up_to(lists[j], limit - leave[i])
            including = _up_to(lists[j - 1], limit - take[i]) if j else none
            total += len(excluding) + len(including)
            if total > cap:
                return lists[:0]
            lists[j] = merge_shifted(excluding, leave[i], including, take[i])
        for j in range(min(smallest, len(lists))):
            lists[j] = none
    return lists


@compiled()
def subset_sums(values: Integers, limit: int) -> Integers:
    """Return the sorted sums of all subsets of positive `values` that are at most `limit`."""
    sums = np.zeros(1, np.int64)
    for i in range(len(values)):
        sums = merge_shifted(sums, 0, _up_to(sums, limit - values[i]), values[i])
    return sums


@njit(inline="always")
def _count_step(a: Integers, i: int, b: Integers, j: int, limit: int) -> tuple[int, int, int]:
    fits = a[i] + b[j] <= limit
    return i + fits, j - (not fits), (j + 1) * fits


@compiled()
def _count_part(a: Integers, i: int, n: int, b: Integers, j: int, limit: int) -> int:
    count = 0
    while i < n and j >= 0:
        i, j, pairs = _count_step(a, i, b, j, limit)
        count += pairs
    return count


@compiled()
def count_pairs(a: Integers, b: Integers, limit: int) -> int:
    """Count the pairs of elements of sorted `a` and `b` that sum to at most `limit`."""
    n = len(a)
    if n < 64:
        return _count_part(a, 0, n, b, len(b) - 1, limit)
    i0, i1, i2, i3 = 0, n // 4, n // 2, n // 4 * 3
    end0, end1, end2 = i1, i2, i3
    j0 = len(b) - 1
    j1 = np.searchsorted(b, limit - a[i1], side="right") - 1
    j2 = np.searchsorted(b, limit - a[i2], side="right") - 1
    j3 = np.searchsorted(b, limit - a[i3], side="right") - 1
    count = 0
    # The later the part of a, the less of b fits with it, so the last part is the first to end.
    while i0 < end0 and i1 < end1 and i2 < end2 and i3 < n and j3 >= 0:
        i0, j0, pairs0 = _count_step(a, i0, b, j0, limit)
        i1, j1, pairs1 = _count_step(a, i1, b, j1, limit)
        i2, j2, pairs2 = _count_step(a, i2, b, j2, limit)
        i3, j3, pairs3 = _count_step(a, i3, b, j3, limit)
        count += pairs0 + pairs1 + pairs2 + pairs3
    count += _count_part(a, i0, end0, b, j0, limit) + _count_part(a, i1, end1, b, j1, limit)
    return count + _count_part(a, i2, end2, b, j2, limit) + _count_part(a, i3, n, b, j3, limit)


@compiled()
def characteristic(
    values: Floats, chosen: Floats, size: int, total: float, turns: int, us: Floats
) -> NDArray[np.complex128]:
    """Return E[exp(iu(S - total)); size targets chosen] for independent choices, for u in `us`.

    Target i is chosen with probability `chosen[i]` and adds `values[i]` to S. The discrete Fourier
    transform over `turns` angles selects the size.
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
                # Factors are at most 1, so a product that has vanished stays so.
                if (i & 15) == 15 and abs(prod.real) + abs(prod.imag) < 1e-18:
                    prod = 0j
                    break
            acc += prod
        out[k] = acc / turns
    return out


@compiled()
def resultants(a: Floats, first: float, step: float, count: int) -> Floats:
    """Return |mean exp(iua)| for `count` frequencies u from `first` on, in equal steps.

    A step multiplies by exp(i step a), which is far faster than sine and cosine.
    """
    turn, phase = np.exp(1j * step * a), np.exp(1j * first * a)
    out = np.empty(count)
    for j in range(count):
        real = imaginary = 0.0
        for k in range(len(a)):
            real += phase[k].real
            imaginary += phase[k].imag
            phase[k] *= turn[k]
        out[j] = np.sqrt(real * real + imaginary * imaginary) / len(a)
    return out


@compiled()
def subsets_by_cell(cells: Integers, sizes: int, width: int) -> Floats:
    """Count the subsets of each size up to `sizes` by the sum of their `cells`, below `width`."""
    counts = np.zeros((sizes + 1, width))
    counts[0, 0] = 1.0
    for i in range(len(cells)):
        f = cells[i]
        for j in range(min(i + 1, sizes), 0, -1):
            for c in range(f, width):
                counts[j, c] += counts[j - 1, c - f]
    return counts


@compiled()
def sums_of_random_sets(values: Integers, draws: Floats) -> Integers:
    """Return the sum of a random set of `values` for each row of `draws`, uniform in [0, 1).

    The first steps of a Fisher-Yates shuffle, as many as a row has numbers. Each set starts from
    the order that the previous one left, which is as good as any other order.
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
