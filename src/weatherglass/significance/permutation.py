"""The permutation p-value: one door to every way of finding it."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from weatherglass.errors import CannotMeasure, UsageError

from .bracket import MOST_TARGETS, bracket_shares
from .exact import count_exact, count_grouped
from .pvalue import SMALLEST, Alternative, Method, PValue, above_zero, check_alternative
from .sampling import normal_share, sampled_share, sampled_sums
from .tail import Integers, Tail, TooMany, tail_of
from .tilted import tilted_share

EXACT_TARGETS = 52
"""`auto` counts every partition of up to this many targets."""

FEW = 10_000_000_000
"""A tail of fewer partitions than this is mostly counted in a tenth of a second, at any number of
targets; with fewer than ten million it is too coarse for a smooth formula."""

AUTO_CAP = 1 << 23
EXACT_CAP = 1 << 26
"""Most subsets of one half that are kept: 64 MB where `auto` tries its luck, 512 MB when asked."""


def computed(tail: Tail, method: str, workers: int | None = None) -> PValue:
    """The p-value of a tail by ``auto``, ``exact``, ``tilted`` or ``bracket``.

    A complete separation is counted whatever the method. Raises `TooMany` where the method cannot
    do it.
    """
    tied = tail.ties_at_the_top()
    if tied is not None:
        return PValue.from_count(tied, tail.partitions)
    if method == "auto":
        return _auto(tail, workers)
    if method == "exact":
        return _exact(tail, workers)
    if method == "tilted":
        return _tilted(tail, workers)
    return _bracket(tail, workers)


def _auto(tail: Tail, workers: int | None) -> PValue:
    targets = len(tail.values)
    if targets <= EXACT_TARGETS or _subsets(tail) <= AUTO_CAP // 4:
        return PValue.from_count(count_exact(tail, workers=workers), tail.partitions)
    if _few_choices(tail):
        with suppress(TooMany):
            return PValue.from_count(count_grouped(tail), tail.partitions)
    p = _tilted(tail, workers)
    if p.method == "tilted" and _log_count(tail, p.value) < math.log(FEW):
        with suppress(TooMany):
            return PValue.from_count(
                count_exact(tail, workers=workers, cap=AUTO_CAP), tail.partitions
            )
    if tail.allowance and len(np.unique(tail.values)) < targets <= MOST_TARGETS:
        # Ties and yet no common step: sums can bunch up finer than the integral looked.
        certain = _bracket(tail, workers)
        return p if certain.low <= p.value <= certain.high else certain
    return p


def _exact(tail: Tail, workers: int | None, cap: int = EXACT_CAP) -> PValue:
    if len(tail.values) > EXACT_TARGETS + 2:
        if _few_choices(tail):
            with suppress(TooMany):
                return PValue.from_count(count_grouped(tail), tail.partitions)
        if _subsets(tail) > cap and _log_least(tail) > math.log(4) + 2 * math.log(cap):
            # Each set counted is a pair of kept subsets, met in one of four ways (see `exact`):
            # there are too many for the pairs that could be kept.
            raise TooMany
    return PValue.from_count(count_exact(tail, workers=workers, cap=cap), tail.partitions)


def _tilted(tail: Tail, workers: int | None) -> PValue:
    try:
        share, error = tilted_share(tail)
    except TooMany:
        # So near to complete separation that there is no saddle point to be found.
        with suppress(TooMany):
            return _exact(tail, workers, AUTO_CAP)
        return _bracket(tail, workers)
    return _between(tail, share, share - error, share + error, "tilted")


def _bracket(tail: Tail, workers: int | None) -> PValue:
    return _between(tail, *bracket_shares(tail, workers=workers), "bracket")


def _between(tail: Tail, value: float, low: float, high: float, method: Method) -> PValue:
    # The observed partition is always in the tail.
    least = 1 / tail.partitions
    value, low, high = (above_zero(max(end, least)) for end in (value, low, high))
    return PValue(value, low, high, method)


def _subsets(tail: Tail) -> int:
    """At most how many subsets of one half can be part of a set, when no cost is over the limit."""
    targets = len(tail.values)
    chosen = min(tail.size, targets - tail.size)
    return sum(math.comb((targets + 1) // 2, j) for j in range(min(chosen, 40) + 1))


def _few_choices(tail: Tail) -> bool:
    """Whether so many associations are equal that the choices of half of them can be listed."""
    members = np.unique(tail.values, return_counts=True)[1]
    return float(np.log2(members + 1).sum()) / 2 + math.log2(members.max() + 1) <= 20


def _log_count(tail: Tail, share: float) -> float:
    return math.log(max(share, SMALLEST)) + math.log(tail.partitions)


def _log_least(tail: Tail) -> float:
    """The logarithm of how many sets are in the tail or in its rest, whichever is counted."""
    try:
        share, _ = tilted_share(tail)
    except TooMany:
        return 0.0
    return _log_count(tail, 1 - share if tail.is_lower_half else share)


PermutationMethod = Literal["auto", "exact", "tilted", "bracket", "sample", "normal"]


def permutation_p(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alternative: Alternative = "greater",
    method: PermutationMethod = "auto",
    rng: int | Generator | None = None,
    n_resamples: int | None = None,
    workers: int | None = None,
    resolution: float = 0.0,
) -> PValue:
    """The p-value of the permutation test of two target sets.

    The null hypothesis is that the N targets were sorted into X and Y by chance: every set of n of
    them was as likely to be X as any other. The p-value is the share of the C(N, n) sets whose
    summed association is at least the observed one. Ties count (>=, as May et al. 2019, appendix A,
    define it). For sets of fixed sizes the sum over X, the WEAT statistic and the difference of
    means order all partitions alike, so this is the p-value of each of them, for equal and
    unequal sizes.

    Parameters
    ----------
    x, y : array_like
        The associations of the targets in X and in Y; at least one each.
    alternative : {"greater", "less", "two-sided"}
        ``less`` counts the sums at most as large as the observed one, ties too. ``two-sided`` is
        twice the smaller of the two, at most 1.
    method : {"auto", "exact", "tilted", "bracket", "sample", "normal"}
        ``exact`` counts (meet in the middle); ``tilted`` is a Fourier integral at the double saddle
        point; ``bracket`` gives certain bounds; ``sample`` draws partitions; ``normal`` fits a
        normal distribution to drawn partitions (Caliskan et al. 2017). ``auto`` counts up to 52
        targets, and more where the tail is small or ties are many; otherwise it is ``tilted``.
        A complete separation is always counted, except by ``sample`` and ``normal``.
    rng : int or numpy.random.Generator, optional
        For ``sample`` and ``normal``: a seed, or a generator, which is advanced. None is seed 0.
        The answer does not depend on `workers`.
    n_resamples : int, optional
        Partitions to draw: 99,999 for ``sample``, to which the observed one is added, and
        100,000 for ``normal``, if not given.
    workers : int, optional
        Threads; all cores if not given.
    resolution : float
        Associations nearer to each other than this are equal. Differences under 1e-12 of the
        largest association always are; give the scale of the noise where all associations may
        be as small as that.

    Returns
    -------
    PValue
        With the method that was used, and the ends the true value lies between.

    Notes
    -----
    Associations are put on an integer grid (module `weatherglass.significance.tail`), so that ties
    on paper are ties here.

    References
    ----------
    .. [1] A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from
       language corpora contain human-like biases. Science 356, 183-186.
    .. [2] C. May, A. Wang, S. Bordia, S. R. Bowman, R. Rudinger (2019). On measuring social biases
       in sentence encoders. NAACL, appendix A.

    Examples
    --------
    >>> p = permutation_p([0.3, 0.2, 0.25], [0.1, 0.0, 0.2])
    >>> p.fraction, p.method
    ('2/20', 'exact')
    >>> permutation_p([0.3, 0.2, 0.25], [0.1, 0.0, 0.2], alternative="two-sided").value
    0.2
    """
    check_alternative(alternative)
    if method not in get_args(PermutationMethod):
        known = ", ".join(get_args(PermutationMethod))
        raise UsageError(f"method is {method!r}; it must be one of {known}.")
    draws = _draws(method, n_resamples)
    p_of: Callable[[Tail, bool], PValue]
    if draws:
        sums = sampled_sums(tail_of(x, y, resolution=resolution), draws, _generator(rng), workers)
        p_of = partial(_drawn, method, sums)
    else:
        p_of = partial(_computed, method, workers)

    def tail_p(greater: bool) -> PValue:
        return p_of(tail_of(x, y, greater=greater, resolution=resolution), greater)

    if alternative != "two-sided":
        return replace(tail_p(alternative == "greater"), alternative=alternative)
    # Together the two tails hold every partition, so one that holds less than half is the smaller.
    greater = not tail_of(x, y, resolution=resolution).is_lower_half
    p = tail_p(greater)
    if p.high > 0.5:
        p = min(p, tail_p(not greater), key=lambda tail: tail.value)
    return _doubled(p)


def _computed(method: str, workers: int | None, tail: Tail, _: bool) -> PValue:
    try:
        return computed(tail, method, workers)
    except TooMany:
        raise CannotMeasure(
            f"{method} cannot be computed for {tail.size} of {len(tail.values)} targets: it needs "
            "too much memory, or numbers too large. Use auto, tilted or sample."
        ) from None


def _drawn(method: str, sums: Integers, tail: Tail, greater: bool) -> PValue:
    signed = sums if greater else -sums
    if method == "normal":
        return PValue(*normal_share(signed, tail), "normal")
    return PValue(*sampled_share(signed, tail), "sample")


def _doubled(p: PValue) -> PValue:
    value, low, high = (min(1.0, 2 * end) for end in (p.value, p.low, p.high))
    count = None if p.count is None or p.partitions is None else min(2 * p.count, p.partitions)
    return PValue(value, low, high, p.method, "two-sided", count, p.partitions)


def _draws(method: str, n_resamples: int | None) -> int:
    usual = {"sample": 99_999, "normal": 100_000}.get(method, 0)
    draws = n_resamples if usual and n_resamples is not None else usual
    if usual and draws < 2:
        raise UsageError(f"n_resamples is {draws}; it must be at least 2.")
    return draws


def _generator(rng: int | Generator | None) -> Generator:
    return np.random.default_rng(0 if rng is None else rng)
