"""Compiled inner loops over the contexts of target words.

Import this module where a kernel runs: it imports numba, which is slow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass._numba import compiled

Tokens = NDArray[np.int32]
Integers = NDArray[np.int64]
Doubles = NDArray[np.float64]


@compiled()
def count_cells(tokens: Tokens, ends: Integers, target: Tokens, targets: int) -> int:
    """Return how many pairs of a document and a target word that occurs in it there are."""
    last = np.full(targets, -1, np.int64)
    cells = 0
    start = 0
    for d in range(len(ends)):
        for p in range(start, ends[d]):
            w = target[tokens[p]]
            if w >= 0 and last[w] != d:
                last[w] = d
                cells += 1
        start = ends[d]
    return cells


@compiled()
def sum_contexts(
    tokens: Tokens,
    ends: Integers,
    window: int,
    target: Tokens,
    targets: int,
    values: Doubles,
    is_context: NDArray[np.bool_],
    cells: int,
) -> tuple[Integers, Tokens, Integers, Integers, Doubles]:
    """Sum the values of the words around each target word, document by document.

    `target` has for each word its number among the targets, or -1. Returns for each pair of a
    document and a target: the document, the target, how often it occurs, how many context words
    with a value are around it, and the sum of their values.
    """
    documents = np.empty(cells, np.int64)
    words = np.empty(cells, np.int32)
    occurrences = np.zeros(cells, np.int64)
    contexts = np.zeros(cells, np.int64)
    sums = np.zeros(cells, np.float64)
    last = np.full(targets, -1, np.int64)
    cell = np.zeros(targets, np.int64)
    n = 0
    start = 0
    for d in range(len(ends)):
        end = ends[d]
        for p in range(start, end):
            w = target[tokens[p]]
            if w < 0:
                continue
            if last[w] != d:
                last[w] = d
                cell[w] = n
                documents[n] = d
                words[n] = w
                n += 1
            k = cell[w]
            occurrences[k] += 1
            for q in range(max(start, p - window), min(end, p + window + 1)):
                if q != p and is_context[tokens[q]]:
                    contexts[k] += 1
                    sums[k] += values[tokens[q]]
        start = end
    return documents, words, occurrences, contexts, sums
