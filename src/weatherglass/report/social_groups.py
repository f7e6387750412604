"""Social groups that word sets stand for: each has one colour, on the page and in reports.

A group keeps its colour when sets are swapped. A set is recognised by its label or else by its
words; sets that stand for no group get a colour for concepts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from weatherglass.catalog import Test, seed_sets, tests

# In the order in which a pair of sets is compared: White and Black women differ by race.
_LABEL_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "race": {
        "white": ("white", "european", "caucasian", "whites"),
        "black": ("black", "african", "blacks"),
        "hispanic": ("hispanic", "latino", "latina", "hispanics", "mexican"),
        "asian": ("asian", "chinese", "asians"),
    },
    "gender": {
        "men": ("male", "men", "man", "boys", "males", "masculine", "masculinity"),
        "women": ("female", "women", "woman", "girls", "females", "feminine", "femininity"),
    },
    "age": {
        "young": ("young", "youth", "younger"),
        "old": ("old", "elderly", "older", "ageing", "aging"),
    },
    "religion": {
        "christian": ("christian", "christianity", "christians"),
        "muslim": ("muslim", "islam", "muslims", "islamic"),
        "jewish": ("jewish", "judaism", "jews"),
    },
    "health": {
        "healthy": ("healthy", "physical"),
        "ill": ("mental", "ill", "disabled", "disability"),
    },
    "class": {
        "upper-class": ("upper", "rich", "wealthy", "affluent"),
        "lower-class": ("lower", "poor"),
    },
}
GROUPS = tuple(group for category in _LABEL_WORDS.values() for group in category)
"""All groups with a colour of their own; ``design.css`` has them."""

MIN_SHARE = 0.6
"""Share of a set's words that must belong to a group."""

_NOT_A_GROUP = ("angry black woman", "stereotyp", "collar", "work", "roles", "occupations")


def set_classes(test: Test) -> dict[str, str]:
    """Return the CSS class of each set of a test, which gives its words and marks a colour.

    >>> import weatherglass as wg
    >>> set_classes(wg.test("weat6"))
    {'X': 'g-men', 'Y': 'g-women', 'A': 'g-concept-1', 'B': 'g-concept-2'}
    """
    sets = {side: (word_set.label, word_set.words) for side, word_set in test.sets.items()}
    return classes_of_sets(sets)


def classes_of_sets(sets: Mapping[str, tuple[str, Sequence[str]]]) -> dict[str, str]:
    """Return the CSS classes of sets X, Y, A and B, from their labels and words.

    >>> words = {"X": ("X", ["she", "her"]), "Y": ("Y", ["he", "him"])}
    >>> attributes = {"A": ("A", ["rose"]), "B": ("B", ["ant"])}
    >>> classes_of_sets(words | attributes)
    {'X': 'g-women', 'Y': 'g-men', 'A': 'g-concept-2', 'B': 'g-concept-1'}
    """
    classes: dict[str, str] = {}
    for pair, concepts in (
        (("X", "Y"), ("concept-3", "concept-4")),
        (("A", "B"), ("concept-1", "concept-2")),
    ):
        groups = _distinct_groups([sets[side] for side in pair])
        # Concepts are in the order of their names, so that a swap changes nothing.
        ordered = sorted(pair, key=lambda side: _order_key(*sets[side]))
        for side, group in zip(pair, groups, strict=True):
            classes[side] = f"g-{group or concepts[ordered.index(side)]}"
    return {side: classes[side] for side in sets}


def _order_key(label: str, words: Sequence[str]) -> str:
    """Return the label of a set, or the first word of one without a label."""
    if label and label not in ("X", "Y", "A", "B"):
        return label.casefold()
    return words[0].casefold() if words else ""


def _distinct_groups(pair: Sequence[tuple[str, Sequence[str]]]) -> list[str | None]:
    """Return the groups of two sets in the first category in which they differ."""
    candidates = [_groups_of(label, words) for label, words in pair]
    for category in _LABEL_WORDS:
        first, second = (groups.get(category) for groups in candidates)
        if first and second and first != second:
            return [first, second]
    single: list[str | None] = [next(iter(groups.values()), None) for groups in candidates]
    return single if single[0] != single[1] else [None, None]


def _groups_of(label: str, words: Sequence[str]) -> Mapping[str, str]:
    """Return the group of a set in each category, by its label or else by its words."""
    return groups_of_label(label) or _groups_of_words(tuple(words))


def groups_of_label(label: str) -> dict[str, str]:
    """Return the group that a label names, by category.

    >>> groups_of_label("Black women's names")
    {'race': 'black', 'gender': 'women'}
    """
    lowered = label.lower()
    if any(part in lowered for part in _NOT_A_GROUP):
        return {}
    parts = set(re.findall(r"[a-z]+", lowered))
    return {
        category: group
        for category, groups in _LABEL_WORDS.items()
        for group, names in groups.items()
        if parts & set(names)
    }


@lru_cache(256)  # a page asks several times
def _groups_of_words(words: tuple[str, ...]) -> Mapping[str, str]:
    known = _groups_by_word()
    chosen = {}
    for category in _LABEL_WORDS:
        groups = [known[category].get(word.casefold()) for word in words]
        counted = Counter(group for group in groups if group)
        for group, count in counted.most_common(1):
            if count >= MIN_SHARE * len(words):
                chosen[category] = group
    return chosen


@cache
def _groups_by_word() -> dict[str, dict[str, str]]:
    """Return the group of every word of the catalogue's sets, by category; ambiguous words none."""
    seen: dict[str, dict[str, set[str]]] = {category: {} for category in _LABEL_WORDS}
    for label, words in _labelled_sets():
        for category, group in groups_of_label(label).items():
            for word in words:
                seen[category].setdefault(word.casefold(), set()).add(group)
    return {
        category: {word: next(iter(groups)) for word, groups in words.items() if len(groups) == 1}
        for category, words in seen.items()
    }


def _labelled_sets() -> Iterable[tuple[str, Sequence[str]]]:
    for seed_set in seed_sets():
        yield seed_set.concept, seed_set.words
    for entry in tests(level="word"):
        if isinstance(entry, Test):
            for word_set in entry.sets.values():
                yield word_set.label, word_set.words
