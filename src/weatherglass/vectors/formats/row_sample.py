"""Which rows of a source belong to its sample: about 4,000, by row number alone.

A row number decides by a fixed hash, so that the sample is the same whether a source is read from
its start in pieces, in parallel, or whole, and whatever words were asked for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

UNIFORM_ROWS = 2500  # rows drawn uniformly from all rows
LOG_ROWS = 330  # row r is also drawn with probability LOG_ROWS / r: uniformly in log rank

Integers = NDArray[np.int64]
Hashes = NDArray[np.uint64]


class RowSampler:
    """Chooses the sampled rows of a source while its rows go by.

    The sample has the `UNIFORM_ROWS` rows with the smallest hashes, and row r = 1, 2, … wherever
    its hash, as a number between 0 and 1, is below `LOG_ROWS` / r. Half of it is then about uniform
    in rank and half in log rank, which gives frequent and rare words both enough neighbours.

    >>> sampler = RowSampler()
    >>> len(sampler.next_candidates(1000)), sampler.total
    (1000, 1000)
    >>> len(RowSampler().next_candidates(400_000))
    4199
    """

    def __init__(self) -> None:
        self.total = 0
        self._smallest: Hashes = np.empty(0, dtype=np.uint64)

    def next_candidates(self, count: int) -> Integers:
        """Return the positions, among the next `count` rows, of rows that may be in the sample."""
        rows = np.arange(self.total, self.total + count, dtype=np.int64)
        hashes = _hash(rows)
        pool = np.concatenate([self._smallest, hashes[hashes <= self._limit]])
        if len(pool) > UNIFORM_ROWS:
            pool = np.partition(pool, UNIFORM_ROWS - 1)[:UNIFORM_ROWS]
        self._smallest = pool
        self.total += count
        return np.flatnonzero(self._is_below(hashes, rows))

    def are_sampled(self, rows: Integers) -> NDArray[np.bool_]:
        """Return whether each row is in the sample, after all rows of the source went by."""
        return self._is_below(_hash(rows), rows) & (rows < self.total)

    @property
    def _limit(self) -> np.uint64:
        """The largest hash of the uniform half, which can only fall with more rows."""
        is_full = len(self._smallest) >= UNIFORM_ROWS
        return np.uint64(self._smallest.max()) if is_full else np.uint64((1 << 64) - 1)

    def _is_below(self, hashes: Hashes, rows: Integers) -> NDArray[np.bool_]:
        is_in_log_half = hashes.astype(np.float64) * 2.0**-64 < LOG_ROWS / (rows + 1)
        return np.asarray((hashes <= self._limit) | is_in_log_half)


def expected_rows(rank: int, total: int) -> float:
    """Return about how many of the first `rank` of `total` rows are sampled.

    >>> round(expected_rows(60_000, 400_000)), round(expected_rows(400_000, 400_000))
    (2050, 4175)
    """
    uniform = min(1.0, UNIFORM_ROWS / total)
    # Up to this rank the log half draws more densely; one hash decides for both halves.
    crossover = min(rank, LOG_ROWS / uniform)
    in_log_half = min(crossover, LOG_ROWS) + LOG_ROWS * math.log(max(crossover / LOG_ROWS, 1.0))
    return in_log_half + uniform * (rank - crossover)


def _hash(rows: Integers) -> Hashes:
    """Return the SplitMix64 hash of row numbers (Steele, Lea and Flood 2014)."""
    z = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
