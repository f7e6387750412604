"""Vectors by factoring the positive pointwise mutual information (PPMI) of words and contexts.

With C(w, c) the number of times that c occurs at most `window` words from w,

    PMI(w, c) = log( P(w, c) / (P(w) Pα(c)) ),    Pα(c) = C(c)^α / Σ C(c)^α,

each cell is lowered by log k (the shift), and negative cells become 0. The matrix M is factored
into U Σ Vᵀ, of which the largest `dim` singular values are kept, and the vectors are U Σ^p. See
O. Levy, Y. Goldberg, I. Dagan (2015). Improving distributional similarity with lessons learned
from word embeddings. TACL 3, 211-225; the defaults are what they recommend for this method:
α = 0.75, k = 1, p = 0.5.

A bootstrap sample contains each document a number of times, so its counts are weighted sums over
documents. Co-occurrences are therefore found only once per corpus, sorted by pair, with the
document of each one::

    columns    j of each distinct pair (i, j)         ends        where its documents end
    rows       where the pairs of each row i end      documents   the document of each co-occurrence

The counts of a sample are then a single pass over `documents`, at the speed of reading it. They
are exactly those of a corpus in which each document occurs as often as it was drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from weatherglass._files import ArrayFile, write_array

from .lanczos import SparseRows, leading_components
from .token_ids import Integers, TokenIds, open_array

# Co-occurrences that are sorted at once, at 16 bytes each. A corpus with more needs several passes;
# their number does not change the result.
MAX_SORTED = 1 << 25


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Co-occurrences sorted by pair, memory-mapped."""

    rows: Integers
    columns: NDArray[np.int32]
    ends: Integers
    documents: NDArray[np.int32]

    def __repr__(self) -> str:
        return f"<Pairs: {len(self.columns):,} pairs, {len(self.documents):,} co-occurrences>"

    def counts(self, weights: Integers | None = None) -> Integers:
        """Return the count of each pair if document d occurs ``weights[d]`` times, or once."""
        if weights is None:
            return np.diff(self.ends, prepend=0)
        from .kernels import weigh

        counts: Integers = weigh(self.ends, self.documents, weights.astype(np.int32))
        return counts


def count_pairs(corpus: TokenIds, window: int, folder: Path, max_sorted: int = MAX_SORTED) -> None:
    """Find all pairs of words at most `window` apart in a document; write them to a folder."""
    from .kernels import distinct

    size = len(corpus.words)
    per_row = np.zeros(size, dtype=np.int64)
    written = 0
    with (
        open(folder / "columns", "wb") as columns_file,
        open(folder / "pair-ends", "wb") as ends_file,
        open(folder / "documents", "wb") as documents_file,
    ):
        for low, high in _split_into_ranges(corpus, window, max_sorted):
            row_ends, columns, documents = _sort_range(corpus, window, low, high)
            distinct_columns, ends = distinct(row_ends, columns, per_row)
            ArrayFile(columns_file).add(distinct_columns)
            ArrayFile(ends_file).add(ends + written)
            ArrayFile(documents_file).add(documents)
            written += len(documents)
    write_array(folder / "rows", np.cumsum(per_row))


def open_pairs(folder: Path) -> Pairs:
    """Open what `count_pairs` wrote to a folder."""
    types = {"rows": np.int64, "columns": np.int32, "pair-ends": np.int64, "documents": np.int32}
    return Pairs(*(open_array(folder / name, dtype) for name, dtype in types.items()))


def _split_into_ranges(corpus: TokenIds, window: int, max_sorted: int) -> list[tuple[int, int]]:
    """Return ranges of ``i * size + j`` with at most about `max_sorted` co-occurrences each."""
    from .kernels import count_by_column, count_by_row

    size = len(corpus.words)
    by_row = count_by_row(corpus.tokens, corpus.ends, window, size)
    borders, in_range = [0], 0
    for i in range(size):
        if in_range and in_range + by_row[i] > max_sorted:
            borders.append(i * size)
            in_range = 0
        if by_row[i] > max_sorted:  # rows of the most frequent words are split themselves
            row_range = (i * size, (i + 1) * size)
            by_column = count_by_column(corpus.tokens, corpus.ends, window, size, *row_range)
            for j in np.flatnonzero(by_column).tolist():
                if in_range and in_range + by_column[j] > max_sorted:
                    borders.append(i * size + j)
                    in_range = 0
                in_range += by_column[j]
        else:
            in_range += by_row[i]
    return list(zip(borders, [*borders[1:], size * size], strict=True))


def _sort_range(corpus: TokenIds, window: int, low: int, high: int) -> tuple[Any, Any, Any]:
    """Sort the co-occurrences of a range by i, j and document, with two stable counting sorts.

    Return where each row ends, and the columns and the documents.
    """
    from .kernels import count_by_column, sort_by_column, sort_by_row

    size = len(corpus.words)
    scan = (corpus.tokens, corpus.ends, window, size, low, high)
    by_column = count_by_column(*scan)
    column_ends = np.cumsum(by_column)
    total = int(column_ends[-1])
    rows, documents = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    by_row = np.zeros(size, dtype=np.int64)
    sort_by_column(*scan, column_ends - by_column, rows, documents, by_row)
    row_ends = np.cumsum(by_row)
    columns, sorted_documents = np.empty_like(rows), np.empty_like(documents)
    sort_by_row(column_ends, rows, documents, row_ends - by_row, columns, sorted_documents)
    return row_ends, columns, sorted_documents


def ppmi_vectors(
    pairs: Pairs,
    counts: Integers,
    is_frequent: NDArray[np.bool_],
    *,
    dim: int,
    smoothing: float,
    shift: float,
    power: float,
    rng: Generator,
) -> NDArray[np.float32]:
    """Return a row for each word; zeros for words that are too rare or have no positive cell.

    Parameters
    ----------
    pairs, counts
        Pairs of words, and the count of each.
    is_frequent
        Which words take part, as words and as contexts.
    dim, smoothing, shift, power
        The number of components, α, k and p.
    rng
        Random start of the iteration that finds the components; they do not depend on it.
    """
    matrix, transposed = ppmi_matrix(pairs, counts, is_frequent, smoothing, shift)
    components, values = leading_components(matrix, transposed, dim, rng)
    rows = components * values**power
    table = np.zeros((len(is_frequent), dim), dtype=np.float32)
    table[:, : rows.shape[1]] = _fix_signs(rows)
    # The iteration leaves rounding errors in the rows of words without a cell, which a cosine would
    # scale up to a direction.
    table[np.diff(matrix.starts) == 0] = 0
    return table


def ppmi_matrix(
    pairs: Pairs, counts: Integers, is_frequent: NDArray[np.bool_], smoothing: float, shift: float
) -> tuple[SparseRows, SparseRows]:
    """Return M and Mᵀ, without their zeros."""
    from .kernels import keep_pairs, positive

    counts = counts.copy()
    contexts = keep_pairs(pairs.rows, pairs.columns, counts, is_frequent).astype(np.float64)
    smoothed = np.where(contexts > 0, contexts**smoothing, 0)
    with np.errstate(divide="ignore"):
        log_counts = np.log(counts)
        # log 0 is -∞; where both terms are infinite their difference is NaN, which is not > 0.
        log_word = np.log(contexts) + math.log(shift)
        log_context = np.log(smoothed / max(smoothed.sum(), 1.0))
    cells = (pairs.rows, pairs.columns, log_counts)
    return (
        SparseRows(*positive(*cells, log_word, log_context)),
        SparseRows(*positive(*cells, log_context, log_word)),
    )


def _fix_signs(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Make the largest number of each component positive, as its sign is arbitrary."""
    largest = np.abs(rows).argmax(axis=0)
    signs = np.sign(rows[largest, np.arange(rows.shape[1])])
    signed: NDArray[np.float32] = rows * np.where(signs < 0, -1, 1).astype(np.float32)
    return signed
