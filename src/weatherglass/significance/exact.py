"""Exact counting by meeting in the middle.

The targets are split into two halves. For each half the costs of all its subsets (see
`Tail.costs`) are built by subset size, target by target. Each step merges two sorted lists, so
nothing is ever sorted. A pair of subsets, one of each half and together of the right size, belongs
to the tail if its costs sum to at most the limit; two pointers count all such pairs in one pass.
2^N partitions become about 2^(N/2) steps (Horowitz and Sahni 1974, J. ACM 21, 277-292).

Costs are never negative, so a subset over the limit is dropped as soon as it appears: the further
out the tail, the less the work, and a tail of a few million partitions is counted at any N.
"""

from __future__ import annotations

import functools
import math
import os
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, product
from typing import Any

import numpy as np

from .tail import Integers, MethodFailed, Tail

Lists = list[Integers]
"""Sorted costs of the subsets of one half; the index is the subset size."""

MAX_STEPS_PER_TASK = 1 << 19


def count_exact(tail: Tail, *, workers: int | None = None, cap: int = 1 << 27) -> int:
    """Count the sets in the tail.

    Raises `MethodFailed` if the list of one half would hold more than `cap` subsets.
    """
    if tail.is_below_mean:
        return tail.partitions - _count(tail.complement(), workers, cap)
    return _count(tail, workers, cap)


@functools.lru_cache(1024)
def max_subsets(targets: int, size: int) -> int:
    """Bound the number of subsets of one half that can be part of a set of `size` targets.

    Subsets of more than 40 targets are left out: with them the bound is above any cap anyway.
    """
    half, members = (targets + 1) // 2, min(size, targets - size)
    return sum(math.comb(half, j) for j in range(min(half, members, 40) + 1))


def _count(tail: Tail, workers: int | None, cap: int) -> int:
    if tail.limit < 0:
        return 0
    leave, take = tail.costs_by_target()
    order = np.argsort(-np.maximum(leave, take), kind="stable")
    leave, take = leave[order], take[order]
    # The two most expensive targets stay out of the halves and are tried in all four combinations:
    # half the memory for the same number of steps, and if they are over the limit, less than half
    # the steps.
    apart = 2 if len(order) > 40 else 0
    workers = 1 if len(order) - apart <= 28 else workers or os.cpu_count() or 1
    halves = [(leave[start::2].copy(), take[start::2].copy()) for start in (apart, apart + 1)]
    build = functools.partial(_subset_costs, len(order), tail, cap)
    left, right = _map(build, halves, workers)
    pairs = _list_pairs(left, right, leave[:apart].tolist(), take[:apart].tolist(), tail)
    return sum(_map(_count_task, pairs, workers))


def _subset_costs(targets: int, tail: Tail, cap: int, half: tuple[Integers, Integers]) -> Lists:
    from .kernels import subset_costs

    lists: Lists = subset_costs(*half, targets - len(half[0]), tail.size, tail.limit, cap)
    if not lists:
        raise MethodFailed
    return lists


def _list_pairs(
    left: Lists, right: Lists, leave: list[int], take: list[int], tail: Tail
) -> Iterator[tuple[Integers, Integers, int]]:
    """Yield the pairs of lists to count, cut into tasks that keep all threads busy."""
    for is_taken in product((False, True), repeat=len(leave)):
        costs = zip(is_taken, leave, take, strict=True)
        limit = tail.limit - sum(
            cost_in if taken else cost_out for taken, cost_out, cost_in in costs
        )
        size = tail.size - sum(is_taken)
        for j, a in enumerate(left):
            b = right[size - j] if 0 <= size - j < len(right) else a[:0]
            if not len(a) or not len(b) or a[0] + b[0] > limit:
                continue
            a = a[: np.searchsorted(a, limit - int(b[0]), side="right")]
            for start in range(0, len(a), MAX_STEPS_PER_TASK):
                yield a[start : start + MAX_STEPS_PER_TASK], b, limit


def _count_task(task: tuple[Integers, Integers, int]) -> int:
    from .kernels import count_pairs

    a, b, limit = task
    # Elements of b that fit with all of a are multiplied; only those that fit with a part of a are
    # counted one by one.
    fits_first = int(np.searchsorted(b, limit - int(a[0]), side="right"))
    fits_all = int(np.searchsorted(b, limit - int(a[-1]), side="right"))
    return len(a) * fits_all + int(count_pairs(a, b[fits_all:fits_first], limit))


def _map(task: Callable[[Any], Any], inputs: Iterable[Any], workers: int) -> list[Any]:
    if workers == 1:
        return [task(item) for item in inputs]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(task, inputs))


Group = tuple[int, int, int]
"""Targets with equal associations: how many, the cost of leaving one out, of taking one in."""

Choices = dict[tuple[int, int], int]
"""Number of sets of each size and cost."""


def count_grouped(tail: Tail, *, cap: int = 1_000_000) -> int:
    """Count the sets in the tail by groups of equal associations.

    A set is described by how many targets it holds of each group, and stands for a product of
    binomials. Raises `MethodFailed` if that would take more than about `cap` steps.
    """
    if tail.is_below_mean:
        return tail.partitions - _count_ties(tail.complement(), cap)
    return _count_ties(tail, cap)


def _count_ties(tail: Tail, cap: int) -> int:
    if tail.limit < 0:
        return 0
    left, right = (_choices(half, tail, cap) for half in _split_groups(_groups(tail)))
    by_size: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (size, cost), sets in sorted(right.items()):
        by_size[size].append((cost, sets))
    costs = {size: [cost for cost, _ in pairs] for size, pairs in by_size.items()}
    cumulated = {
        size: list(accumulate((sets for _, sets in pairs), initial=0))
        for size, pairs in by_size.items()
    }
    count = 0
    for (size, cost), sets in left.items():
        other = tail.size - size
        if other in costs:
            count += sets * cumulated[other][bisect_right(costs[other], tail.limit - cost)]
    return count


def _groups(tail: Tail) -> list[Group]:
    top, low = int(tail.values[tail.size - 1]), int(tail.values[tail.size])
    pivot = (top + low) // 2
    values, members = np.unique(tail.values, return_counts=True)
    return [
        (m, max(0, v - pivot), max(0, pivot - v))
        for v, m in zip(values.tolist(), members.tolist(), strict=True)
    ]


def _split_groups(groups: list[Group]) -> tuple[list[Group], list[Group]]:
    """Split into halves with about the same number of choices, the largest groups first."""
    left: list[Group] = []
    right: list[Group] = []
    balance = 0.0
    for group in sorted(groups, reverse=True):
        half, sign = (left, 1) if balance <= 0 else (right, -1)
        half.append(group)
        balance += sign * math.log(group[0] + 1)
    return left, right


def _choices(half: list[Group], tail: Tail, cap: int) -> Choices:
    choices: Choices = {(0, 0): 1}
    steps = 0
    for members, leave, take in half:
        steps += len(choices) * (members + 1)
        if steps > cap:
            raise MethodFailed
        binomial = [math.comb(members, k) for k in range(members + 1)]
        extended: Choices = defaultdict(int)
        for (size, cost), sets in choices.items():
            for k in range(min(members, tail.size - size) + 1):
                total = cost + (members - k) * leave + k * take
                if total <= tail.limit:
                    extended[size + k, total] += sets * binomial[k]
        choices = extended
    return choices
