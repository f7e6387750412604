"""A word set: the labelled items of a test, words or sentences, and annotations of words."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from weatherglass.errors import quote_safe

from .provenance import DATA, Record, Study, Words
from .record_files import Table, read_table
from .templates import templates
from .validation import check_words, validate

_MAX_NAMED = 2  # words that name a set without a label


class Annotation(Record):
    """A word, its kind and its forms, from which sentences are made.

    Parameters
    ----------
    word
        The word as in the test.
    kind
        Its kind, such as ``"noun"``, ``"mass-noun"`` or ``"adjective"``; `weatherglass catalog
        kinds` lists them.
    singular
        For a word in the plural; if empty, the word itself.
    plural
        If empty, by rule, or the word itself if there is a singular.
    article
        ``"a"`` or ``"an"``; if empty, by rule.

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
    def _check_word(cls, word: str) -> str:
        if not word.strip():
            raise ValueError("is empty; a word was expected")
        return word

    @field_validator("kind")
    @classmethod
    def _check_kind(cls, kind: str) -> str:
        if problem := templates().find_kind_problem(kind):
            raise ValueError(problem)
        return kind

    @property
    def forms(self) -> dict[str, str]:
        """The forms that fill the slots of a template."""
        rules = templates()
        singular = self.singular or self.word
        plural = self.plural or (self.word if self.singular else rules.plural(singular))
        return {
            "word": singular,
            "a word": f"{self.article or rules.article(singular)} {singular}",
            "words": plural,
        }


_COLUMNS = ("word", "kind", "singular", "plural", "article")


@functools.cache
def known_annotations() -> dict[str, Annotation]:
    """Return the annotations of all words of the catalogue's tests."""
    return load_annotations(DATA / "words.csv")


def load_annotations(path: str | PathLike[str]) -> dict[str, Annotation]:
    """Read the kinds and forms of words from a CSV file.

    Parameters
    ----------
    path
        A file with a header line and at least the columns ``word`` and ``kind``; optionally
        ``singular``, ``plural`` and ``article`` for words that do not follow the rules. Commas
        separate the columns, or tabs if the name ends in ``.tsv``.

    Raises
    ------
    CatalogError
        With the line, if a column is missing, a word is a duplicate or a kind is not known.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "mine.csv")
    ...     _ = file.write_text("word,kind\\ngizmo,noun\\nnice,adjective\\n", encoding="utf-8")
    ...     load_annotations(file)["gizmo"].forms["words"]
    'gizmos'
    """
    table = read_table(Path(path), _COLUMNS[:2], _COLUMNS[2:])
    stripped = Table(
        table.name,
        table.header,
        table.lines,
        [[cell.strip() for cell in row] for row in table.rows],
    )
    return {
        word: validate(
            Annotation, dict(zip(_COLUMNS, stripped.rows[row], strict=True)), stripped.place(row)
        )
        for row, word in stripped.unique_words()
    }


class WordSet(Record):
    """A labelled list of words: a target or attribute set of a test.

    Parameters
    ----------
    label
        What the words represent.
    words
        The words in order, without duplicates; in a sentence test, the sentences. A word can be
        given with its kind, as ``{"word": "gizmo", "kind": "noun"}``, which goes to `annotations`.
    origins
        In a sentence test, the word in each sentence; otherwise empty.
    annotations
        Kinds and forms of words that the catalogue does not know.
    left_out
        Words of the published list that this test does not use.
    source
        The study that published the list.

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

    def __repr__(self) -> str:
        words = "1 word" if len(self.words) == 1 else f"{len(self.words):,} words"
        return f"<WordSet {quote_safe(self.label)[1:-1] or 'without label'}: {words}>"

    @model_validator(mode="before")
    @classmethod
    def _split_annotations(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        words, annotations = data.get("words"), data.get("annotations", ())
        if not isinstance(words, list | tuple) or not isinstance(annotations, list | tuple):
            return data
        annotated = [word for word in words if isinstance(word, Mapping | Annotation)]
        return {
            **data,
            "words": [plain_word(word) for word in words],
            "annotations": [*annotations, *annotated],
        }

    @model_validator(mode="after")
    def _check_items(self) -> Self:
        words = (*self.words, *self.left_out)
        check_words(words)
        if self.origins and len(self.origins) != len(self.words):
            raise ValueError(
                f"has {len(self.origins)} origins for {len(self.words)} sentences; "
                "one each was expected"
            )
        unknown = [entry.word for entry in self.annotations if entry.word not in words]
        if unknown:
            raise ValueError(f"annotates {quote_safe(unknown[0])}, which is not among its words")
        return self

    def __len__(self) -> int:
        return len(self.words)

    def leave_out(self, items: Collection[str]) -> Self:
        """Return the set without these items.

        >>> smaller = WordSet(words=["ant", "flea"]).leave_out(["ant"])
        >>> smaller.words, smaller.left_out
        (('flea',), ('ant',))
        """
        remaining = [k for k, item in enumerate(self.words) if item not in items]
        changes = {
            "words": tuple(self.words[k] for k in remaining),
            "origins": tuple(self.origins[k] for k in remaining if self.origins),
            "left_out": (*self.left_out, *(item for item in self.words if item in items)),
        }
        return type(self).model_validate({**dict(self), **changes})


def plain_word(word: Any) -> Any:
    """Return a word that may be given with its kind, without the kind."""
    if isinstance(word, Annotation):
        return word.word
    return word.get("word") if isinstance(word, Mapping) else word


def name_words(words: Sequence[str]) -> str:
    """Return the first words of a set, as its name where it has no label.

    >>> name_words(["doctor", "surgeon", "dentist"]), name_words(["nurse"])
    ('doctor, surgeon…', 'nurse')
    """
    named = ", ".join(quote_safe(str(word))[1:-1] for word in words[:_MAX_NAMED])
    return named + ("…" if len(words) > _MAX_NAMED else "")
