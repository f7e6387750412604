"""`corpus_context`: words of a corpus in their contexts, by group."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.random import Generator

from weatherglass.corpus.corpus import Corpus, Progress
from weatherglass.corpus.formats import Document
from weatherglass.corpus.groups import GroupedCorpus, Grouping, Part
from weatherglass.corpus.open import open_corpus
from weatherglass.corpus.tokenizer import Tokenizer
from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, join_first, quote_safe
from weatherglass.measures import Tabular

from .collocates import Collocate, Measure, find_collocates

_LABEL_COLUMNS = ("title", "file", "id", "name", "author", "year", "date")
_LINE_WORDS = 12  # words of a line on each side
_MAX_LABEL = 40


@dataclass(frozen=True)
class ContextLine:
    """An occurrence of a word, with the text before and after it.

    `document` is the number of the document, from 0, and `label` names it by its metadata.
    """

    word: str
    group: str
    document: int
    label: str
    before: str
    keyword: str
    after: str


@dataclass(frozen=True, repr=False)
class CorpusContext(Tabular):
    """Words of a corpus in context.

    Attributes
    ----------
    source, by, window
        The corpus, the column of its groups, and how many words on each side are near.
    groups
        The groups, in order.
    counts
        For each word, how often it occurs in each group.
    lines
        Occurrences, drawn at random in each group.
    collocates
        The words near each word, the strongest of each group first.
    notes
        Remarks for the reader.
    """

    source: str
    by: str | None
    window: int
    groups: tuple[str, ...]
    counts: dict[str, tuple[int, ...]]
    lines: tuple[ContextLine, ...]
    collocates: tuple[Collocate, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<CorpusContext {self.source}: {len(self.counts):,} words, {len(self.lines):,} lines, "
            f"{len(self.collocates):,} collocates>"
        )

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each line."""
        return [dataclasses.asdict(line) for line in self.lines]

    def collocate_rows(self) -> list[dict[str, Any]]:
        """Return a row for each collocate."""
        return [dataclasses.asdict(collocate) for collocate in self.collocates]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data, ready for JSON."""
        return dataclasses.asdict(self)


def corpus_context(
    corpus: str | os.PathLike[str] | Iterable[str | Document] | Corpus,
    words: str | Iterable[str],
    *,
    near: str | Iterable[str] = (),
    by: str | None = None,
    bins: str | int | Sequence[float] | None = None,
    only: str | Iterable[str] = (),
    where: str | Iterable[str] = (),
    window: int = 5,
    lines: int = 5,
    collocates: int = 10,
    measure: Measure = "log-likelihood",
    min_together: int = 3,
    seed: int = 0,
    tokenizer: Tokenizer | None = None,
    progress: Progress | None = None,
) -> CorpusContext:
    """Show words in context, and the words near them, in each group of a corpus.

    Parameters
    ----------
    corpus
        Anything that `weatherglass.open_corpus` accepts.
    words
        The words to look for.
    near
        Show only lines with one of these words within the window; collocates do not depend on it.
    by, bins, only, where
        The groups and texts, as in `weatherglass.train`.
    window
        How many words on each side are near a word.
    lines, collocates
        How many lines and collocates to return for each word and group.
    measure
        Order collocates by the ``log-likelihood`` ratio [1]_, or by ``pmi`` [2]_, which prefers
        rare words.
    min_together
        How often a collocate must be near the word.
    seed
        Random seed of the choice of lines.
    tokenizer
        Splits texts into words; default: lower-cased runs of letters.
    progress
        Called with the number of bytes read and in total.

    Returns
    -------
    CorpusContext

    Raises
    ------
    CannotMeasure
        No word occurs.

    References
    ----------
    .. [1] T. Dunning (1993). Accurate methods for the statistics of surprise and coincidence.
       Computational Linguistics 19(1), 61-74.
    .. [2] K. W. Church, P. Hanks (1990). Word association norms, mutual information, and
       lexicography. Computational Linguistics 16(1), 22-29.

    Examples
    --------
    >>> import weatherglass as wg
    >>> texts = ["The sea was calm. The sea was high.", "A calm sea at night."]
    >>> context = wg.corpus_context(texts, "sea", near="calm", window=2, min_together=1)
    >>> [(line.before, line.keyword, line.after) for line in context.lines][-1]
    ('A calm', 'sea', 'at night.')
    """
    if measure not in get_args(Measure):
        raise UsageError(f"measure is {measure!r}; it must be log-likelihood or pmi.")
    if min(window, min_together) < 1 or min(lines, collocates) < 0:
        raise UsageError("window and min_together must be at least 1, lines and collocates 0.")
    tokenize = tokenizer or Tokenizer()
    search = _Search(_spell(words, tokenize), _spell(near, tokenize), window, lines, tokenize)
    if not search.words:
        raise UsageError("There is no word to look for; name at least one.")
    grouped = Grouping.of(by, bins, only, where).apply(open_corpus(corpus))
    rng = np.random.default_rng(seed)
    for part in grouped.parts(progress):
        search.add(part, rng)
    return _result(search, grouped, by, collocates, measure, min_together)


def _spell(words: str | Iterable[str], tokenizer: Tokenizer) -> tuple[str, ...]:
    listed = [words] if isinstance(words, str) else list(words)
    return tuple(dict.fromkeys(word.lower() if tokenizer.lower else word for word in listed))


@dataclass
class _Group:
    """The counts and lines of a group."""

    tokens: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    nearby: dict[str, Counter[str]] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)  # occurrences that may be shown
    lines: dict[str, list[ContextLine]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Search:
    """The search for words in the parts of documents, one after another."""

    words: tuple[str, ...]
    near: tuple[str, ...]
    window: int
    max_lines: int
    tokenizer: Tokenizer
    groups: dict[str, _Group] = field(default_factory=dict)

    def add(self, part: Part, rng: Generator) -> None:
        """Count the words of a part, and keep some of its lines."""
        group = self.groups.setdefault(part.group, _Group())
        tokens = self.tokenizer(part.text)
        group.tokens += len(tokens)
        group.counts.update(tokens)
        wanted, near = set(self.words), set(self.near)
        text: _Text | None = None
        for k, word in ((k, token) for k, token in enumerate(tokens) if token in wanted):
            around = tokens[max(0, k - self.window) : k] + tokens[k + 1 : k + 1 + self.window]
            group.nearby.setdefault(word, Counter()).update(around)
            if near and near.isdisjoint(around):
                continue
            place = self._place(group, word, rng)
            if place is not None:
                text = text or _Text.of(part, self.tokenizer)
                group.lines.setdefault(word, [])[place : place + 1] = [text.line(word, k)]

    def _place(self, group: _Group, word: str, rng: Generator) -> int | None:
        """Return where to keep an occurrence, so that all have the same chance; None for nowhere.

        This is reservoir sampling: the n-th occurrence replaces a kept one with chance lines / n.
        """
        group.seen[word] += 1
        seen = group.seen[word]
        if seen <= self.max_lines:
            return seen - 1
        place = int(rng.integers(seen))
        return place if place < self.max_lines else None


@dataclass(frozen=True)
class _Text:
    """A part of a document, in which lines are cut around words."""

    part: Part
    text: str
    spans: list[tuple[int, int]]

    @classmethod
    def of(cls, part: Part, tokenizer: Tokenizer) -> _Text:
        text, spans = tokenizer.spans(part.text)
        return cls(part, text, spans)

    def line(self, word: str, k: int) -> ContextLine:
        """Return the k-th word of the text with the text around it."""
        k = min(k, len(self.spans) - 1)  # lower-casing may have changed what a word is
        start, end = self.spans[k]
        first = self.spans[max(0, k - _LINE_WORDS)][0]
        last = self.spans[min(len(self.spans) - 1, k + _LINE_WORDS)][1]
        if k + _LINE_WORDS >= len(self.spans):
            last = len(self.text)
        return ContextLine(
            word,
            self.part.group,
            self.part.document,
            _label(self.part.meta),
            " ".join(self.text[first:start].split()),
            self.text[start:end],
            " ".join(self.text[end:last].split()),
        )


def _label(meta: dict[str, str]) -> str:
    """Name a document by one or two of its columns."""
    named = [meta[name] for name in _LABEL_COLUMNS if name in meta][:2]
    return ", ".join(named or list(meta.values())[:1])[:_MAX_LABEL]


def _result(
    search: _Search,
    grouped: GroupedCorpus,
    by: str | None,
    most: int,
    measure: Measure,
    min_together: int,
) -> CorpusContext:
    groups = {name: search.groups[name] for name in grouped.order(search.groups)}
    every_word = set().union(*(group.counts for group in groups.values()))
    absent = [word for word in search.words if word not in every_word]
    if len(absent) == len(search.words):
        raise CannotMeasure(
            f"{join_first(map(quote_safe, absent))} {'does' if len(absent) == 1 else 'do'} not "
            f"occur in the chosen texts of {grouped.corpus.source}."
            + did_you_mean(absent[0], every_word)
        )
    notes = [f"{quote_safe(word)} does not occur" for word in absent]
    collocates: list[Collocate] = []
    for word in search.words:
        for name, group in groups.items():
            nearby = group.nearby.get(word, Counter())
            totals = (group.counts, group.tokens)
            collocates += find_collocates(word, name, nearby, *totals, measure, min_together)[:most]
    return CorpusContext(
        source=grouped.corpus.source,
        by=by,
        window=search.window,
        groups=tuple(groups),
        counts={
            word: tuple(group.counts[word] for group in groups.values()) for word in search.words
        },
        lines=tuple(
            line
            for word in search.words
            for group in groups.values()
            for line in sorted(group.lines.get(word, ()), key=lambda line: line.document)
        ),
        collocates=tuple(collocates),
        notes=(*grouped.notes(), *notes),
    )
