"""The rotation p-value: are targets and attributes aligned by chance?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

from .pvalue import Alternative, PValue, above_zero, check_alternative
from .sampling import counted_share


def rotation_p(u: ArrayLike, v: ArrayLike, *, alternative: Alternative = "greater") -> PValue:
    """The p-value of the cosine of two directions under the rotational null hypothesis.

    The null hypothesis (Swinger et al. 2019, step 4) is that targets and attributes each have their
    own inner order, and a rotation of the whole space that is drawn at random (Haar) lies between
    the two. For WEAT, with u = mean(X) - mean(Y) and v = mean(A) - mean(B), the statistic is a
    constant times c = cos(u, v), and a random rotation makes c the cosine of two random directions
    in d dimensions. Its tail needs no sampling: for c >= 0

        p = I(1 - c^2; (d - 1) / 2, 1/2) / 2,

    with I the regularised incomplete beta function, and 1 minus that for c < 0.

    Parameters
    ----------
    u, v : array_like
        Two vectors of one length d, neither of them zero.
    alternative : {"greater", "less", "two-sided"}
        Cosines at least c, at most c, or twice the smaller of the two, which is at most 1.

    Returns
    -------
    PValue
        A closed form: `low` and `high` are the value. In one dimension, where a rotation can only
        keep or flip the sign, cosines tie: the value is 1/2 or 1.

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
    a, b = _direction(u, "u"), _direction(v, "v")
    if len(a) != len(b):
        raise UsageError(f"u has {len(a)} dimensions and v has {len(b)}; they must have as many.")
    beyond = _beyond(a, b)
    if alternative == "two-sided":
        p = min(1.0, 2 * beyond)
    else:
        towards = float(a @ b) >= 0
        same_side = towards if alternative == "greater" else not towards or float(a @ b) == 0
        p = beyond if same_side else _opposite(beyond, len(a))
    p = above_zero(p)
    return PValue(p, p, p, "rotation", alternative)


def sampled_rotation_p(count: int, rotations: int) -> PValue:
    """The p-value of a score that `count` of so many random rotations reached, as it did itself.

    For statistics whose rotation null has no closed form. The value is (count + 1) / (rotations +
    1), the ends are the 99 % Clopper-Pearson interval of count / rotations.

    >>> print(sampled_rotation_p(0, 9_999))
    1.0e-04
    """
    return PValue(*counted_share(count, rotations), "rotation")


def _beyond(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The chance of a cosine of this sign and at least this large."""
    from scipy.special import betainc

    if len(a) == 1:
        return 0.5
    # sin^2 through the lengths of sum and difference: 1 - c^2 has no digits left where c is near 1.
    sine2 = float((a - b) @ (a - b)) * float((a + b) @ (a + b)) / 4
    if sine2 < 0.5:
        return 0.5 * float(betainc((len(a) - 1) / 2, 0.5, sine2))
    # I(1 - x; a, b) = 1 - I(x; b, a), which keeps the digits where c is near 0.
    return 0.5 - 0.5 * float(betainc(0.5, (len(a) - 1) / 2, float(a @ b) ** 2))


def _opposite(beyond: float, d: int) -> float:
    return 1.0 if d == 1 else 1.0 - beyond


def _direction(vector: ArrayLike, name: str) -> NDArray[np.float64]:
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
