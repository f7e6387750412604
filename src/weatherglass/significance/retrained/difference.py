"""Inference from models that were trained again: on permuted documents, or on bootstrap samples.

A model is expensive, so there are few of them, usually 20. The share of so few permuted differences
that reach the observed one is too coarse for a p-value; their standard deviation, with Student's t,
is not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from weatherglass.errors import CannotMeasure

MIN_FOR_RANK = 99
"""Permutations from which p is a share; with 99, the smallest possible p is 0.01."""
MIN_FOR_INTERVAL = 20
"""Bootstrap samples from which there is an interval: coverage was measured with so many."""
CONFIDENCE = 0.95

_MIN_SPREAD = 1e-12


@dataclass(frozen=True, slots=True)
class PermutedDifference:
    """A test of a difference by permuted differences.

    Attributes
    ----------
    expected
        The difference expected under the null hypothesis: the mean of the permuted differences, or
        0 if both groups have the same size.
    se
        The standard error of the difference under the null hypothesis.
    low, high
        The confidence interval, difference ± t · se. It assumes that the corpora differ by a shift
        only, so that the spread is what it is under the null hypothesis.
    p, method
        The two-sided p-value, and how it was computed: by Student's ``t``, or by ``rank``.
    """

    expected: float
    se: float
    low: float
    high: float
    p: float
    method: Literal["t", "rank"]


def permuted_difference(
    difference: float, permuted: Sequence[float], *, equal_sizes: bool
) -> PermutedDifference:
    """Test a difference of two groups by the differences after members were exchanged at random.

    Parameters
    ----------
    difference
        D, the observed difference.
    permuted
        D*, the difference for each random division of the members of both groups into two groups
        of the same sizes as the observed ones; B of them, at least 2.
    equal_sizes
        Whether the groups have the same number of members. Exchanging the two groups then changes
        only the sign of a difference, so that its mean is 0 and is not estimated.

    Notes
    -----
    The null hypothesis is that the members of both groups are exchangeable; a difference in spread
    violates it as well as a difference in level. D is then a draw from the distribution of D*. With
    its mean D̄* and its standard deviation s* (ddof 1),

        t = (D − D̄*) / (s* √(1 + 1/B)),   df = B − 1,

    where the root accounts for the mean being estimated. For equal sizes

        t = D / s*,   s*² = Σ D*² / B,   df = B.

    From 99 permutations on, p is the share of all B + 1 differences, the observed one included,
    whose distance from their mean (from 0 for equal sizes) is at least that of the observed one.
    That is exact whatever the distribution.

    Raises
    ------
    CannotMeasure
        There are fewer than two permuted differences, or all are the same.

    Examples
    --------
    >>> test = permuted_difference(3.0, [1.0, -1.0, 1.0, -1.0], equal_sizes=True)
    >>> test.se, round(test.p, 4), test.method
    (1.0, 0.0399, 't')
    """
    from scipy.stats import t

    values = np.array(permuted, dtype=np.float64)
    count = len(values)
    if count < 2:
        raise CannotMeasure(f"A test needs at least two permutations; there are {count}.")
    if equal_sizes:
        expected, degrees_of_freedom = 0.0, count
        se = math.sqrt(float(values @ values) / count)
    else:
        expected, degrees_of_freedom = float(values.mean()), count - 1
        se = float(values.std(ddof=1)) * math.sqrt(1 + 1 / count)
    if se <= _MIN_SPREAD:
        raise CannotMeasure("All permuted differences are the same.")
    margin = float(t.ppf((1 + CONFIDENCE) / 2, degrees_of_freedom)) * se
    if count < MIN_FOR_RANK:
        p = float(2 * t.sf(abs(difference - expected) / se, degrees_of_freedom))
    else:
        p = share_as_far(difference, values, equal_sizes)
    return PermutedDifference(
        expected,
        se,
        difference - margin,
        difference + margin,
        p,
        "t" if count < MIN_FOR_RANK else "rank",
    )


def share_as_far(observed: float, permuted: np.ndarray, equal_sizes: bool) -> float:
    """Return the share of all values that are at least as far from their centre as the observed.

    >>> share_as_far(3.0, np.array([1.0, -3.0, 2.0]), equal_sizes=True)
    0.5
    """
    everything = np.concatenate([[observed], permuted])
    # The centre includes the observed value: every value must be treated alike.
    centre = 0.0 if equal_sizes else everything.mean()
    distances = np.abs(everything - centre)
    tolerance = 1e-12 * max(1.0, float(distances.max()))  # a division drawn again must be a tie
    return float((distances >= distances[0] - tolerance).mean())


def retrained_interval(estimate: float, samples: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of an estimate by its bootstrap samples; None if they are too few.

    The interval is θ ± t · sd, where θ is the estimate on all documents, sd the standard deviation
    of the B bootstrap samples (ddof 1), and t the 97.5 % point of Student's t with B − 1 degrees of
    freedom. It contains its estimate, which percentiles of the samples need not: a model trained on
    a sample has fewer distinct documents, which shifts its effects.

    >>> low, high = retrained_interval(1.0, [0.5, 0.7] * 10)
    >>> round(low, 3), round(high, 3)
    (0.785, 1.215)
    >>> retrained_interval(1.0, [0.5, 0.7]) is None
    True
    """
    from scipy.stats import t

    if len(samples) < MIN_FOR_INTERVAL:
        return None
    sd = float(np.std(samples, ddof=1))
    margin = float(t.ppf((1 + CONFIDENCE) / 2, len(samples) - 1)) * sd
    return estimate - margin, estimate + margin
