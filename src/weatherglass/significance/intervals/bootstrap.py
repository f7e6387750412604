"""The BCa bootstrap: a confidence interval for any statistic of the words of two sets."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

from .effect import OTHER_TARGETS, check_words
from .interval import Interval, check_confidence

Floats = NDArray[np.float64]

Statistic = Callable[..., Any]
"""``statistic(x, y, axis=-1)``, vectorised along the last axis."""


def bootstrap_interval(
    x: ArrayLike,
    y: ArrayLike,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    n_resamples: int = 9_999,
    about: str = OTHER_TARGETS,
    rng: int | Generator | None = None,
) -> Interval:
    """Compute a confidence interval for a statistic of two sets by resampling their words.

    Each set is resampled with replacement on its own, and the percentiles are bias-corrected and
    accelerated (BCa) [1]_. The interval shows how far the statistic depends on which words were
    chosen to represent their category; the sample consists of words, not of people or texts. With
    few words it is too narrow; for the effect size, `effect_interval` covers better.

    Parameters
    ----------
    x, y : array_like
        One number per word; at least two words in each set.
    statistic : callable
        ``statistic(x, y, axis)``, vectorised along `axis`.
    confidence : float
        Between 0 and 1.
    n_resamples : int
        Number of resamples.
    about : str
        What would be drawn again; see `Interval`.
    rng : int or numpy.random.Generator, optional
        Random seed, or a generator, which is advanced. None is seed 0.

    Returns
    -------
    Interval

    Raises
    ------
    CannotMeasure
        If a set has fewer than two words, or the statistic is not finite for the sets or for any
        resample, where an interval over the remaining resamples would be too narrow. Also if BCa is
        undefined: if the statistic is the same whichever word is left out, or all resamples are on
        one side of it.

    References
    ----------
    .. [1] B. Efron (1987). Better bootstrap confidence intervals. J. Am. Statist. Assoc. 82,
       171-185.

    Examples
    --------
    >>> def difference(x, y, axis=-1):
    ...     return x.mean(axis=axis) - y.mean(axis=axis)
    >>> interval = bootstrap_interval([1.0, 2.0, 4.0], [0.0, 1.0, 1.0], difference, rng=0)
    >>> interval.method, interval.low < 5 / 3 < interval.high
    ('bca', True)
    """
    check_confidence(confidence)
    if n_resamples < 2:
        raise UsageError(f"n_resamples is {n_resamples}; it must be at least 2.")
    sets = (check_words(x, "x"), check_words(y, "y"))
    percentile = _bootstrap(
        sets,
        statistic,
        confidence,
        "percentile",
        n_resamples=n_resamples,
        random_state=np.random.default_rng(0 if rng is None else rng),
    )
    _check_finite(sets, statistic, percentile.bootstrap_distribution)
    # No further resamples: BCa corrects the percentiles of the same distribution.
    bca = _bootstrap(sets, statistic, confidence, "BCa", n_resamples=0, bootstrap_result=percentile)
    low, high = (float(end) for end in bca.confidence_interval)
    if not (math.isfinite(low) and math.isfinite(high)):
        raise CannotMeasure("The words vary too little for a BCa interval.")
    return Interval(low, high, confidence, "bca", n_resamples, about)


def _bootstrap(
    sets: tuple[Floats, Floats],
    statistic: Statistic,
    confidence: float,
    method: str,
    **options: Any,
) -> Any:
    """Call `scipy.stats.bootstrap` without its warnings: non-finite bounds say the same."""
    from scipy.stats import bootstrap

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return bootstrap(
            sets, statistic, vectorized=True, confidence_level=confidence, method=method, **options
        )


def _check_finite(sets: tuple[Floats, Floats], statistic: Statistic, distribution: Floats) -> None:
    with np.errstate(all="ignore"):
        observed = float(statistic(*sets, axis=-1))
    if not math.isfinite(observed):
        raise CannotMeasure("The statistic of the sets is not a finite number.")
    undefined = int((~np.isfinite(distribution)).sum())
    if undefined:
        raise CannotMeasure(
            f"The statistic is not a finite number on {undefined} of {len(distribution)} "
            "resamples; the sets have too few different values for a bootstrap."
        )
