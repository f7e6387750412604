"""Which way of finding the p-value fits the size of the problem."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from .bracket import MOST_TARGETS, bracket_shares
from .exact import count_exact
from .pvalue import SMALLEST, Method, PValue, above_zero
from .tail import Tail, TooMany
from .ties import count_grouped
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
