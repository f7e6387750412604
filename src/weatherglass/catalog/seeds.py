"""The seed sets of the catalogue: looked up by id, by concept, by source, by study."""

from __future__ import annotations

import difflib
import fnmatch
import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    field_validator,
    model_validator,
)

from weatherglass._files import read_text, read_yaml
from weatherglass.errors import CatalogError, UnknownEntry, did_you_mean, quote_safe

from .provenance import DATA, Record, Study, Words, cited, studies
from .slurs import is_slur
from .validation import complaint, seen
from .word_sets import WordSet


@functools.cache
def seed_sources() -> Mapping[str, str]:
    """Where seed words come from: the seven sources by name, each in a sentence.

    >>> list(seed_sources())[:3]
    ['borrowed-from-social-sciences', 'crowd-sourced', 'population-derived']
    """
    path = DATA / "seeds" / "sources.yaml"
    (sources,) = read_yaml(read_text(path), path.name)
    return dict(sources)


class SeedSet(Record):
    """A named list of words, who used it and where the words come from.

    Parameters
    ----------
    id
        The name of the set.
    concept
        What the words stand for; sets of the same concept can take each other's place.
    words
        The words in order, with repeats: a set is kept as it was used. It may have none, where
        the catalogue knows of a set but not of its words.
    study
        The work that used the set.
    link
        Where that work keeps it.
    sources
        Where the words come from: names of `seed_sources`. Empty: not known.
    description
        What is in the set, in a sentence.
    contains_stereotypes
        Whether some words judge a group of people, or are a common image of one.
    contains_names
        Whether there are names of people among the words.
    notes
        What is odd about the set, and what was mended.
    mended
        Fields that are not as the collection of Antoniak and Mimno (2021) has them.

    Examples
    --------
    >>> mine = SeedSet(id="rivers", words=["Rhine", "Danube", "Rhine"])
    >>> len(mine), mine.repeated, mine.word_set().words
    (3, ('Rhine',), ('Rhine', 'Danube'))
    """

    id: str
    concept: str = ""
    words: Words = ()
    study: Study | None = None
    link: str = ""
    sources: Words = ()
    description: str = ""
    contains_stereotypes: bool = False
    contains_names: bool = False
    notes: str = ""
    mended: Words = Field(default=(), repr=False)

    @model_validator(mode="wrap")
    @classmethod
    def _in_plain_words(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        name = data.get("id", "") if isinstance(data, Mapping) else ""
        who = f"seed set {quote_safe(str(name))}"
        try:
            return handler(data)
        except ValidationError as error:
            raise complaint(error, who, {*cls.model_fields, *Study.model_fields}) from None

    @field_validator("id")
    @classmethod
    def _visible(cls, id: str) -> str:
        if not id.strip() or not id.isprintable():
            raise ValueError(f"is {seen(id)}; visible characters on one line were expected")
        return id

    @field_validator("words")
    @classmethod
    def _no_blank(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if not all(word.strip() for word in words):
            raise ValueError("has an empty word; every word needs at least one visible character")
        return words

    @field_validator("sources")
    @classmethod
    def _known(cls, sources: tuple[str, ...]) -> tuple[str, ...]:
        known = seed_sources()
        for one in sources:
            if one not in known:
                raise ValueError(f"has {quote_safe(one)}; {_one_of(one, known)}")
        return sources

    def __len__(self) -> int:
        return len(self.words)

    @property
    def label(self) -> str:
        """What a test calls the set: its id, so that a result says which words it had."""
        return self.id

    @property
    def contains_slurs(self) -> bool:
        """Whether a word of the set is a slur."""
        return any(is_slur(word) for word in self.words)

    @property
    def flags(self) -> tuple[str, ...]:
        """What to know before the words are shown: slurs, stereotypes, names."""
        every = {
            "slurs": self.contains_slurs,
            "stereotypes": self.contains_stereotypes,
            "names": self.contains_names,
        }
        return tuple(name for name, is_so in every.items() if is_so)

    @property
    def repeated(self) -> tuple[str, ...]:
        """The words that come more than once."""
        return tuple(word for word, times in Counter(self.words).items() if times > 1)

    def word_set(self) -> WordSet:
        """The words, each once, as a target or attribute set of a test.

        Raises
        ------
        CatalogError
            If the set has no words.
        """
        if not self.words:
            reason = f" {self.notes}" if self.notes else ""
            raise CatalogError(f"The seed set {quote_safe(self.id, 100)} has no words.{reason}")
        return WordSet(label=self.label, words=tuple(dict.fromkeys(self.words)), source=self.study)


def _one_of(name: str, known: Mapping[str, str]) -> str:
    near = did_you_mean(name, known).strip(" ?")
    return f"{near[0].lower()}{near[1:]}" if near else f"one of {', '.join(known)} was expected"


# The order in which the catalogue is listed.
_FILES = (
    "gender",
    "race",
    "names",
    "religion",
    "society",
    "work",
    "traits",
    "feeling",
    "things",
)


def seeds(id: str) -> SeedSet:
    """A seed set of the catalogue.

    Parameters
    ----------
    id
        The set's id, as Antoniak and Mimno (2021) give it.

    Returns
    -------
    SeedSet
        The words with their provenance. It can be a target or attribute set of a `Test`.

    Raises
    ------
    UnknownEntry
        If there is no such set; the message names the nearest.

    Examples
    --------
    >>> male = seeds("male_1-Caliskan_et_al_2017")
    >>> male.words[:3], male.concept, male.study.short
    (('brother', 'male', 'man'), 'male', 'Caliskan et al. 2017')
    """
    known = _sets()
    if id not in known:
        raise UnknownEntry(
            f"There is no seed set {quote_safe(id)} in the catalogue."
            + (_nearest(id, known) or " See `weatherglass seeds list`.")
        )
    return known[id]


def seed_sets(
    *patterns: str,
    concept: str | None = None,
    source: str | None = None,
    study: str | None = None,
) -> tuple[SeedSet, ...]:
    """Every seed set whose id matches a pattern, in the catalogue's order.

    Parameters
    ----------
    *patterns
        As for file names: ``*`` any text, ``?`` one character, ``[12]`` one of these; without a
        pattern, every set. Several patterns give their matches one after another, each set once.
    concept
        Only sets that stand for this, such as ``"female"``; `concepts` has them all.
    source
        Only sets whose words come from there, such as ``"population-derived"``; `seed_sources`
        has them all.
    study
        Only sets that this work used, by its key, such as ``"garg2018"``.

    Raises
    ------
    UnknownEntry
        If a pattern matches nothing, or a concept, source or study is not known.

    Examples
    --------
    >>> len(seed_sets()), len(seed_sets(concept="female")), len(seed_sets(study="garg2018"))
    (178, 20, 21)
    >>> [one.id for one in seed_sets("names_b*", "names_w*")]
    ['names_black-Garg_et_al_2018', 'names_white-Garg_et_al_2018']
    """
    _must_be_known("concept", concept, concepts())
    _must_be_known("source", source, seed_sources())
    _must_be_known("study", study, _studies())
    found: dict[str, SeedSet] = {}
    for pattern in patterns or ("*",):
        matches = [
            one
            for one in _sets().values()
            if fnmatch.fnmatchcase(one.id, pattern)
            and concept in (None, one.concept)
            and (source is None or source in one.sources)
            and study in (None, one.study and one.study.key)
        ]
        if not matches:
            asked = {"concept": concept, "source": source, "study": study}
            only = "".join(f" of the {name} {value}" for name, value in asked.items() if value)
            near = "" if only else _nearest(pattern, _sets())
            raise UnknownEntry(f"No seed set{only} matches {quote_safe(pattern)}.{near}")
        found |= {one.id: one for one in matches}
    return tuple(found.values())


@functools.cache
def concepts() -> Mapping[str, str]:
    """What the seed sets of the catalogue stand for: concepts by name, each in a few words.

    >>> concepts()["career"]
    'working life'
    """
    path = DATA / "seeds" / "concepts.yaml"
    (names,) = read_yaml(read_text(path), path.name)
    return dict(names)


@functools.cache
def _sets() -> dict[str, SeedSet]:
    """Every set by id, in the order of the files."""
    made: dict[str, SeedSet] = {}
    for name in _FILES:
        path = DATA / "seeds" / f"{name}.yaml"
        (document,) = read_yaml(read_text(path), path.name)
        for record in document["seeds"]:
            assert record["id"] not in made, f"{path.name} repeats {record['id']}"
            made[record["id"]] = SeedSet.model_validate(cited(record))
    return made


def _studies() -> dict[str, str]:
    used = {one.study.key for one in _sets().values() if one.study}
    return {key: one.short for key, one in studies().items() if key in used}


def _must_be_known(what: str, name: str | None, known: Mapping[str, str]) -> None:
    if name is not None and name not in known:
        near = did_you_mean(name.lower(), known) or f" There are {', '.join(known)}."
        raise UnknownEntry(f"No seed set has the {what} {quote_safe(name)}.{near}")


def _nearest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown id: the nearest known ones, or nothing."""
    # An id ends in authors and year, and what people remember is its beginning.
    part = name.strip("*?").lower()
    near = [id for id in known if part and part in id.lower()]
    if not near:
        ways = {id.rpartition("-")[0]: id for id in known} | {id: id for id in known}
        near = [ways[way] for way in difflib.get_close_matches(part, ways, n=3)]
    return f" Did you mean {' or '.join(dict.fromkeys(near[:3]))}?" if near else ""


class Pairing(Record):
    """Two seed sets that a study holds against each other.

    Parameters
    ----------
    sets
        The ids of both.
    match
        How their words answer each other: ``"documented"`` where the study gives pairs of words,
        ``"parallel"`` where the lists run side by side but the study compares them whole, and
        ``"none"``.
    study, place
        The work that pairs them, and where in it.
    pairs
        The pairs of words, where they do not go by position.
    """

    sets: tuple[str, str]
    match: Literal["documented", "parallel", "none"]
    study: Study
    place: str
    pairs: tuple[tuple[str, str], ...] = ()

    def other(self, id: str) -> str:
        """The set that stands against this one."""
        return self.sets[self.sets[0] == id]

    def words(self) -> tuple[tuple[str, str], ...]:
        """The pairs of words; empty where the sets are only compared whole."""
        if self.pairs or self.match == "none":
            return self.pairs
        first, second = (seeds(id).words for id in self.sets)
        return tuple(zip(first, second, strict=True))


@functools.cache
def _all() -> tuple[Pairing, ...]:
    path = DATA / "seeds" / "pairings.yaml"
    (document,) = read_yaml(read_text(path), path.name)
    return tuple(Pairing.model_validate(cited(record)) for record in document["pairings"])


def pairings(id: str | None = None) -> tuple[Pairing, ...]:
    """Every documented pairing of seed sets, or those of one set.

    Examples
    --------
    >>> [one.other("career-Caliskan_et_al_2017") for one in pairings("career-Caliskan_et_al_2017")]
    ['family-Caliskan_et_al_2017']
    """
    if id is None:
        return _all()
    return tuple(one for one in _all() if seeds(id).id in one.sets)


def pairs(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """The words of two seed sets, pair by pair.

    Parameters
    ----------
    a, b
        Ids of two sets whose words answer each other one by one, in either order.

    Raises
    ------
    UnknownEntry
        If there is no such set, or no study pairs these two.
    CatalogError
        If the sets are compared whole, so that no word answers another.

    Examples
    --------
    >>> pairs("male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017")[:3]
    (('brother', 'sister'), ('father', 'mother'), ('uncle', 'aunt'))
    """
    against = pairings(a)
    found = next((one for one in against if one.other(a) == seeds(b).id), None)
    if found is None:
        has = " or ".join(one.other(a) for one in against)
        known = f"{a} goes with {has}" if has else f"{a} goes with no other"
        raise UnknownEntry(f"No study pairs {a} with {b}; {known}.")
    if not found.words():
        raise CatalogError(
            f"{found.study.short} compares {a} with {b} as a whole; no word answers another."
        )
    return tuple((x, y) if found.sets[0] == a else (y, x) for x, y in found.words())
