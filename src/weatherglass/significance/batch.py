"""The p-values of many small permutation tests at once."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from math import exp, log

import numpy as np
from numpy.typing import ArrayLike

from .clusters import MIN_GAP_RATIO, find_clusters
from .exact import max_subsets
from .permutation import MAX_TILTED_ERROR, TILTED_MARGIN, tail_p, tilted_p, two_sided_p
from .pvalue import Alternative, PValue, check_alternative
from .tail import Integers, MethodFailed, Tail, build_tail
from .tilted import min_tilt, standardise, whole_share

MAX_SUBSETS = 1 << 16
"""Subsets of one half up to which tests are counted: 32 targets, and under a millisecond. There,
`tilted` takes about as long, and for more targets less."""

MAX_SUBSETS_FAR_TAIL = 1 << 20
"""Subsets of one half up to which a test is counted if its integral does not converge."""

MAX_SMOOTH_RATIO = 10.0
MAX_SMOOTH_ERROR = 1e-3
"""Associations whose gaps have a smaller ratio than this (see `clusters`) have no lumps that the
integral could miss, and it may estimate a larger error than `MAX_TILTED_ERROR`: for 33 to 44
targets it is often above that, and counting takes ten times as long. The bounds of the compiled
integral are always this far from the value."""

MAX_RESULTANT = 0.5
"""Associations near equally spaced levels have sums near such levels, too, and their characteristic
function rises again far beyond the point at which the compiled integral stops. They are recognised
by their mean resultant length |mean exp(iua)| at the frequency u of the levels, which is 1 without
noise. Of samples of 36 normal numbers, one in twenty exceeds this limit by chance."""

TESTS_PER_TASK = 64

Progress = Callable[[int, int], None]
Pair = tuple[ArrayLike, ArrayLike]
MapChunks = Callable[
    [Callable[[Sequence[Pair]], list[PValue]], Sequence[Sequence[Pair]]], Iterable[list[PValue]]
]


def batch_permutation_p(
    tests: Sequence[Pair],
    *,
    alternative: Alternative = "greater",
    resolution: float = 0.0,
    workers: int | None = None,
    map_chunks: MapChunks | None = None,
    progress: Progress | None = None,
) -> list[PValue]:
    """Compute the p-values of many permutation tests, each as `permutation_p` defines it.

    Null hypothesis, alternatives and ties (>=) are those of `permutation_p`.

    Parameters
    ----------
    tests : sequence of pairs of array_like
        The associations of X and of Y of each test.
    alternative, resolution
        As in `permutation_p`.
    workers : int, optional
        Number of threads; all cores by default. The result does not depend on it.
    map_chunks : callable, optional
        Used instead of a thread pool's ``map``: called with a function, which can be pickled, and
        a list of its arguments; returns the results in that order.
    progress : callable, optional
        Called with the number of finished tests and of all tests.

    Returns
    -------
    list of PValue
        ``exact`` up to 32 targets, and for more if one set is so small that counting is fast;
        ``tilted`` otherwise, or for clustered associations what `permutation_p` gives for that
        method. `permutation_p` counts further, which is worth a second for a single test.

    Examples
    --------
    >>> tests = [([0.3, 0.2, 0.25], [0.1, 0.0, 0.2]), ([0.1, 0.0], [0.3, 0.2])]
    >>> [p.fraction for p in batch_permutation_p(tests)]
    ['2/20', '6/6']
    """
    check_alternative(alternative)
    chunks = [
        tests[start : start + TESTS_PER_TASK] for start in range(0, len(tests), TESTS_PER_TASK)
    ]
    run = functools.partial(_chunk_p, alternative, resolution)
    p_values: list[PValue] = []
    # Threads start only when there is more than one chunk to run.
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        for chunk in (map_chunks or (pool.map if len(chunks) > 1 else map))(run, chunks):
            p_values += chunk
            if progress is not None:
                progress(len(p_values), len(tests))
    return p_values


def _chunk_p(alternative: Alternative, resolution: float, chunk: Sequence[Pair]) -> list[PValue]:
    return [_p(x, y, alternative, resolution) for x, y in chunk]


def _p(x: ArrayLike, y: ArrayLike, alternative: Alternative, resolution: float) -> PValue:
    tail_of = _tails(x, y, resolution)
    if alternative != "two-sided":
        return replace(_tail_p(tail_of(alternative == "greater")), alternative=alternative)
    upper = tail_of(True)
    return two_sided_p(lambda greater: _tail_p(upper if greater else tail_of(False)), upper)


def _tails(x: ArrayLike, y: ArrayLike, resolution: float) -> Callable[[bool], Tail]:
    """Return a function that does what `build_tail` does; one compiled step where nothing ties."""
    from .batch_kernels import round_distinct

    observed, others = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if observed.ndim == others.ndim == 1 and len(observed) and len(others):
        integers = round_distinct(np.concatenate([observed, others]), resolution)
        if len(integers):
            return functools.partial(_distinct_tail, integers, len(observed), len(others))
    return lambda greater: build_tail(x, y, greater=greater, resolution=resolution)


def _distinct_tail(integers: Integers, n: int, m: int, greater: bool) -> Tail:
    """Return the tail of `n` targets of X and `m` of Y, none of which tie."""
    integers = integers if greater else -integers
    allowance = min(n, m)
    threshold = int(integers[:n].sum()) - allowance
    return Tail(np.sort(integers)[::-1].copy(), n, threshold, allowance, 1)


def _tail_p(tail: Tail) -> PValue:
    count = tail.count_if_separated()
    if count is not None:
        return PValue.from_count(count, tail.partitions)
    if max_subsets(len(tail.values), tail.size) <= MAX_SUBSETS:
        return PValue.from_count(_count(tail, MAX_SUBSETS), tail.partitions)
    return _tilted(tail) or _without_integral(tail)


def _without_integral(tail: Tail) -> PValue:
    """Handle what the compiled integral cannot: clusters, ties, a far tail of few targets."""
    with suppress(MethodFailed):  # a far tail has little to count
        return PValue.from_count(_count(tail, MAX_SUBSETS_FAR_TAIL), tail.partitions)
    return tail_p(tail, "tilted", 1)


def _count(tail: Tail, cap: int) -> int:
    from .batch_kernels import count_costs

    if tail.is_below_mean:
        return tail.partitions - _count(tail.complement(), cap)
    if tail.limit < 0:
        return 0
    count = int(count_costs(*tail.costs_by_target(), tail.size, tail.limit, cap))
    if count < 0:
        raise MethodFailed
    return count


def _tilted(tail: Tail) -> PValue | None:
    """Compute the p-value by the compiled integral; None if that does not suffice."""
    from .batch_kernels import max_resultant, tilted_log_count

    if not tail.allowance or not np.diff(tail.values).all():
        return None  # the compiled integral knows neither a grid nor ties
    ratio, _ = find_clusters(tail.values)
    if ratio >= MIN_GAP_RATIO:
        return None
    side = tail.complement() if tail.is_below_mean else tail
    if side.limit <= side.allowance:
        return None
    a, s, _ = standardise(side)
    if max_resultant(a) > MAX_RESULTANT:
        return None
    log_count, relative_error = tilted_log_count(a, side.size, s, min_tilt(side.size, len(a)))
    max_error = MAX_SMOOTH_ERROR if ratio < MAX_SMOOTH_RATIO else MAX_TILTED_ERROR
    if not 0 <= relative_error <= max_error:
        return None
    # The compiled integral stops early, so its estimate is no bound of the error.
    relative_error = MAX_SMOOTH_ERROR / TILTED_MARGIN
    share = exp(log_count - log(side.partitions))
    return tilted_p(tail, whole_share(tail, share), share * relative_error)
