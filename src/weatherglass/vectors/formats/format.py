"""What a file format is to the rest of the package. The table of all formats is in `detect`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input
from weatherglass.errors import PickleRefused

from ..vocabulary import pack_words, to_bytes, word_hash

if TYPE_CHECKING:
    from ..vectors import Vectors

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

    def only(self, wanted: WantedWords | None) -> Chunk:
        """The rows whose words are wanted."""
        if wanted is None:
            return self
        words = self.words()
        keep = [i for i, word in enumerate(words) if word in wanted.words]
        counts = None if self.counts is None else self.counts[keep]
        return Chunk.of([words[i] for i in keep], np.ascontiguousarray(self.rows[keep]), counts)


@dataclass(frozen=True, eq=False)
class WantedWords:
    """The words asked for."""

    words: frozenset[bytes]

    @classmethod
    def of(cls, words: Iterable[str]) -> WantedWords:
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


def concatenate_counts(parts: Sequence[Counts | None]) -> Counts | None:
    """The counts of all chunks as one, if all have them."""
    counts = [part for part in parts if part is not None]
    return np.concatenate(counts) if parts and len(counts) == len(parts) else None


def has_capitals(blob: NDArray[np.uint8]) -> bool:
    """Whether the bytes hold a capital letter A to Z."""
    return bool(((blob >= ord("A")) & (blob <= ord("Z"))).any())


Reader = Callable[[Input, WantedWords | None, int], Iterator[Chunk]]


def _one_file(source: Input) -> Sequence[Path]:
    return [source.path]


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes
    ----------
    name
        What `weatherglass vectors info` calls it.
    matches
        Whether an input has this format, judged by its content.
    read
        Yields the rows, all of them or those whose words are wanted, with so many threads.
    files
        The files that make up the source; together they give its fingerprint.
    options
        What may follow a question mark in the source's name.
    suffixes, write
        The names of files that `write` makes of vectors.
    """

    name: str
    matches: Callable[[Input], bool]
    read: Reader
    files: Callable[[Input], Sequence[Path]] = _one_file
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    write: Callable[[Vectors, Path], None] | None = None


_CLASS = re.compile(rb"(?:FastText)?(KeyedVectors|Word2Vec|Doc2Vec|FastText)")
_GENSIM = """\
{path} is a pickle, which can run any code when it is opened, so it is not opened here. \
If you trust it, convert it once with gensim:
    from gensim.models import {kind}
    {kind}.load({name!r}){wv}.save_word2vec_format({out!r}, binary=True)"""


def matches(source: Input) -> bool:
    """A pickle of protocol 2 to 5, an old one of an object, or PyTorch's archive of one."""
    head = source.head
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return True
    if head.startswith((b"ccopy_reg\n", b"cgensim", b"(dp0\n", b"(lp0\n", b"}q\0", b"]q\0")):
        return True
    if head.startswith(b"PK\x03\x04") and not source.compression:
        return any(name.endswith("data.pkl") for name in source.members())
    return False


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Refuse."""
    if source.head.startswith(b"PK"):
        raise PickleRefused(
            f"{source.path} is a PyTorch file, which is a pickle and can run any code when it is "
            "opened. Save the weights as safetensors and open that."
        )
    # The class that was pickled is named first; a model names its KeyedVectors later.
    named = _CLASS.search(source.head)
    kind = named[1].decode() if named else "KeyedVectors"
    if not named and source.path.suffix == ".model":
        kind = "Word2Vec"
    raise PickleRefused(
        _GENSIM.format(
            path=source.path,
            name=source.path.name,
            out=source.path.with_suffix(".bin").name,
            kind=kind,
            wv="" if kind == "KeyedVectors" else ".wv",
        )
    )


FORMAT = Format(name="pickle", matches=matches, read=read)
