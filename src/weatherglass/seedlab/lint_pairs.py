"""Checks of two seed sets that need nothing but their words and what the catalogue knows."""

from __future__ import annotations

from collections.abc import Iterator

from weatherglass.catalog import SeedSet

from .findings import Finding, are, finding, listed, number
from .lexicons import GROUPS, words_for
from .pairs import seed_pair

_BOTH = {
    frozenset(("female", "male")): "gender",
    frozenset(("female-names", "male-names")): "gender",
    frozenset(("femininity", "masculinity")): "gender",
    frozenset(("young", "old")): "age",
    frozenset(("young-names", "old-names")): "age",
    frozenset(("upper-class", "lower-class")): "class",
}
_HOW = {
    "documented": "{study} pairs them word by word: {pairs}.",
    "parallel": "The lists of {study} run side by side, {pairs}, though it compares them whole.",
    "position": "No study pairs their words; in the order of the lists there would be {pairs}.",
}


def check_pair(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    """What two sets share, whatever they are to each other."""
    yield from _overlap(one, other)
    yield from _circular(one, other)


def check_opposed(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    """What should be alike in two sets that stand at two ends of one thing."""
    yield from _binary(one, other)
    yield from _size_gap(one, other)
    yield from _pairing(one, other)


def _lower(one: SeedSet) -> dict[str, None]:
    return dict.fromkeys(word.lower() for word in one.words)


def _overlap(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    words, others = _lower(one), _lower(other)
    both = [word for word in words if word in others]
    if both:
        smaller = min(len(words), len(others))
        same = bool(one.concept) and one.concept == other.concept
        means = (
            f"both stand for {one.concept}, so that one can take the place of the other"
            if same
            else "what they share cannot tell them apart"
        )
        sentence = (
            f"They share {number(len(both), 'word')} of {len(words)} and {len(others)} "
            f"({listed(both)}); {means}."
        )
        check = "alternatives" if same else "overlap"
        yield finding(check, [one.id, other.id], len(both) / smaller, sentence, both)


def _circular(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    """Words of the one set that stand for what the other is a set of."""
    for a, b in ((one, other), (other, one)):
        if not b.concept or a.concept == b.concept or a.concept in GROUPS:
            continue
        found = [w for w in _lower(a) if w in words_for(b.concept) and w not in _lower(b)]
        if found:
            sentence = (
                f"{listed(found)} in {a.id} {are(len(found))} in other sets for {b.concept}, which "
                f"{b.id} stands for: the answer is partly in the words."
            )
            yield finding("circular", [a.id, b.id], len(found), sentence, found)


def _binary(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    what = _BOTH.get(frozenset((one.concept, other.concept)))
    if what is not None:
        sentence = f"They make {what} a line with two ends; who is at neither is not measured."
        yield finding("binary", [one.id, other.id], 2, sentence)


def _size_gap(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    sizes = len(set(one.words)), len(set(other.words))
    if sizes[0] != sizes[1]:
        times = max(sizes) / min(sizes)
        sentence = (
            f"One has {sizes[0]} different words, the other {sizes[1]}: {times:.1f} times as many."
        )
        yield finding("size-gap", [one.id, other.id], times, sentence)


def _pairing(one: SeedSet, other: SeedSet) -> Iterator[Finding]:
    pair = seed_pair(one, other)
    if pair.match == "position" and len(one.words) != len(other.words):
        return
    study = one.study.short if one.study else "a study"
    count = len(pair.pairs)
    said = _HOW[pair.match].format(study=study, pairs=number(count, "pair"))
    sentence = f"{said} The first pair is {listed(pair.pairs[0])}."
    yield finding("pairing", [one.id, other.id], count, sentence)
