"""The tail by tilted Fourier inversion, for tests with too many partitions to count.

Give target i the odds exp(l + t a_i) of being chosen, independently, with l and t such that the
expected size is n and the expected sum is the observed one, s (the double saddle point of Robinson
1982, J. R. Statist. Soc. B 44, 91-101). A set of n targets with sum S then has the probability
exp(l n + t S - K), K = sum log(1 + exp(l + t a_i)), so that

    count = exp(K - l n - t s) E[exp(-t (S - s)); size = n, S >= s].

The expectation is a Fourier integral over u of the characteristic function of the sum, restricted
to size n by a finite Fourier transform, times the transform of exp(-t x) on x >= 0. Summed over a
grid with cells of h this transform is h / (1 - exp(-(t + iu) h)): exact if all associations are
multiples of h, and 1 / (t + iu) to the precision of a float on the fine grid.

`batch_kernels` has the same integral in one compiled call, for thousands of small tests.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tail import MethodFailed, Tail

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

MIN_TILT = 2.0
"""In standard deviations of the sum. Every tilt above zero gives a correct formula; in the middle
of the distribution the saddle point is at zero, where the integrand has its pole."""

MAX_TILT = 1e7
"""For standardised associations. Beyond, there is no saddle point to find."""

NEGLIGIBLE = 1e-7
"""The integral ends at a block of terms that are all below this share of their sum."""

BLOCK = 64
MAX_POINTS = 1 << 13
MAX_FACTORS = 40_000_000
PROBES = 256

MIN_RESULTANT = 0.4
MAX_LOG_DECAY = 16.0
"""Associations near equally spaced levels have sums near such levels, too, and their characteristic
function rises again at the frequencies u of the levels, far beyond the point at which it has become
negligible. There the mean resultant length R = |mean exp(iua)|, which is 1 without noise, has a
peak. For noise with a wrapped normal distribution the function of N targets is about
exp(-N (log 2 - R + R^4 / 2)) at the peak; it matters down to exp(-16). Below 0.4, peaks are as high
by chance."""

FREQUENCIES: Floats = np.linspace(2.0, 640.0, 1277)
"""Where the resultant of standardised associations is computed; its peaks are about two wide. The
last one is the frequency of about 350 equally spaced levels."""

HARMONICS = 128
"""Multiples of a peak at which there may be others."""


@dataclass(frozen=True, slots=True)
class Tilt:
    """Associations `a`, each target's probability `chosen`, and its parameters `l` and `t`."""

    a: Floats
    l: float  # noqa: E741  (the paper's letter)
    t: float
    chosen: Floats


def tilted_share(tail: Tail) -> tuple[float, float]:
    """Return the share of all sets that are in the tail, and its estimated error.

    The error is the change from halving the step of the integral, plus three times the likely
    value of the part of the integral that was left out.
    """
    share, error, converged = _share(tail.complement() if tail.is_below_mean else tail)
    if not converged and not tail.allowance:
        # The grid is too fine to go around the whole circle and too sparse to look smooth.
        return tilted_share(tail.on_finer_grid())
    return whole_share(tail, share), error


def whole_share(tail: Tail, share: float) -> float:
    """Return the share of the tail, given the `share` of the side of the mean it was computed for.

    A Fourier integral gives a jump half its height. On a grid the formula accounts for the jump;
    otherwise half of the sets at the observed sum, which all count, is still to be added.
    """
    half_jump = tail.equivalent / tail.partitions / 2 if tail.allowance else 0.0
    return (1.0 - share if tail.is_below_mean else share) + half_jump


def standardise(tail: Tail) -> tuple[Floats, float, float]:
    """Return associations with mean 0 and variance 1, the threshold in their unit, and the unit."""
    values = tail.values.astype(np.float64)
    mean, scale = float(values.mean()), float(values.std())
    return (values - mean) / scale, (tail.threshold - tail.size * mean) / scale, scale


def min_tilt(n: int, targets: int) -> float:
    """Return the smallest tilt for sets of `n` standardised associations."""
    return MIN_TILT / math.sqrt(n * (targets - n) / (targets - 1))


def newton_step(x: float, low: float, high: float, excess: float, slope: float) -> float:
    """Return the next iterate of Newton's method, or the middle if that leaves the bracket.

    `batch_kernels` compiles this function and the next one, so they must stay within what numba
    compiles.
    """
    step = x - excess / slope if slope > 0 else low
    return step if low < step < high else (low + high) / 2


def trapezoid_period(t: float, variance: float) -> float:
    """Return the distance after which the trapezoid rule may repeat the sum.

    There, exp(-t x) has fallen below 1e-15.
    """
    return t * variance + 8 * math.sqrt(variance) + 36 / t


def _share(tail: Tail) -> tuple[float, float, bool]:
    count = 0 if tail.limit < 0 else tail.count_if_separated()
    if count is not None:
        return count / tail.partitions, 0.0, True
    n, targets = tail.size, len(tail.values)
    a, s, scale = standardise(tail)
    tilt = _saddle_point(a, n, s)

    # Measured from this centre, size and sum are uncorrelated, and the finite transform is short.
    weight = tilt.chosen * (1 - tilt.chosen)
    centre = float(weight @ a / weight.sum())
    a, s = a - centre, s - n * centre
    tilt = Tilt(a, tilt.l + tilt.t * centre, tilt.t, tilt.chosen)

    # With ties but no common step the characteristic function can rise again after it has fallen,
    # and it does so near equally spaced levels.
    # On a grid, half of the circle holds all frequencies.
    peaks = _find_peaks(a, weight, math.pi * scale)
    has_ties = bool(tail.allowance) and len(np.unique(tail.values)) < targets
    reach = math.inf if has_ties else float(peaks.max(initial=0.0))
    # On a coarse grid the points can go around the whole circle, and the integral is exact.
    max_points = MAX_POINTS if tail.allowance else 8 * MAX_POINTS
    coarse, *_ = _integral(tilt, n, s, 1 / scale, 1, max_points, peaks, reach)
    whole, remainder, converged = _integral(tilt, n, s, 1 / scale, 2, max_points, peaks, reach)
    if not whole > 0:
        raise MethodFailed
    log_count = float(np.logaddexp(0, tilt.l + tilt.t * a).sum()) - tilt.l * n - tilt.t * s
    # Through the integer, because lgamma loses a digit in a thousand targets.
    share = math.exp(log_count + math.log(whole) - math.log(tail.partitions))
    relative = abs(whole - coarse) / whole + 3 * remainder / whole + 1e-12 * targets
    return share, share * relative, converged


def _find_peaks(a: Floats, weight: Floats, limit: float = math.inf) -> Floats:
    """Return the frequencies of the levels that associations are near to, if they are.

    Those above `limit` are left out. They are the maxima of the resultant of all targets. The
    characteristic function of the sum is largest where the resultant of targets with their `weight`
    is, which Newton's method finds.
    """
    from .kernels import resultants

    resultant: Floats = resultants(
        a, FREQUENCIES[0], FREQUENCIES[1] - FREQUENCIES[0], len(FREQUENCIES)
    )
    is_peak = (resultant[1:-1] >= resultant[:-2]) & (resultant[1:-1] > resultant[2:])
    is_peak &= _matters(resultant[1:-1], weight) & (FREQUENCIES[1:-1] < limit)
    if not is_peak.any():
        return np.empty(0)
    peaks = _climb(FREQUENCIES[1:-1][is_peak], a, weight)
    multiples = np.unique(np.outer(peaks, np.arange(2, HARMONICS)))
    multiples = multiples[(multiples > FREQUENCIES[-1]) & (multiples < limit)]
    resultant = np.abs(np.exp(1j * np.outer(multiples, a)).mean(axis=1))
    return np.concatenate([peaks, _climb(multiples[_matters(resultant, weight)], a, weight)])


def _matters(resultant: Floats, weight: Floats) -> NDArray[np.bool_]:
    """Whether the characteristic function is not negligible where the resultant is this large."""
    # A target that is chosen half of the time has the weight 1/4.
    decay = 4 * float(weight.sum()) * (math.log(2) - resultant + resultant**4 / 2)
    return np.asarray((resultant > MIN_RESULTANT) & (decay < MAX_LOG_DECAY))


def _climb(u: Floats, a: Floats, weight: Floats) -> Floats:
    """Return the maxima of |Σ w exp(iua)| near `u`, by Newton's method."""
    for _ in range(4 if len(u) else 0):
        phases = weight * np.exp(1j * np.outer(u, a))
        # The first two derivatives of the square.
        zero, one, two = (phases @ (1j * a) ** k for k in range(3))
        slope = 2 * (zero.conj() * one).real
        curvature = 2 * (np.abs(one) ** 2 + (zero.conj() * two).real)
        step = np.where(curvature < 0, -slope / np.minimum(curvature, -1e-9), 0.0)
        u = u + np.clip(step, -0.5, 0.5)
    return u


def _saddle_point(a: Floats, n: int, s: float) -> Tilt:
    """Find the tilt with expected size `n` and expected sum `s`, at least the smallest tilt."""
    low = high = min_tilt(n, len(a))
    while float(_tilt_to_size(a, n, high).chosen @ a) < s:
        low, high = high, 2 * high
        if high > MAX_TILT:
            raise MethodFailed
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if float(_tilt_to_size(a, n, middle).chosen @ a) < s:
            low = middle
        else:
            high = middle
    return _tilt_to_size(a, n, high)


def _tilt_to_size(a: Floats, n: int, t: float) -> Tilt:
    """Solve for the `l` with expected size `n`, at tilt `t`, by Newton's method in a bracket."""
    low, high = -t * float(a.max()) - 40.0, -t * float(a.min()) + 40.0
    l = -t * float(np.sort(a)[::-1][n - 1 : n + 1].mean())  # noqa: E741
    for _ in range(200):
        chosen = _logistic(l + t * a)
        excess = float(chosen.sum()) - n
        if excess > 0:
            high = l
        else:
            low = l
        following = newton_step(l, low, high, excess, float((chosen * (1 - chosen)).sum()))
        if abs(following - l) <= 1e-15 * max(1.0, abs(l)):
            break
        l = following  # noqa: E741
    return Tilt(a, l, t, chosen)


def _integral(
    tilt: Tilt,
    n: int,
    s: float,
    h: float,
    refine: int,
    max_points: int,
    peaks: Floats,
    reach: float,
) -> tuple[float, float, bool]:
    """Return E[exp(-t (S - s)); size = n, S >= s], the likely remainder, and whether it converged.

    `refine` divides the step. `peaks` has the frequencies at which the integrand may rise again,
    and `reach` is the one up to which it may.
    """
    from .kernels import characteristic

    weight = tilt.chosen * (1 - tilt.chosen)
    variance, size_variance = float(weight @ tilt.a**2), float(weight.sum())
    # An odd number of whole cells closes the circle on a coarse grid.
    cells = 2 * (refine * math.ceil(trapezoid_period(tilt.t, variance) / h) // 2) + 1
    step = 2 * math.pi / (cells * h)
    turns = min(len(tilt.a) + 1, 16 + math.ceil(12 * math.sqrt(size_variance)))

    max_points = min(max_points, max(8 * BLOCK, MAX_FACTORS // (turns * len(tilt.a))))
    points = min(cells // 2 + 1, max_points * refine)
    total, done, converged = 0.0, 0, False
    while done < points:
        u = step * np.arange(done, min(done + BLOCK, points), dtype=np.float64)
        terms: Complex = characteristic(tilt.a, tilt.chosen, n, s, turns, u) * _kernel(tilt.t, u, h)
        terms[0] *= 0.5 if done == 0 else 1.0
        total += float(terms.real.sum())
        done += len(u)
        converged = bool(np.abs(terms).max() < NEGLIGIBLE * abs(total))
        # Five deviations beyond a peak it has fallen again.
        if converged and u[-1] > reach + 5 / math.sqrt(variance):
            break
    if done == cells // 2 + 1:
        return total * step / math.pi, 0.0, True

    # The remainder is sampled at distances that grow by a constant factor, up to a thousandfold or
    # half of the circle, and assumed to have random signs from one deviation of the sum to the
    # next.
    span = math.log(min(1000.0, cells / 2 / done))
    u = step * done * np.exp(np.linspace(0, span, PROBES))
    terms = characteristic(tilt.a, tilt.chosen, n, s, turns, u) * _kernel(tilt.t, u, h)
    area = float((np.abs(terms) ** 2 * u).mean()) * span
    remainder = math.sqrt(area / math.sqrt(variance)) / math.pi
    # The probes can miss a narrow peak: each has the shape of a normal density.
    left_out = peaks[peaks > step * done]
    if len(left_out):
        terms = characteristic(tilt.a, tilt.chosen, n, s, turns, left_out)
        heights = np.abs(terms * _kernel(tilt.t, left_out, h))
        remainder += float(heights.sum()) * math.sqrt(2 * math.pi / variance) / math.pi
    return total * step / math.pi, remainder, converged


def _kernel(t: float, u: Floats, h: float) -> Complex:
    return np.asarray(h / -np.expm1(-(t + 1j * u) * h))


def _logistic(z: Floats) -> Floats:
    return 0.5 * (1.0 + np.tanh(0.5 * z))
