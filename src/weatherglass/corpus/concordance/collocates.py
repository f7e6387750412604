"""Collocates: words that occur near another word more often than by chance.

A collocate is a word near another word. With n₁ words within `window` words of w, of which O are
the collocate c, and c occurring C times among the N words of the group, chance would give
E = n₁ C / N of them, and

    PMI = log₂(O / E),    G² = 2 Σ O_ij ln(O_ij / E_ij),

where G², the log-likelihood ratio, is over the 2 × 2 table of near w or not, and c or not.
See T. Dunning (1993). Accurate methods for the statistics of surprise and coincidence.
Computational Linguistics 19(1), 61-74; K. W. Church, P. Hanks (1990). Word association norms,
mutual information, and lexicography. Computational Linguistics 16(1), 22-29.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Literal

Measure = Literal["log-likelihood", "pmi"]


@dataclass(frozen=True)
class Collocate:
    """A word near another one.

    Attributes
    ----------
    word, group, collocate
        The word, the group of documents, and the word near it.
    count, expected
        How often it is near the word, and how often it would be by chance.
    log_likelihood, pmi
        G², above 10.83 for p < 0.001 if words were independent draws, and the pointwise mutual
        information in bits.
    """

    word: str
    group: str
    collocate: str
    count: int
    expected: float
    log_likelihood: float
    pmi: float


def find_collocates(
    word: str,
    group: str,
    nearby: Counter[str],
    counts: Counter[str],
    tokens: int,
    measure: Measure,
    min_together: int,
) -> list[Collocate]:
    """Return the words that are near a word more often than by chance, the strongest first.

    Parameters
    ----------
    word, group
        The word and the group that the counts are of.
    nearby
        How often each word is near it.
    counts, tokens
        How often each word occurs in the group, and the number of its words.
    measure, min_together
        What orders them, and how often a collocate must be near the word.
    """
    size = nearby.total()
    collocates = []
    for other, count in nearby.items():
        expected = size * counts[other] / tokens
        if other == word or count < min_together or count <= expected:
            continue
        ratio, pmi = log_likelihood(count, size, counts[other], tokens), math.log2(count / expected)
        rounded = (round(number, 4) for number in (expected, ratio, pmi))
        collocates.append(Collocate(word, group, other, count, *rounded))
    key = "pmi" if measure == "pmi" else "log_likelihood"
    return sorted(collocates, key=lambda c: (-getattr(c, key), c.collocate))


def log_likelihood(count: int, nearby: int, frequency: int, total: int) -> float:
    """Return G² of the table of near a word or not, and a collocate or not.

    A word within the windows of two occurrences is counted twice, so a cell may fall below 0 in a
    small group; it counts as 0 then.

    >>> round(log_likelihood(10, 100, 20, 10_000), 2)
    65.58
    """
    table = (count, nearby - count, frequency - count, total - nearby - frequency + count)
    rows, columns = (nearby, nearby, total - nearby, total - nearby), (frequency, total - frequency)
    value = 0.0
    for k, observed in enumerate(table):
        expected = rows[k] * columns[k % 2] / total
        if observed > 0 and expected > 0:
            value += observed * math.log(observed / expected)
    return 2 * value
