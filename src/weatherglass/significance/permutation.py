"""The permutation p-value, and the choice of the method that computes it."""

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

from .bracket import MAX_TARGETS, bracket_shares
from .clusters import MIN_GAP_RATIO, cluster_shares, find_clusters, is_narrow
from .exact import count_exact, count_grouped, max_subsets
from .pvalue import MIN_P, Alternative, Method, PValue, check_alternative, clamp_p
from .sampling import draw_sums, normal_share, sampled_share
from .tail import Integers, MethodFailed, Tail, build_tail
from .tilted import tilted_share

MAX_EXACT_TARGETS = 52
"""`auto` counts all partitions of up to this many targets."""

MAX_COUNTED_TAIL = 10_000_000_000
"""A tail of fewer partitions than this is usually counted in a tenth of a second, with any number
of targets. With fewer than ten million partitions it is too coarse for a smooth formula."""

MAX_SUBSETS_AUTO = 1 << 23
MAX_SUBSETS_EXACT = 1 << 26
"""Subsets of one half kept in memory: 64 MB where `auto` tries to count, 512 MB for `exact`."""

MAX_TILTED_ERROR = 1e-5
"""Estimated relative error above which the integral is not used. The estimate tells a smooth
distribution from a lumpy one, for which it can be far too small to serve as a bound."""

TILTED_MARGIN = 4.0
"""Bounds of ``tilted``, in units of the estimated error, which is three times its likely value."""

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
    """Compute the p-value of the permutation test of two target sets.

    The null hypothesis is that the N targets were assigned to X and Y at random: each set of n of
    them was equally likely to be X. The p-value is the share of the C(N, n) sets whose summed
    association is at least the observed one; ties count (>=, as May et al. 2019, appendix A, define
    it), and the observed set is one of them. For sets of fixed sizes the sum over X, the WEAT
    statistic and the difference of means order all partitions in the same way, so this is the
    p-value of each of them, for equal and unequal sizes.

    Parameters
    ----------
    x, y : array_like
        Associations of the targets in X and in Y; at least one each.
    alternative : {"greater", "less", "two-sided"}
        ``less`` counts the sums at most as large as the observed one, including ties. ``two-sided``
        is twice the smaller of the two, at most 1.
    method : {"auto", "exact", "tilted", "bracket", "sample", "normal"}
        ``exact`` counts (meet in the middle); ``tilted`` is a Fourier integral at the double saddle
        point; ``bracket`` gives certified bounds; ``sample`` draws partitions; ``normal`` fits a
        normal distribution to drawn partitions (Caliskan et al. 2017). ``auto`` counts up to 52
        targets, and more if the tail is small or there are many ties; otherwise it is ``tilted``.
        If associations are clustered, or the integral estimates an error above 1e-5, ``tilted``
        gives the p-value of another method: ``clusters``, which counts by cluster, ``exact`` for
        few targets, or ``bracket``. Complete separation is always counted, except by ``sample`` and
        ``normal``.
    rng : int or numpy.random.Generator, optional
        Random seed for ``sample`` and ``normal``, or a generator, which is advanced. None is
        seed 0. The result does not depend on `workers`.
    n_resamples : int, optional
        Partitions to draw. The default is 99,999 for ``sample``, to which the observed one is
        added, and 100,000 for ``normal``.
    workers : int, optional
        Number of threads; all cores by default.
    resolution : float
        Associations that differ by less than this are equal. Differences under 1e-12 of the largest
        association always are; give the scale of the noise if all associations may be as small as
        that.

    Returns
    -------
    PValue
        With the method used, and the bounds of the true value. ``clusters`` and ``tilted`` are
        within 1e-3 of it; ``bracket`` may be wider for more than 50 targets, as its bounds say.

    Notes
    -----
    Associations are rounded to an integer grid (module `weatherglass.significance.tail`), so that
    ties on paper are ties here.

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
    draws = _count_draws(method, n_resamples)
    p_of: Callable[[Tail, bool], PValue]
    if draws:
        generator = np.random.default_rng(0 if rng is None else rng)
        sums = draw_sums(build_tail(x, y, resolution=resolution), draws, generator, workers)
        p_of = partial(_drawn_p, method, sums)
    else:
        p_of = partial(_computed_p, method, workers)

    def one_sided(greater: bool) -> PValue:
        return p_of(build_tail(x, y, greater=greater, resolution=resolution), greater)

    if alternative != "two-sided":
        return replace(one_sided(alternative == "greater"), alternative=alternative)
    return two_sided_p(one_sided, build_tail(x, y, resolution=resolution))


def two_sided_p(one_sided: Callable[[bool], PValue], upper: Tail) -> PValue:
    """Double the smaller of the p-values that `one_sided` gives for the upper and lower tail.

    The smaller of two numbers is between the smaller of their lower bounds and the smaller of their
    upper bounds.
    """
    # The two tails together hold all partitions, so one that holds less than half is the smaller.
    greater = not upper.is_below_mean
    p = one_sided(greater)
    low, high = p.low, p.high
    if p.high > 0.5:
        p, other = sorted((p, one_sided(not greater)), key=lambda p: p.value)
        low, high = min(p.low, other.low), min(p.high, other.high)
        if (low, high) != (p.low, p.high):
            # It is not certain which tail is the smaller, and a count of one does not settle it.
            p = replace(other if p.method == "exact" else p, value=p.value, count=None)
    value, low, high = (min(1.0, 2 * end) for end in (p.value, low, high))
    if p.count is None or p.partitions is None:
        return PValue(min(max(value, low), high), low, high, p.method, "two-sided")
    count = min(2 * p.count, p.partitions)
    return PValue(value, low, high, p.method, "two-sided", count, p.partitions)


def tail_p(tail: Tail, method: str, workers: int | None = None) -> PValue:
    """Compute the p-value of a tail by ``auto``, ``exact``, ``tilted`` or ``bracket``.

    Complete separation is counted, whatever the method. Raises `MethodFailed` if the method cannot
    compute this tail.
    """
    count = tail.count_if_separated()
    if count is not None:
        return PValue.from_count(count, tail.partitions)
    if method == "auto":
        return _auto(tail, workers)
    if method == "exact":
        return _exact(tail, workers)
    if method == "tilted":
        return _tilted(tail, workers)
    return _bracket(tail, workers)


def bounded_p(tail: Tail, value: float, low: float, high: float, method: Method) -> PValue:
    """Return a p-value with bounds, none of them below 1/C(N, n): the observed set counts."""
    least = 1 / tail.partitions
    value, low, high = (clamp_p(max(end, least)) for end in (value, low, high))
    return PValue(value, low, high, method)


def _auto(tail: Tail, workers: int | None) -> PValue:
    targets = len(tail.values)
    if targets <= MAX_EXACT_TARGETS or max_subsets(targets, tail.size) <= MAX_SUBSETS_AUTO // 4:
        return PValue.from_count(count_exact(tail, workers=workers), tail.partitions)
    if _has_few_choices(tail):
        with suppress(MethodFailed):
            return PValue.from_count(count_grouped(tail), tail.partitions)
    p = _tilted(tail, workers)
    if p.method in ("clusters", "tilted") and _log_count(tail, p.value) < math.log(
        MAX_COUNTED_TAIL
    ):
        with suppress(MethodFailed):
            return PValue.from_count(
                count_exact(tail, workers=workers, cap=MAX_SUBSETS_AUTO), tail.partitions
            )
    return p


def _exact(tail: Tail, workers: int | None, cap: int = MAX_SUBSETS_EXACT) -> PValue:
    if len(tail.values) > MAX_EXACT_TARGETS + 2:
        if _has_few_choices(tail):
            with suppress(MethodFailed):
                return PValue.from_count(count_grouped(tail), tail.partitions)
        subsets = max_subsets(len(tail.values), tail.size)
        if subsets > cap and _log_smaller_side(tail) > math.log(4) + 2 * math.log(cap):
            # Each set in the tail is a pair of kept subsets, joined in one of four ways (see
            # `exact`): there are more sets than pairs that could be kept.
            raise MethodFailed
    return PValue.from_count(count_exact(tail, workers=workers, cap=cap), tail.partitions)


def _tilted(tail: Tail, workers: int | None) -> PValue:
    """Compute the tail by clusters, by the integral, or by whatever is certain, in this order."""
    ratio, clusters = find_clusters(tail.values)
    low, high = 0.0, 1.0
    if ratio >= MIN_GAP_RATIO:
        with suppress(MethodFailed):
            value, low, high = cluster_shares(tail, clusters)
            if is_narrow(value, low, high):
                return bounded_p(tail, value, low, high, "clusters")
    else:
        with suppress(MethodFailed):  # so near to complete separation that there is no saddle point
            share, error = tilted_share(tail)
            if error <= MAX_TILTED_ERROR * share:
                return _check_ties(tail, tilted_p(tail, share, error), workers)
    with suppress(MethodFailed):
        return _exact(tail, workers, MAX_SUBSETS_AUTO)
    try:
        value, lower, upper = bracket_shares(tail, workers=workers)
    except MethodFailed:  # more targets than it can handle
        sums = draw_sums(tail, _count_draws("sample", None), np.random.default_rng(0), workers)
        return PValue(*sampled_share(sums, tail), "sample")
    low, high = max(low, lower), min(high, upper)
    return bounded_p(tail, min(max(value, low), high), low, high, "bracket")


def tilted_p(tail: Tail, share: float, error: float) -> PValue:
    """Return the p-value of a share by the integral with this estimated `error`."""
    error *= TILTED_MARGIN
    return bounded_p(tail, share, share - error, share + error, "tilted")


def _check_ties(tail: Tail, p: PValue, workers: int | None) -> PValue:
    """Return `p`, or the bracket if `p` is outside it, for ties without a common step.

    Their sums can cluster more finely than the integral resolves.
    """
    targets = len(tail.values)
    if not tail.allowance or len(np.unique(tail.values)) == targets or targets > MAX_TARGETS:
        return p
    bounds = _bracket(tail, workers)
    return p if bounds.low <= p.value <= bounds.high else bounds


def _bracket(tail: Tail, workers: int | None) -> PValue:
    return bounded_p(tail, *bracket_shares(tail, workers=workers), "bracket")


def _has_few_choices(tail: Tail) -> bool:
    """Whether there are so many ties that `count_grouped` can list the choices of half of them."""
    members = np.unique(tail.values, return_counts=True)[1]
    return float(np.log2(members + 1).sum()) / 2 + math.log2(members.max() + 1) <= 20


def _log_count(tail: Tail, share: float) -> float:
    return math.log(max(share, MIN_P)) + math.log(tail.partitions)


def _log_smaller_side(tail: Tail) -> float:
    """Return the logarithm of the number of sets to count: in the tail or in its complement."""
    try:
        share, _ = tilted_share(tail)
    except MethodFailed:
        return 0.0
    return _log_count(tail, 1 - share if tail.is_below_mean else share)


def _computed_p(method: str, workers: int | None, tail: Tail, _: bool) -> PValue:
    try:
        return tail_p(tail, method, workers)
    except MethodFailed:
        raise CannotMeasure(
            f"{method} cannot compute the p-value of {tail.size} of {len(tail.values)} targets: it "
            "needs too much memory, or numbers that are too large. Use auto, tilted or sample."
        ) from None


def _drawn_p(method: str, sums: Integers, tail: Tail, greater: bool) -> PValue:
    signed = sums if greater else -sums
    if method == "normal":
        return PValue(*normal_share(signed, tail), "normal")
    return PValue(*sampled_share(signed, tail), "sample")


def _count_draws(method: str, n_resamples: int | None) -> int:
    default = {"sample": 99_999, "normal": 100_000}.get(method, 0)
    draws = n_resamples if default and n_resamples is not None else default
    if default and draws < 2:
        raise UsageError(f"n_resamples is {draws}; it must be at least 2.")
    return draws
