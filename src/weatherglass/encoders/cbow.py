"""``cbow:SOURCE``: a sentence is the mean of its words' vectors (SEAT supplement, section C)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np

from weatherglass.errors import UnusableRow, shown
from weatherglass.vectors import Spec, Vectors

from .fingerprints import fingerprint_of
from .lookup import CASES, Case, Lookup
from .options import choice, without
from .protocol import Encodings
from .tokens import words_of


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
        How words are looked up; see `Lookup`.

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
        self._words = Lookup(source, case)
        self.name = name or f"cbow:{source.source if isinstance(source, Vectors) else source}"

    @property
    def fingerprint(self) -> str:
        """Of the source's content, the options and the way to cut sentences."""
        return fingerprint_of("cbow", "ptb-1", self._words.fingerprint)

    @property
    def missing(self) -> tuple[str, ...]:
        """The words met so far that the source does not have, in the order they were met."""
        return self._words.missing

    def prepare(self, sentences: Iterable[str]) -> None:
        """Take note of the words that will be needed."""
        for sentence in sentences:
            self._words.expect(words_of(sentence))

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """The mean over the known words of each sentence, float64."""
        self.prepare(sentences)
        vectors = self._words.vectors()
        rows = np.zeros((len(sentences), vectors.dim))
        for row, sentence in zip(rows, sentences, strict=True):
            taken = self._words.take(words_of(sentence))
            if not taken.words:
                continue
            row[:] = taken.rows.mean(axis=0, dtype=np.float64)
            if not np.isfinite(row).all():
                bad = taken.words[int((~np.isfinite(taken.rows)).any(axis=1).argmax())]
                raise UnusableRow(f"{vectors.source}: the row of {shown(bad)} has NaN or infinity.")
        return rows


def open_cbow(spec: Spec) -> Cbow:
    """Open ``cbow:SOURCE?case=auto|keep|lower``; other options are the source's."""
    case: Case = choice(spec, "case", CASES, "auto")  # type: ignore[assignment]
    return Cbow(without(spec, ["case"]), case=case, name=spec.text)
