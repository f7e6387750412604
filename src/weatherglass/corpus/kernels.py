"""Compiled inner loops. Import this where a kernel runs: it brings in numba, which is slow.

A pair is two words that stand at most `window` apart in a document; it is counted once, as
(i, j) with i ≤ j. Since words are numbered by falling count, i is the more frequent one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass._numba import compiled

Tokens = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

BLOCK = 32  # columns of a product; a constant, so that the compiler unrolls the loop over them


@compiled()
def count_words(tokens: Tokens, ends: Integers, weights: Integers, size: int) -> Integers:
    """How often each word occurs when each document is taken so many times."""
    found = np.zeros(size, np.int64)
    start = 0
    for d in range(len(ends)):
        for p in range(start, ends[d]):
            found[tokens[p]] += weights[d]
        start = ends[d]
    return found


@compiled()
def count_by_row(tokens: Tokens, ends: Integers, window: int, size: int) -> Integers:
    """How many pairs have each word as their more frequent one."""
    found = np.zeros(size, np.int64)
    start = 0
    for end in ends:
        for p in range(start, end):
            a = tokens[p]
            for q in range(p + 1, min(end, p + window + 1)):
                found[min(a, tokens[q])] += 1
        start = end
    return found


@compiled()
def count_by_column(
    tokens: Tokens, ends: Integers, window: int, size: int, low: int, high: int
) -> Integers:
    """How many pairs with ``low ≤ i * size + j < high`` have each word as their rarer one."""
    found = np.zeros(size, np.int64)
    start = 0
    for end in ends:
        for p in range(start, end):
            a = np.int64(tokens[p])
            for q in range(p + 1, min(end, p + window + 1)):
                b = np.int64(tokens[q])
                i, j = min(a, b), max(a, b)
                if low <= i * size + j < high:
                    found[j] += 1
        start = end
    return found


@compiled()
def sort_by_column(
    tokens: Tokens,
    ends: Integers,
    window: int,
    size: int,
    low: int,
    high: int,
    at: Integers,
    rows: Tokens,
    documents: Tokens,
    by_row: Integers,
) -> None:
    """Put the pairs with ``low ≤ i * size + j < high`` in the order of j, then of documents.

    `at` says where the pairs of each column begin, and is used up; they are counted `by_row`.
    """
    start = 0
    for d in range(len(ends)):
        end = ends[d]
        for p in range(start, end):
            a = np.int64(tokens[p])
            for q in range(p + 1, min(end, p + window + 1)):
                b = np.int64(tokens[q])
                i, j = min(a, b), max(a, b)
                if low <= i * size + j < high:
                    rows[at[j]] = i
                    documents[at[j]] = d
                    at[j] += 1
                    by_row[i] += 1
        start = end


@compiled()
def sort_by_row(
    ends: Integers,
    rows: Tokens,
    documents: Tokens,
    at: Integers,
    columns: Tokens,
    sorted_documents: Tokens,
) -> None:
    """Put pairs that are in the order of j in the order of i; those of one i keep theirs."""
    start = 0
    for j in range(len(ends)):
        for k in range(start, ends[j]):
            to = at[rows[k]]
            columns[to] = j
            sorted_documents[to] = documents[k]
            at[rows[k]] = to + 1
        start = ends[j]


@compiled()
def distinct(row_ends: Integers, columns: Tokens, per_row: Integers) -> tuple[Tokens, Integers]:
    """The distinct pairs of sorted ones: j and where each ends; counts them by row."""
    found = np.empty(len(columns), np.int32)
    ends = np.empty(len(columns), np.int64)
    n, start = 0, 0
    for i in range(len(row_ends)):
        for k in range(start, row_ends[i]):
            if k == start or columns[k] != columns[k - 1]:
                found[n] = columns[k]
                per_row[i] += 1
                n += 1
            ends[n - 1] = k + 1
        start = row_ends[i]
    return found[:n], ends[:n]


@compiled()
def weigh(ends: Integers, documents: Tokens, weights: Tokens) -> Integers:
    """For each distinct pair the sum of the weights of the documents that it occurs in."""
    found = np.empty(len(ends), np.int64)
    k = 0
    for g in range(len(ends)):
        total = np.int64(0)
        while k < ends[g]:
            total += weights[documents[k]]
            k += 1
        found[g] = total
    return found


@compiled()
def keep_pairs(
    row_ends: Integers, columns: Tokens, counts: Integers, kept: NDArray[np.bool_]
) -> Integers:
    """Set the counts of pairs with a word that is not kept to 0; count the contexts of each word.

    A word beside itself is its own context twice, and its count becomes that of the full matrix.
    """
    found = np.zeros(len(row_ends), np.int64)
    start = 0
    for i in range(len(row_ends)):
        for g in range(start, row_ends[i]):
            j = columns[g]
            if not (kept[i] and kept[j]):
                counts[g] = 0
            elif i == j:
                counts[g] *= 2
                found[i] += counts[g]
            else:
                found[i] += counts[g]
                found[j] += counts[g]
        start = row_ends[i]
    return found


@compiled()
def positive(
    row_ends: Integers, columns: Tokens, logs: Doubles, own: Doubles, other: Doubles
) -> tuple[Integers, Tokens, Floats]:
    """The cells ``logs - own[i] - other[j]`` that are above 0, as compressed rows."""
    size = len(row_ends)
    starts = np.zeros(size + 1, np.int64)
    start = 0
    for i in range(size):
        for g in range(start, row_ends[i]):
            j = columns[g]
            starts[i + 1] += logs[g] > own[i] + other[j]
            starts[j + 1] += (i != j) & (logs[g] > own[j] + other[i])
        start = row_ends[i]
    for i in range(size):
        starts[i + 1] += starts[i]
    at = starts[:-1].copy()
    places = np.empty(starts[size], np.int32)
    values = np.empty(starts[size], np.float32)
    start = 0
    for i in range(size):
        for g in range(start, row_ends[i]):
            j = columns[g]
            value = logs[g] - (own[i] + other[j])
            if value > 0:
                places[at[i]] = j
                values[at[i]] = value
                at[i] += 1
            value = logs[g] - (own[j] + other[i])
            if i != j and value > 0:
                places[at[j]] = i
                values[at[j]] = value
                at[j] += 1
        start = row_ends[i]
    return starts, places, values


@compiled(fastmath=True)
def multiply(starts: Integers, places: Tokens, values: Floats, block: Floats, out: Floats) -> None:
    """The product of compressed rows and a block of `BLOCK` columns."""
    sums = np.empty(BLOCK, np.float32)
    for i in range(len(out)):
        sums[:] = 0
        g, end = starts[i], starts[i + 1]
        while g + 3 < end:  # four at a time keep the sums in registers longer
            a, b, c, d = values[g], values[g + 1], values[g + 2], values[g + 3]
            j, k, n, m = places[g], places[g + 1], places[g + 2], places[g + 3]
            for t in range(BLOCK):
                sums[t] += (a * block[j, t] + b * block[k, t]) + (c * block[n, t] + d * block[m, t])
            g += 4
        while g < end:
            a, j = values[g], places[g]
            for t in range(BLOCK):
                sums[t] += a * block[j, t]
            g += 1
        out[i] = sums
