"""What the catalogue knows of words: whom they name, what else they stand for, which are names."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping

from weatherglass.catalog import SeedSet, known_words, load_names, pairings, seed_sets, seeds

# Concepts of sets that are words for a group of people, and what a sentence calls them.
GROUPS = {
    "female": "women",
    "male": "men",
    "gendered-words": "women or men",
    "black": "Black people",
    "white": "white people",
    "asian": "Asian people",
    "hispanic": "Hispanic people",
    "christianity": "Christians",
    "islam": "Muslims",
    "judaism": "Jews",
    "young": "the young",
    "old": "the old",
}
# A word for women or men is one for women as far as can be told.
_GENDERED = {"female": "gendered-words", "male": "gendered-words"}
# Concepts of sets that name several groups on purpose.
_TOGETHER = {"ethnic-identities", "identities", "religious-words"}
# Concepts of lists so broad that a word in them says little of what it stands for.
_BROAD = {
    "gender-neutral-words",
    "gender-stereotype-traits",
    "ethnic-stereotype-traits",
    "personality-traits",
    "gender-probes",
    "race-probes",
    "religion-probes",
    *_TOGETHER,
    "gendered-words",
}
_MOSTLY = 0.5  # a set with a larger share of words of a concept is a set of it
_ALL = 0.9  # a set in lower case with so large a share of words that may be names is one of names


def _names_people(concept: str) -> bool:
    return concept.endswith("-names")


@functools.cache
def _by_concept() -> Mapping[str, frozenset[str]]:
    """The words of all sets of a concept, in lower case; names are with the names only."""
    words: dict[str, set[str]] = defaultdict(set)
    for one in seed_sets():
        # This list was learnt, in both cases; its capitals are names and beginnings of titles.
        kept = filter(str.islower, one.words) if one.concept == "gendered-words" else one.words
        words[one.concept] |= {word.lower() for word in kept}
    names: set[str] = set().union(*(some for name, some in words.items() if _names_people(name)))
    return {
        name: frozenset(some if _names_people(name) else some - names)
        for name, some in words.items()
    }


def is_of_people(one: SeedSet) -> bool:
    """Whether a set is of words for people, or of their names, as far as can be told.

    >>> is_of_people(SeedSet(id="mine", words=["she", "her", "woman", "queen"]))
    True
    """
    if one.concept in _by_concept():
        return one.concept in GROUPS or _names_people(one.concept)
    words = {word.lower() for word in one.words}
    known = set().union(*(_by_concept()[group] for group in GROUPS)) | _only_names()
    return len(words & known) > _MOSTLY * len(words)


@functools.cache
def opposed_concepts() -> frozenset[frozenset[str]]:
    """The concepts of sets that a study holds against each other."""
    return frozenset(frozenset(seeds(id).concept for id in one.sets) for one in pairings())


def words_for(concept: str) -> frozenset[str]:
    """The words that sets of a concept have, in lower case.

    >>> "mom" in words_for("female"), "mum" in words_for("female")
    (True, True)
    """
    found = _by_concept().get(concept, frozenset())
    if concept in _GENDERED:
        # The words of both genders without those that are known to be of the other.
        other = "male" if concept == "female" else "female"
        found |= _by_concept()[_GENDERED[concept]] - _by_concept()[other]
    return found


def group_words(one: SeedSet) -> dict[str, str]:
    """The words of a set that name a group of people, and the group.

    Nothing for sets of such a group, or of names, or of several groups on purpose.

    >>> from weatherglass.catalog import seeds
    >>> group_words(seeds("domestic_work-Fast_et_al_2016"))
    {'mom': 'women', 'mum': 'women or men'}
    """
    if one.concept in {*GROUPS, *_TOGETHER} or _names_people(one.concept):
        return {}
    found: dict[str, str] = {}
    for word in dict.fromkeys(one.words):
        group = next((g for g in GROUPS if word.lower() in _by_concept()[g]), None)
        if group is not None:
            found[word] = GROUPS[group]
    return {} if len(found) > _MOSTLY * len(set(one.words)) else found


def other_concepts(one: SeedSet) -> dict[str, tuple[str, ...]]:
    """The words of a set that sets of other concepts have too, and these concepts.

    Groups of people, names and very broad lists are left out, and concepts that most of the set's
    words belong to.

    >>> from weatherglass.catalog import seeds
    >>> found = other_concepts(seeds("unpleasant-Caliskan_et_al_2017"))
    >>> found["cancer"], found["poverty"]
    (('physical-illness',), ('lower-class',))
    """
    words = {word: word.lower() for word in dict.fromkeys(one.words)}
    concepts = {
        name: some & set(words.values())
        for name, some in _by_concept().items()
        if name not in {one.concept, *GROUPS, *_BROAD} and not _names_people(name)
    }
    meant = {n: some for n, some in concepts.items() if len(some) <= _MOSTLY * len(words)}
    found = {
        word: tuple(sorted(name for name, some in meant.items() if lower in some))
        for word, lower in words.items()
    }
    return {word: names for word, names in found.items() if names}


def names_in(one: SeedSet) -> tuple[str, ...]:
    """The words of a set that are names of people, as far as can be told from their spelling.

    A word with a capital is one if a list of names has it, and no set of the catalogue without
    names does; a word in lower case, if only sets of names have it, or if nearly all words of its
    set may be names.

    >>> from weatherglass.catalog import seeds
    >>> names_in(seeds("arts_2-Caliskan_et_al_2017"))
    ('Shakespeare',)
    """
    words = tuple(dict.fromkeys(one.words))
    everywhere, nowhere_else, ordinary = _listed_names(), _only_names(), _ordinary()
    possible = [word for word in words if word.lower() in everywhere]
    if len(possible) >= _ALL * len(words):
        return tuple(possible)
    return tuple(
        word
        for word in words
        if word.lower() in nowhere_else
        or (word.istitle() and word.lower() in everywhere - ordinary)
    )


@functools.cache
def _listed_names() -> frozenset[str]:
    """First names, surnames and names of the catalogue's tests, in lower case."""
    listed = [*load_names("ssa").names, *load_names("surnames").names]
    listed += [word for word, about in known_words().items() if about.kind == "name"]
    return frozenset(name.lower() for name in listed) | _only_names()


@functools.cache
def _only_names() -> frozenset[str]:
    """The words that only sets of names have."""
    names = [one for one in seed_sets() if _names_people(one.concept)]
    return frozenset({word.lower() for one in names for word in one.words} - _ordinary())


@functools.cache
def _ordinary() -> frozenset[str]:
    """The words of sets without names."""
    others = [one for one in seed_sets() if not one.contains_names]
    return frozenset(word.lower() for one in others for word in one.words)
