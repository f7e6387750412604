"""Which words stand near each other, and in which documents: counted once, weighed many times.

A bootstrap takes each document a number of times, so its counts are sums over documents. The
co-occurrences of the corpus are therefore sorted by pair, and of each one the document is kept::

    columns    j of each distinct pair (i, j)     ends        where its documents end
    rows       where the pairs of each i end      documents   the document of each co-occurrence

The counts of a bootstrap are then one pass along `documents`, at the speed of reading it. They are
exactly those of a corpus in which the documents stand as many times as they were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ArrayFile, write_array

from .token_ids import Integers, Numbered, mapped

# Co-occurrences sorted at a time, 16 bytes each. More than one pass is needed above that; the
# number of passes does not change the result.
PART = 1 << 25


@dataclass(frozen=True, eq=False)
class Pairs:
    """Co-occurrences by pair, memory-mapped."""

    rows: Integers
    columns: NDArray[np.int32]
    ends: Integers
    documents: NDArray[np.int32]

    def counts(self, weights: Integers | None = None) -> Integers:
        """How often each pair occurs when each document is taken so many times, or once."""
        if weights is None:
            return np.diff(self.ends, prepend=0)
        from .kernels import weigh

        found: Integers = weigh(self.ends, self.documents, weights.astype(np.int32))
        return found


def count_pairs(corpus: Numbered, window: int, folder: Path, part: int = PART) -> None:
    """Find all pairs of words at most `window` apart in a document, and write them to a folder."""
    from .kernels import distinct

    size = len(corpus.words)
    per_row = np.zeros(size, dtype=np.int64)
    done = 0
    with (
        open(folder / "columns", "wb") as columns_file,
        open(folder / "pair-ends", "wb") as ends_file,
        open(folder / "documents", "wb") as documents_file,
    ):
        for low, high in _cuts(corpus, window, part):
            row_ends, columns, documents = _sorted_part(corpus, window, low, high)
            found, ends = distinct(row_ends, columns, per_row)
            ArrayFile(columns_file).add(found)
            ArrayFile(ends_file).add(ends + done)
            ArrayFile(documents_file).add(documents)
            done += len(documents)
    write_array(folder / "rows", np.cumsum(per_row))


def open_pairs(folder: Path) -> Pairs:
    """What `count_pairs` has written to a folder."""
    names = {"rows": np.int64, "columns": np.int32, "pair-ends": np.int64, "documents": np.int32}
    return Pairs(*(mapped(folder / name, dtype) for name, dtype in names.items()))


def _cuts(corpus: Numbered, window: int, part: int) -> list[tuple[int, int]]:
    """Ranges of ``i * size + j`` with about `part` co-occurrences each."""
    from .kernels import count_by_column, count_by_row

    size = len(corpus.words)
    by_row = count_by_row(corpus.tokens, corpus.ends, window, size)
    borders, held = [0], 0
    for i in range(size):
        if held and held + by_row[i] > part:
            borders.append(i * size)
            held = 0
        if by_row[i] > part:  # the most frequent words have more than that alone
            inside = (i * size, (i + 1) * size)
            by_column = count_by_column(corpus.tokens, corpus.ends, window, size, *inside)
            for j in np.flatnonzero(by_column).tolist():
                if held and held + by_column[j] > part:
                    borders.append(i * size + j)
                    held = 0
                held += by_column[j]
        else:
            held += by_row[i]
    return list(zip(borders, [*borders[1:], size * size], strict=True))


def _sorted_part(corpus: Numbered, window: int, low: int, high: int) -> tuple[Any, Any, Any]:
    """The co-occurrences of a range, by i, then j, then document: two stable counting sorts."""
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
