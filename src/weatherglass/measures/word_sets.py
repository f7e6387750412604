"""From the words of a test to unit rows: what every measure does first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import SeedSet, WordSet, pairs, seeds
from weatherglass.errors import (
    CannotMeasure,
    CatalogError,
    UnusableRow,
    UsageError,
    join_first,
    quote_safe,
)
from weatherglass.vectors import Case, Vectors, find_positions
from weatherglass.vectors import find_set_positions as find_pairs


class Words(Protocol):
    """Anything with a list of words."""

    @property
    def words(self) -> Sequence[str]: ...


@dataclass(frozen=True, eq=False)
class Found:
    """One word set in one source: the words as the source spells them, their unit rows, the rest.

    `kept` has the positions of the words that were found in the set that was asked for. Words that
    become one word in lower case are used once; `merged` has the others.
    """

    words: tuple[str, ...]
    rows: NDArray[np.float64]
    missing: tuple[str, ...]
    kept: tuple[int, ...]
    merged: tuple[str, ...] = ()


def spellings(sets: Iterable[Words]) -> set[str]:
    """Every spelling under which the words of some sets may be looked up."""
    words = {word for one in sets for word in one.words}
    return words | {word.lower() for word in words}


def find_words(vectors: Vectors, words: Sequence[str], case: Case) -> Found:
    """Look up the words of one set, spelled as `case` says."""
    positions = find_positions(vectors, words, case)
    first = {at: i for i, at in reversed(list(enumerate(positions.tolist())))}
    there = [(i, first[at] == i) for i, at in enumerate(positions.tolist()) if at >= 0]
    kept = tuple(i for i, new in there if new)
    at = positions[list(kept)]
    return Found(
        words=tuple(vectors.words.at(at)),
        rows=vectors.unit_at(at),
        missing=tuple(word for word, k in zip(words, positions, strict=True) if k < 0),
        kept=kept,
        merged=tuple(words[i] for i, new in there if not new),
    )


def find_sets(
    vectors: Vectors, sets: Mapping[str, Words], case: Case
) -> tuple[dict[str, Found], str]:
    """Look up every set of a test; the second value says why it cannot be done, or is empty."""
    found: dict[str, Found] = {}
    for name, one in sets.items():
        try:
            found[name] = find_words(vectors, one.words, case)
        except UnusableRow as error:
            return {}, str(error).rstrip(".")
    both = set(found["X"].words) & set(found["Y"].words) if "Y" in found else set()
    if both:
        return found, f"X and Y both have {quote_safe(min(both))}, as this source spells it"
    return found, ""


def words_of(
    found: Mapping[str, Found],
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The words that were found and those that were not, set by set."""
    return (
        {name: one.words for name, one in found.items()},
        {name: one.missing for name, one in found.items()},
    )


def too_few(
    words: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[str]],
    least: Mapping[str, int],
    max_missing: float,
) -> str:
    """Why the words found do not allow the measurement, in one sentence; empty if they do."""
    for name, found in words.items():
        gone = missing[name]
        asked = len(found) + len(gone)
        if len(gone) > max_missing * asked:
            return (
                f"{len(gone)} of the {asked} words of {name} are missing "
                f"({join_first(map(quote_safe, gone))}), more than the share of {max_missing:g} that "
                "--max-missing allows"
            )
        if len(found) < least[name]:
            words_found = "1 word" if len(found) == 1 else f"{len(found)} words"
            return f"{name} has {words_found}, at least {least[name]} are needed"
    return ""


Floats = NDArray[np.float64]
Sets = Mapping[str, Sequence[str] | SeedSet | WordSet | str]
"""Word sets by name: lists of words, sets of the catalogue, or their ids."""

_NOTHING = 1e-12  # of the vectors that a mean was made of: as good as no direction


@dataclass(frozen=True)
class NamedWords:
    """The words of a set, each once, and what the set is called."""

    words: tuple[str, ...]
    label: str = ""


@dataclass(frozen=True, eq=False)
class Given:
    """The words that were found, and their rows.

    `pairs` has the pairs of A and B, as the source spells them, for a measure that needs pairs.
    """

    vectors: Vectors
    found: Mapping[str, Found]
    pairs: tuple[tuple[str, str], ...] = ()

    def rows(self, name: str, unit: bool = True) -> Floats:
        """The rows of a set: at unit length, or as the source has them."""
        one = self.found[name]
        return one.rows if unit else self.as_they_are(one.words)

    def as_they_are(self, words: Sequence[str]) -> Floats:
        """The rows of some words as the source has them."""
        return self.vectors.take(words).rows.astype(np.float64)

    @property
    def paired_words(self) -> dict[str, tuple[str, ...]]:
        """The first and the second words of the pairs, under the names of their sets."""
        return {name: tuple(pair[k] for pair in self.pairs) for k, name in enumerate("AB")}


def named_sets(sets: Sets) -> dict[str, NamedWords]:
    """The sets with their words, each once; raises `UsageError` on what is no set of words."""
    if not isinstance(sets, Mapping):
        raise UsageError('The word sets must have names, such as {"X": [...], "A": [...]}.')
    made = {name: _named(name, some) for name, some in sets.items()}
    return {
        name: NamedWords(tuple(dict.fromkeys(one.words)), one.label) for name, one in made.items()
    }


def asked_pairs(sets: Sets) -> tuple[tuple[str, str], ...]:
    """The pairs of A and B: those that a study documents for two sets of the catalogue, or else
    the first word of A with the first of B, and so on.

    >>> asked_pairs({"A": ["she", "her"], "B": ["he", "his"]})
    (('she', 'he'), ('her', 'his'))
    """
    first, second = (_named(name, sets[name]) for name in "AB")
    try:
        if all(seeds(one.label).words == one.words for one in (first, second)):
            return pairs(first.label, second.label)
    except CatalogError:  # not of the catalogue, or only compared as a whole
        pass
    if len(first.words) != len(second.words):
        raise UsageError(
            f"The words of A and B must answer each other one by one, and A has "
            f"{len(first.words)} words, B has {len(second.words)}."
        )
    return tuple(zip(first.words, second.words, strict=True))


def kept_pairs(
    vectors: Vectors, asked: Sequence[tuple[str, str]], case: Case
) -> tuple[tuple[str, str], ...]:
    """The pairs of which both words are there, as the source spells them; each once.

    Raises
    ------
    CannotMeasure
        There is none.
    """
    found = find_pairs(vectors, asked, case)
    if not found.at:
        raise CannotMeasure(f"no pair of A and B has two different words in {vectors.source}.")
    return tuple((vectors.words[first], vectors.words[second]) for first, second in found.at)


def direction(row: Floats, what: str, scale: float = 1.0) -> Floats:
    """A row at unit length; raises `CannotMeasure` where it has no direction.

    `scale` is the length of the vectors that it was made of; `what` says why it has none.
    """
    length = float(np.linalg.norm(row))
    if length <= _NOTHING * scale:
        raise CannotMeasure(f"{what}, so there is no direction.")
    return row / length


def _named(name: str, some: Sequence[str] | SeedSet | WordSet | str) -> NamedWords:
    """A set's words as they were given, with repeats, because pairs go by position."""
    if isinstance(some, str):
        some = seeds(some)
    if isinstance(some, SeedSet):
        some.word_set()  # raises where the catalogue knows of a set but not of its words
    if isinstance(some, SeedSet | WordSet):
        return NamedWords(tuple(some.words), some.label)
    words = tuple(some)
    wrong = next((word for word in words if not isinstance(word, str) or not word.strip()), None)
    if wrong is not None or not words:
        seen = f"has {quote_safe(str(wrong))}" if words else "is empty"
        raise UsageError(f"The set {quote_safe(name)} {seen}; words were expected.")
    return NamedWords(words)
