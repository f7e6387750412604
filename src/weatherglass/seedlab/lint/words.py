"""Checks that need only the words of seed sets and what the catalogue knows about them."""

from __future__ import annotations

import functools
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping

from weatherglass.catalog import SeedSet, is_slur, seed_sets
from weatherglass.errors import join_first, quote_safe

from ..pairs import seed_pair
from .findings import Finding, count_noun, is_or_are, make_finding, quote_first
from .lexicon import (
    GROUPS,
    find_concept_words,
    find_group_words,
    find_names,
    find_other_concepts,
)

_SPACE = re.compile(r"[\s_]")
_SEPARATOR = re.compile(r"[\s_-]")


def check_words(seed_set: SeedSet, is_english: bool = True) -> Iterator[Finding]:
    """Run all checks of the words of one set; those with English word lists only on English."""
    yield _check_size(seed_set)
    if not seed_set.words:
        return
    for check, needs_english in (
        (_check_duplicates, False),
        (_check_capitals, False),
        (_check_letters, False),
        (_check_phrases, False),
        (_check_names, True),
        (_check_slurs, True),
        (_check_stereotypes, False),
        (_check_group_words, True),
        (_check_other_concepts, True),
        (_check_documentation, False),
    ):
        if is_english or not needs_english:
            yield from check(seed_set)


def _check_size(seed_set: SeedSet) -> Finding:
    count = len(set(seed_set.words))
    if not count:
        reason = f" {seed_set.notes}" if seed_set.notes else ""
        return make_finding("size", [seed_set.id], 0, f"The set has no words.{reason}")
    median = _median_size()
    only = "Only " if count < median else ""
    words = f"{only}{count_noun(count, 'word')}"
    sentence = f"{words}; published sets usually have about {median}."
    return make_finding("size", [seed_set.id], count, sentence)


@functools.cache
def _median_size() -> int:
    """Return the median number of distinct words in the sets of the catalogue."""
    sizes = (len(set(seed_set.words)) for seed_set in seed_sets() if seed_set.words)
    return round(statistics.median(sizes))


def _check_duplicates(seed_set: SeedSet) -> Iterator[Finding]:
    counts = Counter(seed_set.words)
    if seed_set.repeated:
        extra = sum(counts[word] - 1 for word in seed_set.repeated)
        listed = join_first(
            f"{quote_safe(word)} {counts[word]} times" for word in seed_set.repeated
        )
        sentence = (
            f"It contains {listed}; {len(counts)} of its {len(seed_set.words)} words are distinct."
        )
        yield make_finding("duplicates", [seed_set.id], extra, sentence, seed_set.repeated)


def _check_capitals(seed_set: SeedSet) -> Iterator[Finding]:
    spellings: dict[str, set[str]] = {}
    for word in seed_set.words:
        spellings.setdefault(word.lower(), set()).add(word)
    repeated = [word for word, forms in spellings.items() if len(forms) > 1]
    if repeated:
        extra = len(set(seed_set.words)) - len(spellings)
        sentence = (
            f"{count_noun(extra, 'word')} differ{'s' * (extra == 1)} from another word of the set "
            f"only in capitals ({quote_first(repeated)}): most embeddings have one vector for both."
        )
        yield make_finding("capitals", [seed_set.id], extra, sentence, repeated)


def _check_letters(seed_set: SeedSet) -> Iterator[Finding]:
    fragments = [word for word in dict.fromkeys(seed_set.words) if not _is_whole(word)]
    if fragments:
        verb = "begins or ends" if len(fragments) == 1 else "begin or end"
        sentence = (
            f"{quote_first(fragments)} {verb} with a character that is not a letter: perhaps a "
            "word was split or misread."
        )
        yield make_finding("letters", [seed_set.id], len(fragments), sentence, fragments)


def _is_whole(word: str) -> bool:
    has_ends = word[0].isalnum() and (word[-1].isalnum() or word[-1] == ".")  # as in "mrs."
    return has_ends and word.isprintable() and any(letter.isalpha() for letter in word)


def _check_phrases(seed_set: SeedSet) -> Iterator[Finding]:
    words = dict.fromkeys(seed_set.words)
    phrases = [word for word in words if _is_whole(word) and _SEPARATOR.search(word)]
    if phrases:
        spaced = sum(bool(_SPACE.search(word)) for word in phrases)
        hyphens = "" if spaced == len(phrases) else " (some joined by hyphens)"
        sentence = (
            f"{count_noun(len(phrases), 'term')} of several words{hyphens}: "
            f"{quote_first(phrases)}. An embedding of single words may lack them."
        )
        yield make_finding("phrases", [seed_set.id], len(phrases), sentence, phrases)


def _check_names(seed_set: SeedSet) -> Iterator[Finding]:
    names, count = find_names(seed_set), len(set(seed_set.words))
    if names:
        is_all = len(names) == count
        words = f"All {count} words" if is_all else f"{len(names)} of its {count} words"
        verb = is_or_are(2 if is_all else len(names))
        sentence = (
            f"{words} {verb} names of people ({quote_first(names)}): names are proxies for a "
            "group, depend on time and place, and are often rare."
        )
        yield make_finding("names", [seed_set.id], len(names) / count, sentence, names)
    elif seed_set.contains_names:
        sentence = "According to the catalogue, it contains names of people."
        yield make_finding("names", [seed_set.id], 1 / count, sentence)


def _check_slurs(seed_set: SeedSet) -> Iterator[Finding]:
    slurs = [word for word in dict.fromkeys(seed_set.words) if is_slur(word)]
    if slurs:
        sentence = (
            f"{count_noun(len(slurs), 'slur')}: {quote_first(slurs)}. Keep them only on purpose, "
            "and warn your readers."
        )
        yield make_finding("slurs", [seed_set.id], len(slurs), sentence, slurs)


def _check_stereotypes(seed_set: SeedSet) -> Iterator[Finding]:
    if seed_set.contains_stereotypes:
        sentence = (
            "Some of its words judge a group of people or express a common stereotype of one: you "
            "may measure the stereotype in the words."
        )
        yield make_finding("stereotypes", [seed_set.id], 1, sentence)


def _check_group_words(seed_set: SeedSet) -> Iterator[Finding]:
    groups = find_group_words(seed_set)
    if groups:
        listed = join_first((f"{quote_safe(word)} ({group})" for word, group in groups.items()), 8)
        sentence = (
            f"{len(groups)} of its {len(set(seed_set.words))} words {is_or_are(len(groups))} for a "
            f"group of people: {listed}. Measured against that group, the answer is partly in the "
            "words."
        )
        yield make_finding("group-words", [seed_set.id], len(groups), sentence, tuple(groups))


def _check_other_concepts(seed_set: SeedSet) -> Iterator[Finding]:
    others = find_other_concepts(seed_set)
    if others:
        listed = join_first(
            f"{quote_safe(word)} ({', '.join(concepts)})" for word, concepts in others.items()
        )
        sentence = (
            f"{len(others)} of its {len(set(seed_set.words))} words {is_or_are(len(others))} also "
            f"in sets for other concepts: {listed}. You may measure what these concepts share."
        )
        yield make_finding("other-concepts", [seed_set.id], len(others), sentence, tuple(others))


def _check_documentation(seed_set: SeedSet) -> Iterator[Finding]:
    fields = {
        "its concept (concept)": seed_set.concept,
        "what it contains (description)": seed_set.description,
        "where its words come from (sources)": seed_set.sources,
        "who used it (study)": seed_set.study,
    }
    missing = [name for name, value in fields.items() if not value]
    if missing:
        sentence = f"It does not state {', '.join(missing)}."
        yield make_finding("documentation", [seed_set.id], len(missing), sentence)


_TAG_NAMES = {
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


def _tag_shares(
    seed_set: SeedSet, tags: Mapping[str, str], is_english: bool = True
) -> dict[str, float]:
    """Return the share of each part of speech, the most common first."""
    words = set(seed_set.words)
    # Taggers do not recognise names in lower case; the lists of names are American.
    names = find_names(seed_set) if is_english else ()
    counts = Counter("PROPN" if word in names else tags.get(word, "X") for word in words)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {tag: count / len(words) for tag, count in ordered}


def _describe_shares(shares: Mapping[str, float]) -> str:
    return ", ".join(
        f"{share:.0%} {_TAG_NAMES.get(tag, 'other words')}"
        for tag, share in list(shares.items())[:4]
    )


def check_tags(
    seed_set: SeedSet, tags: Mapping[str, str], is_english: bool = True
) -> Iterator[Finding]:
    """Report the parts of speech of a set."""
    shares = _tag_shares(seed_set, tags, is_english)
    sentence = f"Tagged one by one, its words are {_describe_shares(shares)}."
    yield make_finding("parts-of-speech", [seed_set.id], next(iter(shares.values())), sentence)


def check_tags_gap(
    first: SeedSet, second: SeedSet, tags: Mapping[str, str], is_english: bool = True
) -> Iterator[Finding]:
    """Report how far the parts of speech of two sets differ: half the sum of |differences|."""
    p, q = (_tag_shares(seed_set, tags, is_english) for seed_set in (first, second))
    # In a fixed order: that of a set varies between runs, and with it the last digit of the sum.
    tags_of_both = sorted({*p, *q})
    gap = sum(abs(p.get(tag, 0) - q.get(tag, 0)) for tag in tags_of_both) / 2
    sentence = (
        f"Their parts of speech differ by {gap:.0%}: one has {_describe_shares(p)}, the other "
        f"{_describe_shares(q)}."
    )
    yield make_finding("parts-of-speech-gap", [first.id, second.id], gap, sentence)


_BINARIES = {
    frozenset(("female", "male")): "gender",
    frozenset(("female-names", "male-names")): "gender",
    frozenset(("femininity", "masculinity")): "gender",
    frozenset(("young", "old")): "age",
    frozenset(("young-names", "old-names")): "age",
    frozenset(("upper-class", "lower-class")): "class",
}
_PAIRING_SENTENCES = {
    "documented": "{study} pairs them word by word: {pairs}.",
    "parallel": "The lists of {study} have the same order, {pairs}, though it compares whole sets.",
    "position": "No study pairs their words; in the order of the lists there would be {pairs}.",
}


def check_pair(first: SeedSet, second: SeedSet, is_english: bool = True) -> Iterator[Finding]:
    """Run the checks of the words of any two sets."""
    yield from _check_overlap(first, second)
    if is_english:
        yield from _check_circular(first, second)


def check_opposed(first: SeedSet, second: SeedSet) -> Iterator[Finding]:
    """Run the checks of the words of two sets that are opposite ends of one dimension."""
    yield from _check_binary(first, second)
    yield from _check_size_gap(first, second)
    yield from _check_pairing(first, second)


def _lower_words(seed_set: SeedSet) -> dict[str, None]:
    """Return the words in lower case, as keys: ordered and without duplicates."""
    return dict.fromkeys(word.lower() for word in seed_set.words)


def _check_overlap(first: SeedSet, second: SeedSet) -> Iterator[Finding]:
    words, other_words = _lower_words(first), _lower_words(second)
    shared = [word for word in words if word in other_words]
    if shared:
        smaller = min(len(words), len(other_words))
        is_same_concept = bool(first.concept) and first.concept == second.concept
        consequence = (
            f"both are sets for {first.concept}, so one can replace the other"
            if is_same_concept
            else "shared words cannot tell them apart"
        )
        sentence = (
            f"They share {count_noun(len(shared), 'word')} of {len(words)} and {len(other_words)} "
            f"({quote_first(shared)}); {consequence}."
        )
        check = "alternatives" if is_same_concept else "overlap"
        ids = [first.id, second.id]
        yield make_finding(check, ids, len(shared) / smaller, sentence, shared)


def _check_circular(first: SeedSet, second: SeedSet) -> Iterator[Finding]:
    """Report words of one set that express the concept of the other."""
    for a, b in ((first, second), (second, first)):
        if not b.concept or a.concept == b.concept or a.concept in GROUPS:
            continue
        concept_words, own_words = find_concept_words(b.concept), _lower_words(b)
        words = [w for w in _lower_words(a) if w in concept_words and w not in own_words]
        if words:
            sentence = (
                f"{quote_first(words)} in {a.id} {is_or_are(len(words))} in other sets for "
                f"{b.concept}, the concept of {b.id}: the answer is partly in the words."
            )
            yield make_finding("circular", [a.id, b.id], len(words), sentence, words)


def _check_binary(first: SeedSet, second: SeedSet) -> Iterator[Finding]:
    dimension = _BINARIES.get(frozenset((first.concept, second.concept)))
    if dimension is not None:
        sentence = f"They treat {dimension} as binary; people at neither end are not measured."
        yield make_finding("binary", [first.id, second.id], 2, sentence)


def _check_size_gap(first: SeedSet, second: SeedSet) -> Iterator[Finding]:
    sizes = len(set(first.words)), len(set(second.words))
    if sizes[0] != sizes[1]:
        ratio = max(sizes) / min(sizes)
        sentence = (
            f"One has {sizes[0]} distinct words, the other {sizes[1]}: {ratio:.1f} times as many."
        )
        yield make_finding("size-gap", [first.id, second.id], ratio, sentence)


def _check_pairing(first: SeedSet, second: SeedSet) -> Iterator[Finding]:
    pair = seed_pair(first, second)
    if pair.match == "position" and len(first.words) != len(second.words):
        return
    study = first.study.short if first.study else "a study"
    count = len(pair.pairs)
    how = _PAIRING_SENTENCES[pair.match].format(study=study, pairs=count_noun(count, "pair"))
    sentence = f"{how} The first pair is {quote_first(pair.pairs[0])}."
    yield make_finding("pairing", [first.id, second.id], count, sentence)
