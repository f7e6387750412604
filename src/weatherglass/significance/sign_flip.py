"""The sign-flip test: are differences as likely to be negative as positive?

A sum of N differences with random signs is Σ|v| - 2 Σ of those that are negative. So it reaches
the observed sum if the differences that are negative sum to at most a limit, and counting sign
vectors is counting subsets of all sizes with a bounded sum. As in `exact`, this is done by meeting
in the middle: 2^N sign vectors take about 2^(N/2) steps.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import CannotMeasure, UsageError

from .pvalue import Alternative, PValue, check_alternative, clamp_p
from .sampling import share_from_count
from .tail import GRID_BITS, Integers, round_to_grid, to_multiples

MAX_EXACT_DIFFERENCES = 50
"""`auto` counts all sign vectors of up to this many differences that are not zero; the lists of
subset sums then take 134 MB."""

_MAX_HALF = 23
_ROWS = 4096  # sign vectors that are drawn at a time

SignFlipMethod = Literal["auto", "exact", "sample"]


def sign_flip_p(
    differences: ArrayLike,
    *,
    observed: float | None = None,
    alternative: Alternative = "two-sided",
    method: SignFlipMethod = "auto",
    rng: int | Generator | None = None,
    n_resamples: int = 99_999,
    workers: int | None = None,
    resolution: float = 0.0,
) -> PValue:
    """Compute the p-value of the sign-flip test of paired differences.

    The null hypothesis is that the differences are independent and each is as likely to be v as -v,
    as when the two numbers of each pair could be exchanged. The p-value is the share of the 2^N
    sign vectors whose sum is at least the observed one; ties count (>=), and the observed signs are
    one of the vectors.

    Parameters
    ----------
    differences : array_like
        One difference for each pair.
    observed : float, optional
        The sum that is compared with those of the sign vectors, if it is not the sum of the
        differences; for differences that are adjusted before their signs are flipped. It must not
        be larger than the sum of their sizes.
    alternative : {"two-sided", "greater", "less"}
        ``two-sided`` counts the sums that are as far from zero, in either direction: twice the
        smaller tail, at most 1.
    method : {"auto", "exact", "sample"}
        ``exact`` counts all sign vectors by meeting in the middle; ``sample`` draws them, and adds
        the observed one (Phipson and Smyth 2010). ``auto`` counts up to 50 differences that are not
        zero.
    rng : int or numpy.random.Generator, optional
        Random seed for ``sample``, or a generator, which is advanced. None is seed 0.
    n_resamples : int
        Sign vectors to draw.
    workers : int, optional
        Number of threads for counting; all cores by default.
    resolution : float
        Differences that are closer than this to each other, or to zero, are equal.

    Returns
    -------
    PValue
        For ``exact``, with the count and the number of sign vectors.

    References
    ----------
    .. [1] R. A. Fisher (1935). The design of experiments. Section 21.
    .. [2] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Stat. Appl.
       Genet. Mol. Biol. 9, 39.

    Examples
    --------
    >>> sign_flip_p([0.3, 0.1, 0.2, 0.4]).fraction
    '2/16'
    >>> sign_flip_p([0.3, 0.1, -0.4]).value, sign_flip_p([0.0, 0.0]).value
    (1.0, 1.0)
    """
    check_alternative(alternative)
    if method not in get_args(SignFlipMethod):
        raise UsageError(f"method is {method!r}; it must be auto, exact or sample.")
    if n_resamples < 2:
        raise UsageError(f"n_resamples is {n_resamples}; it must be at least 2.")
    values = _check_differences(differences)
    sizes, doubled_limit = _to_integers(values, observed, alternative, resolution)
    moving = sizes[sizes > 0]
    is_small = len(moving) <= MAX_EXACT_DIFFERENCES
    if method == "sample" or (method == "auto" and not is_small):
        return _sampled(moving, doubled_limit, alternative, n_resamples, rng)
    if not is_small:
        raise CannotMeasure(
            f"exact counts the signs of up to {MAX_EXACT_DIFFERENCES} differences, and there are "
            f"{len(moving)}; use auto or sample."
        )
    vectors = 1 << len(values)
    # The observed signs always count, even where an adjusted `observed` is out of reach.
    count = max(1, _count_subsets(moving, doubled_limit // 2, workers))
    count *= vectors >> len(moving)  # the sign of zero changes nothing
    if alternative == "two-sided":
        count = min(2 * count, vectors)
    return PValue.from_count(count, vectors, alternative)


def _to_integers(
    values: NDArray[np.float64], observed: float | None, alternative: str, resolution: float
) -> tuple[Integers, int]:
    """Return the sizes of the differences on the integer grid, and twice the limit.

    The sum of a sign vector is in the tail if twice the sum of what it makes negative is at most
    twice the limit: the sum of all sizes minus the observed sum.
    """
    with_zero = np.concatenate([[0.0], np.abs(values)])  # so that noise around zero is zero
    integers = round_to_grid(with_zero, resolution)
    multiples = to_multiples(integers) if observed is None else None
    sizes = (integers if multiples is None else multiples)[1:]
    if observed is None:
        total = int((sizes * np.sign(values).astype(np.int64)).sum())
    else:
        largest = float(with_zero.max())
        exponent = math.frexp(largest)[1] - 1 if largest else 0
        total = round(math.ldexp(observed, GRID_BITS - exponent)) if sizes.any() else 0
    if alternative == "less":
        total = -total
    elif alternative == "two-sided":
        total = abs(total)
    allowance = len(sizes) if multiples is None else 0  # one cell each: rounded here and there
    return sizes, int(sizes.sum()) - total + allowance


def _count_subsets(sizes: Integers, limit: int, workers: int | None) -> int:
    """Count the subsets of any size that sum to at most `limit`."""
    total = int(sizes.sum())
    if 2 * limit > total:  # fewer are outside
        return (1 << len(sizes)) - _count_small(sizes, total - limit - 1, workers)
    return _count_small(sizes, limit, workers)


def _count_small(sizes: Integers, limit: int, workers: int | None) -> int:
    from .kernels import count_pairs, subset_sums

    if limit < 0:
        return 0
    descending = np.sort(sizes)[::-1]
    # More differences than two lists can hold are tried in all combinations, the largest because
    # they soon exceed the limit.
    apart = max(0, len(sizes) - 2 * _MAX_HALF)
    left, right = (subset_sums(descending[start::2].copy(), limit) for start in (apart, apart + 1))

    def count(taken: tuple[bool, ...]) -> int:
        rest = limit - int(descending[:apart][list(taken)].sum())
        if rest < 0:
            return 0
        fitting = left[: np.searchsorted(left, rest, side="right")]
        return int(count_pairs(fitting, right, rest))

    combinations = product((False, True), repeat=apart)
    if not apart:
        return count(())
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        return sum(pool.map(count, combinations))


def _sampled(
    sizes: Integers,
    doubled_limit: int,
    alternative: Alternative,
    draws: int,
    rng: int | Generator | None,
) -> PValue:
    generator = np.random.default_rng(0 if rng is None else rng)
    weights = sizes.astype(np.float64)  # sums stay below 2^53, so products are exact
    threshold = int(sizes.sum()) - doubled_limit
    count = 0
    for start in range(0, draws, _ROWS):
        rows = min(_ROWS, draws - start)
        signs = 2.0 * generator.integers(0, 2, (rows, len(sizes)), dtype=np.int8) - 1.0
        sums = signs @ weights
        if alternative == "two-sided":
            sums = np.abs(sums)
        count += int((sums >= threshold).sum())
    value, low, high = (clamp_p(end) for end in share_from_count(count, draws))
    return PValue(value, low, high, "sample", alternative)


def _check_differences(differences: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise UsageError(f"differences has {values.ndim} dimensions; it must be a list of numbers.")
    if not values.size:
        raise CannotMeasure("There are no differences; a sign-flip test needs at least one.")
    if not np.isfinite(values).all():
        raise CannotMeasure("A difference is not a finite number.")
    return values
