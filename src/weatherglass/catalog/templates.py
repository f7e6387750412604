"""Sentence templates for each kind of word, and rules for articles and plurals."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from weatherglass._files import printable_path
from weatherglass.errors import quote_safe

from .provenance import DATA, Record, Words
from .record_files import read_mapping
from .validation import describe_value, validate

_SLOT = re.compile(r"\{([^{}]*)\}")
_FORMS = {"word", "a word", "words"}
_PRONOUNS = {"word", "he", "his"}


class Kind(Record):
    """A kind of word and its templates."""

    meaning: str
    example: str
    like: str = ""
    templates: Words = ()

    @property
    def has_plural(self) -> bool:
        """Whether a template needs the plural."""
        return any("{words}" in template for template in self.templates)


class Templates(Record):
    """Templates by kind of word, and the rules for articles and plurals.

    Parameters
    ----------
    kinds
        Kinds of word by name. A kind that is `like` another one has its templates.
    articles
        Beginnings of words for ``"an"`` and for ``"a"``; the longest match decides.
    plurals
        Endings of words and what replaces them in the plural; the longest match decides.
    scripts
        Sentences that were written for a single test.
    pronouns
        The forms of ``he`` and ``his`` that a script uses.
    """

    kinds: Annotated[Mapping[str, Kind], Field(min_length=1)]
    articles: Mapping[str, Words]
    plurals: Mapping[str, str]
    scripts: Mapping[str, str] = {}
    pronouns: Mapping[str, Mapping[str, str]] = {}

    @field_validator("kinds")
    @classmethod
    def _resolve_likes(cls, kinds: Mapping[str, Kind]) -> Mapping[str, Kind]:
        resolved = {}
        for name, kind in kinds.items():
            if bool(kind.like) == bool(kind.templates):
                raise ValueError(
                    f"has {quote_safe(name)} with both or neither of like and templates"
                )
            if kind.like and not (kind.like in kinds and kinds[kind.like].templates):
                raise ValueError(
                    f"has {quote_safe(name)} like {quote_safe(kind.like)}, which has no templates"
                )
            templates = kinds[kind.like].templates if kind.like else kind.templates
            resolved[name] = kind.model_copy(update={"templates": templates})
        return resolved

    @field_validator("plurals")
    @classmethod
    def _check_default_plural(cls, plurals: Mapping[str, str]) -> Mapping[str, str]:
        if "" not in plurals:
            raise ValueError("has no rule for other endings; add one under ''")
        return plurals

    @model_validator(mode="after")
    def _check_slots(self) -> Self:
        templates = [(text, _FORMS) for kind in self.kinds.values() for text in kind.templates]
        templates += [(text, _PRONOUNS) for text in self.scripts.values()]
        for template, known in templates:
            slots = set(_SLOT.findall(template))
            if known is _FORMS and not slots:
                raise ValueError(
                    f"has the template {quote_safe(template)}, which has no slot for a word"
                )
            if unknown := sorted(slots - known):
                raise ValueError(
                    f"has the unknown slot {quote_safe(unknown[0])} in {quote_safe(template)}; "
                    f"one of {', '.join(sorted(known))} was expected"
                )
        return self

    def article(self, word: str) -> str:
        """Return ``"a"`` or ``"an"``, by the beginning of the word.

        >>> [templates().article(word) for word in ("orchid", "hour", "university", "uncle")]
        ['an', 'an', 'a', 'an']
        """
        low = word.lower()
        matches = [
            (len(start), article)
            for article, starts in self.articles.items()
            for start in starts
            if low.startswith(start)
        ]
        return max(matches)[1] if matches else "a"

    def plural(self, word: str) -> str:
        """Return the plural of a noun, by the end of the word.

        >>> [templates().plural(word) for word in ("iris", "lily", "boy", "policewoman")]
        ['irises', 'lilies', 'boys', 'policewomen']
        """
        low = word.lower()
        ending = max((end for end in self.plurals if low.endswith(end)), key=len)
        # Letters that both endings share stay as they are in the word, in case they are capitals.
        plural = self.plurals[ending]
        shared = next(
            (k for k, letter in enumerate(ending) if plural[k : k + 1] != letter), len(ending)
        )
        return word[: len(word) - len(ending) + shared] + plural[shared:]

    def find_kind_problem(self, name: str) -> str:
        """Return what is wrong with the name of a kind; empty if it is known."""
        if name in self.kinds:
            return ""
        return f"is {describe_value(name)}; one of these was expected: {', '.join(self.kinds)}"


def fill_template(template: str, forms: Mapping[str, str]) -> str:
    """Fill the slots of a template and capitalise the first letter.

    >>> fill_template("{a word} is a thing.", {"a word": "an orchid"})
    'An orchid is a thing.'
    """
    text = _SLOT.sub(lambda slot: forms[slot[1]], template)
    return text[:1].upper() + text[1:]


@functools.cache
def templates() -> Templates:
    """Return the templates of the catalogue."""
    return load_templates(DATA / "templates.yaml")


def kinds() -> Mapping[str, Kind]:
    """Return the kinds of word by name, each with its meaning, an example and its templates.

    >>> kinds()["adjective"].templates
    ('This is {word}.', 'That is {word}.', 'They are {word}.')
    """
    return templates().kinds


def load_templates(path: Path) -> Templates:
    """Read templates from a YAML file."""
    record = read_mapping(path, "a mapping with kinds, articles and plurals")
    return validate(Templates, record, printable_path(path), nested=[Kind])
