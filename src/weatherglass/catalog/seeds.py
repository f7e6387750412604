"""The seed sets of the catalogue by id, concept, source or study, and documented pairs of them."""

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

from weatherglass.errors import CatalogError, UnknownEntry, did_you_mean, quote_safe

from .provenance import DATA, Language, Record, Study, Words, resolve_studies, studies
from .record_files import read_mapping
from .slurs import is_slur
from .validation import describe_value, validation_error
from .word_sets import WordSet


@functools.cache
def seed_sources() -> Mapping[str, str]:
    """Return the seven sources of seed words by name, each with a sentence.

    >>> list(seed_sources())[:3]
    ['borrowed-from-social-sciences', 'crowd-sourced', 'population-derived']
    """
    return read_mapping(DATA / "seeds" / "sources.yaml")


class SeedSet(Record):
    """A named list of words, the study that used it, and the sources of the words.

    Parameters
    ----------
    id
        Name of the set.
    concept
        What the words represent; sets of the same concept can replace each other.
    words
        The words in order, with repeats: a set is kept as it was used. It is empty if the words of
        a documented set are not known.
    study
        The work that used the set.
    link
        Where that work publishes it.
    sources
        Where the words come from: names of `seed_sources`; empty if not known.
    description
        The content of the set, in a sentence.
    rationale
        Why these words were chosen; empty if it is not stated.
    contains_stereotypes
        Whether some words judge a group of people, or are a stereotype of one.
    contains_names
        Whether some of the words are names of people.
    language
        The language of the words, by its code or English name; empty if it is not stated. The sets
        of the catalogue are English.
    notes
        Peculiarities of the set, and corrections.
    corrected
        Fields that differ from the collection of Antoniak and Mimno (2021).

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
    rationale: str = ""
    contains_stereotypes: bool = False
    contains_names: bool = False
    language: Language = ""
    notes: str = ""
    corrected: Words = Field(default=(), repr=False)

    def __repr__(self) -> str:
        words = "1 word" if len(self.words) == 1 else f"{len(self.words):,} words"
        return f"<SeedSet {quote_safe(self.id)[1:-1]}: {words}>"

    @model_validator(mode="wrap")
    @classmethod
    def _word_errors(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        id = data.get("id", "") if isinstance(data, Mapping) else ""
        name = f"seed set {quote_safe(str(id))}"
        try:
            return handler(data)
        except ValidationError as error:
            raise validation_error(error, name, {*cls.model_fields, *Study.model_fields}) from None

    @field_validator("id")
    @classmethod
    def _check_id(cls, id: str) -> str:
        if not id.strip() or not id.isprintable():
            raise ValueError(
                f"is {describe_value(id)}; visible characters on one line were expected"
            )
        return id

    @field_validator("words")
    @classmethod
    def _check_words(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if not all(word.strip() for word in words):
            raise ValueError("has an empty word; a word needs at least one visible character")
        return words

    @field_validator("sources")
    @classmethod
    def _check_sources(cls, sources: tuple[str, ...]) -> tuple[str, ...]:
        known = seed_sources()
        for source in sources:
            if source not in known:
                raise ValueError(f"has {quote_safe(source)}; {_suggest(source, known)}")
        return sources

    def __len__(self) -> int:
        return len(self.words)

    @property
    def label(self) -> str:
        """What a test calls the set: its id, so that a result identifies its words."""
        return self.id

    @property
    def contains_slurs(self) -> bool:
        """Whether a word of the set is a slur."""
        return any(is_slur(word) for word in self.words)

    @property
    def flags(self) -> tuple[str, ...]:
        """What to know before showing the words: slurs, stereotypes, names."""
        flags = {
            "slurs": self.contains_slurs,
            "stereotypes": self.contains_stereotypes,
            "names": self.contains_names,
        }
        return tuple(name for name, is_set in flags.items() if is_set)

    @property
    def repeated(self) -> tuple[str, ...]:
        """The words that occur more than once."""
        return tuple(word for word, count in Counter(self.words).items() if count > 1)

    def word_set(self) -> WordSet:
        """Return the words without repeats, as a target or attribute set of a test.

        Raises
        ------
        CatalogError
            If the set has no words.
        """
        if not self.words:
            reason = f" {self.notes}" if self.notes else ""
            raise CatalogError(f"The seed set {quote_safe(self.id, 100)} has no words.{reason}")
        return WordSet(label=self.label, words=tuple(dict.fromkeys(self.words)), source=self.study)


def _suggest(name: str, known: Mapping[str, str]) -> str:
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
    """Return a seed set of the catalogue.

    Parameters
    ----------
    id
        Id of the set, as in Antoniak and Mimno (2021).

    Returns
    -------
    SeedSet
        The words with their provenance. A `Test` accepts it as a target or attribute set.

    Raises
    ------
    UnknownEntry
        If there is no such set; the message suggests similar ones.

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
            + (_suggest_ids(id, known) or " See `weatherglass seeds list`.")
        )
    return known[id]


def seed_sets(
    *patterns: str,
    concept: str | None = None,
    source: str | None = None,
    study: str | None = None,
) -> tuple[SeedSet, ...]:
    """Return all seed sets whose id matches a pattern, in the catalogue's order.

    Parameters
    ----------
    *patterns
        As for file names: ``*`` is any text, ``?`` one character, ``[12]`` one of these; without a
        pattern, all sets. Several patterns give their matches in turn, each set once.
    concept
        Only sets of this concept, such as ``"female"``; `concepts` lists them.
    source
        Only sets with words from this source, such as ``"population-derived"``; `seed_sources`
        lists them.
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
    >>> [seed_set.id for seed_set in seed_sets("names_b*", "names_w*")]
    ['names_black-Garg_et_al_2018', 'names_white-Garg_et_al_2018']
    """
    _check_filter("concept", concept, concepts())
    _check_filter("source", source, seed_sources())
    _check_filter("study", study, _studies())
    selected: dict[str, SeedSet] = {}
    for pattern in patterns or ("*",):
        matches = [
            entry
            for entry in _sets().values()
            if fnmatch.fnmatchcase(entry.id, pattern)
            and concept in (None, entry.concept)
            and (source is None or source in entry.sources)
            and study in (None, entry.study and entry.study.key)
        ]
        if not matches:
            filters = {"concept": concept, "source": source, "study": study}
            given = "".join(f" of the {name} {value}" for name, value in filters.items() if value)
            suggestion = "" if given else _suggest_ids(pattern, _sets())
            raise UnknownEntry(f"No seed set{given} matches {quote_safe(pattern)}.{suggestion}")
        selected |= {entry.id: entry for entry in matches}
    return tuple(selected.values())


@functools.cache
def concepts() -> Mapping[str, str]:
    """Return the concepts of the catalogue's seed sets by name, each with a short description.

    >>> concepts()["career"]
    'working life'
    """
    return read_mapping(DATA / "seeds" / "concepts.yaml")


@functools.cache
def _sets() -> dict[str, SeedSet]:
    """Return all sets by id, in the order of the files."""
    sets: dict[str, SeedSet] = {}
    for name in _FILES:
        path = DATA / "seeds" / f"{name}.yaml"
        for record in read_mapping(path)["seeds"]:
            assert record["id"] not in sets, f"{path.name} repeats {record['id']}"
            sets[record["id"]] = SeedSet.model_validate(resolve_studies(record))
    return sets


def _studies() -> dict[str, str]:
    used = {seed_set.study.key for seed_set in _sets().values() if seed_set.study}
    return {key: study.short for key, study in studies().items() if key in used}


def _check_filter(field: str, name: str | None, known: Mapping[str, str]) -> None:
    if name is not None and name not in known:
        suggestion = did_you_mean(name.lower(), known) or f" Choose one of {', '.join(known)}."
        raise UnknownEntry(f"No seed set has the {field} {quote_safe(name)}.{suggestion}")


def _suggest_ids(name: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known ids; empty if there are none."""
    # An id ends in authors and year, but people remember its beginning.
    part = name.strip("*?").lower()
    similar = [id for id in known if part and part in id.lower()]
    if not similar:
        ids = {id.rpartition("-")[0]: id for id in known} | {id: id for id in known}
        similar = [ids[text] for text in difflib.get_close_matches(part, ids, n=3)]
    return f" Did you mean {' or '.join(dict.fromkeys(similar[:3]))}?" if similar else ""


class Pairing(Record):
    """Two seed sets that a study contrasts with each other.

    Parameters
    ----------
    sets
        The ids of both.
    match
        How their words correspond: ``"documented"`` if the study gives pairs of words,
        ``"parallel"`` if the lists correspond word by word but the study compares them as a whole,
        and ``"none"``.
    study, place
        The work that pairs them, and the place in it.
    pairs
        The pairs of words, if they are not pairs by position.
    """

    sets: tuple[str, str]
    match: Literal["documented", "parallel", "none"]
    study: Study
    place: str
    pairs: tuple[tuple[str, str], ...] = ()

    def other(self, id: str) -> str:
        """Return the set that is paired with this one."""
        return self.sets[self.sets[0] == id]

    def words(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of words; empty if the sets are only compared as a whole."""
        if self.pairs or self.match == "none":
            return self.pairs
        first, second = (seeds(id).words for id in self.sets)
        return tuple(zip(first, second, strict=True))


@functools.cache
def _pairings() -> tuple[Pairing, ...]:
    records = read_mapping(DATA / "seeds" / "pairings.yaml")["pairings"]
    return tuple(Pairing.model_validate(resolve_studies(record)) for record in records)


def pairings(id: str | None = None) -> tuple[Pairing, ...]:
    """Return all documented pairings of seed sets, or those of one set.

    Examples
    --------
    >>> career = "career-Caliskan_et_al_2017"
    >>> [pairing.other(career) for pairing in pairings(career)]
    ['family-Caliskan_et_al_2017']
    """
    if id is None:
        return _pairings()
    return tuple(pairing for pairing in _pairings() if seeds(id).id in pairing.sets)


def pairs(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """Return the words of two seed sets as pairs.

    Parameters
    ----------
    a, b
        Ids of two sets whose words correspond one by one, in either order.

    Raises
    ------
    UnknownEntry
        If there is no such set, or no study pairs these two.
    CatalogError
        If the sets are only compared as a whole.

    Examples
    --------
    >>> pairs("male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017")[:3]
    (('brother', 'sister'), ('father', 'mother'), ('uncle', 'aunt'))
    """
    candidates = pairings(a)
    pairing = next((entry for entry in candidates if entry.other(a) == seeds(b).id), None)
    if pairing is None:
        others = " or ".join(entry.other(a) for entry in candidates)
        known = f"{a} is paired with {others}" if others else f"{a} is not paired with any set"
        raise UnknownEntry(f"No study pairs {a} with {b}; {known}.")
    if not pairing.words():
        raise CatalogError(
            f"{pairing.study.short} compares {a} with {b} as a whole, not word by word."
        )
    return tuple((x, y) if pairing.sets[0] == a else (y, x) for x, y in pairing.words())
