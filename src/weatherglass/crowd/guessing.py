r"""What guessing gives: the null distributions of matching tasks, all of them exact.

A worker who guesses in a task with c cells and c groups chooses each group for a cell with
probability 1/c. This holds whether groups may be used several times, when the choices of a worker
are independent, or only once, when they are a random permutation: the image of one cell under it is
uniform. So the number of workers who choose the group of the discovery for *one cell* is a sum of
independent Bernoulli(1/c) variables under both designs: Poisson-binomial, and binomial if c is the
same for all.

Over the *cells of a task*, the designs differ. If groups may be used several times, the hits of a
worker are Poisson-binomial again. If each may be used once, they are the fixed points of a random
permutation: k of c with probability D(c - k) / (k! (c - k)!), with D(n) the number of derangements.
Workers, and tasks, are independent in both.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.significance import PValue, clamp_p

Floats = NDArray[np.float64]


def alpha_by_guessing(answers: Sequence[int], groups: Sequence[Sequence[str]]) -> float | None:
    """Return about which Krippendorff's α guessing gives; None if it is not defined.

    α compares the answers to an item with those to all items. Where an item offers only some of the
    groups, guesses agree about it more often than about other items, and α is above 0. The value is
    that of the expected disagreements, 1 - E(D_o) / E(D_e), with independent uniform guesses.

    Parameters
    ----------
    answers
        The number of answers to each item.
    groups
        The groups that can be chosen for each item.

    Examples
    --------
    >>> round(alpha_by_guessing([20, 20], [["A", "B"], ["A", "B"]]), 12)
    0.0
    >>> round(alpha_by_guessing([20, 20], [["A", "B"], ["C", "D"]]), 2)
    0.34
    """
    items = [(n, choices) for n, choices in zip(answers, groups, strict=True) if n >= 2]
    number = sum(n for n, _ in items)
    if not items:
        return None
    observed = sum(n * (1 - 1 / len(choices)) for n, choices in items) / number
    expected_counts: dict[str, float] = {}
    for n, choices in items:
        for group in choices:
            expected_counts[group] = expected_counts.get(group, 0.0) + n / len(choices)
    # Ordered pairs of different answers that name the same group.
    same = sum(count**2 for count in expected_counts.values())
    same -= sum(n / len(choices) for n, choices in items)
    expected = 1 - same / (number * (number - 1))
    return 1 - observed / expected if expected > 0 else None


def poisson_binomial(probabilities: ArrayLike) -> Floats:
    """Return the distribution of the number of successes of independent trials.

    All terms are sums of positive products, so that small probabilities keep their digits.

    >>> poisson_binomial([0.5, 0.25])
    array([0.375, 0.5  , 0.125])
    """
    distribution = np.ones(1)
    for p in np.asarray(probabilities, dtype=np.float64):
        distribution = np.append(distribution, 0.0) * (1 - p) + np.append(0.0, distribution) * p
    return distribution


def _fixed_points(c: int) -> tuple[float, ...]:
    """Return the distribution of the number of fixed points of a random permutation of c."""
    derangements = [1, 0]
    for n in range(2, c + 1):
        derangements.append((n - 1) * (derangements[-1] + derangements[-2]))
    return tuple(
        derangements[c - k] / (math.factorial(k) * math.factorial(c - k)) for k in range(c + 1)
    )


def hits_by_guessing(choices: Iterable[int], answered: Iterable[int], one_to_one: bool) -> Floats:
    """Return the distribution of correct answers over tasks that are answered by guessing.

    Parameters
    ----------
    choices, answered
        The number of groups c of each answered task, and how many of its cells were answered.
    one_to_one
        Whether each group could be used once only. In a task of which cells were left out, the
        choices are then taken as independent.

    Examples
    --------
    >>> hits_by_guessing([2], [2], one_to_one=True)
    array([0.5, 0. , 0.5])
    >>> hits_by_guessing([2], [2], one_to_one=False)
    array([0.25, 0.5 , 0.25])
    """
    distribution = np.ones(1)
    for c, count in zip(choices, answered, strict=True):
        distribution = np.convolve(distribution, _task_hits(c, count, one_to_one and count == c))
    return distribution


@functools.cache
def _task_hits(c: int, count: int, is_permutation: bool) -> tuple[float, ...]:
    """Return the distribution of the correct answers of one worker to one task."""
    if is_permutation:
        return _fixed_points(c)
    return tuple(poisson_binomial(np.full(count, 1 / c)).tolist())


def upper_tail(distribution: Floats, hits: int) -> PValue:
    """Return the exact p-value of at least so many hits.

    >>> upper_tail(poisson_binomial([0.5, 0.5]), 2).value
    0.25
    """
    value = clamp_p(float(distribution[hits:].sum())) if hits > 0 else 1.0
    return PValue(value, value, value, "exact")


@functools.cache
def plurality_by_guessing(workers: int, c: int) -> float:
    """Return the probability that a given one of c groups alone is chosen most, by guessing.

    That is P(N1 > max(N2, ..., Nc)) of a uniform multinomial distribution: the sum over k of the
    probability that it is chosen k times and each other at most k - 1 times.

    >>> plurality_by_guessing(1, 4), plurality_by_guessing(2, 4)
    (0.25, 0.0625)
    """
    if c == 1:
        return 1.0 if workers else 0.0
    log_factorial = [math.lgamma(n + 1) for n in range(workers + 1)]
    total = 0.0
    for k in range(1, workers + 1):
        rest = workers - k
        # exp(generating function) of the others, each chosen at most k - 1 times
        part = np.exp([-log_factorial[n] for n in range(min(k, rest + 1))])
        ways = np.ones(1)
        for _ in range(c - 1):
            ways = np.convolve(ways, part)[: rest + 1]
        if len(ways) > rest and ways[rest] > 0:
            log_p = (
                log_factorial[workers]
                - log_factorial[k]
                + math.log(ways[rest])
                - workers * math.log(c)
            )
            total += math.exp(log_p)
    return total
