"""What a corpus holds, in numbers: one pass, and only counts are kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .corpus import Corpus, Progress
from .tokenizer import Tokenizer

_VALUES = 10_000  # different values of a column that are told apart


@dataclass(frozen=True)
class Column:
    """What is known of the documents in one respect.

    Attributes
    ----------
    documents
        How many documents have a value.
    different
        How many different values there are; None if there are more than are told apart.
    frequent
        The most frequent values and their numbers of documents.
    """

    documents: int
    different: int | None
    frequent: list[tuple[str, int]]


@dataclass(frozen=True)
class Summary:
    """What a corpus holds.

    Attributes
    ----------
    documents, tokens, types
        Documents with text, words, and different words.
    frequent_types, frequent_tokens
        The different words that occur `min_count` times or more, and how often they do together.
    columns
        What is known of the documents.
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
        From how many occurrences on a word is frequent.
    tokenizer
        Cuts texts into words; by default lower-cased runs of letters.
    top
        How many words and values to list.

    Examples
    --------
    >>> found = summarise(Corpus.of(["The sea, the sea.", "A ship."]), min_count=2, top=1)
    >>> found.documents, found.tokens, found.types, found.frequent_types, found.words
    (2, 6, 4, 2, [('sea', 2)])
    """
    cut = tokenizer or Tokenizer()
    documents = 0
    counts: Counter[str] = Counter()
    values: dict[str, Counter[str]] = {}
    known: Counter[str] = Counter()
    for document in corpus.documents(progress):
        documents += 1
        counts.update(cut(document.text))
        for name, value in document.meta.items():
            known[name] += 1
            seen = values.setdefault(name, Counter())
            if len(seen) <= _VALUES or value in seen:
                seen[value] += 1
    frequent = [count for count in counts.values() if count >= min_count]
    return Summary(
        source=corpus.source,
        documents=documents,
        tokens=counts.total(),
        types=len(counts),
        min_count=min_count,
        frequent_types=len(frequent),
        frequent_tokens=sum(frequent),
        columns={name: _column(known[name], seen, top) for name, seen in values.items()},
        words=_most(counts, top),
    )


def _column(documents: int, seen: Counter[str], top: int) -> Column:
    different = len(seen) if len(seen) <= _VALUES else None
    return Column(documents, different, _most(seen, top))


def _most(counts: Counter[str], top: int) -> list[tuple[str, int]]:
    """The most frequent; ties in the order of the alphabet."""
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:top]
