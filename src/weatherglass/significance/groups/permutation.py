"""The permutation test of several groups: target words are assigned to the groups at random."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import UsageError

from ..pvalue import Alternative, PValue, check_alternative
from ..sampling import share_from_count
from .assignments import (
    GroupStatistic,
    all_assignments,
    count_assignments,
    draw_assignments,
)

Floats = NDArray[np.float64]

MAX_COUNTED = 100_000
"""Assignments up to which all are counted; beyond, as many are drawn."""

MAX_KEPT_NUMBERS = 1 << 20
"""Size of the tables of assignments, of zeros and ones, that are kept in memory: 8 MB."""

MAX_GROUPS = 100
_TOLERANCE = 1e-12  # relative size of a difference that is rounding error


def group_permutation_p(
    scores: ArrayLike,
    sizes: Sequence[int],
    *,
    statistic: GroupStatistic = "spread",
    alternative: Alternative = "two-sided",
    rng: int = 0,
    n_resamples: int = 99_999,
) -> PValue:
    """Compute the p-value of the permutation test of several groups of words.

    The null hypothesis is that the N words were assigned to the groups at random: each of the
    N! / (n₁! … nₖ!) assignments with these sizes was equally likely. The p-value is the share of
    assignments whose statistic is at least the observed one (ties count), and the observed
    assignment is one of them.

    Parameters
    ----------
    scores : array_like
        The association of each word, group after group: N numbers, or for ``sum`` a table of N
        rows and a column for each group.
    sizes : sequence of int
        The number of words in each group.
    statistic : {"spread", "sum"}
        ``spread``: the squared deviations of the group means from their mean, summed; groups weigh
        the same whatever their size. ``sum``: Σᵢ of the mean over group i of column i, which is g
        of Swinger et al. (2019) if the rows sum to zero.
    alternative : {"two-sided", "greater", "less"}
        For ``sum``; two-sided is twice the smaller tail, at most 1. A spread has no direction, so
        that its p-value is always the upper tail.
    rng : int
        Random seed.
    n_resamples : int
        Assignments to draw if there are more than 100,000. The p-value is then (count + 1) /
        (drawn + 1), so that it cannot be below 1 / (n_resamples + 1), and its bounds are those of
        a 99 % confidence interval.

    Returns
    -------
    PValue
        By method ``exact`` or ``sample``. The order of the groups, and of the words in a group,
        does not change it.

    References
    ----------
    .. [1] N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai (2019).
       What are the biases in my word embedding? AIES, section 2.1.
    .. [2] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Stat. Appl.
       Genet. Mol. Biol. 9, 39.

    Examples
    --------
    >>> p = group_permutation_p([0.1, 0.2, 0.5, 0.6, 0.9, 1.0], [2, 2, 2])
    >>> p.fraction, p.method
    ('6/90', 'exact')
    """
    check_alternative(alternative)
    table = np.asarray(scores, dtype=np.float64)
    if statistic == "spread" and alternative != "two-sided":
        raise UsageError("A spread of several groups has no direction; leave out the alternative.")
    if table.ndim == 1 and statistic == "spread":
        table = np.repeat(table[:, None], len(sizes), axis=1)
    _check(table, sizes)
    table, ordered = _canonical(table, list(sizes))
    own = np.repeat(np.eye(len(ordered)), ordered, axis=0).T[:, None, :]
    observed = float(_statistics(table, list(own), ordered, statistic)[0])
    scale = float(np.abs(table).max(initial=0.0)) or 1.0
    tolerance = _TOLERANCE * len(ordered) * (scale if statistic == "sum" else scale**2)
    counts, total, method = _count(table, ordered, statistic, observed, tolerance, rng, n_resamples)
    is_exact = method == "exact"

    def tail(count: int) -> PValue:
        if is_exact:
            return PValue.from_count(count, total)
        return PValue(*share_from_count(count, total), method="sample")

    upper, lower = (tail(count) for count in counts)
    if statistic == "spread":
        return _with(upper, "two-sided", 1)
    if alternative != "two-sided":
        return _with(upper if alternative == "greater" else lower, alternative, 1)
    return _with(min(upper, lower, key=lambda p: p.value), "two-sided", 2)


def _with(p: PValue, alternative: Alternative, factor: int) -> PValue:
    value, low, high = (min(1.0, factor * end) for end in (p.value, p.low, p.high))
    count = None if p.count is None else min(factor * p.count, p.partitions or 0)
    return PValue(value, low, high, p.method, alternative, count, p.partitions)


def _check(table: Floats, sizes: Sequence[int]) -> None:
    if not 1 < len(sizes) <= MAX_GROUPS or min(sizes) < 1:
        raise UsageError(f"There must be 2 to {MAX_GROUPS} groups with at least one word each.")
    if table.shape != (sum(sizes), len(sizes)):
        raise UsageError(
            f"The scores have the shape {table.shape}; expected {(sum(sizes), len(sizes))}."
        )
    if not np.isfinite(table).all():
        raise UsageError("The scores must be finite numbers.")


def _canonical(table: Floats, sizes: list[int]) -> tuple[Floats, list[int]]:
    """Return the words in an order that does not depend on that of groups and words.

    Drawn assignments are then the same ones, so that relabelling the groups keeps the p-value.
    """
    ends = np.cumsum(sizes)
    blocks = [table[end - size : end] for size, end in zip(sizes, ends, strict=True)]

    def key(group: int) -> tuple[Any, ...]:
        # Rounded, because sums of the same numbers in another order differ in their last digits.
        own = np.sort(blocks[group][:, group]).round(10)
        return sizes[group], tuple(own.tolist())

    order = sorted(range(len(sizes)), key=key)
    words = []
    for group in order:
        block = blocks[group][:, order]
        words.append(block[np.lexsort(block.T[::-1].round(10))])
    return np.concatenate(words), [sizes[group] for group in order]


def _statistics(
    table: Floats, indicators: Sequence[Floats], sizes: Sequence[int], statistic: GroupStatistic
) -> Floats:
    """Return the statistic of each assignment; `indicators` has its words group by group."""
    means = np.stack(
        [
            indicators[group] @ table[:, group] / size  # a sum over the words of the group
            for group, size in enumerate(sizes)
        ],
        axis=1,
    )
    if statistic == "sum":
        return np.asarray(means.sum(axis=1))
    return np.asarray(means.var(axis=1) * len(sizes))


def _count(
    table: Floats,
    sizes: Sequence[int],
    statistic: GroupStatistic,
    observed: float,
    tolerance: float,
    rng: int,
    n_resamples: int,
) -> tuple[tuple[int, int], int, str]:
    """Count the assignments at least, and at most, as large as the observed one."""
    is_exact = count_assignments(sizes) <= MAX_COUNTED
    upper = lower = total = 0
    for indicators in _indicators(tuple(sizes), None if is_exact else rng, n_resamples):
        values = _statistics(table, indicators, sizes, statistic)
        upper += int((values >= observed - tolerance).sum())
        lower += int((values <= observed + tolerance).sum())
        total += len(values)
    return (upper, lower), total, "exact" if is_exact else "sample"


def _indicators(
    sizes: tuple[int, ...], rng: int | None, n_resamples: int
) -> Iterable[Sequence[Floats]]:
    """Return chunks of assignments, as tables of zeros and ones for each group.

    `rng` is None for all assignments. Those of small tests are kept, because leave-one-out asks for
    the same ones for each word.
    """
    count = count_assignments(sizes) if rng is None else n_resamples
    if count * sum(sizes) * len(sizes) <= MAX_KEPT_NUMBERS:
        return _kept_indicators(sizes, rng, n_resamples)
    return _make_indicators(sizes, rng, n_resamples)


@functools.lru_cache(maxsize=16)
def _kept_indicators(
    sizes: tuple[int, ...], rng: int | None, n_resamples: int
) -> tuple[Sequence[Floats], ...]:
    return tuple(_make_indicators(sizes, rng, n_resamples))


def _make_indicators(
    sizes: tuple[int, ...], rng: int | None, n_resamples: int
) -> Iterator[Sequence[Floats]]:
    chunks = all_assignments(sizes) if rng is None else draw_assignments(sizes, rng, n_resamples)
    for labels in chunks:
        yield [(labels == group).astype(np.float64) for group in range(len(sizes))]
