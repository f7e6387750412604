"""Count chosen words in the documents of each group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from weatherglass.corpus.tokenizer import Tokenizer


class WordCounter:
    """Counts chosen words by group, and how their counts vary between documents.

    Parameters
    ----------
    words
        The words to count, spelled as the user spells them.
    tokenizer
        The one that the documents were split with: if it lower-cases, so are the words.

    Examples
    --------
    >>> counter = WordCounter(["Sea"], Tokenizer())
    >>> counter.add("a", ["the", "sea"])
    >>> counter.add("a", ["a", "ship"])
    >>> counter.count("Sea", "a"), counter.documents["a"], counter.tokens["a"]
    (1, 2, 4)
    """

    def __init__(self, words: Iterable[str], tokenizer: Tokenizer) -> None:
        self._is_lower = tokenizer.lower
        self._wanted = {self.spelling(word) for word in words}
        self.documents: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self._counts: dict[str, Counter[str]] = {}
        self._squares: dict[str, Counter[str]] = {}

    def spelling(self, word: str) -> str:
        """Return a word as it is in the texts."""
        return word.lower() if self._is_lower else word

    def add(self, group: str, tokens: Sequence[str]) -> None:
        """Add a document."""
        self.documents[group] += 1
        self.tokens[group] += len(tokens)
        counts = self._counts.setdefault(group, Counter())
        squares = self._squares.setdefault(group, Counter())
        wanted = self._wanted
        for word, count in Counter(token for token in tokens if token in wanted).items():
            counts[word] += count
            squares[word] += count * count

    def count(self, word: str, group: str) -> int:
        """Return how often a word occurs in a group."""
        return self._counts.get(group, Counter())[self.spelling(word)]

    def spread(self, word: str, group: str) -> float:
        """Return the standard deviation of its count over bootstrap samples of the documents.

        A sample draws each of n documents with probability 1/n, n times; the variance of the count
        is therefore Σ c_d² − (Σ c_d)² / n.
        """
        spelling, documents = self.spelling(word), self.documents[group]
        squares = self._squares.get(group, Counter())[spelling]
        variance = squares - self.count(word, group) ** 2 / max(documents, 1)
        return math.sqrt(max(0.0, variance))
