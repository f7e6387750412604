"""A sample of the rows of a source, in order of frequency: a reference for its geometry."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .formats import RowSampler, expected_rows
from .vectors import Positions, Vectors, unusable_rows

MIN_DISTINCT_COUNTS = 6  # with fewer, counts say too little about frequency
MAX_SORTED_SHARE = 0.8  # of neighbouring words in alphabetical order; half in any other order
MIN_RELATION = 0.2  # correlation of a word's log rank with its neighbours'; its null sd is 0.06
_CHECKED_ROWS, _NEIGHBOURS = 256, 10

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class VocabularySample:
    """About 4,000 usable rows of a source, the most frequent words first.

    The same rows are drawn whether the source is read whole or only in part. (Where a text file
    repeats a word, the sample of a part may include the repetition.)

    Attributes
    ----------
    rows
        Unit rows.
    keys
        What the rows are sorted by: the row number in the source or, if it has counts, minus the
        count.
    by
        ``"counts"`` or ``"rank"`` if the order shows how frequent words are; ``""`` if it does not,
        as in an alphabetical file.
    total
        The number of rows of the source.
    fingerprint
        The fingerprint of the source.
    """

    rows: Rows
    keys: Integers
    by: str
    total: int
    fingerprint: str

    @classmethod
    def of(
        cls,
        words: list[str],
        matrix: Rows,
        ranks: Integers,
        counts: Integers | None,
        *,
        total: int,
        fingerprint: str,
    ) -> VocabularySample:
        """Make a sample of rows in file order, except unusable ones."""
        usable = np.delete(np.arange(len(matrix)), unusable_rows(matrix))
        rows = matrix[usable].astype(np.float64)
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        ranks = ranks[usable]
        counts = None if counts is None else counts[usable]
        if counts is not None and len(np.unique(counts)) >= MIN_DISTINCT_COUNTS:
            order = np.argsort(-counts, kind="stable")
            return cls(rows[order], -counts[order], "counts", total, fingerprint)
        is_sorted = is_alphabetical([words[k] for k in usable.tolist()])
        is_ordered = not is_sorted and _rank_relation(rows, ranks) >= MIN_RELATION
        return cls(rows, ranks, "rank" if is_ordered else "", total, fingerprint)

    def __len__(self) -> int:
        return len(self.rows)

    def most_frequent(self, limit: int) -> Rows:
        """Return the rows of the `limit` most frequent words; all rows if no frequency is known."""
        if not self.by or self.total <= limit:
            return self.rows
        if self.by == "rank":
            return self.rows[: int(np.searchsorted(self.keys, limit))]
        # Counts tell the order but not the ranks: take as many rows as are drawn up to that rank.
        share = expected_rows(limit, self.total) / expected_rows(self.total, self.total)
        return self.rows[: round(share * len(self))]

    def places(self, vectors: Vectors, positions: Positions) -> Positions:
        """Return where words of the same source belong in the order of the sample."""
        keys = (
            -vectors.counts[positions]
            if self.by == "counts" and vectors.counts is not None
            else vectors.ranks_at(positions)
        )
        assert keys is not None
        return np.searchsorted(self.keys, keys).astype(np.intp)


_samples: weakref.WeakKeyDictionary[Vectors, VocabularySample] = weakref.WeakKeyDictionary()


def sample_vocabulary(vectors: Vectors) -> VocabularySample | None:
    """Return the sample of a source, drawn at the first call.

    None if only some words were opened without a sample, or if the vectors are no longer those that
    the sample was drawn from.

    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> sample = sample_vocabulary(vectors)
    >>> len(sample), sample.by, sample.total
    (4199, 'rank', 400000)
    """
    if vectors.part:
        is_current = (
            vectors.sample is not None and vectors.sample.fingerprint == vectors.fingerprint
        )
        return vectors.sample if is_current else None
    if vectors not in _samples:
        sampler = RowSampler()
        sampled = sampler.next_candidates(len(vectors) + vectors.duplicates)
        if vectors.ranks is None:
            positions = sampled[sampled < len(vectors)]
        else:
            positions = np.flatnonzero(np.isin(vectors.ranks, sampled, assume_unique=True))
        ranks = vectors.ranks_at(positions)
        assert ranks is not None
        _samples[vectors] = VocabularySample.of(
            vectors.words.at(positions),
            np.array(vectors.matrix[positions]),
            ranks,
            None if vectors.counts is None else vectors.counts[positions],
            total=sampler.total,
            fingerprint=vectors.fingerprint,
        )
    return _samples[vectors]


def is_alphabetical(words: list[str]) -> bool:
    """Return whether most words come after the word before them, or most before it.

    Only words of letters count: numbered ones, such as w1 and w2, are in order anyway.
    """
    folded = [word.casefold() for word in words if word.isalpha()]
    if len(folded) < 2:
        return False
    share = sum(a <= b for a, b in pairwise(folded)) / (len(folded) - 1)
    return not 1 - MAX_SORTED_SHARE < share < MAX_SORTED_SHARE


def _rank_relation(rows: Rows, ranks: Integers) -> float:
    """Return how the log rank of rows correlates with the mean log rank of their neighbours.

    In embeddings frequent words have frequent neighbours, so that an order without any relation to
    the vectors does not show how frequent words are.
    """
    if len(rows) <= 2 * _NEIGHBOURS:
        return 0.0
    log_ranks = np.log(ranks + 1.0)
    checked = np.unique(np.linspace(0, len(rows) - 1, _CHECKED_ROWS).astype(np.intp))
    cosines = rows[checked] @ rows.T
    cosines[np.arange(len(checked)), checked] = -np.inf
    nearest = np.argpartition(cosines, -_NEIGHBOURS, axis=1)[:, -_NEIGHBOURS:]
    pairs = log_ranks[checked], log_ranks[nearest].mean(axis=1)
    if min(np.ptp(values) for values in pairs) == 0:
        return 0.0
    return float(np.corrcoef(*pairs)[0, 1])
