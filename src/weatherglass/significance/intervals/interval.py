"""Confidence intervals, and confidence distributions by quadrature.

An estimate with a normal error whose standard deviation was estimated too has, as its confidence
distribution, a mixture of normal distributions over the distribution of that estimate. Quantiles
of the mixture are the ends of a confidence interval. For Student's t this is the inversion of the
noncentral t distribution. `scipy.stats.nct.cdf` is not used: it returns NaN for some arguments
that occur in small samples.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import UsageError

IntervalMethod = Literal[
    "noncentral t",
    "crossed",
    "bca",
    "fisher z",
    "runs",
    "permutation",
    "documents",
    "percentile",
    "jackknife",
]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, and the method that computed it.

    Attributes
    ----------
    low, high, confidence : float
        Its ends, and its nominal coverage. The coverage that was measured is lower for some
        populations; ``docs/methods/weat.md`` states it.
    method : str
        ``noncentral t``, ``crossed``, ``bca`` (bootstrap), ``fisher z``, ``runs`` (the share of
        repeated runs), ``permutation`` (the values that a permutation test does not reject),
        ``documents`` (bootstrap samples of documents), ``percentile`` (bootstrap), or
        ``jackknife``.
    n_resamples : int
        How many resamples or runs it was computed from; 0 for a method without randomness.
    about : str
        What would be drawn again: "other target words", "other words in all four sets". Empty in
        results of older versions.
    note : str
        Why it may cover less often than it states; usually empty.
    """

    low: float
    high: float
    confidence: float
    method: IntervalMethod
    n_resamples: int = 0
    about: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, float | int | str]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    @property
    def title(self) -> str:
        """What to call it in a sentence.

        >>> Interval(0.1, 0.9, 0.95, "noncentral t", about="other target words").title
        '95 % confidence interval over other target words'
        """
        over = f" over {self.about}" if self.about else ""
        kind = "interval" if self.method == "runs" else "confidence interval"
        return f"{100 * self.confidence:g} % {kind}{over}"


Floats = NDArray[np.float64]

NODES = 96
_MAX_STEPS = 200
_TOLERANCE = 1e-10
_TAIL = 12.0  # standard deviations; a normal distribution has no mass in floats beyond them


def chi_quadrature(df: float, nodes: int = NODES) -> tuple[Floats, Floats]:
    """Return values of sqrt(χ²/df) and their weights: Gauss-Legendre nodes over its quantiles."""
    from scipy.special import gammaincinv

    quantiles, weights = legendre_quadrature(nodes)
    return np.sqrt(2 * gammaincinv(df / 2, quantiles) / df), weights


@cache
def legendre_quadrature(nodes: int) -> tuple[Floats, Floats]:
    """Return points between 0 and 1, and their weights in the mean of a function over them."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return (points + 1) / 2, weights / 2


def noncentral_t_cdf(t: float, df: float, noncentrality: float) -> float:
    """Return P(T ≤ t) of the noncentral t distribution: E Φ(t·s − λ) over s = sqrt(χ²/df).

    >>> round(noncentral_t_cdf(2.0, 14.0, 0.0), 6), round(noncentral_t_cdf(2.0, 14.0, 2.0), 6)
    (0.967357, 0.486223)
    """
    from scipy.special import ndtr

    scale, weights = chi_quadrature(df)
    return float(weights @ ndtr(t * scale - noncentrality))


def mixture_interval(
    means: ArrayLike, deviations: ArrayLike, weights: ArrayLike, confidence: float
) -> tuple[float, float]:
    """Return the quantiles of a mixture of normal distributions that enclose `confidence`."""
    mean, deviation, weight = map(np.ravel, np.broadcast_arrays(means, deviations, weights))
    low, high = (
        _mixture_quantile(mean, deviation, weight, (1 + side * confidence) / 2) for side in (-1, 1)
    )
    return low, high


def _mixture_quantile(means: Floats, deviations: Floats, weights: Floats, share: float) -> float:
    """Return a quantile by Newton's method, with bisection where a step leaves the bracket."""
    from scipy.special import ndtr

    low = float((means - _TAIL * deviations).min())
    high = float((means + _TAIL * deviations).max())
    densities = weights / deviations / math.sqrt(2 * math.pi)
    x = float(weights @ means)
    for _ in range(_MAX_STEPS):
        z = (x - means) / deviations
        excess = float(weights @ ndtr(z)) - share
        low, high = (x, high) if excess < 0 else (low, x)
        slope = float(densities @ np.exp(-z * z / 2))
        following = x - excess / slope if slope > 0 else math.inf
        if not low < following < high:
            following = low + (high - low) / 2
        if abs(following - x) <= _TOLERANCE * (1 + abs(x)):
            return following
        x = following
    return x


def check_confidence(confidence: float) -> None:
    """Raise `UsageError` unless `confidence` is between 0 and 1."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence is {confidence}; it must be between 0 and 1.")
