"""Checks of which parts of speech seed sets are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from weatherglass.catalog import SeedSet

from .findings import Finding, finding
from .lexicons import names_in

_CALLED = {
    "NOUN": "nouns",
    "PROPN": "proper nouns",
    "VERB": "verbs",
    "AUX": "auxiliary verbs",
    "ADJ": "adjectives",
    "ADV": "adverbs",
    "PRON": "pronouns",
    "DET": "determiners",
    "ADP": "prepositions",
    "NUM": "numbers",
    "INTJ": "interjections",
}


def _shares(one: SeedSet, tags: Mapping[str, str]) -> dict[str, float]:
    """The share of each part of speech, the commonest first."""
    words = set(one.words)
    names = names_in(one)  # which taggers do not know in lower case
    counts = Counter("PROPN" if word in names else tags.get(word, "X") for word in words)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {tag: count / len(words) for tag, count in ordered}


def _said(shares: Mapping[str, float]) -> str:
    return ", ".join(
        f"{share:.0%} {_CALLED.get(tag, 'other words')}" for tag, share in list(shares.items())[:4]
    )


def check_tags(one: SeedSet, tags: Mapping[str, str]) -> Iterator[Finding]:
    """Which parts of speech a set is made of."""
    shares = _shares(one, tags)
    sentence = f"Its words, tagged one by one, are {_said(shares)}."
    yield finding("parts-of-speech", [one.id], next(iter(shares.values())), sentence)


def check_tags_gap(one: SeedSet, other: SeedSet, tags: Mapping[str, str]) -> Iterator[Finding]:
    """How far the mixes of two sets differ: half the sum of the absolute differences."""
    first, second = _shares(one, tags), _shares(other, tags)
    gap = sum(abs(first.get(tag, 0) - second.get(tag, 0)) for tag in {*first, *second}) / 2
    sentence = (
        f"Their parts of speech differ by {gap:.0%}: one has {_said(first)}, the other "
        f"{_said(second)}."
    )
    yield finding("parts-of-speech-gap", [one.id, other.id], gap, sentence)
