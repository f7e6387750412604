"""Facts about words from the catalogue: their groups of people, their concepts, which are names."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping

from weatherglass.catalog import SeedSet, known_annotations, load_names, pairings, seed_sets, seeds

# Concepts of sets that are words for a group of people, and the group's name in a sentence.
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
# The list of gendered words does not say which gender a word is for.
_GENDERED = {"female": "gendered-words", "male": "gendered-words"}
# Concepts of sets that name several groups on purpose.
_TOGETHER = {"ethnic-identities", "identities", "religious-words"}
# Concepts of lists so broad that being in them says little about a word.
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
MIN_CONCEPT_SHARE = 0.5  # a set with a larger share of words of a concept is a set for it
MIN_NAME_SHARE = 0.9  # a lower-case set with this share of possible names is a set of names


def _is_name_concept(concept: str) -> bool:
    return concept.endswith("-names")


@functools.cache
def _words_by_concept() -> Mapping[str, frozenset[str]]:
    """Return the words of all sets of each concept, in lower case; names only with the names."""
    by_concept: dict[str, set[str]] = defaultdict(set)
    for seed_set in seed_sets():
        is_gendered = seed_set.concept == "gendered-words"
        # That list was learnt by a classifier, in both cases; its capitalised entries are names
        # and beginnings of titles.
        words = filter(str.islower, seed_set.words) if is_gendered else seed_set.words
        by_concept[seed_set.concept] |= {word.lower() for word in words}
    names: set[str] = set().union(
        *(words for concept, words in by_concept.items() if _is_name_concept(concept))
    )
    return {
        concept: frozenset(words if _is_name_concept(concept) else words - names)
        for concept, words in by_concept.items()
    }


def is_about_people(seed_set: SeedSet) -> bool:
    """Return whether most words of a set are words for people, or their names.

    >>> is_about_people(SeedSet(id="mine", words=["she", "her", "woman", "queen"]))
    True
    """
    if seed_set.concept in _words_by_concept():
        return seed_set.concept in GROUPS or _is_name_concept(seed_set.concept)
    words = {word.lower() for word in seed_set.words}
    known = set().union(*(_words_by_concept()[group] for group in GROUPS)) | _only_names()
    return len(words & known) > MIN_CONCEPT_SHARE * len(words)


@functools.cache
def find_opposed_concepts() -> frozenset[frozenset[str]]:
    """Return the pairs of concepts of sets that a study contrasts."""
    return frozenset(frozenset(seeds(id).concept for id in pairing.sets) for pairing in pairings())


def find_concept_words(concept: str) -> frozenset[str]:
    """Return the words of the sets of a concept, in lower case.

    >>> "mom" in find_concept_words("female"), "mum" in find_concept_words("female")
    (True, True)
    """
    words = _words_by_concept().get(concept, frozenset())
    if concept in _GENDERED:
        # The words of both genders except those that are known to be for the other.
        other = "male" if concept == "female" else "female"
        words |= _words_by_concept()[_GENDERED[concept]] - _words_by_concept()[other]
    return words


def find_group_words(seed_set: SeedSet) -> dict[str, str]:
    """Return the words of a set that name a group of people, each with the group.

    Empty for sets for such a group, for names, and for several groups on purpose.

    >>> from weatherglass.catalog import seeds
    >>> find_group_words(seeds("domestic_work-Fast_et_al_2016"))
    {'mom': 'women', 'mum': 'women or men'}
    """
    if seed_set.concept in {*GROUPS, *_TOGETHER} or _is_name_concept(seed_set.concept):
        return {}
    groups: dict[str, str] = {}
    for word in dict.fromkeys(seed_set.words):
        group = next((g for g in GROUPS if word.lower() in _words_by_concept()[g]), None)
        if group is not None:
            groups[word] = GROUPS[group]
    return {} if len(groups) > MIN_CONCEPT_SHARE * len(set(seed_set.words)) else groups


def find_other_concepts(seed_set: SeedSet) -> dict[str, tuple[str, ...]]:
    """Return the words of a set that are also in sets of other concepts, with these concepts.

    Groups of people, names and very broad lists are left out, and concepts that most of the set's
    words belong to.

    >>> from weatherglass.catalog import seeds
    >>> others = find_other_concepts(seeds("unpleasant-Caliskan_et_al_2017"))
    >>> others["cancer"], others["poverty"]
    (('physical-illness',), ('lower-class',))
    """
    lower = {word: word.lower() for word in dict.fromkeys(seed_set.words)}
    shared = {
        concept: words & set(lower.values())
        for concept, words in _words_by_concept().items()
        if concept not in {seed_set.concept, *GROUPS, *_BROAD} and not _is_name_concept(concept)
    }
    foreign = {
        concept: words
        for concept, words in shared.items()
        if len(words) <= MIN_CONCEPT_SHARE * len(lower)
    }
    by_word = {
        word: tuple(sorted(concept for concept, words in foreign.items() if lower[word] in words))
        for word in lower
    }
    return {word: concepts for word, concepts in by_word.items() if concepts}


def find_names(seed_set: SeedSet) -> tuple[str, ...]:
    """Return the words of a set that are names of people, judged by their spelling.

    A capitalised word is a name if a list of names has it and no set of the catalogue without names
    does; a lower-case word, if only sets of names have it, or if nearly all words of its set may be
    names.

    >>> from weatherglass.catalog import seeds
    >>> find_names(seeds("arts_2-Caliskan_et_al_2017"))
    ('Shakespeare',)
    """
    words = tuple(dict.fromkeys(seed_set.words))
    known, unambiguous, ordinary = _listed_names(), _only_names(), _ordinary_words()
    possible = [word for word in words if word.lower() in known]
    if len(possible) >= MIN_NAME_SHARE * len(words):
        return tuple(possible)
    return tuple(
        word
        for word in words
        if word.lower() in unambiguous or (word.istitle() and word.lower() in known - ordinary)
    )


@functools.cache
def _listed_names() -> frozenset[str]:
    """Return first names, surnames and names in the catalogue's tests, in lower case."""
    names = [*load_names("ssa").names, *load_names("surnames").names]
    annotations = known_annotations().items()
    names += [word for word, annotation in annotations if annotation.kind == "name"]
    return frozenset(name.lower() for name in names) | _only_names()


@functools.cache
def _only_names() -> frozenset[str]:
    """Return the words that only sets of names have."""
    name_sets = [seed_set for seed_set in seed_sets() if _is_name_concept(seed_set.concept)]
    names = {word.lower() for seed_set in name_sets for word in seed_set.words}
    return frozenset(names - _ordinary_words())


@functools.cache
def _ordinary_words() -> frozenset[str]:
    """Return the words of sets without names."""
    other_sets = [seed_set for seed_set in seed_sets() if not seed_set.contains_names]
    return frozenset(word.lower() for seed_set in other_sets for word in seed_set.words)
