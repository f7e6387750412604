"""A trend over ordered periods: the slope of a line, tested by permuted dates.

Each period has one value, such as the effect size of a model trained on its documents. The slope is
that of ordinary least squares. Weights of 1 / SE² would make it worse: with some twenty models per
period the standard errors are themselves noisy and biased, and periods whose error is too small by
chance would count most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure

from .difference import permuted_difference, share_as_far

MIN_PERIODS = 3
"""Periods from which there is a trend: two are a difference."""

_MIN_SPREAD = 1e-12

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trend:
    """The slope of a line through ordered values, and its tests.

    Attributes
    ----------
    slope
        Change per unit of time, by ordinary least squares.
    change
        Change along the line from the first period to the last.
    expected
        The slope expected if dates do not matter: the mean of the permuted slopes, or 0 if all
        periods have the same number of documents.
    se
        The standard error of the slope if dates do not matter.
    low, high
        slope ± t · se, a 95 % interval if documents of all periods differ by a shift only.
    p
        The two-sided p-value by rank among the permuted slopes.
    permutations
        The number of permuted slopes.
    residual_t, residual_df, residual_p
        Student's t of the slope by the residuals of the line, its degrees of freedom (periods − 2)
        and its two-sided p-value; None if the values lie on the line.
    """

    slope: float
    change: float
    expected: float
    se: float
    low: float
    high: float
    p: float
    permutations: int
    residual_t: float | None
    residual_df: int
    residual_p: float | None


def fit_slope(times: ArrayLike, values: ArrayLike) -> Floats:
    """Return the slope of ordinary least squares: Σ (t − t̄) θ / Σ (t − t̄)².

    Parameters
    ----------
    times
        When each period was.
    values
        θ, a value for each period; in a table, each row gets its slope.

    >>> float(fit_slope([1800, 1810, 1820], [0.1, 0.4, 0.7]).round(4))
    0.03
    """
    t = np.asarray(times, dtype=np.float64)
    centred = t - t.mean()
    slope: Floats = np.asarray(values, dtype=np.float64) @ centred / (centred @ centred)
    return slope


def trend(
    times: Sequence[float],
    values: Sequence[float],
    permuted: Sequence[Sequence[float]],
    *,
    equal_sizes: bool,
) -> Trend:
    """Test whether values rise or fall over time.

    Parameters
    ----------
    times
        When each period was; at least three different ones.
    values
        θ, the value of each period.
    permuted
        For each permutation the values of all periods after the dates of all documents were
        exchanged at random, the number of documents of each period kept; at least 2.
    equal_sizes
        Whether all periods have the same number of documents. Then all permuted values have the
        same mean, and the expected slope is 0; otherwise it is estimated, as the effect of a small
        corpus differs from that of a large one.

    Notes
    -----
    With b = Σ (t − t̄) θ / Σ (t − t̄)² and the same slope b* of each of B permutations, p is the
    share of all B + 1 slopes, the observed one included, whose distance from their centre is at
    least that of the observed one; the centre is 0 for equal sizes, otherwise their mean. The null
    hypothesis is that documents of all periods are exchangeable: p is exact, whatever the
    distribution of the values. Periods that differ without a direction, such as wars, violate it
    as well. The residual t measures the slope by how far periods are from the line, so that such
    shocks count as noise:

        t = b / √(Σ r² / (G − 2) / Σ (t − t̄)²),   df = G − 2 for G periods.

    Raises
    ------
    CannotMeasure
        There are fewer than three periods or two permutations, or all permuted slopes are the same.

    Examples
    --------
    >>> permuted = [[0.3, 0.2, 0.4, 0.3], [0.4, 0.3, 0.2, 0.3], [0.2, 0.3, 0.3, 0.4]]
    >>> result = trend([1800, 1810, 1820, 1830], [0.1, 0.3, 0.4, 0.7], permuted, equal_sizes=True)
    >>> round(result.slope, 3), round(result.change, 2), result.p, round(result.residual_p, 3)
    (0.019, 0.57, 0.25, 0.019)
    """
    t, theta = np.asarray(times, dtype=np.float64), np.asarray(values, dtype=np.float64)
    periods = len(np.unique(t))
    if periods < MIN_PERIODS:
        raise CannotMeasure(f"A trend needs at least {MIN_PERIODS} periods; there are {periods}.")
    slope = float(fit_slope(t, theta))
    drawn = fit_slope(t, np.asarray(permuted, dtype=np.float64).reshape(len(permuted), len(t)))
    test = permuted_difference(slope, drawn.tolist(), equal_sizes=equal_sizes)
    residual_t, residual_p = _residual_test(t, theta, slope)
    return Trend(
        slope=slope,
        change=slope * float(t.max() - t.min()),
        expected=test.expected,
        se=test.se,
        low=test.low,
        high=test.high,
        p=share_as_far(slope, drawn, equal_sizes),
        permutations=len(drawn),
        residual_t=residual_t,
        residual_df=len(t) - 2,
        residual_p=residual_p,
    )


def _residual_test(t: Floats, theta: Floats, slope: float) -> tuple[float | None, float | None]:
    """Return Student's t of the slope by the residuals, and its two-sided p-value."""
    from scipy.stats import t as student

    centred = t - t.mean()
    residuals = theta - theta.mean() - slope * centred
    df = len(t) - 2
    squares = float(residuals @ residuals)
    if squares <= _MIN_SPREAD * max(_MIN_SPREAD, float((theta - theta.mean()) @ theta)):
        return None, None
    statistic = slope / float(np.sqrt(squares / df / (centred @ centred)))
    return statistic, float(2 * student.sf(abs(statistic), df))
