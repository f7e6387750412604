"""Power: which effects and correlations a test can find, and how many words it would need.

The permutation test of two sets has nearly the power of the t test at the level that its number of
partitions allows; `benchmarks/studies/power.py` measures how nearly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError

from .intervals import chi_quadrature
from .pvalue import Alternative, check_alternative, clamp_p, format_p

ALPHA = 0.05
POWER = 0.8
MAX_WORDS = 100_000  # per set; a smaller effect is not worth a number

_TOLERANCE = 1e-9
_MAX_COUNTED = 1000  # words, whose partitions are a float
_Spreads = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Power:
    """What a test can find with its numbers of words.

    Attributes
    ----------
    kind : str
        ``"effect size"``, ``"correlation"`` or ``"difference"``.
    sizes : tuple of int
        The number of words in X and in Y, or in W; of a difference, documents in each group.
    alpha, alternative
        The level of the test, and its alternative hypothesis.
    power : float
        The probability with which `detectable` is found.
    smallest_p : float or None
        The smallest p-value that a permutation test can give; above `alpha`, nothing can be found.
        None for a correlation.
    detectable : float or None
        The smallest effect or correlation, regardless of sign, that is found with this power. None
        if there is none, because even the largest possible one would not be found so often.
    difference : float or None
        `detectable` as a difference of mean associations, given the spread of these words.
    unit : str
        What `sizes` count.

    Examples
    --------
    >>> power = effect_power(8, 8)
    >>> round(power.detectable, 2), power.smallest_p == 1 / 12870
    (1.09, True)
    >>> print(power)
    with 8+8 words this test detects effect sizes of 1.09 or more (80 % power)
    """

    kind: Literal["effect size", "correlation", "difference"]
    sizes: tuple[int, ...]
    alpha: float
    alternative: Alternative
    power: float
    smallest_p: float | None
    detectable: float | None
    difference: float | None = None
    unit: str = "words"

    @property
    def can_be_significant(self) -> bool:
        """Whether any outcome has a p-value of at most `alpha`."""
        return self.smallest_p is None or self.smallest_p <= self.alpha

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        words = f"with {'+'.join(map(str, self.sizes))} {self.unit}"
        level = "" if self.alpha == ALPHA else f" at p ≤ {self.alpha:.2g}"
        if self.smallest_p is not None and not self.can_be_significant:
            return (
                f"{words} this test cannot be significant{level}: its smallest possible p is "
                f"{format_p(self.smallest_p)}"
            )
        if self.detectable is None:
            return (
                f"{words} this test detects no {self.kind} with {100 * self.power:g} % power{level}"
            )
        return (
            f"{words} this test detects {self.kind}s of {self.detectable:.2f} or more "
            f"({100 * self.power:g} % power{level})"
        )


def smallest_p(n: int, m: int, alternative: Alternative = "greater") -> float:
    """Return the smallest p-value of a permutation test of n against m words without ties.

    One of C(n + m, n) partitions; twice that if the test is two-sided.

    >>> smallest_p(3, 3), smallest_p(3, 3, "two-sided")
    (0.05, 0.1)
    """
    sides = 2 if alternative == "two-sided" else 1
    if n + m > _MAX_COUNTED:
        log = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
        return clamp_p(sides * math.exp(-log))
    return clamp_p(sides / math.comb(n + m, n))


def effect_power(
    n: int,
    m: int,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
    alternative: Alternative = "greater",
    spreads: tuple[float, float] | None = None,
) -> Power:
    """Return what a permutation test of n against m words can find.

    Parameters
    ----------
    n, m
        The number of words in X and in Y.
    alpha, power, alternative
        Level, wanted power and alternative of the test.
    spreads
        The standard deviations of the associations of X and of Y; equal by default. Their ratio
        matters for sets of unequal size, their size for the difference of means.

    Notes
    -----
    The associations of X and Y are taken as normal with means that differ by Δ. The test rejects
    at the level α' = k / C(n + m, n), the largest such number up to α. Its power is that of the t
    test at α': P(Z h + λ > t s) with λ = Δ / (σ sqrt(1/n + 1/m)) and s = sqrt(χ²/f), where the
    degrees of freedom f (Satterthwaite) and the scale h account for unequal standard deviations.
    """
    check_settings(n, m, alpha, alternative, power)
    pair = spreads or (1.0, 1.0)
    smallest = smallest_p(n, m, alternative)
    detectable = difference = None
    if smallest <= alpha:
        share = n * m / (n + m) ** 2
        bound = _to_noncentrality(_largest_effect(n, m), n, m)

        def misses(noncentrality: float) -> float:
            return _rejection(noncentrality, n, m, alpha, alternative, pair) - power

        noncentrality = _solve(misses, bound)
        if noncentrality is not None:
            delta = noncentrality * math.sqrt(1 / n + 1 / m)
            detectable = delta / math.sqrt(1 + share * delta**2)
            within = (n * pair[0] ** 2 + m * pair[1] ** 2) / (n + m)
            difference = delta * math.sqrt(within) if spreads else None
    return Power("effect size", (n, m), alpha, alternative, power, smallest, detectable, difference)


def power_of_effect(
    effect: float,
    n: int,
    m: int,
    *,
    alpha: float = ALPHA,
    alternative: Alternative = "greater",
    spreads: tuple[float, float] | None = None,
) -> float:
    """Return the probability that a permutation test of n against m words finds an effect.

    The sign of the effect does not matter: it is taken to be in the direction that is tested.

    >>> round(power_of_effect(0.9, 8, 8), 2), round(power_of_effect(0.9, 25, 25), 2)
    (0.61, 0.97)
    """
    check_settings(n, m, alpha, alternative)
    size = abs(effect)
    if size >= _largest_effect(n, m):
        raise UsageError(
            f"The effect size is {effect:g}; with {n}+{m} words it is below "
            f"{_largest_effect(n, m):.2f}."
        )
    noncentrality = _to_noncentrality(size, n, m)
    return _rejection(noncentrality, n, m, alpha, alternative, spreads or (1.0, 1.0))


def words_needed(
    effect: float,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
    alternative: Alternative = "greater",
) -> int:
    """Return how many words X and Y each need, so that an effect is found with this power.

    >>> words_needed(0.9), words_needed(0.5)
    (13, 48)
    """
    check_settings(2, 2, alpha, alternative, power)
    if not 0 < abs(effect) < 2:
        raise UsageError(f"The effect size is {effect:g}; it must be between 0 and 2.")

    return _smallest_size(
        lambda n: power_of_effect(effect, n, n, alpha=alpha, alternative=alternative) >= power,
        2,
        "effect size",
    )


def correlation_power(n: int, *, alpha: float = ALPHA, power: float = POWER) -> Power:
    """Return the smallest correlation that n words can show, with a two-sided test of Pearson's r.

    With r' the critical value and Fisher's z, the correlation ρ solves atanh ρ + ρ / (2 (n − 1)) =
    atanh r' + z_power / sqrt(n − 3).

    >>> round(correlation_power(50).detectable, 2)
    0.38
    """
    if n < 3:
        raise UsageError(f"There are {n} words; a correlation needs at least 3.")
    _check_share("alpha", alpha)
    _check_share("power", power)
    detectable = None
    if n > 3:
        z = _solve(lambda z: power_of_correlation(math.tanh(z), n, alpha=alpha) - power, 20.0)
        detectable = None if z is None else math.tanh(z)
    return Power("correlation", (n,), alpha, "two-sided", power, None, detectable)


def power_of_correlation(correlation: float, n: int, *, alpha: float = ALPHA) -> float:
    """Return the probability that n words show a correlation, in the direction that it has.

    >>> round(power_of_correlation(0.5, 20), 2), round(power_of_correlation(0.5, 50), 2)
    (0.64, 0.97)
    """
    from scipy.special import ndtr, stdtrit

    if not abs(correlation) < 1:
        raise UsageError(f"The correlation is {correlation:g}; it must be between -1 and 1.")
    if n < 4:
        raise UsageError(f"There are {n} words; the power of a correlation needs at least 4.")
    _check_share("alpha", alpha)
    t = float(stdtrit(n - 2, 1 - alpha / 2))
    critical = math.asinh(t / math.sqrt(n - 2))  # Fisher's z of the critical correlation
    size = abs(correlation)
    expected = math.atanh(size) + size / (2 * (n - 1))
    return float(ndtr((expected - critical) * math.sqrt(n - 3)))


def words_for_correlation(correlation: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """Return how many words are needed to show a correlation with this power.

    >>> words_for_correlation(0.5)
    29
    """
    if not 0 < abs(correlation) < 1:
        raise UsageError(f"The correlation is {correlation:g}; it must be above 0 and below 1.")
    _check_share("power", power)
    return _smallest_size(
        lambda n: power_of_correlation(correlation, n, alpha=alpha) >= power, 4, "correlation"
    )


def _smallest_size(suffices: Callable[[int], bool], least: int, kind: str) -> int:
    """Return the smallest number of words that suffices; more words must not be worse."""
    high = least
    while not suffices(high):
        high *= 2
        if high > MAX_WORDS:
            raise CannotMeasure(f"Such a small {kind} needs more than {MAX_WORDS:,} words.")
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle + 1, high)
    return high


def _rejection(
    noncentrality: float,
    n: int,
    m: int,
    alpha: float,
    alternative: Alternative,
    spreads: _Spreads,
) -> float:
    """Return the power of the t test at the level that the number of partitions allows."""
    from scipy.special import ndtr, stdtrit

    sides = 2 if alternative == "two-sided" else 1
    level = alpha / sides
    if n + m <= _MAX_COUNTED:  # with more words, the levels are so many that any can be had
        partitions = math.comb(n + m, n)
        level = math.floor(level * (1 + _TOLERANCE) * partitions) / partitions
    if level == 0:
        return 0.0
    t = -float(stdtrit(n + m - 2, level))
    vx, vy = spreads[0] ** 2, spreads[1] ** 2
    weights = np.array([n - 1.0, m - 1.0])
    variances = np.array([vx, vy])
    pooled = float(weights @ variances) / (n + m - 2)
    df = float(weights @ variances) ** 2 / float(weights @ variances**2)
    scale = math.sqrt((vx / n + vy / m) / (pooled * (1 / n + 1 / m)))
    ratio, weight = chi_quadrature(df)
    rejection = float(weight @ ndtr((noncentrality - t * ratio) / scale))
    if sides == 2:
        rejection += float(weight @ ndtr((-noncentrality - t * ratio) / scale))
    return rejection


def _solve(function: Callable[[float], float], bound: float) -> float | None:
    """Return where an increasing function is zero, between 0 and a bound; None if it is not."""
    low, high = 0.0, 1.0
    while function(high) < 0:
        low, high = high, 2 * high
        if high > bound:
            return None
    while high - low > _TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high


def _largest_effect(n: int, m: int) -> float:
    """The effect size that no population exceeds: 2 for sets of equal size."""
    return (n + m) / math.sqrt(n * m)


def _to_noncentrality(effect: float, n: int, m: int) -> float:
    share = n * m / (n + m) ** 2
    remainder = 1 - share * effect**2
    if remainder <= 0:
        return 1e6  # sets without any overlap
    return effect / math.sqrt(remainder) / math.sqrt(1 / n + 1 / m)


def check_settings(
    n: int, m: int, alpha: float, alternative: Alternative, power: float = POWER
) -> None:
    """Raise `UsageError` on sizes, levels and alternatives that no test has."""
    if min(n, m) < 2:
        raise UsageError(f"The sets have {n} and {m} words; each needs at least 2.")
    check_alternative(alternative)
    _check_share("alpha", alpha)
    _check_share("power", power)


def _check_share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise UsageError(f"{name} is {value:g}; it must be between 0 and 1.")
