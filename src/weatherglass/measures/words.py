"""From the words of a test to unit rows: what every measure does first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import UnusableRow, few, shown
from weatherglass.vectors import Vectors
from weatherglass.vectors.spelling import Case, look_up


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
    positions = look_up(vectors, words, case)
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
        return found, f"X and Y both have {shown(min(both))}, as this source spells it"
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
                f"({few(map(shown, gone))}), more than the share of {max_missing:g} that "
                "--max-missing allows"
            )
        if len(found) < least[name]:
            words_found = "1 word" if len(found) == 1 else f"{len(found)} words"
            return f"{name} has {words_found}, at least {least[name]} are needed"
    return ""
