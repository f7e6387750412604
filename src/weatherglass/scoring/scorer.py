"""The scorer: the valence of a sentence is the sum of its words' pleasantness associations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weatherglass.corpus import Tokenizer
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors, find_usable_positions

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scorer:
    """Scores sentences by the words in them.

    Attributes
    ----------
    vectors
        The embedding.
    direction
        The difference of the mean unit vectors of the positive and the negative words, so that the
        product with a unit vector w is s(w, A, B).
    words
        The positive and the negative words that the embedding has.
    missing
        Those that it lacks.

    Examples
    --------
    >>> vectors = Vectors.of(["good", "bad", "film", "amy"], [[1, 0], [0, 1], [1, 1], [3, 4]])
    >>> scorer = Scorer.of(vectors, ["good"], ["bad"])
    >>> round(scorer.score("Amy: a good film, a good film."), 6)  # -0.2 + 2 × (1 + 0)
    1.8
    """

    vectors: Vectors
    direction: Floats
    words: dict[str, tuple[str, ...]]
    missing: dict[str, tuple[str, ...]]
    tokenizer: Tokenizer
    _known: dict[str, float | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, vectors: Vectors, positive: Sequence[str], negative: Sequence[str]) -> Scorer:
        """Return a scorer from the designated positive and negative words."""
        means, found, missing = [], {}, {}
        for side, words in (("A", positive), ("B", negative)):
            positions = find_usable_positions(vectors, list(words), "auto")
            listed = list(zip(words, positions.tolist(), strict=True))
            found[side] = tuple(vectors.words[row] for _, row in listed if row >= 0)
            missing[side] = tuple(word for word, row in listed if row < 0)
            if not found[side]:
                which = "positive" if side == "A" else "negative"
                raise CannotMeasure(f"{vectors.source} has none of the {which} words.")
            means.append(vectors.unit(found[side]).mean(axis=0))
        # Case matters only to a vocabulary that has capitals.
        tokenizer = Tokenizer(lower=not vectors.cased)
        return cls(vectors, means[0] - means[1], found, missing, tokenizer)

    def valence(self, word: str) -> float | None:
        """Return s(w, A, B) of a word; None if the embedding does not have it."""
        if word not in self._known:
            (row,) = find_usable_positions(self.vectors, [word], "auto").tolist()
            known = None if row < 0 else self.vectors.unit_at(np.array([row]))[0] @ self.direction
            self._known[word] = None if known is None else float(known)
        return self._known[word]

    def score(self, sentence: str) -> float:
        """Return the sum of the valences of the words; words that are not known count nothing."""
        valences = (self.valence(word) for word in self.tokenizer(sentence))
        return sum(valence for valence in valences if valence is not None)

    def is_known(self, name: str) -> bool:
        """Return whether the embedding has every word of a name."""
        words = self.tokenizer(name)
        return bool(words) and all(self.valence(word) is not None for word in words)

    def coverage(self, sentences: Sequence[str]) -> float:
        """Return the share of the words of sentences that the embedding has."""
        words = [word for sentence in sentences for word in self.tokenizer(sentence)]
        known = sum(self.valence(word) is not None for word in words)
        return known / len(words) if words else 0.0
