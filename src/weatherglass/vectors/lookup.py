"""The positions of words and word sets in a vocabulary, under a rule for capital letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, did_you_mean, quote_safe

from .vectors import Positions, Vectors

Case = Literal["auto", "keep", "lower"]

MAX_SUGGESTED_RANK = 50_000
"""Words that are suggested for one that was not found are among this many first ones."""


@dataclass(frozen=True, eq=False)
class SetPositions:
    """The positions of word sets in a vocabulary.

    Attributes
    ----------
    sets
        The positions of each set's words, without duplicates. A set is left out if fewer than two
        of its words were found, or if it has the same words as another set.
    missing
        Words that are not in the vocabulary, or whose rows have no direction.
    requested
        The number of sets looked up.
    """

    sets: tuple[tuple[int, ...], ...]
    missing: tuple[str, ...]
    requested: int

    @property
    def positions(self) -> Positions:
        """The positions of all words of all sets, sorted."""
        unique = {position for positions in self.sets for position in positions}
        return np.array(sorted(unique), dtype=np.intp)


def check_case(case: str) -> None:
    """Raise `UsageError` unless `case` is "auto", "keep" or "lower"."""
    if case not in get_args(Case):
        raise UsageError(f"case is {case!r}; it must be one of {', '.join(get_args(Case))}.")


def find_positions(vectors: Vectors, words: Sequence[str], case: Case) -> Positions:
    """Return the position of each word, -1 for words that are not in the vocabulary.

    ``keep`` looks words up as they are written, ``lower`` in lower case. ``auto`` looks a word up
    as it is written and then, if the vocabulary has no capitals, in lower case.
    """
    check_case(case)
    positions = vectors.words.find(word.lower() if case == "lower" else word for word in words)
    if case == "auto" and not vectors.cased:
        lower = vectors.words.find(word.lower() for word in words)
        positions = np.where(positions >= 0, positions, lower)
    return positions


def find_usable_positions(vectors: Vectors, words: Sequence[str], case: Case) -> Positions:
    """Return positions as `find_positions` does, -1 also for rows that have no direction."""
    positions = find_positions(vectors, words, case)
    return np.where(np.isin(positions, vectors.unusable), -1, positions)


def find_word(vectors: Vectors, word: str, case: Case = "auto") -> str:
    """Return a word as the vocabulary spells it, by the rule that tests use.

    If the vocabulary spells it otherwise (in lower case, with a capital, or with an accent in one
    character instead of two), the message suggests that.

    Raises
    ------
    CannotMeasure
        The word is not in the vocabulary.

    Examples
    --------
    >>> vectors = Vectors.of(["mädchen", "junge"], [[1, 0], [0, 1]])
    >>> find_word(vectors, "Mädchen")
    'mädchen'
    >>> find_word(vectors, "maedchen")
    Traceback (most recent call last):
        ...
    weatherglass.errors.CannotMeasure: 'maedchen' is not in memory. Did you mean mädchen?
    """
    position = int(find_positions(vectors, [word], case)[0])
    if position >= 0:
        return vectors.words[position]
    composed = unicodedata.normalize("NFC", word)
    forms = dict.fromkeys(
        form
        for base in (composed, unicodedata.normalize("NFD", word))
        for form in (base, base.lower(), base.capitalize(), base.upper())
    )
    known = [form for form in forms if form in vectors.words]
    question = f" Did you mean {' or '.join(known[:3])}?" if known else ""
    question = question or did_you_mean(composed, _frequent_words(vectors, composed[:1]))
    raise CannotMeasure(f"{quote_safe(word)} is not in {vectors.source}.{question}")


def _frequent_words(vectors: Vectors, initial: str) -> list[str]:
    """Return the frequent words with an initial, among which one that was mistyped is sought."""
    words = vectors.words[:MAX_SUGGESTED_RANK]
    return [word for word in words if word[:1].lower() == initial.lower()]


def find_set_positions(vectors: Vectors, sets: Sequence[Sequence[str]], case: Case) -> SetPositions:
    """Return the positions of the words of each set.

    >>> vectors = Vectors.of(["he", "she", "him"], [[1, 0], [0, 1], [1, 1]])
    >>> find_set_positions(vectors, [["He", "She"], ["him", "her"]], "auto")
    SetPositions(sets=((0, 1),), missing=('her',), requested=2)
    """
    words = [word for words_of_set in sets for word in words_of_set]
    # All words are looked up in one call, which is faster, and then dealt out set by set.
    found = iter(find_usable_positions(vectors, words, case).tolist())
    pairs_of_sets = [[(word, next(found)) for word in words_of_set] for words_of_set in sets]
    missing = dict.fromkeys(
        word for pairs in pairs_of_sets for word, position in pairs if position < 0
    )
    unique: dict[frozenset[int], tuple[int, ...]] = {}
    for pairs in pairs_of_sets:
        positions = tuple(dict.fromkeys(position for _, position in pairs if position >= 0))
        if len(positions) > 1:
            unique.setdefault(frozenset(positions), positions)
    return SetPositions(tuple(unique.values()), tuple(missing), len(sets))


def capitalise(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words in title case and in upper case.

    >>> capitalise(["she", "twin_sister"])
    (('She', 'Twin_Sister'), ('SHE', 'TWIN_SISTER'))
    """
    words = tuple(words)
    return tuple(word.title() for word in words), tuple(word.upper() for word in words)


def check_sets(sets: Iterable[Sequence[str]], argument: str) -> tuple[tuple[str, ...], ...]:
    """Return the sets as tuples; raise `UsageError` if one is text or has fewer than two words."""
    checked = []
    for words in sets:
        if isinstance(words, str | bytes) or len(words) < 2:
            value = (
                quote_safe(words) if isinstance(words, str | bytes) else f"a list of {len(words)}"
            )
            raise UsageError(f"{argument} has {value}; a list of two words or more was expected.")
        checked.append(tuple(words))
    return tuple(checked)
