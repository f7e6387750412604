"""The rotation p-value: the chance of such an alignment if directions were random."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

from .pvalue import Alternative, PValue, check_alternative, clamp_p
from .sampling import share_from_count


def rotation_p(u: ArrayLike, v: ArrayLike, *, alternative: Alternative = "greater") -> PValue:
    """Compute the p-value of the cosine of two directions under the rotational null hypothesis.

    The null hypothesis (Swinger et al. 2019, step 4) is that targets and attributes each keep their
    inner structure, but are related by a uniformly random (Haar) rotation of the whole space. For
    WEAT, with u = mean(X) - mean(Y) and v = mean(A) - mean(B), the statistic is a constant times
    c = cos(u, v), and under a random rotation c is the cosine of two random directions in d
    dimensions. Its tail (>= c) has a closed form: for c >= 0

        p = I(1 - c^2; (d - 1) / 2, 1/2) / 2,

    with I the regularised incomplete beta function, and 1 minus that for c < 0.

    Parameters
    ----------
    u, v : array_like
        Two vectors of the same length d, neither of them zero.
    alternative : {"greater", "less", "two-sided"}
        Cosines at least c, at most c, or twice the smaller of the two, at most 1.

    Returns
    -------
    PValue
        `low` and `high` equal the value. In one dimension, where a rotation can only keep or flip
        the sign, cosines tie: the value is 1/2 or 1.

    References
    ----------
    .. [1] N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai (2019).
       What are the biases in my word embedding? AIES.

    Examples
    --------
    >>> print(rotation_p([1.0, 0.0], [1.0, 1.0]))
    0.25
    >>> print(rotation_p([1.0, 0.0, 0.0], [1.0, 0.0, 0.001]))
    2.5e-07
    """
    check_alternative(alternative)
    a, b = _normalise(u, "u"), _normalise(v, "v")
    if len(a) != len(b):
        raise UsageError(
            f"u has {len(a)} dimensions and v has {len(b)}; they must have the same number."
        )
    outer_tail = _tail_of_cosine(a, b)
    if alternative == "two-sided":
        p = min(1.0, 2 * outer_tail)
    else:
        cosine = float(a @ b)
        is_same_side = cosine >= 0 if alternative == "greater" else cosine <= 0
        p = outer_tail if is_same_side else _opposite_tail(outer_tail, len(a))
    p = clamp_p(p)
    return PValue(p, p, p, "rotation", alternative)


def sampled_rotation_p(count: int, rotations: int) -> PValue:
    """Estimate a rotation p-value from the `count` of random rotations that reach the statistic.

    For statistics without a closed form under the null hypothesis of a random rotation; ties count.
    The value is (count + 1) / (rotations + 1), and the bounds are the 99 % Clopper-Pearson interval
    of count / rotations.

    >>> print(sampled_rotation_p(0, 9_999))
    1.0e-04
    """
    return PValue(*share_from_count(count, rotations), "rotation")


def _tail_of_cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return the chance of a cosine with this sign and at least this magnitude."""
    from scipy.special import betainc

    if len(a) == 1:
        return 0.5
    # sin^2 from the lengths of sum and difference: 1 - c^2 cancels if c is near 1.
    sine2 = float((a - b) @ (a - b)) * float((a + b) @ (a + b)) / 4
    if sine2 < 0.5:
        return 0.5 * float(betainc((len(a) - 1) / 2, 0.5, sine2))
    # I(1 - x; a, b) = 1 - I(x; b, a), which does not cancel if c is near 0.
    return 0.5 - 0.5 * float(betainc(0.5, (len(a) - 1) / 2, float(a @ b) ** 2))


def _opposite_tail(p: float, d: int) -> float:
    return 1.0 if d == 1 else 1.0 - p


def _normalise(vector: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(vector, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise UsageError(f"{name} has shape {array.shape}; it must be one vector.")
    if not np.isfinite(array).all():
        raise CannotMeasure(f"{name} has an entry that is not a finite number.")
    largest = float(np.abs(array).max())
    if largest == 0.0:
        raise CannotMeasure(f"{name} is the zero vector, which has no direction.")
    array = np.ldexp(array, -math.frexp(largest)[1])
    return np.asarray(array / np.sqrt(array @ array))
