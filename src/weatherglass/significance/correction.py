"""Multiple-testing correction: adjusted p-values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import UsageError


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values by Holm's method, which controls the family-wise error rate.

    The r-th smallest of m p-values is multiplied by m - r + 1 and made no smaller than the one
    before it, and at most 1. Reject the null hypotheses whose adjusted p-value is at most the
    level; the chance of at least one false rejection is then at most the level, under any
    dependence.

    Parameters
    ----------
    p : array_like
        P-values in any order.

    Returns
    -------
    ndarray
        Adjusted p-values in the same order.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scand. J. Statist. 6, 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values, order = _sort(p)
    factors = len(values) - np.arange(len(values))
    return _restore_order(np.maximum.accumulate(values * factors), order)


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values by Benjamini and Hochberg's method, which controls the false discovery rate.

    The r-th smallest of m p-values is multiplied by m / r and made no larger than the one after it,
    and at most 1. Reject the null hypotheses whose adjusted p-value is at most the level; the
    expected share of false rejections is then at most the level, for independent or positively
    dependent tests.

    Parameters
    ----------
    p : array_like
        P-values in any order.

    Returns
    -------
    ndarray
        Adjusted p-values in the same order.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate.
       J. R. Statist. Soc. B 57, 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    values, order = _sort(p)
    factors = len(values) / np.arange(1, len(values) + 1)
    return _restore_order(np.minimum.accumulate((values * factors)[::-1])[::-1], order)


def _sort(p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise UsageError(f"p has {values.ndim} dimensions; it must be a list of p-values.")
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("p has a value outside 0 to 1; only p-values can be corrected.")
    order = np.argsort(values, kind="stable")
    return values[order], order


def _restore_order(adjusted: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    result = np.empty_like(adjusted)
    result[order] = np.minimum(adjusted, 1.0)
    return result
