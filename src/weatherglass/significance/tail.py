"""The tail of the permutation distribution: associations as integers, and the sum to reach.

Floating-point sums depend on the order of addition, so two partitions that tie on paper can differ
in the last bit. Everything in this package therefore counts with 64-bit integers:

1. Associations that differ by less than 2^-40 of the largest magnitude (about 1e-12) are made
   equal, so that words with the same vector have the same association, whatever the order in which
   their cosines were summed.
2. All are rounded to a common grid, 2^-44 (6e-14) of the power of two below the largest magnitude.
   Nothing is centred first: the mean of floats carries rounding noise of its own, and a shift
   changes no comparison between sets of the same size.
3. If all are, to within rounding, multiples of one step (ratings, decimals, thirds), they become
   those multiples, and ties are exact.
4. Otherwise a partition reaches the observed sum if it falls short by no more than rounding can
   explain: half a cell for each target in which two partitions can differ. For a set of 25 that
   is 1e-12 of the largest association, and changes a p-value in its twelfth digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

Integers = NDArray[np.int64]

GRID_BITS = 44
SAME_BITS = 40

MIN_STEP = 2.0**24
"""Smallest common step that is searched for, in grid cells: 2^-20 of the largest value."""

MAX_REMAINDER = 2.0**21
"""Remainder of Euclid's algorithm, in grid cells, that rounding can explain."""


class MethodFailed(Exception):
    """A method needs more memory or time than allowed, or has no solution; try another one."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The sets of `size` targets whose summed association is at least `threshold`.

    Attributes
    ----------
    values : ndarray of int64
        Associations of all N targets on the integer grid, in descending order.
    size : int
        Number of targets in a set, n.
    threshold : int
        Smallest sum in the tail.
    allowance : int
        How far the threshold is below the observed sum to allow for rounding; 0 if the integers
        are multiples of a common step, and therefore exact.
    equivalent : int
        Number of sets that differ from the observed one only by swaps of equal associations,
        including the observed one.
    """

    values: Integers
    size: int
    threshold: int
    allowance: int
    equivalent: int

    @property
    def partitions(self) -> int:
        """Number of sets of this size, C(N, n)."""
        return math.comb(len(self.values), self.size)

    @property
    def limit(self) -> int:
        """How far below the largest possible sum a set may be and still belong to the tail."""
        return int(self.values[: self.size].sum()) - self.threshold

    @property
    def is_below_mean(self) -> bool:
        """Whether the threshold is below the mean sum, so that the complement is less work."""
        return self.threshold * len(self.values) < self.size * int(self.values.sum())

    def complement(self) -> Tail:
        """Return the sets outside this tail, as a tail of the negated associations."""
        return Tail(
            -self.values[::-1], self.size, 1 - self.threshold, self.allowance, self.equivalent
        )

    def on_finer_grid(self) -> Tail:
        """Return the same sets on a grid a million times finer, for a formula without a grid."""
        return Tail(self.values << 20, self.size, self.threshold << 20, 1, self.equivalent)

    def count_if_separated(self) -> int | None:
        """Count the sets of a tail that holds only the largest possible sum, otherwise None.

        Under this complete separation the saddle point of the tilted formula is at infinity. The
        sets in the tail differ only in which of the targets tied with the last member they hold.
        """
        if not 0 <= self.limit <= self.allowance:
            return None
        last = self.values[self.size - 1]
        tied = int((self.values == last).sum())
        return math.comb(tied, self.size - int((self.values > last).sum()))

    def costs(self) -> tuple[Integers, Integers]:
        """Return what a set loses against the best one, target by target; never negative.

        The best set holds the first `size` targets. Measured from a pivot between the last of
        them and the next, leaving one of them out costs its distance above the pivot (first
        array), and taking another one in costs its distance below the pivot (second array). A set
        of the right size belongs to the tail if its costs sum to at most `limit`. Because no cost
        is negative, half a set that is over the limit can be dropped at once.
        """
        top, low = self.values[: self.size], self.values[self.size :]
        pivot = (int(top[-1]) + int(low[0])) // 2
        return top - pivot, pivot - low

    def costs_by_target(self) -> tuple[Integers, Integers]:
        """Return the cost of leaving each target out, and of taking it in; one of them is 0."""
        removed, added = self.costs()
        leave, take = np.zeros((2, len(self.values)), np.int64)
        leave[: self.size], take[self.size :] = removed, added
        return leave, take


def build_tail(
    x: ArrayLike, y: ArrayLike, *, greater: bool = True, resolution: float = 0.0
) -> Tail:
    """Return the upper or lower tail that starts at the observed sets `x` and `y`."""
    observed, others = _check_associations(x, "x"), _check_associations(y, "y")
    integers = round_to_grid(np.concatenate([observed, others]), resolution)
    multiples = to_multiples(integers)
    allowance = min(len(observed), len(others)) if multiples is None else 0
    integers = integers if multiples is None else multiples
    if not greater:
        integers = -integers
    threshold = int(integers[: len(observed)].sum()) - allowance
    descending = np.sort(integers)[::-1].copy()
    equivalent = _count_equivalent(integers, len(observed))
    return Tail(descending, len(observed), threshold, allowance, equivalent)


def round_to_grid(associations: NDArray[np.float64], resolution: float = 0.0) -> Integers:
    """Round associations to integers, equal if they differ only by noise.

    Differences below `resolution` are noise, too.

    Examples
    --------
    >>> a = round_to_grid(np.array([0.3, 0.1 + 0.2, -0.5]))
    >>> bool(a[0] == a[1]), int(a[2]) == -(2**44)
    (True, True)
    """
    largest = float(np.abs(associations).max())
    if largest <= resolution or largest == 0.0:
        return np.zeros(len(associations), np.int64)
    # A power of two, so that scaling is exact; ldexp scales without overflow.
    exponent = math.frexp(largest)[1] - 1
    unit = np.ldexp(associations, -exponent)
    tolerance = max(2.0**-SAME_BITS, math.ldexp(resolution, -exponent))
    order = np.argsort(unit, kind="stable")
    ascending = unit[order]
    starts = np.concatenate([[True], np.diff(ascending) > tolerance])
    unit[order] = ascending[starts][np.cumsum(starts) - 1]
    return np.rint(np.ldexp(unit, GRID_BITS)).astype(np.int64)


def to_multiples(values: Integers) -> Integers | None:
    """Return the values as small multiples of one step above the smallest, or None.

    The step comes from Euclid's algorithm with a tolerance. The remainders that rounding leaves
    are far below the smallest step that is searched for (2^-20 of the largest value), so a step
    does not appear by chance.

    Examples
    --------
    >>> to_multiples(round_to_grid(np.array([1 / 3, 1.0, -2 / 3])))
    array([3, 5, 0])
    >>> to_multiples(round_to_grid(np.array([0.3, np.pi, np.e, 1.0]))) is None
    True
    """
    above = (values - values.min()).astype(np.float64)
    if not above.any():
        return np.zeros_like(values)
    distinct = np.unique(above)
    step = find_common_step(np.unique(np.diff(distinct)).tolist())
    if step == 0.0:
        return None
    # From short distances to long ones, over which an error in the step would add up.
    for value in distinct[1:].tolist():
        step = value / round(value / step)
    multiples = np.rint(above / step)
    if np.abs(above - multiples * step).max() > 4:
        return None
    integers: Integers = multiples.astype(np.int64)
    return integers


def find_common_step(gaps: Iterable[float]) -> float:
    """Find the step that all ascending `gaps` are multiples of; 0 if it is under `MIN_STEP`.

    `batch_kernels` compiles this function, so it must stay within what numba compiles.
    """
    step = 0.0
    for gap in gaps:
        a, b = float(gap), step
        while b > MAX_REMAINDER:
            a, b = b, abs(a - round(a / b) * b)
        if a < MIN_STEP:
            return 0.0
        step = gap / round(gap / a)
    return step


def _count_equivalent(values: Integers, size: int) -> int:
    _, group, members = np.unique(values, return_inverse=True, return_counts=True)
    observed = np.bincount(group[:size], minlength=len(members))
    return math.prod(map(math.comb, members.tolist(), observed.tolist()))


def _check_associations(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise UsageError(f"{name} has {array.ndim} dimensions; it must be a list of numbers.")
    if array.size == 0:
        raise CannotMeasure(f"{name} is empty; a permutation test needs a target in each set.")
    if not np.isfinite(array).all():
        raise CannotMeasure(f"{name} has an association that is not a finite number.")
    return array
