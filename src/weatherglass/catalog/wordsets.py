"""A word set: the labelled items of a test, which are words, or sentences made of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Self

from pydantic import Field, model_validator

from weatherglass.catalog.annotations import Annotation
from weatherglass.catalog.parts import Record, Study, Words
from weatherglass.errors import shown


class WordSet(Record):
    """A labelled list of words: a target or attribute set of a test.

    Parameters
    ----------
    label
        What the words stand for.
    words
        The words, in order and without repeats; in a sentence test, the sentences. A word can be
        given with its kind, as ``{"word": "gizmo", "kind": "noun"}``, which goes to `annotations`.
    origins
        In a sentence test, the word that each sentence was made of; otherwise empty.
    annotations
        Kinds and forms of words that the catalogue does not know.
    left_out
        Words of the published list that this test does not use.
    source
        The study the list is from.

    Examples
    --------
    >>> WordSet(label="Insects", words=["ant", "flea"]).words
    ('ant', 'flea')
    """

    label: str = ""
    words: Words = Field(min_length=1)
    origins: Words = ()
    annotations: tuple[Annotation, ...] = ()
    left_out: Words = ()
    source: Study | None = None

    @model_validator(mode="before")
    @classmethod
    def _words_with_kinds(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        words, given = data.get("words"), data.get("annotations", ())
        if not isinstance(words, list | tuple) or not isinstance(given, list | tuple):
            return data
        marked = [word for word in words if isinstance(word, Mapping | Annotation)]
        return {
            **data,
            "words": [spelling(word) for word in words],
            "annotations": [*given, *marked],
        }

    @model_validator(mode="after")
    def _each_word_once(self) -> Self:
        every = (*self.words, *self.left_out)
        if not all(word.strip() for word in every):
            raise ValueError("has an empty word; every word needs at least one visible character")
        repeated = [word for word, times in Counter(every).items() if times > 1]
        if repeated:
            others = f" (and {len(repeated) - 1} more)" if len(repeated) > 1 else ""
            raise ValueError(f"has {shown(repeated[0])} more than once{others}; name a word once")
        if self.origins and len(self.origins) != len(self.words):
            found, wanted = len(self.origins), len(self.words)
            raise ValueError(f"has {found} origins for {wanted} sentences; one each was expected")
        strange = [one.word for one in self.annotations if one.word not in every]
        if strange:
            raise ValueError(f"annotates {shown(strange[0])}, which is not among its words")
        return self

    def __len__(self) -> int:
        return len(self.words)

    def without(self, items: Collection[str]) -> Self:
        """The set with some of its items left out.

        >>> less = WordSet(words=["ant", "flea"]).without(["ant"])
        >>> less.words, less.left_out
        (('flea',), ('ant',))
        """
        kept = [k for k, item in enumerate(self.words) if item not in items]
        changes = {
            "words": tuple(self.words[k] for k in kept),
            "origins": tuple(self.origins[k] for k in kept if self.origins),
            "left_out": (*self.left_out, *(item for item in self.words if item in items)),
        }
        return type(self).model_validate({**dict(self), **changes})


def spelling(word: Any) -> Any:
    """The letters of a word that may have been given with its kind."""
    if isinstance(word, Annotation):
        return word.word
    return word.get("word") if isinstance(word, Mapping) else word
