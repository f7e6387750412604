"""How often words occur in a corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from weatherglass.corpus import Corpus, Tokenizer

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
