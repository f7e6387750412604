"""``cbow:SOURCE``: a sentence is the mean of its words' vectors (SEAT supplement, section C)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from weatherglass.errors import UnusableRow, shown
from weatherglass.vectors import Spec, Vectors, open_vectors, parse_spec

from .fingerprints import fingerprint_of, kept_fingerprint
from .options import choice, without
from .protocol import Encodings
from .tokens import words_of

Case = Literal["keep", "lower", "auto"]


class Cbow:
    """The mean of the word vectors of a sentence.

    Words that the source does not have are left out of the mean, and listed in `missing`; a
    sentence of which no word is known becomes a row of zeros. Only the rows of the words in
    question are read: give `prepare` all the sentences, and a large file is read once.

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
    >>> encoder = Cbow(Vectors.of(["amy", "is", "here"], [[2, 0], [0, 2], [1, 1]]))
    >>> encoder.encode(["Amy is here!", "Amy", "?"])
    array([[1., 1.],
           [2., 0.],
           [0., 0.]])
    >>> encoder.missing
    ('!', '?')
    """

    def __init__(
        self, source: str | os.PathLike[str] | Vectors, *, case: Case = "auto", name: str = ""
    ) -> None:
        self._source, self._case = source, case
        self.name = name or f"cbow:{source.source if isinstance(source, Vectors) else source}"
        self._words: dict[str, None] = {}  # met so far, in their order
        self._opened: Vectors | None = source if isinstance(source, Vectors) else None
        self._loaded: set[str] = set()

    def prepare(self, sentences: Iterable[str]) -> None:
        """Take note of the words that will be needed."""
        for sentence in sentences:
            self._words.update(dict.fromkeys(words_of(sentence)))

    @property
    def fingerprint(self) -> str:
        """Of the source's content, the options and the way to cut sentences."""
        if isinstance(self._source, Vectors):
            content, options = self._source.fingerprint, {}
        else:
            content = kept_fingerprint(self._source) or self._vectors().fingerprint
            options = parse_spec(os.fsdecode(self._source)).options
        return fingerprint_of("cbow", "ptb-1", content, options, self._case)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words met so far that the source does not have, in the order they were met."""
        vectors = self._vectors()
        return tuple(word for word in self._words if self._spelled(word, vectors) not in vectors)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """The mean over the known words of each sentence, float64."""
        self.prepare(sentences)
        vectors = self._vectors()
        rows = np.zeros((len(sentences), vectors.dim))
        for row, sentence in zip(rows, sentences, strict=True):
            taken = vectors.take(self._spelled(word, vectors) for word in words_of(sentence))
            if not taken.words:
                continue
            row[:] = taken.rows.mean(axis=0, dtype=np.float64)
            if not np.isfinite(row).all():
                bad = taken.words[int((~np.isfinite(taken.rows)).any(axis=1).argmax())]
                raise UnusableRow(f"{vectors.source}: the row of {shown(bad)} has NaN or infinity.")
        return rows

    def _spelled(self, word: str, vectors: Vectors) -> str:
        lower = self._case == "lower" or (
            self._case == "auto" and not vectors.cased and word not in vectors
        )
        return word.lower() if lower else word

    def _vectors(self) -> Vectors:
        if isinstance(self._source, Vectors):
            return self._source
        new = self._words.keys() - self._loaded
        if self._opened is None or new:
            wanted = self._words.keys() | {word.lower() for word in self._words}
            self._opened = open_vectors(self._source, words=wanted)
            self._loaded = set(self._words)
        return self._opened


def open_cbow(spec: Spec) -> Cbow:
    """Open ``cbow:SOURCE?case=auto|keep|lower``; other options are the source's."""
    case: Case = choice(spec, "case", ("auto", "keep", "lower"), "auto")  # type: ignore[assignment]
    return Cbow(without(spec, ["case"]), case=case, name=spec.text)
