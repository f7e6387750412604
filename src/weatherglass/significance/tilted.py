"""The tail by tilted Fourier inversion, for partitions too many to count.

Give target i the odds exp(l + t a_i) of being chosen, independently, and let l and t be such that
the expected size is n and the expected sum is the observed one, s (the double saddle point of
Robinson 1982, J. R. Statist. Soc. B 44, 91-101). A set of n targets with sum S then has the
probability exp(l n + t S - K), K = sum log(1 + exp(l + t a_i)), so that

    count = exp(K - l n - t s) E[exp(-t (S - s)); size = n, S >= s].

The expectation is a Fourier integral over u of the characteristic function of the sum, taken at
size n by a finite Fourier transform, times the transform of exp(-t x) on x >= 0. Summed over a
grid with cells of h that transform is h / (1 - exp(-(t + iu) h)): exact where all associations
are multiples of h, and 1 / (t + iu) as near as a float can tell where the grid is the fine one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tail import Tail, TooMany

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

LEAST_TILT = 2.0
"""In standard deviations of the sum. Every tilt above zero gives a correct formula; in the middle
of the distribution the saddle point is at zero, where the integrand has its pole."""

BLOCK = 64
MOST_POINTS = 1 << 13
MOST_FACTORS = 40_000_000
PROBES = 256
NEGLIGIBLE = 1e-7


@dataclass(frozen=True, slots=True)
class Tilt:
    """Associations `a`, each target's probability `chosen`, and the `l` and `t` it comes from."""

    a: Floats
    l: float  # noqa: E741  (the paper's letter)
    t: float
    chosen: Floats


def tilted_share(tail: Tail) -> tuple[float, float]:
    """The share of all sets that are in the tail, and the estimated error of that share.

    The error is what halving the step of the integral changes, and three times what the part of
    the integral that was left out is likely to hold.
    """
    # A Fourier integral gives a jump half its height. On a grid the formula knows of the jump;
    # elsewhere half of the sets at the observed sum, which all count, is still to be added.
    half_jump = tail.alike / tail.partitions / 2 if tail.allowance else 0.0
    share, error, settled = _share(tail.rest() if tail.is_lower_half else tail)
    if not settled and not tail.allowance:
        # The grid is too fine to go round and too empty to look smooth: as good as no grid.
        return tilted_share(tail.on_finer_grid())
    return (1.0 - share if tail.is_lower_half else share) + half_jump, error


def _share(tail: Tail) -> tuple[float, float, bool]:
    tied = 0 if tail.limit < 0 else tail.ties_at_the_top()
    if tied is not None:
        return tied / tail.partitions, 0.0, True
    n, targets = tail.size, len(tail.values)
    values = tail.values.astype(np.float64)
    spread = float(values.std())
    a = (values - values.mean()) / spread
    s = (tail.threshold - n * float(values.mean())) / spread
    tilt = _tilted(a, n, s)

    # Measured from here, size and sum are uncorrelated, and the finite transform can be short.
    weight = tilt.chosen * (1 - tilt.chosen)
    centre = float(weight @ a / weight.sum())
    a, s = a - centre, s - n * centre
    tilt = Tilt(a, tilt.l + tilt.t * centre, tilt.t, tilt.chosen)

    # Ties without a common step can bring the characteristic function back after it has fallen.
    returns = bool(tail.allowance) and len(np.unique(tail.values)) < targets
    # On a coarse grid the whole circle can be gone round, and the integral is then exact.
    most = MOST_POINTS if tail.allowance else 8 * MOST_POINTS
    coarse, *_ = _integral(tilt, n, s, 1 / spread, 1, most, to_the_end=returns)
    whole, left_over, settled = _integral(tilt, n, s, 1 / spread, 2, most, to_the_end=returns)
    if not whole > 0:
        raise TooMany
    log_count = float(np.logaddexp(0, tilt.l + tilt.t * a).sum()) - tilt.l * n - tilt.t * s
    share = math.exp(log_count + math.log(whole) - _log_comb(targets, n))
    relative = abs(whole - coarse) / whole + 3 * left_over / whole + 1e-12 * targets
    return share, share * relative, settled


def _tilted(a: Floats, n: int, s: float) -> Tilt:
    """The saddle point for size `n` and sum `s`, or the least tilt where that is further out."""
    targets = len(a)
    low = LEAST_TILT / math.sqrt(n * (targets - n) / max(1, targets - 1))
    high = low
    while float(_at_size(a, n, high).chosen @ a) < s:
        low, high = high, 2 * high
        if high > 1e7:
            raise TooMany
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if float(_at_size(a, n, middle).chosen @ a) < s:
            low = middle
        else:
            high = middle
    return _at_size(a, n, high)


def _at_size(a: Floats, n: int, t: float) -> Tilt:
    """The tilt `t` with `l` solved so that the expected size is `n`: Newton inside a bracket."""
    low, high = -t * float(a.max()) - 40.0, -t * float(a.min()) + 40.0
    l = -t * float(np.sort(a)[::-1][n - 1 : n + 1].mean())  # noqa: E741
    for _ in range(200):
        chosen = _logistic(l + t * a)
        excess = float(chosen.sum()) - n
        if excess > 0:
            high = l
        else:
            low = l
        slope = float((chosen * (1 - chosen)).sum())
        step = l - excess / slope if slope > 0 else low
        following = step if low < step < high else (low + high) / 2
        if abs(following - l) <= 1e-15 * max(1.0, abs(l)):
            break
        l = following  # noqa: E741
    return Tilt(a, l, t, chosen)


def _integral(
    tilt: Tilt, n: int, s: float, h: float, refine: int, most: int, *, to_the_end: bool
) -> tuple[float, float, bool]:
    """E[exp(-t (S - s)); size = n, S >= s], what was cut off at its end, and if that is little."""
    from .kernels import characteristic

    weight = tilt.chosen * (1 - tilt.chosen)
    variance, size_variance = float(weight @ tilt.a**2), float(weight.sum())
    # The trapezoid rule with this step repeats the sum every `period`; where it repeats, exp(-t x)
    # has fallen under 1e-15. A whole, odd number of cells closes the circle on a coarse grid.
    period = tilt.t * variance + 8 * math.sqrt(variance) + 36 / tilt.t
    cells = 2 * (refine * math.ceil(period / h) // 2) + 1
    step = 2 * math.pi / (cells * h)
    turns = min(len(tilt.a) + 1, 16 + math.ceil(12 * math.sqrt(size_variance)))

    most = min(most, max(8 * BLOCK, MOST_FACTORS // (turns * len(tilt.a))))
    points = min(cells // 2 + 1, most * refine)
    total, done, settled = 0.0, 0, False
    while done < points:
        u = step * np.arange(done, min(done + BLOCK, points), dtype=np.float64)
        terms: Complex = characteristic(tilt.a, tilt.chosen, n, s, turns, u) * _kernel(tilt.t, u, h)
        terms[0] *= 0.5 if done == 0 else 1.0
        total += float(terms.real.sum())
        done += len(u)
        settled = bool(np.abs(terms).max() < NEGLIGIBLE * abs(total))
        if settled and not to_the_end:
            break
    if done == cells // 2 + 1:
        return total * step / math.pi, 0.0, True

    # What lies beyond is sampled at distances that grow by a constant factor, to a thousandfold or
    # half way round, and taken to have random signs from one deviation of the sum to the next.
    reach = math.log(min(1000.0, cells / 2 / done))
    u = step * done * np.exp(np.linspace(0, reach, PROBES))
    terms = characteristic(tilt.a, tilt.chosen, n, s, turns, u) * _kernel(tilt.t, u, h)
    area = float((np.abs(terms) ** 2 * u).mean()) * reach
    return total * step / math.pi, math.sqrt(area / math.sqrt(variance)) / math.pi, settled


def _kernel(t: float, u: Floats, h: float) -> Complex:
    return np.asarray(h / -np.expm1(-(t + 1j * u) * h))


def _logistic(z: Floats) -> Floats:
    return 0.5 * (1.0 + np.tanh(0.5 * z))


def _log_comb(targets: int, n: int) -> float:
    # Through the integer, because lgamma loses a digit in a thousand targets.
    return math.log(math.comb(targets, n))
