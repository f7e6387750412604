"""A word set: the labelled items of a test, which are words, or sentences made of words."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from weatherglass._files import printable_path, read_csv_rows
from weatherglass.errors import CatalogError, quote_safe

from .provenance import DATA, Record, Study, Words
from .templates import templates
from .validation import complaint


class Annotation(Record):
    """A word, its kind and its forms, so that sentences can be made of it.

    Parameters
    ----------
    word
        The word as the test has it.
    kind
        Its kind, such as ``"noun"``, ``"mass-noun"`` or ``"adjective"``; `weatherglass catalog
        kinds` lists them.
    singular
        For a word that stands in the plural; empty: the word itself.
    plural
        Empty: by rule, or the word itself if there is a singular.
    article
        ``"a"`` or ``"an"``; empty: by rule.

    Examples
    --------
    >>> Annotation(word="ox", kind="noun", plural="oxen").forms["words"]
    'oxen'
    >>> Annotation(word="parents", kind="person", singular="parent").forms
    {'word': 'parent', 'a word': 'a parent', 'words': 'parents'}
    """

    word: str
    kind: str
    singular: str = ""
    plural: str = ""
    article: Literal["", "a", "an"] = ""

    @field_validator("word")
    @classmethod
    def _visible(cls, word: str) -> str:
        if not word.strip():
            raise ValueError("is empty; a word was expected")
        return word

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if problem := templates().kind_problem(kind):
            raise ValueError(problem)
        return kind

    @property
    def forms(self) -> dict[str, str]:
        """What goes into the slots of a template."""
        rules = templates()
        one = self.singular or self.word
        many = self.plural or (self.word if self.singular else rules.plural(one))
        return {
            "word": one,
            "a word": f"{self.article or rules.article(one)} {one}",
            "words": many,
        }


_COLUMNS = ("word", "kind", "singular", "plural", "article")


@functools.cache
def known_words() -> dict[str, Annotation]:
    """Every word of the catalogue's tests, annotated."""
    return load_annotations(DATA / "words.csv")


def load_annotations(path: str | PathLike[str]) -> dict[str, Annotation]:
    """Read the kinds of words of your own from a CSV file.

    Parameters
    ----------
    path
        A file with a header line and at least the columns ``word`` and ``kind``; ``singular``,
        ``plural`` and ``article`` where the rules go wrong. Tabs between the columns if the name
        ends in ``.tsv``.

    Raises
    ------
    CatalogError
        With the line, if a column is missing, a word comes twice or a kind is not known.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "mine.csv")
    ...     _ = file.write_text("word,kind\\ngizmo,noun\\nnice,adjective\\n", encoding="utf-8")
    ...     load_annotations(file)["gizmo"].forms["words"]
    'gizmos'
    """
    path = Path(path)
    where = printable_path(path)
    made: dict[str, Annotation] = {}
    for line, cells in read_csv_rows(path, _COLUMNS[:2], _COLUMNS[2:]):
        who = f"{where}, line {line}"
        try:
            cleaned = map(str.strip, cells)
            one = Annotation.model_validate(dict(zip(_COLUMNS, cleaned, strict=True)))
        except ValidationError as error:
            raise complaint(error, who, Annotation.model_fields) from None
        if one.word in made:
            raise CatalogError(f"{who}: {quote_safe(one.word)} is there twice. Keep one.")
        made[one.word] = one
    if not made:
        raise CatalogError(f"{where}: has no line after the header; one word a line was expected.")
    return made


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
            raise ValueError(
                f"has {quote_safe(repeated[0])} more than once{others}; name a word once"
            )
        if self.origins and len(self.origins) != len(self.words):
            found, wanted = len(self.origins), len(self.words)
            raise ValueError(f"has {found} origins for {wanted} sentences; one each was expected")
        strange = [one.word for one in self.annotations if one.word not in every]
        if strange:
            raise ValueError(f"annotates {quote_safe(strange[0])}, which is not among its words")
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
