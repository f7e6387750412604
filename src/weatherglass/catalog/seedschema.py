"""A seed set: a named list of words with its provenance."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from pydantic import (
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    field_validator,
    model_validator,
)

from weatherglass.catalog.complaints import complaint, seen
from weatherglass.catalog.parts import Record, Study, Words
from weatherglass.catalog.slurs import is_slur
from weatherglass.catalog.studies import DATA
from weatherglass.catalog.textfiles import read_text
from weatherglass.catalog.wordsets import WordSet
from weatherglass.catalog.yamltext import read_yaml
from weatherglass.errors import CatalogError, did_you_mean, shown


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
        who = f"seed set {shown(str(name))}"
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
                raise ValueError(f"has {shown(one)}; {_one_of(one, known)}")
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
            raise CatalogError(f"The seed set {shown(self.id, 100)} has no words.{reason}")
        return WordSet(label=self.label, words=tuple(dict.fromkeys(self.words)), source=self.study)


def _one_of(name: str, known: Mapping[str, str]) -> str:
    near = did_you_mean(name, known).strip(" ?")
    return f"{near[0].lower()}{near[1:]}" if near else f"one of {', '.join(known)} was expected"
