"""What readers hand over: runs of words with their rows; and the words that were asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .vocabulary import pack_words, to_bytes, word_hash

Rows = NDArray[np.float32]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows of a source: their words as packed bytes, their vectors, and how often each word
    was seen in training, where the source says so."""

    blob: NDArray[np.uint8]
    ends: NDArray[np.uint64]
    rows: Rows
    counts: Counts | None = None

    @classmethod
    def of(cls, words: list[bytes], rows: Rows, counts: Counts | None = None) -> Chunk:
        return cls(*pack_words(words), rows, counts)

    def words(self) -> list[bytes]:
        raw, starts = self.blob.tobytes(), [0, *self.ends.tolist()]
        return [raw[a:b] for a, b in pairwise(starts)]

    def only(self, wanted: Wanted | None) -> Chunk:
        """The rows whose words are wanted."""
        if wanted is None:
            return self
        words = self.words()
        keep = [i for i, word in enumerate(words) if word in wanted.words]
        counts = None if self.counts is None else self.counts[keep]
        return Chunk.of([words[i] for i in keep], np.ascontiguousarray(self.rows[keep]), counts)


@dataclass(frozen=True, eq=False)
class Wanted:
    """The words asked for."""

    words: frozenset[bytes]

    @classmethod
    def of(cls, words: Iterable[str]) -> Wanted:
        return cls(frozenset(to_bytes(word) for word in words))

    def first_fields(self) -> NDArray[np.uint64]:
        """A hash table (open addressing, 0 is empty) of the part of each word before a space.

        In a text file a line begins with a word, and only for words that hold a space is the
        first field less than the word.
        """
        hashes = {word_hash(word.replace(b"\t", b" ").split(b" ", 1)[0]) for word in self.words}
        size = 1 << max(4, (4 * len(hashes)).bit_length())
        table = np.zeros(size, dtype=np.uint64)
        for digest in hashes:
            slot = digest & (size - 1)
            while table[slot]:
                slot = (slot + 1) & (size - 1)
            table[slot] = digest
        return table


def joined_counts(parts: Sequence[Counts | None]) -> Counts | None:
    """The counts of all chunks as one, if all have them."""
    counts = [part for part in parts if part is not None]
    return np.concatenate(counts) if parts and len(counts) == len(parts) else None


def has_capitals(blob: NDArray[np.uint8]) -> bool:
    """Whether the bytes hold a capital letter A to Z."""
    return bool(((blob >= ord("A")) & (blob <= ord("Z"))).any())
