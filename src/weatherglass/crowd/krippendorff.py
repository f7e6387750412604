r"""Krippendorff's α with a bootstrap over workers.

.. math:: \alpha = 1 - D_o / D_e

is 1 if all workers agree and 0 if they agree as chance would (Krippendorff 2011). D_o is the mean
disagreement of two workers about the same item, D_e that of any two answers. The disagreement of
two answers is 0 or 1 (nominal), the squared difference (interval), or the squared number of answers
between them (ordinal).

Own code, because the package `krippendorff` has neither weights nor intervals; the tests compare
both.

A bootstrap sample draws workers with replacement, and so has several copies of a worker, who agree
with each other perfectly. Pairs of such copies are left out; otherwise the samples would agree more
than the workers do. The interval has expanded percentiles (Hesterberg 2015), because plain ones are
too narrow for few workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval"]
MISSING = -1
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's α with its interval over workers.

    Attributes
    ----------
    value
        α; None if nobody answered the same item as another, or all answers are the same.
    low, high
        The ends of the 95 % bootstrap interval over workers; None if it cannot be computed.
    level
        ``nominal``, ``ordinal`` or ``interval``.
    workers, items
        How many workers and items it rests on: items with at least two answers.
    """

    value: float | None
    low: float | None
    high: float | None
    level: Level
    workers: int
    items: int


def krippendorff_alpha(codes: ArrayLike, level: Level, weights: ArrayLike | None = None) -> float:
    """Return Krippendorff's α of a table of workers × items; NaN if it is not defined.

    Parameters
    ----------
    codes
        Answers as whole numbers from 0 in their order; -1 where there is none.
    level
        The scale of the answers.
    weights
        How often each worker is counted; pairs of copies of a worker are left out.

    Examples
    --------
    >>> krippendorff_alpha([[0, 1, 2], [0, 1, 2]], "nominal")
    1.0
    >>> round(krippendorff_alpha([[0, 1, 2, 2], [0, 1, 2, 1]], "ordinal"), 4)
    0.79
    """
    indicators = _indicators(np.asarray(codes, dtype=np.int64))
    size = len(indicators)
    counted = np.ones(size) if weights is None else np.asarray(weights, dtype=np.float64)
    return _weighted_alpha(indicators, level, counted)


def alpha_over_workers(
    codes: ArrayLike, level: Level, rng: Generator, bootstraps: int = 2000
) -> Alpha:
    """Return α with the interval of bootstrap samples of the workers, by expanded percentiles.

    References
    ----------
    .. [1] T. C. Hesterberg (2015). What teachers should know about the bootstrap. The American
       Statistician 69, 371-386.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> answers = rng.integers(3, size=(8, 20))
    >>> alpha = alpha_over_workers(answers, "nominal", rng, 200)
    >>> alpha.low < 0 < alpha.high
    True
    """
    table = np.asarray(codes, dtype=np.int64).reshape(len(np.asarray(codes)), -1)
    answered = table != MISSING
    paired = answered.sum(axis=0) >= 2
    table = table[:, paired]
    table = table[(table != MISSING).any(axis=1)]
    if not table.size:
        return Alpha(None, None, None, level, 0, 0)
    indicators = _indicators(table)
    workers = len(table)
    value = _weighted_alpha(indicators, level, np.ones(workers))
    draws = rng.multinomial(workers, np.full(workers, 1 / workers), size=bootstraps)
    samples = np.array([_weighted_alpha(indicators, level, draw) for draw in draws])
    samples = samples[np.isfinite(samples)]
    tail = _expanded_tail(workers)
    has_interval = np.isfinite(value) and len(samples) >= bootstraps / 2 > 0
    low, high = np.quantile(samples, [tail, 1 - tail]) if has_interval else (None, None)
    return Alpha(
        float(value) if np.isfinite(value) else None,
        None if low is None else float(low),
        None if high is None else float(high),
        level,
        workers,
        int(paired.sum()),
    )


def _expanded_tail(workers: int) -> float:
    """Return the quantile at which an interval ends, wider than 2.5 % for few workers.

    Bootstrap samples vary less than new samples do, by the factor (n - 1) / n of the variance, and
    a normal quantile ignores that the variance is estimated (Hesterberg 2015, section 5.2).
    """
    from scipy.special import ndtr, stdtrit

    if workers < 2:
        return (1 - CONFIDENCE) / 2
    quantile = stdtrit(workers - 1, (1 + CONFIDENCE) / 2) * np.sqrt(workers / (workers - 1))
    return float(ndtr(-quantile))


def _indicators(codes: NDArray[np.int64]) -> Floats:
    """Return workers × items × values, with 1 where the worker gave the value."""
    values = np.arange(int(codes.max(initial=0)) + 1)
    return np.asarray(codes[:, :, None] == values, dtype=np.float64)


def _weighted_alpha(indicators: Floats, level: Level, weights: ArrayLike) -> float:
    counted = np.asarray(weights, dtype=np.float64)
    counts = np.tensordot(counted, indicators, 1)  # items × values
    answers = counts.sum(axis=1)
    copies = np.tensordot(counted**2, indicators.sum(axis=2), 1)  # pairs of a worker with itself
    pairs = answers**2 - copies
    used = pairs > 0
    if not used.any():
        return float("nan")
    counts, answers, pairs, copies = counts[used], answers[used], pairs[used], copies[used]
    totals = counts.sum(axis=0)
    distance = _distance(totals, level)
    observed = ((counts @ distance) * counts).sum(axis=1) * answers / pairs
    number = totals.sum()
    expected = totals @ distance @ totals / (number**2 - copies.sum())
    if expected <= 0:
        return float("nan")
    return float(1 - observed.sum() / number / expected)


def _distance(totals: Floats, level: Level) -> Floats:
    """Return the disagreement of every two values; for ordinal ones it depends on their totals."""
    size = len(totals)
    if level == "nominal":
        return 1.0 - np.eye(size)
    position = np.cumsum(totals) - totals / 2 if level == "ordinal" else np.arange(size)
    return np.asarray((position[:, None] - position[None, :]) ** 2, dtype=np.float64)
