"""The pronoun of a translation: she, he, they, or none of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

from weatherglass.errors import CatalogError, quote_safe
from weatherglass.measures import AssociationTable

from .sentences import (
    TargetLanguage,
    load_translation_rows,
    target_language,
    translation_sentences,
)

Pronoun = Literal["she", "he", "they", "other"]
PRONOUNS: tuple[Pronoun, ...] = get_args(Pronoun)

_TOKEN = re.compile(r"\(s\)he|s/he|[^\W\d_]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated sentence about an occupation.

    Attributes
    ----------
    language, target
        The codes of the languages that it was translated from and to.
    occupation
        The occupation in English, as in wefat1 or in your facts.
    text
        The translation.
    """

    language: str
    occupation: str
    text: str
    target: str = "en"

    @property
    def pronoun(self) -> Pronoun:
        """The pronoun of the translation."""
        return find_pronoun(self.text, target_language(self.target))


def find_pronoun(text: str, target: TargetLanguage) -> Pronoun:
    """Return the pronoun of a sentence.

    A sentence with pronouns of both kinds, such as "he or she", counts as they.

    >>> english = target_language("en")
    >>> texts = ["He is a doctor.", "She's a nurse.", "He or she is a clerk.", "A clerk."]
    >>> [find_pronoun(text, english) for text in texts]
    ['he', 'she', 'they', 'other']
    """
    tokens = {token.lower() for token in _TOKEN.findall(text)}
    is_she, is_he = (bool(tokens & set(words)) for words in (target.she, target.he))
    if tokens & set(target.they) or (is_she and is_he):
        return "they"
    return "she" if is_she else "he" if is_he else "other"


def read_translations(path: str | PathLike[str]) -> list[Translation]:
    """Read translations from CSV, or TSV if the name ends in ``.tsv``.

    The columns are ``sentence``, ``target`` and ``translation``, as ``weatherglass translations
    export`` writes them, and ``language`` and ``occupation``. Without these two, a sentence must be
    one of the catalogue; without ``target``, translations are in English. Every row is a trial of
    its own, so that a sentence may be translated several times.
    """
    known = {s.text: s for s in translation_sentences()}
    translations = []
    for place, row in load_translation_rows(Path(path)):
        sentence = known.get(row["sentence"])
        if not row["occupation"] and sentence is None:
            raise CatalogError(
                f"{place}: {quote_safe(row['sentence'])} is not a sentence of the catalogue; add a "
                "column occupation."
            )
        if not row["translation"].strip():
            raise CatalogError(f"{place}: translation is empty; a translated sentence is needed.")
        translations.append(
            Translation(
                row["language"] or (sentence.language if sentence else "unknown"),
                row["occupation"] or (sentence.occupation if sentence else ""),
                row["translation"],
                row["target"] or "en",
            )
        )
    return translations


def count_pronouns(translations: Iterable[Translation]) -> dict[str, dict[Pronoun, int]]:
    """Return how often each occupation has each pronoun, in the order of the occupations."""
    counts: dict[str, dict[Pronoun, int]] = {}
    for translation in translations:
        by_pronoun = counts.setdefault(translation.occupation, dict.fromkeys(PRONOUNS, 0))
        by_pronoun[translation.pronoun] += 1
    return counts


def counts_rows(counts: dict[str, dict[Pronoun, int]]) -> Sequence[dict[str, str | int]]:
    """Return counts as an association table in long form: target, attribute, value."""
    return [
        {"target": occupation, "attribute": pronoun, "value": count}
        for occupation, by_pronoun in counts.items()
        for pronoun, count in by_pronoun.items()
    ]


def counts_table(
    counts: Mapping[str, Mapping[Pronoun, int]], source: str = "translations"
) -> AssociationTable:
    """Return counts as an association table: occupations are rows and pronouns are columns.

    >>> rows = [Translation("tr", "nurse", "She is."), Translation("tr", "doctor", "He is.")]
    >>> table = counts_table(count_pronouns(rows))
    >>> table, table.columns
    (<AssociationTable translations: 2 × 4>, ('she', 'he', 'they', 'other'))
    """
    values = [[by_pronoun[pronoun] for pronoun in PRONOUNS] for by_pronoun in counts.values()]
    return AssociationTable(values, counts, PRONOUNS, source)
