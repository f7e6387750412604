"""Assignments of words to groups of fixed sizes: how many there are, all of them, random ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..pvalue import Alternative

Labels = NDArray[np.int8]
GroupStatistic = Literal["sum", "spread"]

_ROWS_PER_CHUNK = 1 << 14


def count_assignments(sizes: Sequence[int]) -> int:
    """Return how many assignments of words to groups of these sizes there are.

    >>> count_assignments([4, 4, 4])
    34650
    """
    total = math.factorial(sum(sizes))
    for size in sizes:
        total //= math.factorial(size)
    return total


def smallest_group_p(
    sizes: Sequence[int],
    statistic: GroupStatistic = "spread",
    alternative: Alternative = "two-sided",
) -> float:
    """Return the smallest p-value that groups of these sizes can have.

    Groups of the same size can be exchanged without changing a spread, so that several assignments
    share its largest value; a two-sided p-value of a sum is twice that of one assignment.

    >>> round(smallest_group_p([2, 2, 2]) * 90)
    6
    """
    tied = (
        1
        if statistic == "sum"
        else math.prod(math.factorial(list(sizes).count(size)) for size in set(sizes))
    )
    doubled = 2 if statistic == "sum" and alternative == "two-sided" else 1
    return min(1.0, doubled * tied / count_assignments(sizes))


def draw_assignments(sizes: Sequence[int], rng: int, n_resamples: int) -> Iterator[Labels]:
    """Yield random assignments in chunks, as rows of group numbers."""
    generator = np.random.default_rng(rng)
    labels = np.repeat(np.arange(len(sizes), dtype=np.int8), sizes)
    for start in range(0, n_resamples, _ROWS_PER_CHUNK):
        rows = min(_ROWS_PER_CHUNK, n_resamples - start)
        yield generator.permuted(np.tile(labels, (rows, 1)), axis=1)


def all_assignments(sizes: Sequence[int]) -> Iterator[Labels]:
    """Yield every assignment of words to groups of these sizes, as rows of group numbers."""
    total = sum(sizes)
    labels = np.full((1, total), len(sizes) - 1, dtype=np.int8)
    free = np.arange(total)[None, :]  # positions that no group has yet, row by row
    for group, size in enumerate(sizes[:-1]):
        width = free.shape[1]
        chosen = np.array(list(combinations(range(width), size)), dtype=np.intp)
        is_chosen = np.zeros((len(chosen), width), dtype=bool)
        np.put_along_axis(is_chosen, chosen, True, axis=1)
        rest = np.nonzero(~is_chosen)[1].reshape(len(chosen), width - size)
        taken = free[:, chosen].reshape(-1, size)
        labels = np.repeat(labels, len(chosen), axis=0)
        np.put_along_axis(labels, taken, np.int8(group), axis=1)
        free = free[:, rest].reshape(-1, width - size)
    yield labels
