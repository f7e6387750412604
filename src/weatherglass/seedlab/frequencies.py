"""How frequent words are: in a corpus, in what an embedding was trained on, or in English."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from weatherglass.errors import MissingExtra
from weatherglass.vectors import Vectors
from weatherglass.vectors.spelling import Case, find_words

from .counting import Counted

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
    at = find_words(vectors, words, case)
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
