"""Word vectors for sentences: only the rows that are needed, and the words that are not there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

from weatherglass.vectors import Taken, Vectors, open_vectors, parse_spec

from .fingerprints import fingerprint_of, kept_fingerprint

Case = Literal["keep", "lower", "auto"]
CASES: tuple[Case, ...] = ("auto", "keep", "lower")


class Lookup:
    """Rows of words, from a source that is opened for just these words.

    A large file is read once if all words are announced to `expect` before the first is taken.

    Parameters
    ----------
    source
        Any source of `Vectors`, or `Vectors`.
    case
        ``keep`` takes words as they are written, ``lower`` in lower case. ``auto`` takes a word as
        it is written if it is there, and otherwise, where the vocabulary has no capitals, in lower
        case.

    Examples
    --------
    >>> words = Lookup(Vectors.of(["amy", "is"], [[2, 0], [0, 2]]))
    >>> words.expect(["Amy", "is", "here"])
    >>> words.missing
    ('here',)
    """

    def __init__(self, source: str | os.PathLike[str] | Vectors, case: Case = "auto") -> None:
        self._source, self._case = source, case
        self._words: dict[str, None] = {}  # expected so far, in their order
        self._opened: Vectors | None = None
        self._loaded: set[str] = set()

    @property
    def fingerprint(self) -> str:
        """Of the source's content, its options and the case."""
        if isinstance(self._source, Vectors):
            content, options = self._source.fingerprint, {}
        else:
            content = kept_fingerprint(self._source) or self.vectors().fingerprint
            options = parse_spec(os.fsdecode(self._source)).options
        return fingerprint_of(content, options, self._case)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words expected so far that the source does not have."""
        vectors = self.vectors()
        return tuple(word for word in self._words if self._spelled(word, vectors) not in vectors)

    def expect(self, words: Iterable[str]) -> None:
        """Take note of words that will be needed."""
        self._words.update(dict.fromkeys(words))

    def take(self, words: Iterable[str]) -> Taken:
        """The rows of the words that are there, and the missing ones, as the source spells them."""
        asked = list(words)
        self.expect(asked)
        vectors = self.vectors()
        return vectors.take(self._spelled(word, vectors) for word in asked)

    def vectors(self) -> Vectors:
        """The source, with at least the rows of the words expected."""
        if isinstance(self._source, Vectors):
            return self._source
        if self._opened is None or self._words.keys() - self._loaded:
            wanted = self._words.keys() | {word.lower() for word in self._words}
            self._opened = open_vectors(self._source, words=wanted)
            self._loaded = set(self._words)
        return self._opened

    def _spelled(self, word: str, vectors: Vectors) -> str:
        lower = self._case == "lower" or (
            self._case == "auto" and not vectors.cased and word not in vectors
        )
        return word.lower() if lower else word
