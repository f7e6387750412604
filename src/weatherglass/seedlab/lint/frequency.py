"""Word frequencies, from a corpus, an embedding or wordfreq, and the checks that use them."""

from __future__ import annotations

import importlib.util
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from weatherglass._languages import ENGLISH, language_name, stated_language
from weatherglass.catalog import SeedSet
from weatherglass.corpus import Corpus, Tokenizer
from weatherglass.errors import CannotMeasure, MissingExtra, join_first, quote_safe
from weatherglass.vectors import Case, Vectors, find_usable_positions

from ..pairs import seed_pair
from .findings import RARE_PER_MILLION, Finding, count_noun, make_finding, quote_first

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class WordCounts:
    """The counts of the words of a corpus.

    Attributes
    ----------
    source, fingerprint
        The corpus.
    documents, tokens
        The number of documents with text, and of words.
    counts
        The number of occurrences of each word.
    lower
        Whether words were counted in lower case.
    language
        The language that the metadata of all documents state; None if they do not, or disagree.
    """

    source: str
    fingerprint: str
    documents: int
    tokens: int
    counts: Counter[str] = field(repr=False)
    lower: bool = True
    language: str | None = None

    def of(self, word: str) -> int:
        """Return the number of occurrences of a word."""
        return self.counts[word.lower() if self.lower else word]


def count_words(
    corpus: Corpus, *, tokenizer: Tokenizer | None = None, progress: Progress | None = None
) -> WordCounts:
    """Count the words of a corpus in one pass.

    Parameters
    ----------
    corpus
        From `weatherglass.corpus.open_corpus`.
    tokenizer
        Splits texts into words; by default into lower-cased runs of letters.
    progress
        Called with the number of bytes done and in total.

    Examples
    --------
    >>> counts = count_words(Corpus.of(["The sea, the sea.", "A ship."]))
    >>> counts.of("Sea"), counts.tokens, counts.documents
    (2, 6, 2)
    """
    tokenize = tokenizer or Tokenizer()
    counts: Counter[str] = Counter()
    languages: set[str] = set()
    documents = 0
    for document in corpus.documents(progress):
        documents += 1
        counts.update(tokenize(document.text))
        languages.add(document.language)
    return WordCounts(
        corpus.source,
        corpus.fingerprint(),
        documents,
        counts.total(),
        counts,
        tokenize.lower,
        stated_language(languages),
    )


EULER_GAMMA = 0.5772  # the sum of 1 / rank up to n is about ln n + this
MIN_DISTINCT_COUNTS = 6  # some writers store a constant as the count, which says nothing


@dataclass(frozen=True)
class Frequencies:
    """Occurrences per million words, of the words that occur.

    `by` says where the numbers come from, at the end of a sentence.
    """

    by: str
    per_million: dict[str, float]

    def of(self, words: Iterable[str]) -> dict[str, float]:
        """Return the frequencies of the words that occur."""
        return {word: self.per_million[word] for word in words if word in self.per_million}


def find_frequencies(
    words: Sequence[str],
    counts: WordCounts | None,
    vectors: Vectors | None,
    case: Case = "auto",
    language: str = ENGLISH,
) -> Frequencies:
    """Return the frequencies of words, from the best source available.

    In this order: counts in the corpus; counts stored with the embedding; its word order, by Zipf's
    law; the package wordfreq, for the languages that it has.

    Raises
    ------
    MissingExtra
        None of these is available.
    CannotMeasure
        Only wordfreq is, and it does not have the language.
    """
    if counts is not None:
        occurring = {word: count for word in words if (count := counts.of(word))}
        per_million = {word: count / counts.tokens * 1e6 for word, count in occurring.items()}
        return Frequencies(f"in {counts.source}", per_million)
    if vectors is not None and not vectors.part:
        return _frequencies_in_vectors(words, vectors, case)
    if importlib.util.find_spec("wordfreq") is None:
        raise MissingExtra(
            "Finding how frequent words are without a whole source or a corpus", "frequencies"
        )
    return _frequencies_in_language(words, language)


def _frequencies_in_vectors(words: Sequence[str], vectors: Vectors, case: Case) -> Frequencies:
    positions = find_usable_positions(vectors, words, case).tolist()
    found = {word: at for word, at in zip(words, positions, strict=True) if at >= 0}
    counts = vectors.counts
    if counts is not None and len(np.unique(counts)) >= MIN_DISTINCT_COUNTS:
        total = float(counts.sum())
        shares = {word: float(counts[at]) / total * 1e6 for word, at in found.items()}
        by = f"by the counts of {vectors.source}"
        return Frequencies(by, {word: share for word, share in shares.items() if share})
    scale = 1e6 / (math.log(len(vectors)) + EULER_GAMMA)
    by_rank = {word: scale / (at + 1) for word, at in found.items()}
    return Frequencies(f"by rank in {vectors.source}", by_rank)


def _frequencies_in_language(words: Sequence[str], language: str) -> Frequencies:
    from wordfreq import available_languages, word_frequency

    if language not in available_languages():
        which = language_name(language) if language else "several languages"
        raise CannotMeasure(
            f"The package wordfreq has no frequencies of words in {which}; give a source or a "
            "corpus."
        )
    try:
        # wordfreq splits phrases at spaces, not at underscores.
        shares = {word: 1e6 * word_frequency(word.replace("_", " "), language) for word in words}
    except ImportError as error:  # Chinese, Japanese and Korean need a segmenter
        raise CannotMeasure(f"The package wordfreq cannot split the words ({error}).") from None
    by = "by wordfreq" if language == ENGLISH else f"by wordfreq in {language_name(language)}"
    return Frequencies(by, {word: share for word, share in shares.items() if share})


def check_frequency(seed_set: SeedSet, frequencies: Frequencies) -> Iterator[Finding]:
    """Report the median frequency of a set, and its rare words."""
    words = tuple(dict.fromkeys(seed_set.words))
    known = frequencies.of(words)
    if known:
        median = statistics.median(known.values())
        ordered = sorted(known, key=lambda word: known[word])
        low, high = ordered[0], ordered[-1]
        missing = len(words) - len(known)
        sentence = (
            f"The median frequency of its words is {format_amount(median)} per million, from "
            f"{format_amount(known[low])} ({quote_first([low])}) to {format_amount(known[high])} "
            f"({quote_first([high])}), {frequencies.by}"
            + (f"; {missing} not found." if missing else ".")
        )
        yield make_finding("frequency", [seed_set.id], median, sentence, (low, high))
    rare = [word for word, share in known.items() if share < RARE_PER_MILLION]
    if rare:
        sentence = (
            f"{len(rare)} of its {len(words)} words occur{'s' * (len(rare) == 1)} less than once "
            f"per million words, {frequencies.by}: {quote_first(rare)}. Vectors of rare words are "
            "the least reliable."
        )
        yield make_finding("rare", [seed_set.id], len(rare) / len(words), sentence, rare)


def check_unseen(seed_set: SeedSet, counts: WordCounts, min_count: int) -> Iterator[Finding]:
    """Report the words that are too rare in a corpus for a vector to be trained."""
    words = tuple(dict.fromkeys(seed_set.words))
    unseen = [word for word in words if counts.of(word) < min_count]
    if unseen:
        listed = join_first(f"{quote_safe(word)} {counts.of(word)}" for word in unseen)
        sentence = (
            f"{len(unseen)} of its {len(words)} words occur{'s' * (len(unseen) == 1)} fewer than "
            f"{count_noun(min_count, 'time')} in {counts.source}: {listed}. Vectors trained on it "
            "lack them."
        )
        yield make_finding("unseen", [seed_set.id], len(unseen) / len(words), sentence, unseen)


def check_frequency_gap(
    first: SeedSet, second: SeedSet, frequencies: Frequencies
) -> Iterator[Finding]:
    """Compare the frequencies of two sets, and of their corresponding words."""
    known = [frequencies.of(dict.fromkeys(seed_set.words)) for seed_set in (first, second)]
    if not all(known):
        return
    ids = [first.id, second.id]
    medians = [statistics.median(of_set.values()) for of_set in known]
    ratio = max(medians) / min(medians)
    more_frequent = first.id if medians[0] >= medians[1] else second.id
    sentence = (
        f"The words of {more_frequent} are {format_amount(ratio)} times as frequent as those of "
        f"the other (medians {format_amount(medians[0])} and {format_amount(medians[1])} per "
        f"million words, {frequencies.by})."
    )
    yield make_finding("frequency-gap", ids, ratio, sentence)
    pair = seed_pair(first, second)
    ratios = {
        (x, y): max(known[0][x], known[1][y]) / min(known[0][x], known[1][y])
        for x, y in pair.pairs
        if x in known[0] and y in known[1]
    }
    if ratios and pair.match != "position":
        median = statistics.median(ratios.values())
        worst = max(ratios, key=lambda words: ratios[words])
        sentence = (
            f"In half of the {count_noun(len(ratios), 'pair')} one word is at least "
            f"{format_amount(median)} times as frequent as the other; the largest ratio is that of "
            f"{quote_first(worst)}: {format_amount(ratios[worst])} times."
        )
        yield make_finding("paired-frequency", ids, median, sentence, worst)


def format_amount(value: float) -> str:
    """Return a number with two significant digits and no exponent.

    >>> format_amount(0.0123), format_amount(3.14), format_amount(271.8), format_amount(12345.6)
    ('0.012', '3.1', '272', '12,346')
    """
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"
