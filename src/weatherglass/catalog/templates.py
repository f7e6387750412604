"""Sentence templates: for each kind of word, the sentences it is put into."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from weatherglass._files import printable_path, read_text, read_yaml
from weatherglass.errors import CatalogError, quote_safe

from .provenance import DATA, Record, Words
from .validation import complaint, seen

_SLOT = re.compile(r"\{([^{}]*)\}")
_FORMS = {"word", "a word", "words"}
_PRONOUNS = {"word", "he", "his"}


class Kind(Record):
    """A kind of word and the templates that take it."""

    meaning: str
    example: str
    like: str = ""
    templates: Words = ()

    @property
    def counted(self) -> bool:
        """Whether some template needs the plural."""
        return any("{words}" in template for template in self.templates)


class Templates(Record):
    """Templates by kind of word, and the rules for articles and plurals.

    Parameters
    ----------
    kinds
        The kinds of word by name. One that is `like` another has that one's templates.
    articles
        Beginnings of words for ``"an"`` and for ``"a"``; the longest that fits decides.
    plurals
        Endings of words and what the plural has instead; the longest that fits decides.
    scripts
        Sentences that were written for one test.
    pronouns
        The forms of ``he`` and ``his`` that a script takes.
    """

    kinds: Annotated[Mapping[str, Kind], Field(min_length=1)]
    articles: Mapping[str, Words]
    plurals: Mapping[str, str]
    scripts: Mapping[str, str] = {}
    pronouns: Mapping[str, Mapping[str, str]] = {}

    @field_validator("kinds")
    @classmethod
    def _likenesses(cls, kinds: Mapping[str, Kind]) -> Mapping[str, Kind]:
        made = {}
        for name, kind in kinds.items():
            if bool(kind.like) == bool(kind.templates):
                raise ValueError(
                    f"has {quote_safe(name)} with both or neither of like and templates"
                )
            if kind.like and not (kind.like in kinds and kinds[kind.like].templates):
                raise ValueError(
                    f"has {quote_safe(name)} like {quote_safe(kind.like)}, which has none"
                )
            other = kinds[kind.like].templates if kind.like else kind.templates
            made[name] = kind.model_copy(update={"templates": other})
        return made

    @field_validator("plurals")
    @classmethod
    def _any_ending(cls, plurals: Mapping[str, str]) -> Mapping[str, str]:
        if "" not in plurals:
            raise ValueError("has no plural for a word with any other ending, under ''")
        return plurals

    @model_validator(mode="after")
    def _known_slots(self) -> Self:
        every = [(one, _FORMS) for kind in self.kinds.values() for one in kind.templates]
        every += [(one, _PRONOUNS) for one in self.scripts.values()]
        for template, known in every:
            slots = set(_SLOT.findall(template))
            if known is _FORMS and not slots:
                raise ValueError(f"has the template {quote_safe(template)}, which takes no word")
            if unknown := sorted(slots - known):
                raise ValueError(
                    f"has {quote_safe(unknown[0])} in braces in {quote_safe(template)}; "
                    f"one of {', '.join(sorted(known))} was expected"
                )
        return self

    def article(self, word: str) -> str:
        """``"a"`` or ``"an"``, by how the word begins.

        >>> [templates().article(word) for word in ("orchid", "hour", "university", "uncle")]
        ['an', 'an', 'a', 'an']
        """
        low = word.lower()
        fits = [
            (len(start), article)
            for article, starts in self.articles.items()
            for start in starts
            if low.startswith(start)
        ]
        return max(fits)[1] if fits else "a"

    def plural(self, word: str) -> str:
        """The plural of a noun, by how the word ends.

        >>> [templates().plural(word) for word in ("iris", "lily", "boy", "policewoman")]
        ['irises', 'lilies', 'boys', 'policewomen']
        """
        low = word.lower()
        ending = max((end for end in self.plurals if low.endswith(end)), key=len)
        # What both have stays as it is in the word, capitals and all.
        other = self.plurals[ending]
        same = next(
            (k for k, letter in enumerate(ending) if other[k : k + 1] != letter), len(ending)
        )
        return word[: len(word) - len(ending) + same] + other[same:]

    def kind_problem(self, name: str) -> str:
        """What is wrong with the name of a kind; empty if nothing is."""
        if name in self.kinds:
            return ""
        return f"is {seen(name)}; one of these was expected: {', '.join(self.kinds)}"


def filled(template: str, forms: Mapping[str, str]) -> str:
    """A template with its slots filled, the first letter a capital.

    >>> filled("{a word} is a thing.", {"a word": "an orchid"})
    'An orchid is a thing.'
    """
    text = _SLOT.sub(lambda slot: forms[slot[1]], template)
    return text[:1].upper() + text[1:]


@functools.cache
def templates() -> Templates:
    """The catalogue's own templates."""
    return load_templates(DATA / "templates.yaml")


def kinds() -> Mapping[str, Kind]:
    """The kinds of word by name, each with its meaning, an example and its templates.

    >>> kinds()["adjective"].templates
    ('This is {word}.', 'That is {word}.', 'They are {word}.')
    """
    return templates().kinds


def load_templates(path: Path) -> Templates:
    """Read templates from a YAML file."""
    where = printable_path(path)
    documents = read_yaml(read_text(path), where)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise CatalogError(f"{where}: a mapping with kinds, articles and plurals was expected.")
    try:
        return Templates.model_validate(documents[0])
    except ValidationError as error:
        known = {*Templates.model_fields, *Kind.model_fields}
        raise complaint(error, where, known) from None
