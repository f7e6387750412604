"""The tail to be counted: associations as integers, and the sum a partition must reach.

Floats do not add up the same way twice: two partitions that tie on paper can differ in the last
bit. Everything in this package therefore counts with 64-bit integers:

1. Associations nearer to each other than 2^-40 of the largest magnitude (about 1e-12) are made
   equal, so words with the same vector have the same association whatever order their cosines
   were summed in.
2. All are rounded to a common grid, 2^-44 (6e-14) of the power of two below the largest magnitude.
   Nothing is centred first: the mean of floats carries noise of its own, and a shift changes no
   comparison between sets of one size.
3. Where all of them are, to within rounding, multiples of one step (ratings, decimals, thirds),
   they become those multiples, and ties are exact.
4. Elsewhere a partition reaches the observed sum when it falls short by no more than rounding can
   explain: half a cell for each target in which two partitions can differ. For a set of 25 that
   is 1e-12 of the largest association, and moves a p-value in its twelfth digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

Integers = NDArray[np.int64]

GRID_BITS = 44
SAME_BITS = 40
LEAST_STEP = 2.0**24
LEFT_OVER = 2.0**21


class TooMany(Exception):
    """A count would need more memory or time than was allowed; another method must be used."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The sets of `size` targets whose summed association is at least `threshold`.

    Attributes
    ----------
    values : ndarray of int64
        The associations of all targets on the integer grid, largest first.
    size : int
        How many targets a set has.
    threshold : int
        The least sum that counts.
    allowance : int
        How far the threshold was set below the observed sum on account of rounding; 0 where the
        integers are multiples of a common step, and exact.
    alike : int
        The number of sets that are the observed one but for a swap of equal associations.
    """

    values: Integers
    size: int
    threshold: int
    allowance: int
    alike: int

    @property
    def partitions(self) -> int:
        """The number of sets of this size, C(N, n)."""
        return math.comb(len(self.values), self.size)

    @property
    def limit(self) -> int:
        """How far below the largest possible sum a set may fall and still count."""
        return int(self.values[: self.size].sum()) - self.threshold

    @property
    def is_lower_half(self) -> bool:
        """Whether the threshold is below the mean sum, so that counting the rest is less work."""
        return self.threshold * len(self.values) < self.size * int(self.values.sum())

    def rest(self) -> Tail:
        """The sets that do not count here, as a tail of the negated associations."""
        return Tail(-self.values[::-1], self.size, 1 - self.threshold, self.allowance, self.alike)

    def on_finer_grid(self) -> Tail:
        """The same sets on a grid a million times finer, for a formula that needs no grid."""
        return Tail(self.values << 20, self.size, self.threshold << 20, 1, self.alike)

    def ties_at_the_top(self) -> int | None:
        """The size of the tail if only the largest possible sum is in it, otherwise None.

        Complete separation, where the saddle point of the tilted formula is at infinity: the sets
        in the tail differ only in which of the targets that tie with the last one in they take.
        """
        if not 0 <= self.limit <= self.allowance:
            return None
        last = self.values[self.size - 1]
        tied = int((self.values == last).sum())
        return math.comb(tied, self.size - int((self.values > last).sum()))

    def costs(self) -> tuple[Integers, Integers]:
        """What a set loses against the best one, target by target; never negative.

        The best set holds the first `size` targets. Measured from a pivot between the last of
        those and the next, leaving out one of them costs what it is above the pivot, and taking in
        another costs what that is below it. A set of the right size counts when its costs come to
        at most `limit`, and because no cost is negative, half a set that is over the limit can be
        dropped at once.
        """
        top, low = self.values[: self.size], self.values[self.size :]
        pivot = (int(top[-1]) + int(low[0])) // 2
        return top - pivot, pivot - low


def tail_of(x: ArrayLike, y: ArrayLike, *, greater: bool = True, resolution: float = 0.0) -> Tail:
    """The tail that the observed sets `x` and `y` cut off, upwards or downwards."""
    observed, others = _checked(x, "x"), _checked(y, "y")
    whole = on_grid(np.concatenate([observed, others]), resolution)
    multiples = as_multiples(whole)
    allowance = min(len(observed), len(others)) if multiples is None else 0
    whole = whole if multiples is None else multiples
    if not greater:
        whole = -whole
    threshold = int(whole[: len(observed)].sum()) - allowance
    descending = np.sort(whole)[::-1].copy()
    alike = _alike(whole, len(observed))
    return Tail(descending, len(observed), threshold, allowance, alike)


def on_grid(associations: NDArray[np.float64], resolution: float = 0.0) -> Integers:
    """The associations as integers, equal where they differ by noise only.

    Associations that differ by less than `resolution` are noise apart too.

    Examples
    --------
    >>> a = on_grid(np.array([0.3, 0.1 + 0.2, -0.5]))
    >>> bool(a[0] == a[1]), int(a[2]) == -(2**44)
    (True, True)
    """
    largest = float(np.abs(associations).max())
    if largest <= resolution or largest == 0.0:
        return np.zeros(len(associations), np.int64)
    # A power of two, so that scaling is exact; ldexp does it without overflow.
    exponent = math.frexp(largest)[1] - 1
    unit = np.ldexp(associations, -exponent)
    near = max(2.0**-SAME_BITS, math.ldexp(resolution, -exponent))
    order = np.argsort(unit, kind="stable")
    ascending = unit[order]
    starts = np.concatenate([[True], np.diff(ascending) > near])
    unit[order] = ascending[starts][np.cumsum(starts) - 1]
    return np.rint(np.ldexp(unit, GRID_BITS)).astype(np.int64)


def as_multiples(values: Integers) -> Integers | None:
    """The values as small multiples of one step above the least of them, if they are that.

    Euclid's algorithm with a tolerance: what rounding leaves over is far below the least step
    that is looked for (2^-20 of the largest value), so chance cannot make one up.

    Examples
    --------
    >>> as_multiples(on_grid(np.array([1 / 3, 1.0, -2 / 3])))
    array([3, 5, 0])
    >>> as_multiples(on_grid(np.array([0.3, np.pi, np.e, 1.0]))) is None
    True
    """
    above = (values - values.min()).astype(np.float64)
    if not above.any():
        return np.zeros_like(values)
    distinct = np.unique(above)
    step = 0.0
    for gap in np.unique(np.diff(distinct)).tolist():
        a, b = gap, step
        while b > LEFT_OVER:
            a, b = b, abs(a - round(a / b) * b)
        if a < LEAST_STEP:
            return None
        step = gap / round(gap / a)
    # From the short distances to the long ones, over which an error in the step would show.
    for value in distinct[1:].tolist():
        step = value / round(value / step)
    multiples = np.rint(above / step)
    if np.abs(above - multiples * step).max() > 4:
        return None
    whole: Integers = multiples.astype(np.int64)
    return whole


def _alike(values: Integers, size: int) -> int:
    _, which, members = np.unique(values, return_inverse=True, return_counts=True)
    taken = np.bincount(which[:size], minlength=len(members))
    return math.prod(map(math.comb, members.tolist(), taken.tolist()))


def _checked(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"{name} has {array.ndim} dimensions; it must be a list of numbers.")
    if array.size == 0:
        raise CannotMeasure(f"{name} is empty; a permutation test needs a target in each set.")
    if not np.isfinite(array).all():
        raise CannotMeasure(f"{name} has an association that is not a finite number.")
    return array
