"""`corpus_words`: how often the words of tests occur in each group, before anything is trained."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import GroupsTest, NamedTests, Test, choose_tests
from weatherglass.corpus.corpus import Corpus, Progress
from weatherglass.corpus.formats import Document
from weatherglass.corpus.groups import Grouping
from weatherglass.corpus.open import open_corpus
from weatherglass.corpus.tokenizer import Tokenizer
from weatherglass.errors import UsageError
from weatherglass.measures import Tabular

from .checks import TestCheck, check_tests
from .word_counter import WordCounter

# A count so many standard deviations above the minimum is below it in one sample in 40.
_MIN_DEVIATIONS = 2.0


@dataclass(frozen=True, repr=False)
class CorpusWords(Tabular):
    """How often words occur in each group of a corpus, and which tests can be run there.

    Attributes
    ----------
    source, by
        The corpus, and the column of its groups.
    min_count
        How often a word must occur to get a vector.
    groups, documents, tokens
        The groups in order, and for each its numbers of documents and words.
    counts
        For each word its count in each group.
    spread
        For each word and group the standard deviation of the count over bootstrap samples.
    sets
        The words of each set of each test, or of the set ``""`` of ``""``: words without a test.
    tests
        Which tests can be run in which group.
    notes
        Remarks for the reader.
    """

    source: str
    by: str | None
    min_count: int
    groups: tuple[str, ...]
    documents: tuple[int, ...]
    tokens: tuple[int, ...]
    counts: dict[str, tuple[int, ...]]
    spread: dict[str, tuple[float, ...]]
    sets: dict[str, dict[str, tuple[str, ...]]]
    tests: tuple[TestCheck, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<CorpusWords {self.source}: {len(self.counts):,} words in {len(self.groups):,} "
            f"group{'' if len(self.groups) == 1 else 's'}>"
        )

    def mark(self, word: str, group: str) -> str:
        """Return ``*`` if a word is too rare in a group, ``~`` if it may be in a sample of it."""
        position = self.groups.index(group)
        count, spread = self.counts[word][position], self.spread[word][position]
        if count < self.min_count:
            return "*"
        return "~" if count - _MIN_DEVIATIONS * spread < self.min_count else ""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each word of each set and each group."""
        return [
            {
                "test": test,
                "set": name,
                "word": word,
                "group": group,
                "count": self.counts[word][position],
                "is_rare": self.counts[word][position] < self.min_count,
                "spread": self.spread[word][position],
                "per_million": 1e6 * self.counts[word][position] / max(1, self.tokens[position]),
            }
            for test, sets in self.sets.items()
            for name, words in sets.items()
            for word in words
            for position, group in enumerate(self.groups)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data, ready for JSON."""
        return dataclasses.asdict(self)


def corpus_words(
    corpus: str | os.PathLike[str] | Iterable[str | Document] | Corpus,
    words: Iterable[str] = (),
    *,
    tests: NamedTests = (),
    by: str | None = None,
    bins: str | int | Sequence[float] | None = None,
    only: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
    min_count: int = 10,
    max_missing: float = 0.2,
    tokenizer: Tokenizer | None = None,
    progress: Progress | None = None,
) -> CorpusWords:
    """Count words in each group of a corpus, and find which tests can be run where.

    Parameters
    ----------
    corpus
        Anything that `weatherglass.open_corpus` accepts.
    words, tests
        The words to count, and association tests or their ids, whose words are counted.
    by, bins, only, where
        The groups and texts, as in `weatherglass.train`.
    min_count, max_missing
        How often a word must occur, and the share of a set's words that may be rarer.
    tokenizer
        Splits texts into words; default: lower-cased runs of letters.
    progress
        Called with the number of bytes read and in total.

    Returns
    -------
    CorpusWords
        Counts by word and group. A word whose count is less than two standard deviations above
        `min_count` is likely to be missing from some bootstrap sample.

    Examples
    --------
    >>> import weatherglass as wg
    >>> table = wg.corpus_words(["The sea, the sea.", "A ship."], ["sea", "ship"], min_count=2)
    >>> table.counts, table.mark("ship", "")
    ({'sea': (2,), 'ship': (1,)}, '*')
    """
    word_tests = choose_tests(tests, Test | GroupsTest) if tests else ()
    sets = {test.id: {name: word_set.words for name, word_set in test.sets.items()}
            for test in word_tests}  # fmt: skip
    listed = tuple(dict.fromkeys([words] if isinstance(words, str) else words))
    sets |= {"": {"": listed}} if listed else {}
    if not sets:
        raise UsageError("There is nothing to count; name words or tests.")
    tokenize = tokenizer or Tokenizer()
    counter = WordCounter((w for s in sets.values() for v in s.values() for w in v), tokenize)
    grouped = Grouping.of(by, bins, only, where).apply(open_corpus(corpus))
    for part in grouped.parts(progress):
        counter.add(part.group, tokenize(part.text))
    groups = grouped.order(counter.documents)
    every_word = dict.fromkeys(w for s in sets.values() for v in s.values() for w in v)
    return CorpusWords(
        source=grouped.corpus.source,
        by=by,
        min_count=min_count,
        groups=tuple(groups),
        documents=tuple(counter.documents[group] for group in groups),
        tokens=tuple(counter.tokens[group] for group in groups),
        counts={word: tuple(counter.count(word, g) for g in groups) for word in every_word},
        spread={
            word: tuple(round(counter.spread(word, g), 3) for g in groups) for word in every_word
        },
        sets=sets,
        tests=tuple(check_tests(counter, word_tests, groups, min_count, max_missing)),
        notes=tuple(grouped.notes()),
    )
