"""Compiled inner loops of counting and of the matrix product.

Import this module where a kernel runs: it imports numba, which is slow.

A pair is two words at most `window` apart in a document. It is counted once, as (i, j) with i ≤ j;
as words are numbered by falling count, i is the more frequent word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass._numba import compiled

Tokens = NDArray[np.int32]
Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

BLOCK = 32  # columns of a block; a constant, so that the compiler unrolls the loop over them


@compiled()
def count_words(tokens: Tokens, ends: Integers, weights: Integers, size: int) -> Integers:
    """Return the count of each word if document d occurs ``weights[d]`` times."""
    counts = np.zeros(size, np.int64)
    start = 0
    for d in range(len(ends)):
        for p in range(start, ends[d]):
            counts[tokens[p]] += weights[d]
        start = ends[d]
    return counts


@compiled()
def count_by_row(tokens: Tokens, ends: Integers, window: int, size: int) -> Integers:
    """Return for each word the number of pairs in which it is the more frequent one."""
    counts = np.zeros(size, np.int64)
    start = 0
    for end in ends:
        for p in range(start, end):
            a = tokens[p]
            for q in range(p + 1, min(end, p + window + 1)):
                counts[min(a, tokens[q])] += 1
        start = end
    return counts


@compiled()
def count_by_column(
    tokens: Tokens, ends: Integers, window: int, size: int, low: int, high: int
) -> Integers:
    """Return for each word the number of pairs in which it is the rarer one.

    Only pairs with ``low ≤ i * size + j < high`` are counted.
    """
    counts = np.zeros(size, np.int64)
    start = 0
    for end in ends:
        for p in range(start, end):
            a = np.int64(tokens[p])
            for q in range(p + 1, min(end, p + window + 1)):
                b = np.int64(tokens[q])
                i, j = min(a, b), max(a, b)
                if low <= i * size + j < high:
                    counts[j] += 1
        start = end
    return counts


@compiled()
def sort_by_column(
    tokens: Tokens,
    ends: Integers,
    window: int,
    size: int,
    low: int,
    high: int,
    slots: Integers,
    rows: Tokens,
    documents: Tokens,
    by_row: Integers,
) -> None:
    """Sort the pairs with ``low ≤ i * size + j < high`` by j, then by document.

    Writes `rows` and `documents`, and counts the pairs of each row in `by_row`. `slots` holds where
    the pairs of each column start, and is overwritten.
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
                    rows[slots[j]] = i
                    documents[slots[j]] = d
                    slots[j] += 1
                    by_row[i] += 1
        start = end


@compiled()
def sort_by_row(
    ends: Integers,
    rows: Tokens,
    documents: Tokens,
    slots: Integers,
    columns: Tokens,
    sorted_documents: Tokens,
) -> None:
    """Sort pairs that are in the order of j by i; the sort is stable.

    Writes `columns` and `sorted_documents`. `slots` holds where the pairs of each row start, and is
    overwritten.
    """
    start = 0
    for j in range(len(ends)):
        for k in range(start, ends[j]):
            slot = slots[rows[k]]
            columns[slot] = j
            sorted_documents[slot] = documents[k]
            slots[rows[k]] = slot + 1
        start = ends[j]


@compiled()
def distinct(row_ends: Integers, columns: Tokens, per_row: Integers) -> tuple[Tokens, Integers]:
    """Return j and the end of each distinct pair among sorted ones; count them in `per_row`."""
    pairs = np.empty(len(columns), np.int32)
    ends = np.empty(len(columns), np.int64)
    n, start = 0, 0
    for i in range(len(row_ends)):
        for k in range(start, row_ends[i]):
            if k == start or columns[k] != columns[k - 1]:
                pairs[n] = columns[k]
                per_row[i] += 1
                n += 1
            ends[n - 1] = k + 1
        start = row_ends[i]
    return pairs[:n], ends[:n]


@compiled()
def weigh(ends: Integers, documents: Tokens, weights: Tokens) -> Integers:
    """Return for each distinct pair the sum of the weights of its documents."""
    counts = np.empty(len(ends), np.int64)
    k = 0
    for g in range(len(ends)):
        total = np.int64(0)
        while k < ends[g]:
            total += weights[documents[k]]
            k += 1
        counts[g] = total
    return counts


@compiled()
def keep_pairs(
    row_ends: Integers, columns: Tokens, counts: Integers, is_frequent: NDArray[np.bool_]
) -> Integers:
    """Set the counts of pairs with a rare word to 0; return the number of contexts of each word.

    A word next to itself is its own context twice: its count becomes that of the full matrix.
    """
    contexts = np.zeros(len(row_ends), np.int64)
    start = 0
    for i in range(len(row_ends)):
        for g in range(start, row_ends[i]):
            j = columns[g]
            if not (is_frequent[i] and is_frequent[j]):
                counts[g] = 0
            elif i == j:
                counts[g] *= 2
                contexts[i] += counts[g]
            else:
                contexts[i] += counts[g]
                contexts[j] += counts[g]
        start = row_ends[i]
    return contexts


@compiled()
def positive(
    row_ends: Integers, columns: Tokens, logs: Doubles, own: Doubles, other: Doubles
) -> tuple[Integers, Tokens, Floats]:
    """Return the cells ``logs - own[i] - other[j]`` that are above 0, as compressed rows."""
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
    slots = starts[:-1].copy()
    cell_columns = np.empty(starts[size], np.int32)
    values = np.empty(starts[size], np.float32)
    start = 0
    for i in range(size):
        for g in range(start, row_ends[i]):
            j = columns[g]
            value = logs[g] - (own[i] + other[j])
            if value > 0:
                cell_columns[slots[i]] = j
                values[slots[i]] = value
                slots[i] += 1
            value = logs[g] - (own[j] + other[i])
            if i != j and value > 0:
                cell_columns[slots[j]] = i
                values[slots[j]] = value
                slots[j] += 1
        start = row_ends[i]
    return starts, cell_columns, values


@compiled(fastmath=True)
def multiply(starts: Integers, columns: Tokens, values: Floats, block: Floats, out: Floats) -> None:
    """Write the product of compressed rows and a block of `BLOCK` columns to `out`."""
    sums = np.empty(BLOCK, np.float32)
    for i in range(len(out)):
        sums[:] = 0
        g, end = starts[i], starts[i + 1]
        while g + 3 < end:  # four cells at a time keep the sums in registers longer
            a, b, c, d = values[g], values[g + 1], values[g + 2], values[g + 3]
            j, k, n, m = columns[g], columns[g + 1], columns[g + 2], columns[g + 3]
            for t in range(BLOCK):
                sums[t] += (a * block[j, t] + b * block[k, t]) + (c * block[n, t] + d * block[m, t])
            g += 4
        while g < end:
            a, j = values[g], columns[g]
            for t in range(BLOCK):
                sums[t] += a * block[j, t]
            g += 1
        out[i] = sums
