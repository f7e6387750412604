"""Checks of how frequent the words of seed sets are."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from weatherglass.catalog import SeedSet
from weatherglass.errors import join_first, quote_safe

from ..pairs import seed_pair
from .evidence import Counted, Frequencies
from .findings import RARE, Finding, finding, listed, number


def check_frequency(one: SeedSet, frequencies: Frequencies) -> Iterator[Finding]:
    """How frequent the words of a set are, and which are rare."""
    words = tuple(dict.fromkeys(one.words))
    known = frequencies.of(words)
    if known:
        middle = statistics.median(known.values())
        ordered = sorted(known, key=lambda word: known[word])
        low, high = ordered[0], ordered[-1]
        gone = len(words) - len(known)
        sentence = (
            f"The median of its words is {amount(middle)} in a million words, from "
            f"{amount(known[low])} ({listed([low])}) to {amount(known[high])} ({listed([high])}), "
            f"{frequencies.by}" + (f"; {gone} not found." if gone else ".")
        )
        yield finding("frequency", [one.id], middle, sentence, (low, high))
    rare = [word for word, share in known.items() if share < RARE]
    if rare:
        sentence = (
            f"{len(rare)} of its {len(words)} words occur{'s' * (len(rare) == 1)} less than once "
            f"in a million words, {frequencies.by}: {listed(rare)}. The vectors of rare words are "
            "the least sure."
        )
        yield finding("rare", [one.id], len(rare) / len(words), sentence, rare)


def check_unseen(one: SeedSet, counted: Counted, min_count: int) -> Iterator[Finding]:
    """The words that a corpus has too seldom for a vector to be trained."""
    words = tuple(dict.fromkeys(one.words))
    gone = [word for word in words if counted.of(word) < min_count]
    if gone:
        said = join_first(f"{quote_safe(word)} {counted.of(word)}" for word in gone)
        sentence = (
            f"{len(gone)} of its {len(words)} words occur{'s' * (len(gone) == 1)} fewer than "
            f"{number(min_count, 'time')} in {counted.source}: {said}. Vectors trained on it "
            "lack them."
        )
        yield finding("unseen", [one.id], len(gone) / len(words), sentence, gone)


def check_frequency_gap(
    one: SeedSet, other: SeedSet, frequencies: Frequencies
) -> Iterator[Finding]:
    """Whether two sets, and the words that answer each other, are about as frequent."""
    both = [frequencies.of(dict.fromkeys(some.words)) for some in (one, other)]
    if not all(both):
        return
    middle = [statistics.median(known.values()) for known in both]
    times = max(middle) / min(middle)
    first = one.id if middle[0] >= middle[1] else other.id
    sentence = (
        f"The words of {first} are {amount(times)} times as frequent as those of the other "
        f"(medians {amount(middle[0])} and {amount(middle[1])} in a million words, "
        f"{frequencies.by})."
    )
    yield finding("frequency-gap", [one.id, other.id], times, sentence)
    pair = seed_pair(one, other)
    ratios = {
        (x, y): max(both[0][x], both[1][y]) / min(both[0][x], both[1][y])
        for x, y in pair.pairs
        if x in both[0] and y in both[1]
    }
    if ratios and pair.match != "position":
        middle_pair = statistics.median(ratios.values())
        worst = max(ratios, key=lambda pair: ratios[pair])
        sentence = (
            f"In half of the {number(len(ratios), 'pair')} one word is {amount(middle_pair)} times "
            f"as frequent as the other, or more; most in {listed(worst)}: "
            f"{amount(ratios[worst])} times."
        )
        yield finding("paired-frequency", [one.id, other.id], middle_pair, sentence, worst)


def amount(value: float) -> str:
    """A number with two digits that count, without an exponent.

    >>> amount(0.0123), amount(3.14), amount(271.8), amount(12345.6)
    ('0.012', '3.1', '272', '12,346')
    """
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"
