"""``cbow:SOURCE``: a sentence is the mean of its word vectors (SEAT supplement, section C)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from weatherglass.errors import UnusableRow, quote_safe
from weatherglass.vectors import FoundRows, Spec, Vectors, open_vectors, parse_spec

from .encoder import Encodings, choice_option, inner_source
from .model_files import hash_parts, known_fingerprint

Case = Literal["keep", "lower", "auto"]
CASES: tuple[Case, ...] = ("auto", "keep", "lower")


class WordLookup:
    """Look up words in a source of which only the rows of these words are read.

    A large file is read once if all words are passed to `expect` before the first `take`.

    Parameters
    ----------
    source
        Any source of `Vectors`, or `Vectors`.
    case
        ``keep`` looks words up as written, ``lower`` in lower case. ``auto`` looks a word up as
        written and, in an uncased vocabulary, falls back to lower case.

    Examples
    --------
    >>> words = WordLookup(Vectors.of(["amy", "is"], [[2, 0], [0, 2]]))
    >>> words.expect(["Amy", "is", "here"])
    >>> words.missing
    ('here',)
    """

    def __init__(self, source: str | os.PathLike[str] | Vectors, case: Case = "auto") -> None:
        self._source, self._case = source, case
        self._words: dict[str, None] = {}  # expected so far, in order
        self._opened: Vectors | None = None
        self._loaded: set[str] = set()

    @property
    def fingerprint(self) -> str:
        """A hash of the source's content, its options and the case rule."""
        if isinstance(self._source, Vectors):
            content, options = self._source.fingerprint, {}
        else:
            content = known_fingerprint(self._source) or self.vectors().fingerprint
            options = parse_spec(os.fsdecode(self._source)).options
        return hash_parts(content, options, self._case)

    @property
    def missing(self) -> tuple[str, ...]:
        """The out-of-vocabulary words among those expected so far."""
        vectors = self.vectors()
        return tuple(word for word in self._words if self._spelling(word, vectors) not in vectors)

    def expect(self, words: Iterable[str]) -> None:
        """Register words that will be looked up."""
        self._words.update(dict.fromkeys(words))

    def take(self, words: Iterable[str]) -> FoundRows:
        """Return the rows of the words in the source, and the out-of-vocabulary words."""
        wanted = list(words)
        self.expect(wanted)
        vectors = self.vectors()
        return vectors.take(self._spelling(word, vectors) for word in wanted)

    def vectors(self) -> Vectors:
        """Return the source, with at least the rows of the expected words."""
        if isinstance(self._source, Vectors):
            return self._source
        if self._opened is None or self._words.keys() - self._loaded:
            wanted = self._words.keys() | {word.lower() for word in self._words}
            self._opened = open_vectors(self._source, words=wanted)
            self._loaded = set(self._words)
        return self._opened

    def _spelling(self, word: str, vectors: Vectors) -> str:
        is_lowered = self._case == "lower" or (
            self._case == "auto" and not vectors.cased and word not in vectors
        )
        return word.lower() if is_lowered else word


# The order matters: opening quotes first, while the character before them is still there. The full
# stop is split off only at the end of a sentence, so that "Mr." and "U.S." stay whole inside it.
_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?<=\w)’(?=\w)", "'"),  # a typographic apostrophe
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


def tokenize(sentence: str) -> list[str]:
    """Split a sentence into words and punctuation marks, like the Penn Treebank tokenizer.

    >>> tokenize("The person's name isn't Amy-Lou, is it?")
    ['The', 'person', "'s", 'name', 'is', "n't", 'Amy-Lou', ',', 'is', 'it', '?']
    >>> tokenize('He said "no" to Mr. Gray (twice).')
    ['He', 'said', '``', 'no', "''", 'to', 'Mr.', 'Gray', '(', 'twice', ')', '.']
    """
    text = f" {' '.join(sentence.split())} "
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text.split()


class Cbow:
    """The mean of the word vectors of a sentence.

    Out-of-vocabulary words are left out of the mean and listed in `missing`; a sentence without a
    known word becomes a row of zeros. Only the rows that are needed are read: pass all sentences to
    `prepare`, and a large file is read once.

    Parameters
    ----------
    source
        Any source of `Vectors`, or `Vectors`.
    case
        How words are looked up; see `WordLookup`.

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
        self._words = WordLookup(source, case)
        self.name = name or f"cbow:{source.source if isinstance(source, Vectors) else source}"

    @property
    def fingerprint(self) -> str:
        """A hash of the source's content, the options and the tokenizer."""
        return hash_parts("cbow", "ptb-1", self._words.fingerprint)

    @property
    def missing(self) -> tuple[str, ...]:
        """The out-of-vocabulary words so far, in order of appearance."""
        return self._words.missing

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """How the word vectors were made, as in `Vectors`."""
        return self._words.vectors().history

    def prepare(self, sentences: Iterable[str]) -> None:
        """Register the words of sentences that will be encoded."""
        for sentence in sentences:
            self._words.expect(tokenize(sentence))

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return the mean over the known words of each sentence, float64."""
        self.prepare(sentences)
        vectors = self._words.vectors()
        rows = np.zeros((len(sentences), vectors.dim))
        for row, sentence in zip(rows, sentences, strict=True):
            taken = self._words.take(tokenize(sentence))
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
    case: Case = choice_option(spec, "case", CASES, "auto")  # type: ignore[assignment]
    return Cbow(inner_source(spec, ["case"]), case=case, name=spec.text)
