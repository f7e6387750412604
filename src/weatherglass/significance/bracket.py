"""The tail between two certain bounds, by dynamic programming on a coarse grid.

The costs of `Tail.costs` are rounded to cells. The subsets of the targets inside the best set, and
of those outside it, are counted by size and summed cells; a set that swaps j targets costs what its
cells say, give or take the rounding errors of j targets on each side. Sets that fit the limit at
the worst of those errors are certainly in the tail; those that do not fit at the best are certainly
not. Only positive numbers are added, so the bounds hold at 1e-50 as they do at 0.5.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tail import Integers, Tail, TooMany

Floats = NDArray[np.float64]

BUDGET = 400_000_000
"""Additions to spend: about a quarter of a second. More of them make a narrower bracket."""

MOST_CELLS = 1 << 21
MOST_TARGETS = 1000
"""Above this, the number of subsets can exceed the largest float."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side's costs in cells, and the sums of its j smallest, mean and j largest errors."""

    cells: Integers
    least: Integers
    mean: Floats
    most: Integers


def bracket_shares(
    tail: Tail, *, budget: int = BUDGET, workers: int | None = None
) -> tuple[float, float, float]:
    """The likely share of all sets that are in the tail, and its lower and upper bound.

    Raises `TooMany` above 1000 targets.
    """
    if tail.is_lower_half:
        value, low, high = _shares(tail.rest(), budget, workers)
        return 1 - value, 1 - high, 1 - low
    return _shares(tail, budget, workers)


def _shares(tail: Tail, budget: int, workers: int | None) -> tuple[float, float, float]:
    if tail.limit < 0:
        return 0.0, 0.0, 0.0
    if len(tail.values) > MOST_TARGETS:
        raise TooMany
    removed, added = (np.sort(costs) for costs in tail.costs())
    swaps = _most_swaps(removed, added, tail.limit)
    width = min(MOST_CELLS, budget // (len(tail.values) * max(1, swaps)))
    cell = max(1, -(-tail.limit // max(1, width)))
    sides = [_side(costs, cell) for costs in (removed, added)]
    counts = _counts(sides, swaps, tail.limit // cell + swaps + 2, workers)
    value, low, high = _tails(sides, counts, tail.limit, cell)

    # Each number is a sum of positive ones, at most this deep; each addition is off by half a unit.
    rounding = (len(tail.values) + counts[0].shape[1]) * 2.0**-52
    partitions = tail.partitions
    return (
        _ratio(value, partitions),
        _ratio(low, partitions) * (1 - rounding),
        min(1.0, _ratio(high, partitions) * (1 + rounding)),
    )


def _most_swaps(removed: Integers, added: Integers, limit: int) -> int:
    """How many targets can be swapped at all: the cheapest j on each side must fit the limit."""
    most = min(len(removed), len(added))
    cheapest = np.cumsum(removed[:most]) + np.cumsum(added[:most])
    return int(np.searchsorted(cheapest, limit, side="right"))


def _side(costs: Integers, cell: int) -> Side:
    cells = (costs + cell // 2) // cell
    errors = np.sort(costs - cells * cell)
    zero = np.zeros(1, np.int64)
    return Side(
        cells,
        np.concatenate([zero, np.cumsum(errors)]),
        np.arange(len(costs) + 1, dtype=np.float64) * float(errors.mean()),
        np.concatenate([zero, np.cumsum(errors[::-1])]),
    )


def _counts(sides: list[Side], swaps: int, width: int, workers: int | None) -> list[Floats]:
    from .kernels import subsets_by_cell

    with ThreadPoolExecutor(min(2, workers or os.cpu_count() or 1)) as pool:
        return list(pool.map(lambda side: subsets_by_cell(side.cells, swaps, width), sides))


def _tails(
    sides: list[Side], counts: list[Floats], limit: int, cell: int
) -> tuple[float, float, float]:
    """The count at the mean of the rounding errors, at the worst and at the best of them."""
    removed, added = sides
    value = low = high = 0.0
    for j in range(len(counts[0])):
        cumulated = np.cumsum(counts[1][j])
        mean = int(removed.mean[j] + added.mean[j])
        worst, best = (int(removed.most[j] + added.most[j]), int(removed.least[j] + added.least[j]))
        value += _pairs(counts[0][j], cumulated, (limit - mean) // cell)
        low += _pairs(counts[0][j], cumulated, (limit - worst) // cell)
        high += _pairs(counts[0][j], cumulated, (limit - best) // cell)
    return min(max(value, low), high), low, high


def _pairs(counts: Floats, cumulated: Floats, last: int) -> float:
    """Pairs of subsets, one of each side, whose cells together come to at most `last`."""
    if last < 0:
        return 0.0
    last = min(last, len(counts) - 1)
    return float(counts[: last + 1] @ cumulated[last::-1])


def _ratio(count: float, partitions: int) -> float:
    return int(count) / partitions if count >= 2.0**53 else count / partitions
