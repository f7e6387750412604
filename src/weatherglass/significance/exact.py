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

import math
import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, product
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


Group = tuple[int, int, int]
"""Targets with one association: how many, the cost of each left out, of each taken in."""

Choices = dict[tuple[int, int], int]
"""How many sets there are of each size and cost."""


def count_grouped(tail: Tail, *, cap: int = 1_000_000) -> int:
    """How many sets are in the tail, exactly.

    Raises `TooMany` where that would take more than about `cap` steps.
    """
    if tail.is_lower_half:
        return tail.partitions - _count_ties(tail.rest(), cap)
    return _count_ties(tail, cap)


def _count_ties(tail: Tail, cap: int) -> int:
    if tail.limit < 0:
        return 0
    left, right = (_choices(half, tail, cap) for half in _halves(_groups(tail)))
    by_size: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (size, cost), sets in sorted(right.items()):
        by_size[size].append((cost, sets))
    costs = {size: [cost for cost, _ in pairs] for size, pairs in by_size.items()}
    upto = {
        size: list(accumulate((sets for _, sets in pairs), initial=0))
        for size, pairs in by_size.items()
    }
    count = 0
    for (size, cost), sets in left.items():
        other = tail.size - size
        if other in costs:
            count += sets * upto[other][bisect_right(costs[other], tail.limit - cost)]
    return count


def _groups(tail: Tail) -> list[Group]:
    top, low = int(tail.values[tail.size - 1]), int(tail.values[tail.size])
    pivot = (top + low) // 2
    values, members = np.unique(tail.values, return_counts=True)
    return [
        (m, max(0, v - pivot), max(0, pivot - v))
        for v, m in zip(values.tolist(), members.tolist(), strict=True)
    ]


def _halves(groups: list[Group]) -> tuple[list[Group], list[Group]]:
    """Two halves with about the same number of choices, the groups of most members first."""
    left: list[Group] = []
    right: list[Group] = []
    lean = 0.0
    for group in sorted(groups, reverse=True):
        half, sign = (left, 1) if lean <= 0 else (right, -1)
        half.append(group)
        lean += sign * math.log(group[0] + 1)
    return left, right


def _choices(half: list[Group], tail: Tail, cap: int) -> Choices:
    known: Choices = {(0, 0): 1}
    steps = 0
    for members, leave, take in half:
        steps += len(known) * (members + 1)
        if steps > cap:
            raise TooMany
        binomial = [math.comb(members, k) for k in range(members + 1)]
        grown: Choices = defaultdict(int)
        for (size, cost), sets in known.items():
            for k in range(min(members, tail.size - size) + 1):
                dearer = cost + (members - k) * leave + k * take
                if dearer <= tail.limit:
                    grown[size + k, dearer] += sets * binomial[k]
        known = grown
    return known
