"""The p-values of many permutation tests at once."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from .permutation import computed
from .pvalue import Alternative, PValue, above_zero, check_alternative
from .tail import Tail, TooMany, tail_of
from .tilted import LEAST_TILT

MOST_SUBSETS = 1 << 16
"""Most subsets of one half for counting: 32 targets, and under a millisecond. Tilting takes about
as long there, and for more targets less."""

FAR_OUT = 1 << 20
"""Most subsets of one half where counting takes the place of an integral that did not settle."""

CHUNK = 64
"""Tests given to a thread at once."""

Progress = Callable[[int, int], None]
Pair = tuple[ArrayLike, ArrayLike]
Spread = Callable[
    [Callable[[Sequence[Pair]], list[PValue]], Sequence[Sequence[Pair]]], Iterable[list[PValue]]
]


def permutation_many(
    tests: Sequence[Pair],
    *,
    alternative: Alternative = "greater",
    resolution: float = 0.0,
    workers: int | None = None,
    spread: Spread | None = None,
    progress: Progress | None = None,
) -> list[PValue]:
    """The p-values of many permutation tests, each as `permutation_p` gives it.

    Parameters
    ----------
    tests : sequence of pairs of array_like
        The associations of X and of Y, test by test.
    alternative, resolution
        As in `permutation_p`.
    workers : int, optional
        Threads; all cores if not given. The answer does not depend on it.
    spread : callable, optional
        Does the work instead of threads: given a function and a list of what to call it with, it
        gives the results in that order. The function can be sent to another process.
    progress : callable, optional
        Called with the tests done and the tests in all.

    Returns
    -------
    list of PValue
        ``exact`` up to 32 targets, and for more where one set is so small that its places are
        quickly counted; ``tilted`` otherwise. `permutation_p` counts further, which for one
        test is worth a second.

    Examples
    --------
    >>> tests = [([0.3, 0.2, 0.25], [0.1, 0.0, 0.2]), ([0.1, 0.0], [0.3, 0.2])]
    >>> [p.fraction for p in permutation_many(tests)]
    ['2/20', '6/6']
    """
    check_alternative(alternative)
    chunks = [tests[start : start + CHUNK] for start in range(0, len(tests), CHUNK)]

    run = functools.partial(_chunk_p, alternative, resolution)
    made: list[PValue] = []
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        for some in (spread or pool.map)(run, chunks):
            made += some
            if progress is not None:
                progress(len(made), len(tests))
    return made


def _chunk_p(alternative: Alternative, resolution: float, chunk: Sequence[Pair]) -> list[PValue]:
    return [_p(x, y, alternative, resolution) for x, y in chunk]


def _p(x: ArrayLike, y: ArrayLike, alternative: Alternative, resolution: float) -> PValue:
    if alternative != "two-sided":
        tail = _tail(x, y, alternative == "greater", resolution)
        return replace(_tail_p(tail), alternative=alternative)
    # Both tails hold every partition between them; the one further out holds less.
    up, down = (_tail(x, y, side, resolution) for side in (True, False))
    p = _tail_p(down if up.is_lower_half else up)
    if p.high > 0.5:
        p = min(p, _tail_p(up if up.is_lower_half else down), key=lambda one: one.value)
    value, low, high = (min(1.0, 2 * end) for end in (p.value, p.low, p.high))
    count = None if p.count is None or p.partitions is None else min(2 * p.count, p.partitions)
    return PValue(value, low, high, p.method, "two-sided", count, p.partitions)


def _tail(x: ArrayLike, y: ArrayLike, greater: bool, resolution: float) -> Tail:
    """As `tail_of`, in one compiled step where no associations are equal, as is the rule."""
    from .batch_kernels import plain_grid

    observed, others = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if observed.ndim == others.ndim == 1 and len(observed) and len(others):
        whole = plain_grid(np.concatenate([observed, others]), resolution)
        if len(whole):
            whole = whole if greater else -whole
            size, allowance = len(observed), min(len(observed), len(others))
            threshold = int(whole[:size].sum()) - allowance
            return Tail(np.sort(whole)[::-1].copy(), size, threshold, allowance, 1)
    return tail_of(x, y, greater=greater, resolution=resolution)


def _tail_p(tail: Tail) -> PValue:
    tied = tail.ties_at_the_top()
    if tied is not None:
        return PValue.from_count(tied, tail.partitions)
    if _subsets(len(tail.values), tail.size) <= MOST_SUBSETS:
        return PValue.from_count(_count(tail, MOST_SUBSETS), tail.partitions)
    return _tilted(tail) or _careful(tail)


def _careful(tail: Tail) -> PValue:
    """Where the integral is slow to settle: far out with few targets, or with ties."""
    with suppress(TooMany):  # far out there is little to count
        return PValue.from_count(_count(tail, FAR_OUT), tail.partitions)
    return computed(tail, "tilted", 1)


@functools.lru_cache(1024)
def _subsets(targets: int, size: int) -> int:
    """At most how many subsets of one half can be part of a set."""
    half, chosen = (targets + 1) // 2, min(size, targets - size)
    return sum(math.comb(half, j) for j in range(min(half, chosen) + 1))


def _count(tail: Tail, cap: int) -> int:
    from .batch_kernels import count_costs

    if tail.is_lower_half:
        return tail.partitions - _count(tail.rest(), cap)
    if tail.limit < 0:
        return 0
    removed, added = tail.costs()
    leave, take = np.zeros((2, len(tail.values)), np.int64)
    leave[: tail.size], take[tail.size :] = removed, added
    count = int(count_costs(leave, take, tail.size, tail.limit, cap))
    if count < 0:
        raise TooMany
    return count


def _tilted(tail: Tail) -> PValue | None:
    """The p-value by the compiled integral, or None where it needs more care."""
    from .batch_kernels import tilted_tail

    if not tail.allowance or not np.diff(tail.values).all():
        return None  # on a grid, or with ties, the integral must be told of them
    side = tail.rest() if tail.is_lower_half else tail
    if side.limit <= side.allowance:
        return None
    values = side.values.astype(np.float64)
    mean, spread = float(values.mean()), float(values.std())
    n, targets = side.size, len(values)
    least = LEAST_TILT / math.sqrt(n * (targets - n) / (targets - 1))
    s = (side.threshold - n * mean) / spread
    log_count, relative = tilted_tail((values - mean) / spread, n, s, least)
    if relative < 0:
        return None
    share = math.exp(log_count - math.log(side.partitions))
    error = share * relative
    # Half of the sets at the observed sum, as in `tilted_share`; and that sum is always reached.
    share = (1.0 - share if tail.is_lower_half else share) + tail.alike / tail.partitions / 2
    least_p = 1 / tail.partitions
    value, low, high = (
        above_zero(max(end, least_p)) for end in (share, share - error, share + error)
    )
    return PValue(value, low, high, "tilted")
