"""Checks of one seed set that need nothing but its words and what the catalogue knows of them."""

from __future__ import annotations

import functools
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping

from weatherglass.catalog import SeedSet, is_slur, seed_sets
from weatherglass.errors import join_first, quote_safe

from ..pairs import seed_pair
from .findings import Finding, are, finding, listed, number
from .lexicon import GROUPS, group_words, names_in, other_concepts, words_for

_SPACE = re.compile(r"[\s_]")
_JOINTS = re.compile(r"[\s_-]")


def check_words(one: SeedSet) -> Iterator[Finding]:
    """Everything that the words of a set tell by themselves."""
    yield _size(one)
    if not one.words:
        return
    for check in (
        _duplicates,
        _capitals,
        _letters,
        _phrases,
        _names,
        _slurs,
        _stereotypes,
        _group_words,
        _other_concepts,
        _documentation,
    ):
        yield from check(one)


def _size(one: SeedSet) -> Finding:
    count = len(set(one.words))
    if not count:
        reason = f" {one.notes}" if one.notes else ""
        return finding("size", [one.id], 0, f"It has no words.{reason}")
    half = _usual_size()
    than = "as many as" if count == half else "fewer than" if count < half else "more than"
    sentence = f"It has {number(count, 'different word')}, {than} the catalogue's median of {half}."
    return finding("size", [one.id], count, sentence)


@functools.cache
def _usual_size() -> int:
    return round(statistics.median(len(set(one.words)) for one in seed_sets() if one.words))


def _duplicates(one: SeedSet) -> Iterator[Finding]:
    times = Counter(one.words)
    if one.repeated:
        extra = sum(times[word] - 1 for word in one.repeated)
        said = join_first(f"{quote_safe(word)} {times[word]} times" for word in one.repeated)
        sentence = f"It has {said}; of its {len(one.words)} words {len(times)} are different."
        yield finding("duplicates", [one.id], extra, sentence, one.repeated)


def _capitals(one: SeedSet) -> Iterator[Finding]:
    forms: dict[str, set[str]] = {}
    for word in one.words:
        forms.setdefault(word.lower(), set()).add(word)
    again = [word for word, some in forms.items() if len(some) > 1]
    if again:
        extra = len(set(one.words)) - len(forms)
        sentence = (
            f"{number(extra, 'word')} {are(extra)} another word of the set in lower case "
            f"({listed(again)}): most embeddings have one vector for both."
        )
        yield finding("capitals", [one.id], extra, sentence, again)


def _letters(one: SeedSet) -> Iterator[Finding]:
    odd = [word for word in dict.fromkeys(one.words) if not _is_whole(word)]
    if odd:
        sentence = (
            f"{listed(odd)} {'begins or ends' if len(odd) == 1 else 'begin or end'} with "
            "something that is no letter: perhaps a word was cut in two, or misread."
        )
        yield finding("letters", [one.id], len(odd), sentence, odd)


def _is_whole(word: str) -> bool:
    ends = word[0].isalnum() and (word[-1].isalnum() or word[-1] == ".")  # "mrs."
    return ends and word.isprintable() and any(letter.isalpha() for letter in word)


def _phrases(one: SeedSet) -> Iterator[Finding]:
    several = [w for w in dict.fromkeys(one.words) if _is_whole(w) and _JOINTS.search(w)]
    if several:
        spaced = sum(bool(_SPACE.search(word)) for word in several)
        hyphens = "" if spaced == len(several) else " (joined by hyphens too)"
        sentence = (
            f"{number(len(several), 'term')} of several words{hyphens}: {listed(several)}. An "
            "embedding of single words may lack them."
        )
        yield finding("phrases", [one.id], len(several), sentence, several)


def _names(one: SeedSet) -> Iterator[Finding]:
    found, count = names_in(one), len(set(one.words))
    if found:
        some = f"All {count} words" if len(found) == count else f"{len(found)} of its {count} words"
        verb = are(2 if len(found) == count else len(found))
        sentence = (
            f"{some} {verb} names of people ({listed(found)}): names stand in for a group, are "
            "bound to a time and place, and are often rare."
        )
        yield finding("names", [one.id], len(found) / count, sentence, found)
    elif one.contains_names:
        sentence = "The catalogue marks names of people among its words."
        yield finding("names", [one.id], 1 / count, sentence)


def _slurs(one: SeedSet) -> Iterator[Finding]:
    found = [word for word in dict.fromkeys(one.words) if is_slur(word)]
    if found:
        sentence = (
            f"{number(len(found), 'slur')}: {listed(found)}. Keep them only on purpose, and warn "
            "readers of what you publish."
        )
        yield finding("slurs", [one.id], len(found), sentence, found)


def _stereotypes(one: SeedSet) -> Iterator[Finding]:
    if one.contains_stereotypes:
        sentence = (
            "Some of its words judge a group of people, or are a common image of one: what is "
            "measured with them may be the stereotype that they hold."
        )
        yield finding("stereotypes", [one.id], 1, sentence)


def _group_words(one: SeedSet) -> Iterator[Finding]:
    found = group_words(one)
    if found:
        said = join_first((f"{quote_safe(word)} ({group})" for word, group in found.items()), 8)
        sentence = (
            f"{len(found)} of its {len(set(one.words))} words {are(len(found))} for a group of "
            f"people: {said}. Measured against that group, the answer is partly in the words."
        )
        yield finding("group-words", [one.id], len(found), sentence, tuple(found))


def _other_concepts(one: SeedSet) -> Iterator[Finding]:
    found = other_concepts(one)
    if found:
        said = join_first(
            f"{quote_safe(word)} ({', '.join(names)})" for word, names in found.items()
        )
        sentence = (
            f"{len(found)} of its {len(set(one.words))} words {are(len(found))} in sets for other "
            f"concepts too: {said}. What these share may be what is measured."
        )
        yield finding("other-concepts", [one.id], len(found), sentence, tuple(found))


def _documentation(one: SeedSet) -> Iterator[Finding]:
    wanted = {
        "what it stands for (concept)": one.concept,
        "what is in it (description)": one.description,
        "where its words come from (sources)": one.sources,
        "who used it (study)": one.study,
    }
    lacking = [what for what, value in wanted.items() if not value]
    if lacking:
        sentence = f"It does not say {', '.join(lacking)}."
        yield finding("documentation", [one.id], len(lacking), sentence)


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
