"""Correction for many tests at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import UsageError


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Holm's adjusted p-values, which bound the chance of even one false rejection.

    The r-th smallest of m p-values is multiplied by m - r + 1 and made no smaller than the one
    before it. Reject where the result is at most the level; valid under any dependence.

    Parameters
    ----------
    p : array_like
        P-values in any order.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scand. J. Statist. 6, 65-70.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    values, order = _ascending(p)
    factors = len(values) - np.arange(len(values))
    return _restored(np.maximum.accumulate(values * factors), order)


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Benjamini and Hochberg's adjusted p-values, which bound the share of false rejections.

    The r-th smallest of m p-values is multiplied by m / r and made no larger than the one after
    it. Reject where the result is at most the level; valid for independent or positively dependent
    tests.

    Parameters
    ----------
    p : array_like
        P-values in any order.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate.
       J. R. Statist. Soc. B 57, 289-300.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    values, order = _ascending(p)
    factors = len(values) / np.arange(1, len(values) + 1)
    return _restored(np.minimum.accumulate((values * factors)[::-1])[::-1], order)


def _ascending(p: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise UsageError(f"p has {values.ndim} dimensions; it must be a list of p-values.")
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError("p has a value outside 0 to 1; correct p-values only.")
    order = np.argsort(values, kind="stable")
    return values[order], order


def _restored(adjusted: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    back = np.empty_like(adjusted)
    back[order] = np.minimum(adjusted, 1.0)
    return back
