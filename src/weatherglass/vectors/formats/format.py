"""What a file format is to the rest of the package: `Format`, `Chunk` and `WantedWords`.

The table of all formats is in `detect`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input

from ..vocabulary import pack_words, to_bytes, word_hash
from .row_sample import RowSampler

if TYPE_CHECKING:
    from ..vectors import Vectors

HISTORY = "weatherglass_history"
"""The name of the history of vectors in the metadata of a file."""
MAX_HISTORY_BYTES = 1 << 20

Rows = NDArray[np.floating[Any]]
"""Rows of float32 or, where the source has float64, of float64."""
Counts = NDArray[np.int64]
Ranks = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive rows of a source.

    Attributes
    ----------
    blob, ends
        The words as concatenated bytes, and where each ends.
    rows
        The vectors.
    counts
        How often each word occurs in the training text, if the source has counts.
    ranks
        The row numbers in the source, counted from 0, where a sample of its rows is read.
    """

    blob: NDArray[np.uint8]
    ends: NDArray[np.uint64]
    rows: Rows
    counts: Counts | None = None
    ranks: Ranks | None = None

    @classmethod
    def of(
        cls,
        words: list[bytes],
        rows: Rows,
        counts: Counts | None = None,
        ranks: Ranks | None = None,
    ) -> Chunk:
        """Make a chunk from a list of words."""
        return cls(*pack_words(words), rows, counts, ranks)

    def words(self) -> list[bytes]:
        """Return the words."""
        raw, bounds = self.blob.tobytes(), [0, *self.ends.tolist()]
        return [raw[start:end] for start, end in pairwise(bounds)]

    def only(self, wanted: WantedWords | None) -> Chunk:
        """Return the rows of the wanted words; all rows for None."""
        if wanted is None:
            return self
        words = self.words()
        keep = [i for i, word in enumerate(words) if word in wanted.words]
        counts = None if self.counts is None else self.counts[keep]
        ranks = None if self.ranks is None else self.ranks[keep]
        rows = np.ascontiguousarray(self.rows[keep])
        return Chunk.of([words[i] for i in keep], rows, counts, ranks)


@dataclass(frozen=True, eq=False)
class WantedWords:
    """The words that the caller asked for; other rows need not be read.

    With a `sampler`, a sample of the source's rows is read as well.
    """

    words: frozenset[bytes]
    sampler: RowSampler | None = None

    @classmethod
    def of(cls, words: Iterable[str], sample: bool = False) -> WantedWords:
        """Encode the words as bytes."""
        return cls(frozenset(to_bytes(word) for word in words), RowSampler() if sample else None)

    def choose(self, words: Sequence[bytes]) -> tuple[list[int], Ranks | None]:
        """Return the positions to read among the source's next words, and their row numbers.

        The row numbers are None unless there is a sampler.
        """
        keep = [i for i, word in enumerate(words) if word in self.words]
        if self.sampler is None:
            return keep, None
        first = self.sampler.total
        sampled = self.sampler.next_candidates(len(words))
        both = np.union1d(np.array(keep, dtype=np.int64), sampled)
        return both.tolist(), both + first

    def first_fields(self) -> NDArray[np.uint64]:
        """Return a hash table (open addressing, 0 is empty) of each word up to its first space.

        A line of a text file is found by its first field, which is the whole word unless the word
        contains a space.
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


def concatenate_counts(parts: Sequence[Counts | None]) -> Counts | None:
    """Concatenate the counts of all chunks; None unless every chunk has them."""
    counts = [part for part in parts if part is not None]
    return np.concatenate(counts) if parts and len(counts) == len(parts) else None


def has_capitals(blob: NDArray[np.uint8], ends: NDArray[np.uint64]) -> bool:
    """Return whether a word, as concatenated in `blob`, contains a capital letter A to Z.

    Special tokens such as ``[PAD]`` and ``<UNK>`` are no words: the vocabulary of an uncased
    BERT has capitals in these alone.

    >>> has_capitals(*pack_words([b"[PAD]", b"<S>", b"amy"])), has_capitals(*pack_words([b"Amy"]))
    (False, True)
    """
    capitals = np.flatnonzero((blob >= ord("A")) & (blob <= ord("Z"))).astype(np.uint64)
    # A vocabulary with other capitals has one among the first few: most need only one part.
    for start in range(0, len(capitals), step := 4096):
        words = np.unique(np.searchsorted(ends, capitals[start : start + step], side="right"))
        starts = np.where(words > 0, ends[np.maximum(words, 1) - 1], np.uint64(0))
        first, last = blob[starts.astype(np.intp)], blob[ends[words].astype(np.intp) - 1]
        is_special = (first == ord("[")) & (last == ord("]"))
        is_special |= (first == ord("<")) & (last == ord(">"))
        if not is_special.all():
            return True
    return False


def is_capitalised(word: bytes) -> bool:
    """Return whether a word contains a capital letter and is no special token.

    >>> [is_capitalised(word) for word in (b"Amy", b"amy", b"[CLS]", b"<PAD>")]
    [True, False, False, False]
    """
    is_special = word[:1] + word[-1:] in (b"[]", b"<>")
    return word != word.lower() and not is_special


def encode_history(vectors: Vectors) -> bytes:
    """Return the history of vectors as it is put into a file; empty if there is none."""
    return json.dumps(list(vectors.history)).encode() if vectors.history else b""


Reader = Callable[[Input, WantedWords | None, int], Iterator[Chunk]]


def _single_file(source: Input) -> Sequence[Path]:
    return [source.path]


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name
        What `weatherglass vectors info` calls it.
    matches
        Whether an input has this format, judged by its content.
    read
        Yields the rows, either all or those of the wanted words, read by a number of threads.
    files
        The files that make up the source; its fingerprint covers all of them.
    describe
        Says what is taken for the words and the numbers, where a file leaves a choice.
    options
        Options that may follow a question mark in the source's name.
    suffixes, write
        The suffixes of the files that `write` writes vectors to.
    history
        Returns the history of the vectors, as JSON, that `write` has put into the file.
    """

    name: str
    matches: Callable[[Input], bool]
    read: Reader
    files: Callable[[Input], Sequence[Path]] = _single_file
    describe: Callable[[Input], dict[str, str]] | None = None
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    write: Callable[[Vectors, Path], None] | None = None
    history: Callable[[Input], bytes | None] | None = None
