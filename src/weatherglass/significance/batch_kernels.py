"""Compiled counting and tilting of one test in one call, for many tests in a row.

The steps are those of `tail`, `exact` and `tilted`, which say why they are right. There, Python
goes from one compiled loop to the next, which for a dozen targets costs a hundred times what the
loops do. Import this where a kernel runs: it brings in numba, which is slow.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from weatherglass._numba import compiled

from .kernels import count_pairs, merge_shifted
from .tail import GRID_BITS, LEAST_STEP, LEFT_OVER, SAME_BITS

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

BLOCK = 16
MOST_POINTS = 256
PROBES = 32
NEGLIGIBLE = 1e-7
FURTHEST = 1e7


@compiled()
def _one_step(ascending: Integers) -> bool:
    """Whether different integers may all be small multiples of one step above the least of them."""
    step = 0.0
    for gap in np.unique(np.diff(ascending)):
        a, b = float(gap), step
        while b > LEFT_OVER:
            a, b = b, abs(a - round(a / b) * b)
        if a < LEAST_STEP:
            return False
        step = gap / round(gap / a)
    return True


@compiled()
def plain_grid(associations: Floats, resolution: float) -> Integers:
    """Associations on the integer grid, or nothing where `tail_of` is needed to put them there.

    That is where some are equal, or where all may be multiples of one step.
    """
    none = np.empty(0, np.int64)
    largest = np.abs(associations).max()
    if not resolution < largest < np.inf or largest == 0.0:
        return none
    exponent = math.frexp(largest)[1] - 1
    near = max(2.0**-SAME_BITS, math.ldexp(resolution, -exponent))
    unit = np.array([math.ldexp(one, -exponent) for one in associations])
    if len(unit) > 1 and not np.diff(np.sort(unit)).min() > near:
        return none
    whole = np.array([np.int64(np.rint(math.ldexp(one, GRID_BITS))) for one in unit])
    return none if _one_step(np.sort(whole)) else whole


@compiled()
def _up_to(ascending: Integers, limit: int) -> Integers:
    return ascending[: np.searchsorted(ascending, limit, side="right")]


@compiled()
def _subset_costs(
    leave: Integers, take: Integers, others: int, size: int, limit: int, cap: int
) -> list[Integers]:
    """The sorted costs of the subsets of a half, by size; no list where there are over `cap`."""
    none = np.empty(0, np.int64)
    lists = [np.zeros(1, np.int64)]
    for done in range(1, len(leave) + 1):
        out, in_ = leave[done - 1], take[done - 1]
        fewest = max(0, size - others - (len(leave) - done))
        grown, total = [none], 0
        for j in range(min(done, size) + 1):
            if j:
                grown.append(none)
            if j >= fewest:
                without = _up_to(lists[j], limit - out) if j < len(lists) else none
                having = _up_to(lists[j - 1], limit - in_) if j else none
                total += len(without) + len(having)
                if total > cap:
                    return lists[:0]
                grown[j] = merge_shifted(without, out, having, in_)
        lists = grown
    return lists


@compiled()
def count_costs(leave: Integers, take: Integers, size: int, limit: int, cap: int) -> int:
    """How many sets of `size` targets cost at most `limit`; -1 where a half has over `cap` subsets.

    A set pays `take` for a target that it has and `leave` for one that it has not.
    """
    dearest = np.argsort(-np.maximum(leave, take), kind="mergesort")
    leave, take = leave[dearest], take[dearest]
    first, second = (len(leave) + 1) // 2, len(leave) // 2
    left = _subset_costs(leave[0::2].copy(), take[0::2].copy(), second, size, limit, cap)
    right = _subset_costs(leave[1::2].copy(), take[1::2].copy(), first, size, limit, cap)
    if not left or not right:
        return -1
    count = 0
    for j in range(len(left)):
        if 0 <= size - j < len(right):
            count += count_pairs(left[j], right[size - j], limit)
    return count


@compiled()
def _at_size(a: Floats, n: int, t: float, l: float, chosen: Floats) -> float:  # noqa: E741
    """The `l` at which the expected size is `n`, from a first guess; fills `chosen`."""
    low, high = -t * a.max() - 40.0, -t * a.min() + 40.0
    for _ in range(200):
        excess, slope = -float(n), 0.0
        for i in range(len(a)):
            c = 0.5 * (1.0 + np.tanh(0.5 * (l + t * a[i])))
            chosen[i] = c
            excess += c
            slope += c * (1.0 - c)
        if excess > 0:
            high = l
        else:
            low = l
        step = l - excess / slope if slope > 0 else low
        following = step if low < step < high else (low + high) / 2
        if abs(following - l) <= 1e-13 * max(1.0, abs(l)):
            break
        l = following  # noqa: E741
    return l


@compiled()
def _saddle(a: Floats, n: int, s: float, least: float, chosen: Floats) -> tuple[float, float]:
    """`l` and `t` at which the expected sum is `s`; `t` is 0 where that is too far to be found."""
    order = np.sort(a)[::-1]
    edge = (order[n - 1] + order[n]) / 2
    t, low, high = least, least, np.inf
    l = -t * edge  # noqa: E741
    for _ in range(200):
        l = _at_size(a, n, t, l, chosen)  # noqa: E741
        total, square, mixed, weight = 0.0, 0.0, 0.0, 0.0
        for i in range(len(a)):
            w = chosen[i] * (1.0 - chosen[i])
            total += chosen[i] * a[i]
            square += w * a[i] * a[i]
            mixed += w * a[i]
            weight += w
        if total >= s:
            high = t
        else:
            low = t
        # A tilt that is nearly right gives a formula that is quite right.
        found = abs(total - s) <= 1e-9 or (low < high < np.inf and high - low <= 1e-9 * high)
        if found or t == least == high:
            return l, t
        variance = square - mixed * mixed / weight if weight > 0 else 0.0
        step = t - (total - s) / variance if variance > 0 else np.inf
        following = min(2 * t, step) if high == np.inf else step
        if not low < following < high:
            following = 2 * t if high == np.inf else (low + high) / 2
        if following > FURTHEST:
            return l, 0.0
        l *= following / t  # noqa: E741
        t = following
    return l, 0.0


@compiled()
def _term(
    a: Floats, chosen: Floats, s: float, t: float, u: float, angles: Floats, room: Floats
) -> complex:
    """The integrand at `u`: the characteristic function at the size, over t + iu.

    `angles` has the cosines and sines of the turns and of the turns times the size. All turns are
    gone through for one target before the next, so that the processor takes several at once.
    """
    turns = angles.shape[1]
    re, im = room[0], room[1]
    for m in range(turns):
        re[m], im[m] = angles[2, m], -angles[3, m]
    for i in range(len(a)):
        rest, x, y = 1.0 - chosen[i], chosen[i] * np.cos(u * a[i]), chosen[i] * np.sin(u * a[i])
        for m in range(turns):
            p = rest + x * angles[0, m] - y * angles[1, m]
            q = x * angles[1, m] + y * angles[0, m]
            r = re[m]
            re[m] = r * p - im[m] * q
            im[m] = r * q + im[m] * p
        # Where all products have come to nothing, the rest cannot bring them back.
        if (i & 31) == 31 and max(np.abs(re).max(), np.abs(im).max()) < 1e-18:
            return 0j
    whole = complex(re.sum(), im.sum()) / turns
    return whole * np.exp(-1j * u * s) / complex(t, u)


@compiled()
def tilted_tail(a: Floats, n: int, s: float, least: float) -> tuple[float, float]:
    """The logarithm of how many sets of `n` targets sum to `s` or more, and its estimated error.

    `a` has mean 0 and deviation 1; `least` is the least tilt. The error is negative where the
    integral could not be taken in a moderate number of steps.
    """
    targets = len(a)
    chosen = np.empty(targets)
    l, t = _saddle(a, n, s, least, chosen)  # noqa: E741
    if t == 0.0:
        return 0.0, -1.0
    weight = chosen * (1.0 - chosen)
    spread = weight.sum()
    centre = (weight * a).sum() / spread
    a = a - centre
    s -= n * centre
    l += t * centre  # noqa: E741
    variance = (weight * a * a).sum()

    # Sizes further off than this would be taken for n; they have no probability to speak of.
    turns = min(targets + 1, 8 + int(np.ceil(8 * np.sqrt(spread))))
    v = 2 * np.pi * np.arange(turns) / turns
    angles = np.stack((np.cos(v), np.sin(v), np.cos(v * n), np.sin(v * n)))
    room = np.empty((2, turns))

    step = np.pi / (t * variance + 8 * np.sqrt(variance) + 36 / t)
    total = 0.5 * _term(a, chosen, s, t, 0.0, angles, room).real
    every_other = total
    k, settled = 1, False
    while k < MOST_POINTS and not settled:
        largest = 0.0
        for _ in range(BLOCK):
            term = _term(a, chosen, s, t, k * step, angles, room)
            total += term.real
            every_other += 0.0 if k & 1 else term.real
            largest = max(largest, abs(term))
            k += 1
        settled = largest < NEGLIGIBLE * abs(total)
    if not settled or not total > 0:
        return 0.0, -1.0

    reach, area = np.log(1000.0), 0.0
    for probe in range(PROBES):
        u = step * k * np.exp(reach * probe / (PROBES - 1))
        area += abs(_term(a, chosen, s, t, u, angles, room)) ** 2 * u
    left_over = np.sqrt(area / PROBES * reach / np.sqrt(variance)) / np.pi
    whole = total * step / np.pi
    relative = abs(1 - 2 * every_other / total) + 3 * left_over / whole + 1e-12 * targets
    log_count = np.log(whole) - l * n - t * s
    for i in range(targets):
        log_count += np.logaddexp(0.0, l + t * a[i])
    return log_count, relative
