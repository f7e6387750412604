"""Sentences for tests of machine translation: languages whose pronouns have no gender."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weatherglass._files import delimited_text
from weatherglass.catalog import DATA, Record, Words, read_mapping, read_table, validate
from weatherglass.errors import UnknownEntry, did_you_mean, quote_safe

TRANSLATION_COLUMNS = ("language", "occupation", "sentence", "target", "translation")
"""The columns of a file of translations."""

_REQUIRED = ("sentence", "translation")


class SourceLanguage(Record):
    """A language whose third-person pronoun has no gender.

    Attributes
    ----------
    name, pronoun
        What it is called in English, and its pronoun.
    template
        A sentence with ``{}`` in the place of an occupation.
    occupations
        The 50 occupations of wefat1, and their names in this language.
    notes
        What a reader of results must know.
    """

    name: str
    pronoun: str
    template: str
    occupations: dict[str, str]
    notes: str = ""


class TargetLanguage(Record):
    """The pronouns by which a translation is counted as she, he or they."""

    name: str
    she: Words
    he: Words
    they: Words = ()


class TranslationCatalogue(Record):
    """All languages of the catalogue, and who wrote the sentences."""

    provenance: str
    languages: dict[str, SourceLanguage]
    targets: dict[str, TargetLanguage]


@dataclass(frozen=True, slots=True)
class TranslationSentence:
    """A sentence about an occupation, in a language whose pronoun has no gender."""

    language: str
    occupation: str
    text: str


@functools.cache
def translation_catalogue() -> TranslationCatalogue:
    """Return the languages and sentences for tests of machine translation.

    >>> catalogue = translation_catalogue()
    >>> list(catalogue.languages), len(catalogue.languages["tr"].occupations)
    (['tr', 'fi', 'hu', 'et', 'fa'], 50)
    """
    record = read_mapping(DATA / "translations.yaml")
    return validate(TranslationCatalogue, record, "translations.yaml")


def translation_sentences(languages: Sequence[str] = ()) -> tuple[TranslationSentence, ...]:
    """Return the sentences of languages; of all of them by default.

    >>> [s.text for s in translation_sentences(["tr"]) if s.occupation == "nurse"]
    ['O bir hemşire.']
    """
    known = translation_catalogue().languages
    chosen = languages or list(known)
    return tuple(
        TranslationSentence(code, occupation, language.template.format(name))
        for code, language in ((code, find_language(code, known)) for code in chosen)
        for occupation, name in language.occupations.items()
    )


def find_language(code: str, known: Mapping[str, SourceLanguage]) -> SourceLanguage:
    """Return a language by its code; an `UnknownEntry` lists those that there are."""
    if code not in known:
        raise UnknownEntry(
            f"There are no sentences in {quote_safe(code)}.{did_you_mean(code, known)} The "
            f"catalogue has {', '.join(known)}."
        )
    return known[code]


def target_language(code: str) -> TargetLanguage:
    """Return the pronouns of a language that sentences are translated to.

    >>> target_language("EN-gb") is target_language("en")
    True
    """
    known = translation_catalogue().targets
    language = re.split("[-_]", code.strip().lower())[0]
    if language not in known:
        raise UnknownEntry(
            f"The pronouns of {quote_safe(code)} are not known.{did_you_mean(code, known)} The "
            f"catalogue has {', '.join(known)}."
        )
    return known[language]


def format_sentences(sentences: Sequence[TranslationSentence], target: str = "en") -> str:
    """Return sentences as CSV, with an empty column for the translations."""
    target_language(target)
    rows = [(s.language, s.occupation, s.text, target, "") for s in sentences]
    return delimited_text([TRANSLATION_COLUMNS, *rows])


def load_translation_rows(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Return the rows of a file of translations with their places; absent columns are empty."""
    optional = [column for column in TRANSLATION_COLUMNS if column not in _REQUIRED]
    table = read_table(path, _REQUIRED, optional)
    return [
        (
            table.place(row),
            {name: cell.strip() for name, cell in zip(table.header, cells, strict=True)},
        )
        for row, cells in enumerate(table.rows)
    ]
