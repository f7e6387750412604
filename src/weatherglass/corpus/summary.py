"""`summarise`: how many documents and words a corpus has, counted in a single pass."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .corpus import Corpus, Progress
from .tokenizer import Tokenizer

_MAX_DISTINCT_VALUES = 10_000  # per column: identifiers would fill memory


@dataclass(frozen=True, repr=False)
class Column:
    """A metadata column of the documents.

    Attributes
    ----------
    documents
        The number of documents with a value.
    different
        The number of distinct values; None if there are too many to count.
    frequent
        The most frequent values and their numbers of documents.
    """

    documents: int
    different: int | None
    frequent: list[tuple[str, int]]

    def __repr__(self) -> str:
        different = "very many" if self.different is None else f"{self.different:,}"
        return f"<Column: {self.documents:,} documents, {different} distinct values>"


@dataclass(frozen=True, repr=False)
class Summary:
    """The contents of a corpus in numbers.

    Attributes
    ----------
    documents, tokens, types
        The numbers of documents with text, of words, and of distinct words.
    frequent_types, frequent_tokens
        The number of distinct words that occur at least `min_count` times, and of their
        occurrences.
    columns
        The metadata of the documents.
    words
        The most frequent words and their counts.
    """

    source: str
    documents: int
    tokens: int
    types: int
    min_count: int
    frequent_types: int
    frequent_tokens: int
    columns: dict[str, Column]
    words: list[tuple[str, int]]

    def __repr__(self) -> str:
        return (
            f"<Summary {self.source}: {self.documents:,} documents, {self.tokens:,} tokens, "
            f"{self.types:,} types>"
        )


def summarise(
    corpus: Corpus,
    *,
    min_count: int = 10,
    tokenizer: Tokenizer | None = None,
    top: int = 10,
    progress: Progress | None = None,
) -> Summary:
    """Count the documents and words of a corpus.

    Parameters
    ----------
    min_count
        How often a word must occur to count as frequent.
    tokenizer
        Splits texts into words; default: lower-cased runs of letters.
    top
        How many words and values to list.

    Examples
    --------
    >>> summary = summarise(Corpus.of(["The sea, the sea.", "A ship."]), min_count=2, top=1)
    >>> summary.frequent_types, summary.words
    (2, [('sea', 2)])
    >>> summary
    <Summary memory: 2 documents, 6 tokens, 4 types>
    """
    tokenize = tokenizer or Tokenizer()
    documents = 0
    word_counts: Counter[str] = Counter()
    value_counts: dict[str, Counter[str]] = {}
    documents_with: Counter[str] = Counter()
    for document in corpus.documents(progress):
        documents += 1
        word_counts.update(tokenize(document.text))
        for name, value in document.meta.items():
            documents_with[name] += 1
            counts = value_counts.setdefault(name, Counter())
            if len(counts) <= _MAX_DISTINCT_VALUES or value in counts:
                counts[value] += 1
    frequent = [count for count in word_counts.values() if count >= min_count]
    return Summary(
        source=corpus.source,
        documents=documents,
        tokens=word_counts.total(),
        types=len(word_counts),
        min_count=min_count,
        frequent_types=len(frequent),
        frequent_tokens=sum(frequent),
        columns={
            name: _summarise_column(documents_with[name], counts, top)
            for name, counts in value_counts.items()
        },
        words=_most_frequent(word_counts, top),
    )


def _summarise_column(documents: int, counts: Counter[str], top: int) -> Column:
    different = len(counts) if len(counts) <= _MAX_DISTINCT_VALUES else None
    return Column(documents, different, _most_frequent(counts, top))


def _most_frequent(counts: Counter[str], top: int) -> list[tuple[str, int]]:
    """Return the most frequent items; ties are in alphabetical order."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:top]
