"""Certified bounds of the tail, by dynamic programming on a coarse grid.

The costs of `Tail.costs` are rounded to cells. The subsets of the targets inside the best set, and
of those outside it, are counted by size and summed cells. A set that swaps j targets costs what its
cells say, plus or minus the rounding errors of j targets on each side. Sets within the limit for
the worst of these errors are certainly in the tail; sets over the limit for the best of them are
certainly outside. Only positive numbers are added, so the bounds hold at 1e-50 as well as at 0.5.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tail import Integers, MethodFailed, Tail

Floats = NDArray[np.float64]

BUDGET = 400_000_000
"""Number of additions, which take about a quarter of a second. More give a narrower bracket."""

MAX_CELLS = 1 << 21
MAX_TARGETS = 1000
"""With more targets the number of subsets can exceed the largest float."""


@dataclass(frozen=True, slots=True)
class Side:
    """The costs of one side in cells, and the sums of its j smallest, mean and j largest errors."""

    cells: Integers
    smallest: Integers
    mean: Floats
    largest: Integers


def bracket_shares(
    tail: Tail, *, budget: int = BUDGET, workers: int | None = None
) -> tuple[float, float, float]:
    """Return the likely share of all sets that are in the tail, and its lower and upper bound.

    Raises `MethodFailed` above 1000 targets.
    """
    if tail.is_below_mean:
        value, low, high = _shares(tail.complement(), budget, workers)
        return 1 - value, 1 - high, 1 - low
    return _shares(tail, budget, workers)


def _shares(tail: Tail, budget: int, workers: int | None) -> tuple[float, float, float]:
    if tail.limit < 0:
        return 0.0, 0.0, 0.0
    if len(tail.values) > MAX_TARGETS:
        raise MethodFailed
    removed, added = (np.sort(costs) for costs in tail.costs())
    swaps = _max_swaps(removed, added, tail.limit)
    width = min(MAX_CELLS, budget // (len(tail.values) * max(1, swaps)))
    cell = max(1, -(-tail.limit // max(1, width)))
    sides = [_round_side(costs, cell) for costs in (removed, added)]
    counts = _count_subsets(sides, swaps, tail.limit // cell + swaps + 2, workers)
    value, low, high = _count_tail(sides, counts, tail.limit, cell)

    # Each number is a sum of at most this many positive ones; each addition is off by half a unit.
    rounding = (len(tail.values) + counts[0].shape[1]) * 2.0**-52
    partitions = tail.partitions
    return (
        _ratio(value, partitions),
        _ratio(low, partitions) * (1 - rounding),
        min(1.0, _ratio(high, partitions) * (1 + rounding)),
    )


def _max_swaps(removed: Integers, added: Integers, limit: int) -> int:
    """Return how many targets can be swapped: the cheapest j on each side must fit the limit."""
    longest = min(len(removed), len(added))
    cheapest = np.cumsum(removed[:longest]) + np.cumsum(added[:longest])
    return int(np.searchsorted(cheapest, limit, side="right"))


def _round_side(costs: Integers, cell: int) -> Side:
    cells = (costs + cell // 2) // cell
    errors = np.sort(costs - cells * cell)
    zero = np.zeros(1, np.int64)
    return Side(
        cells,
        np.concatenate([zero, np.cumsum(errors)]),
        np.arange(len(costs) + 1, dtype=np.float64) * float(errors.mean()),
        np.concatenate([zero, np.cumsum(errors[::-1])]),
    )


def _count_subsets(sides: list[Side], swaps: int, width: int, workers: int | None) -> list[Floats]:
    from .kernels import subsets_by_cell

    with ThreadPoolExecutor(min(2, workers or os.cpu_count() or 1)) as pool:
        return list(pool.map(lambda side: subsets_by_cell(side.cells, swaps, width), sides))


def _count_tail(
    sides: list[Side], counts: list[Floats], limit: int, cell: int
) -> tuple[float, float, float]:
    """Count the sets within the limit for the mean, worst and best rounding errors."""
    removed, added = sides
    value = low = high = 0.0
    for j in range(len(counts[0])):
        cumulated = np.cumsum(counts[1][j])
        mean = int(removed.mean[j] + added.mean[j])
        worst = int(removed.largest[j] + added.largest[j])
        best = int(removed.smallest[j] + added.smallest[j])
        value += _count_pairs(counts[0][j], cumulated, (limit - mean) // cell)
        low += _count_pairs(counts[0][j], cumulated, (limit - worst) // cell)
        high += _count_pairs(counts[0][j], cumulated, (limit - best) // cell)
    return min(max(value, low), high), low, high


def _count_pairs(counts: Floats, cumulated: Floats, last: int) -> float:
    """Count the pairs of subsets, one of each side, whose cells sum to at most `last`."""
    if last < 0:
        return 0.0
    last = min(last, len(counts) - 1)
    return float(counts[: last + 1] @ cumulated[last::-1])


def _ratio(count: float, partitions: int) -> float:
    return int(count) / partitions if count >= 2.0**53 else count / partitions
