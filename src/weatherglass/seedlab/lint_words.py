"""Checks of one seed set that need nothing but its words and what the catalogue knows of them."""

from __future__ import annotations

import functools
import re
import statistics
from collections import Counter
from collections.abc import Iterator

from weatherglass.catalog import SeedSet, is_slur, seed_sets
from weatherglass.errors import few, shown

from .findings import Finding, are, finding, listed, number
from .lexicons import group_words, names_in, other_concepts

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
        said = few(f"{shown(word)} {times[word]} times" for word in one.repeated)
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
        said = few((f"{shown(word)} ({group})" for word, group in found.items()), 8)
        sentence = (
            f"{len(found)} of its {len(set(one.words))} words {are(len(found))} for a group of "
            f"people: {said}. Measured against that group, the answer is partly in the words."
        )
        yield finding("group-words", [one.id], len(found), sentence, tuple(found))


def _other_concepts(one: SeedSet) -> Iterator[Finding]:
    found = other_concepts(one)
    if found:
        said = few(f"{shown(word)} ({', '.join(names)})" for word, names in found.items())
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
