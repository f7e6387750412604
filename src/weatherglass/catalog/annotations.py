"""What is known of a word besides its letters: its kind, its singular, plural and article."""

from __future__ import annotations

import functools
from os import PathLike
from pathlib import Path
from typing import Literal

from pydantic import ValidationError, field_validator

from weatherglass.catalog.complaints import complaint
from weatherglass.catalog.csvtext import rows
from weatherglass.catalog.parts import Record
from weatherglass.catalog.studies import DATA
from weatherglass.catalog.templates import templates
from weatherglass.catalog.textfiles import name_of
from weatherglass.errors import CatalogError, shown


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
    where = name_of(path)
    made: dict[str, Annotation] = {}
    for line, cells in rows(path, _COLUMNS[:2], _COLUMNS[2:]):
        who = f"{where}, line {line}"
        try:
            cleaned = map(str.strip, cells)
            one = Annotation.model_validate(dict(zip(_COLUMNS, cleaned, strict=True)))
        except ValidationError as error:
            raise complaint(error, who, Annotation.model_fields) from None
        if one.word in made:
            raise CatalogError(f"{who}: {shown(one.word)} is there twice. Keep one.")
        made[one.word] = one
    if not made:
        raise CatalogError(f"{where}: has no line after the header; one word a line was expected.")
    return made
