"""A confidence interval for a correlation over the words that it was computed from."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

from .effect_interval import check_words
from .interval import Interval, check_confidence

Floats = NDArray[np.float64]

MIN_WORDS = 5  # fewer leave-one-out correlations say nothing about their variance

_MAX_CORRELATION = 1 - 1e-12  # Fisher's z of 1 is infinite


def correlation_interval(
    x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95, about: str = "other words"
) -> Interval:
    """Compute a confidence interval for Pearson's correlation over other words.

    For Spearman's correlation, pass ranks.

    Parameters
    ----------
    x, y : array_like
        Two numbers per word; at least five words.
    confidence : float
        Between 0 and 1.
    about : str
        What would be drawn again; see `Interval`.

    Raises
    ------
    CannotMeasure
        If there are fewer than five words, or all have the same number.

    Notes
    -----
    z = atanh r has the variance 1 / (n − 3) if both numbers are normal. Shares between 0 and 1 and
    facts with two peaks have another, which leaving out each word in turn estimates (the jackknife
    [1]_), with an error that is large for few words. So the variance is

        (1 + (J (n − 3) − 1) n / (n + 10)) / (n − 3)

    with J the jackknife's, and the ends are tanh(z ± q sqrt(variance)), with q the quantile of
    Student's t with n − 2 degrees of freedom.

    References
    ----------
    .. [1] D. V. Hinkley (1978). Improving the jackknife with special reference to correlation
       estimation. Biometrika 65, 13-21.

    Examples
    --------
    >>> interval = correlation_interval(range(10), [0, 2, 1, 4, 3, 5, 7, 6, 9, 8])
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.83, 0.99)
    """
    from scipy.special import stdtrit

    check_confidence(confidence)
    first, second = check_words(x, "x"), check_words(y, "y")
    n = len(first)
    if len(second) != n:
        raise UsageError(f"x has {n} numbers and y has {len(second)}; they must be as many.")
    if n < MIN_WORDS:
        raise CannotMeasure(f"There are {n} words; the interval needs at least {MIN_WORDS}.")
    a, b = _standardise(first), _standardise(second)
    z = float(_fisher_z(np.asarray(a @ b / n)))
    left_out = _leave_one_out(a, b)
    jackknife = (n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum())
    variance = (1 + (jackknife * (n - 3) - 1) * n / (n + 10)) / (n - 3)
    half = float(stdtrit(n - 2, (1 + confidence) / 2)) * math.sqrt(variance)
    return Interval(math.tanh(z - half), math.tanh(z + half), confidence, "fisher z", 0, about)


def _standardise(values: Floats) -> Floats:
    scale = float(np.abs(values).max())
    centred = values / scale if scale > 0 else values
    centred = centred - centred.mean()
    deviation = float(centred.std())
    if deviation <= 1e-13:
        raise CannotMeasure("All words have the same number; there is no correlation.")
    result: Floats = centred / deviation
    return result


def _leave_one_out(a: Floats, b: Floats) -> Floats:
    """Return Fisher's z of the correlation without each word, from standardised numbers."""
    n = len(a)

    def moment(p: Floats, q: Floats) -> Floats:
        left: Floats = (float(p @ q) - p * q) / (n - 1) - p * q / (n - 1) ** 2
        return left

    covariance, product = moment(a, b), moment(a, a) * moment(b, b)
    # Without one of its two values, a number no longer varies: such a word decides everything.
    correlation = np.where(product > 1e-12, covariance / np.sqrt(np.maximum(product, 1e-12)), 0)
    return _fisher_z(correlation)


def _fisher_z(r: Floats) -> Floats:
    z: Floats = np.arctanh(np.clip(r, -_MAX_CORRELATION, _MAX_CORRELATION))
    return z
