"""Exact counting where many targets have the same association.

With few distinct associations a set is known by how many targets it takes of each; the number of
sets behind such a choice is a product of binomial coefficients. The distinct associations are
split in two halves as in `exact`, and choices of one half that come to the same size and cost are
put together, so the work depends on the distinct associations and not on the number of targets.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from itertools import accumulate

import numpy as np

from .tail import Tail, TooMany

Group = tuple[int, int, int]
"""Targets with one association: how many, the cost of each left out, of each taken in."""

Choices = dict[tuple[int, int], int]
"""How many sets there are of each size and cost."""


def count_grouped(tail: Tail, *, cap: int = 1_000_000) -> int:
    """How many sets are in the tail, exactly.

    Raises `TooMany` where that would take more than about `cap` steps.
    """
    if tail.is_lower_half:
        return tail.partitions - _count(tail.rest(), cap)
    return _count(tail, cap)


def _count(tail: Tail, cap: int) -> int:
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
