"""Compiled kernels that do a whole test in one call, for thousands of small tests in a row.

The steps are those of `tail`, `exact` and `tilted`, which explain why they are right. There, Python
goes from one compiled loop to the next, which for a dozen targets takes a hundred times as long as
the loops. What both need is defined once: loops in `kernels`, and scalar functions as plain Python
in `tail` and `tilted`, compiled here. The saddle point and the integrand stay separate: this module
adds term by term where `tilted` adds arrays, and sharing either would change the last digits.

Import this module where a kernel runs: it imports numba, which is slow.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from weatherglass._numba import compiled

from . import tail, tilted
from .kernels import count_pairs, subset_costs
from .tail import GRID_BITS, SAME_BITS
from .tilted import MAX_TILT, NEGLIGIBLE

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# A small test needs a shorter integral than those of `tilted`.
BLOCK = 16
MAX_POINTS = 256
PROBES = 32

_find_common_step = compiled()(tail.find_common_step)
_newton_step = compiled()(tilted.newton_step)
_trapezoid_period = compiled()(tilted.trapezoid_period)


@compiled()
def round_distinct(associations: Floats, resolution: float) -> Integers:
    """Round associations to the integer grid; empty if `build_tail` is needed for that.

    It is needed if some associations are equal, or if all may be multiples of one step.
    """
    none = np.empty(0, np.int64)
    largest = np.abs(associations).max()
    if not resolution < largest < np.inf or largest == 0.0:
        return none
    exponent = math.frexp(largest)[1] - 1
    tolerance = max(2.0**-SAME_BITS, math.ldexp(resolution, -exponent))
    unit = np.array([math.ldexp(value, -exponent) for value in associations])
    if len(unit) < 2 or not np.diff(np.sort(unit)).min() > tolerance:
        return none
    integers = np.array([np.int64(np.rint(math.ldexp(value, GRID_BITS))) for value in unit])
    gaps = np.unique(np.diff(np.sort(integers)))
    return none if _find_common_step(gaps) > 0.0 else integers


@compiled()
def count_costs(leave: Integers, take: Integers, size: int, limit: int, cap: int) -> int:
    """Count the sets of `size` targets that cost at most `limit`; -1 if a half is over `cap`.

    A set pays `take` for each target in it and `leave` for each target outside it.
    """
    order = np.argsort(-np.maximum(leave, take), kind="mergesort")
    leave, take = leave[order], take[order]
    first, second = (len(leave) + 1) // 2, len(leave) // 2
    left = subset_costs(leave[0::2].copy(), take[0::2].copy(), second, size, limit, cap)
    right = subset_costs(leave[1::2].copy(), take[1::2].copy(), first, size, limit, cap)
    if not left or not right:
        return -1
    count = 0
    for j in range(len(left)):
        if 0 <= size - j < len(right):
            count += count_pairs(left[j], right[size - j], limit)
    return count


@compiled()
def _tilt_to_size(a: Floats, n: int, t: float, l: float, chosen: Floats) -> float:  # noqa: E741
    """Solve for the `l` with expected size `n`, from a first guess; fills `chosen`."""
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
        following = _newton_step(l, low, high, excess, slope)
        if abs(following - l) <= 1e-13 * max(1.0, abs(l)):
            break
        l = following  # noqa: E741
    return l


@compiled()
def _saddle_point(
    a: Floats, n: int, s: float, min_tilt: float, chosen: Floats
) -> tuple[float, float]:
    """Find `l` and `t` with expected sum `s`; `t` is 0 if it would be above `MAX_TILT`."""
    order = np.sort(a)[::-1]
    edge = (order[n - 1] + order[n]) / 2
    t, low, high = min_tilt, min_tilt, np.inf
    l = -t * edge  # noqa: E741
    for _ in range(200):
        l = _tilt_to_size(a, n, t, l, chosen)  # noqa: E741
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
        # Every tilt gives a correct formula, so one near the saddle point is good enough.
        is_near = abs(total - s) <= 1e-9 or (low < high < np.inf and high - low <= 1e-9 * high)
        if is_near or t == min_tilt == high:
            return l, t
        variance = square - mixed * mixed / weight if weight > 0 else 0.0
        step = t - (total - s) / variance if variance > 0 else np.inf
        following = min(2 * t, step) if high == np.inf else step
        if not low < following < high:
            following = 2 * t if high == np.inf else (low + high) / 2
        if following > MAX_TILT:
            return l, 0.0
        l *= following / t  # noqa: E741
        t = following
    return l, 0.0


@compiled()
def _term(
    a: Floats, chosen: Floats, s: float, t: float, u: float, angles: Floats, products: Floats
) -> complex:
    """Return the integrand at `u`: the characteristic function at the size, over t + iu.

    `angles` has the cosines and sines of the turns and of the turns times the size; `products` is
    scratch space. The inner loop runs over the turns, so that the processor can vectorise it.
    """
    turns = angles.shape[1]
    re, im = products[0], products[1]
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
        # Factors are at most 1, so products that have vanished stay so.
        if (i & 31) == 31 and max(np.abs(re).max(), np.abs(im).max()) < 1e-18:
            return 0j
    whole = complex(re.sum(), im.sum()) / turns
    return whole * np.exp(-1j * u * s) / complex(t, u)


@compiled()
def tilted_log_count(a: Floats, n: int, s: float, min_tilt: float) -> tuple[float, float]:
    """Return the logarithm of the number of sets of `n` targets with sum at least `s`.

    `a` has mean 0 and variance 1. The second value is the estimated relative error of the count;
    it is negative if the integral does not converge within `MAX_POINTS`.
    """
    targets = len(a)
    chosen = np.empty(targets)
    l, t = _saddle_point(a, n, s, min_tilt, chosen)  # noqa: E741
    if t == 0.0:
        return 0.0, -1.0
    weight = chosen * (1.0 - chosen)
    spread = weight.sum()
    centre = (weight * a).sum() / spread
    a = a - centre
    s -= n * centre
    l += t * centre  # noqa: E741
    variance = (weight * a * a).sum()

    # The transform confuses n with sizes that are a multiple of `turns` away from it; those have
    # a negligible probability.
    turns = min(targets + 1, 8 + int(np.ceil(8 * np.sqrt(spread))))
    v = 2 * np.pi * np.arange(turns) / turns
    angles = np.stack((np.cos(v), np.sin(v), np.cos(v * n), np.sin(v * n)))
    products = np.empty((2, turns))

    step = np.pi / _trapezoid_period(t, variance)
    total = 0.5 * _term(a, chosen, s, t, 0.0, angles, products).real
    even_terms = total
    k, converged = 1, False
    while k < MAX_POINTS and not converged:
        largest = 0.0
        for _ in range(BLOCK):
            term = _term(a, chosen, s, t, k * step, angles, products)
            total += term.real
            even_terms += 0.0 if k & 1 else term.real
            largest = max(largest, abs(term))
            k += 1
        converged = largest < NEGLIGIBLE * abs(total)
    if not converged or not total > 0:
        return 0.0, -1.0

    reach, area = np.log(1000.0), 0.0
    for probe in range(PROBES):
        u = step * k * np.exp(reach * probe / (PROBES - 1))
        area += abs(_term(a, chosen, s, t, u, angles, products)) ** 2 * u
    remainder = np.sqrt(area / PROBES * reach / np.sqrt(variance)) / np.pi
    whole = total * step / np.pi
    relative = abs(1 - 2 * even_terms / total) + 3 * remainder / whole + 1e-12 * targets
    log_count = np.log(whole) - l * n - t * s
    for i in range(targets):
        log_count += np.logaddexp(0.0, l + t * a[i])
    return log_count, relative


@compiled()
def max_resultant(a: Floats) -> float:
    """Return the largest |mean exp(iua)| of standardised associations, for u from 2 to 320.

    In steps of 1/2, where each peak is about two wide; 320 is the frequency of about 175 equally
    spaced levels. With more of them, what the integral misses is within its bounds. A step
    multiplies by exp(ia/2), which is far faster than sine and cosine.
    """
    step, phase = np.exp(0.5j * a), np.exp(2j * a)
    largest = 0.0
    for _ in range(637):
        real = imaginary = 0.0
        for k in range(len(a)):
            real += phase[k].real
            imaginary += phase[k].imag
            phase[k] *= step[k]
        largest = max(largest, real * real + imaginary * imaginary)
    return math.sqrt(largest) / len(a)
