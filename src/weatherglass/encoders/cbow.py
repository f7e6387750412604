"""``cbow:SOURCE``: a sentence is the mean of its words' vectors (SEAT supplement, section C)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from weatherglass.errors import UnusableRow, quote_safe
from weatherglass.vectors import Spec, Taken, Vectors, open_vectors, parse_spec

from .encoder import Encodings, choice, without
from .model_files import fingerprint_of, kept_fingerprint

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


# In this order: opening quotes first, while what stands before them is still to be seen; the full
# stop is cut off only at the end of a sentence, so that "Mr." and "U.S." stay whole inside it.
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\w)’(?=\w)", "'"),  # a printer's apostrophe
        (r"[«“‘„]|``", r" \g<0> "),
        (r'(?<=[\s(\[{<])"|(?<=[\s(\[{<])\'{2}', r" `` "),
        (r"[»”]|’(?!\w)", r" \g<0> "),
        (r"(?<=[^.])(\.)([\])}>\"'»”’ ]*)$", r" \1 \2 "),
        (r"(?<=[a-z]{3})(?<!Prof)(?<!Capt)(?<!Messrs)(?<!Hon)(?<!Gov)\.(?=\s+[\"'(]?[A-Z])", " . "),
        (r"[:,](?!\d)", r" \g<0> "),
        (r"\.{2,}|[;@#$%&?!*]|-{2,}|[][(){}<>]", r" \g<0> "),
        (r"(?<=[^'])'(?=\s|$)", r" ' "),
        (r"''|\"", r" '' "),
        (r"(?i)(?<=[^' ])('s|'m|'d|'ll|'re|'ve)(?=\s|$)", r" \1 "),
        (r"(?i)(?<=\w)(n't)(?=\s|$)", r" \1 "),
        (r"(?i)\b(can)(not)\b", r"\1 \2"),
        (
            r"(?i)\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b|\b(d)('ye)\b",
            r"\1\3\5\7 \2\4\6\8",
        ),
        (r"(?i)(?<=\s)('t)(is|was)\b", r"\1 \2"),
        (r"(?i)(?<=\s)'(?!(?:t|s|m|d|n|ll|re|ve|em)\b)(?=\w)", r" ' "),
    )
)


def words_of(sentence: str) -> list[str]:
    """The words and punctuation marks of a sentence, as they are spelled.

    >>> words_of("The person's name isn't Amy-Lou, is it?")
    ['The', 'person', "'s", 'name', 'is', "n't", 'Amy-Lou', ',', 'is', 'it', '?']
    >>> words_of('He said "no" to Mr. Gray (twice).')
    ['He', 'said', '``', 'no', "''", 'to', 'Mr.', 'Gray', '(', 'twice', ')', '.']
    """
    text = f" {' '.join(sentence.split())} "
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()


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
                raise UnusableRow(
                    f"{vectors.source}: the row of {quote_safe(bad)} has NaN or infinity."
                )
        return rows


def open_cbow(spec: Spec) -> Cbow:
    """Open ``cbow:SOURCE?case=auto|keep|lower``; other options are the source's."""
    case: Case = choice(spec, "case", CASES, "auto")  # type: ignore[assignment]
    return Cbow(without(spec, ["case"]), case=case, name=spec.text)
