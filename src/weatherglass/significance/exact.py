"""Exact counting by meeting in the middle.

The targets are split into two halves. For each half the costs of all its subsets (see
`Tail.costs`) are built by subset size, one target at a time, each time merging two sorted lists,
so nothing is ever sorted. A pair of subsets, one of each half and of the right size together,
counts when its costs come to at most the limit; two pointers count all such pairs in one pass.
2^N partitions become about 2^(N/2) steps (Horowitz and Sahni 1974, J. ACM 21, 277-292).

Costs are never negative, so a subset over the limit is dropped as soon as it appears: the further
out the tail, the less the work, and a tail of a few million partitions is counted at any N.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np

from .tail import Integers, Tail, TooMany

Item = tuple[int, int]
"""One target: what it costs to leave it out, and what it costs to take it in."""

Lists = dict[int, Integers]
"""Sorted costs of the subsets of one half, by subset size."""

PIECE = 1 << 19
"""Most steps given to a thread at once."""


def count_exact(tail: Tail, *, workers: int | None = None, cap: int = 1 << 27) -> int:
    """How many sets are in the tail, exactly.

    Raises `TooMany` if the list of one half would hold more than `cap` subsets.
    """
    if tail.is_lower_half:
        return tail.partitions - _count(tail.rest(), workers, cap)
    return _count(tail, workers, cap)


def _count(tail: Tail, workers: int | None, cap: int) -> int:
    if tail.limit < 0:
        return 0
    removed, added = tail.costs()
    items = [(int(c), 0) for c in removed] + [(0, int(c)) for c in added]
    items.sort(key=max, reverse=True)
    # The two dearest targets stay out of the halves and are tried all four ways: half the memory
    # for the same number of steps, and where they are over the limit, less than half the steps.
    apart, items = (items[:2], items[2:]) if len(items) > 40 else ([], items)
    small = len(items) <= 28
    workers = 1 if small else workers or os.cpu_count() or 1

    halves = [(half, len(items) - len(half) + len(apart)) for half in (items[0::2], items[1::2])]
    left, right = _map(
        lambda half: _subset_costs(half[0], half[1], tail.size, tail.limit, cap),
        halves,
        workers,
    )
    return sum(_map(_count_piece, _pieces(left, right, apart, tail), workers))


def _subset_costs(half: list[Item], others: int, size: int, limit: int, cap: int) -> Lists:
    """The sorted costs of the subsets of `half`, by size, as far as they can still count."""
    from .kernels import merge_shifted

    none = np.empty(0, np.int64)
    lists: Lists = {0: np.zeros(1, np.int64)}
    for done, (leave, take) in enumerate(half, start=1):
        fewest = max(0, size - others - (len(half) - done))
        total = 0
        # Downwards, so that a list of the last round is freed as soon as it has been used.
        merged: Lists = {}
        for j in range(min(done, size), fewest - 1, -1):
            without = _up_to(lists.pop(j, none), limit - leave)
            having = _up_to(lists.get(j - 1, none), limit - take)
            total += len(without) + len(having)
            if total > cap:
                raise TooMany
            if len(without) or len(having):
                merged[j] = merge_shifted(without, leave, having, take)
        lists = merged
    return lists


def _up_to(ascending: Integers, limit: int) -> Integers:
    return ascending[: np.searchsorted(ascending, limit, side="right")]


def _pieces(
    left: Lists, right: Lists, apart: list[Item], tail: Tail
) -> Iterator[tuple[Integers, Integers, int]]:
    """The pairs of lists to count, cut into pieces of a size that keeps all threads busy."""
    for taken in product((0, 1), repeat=len(apart)):
        limit = tail.limit - sum(item[t] for item, t in zip(apart, taken, strict=True))
        for j, a in left.items():
            b = right.get(tail.size - sum(taken) - j)
            if b is None or a[0] + b[0] > limit:
                continue
            a = _up_to(a, limit - int(b[0]))
            for start in range(0, len(a), PIECE):
                yield a[start : start + PIECE], b, limit


def _count_piece(piece: tuple[Integers, Integers, int]) -> int:
    from .kernels import count_pairs

    a, b, limit = piece
    # Only the part of b whose fit varies along a is walked; what fits all of a is multiplied.
    some = int(np.searchsorted(b, limit - int(a[0]), side="right"))
    every = int(np.searchsorted(b, limit - int(a[-1]), side="right"))
    return len(a) * every + int(count_pairs(a, b[every:some], limit))


def _map(task: Callable[[Any], Any], over: Iterable[Any], workers: int) -> list[Any]:
    if workers == 1:
        return [task(one) for one in over]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(task, over))
