"""Word sets in a vocabulary: which words are there, as it spells them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from weatherglass.errors import UsageError, quote_safe

from .vectors import Positions, Vectors

Case = Literal["auto", "keep", "lower"]


@dataclass(frozen=True, eq=False)
class SetPositions:
    """Word sets in a vocabulary.

    Attributes
    ----------
    at
        The positions of each set's words, without repeats. A set of which fewer than two words are
        there is left out, and so is one that has the same words as another.
    missing
        The words that are not in the vocabulary, or whose rows have no direction.
    asked
        How many sets were looked for.
    """

    at: tuple[tuple[int, ...], ...]
    missing: tuple[str, ...]
    asked: int

    @property
    def positions(self) -> Positions:
        """The positions of all words of all sets."""
        return np.array(sorted({at for one in self.at for at in one}), dtype=np.intp)


def check_case(case: str) -> None:
    """Raise `UsageError` unless `case` is one of the three."""
    if case not in get_args(Case):
        raise UsageError(f"case is {case!r}; it must be one of {', '.join(get_args(Case))}.")


def find_positions(vectors: Vectors, words: Sequence[str], case: Case) -> Positions:
    """The position of each word; -1 where it is missing.

    ``keep`` takes words as they are written, ``lower`` in lower case. ``auto`` takes a word as it
    is written if it is there, and otherwise, where the vocabulary has no capitals, in lower case.
    """
    check_case(case)
    positions = vectors.words.find(word.lower() if case == "lower" else word for word in words)
    if case == "auto" and not vectors.cased:
        lower = vectors.words.find(word.lower() for word in words)
        positions = np.where(positions >= 0, positions, lower)
    return positions


def find_usable_positions(vectors: Vectors, words: Sequence[str], case: Case) -> Positions:
    """As `find_positions`, and -1 also where the row has no direction."""
    positions = find_positions(vectors, words, case)
    return np.where(np.isin(positions, vectors.unusable), -1, positions)


def find_set_positions(vectors: Vectors, sets: Sequence[Sequence[str]], case: Case) -> SetPositions:
    """Look up sets of words.

    >>> vectors = Vectors.of(["he", "she", "him"], [[1, 0], [0, 1], [1, 1]])
    >>> find_set_positions(vectors, [["He", "She"], ["him", "her"]], "auto")
    FoundSets(at=((0, 1),), missing=('her',), asked=2)
    """
    words = [word for one in sets for word in one]
    positions = iter(find_usable_positions(vectors, words, case).tolist())
    # One word after the other, set by set, in the order in which they were looked up.
    placed = [[(word, next(positions)) for word in one] for one in sets]
    missing = dict.fromkeys(word for one in placed for word, at in one if at < 0)
    kept: dict[frozenset[int], tuple[int, ...]] = {}
    for one in placed:
        there = tuple(dict.fromkeys(at for _, at in one if at >= 0))
        if len(there) > 1:
            kept.setdefault(frozenset(there), there)
    return SetPositions(tuple(kept.values()), tuple(missing), len(sets))


def capitalise(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Words as they stand in titles, and in capitals.

    >>> capitalise(["she", "twin_sister"])
    (('She', 'Twin_Sister'), ('SHE', 'TWIN_SISTER'))
    """
    listed = tuple(words)
    return tuple(word.title() for word in listed), tuple(word.upper() for word in listed)


def check_sets(sets: Iterable[Sequence[str]], what: str) -> tuple[tuple[str, ...], ...]:
    """Sets of words as tuples; raises `UsageError` where one is text, or is not two words."""
    made = []
    for one in sets:
        if isinstance(one, str | bytes) or len(one) < 2:
            seen = quote_safe(one) if isinstance(one, str | bytes) else f"a list of {len(one)}"
            raise UsageError(f"{what} has {seen}; a list of two words or more was expected.")
        made.append(tuple(one))
    return tuple(made)
