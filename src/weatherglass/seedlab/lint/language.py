"""The language of seed words: stated, or taken from what states it; and the checks that need it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weatherglass._languages import ENGLISH, language_name, parse_language
from weatherglass.catalog import SeedSet, seed_sets
from weatherglass.corpus import language_of_models
from weatherglass.vectors import Vectors

from .frequency import WordCounts

ENGLISH_CHECKS = ("names", "slurs", "group-words", "other-concepts", "circular")
"""Checks that compare words with lists of the catalogue, which are English."""


@dataclass(frozen=True)
class WordLanguage:
    """The language of seed words.

    Attributes
    ----------
    code
        Its code; empty if the sets are in several languages.
    origin
        What states it, to follow "as"; empty if nothing does, and English is assumed.
    """

    code: str
    origin: str = ""

    @classmethod
    def of(
        cls,
        sets: Iterable[SeedSet],
        stated: str | None = None,
        counts: WordCounts | None = None,
        vectors: Vectors | None = None,
    ) -> WordLanguage:
        """Return the language that was stated; else that of the sets, the corpus, the vectors."""
        if stated:
            return cls(parse_language(stated), "you state")
        codes = {_language_of_set(seed_set) for seed_set in sets if seed_set.words}
        if len(codes - {""}) > 1:
            return cls("", "the sets state")
        if codes and "" not in codes:
            return cls(codes.pop(), "the sets state")
        if counts is not None and counts.language:
            return cls(counts.language, f"{counts.source} states")
        trained = None if vectors is None else language_of_models(vectors.source)
        if trained and vectors is not None:
            return cls(trained, f"the folder of {vectors.source} states")
        if codes - {""}:  # some of the sets state it
            return cls((codes - {""}).pop(), "the sets state")
        return cls(ENGLISH)

    @property
    def name(self) -> str:
        """The language in a sentence."""
        return language_name(self.code) if self.code else "several languages"

    def why_not_listed(self, check: str) -> str:
        """Return why a check of word lists is not run; empty if it is."""
        if self.code == ENGLISH or check not in ENGLISH_CHECKS:
            return ""
        return f"the lists of words that it needs are English, and the words are {self._are}"

    @property
    def _are(self) -> str:
        return f"in {self.name}" if " " in self.name else self.name

    def sentence(self) -> str:
        """Say in which language the words were checked, and who says so."""
        if self.origin:
            return f"Language: {self.name}, as {self.origin}."
        return "Language: not stated, so the words were checked as English (--language)."


def _language_of_set(seed_set: SeedSet) -> str:
    """Return the language that a set states; the sets of the catalogue are English."""
    if seed_set.language:
        return seed_set.language
    return ENGLISH if seed_set.study is not None or _is_listed(seed_set) else ""


def _is_listed(seed_set: SeedSet) -> bool:
    return any(seed_set.id == known.id for known in seed_sets())
