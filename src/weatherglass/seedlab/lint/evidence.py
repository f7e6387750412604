"""What there is to check seed sets with: tags, frequencies, a corpus, an embedding."""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weatherglass.catalog import SeedSet
from weatherglass.corpus import Corpus, Tokenizer, open_corpus, part_of_speech
from weatherglass.errors import MissingExtra
from weatherglass.vectors import Case, Vectors, find_usable_positions, open_vectors

from .findings import Check
from .space import Neighbourhood, Space, listed_neighbours

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Counted:
    """The words of a corpus, counted.

    Attributes
    ----------
    source, fingerprint
        What was counted.
    documents, tokens
        How many documents have text, and how many words there are.
    counts
        How often each word occurs.
    lower
        Whether words were counted in lower case.
    """

    source: str
    fingerprint: str
    documents: int
    tokens: int
    counts: Counter[str] = field(repr=False)
    lower: bool = True

    def of(self, word: str) -> int:
        """How often a word occurs."""
        return self.counts[word.lower() if self.lower else word]


def count_words(
    corpus: Corpus, *, tokenizer: Tokenizer | None = None, progress: Progress | None = None
) -> Counted:
    """Count the words of a corpus, which streams by once.

    Parameters
    ----------
    corpus
        What `weatherglass.corpus.open_corpus` gives.
    tokenizer
        Cuts texts into words; by default lower-cased runs of letters.
    progress
        Called with the bytes done and the bytes in all.

    Examples
    --------
    >>> found = count_words(Corpus.of(["The sea, the sea.", "A ship."]))
    >>> found.of("Sea"), found.tokens, found.documents
    (2, 6, 2)
    """
    cut = tokenizer or Tokenizer()
    counts: Counter[str] = Counter()
    documents = 0
    for document in corpus.documents(progress):
        documents += 1
        counts.update(cut(document.text))
    return Counted(
        corpus.source, corpus.fingerprint(), documents, counts.total(), counts, cut.lower
    )


_EULER = 0.5772  # the sum of 1 / rank up to n is ln n + this
_FEW = 5  # counts that hardly differ say nothing; some writers put a constant there


@dataclass(frozen=True)
class Frequencies:
    """Occurrences in a million words, of those words that occur.

    `by` ends a sentence: where the numbers come from.
    """

    by: str
    per_million: dict[str, float]

    def of(self, words: Iterable[str]) -> dict[str, float]:
        """The frequencies of those words that occur."""
        return {word: self.per_million[word] for word in words if word in self.per_million}


def find_frequencies(
    words: Sequence[str], counted: Counted | None, vectors: Vectors | None, case: Case = "auto"
) -> Frequencies:
    """How frequent words are, from the best source that there is.

    Counts in the corpus; or the counts that the embedding has; or its order, by Zipf's law; or
    the package wordfreq.

    Raises
    ------
    MissingExtra
        There is none of these.
    """
    if counted is not None:
        found = {word: counted.of(word) for word in words}
        shares = {word: n / counted.tokens * 1e6 for word, n in found.items() if n}
        return Frequencies(f"in {counted.source}", shares)
    if vectors is not None and not vectors.part:
        return _in_vectors(words, vectors, case)
    if importlib.util.find_spec("wordfreq") is None:
        raise MissingExtra(
            "Finding how frequent words are without a whole source or a corpus", "frequencies"
        )
    return _in_english(words)


def _in_vectors(words: Sequence[str], vectors: Vectors, case: Case) -> Frequencies:
    at = find_usable_positions(vectors, words, case)
    there = {word: int(place) for word, place in zip(words, at, strict=True) if place >= 0}
    counts = vectors.counts
    if counts is not None and len(np.unique(counts)) > _FEW:
        total = float(counts.sum())
        shares = {word: float(counts[place]) / total * 1e6 for word, place in there.items()}
        by = f"by the counts of {vectors.source}"
        return Frequencies(by, {word: share for word, share in shares.items() if share})
    scale = 1e6 / (math.log(len(vectors)) + _EULER)
    shares = {word: scale / (place + 1) for word, place in there.items()}
    return Frequencies(f"by rank in {vectors.source}", shares)


def _in_english(words: Sequence[str]) -> Frequencies:
    from wordfreq import word_frequency

    # Phrases are cut at spaces there.
    shares = {word: 1e6 * word_frequency(word.replace("_", " "), "en") for word in words}
    return Frequencies("by wordfreq", {word: share for word, share in shares.items() if share})


_NO_VECTORS = "there are no vectors (give a source; `weatherglass train` makes one of a corpus)"
_NO_CORPUS = "there is no corpus"
_NO_PAIRS = "there is no pair of sets (give others to hold them against)"
_NOT_OPPOSED = "there is no pair of sets that stand at two ends of one thing"
_COMPARED = ("outlier", "strangers", "senses")  # with other words of the source


@dataclass(frozen=True, eq=False)
class Evidence:
    """What there is to check seed sets with.

    Attributes
    ----------
    counted, space, near, tags, frequencies
        The words of the corpus, the embedding, the neighbours in it, parts of speech and
        frequencies; None where there are none.
    lacking
        Why there are none, by what a check needs.
    """

    counted: Counted | None
    space: Space | None
    near: Neighbourhood | None
    tags: dict[str, str] | None
    frequencies: Frequencies | None
    lacking: dict[str, str]

    @classmethod
    def of(
        cls,
        sets: Iterable[SeedSet],
        source: Any,
        corpus: Any,
        tokenizer: Tokenizer | None,
        case: Case,
    ) -> Evidence:
        """Gather what can be had for the words of some sets."""
        words = list(dict.fromkeys(word for one in sets for word in one.words))
        lacking: dict[str, str] = {}
        vectors = None if source is None else open_vectors(source)
        counted = _counted(corpus, tokenizer)
        if counted is None:
            lacking["corpus"] = _NO_CORPUS
        space = None if vectors is None else Space.of(vectors, words, case)
        if space is None:
            lacking["vectors"] = _NO_VECTORS
        elif space.why_no_chance:
            lacking["chance"] = space.why_no_chance
        near = None
        if space is not None and "chance" not in lacking and space.at:
            near = Neighbourhood.of(space)
        tags = _or_why(lambda: part_of_speech(words), "tags", lacking)
        found = _or_why(
            lambda: find_frequencies(words, counted, vectors, case), "frequencies", lacking
        )
        return cls(counted, space, near, tags, found, lacking)

    def why_not(self, check: Check, looked_at: int) -> str:
        """Why a check was not run; empty if it was."""
        if not looked_at:
            return _NO_PAIRS if check.about == "pair" else _NOT_OPPOSED
        if check.name in _COMPARED and "chance" in self.lacking:
            return self.lacking["chance"]
        return self.lacking.get(check.needs, "")

    def neighbours(self) -> dict[str, tuple[tuple[str, float], ...]]:
        """The neighbours of each word, as the sets spell it."""
        if self.space is None or self.near is None:
            return {}
        rows = {word: self.near.row[at] for word, at in self.space.at.items()}
        return {
            word: listed_neighbours(self.space, self.near.found[k], self.near.cosines[k])
            for word, k in rows.items()
        }

    def about_source(self) -> dict[str, Any]:
        """What the result says of the vectors."""
        if self.space is None:
            return {}
        one = self.space.vectors
        about = {"name": one.source, "fingerprint": one.fingerprint}
        return {**about, "dim": one.dim, "words": len(one)}

    def about_corpus(self) -> dict[str, Any]:
        """What the result says of the corpus."""
        one = self.counted
        if one is None:
            return {}
        about = {"name": one.source, "fingerprint": one.fingerprint}
        return {**about, "documents": one.documents, "tokens": one.tokens}


def _counted(corpus: Any, tokenizer: Tokenizer | None) -> Counted | None:
    if corpus is None or isinstance(corpus, Counted):
        return corpus
    return count_words(open_corpus(corpus), tokenizer=tokenizer)


def _or_why(find: Callable[[], Any], what: str, lacking: dict[str, str]) -> Any:
    """What a function gives, or None and the extra that would be needed."""
    try:
        return find()
    except MissingExtra as error:
        text = str(error)
        lacking[what] = text[0].lower() + text[1:]
        return None
