"""Word sets: their words, looked up in a source, as unit rows."""

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

from .association_table import AssociationTable, Embedding, TableSide, side_of

Floats = NDArray[np.float64]
Sets = Mapping[str, Sequence[str] | SeedSet | WordSet | str]
"""Word sets by name: lists of words, sets of the catalogue, or their ids."""

TARGET_SETS = ("X", "Y", "W")
"""The names of target sets; every other set of a measure holds attributes, but for X1, X2, …"""

_EPSILON = 1e-12  # relative length below which a mean of vectors has no direction


class Words(Protocol):
    """Anything with a list of words."""

    @property
    def words(self) -> Sequence[str]: ...


@dataclass(frozen=True, eq=False)
class FoundSet:
    """A word set as a source has it.

    Attributes
    ----------
    words, rows
        The words that the source has, in its spelling, and their unit rows.
    missing
        The words that it does not have.
    kept
        The positions of `words` in the set as it was given.
    merged
        Words that were left out because in lower case they are one of `words`.
    is_of_table
        Whether inner products of rows are values of a table, and not cosines.
    """

    words: tuple[str, ...]
    rows: Floats
    missing: tuple[str, ...]
    kept: tuple[int, ...]
    merged: tuple[str, ...] = ()
    is_of_table: bool = False


def spellings(sets: Iterable[Words]) -> set[str]:
    """Return every spelling under which the words of sets may be looked up."""
    words = {word for word_set in sets for word in word_set.words}
    return words | {word.lower() for word in words}


def find_words(vectors: Vectors, words: Sequence[str], case: Case) -> FoundSet:
    """Look up the words of one set, spelled as `case` says."""
    rows = find_positions(vectors, words, case).tolist()
    first = {row: i for i, row in reversed(list(enumerate(rows)))}
    kept = tuple(i for i, row in enumerate(rows) if row >= 0 and first[row] == i)
    kept_rows = np.array([rows[i] for i in kept], dtype=np.intp)
    return FoundSet(
        words=tuple(vectors.words.at(kept_rows)),
        rows=vectors.unit_at(kept_rows),
        missing=tuple(word for word, row in zip(words, rows, strict=True) if row < 0),
        kept=kept,
        merged=tuple(words[i] for i, row in enumerate(rows) if row >= 0 and first[row] != i),
        is_of_table=isinstance(vectors, TableSide),
    )


def find_sets(
    vectors: Embedding, sets: Mapping[str, Words], case: Case, allow_overlap: bool = False
) -> tuple[dict[str, FoundSet], str]:
    """Look up every set of a test; return the sets, and why it cannot be run or an empty text.

    A word that is both target and attribute is a reason, unless `allow_overlap`.
    """
    found: dict[str, FoundSet] = {}
    for name, word_set in sets.items():
        try:
            lookup = side_of(vectors, is_target_set(name))
            found[name] = find_words(lookup, word_set.words, case)
        except UnusableRow as error:
            return {}, str(error).rstrip(".")
    if reason := _shared_target_reason(found):
        return found, reason
    if isinstance(vectors, AssociationTable):
        return found, _table_reason(vectors, found, allow_overlap)
    if allow_overlap:
        return found, ""
    words = {name: word_set.words for name, word_set in found.items()}
    return found, overlap_reason(words, {name: found[name].rows for name in found})


def _table_reason(
    table: AssociationTable, found: Mapping[str, FoundSet], allow_overlap: bool
) -> str:
    """Return which word is both target and attribute, or which pair has no value."""
    words: dict[bool, list[str]] = {True: [], False: []}
    for name, word_set in found.items():
        words[is_target_set(name)] += word_set.words
    shared = next((word for word in words[True] if word in set(words[False])), None)
    if shared is not None and not allow_overlap:
        return (
            f"{quote_safe(shared)} is both a target and an attribute, so that its value with "
            "itself would count as association; --allow-overlap runs it all the same"
        )
    return table.gap_reason(words[True], words[False])


def is_target_set(name: str) -> bool:
    """Return whether a set of this name holds targets: X, Y, W, or a group X1, X2, …

    >>> [name for name in ("X", "Y", "A", "X12", "A1", "Xa") if is_target_set(name)]
    ['X', 'Y', 'X12']
    """
    return name in TARGET_SETS or (name[:1] == "X" and name[1:].isdecimal())


def _shared_target_reason(found: Mapping[str, FoundSet]) -> str:
    """Return which word is in two target sets, as the source spells it; empty if none is."""
    owner: dict[str, str] = {}
    for name in filter(is_target_set, found):
        for word in sorted(found[name].words):
            other = owner.setdefault(word, name)
            if other != name:
                return f"{other} and {name} both have {quote_safe(word)}, as this source spells it"
    return ""


def overlap_reason(
    words: Mapping[str, Sequence[str]], rows: Mapping[str, Floats] | None = None
) -> str:
    """Return why a test is not run in which words are both target and attribute, or an empty text.

    The parameters are those of `describe_overlap`.

    >>> overlap_reason({"X": ["he"], "A": ["he"]})[-76:]
    'which is 1, would count as association; --allow-overlap runs it all the same'
    """
    overlap = describe_overlap(words, rows)
    would_count = "would count as association; --allow-overlap runs it all the same"
    return f"{overlap} {would_count}" if overlap else ""


def describe_overlap(
    words: Mapping[str, Sequence[str]], rows: Mapping[str, Floats] | None = None
) -> str:
    """Describe the words that are both target and attribute; empty if there are none.

    A verb is to follow: what their cosines with themselves do.

    The cosine of such a word with itself is 1, whatever the embedding. It enters the association
    of the word as if it were measured, so that sets look aligned that are not.

    Parameters
    ----------
    words
        The words of each set, as the source spells them.
    rows
        Their rows, for an encoder that lower-cases what it encodes: spellings that differ in
        capitals only are one word if they also have the same row.

    Examples
    --------
    >>> describe_overlap({"X": ["he", "man"], "Y": ["she"], "A": ["career", "he"], "B": ["home"]})
    "'he' is both a target (X) and an attribute (A), so that its cosine with itself, which is 1,"
    >>> describe_overlap({"X": ["he"], "A": ["him"]})
    ''
    """
    shared: dict[str, None] = {}
    sides: list[tuple[str, str]] = []
    for target in filter(is_target_set, words):
        for attribute in (name for name in words if not is_target_set(name)):
            in_both = _shared_words(words, rows, target, attribute)
            if in_both:
                shared |= dict.fromkeys(in_both)
                sides.append((target, attribute))
    if not shared:
        return ""
    targets, attributes = (", ".join(dict.fromkeys(names)) for names in zip(*sides, strict=True))
    listed = join_first(map(quote_safe, shared))
    if len(shared) == 1:
        are = f"is both a target ({targets}) and an attribute ({attributes}), so that its cosine"
        own = "with itself"
    else:
        are = f"are both targets ({targets}) and attributes ({attributes}), so that their cosines"
        own = "with themselves"
    which = "which is 1," if len(shared) == 1 else "which are 1,"
    return f"{listed} {are} {own}, {which}"


def _shared_words(
    words: Mapping[str, Sequence[str]],
    rows: Mapping[str, Floats] | None,
    target: str,
    attribute: str,
) -> list[str]:
    """Return the words of a target set that are also in an attribute set."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words[attribute]):
        places.setdefault(word.lower(), []).append(place)
    return [
        word
        for i, word in enumerate(words[target])
        if any(
            word == words[attribute][j]
            or (rows is not None and np.array_equal(rows[target][i], rows[attribute][j]))
            for j in places.get(word.lower(), ())
        )
    ]


def split_found(
    found: Mapping[str, FoundSet],
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the words that the source has and those that it does not have, set by set."""
    return (
        {name: words.words for name, words in found.items()},
        {name: words.missing for name, words in found.items()},
    )


def too_few_reason(
    words: Mapping[str, Sequence[str]],
    missing: Mapping[str, Sequence[str]],
    min_words: Mapping[str, int],
    max_missing: float,
) -> str:
    """Return why the words found do not allow the measurement; empty if they do."""
    for name, used in words.items():
        absent = missing[name]
        total = len(used) + len(absent)
        if len(absent) > max_missing * total:
            verb = "is" if len(absent) == 1 else "are"
            return (
                f"{len(absent)} of the {total} words of {name} {verb} missing "
                f"({join_first(map(quote_safe, absent))}); at most {100 * max_missing:g}% may be"
            )
        if len(used) < min_words[name]:
            count = "1 word" if len(used) == 1 else f"{len(used)} words"
            return f"{name} has {count}, at least {min_words[name]} are needed"
    return ""


def case_hint(vectors: Embedding, missing: Mapping[str, Sequence[str]], case: str) -> str:
    """Return that missing words are there in lower case, to follow a reason; else nothing."""
    if case != "auto":
        return ""
    found = sum(
        word.lower() in side_of(vectors, is_target_set(name))
        for name, words in missing.items()
        for word in dict.fromkeys(words)
        if word != word.lower()
    )
    return f"; {found} of the missing words are there in lower case (--case lower)" if found else ""


def rank_words(
    words: Mapping[str, Sequence[str]], values: Mapping[str, Sequence[float]], name: str
) -> tuple[tuple[str, float], ...]:
    """Return the words of a set with their numbers, the largest first."""
    pairs = zip(words.get(name, ()), values.get(name, ()), strict=False)
    return tuple(sorted(pairs, key=lambda pair: -pair[1]))


@dataclass(frozen=True)
class NamedWords:
    """The words of a set, and what the set is called."""

    words: tuple[str, ...]
    label: str = ""


@dataclass(frozen=True, eq=False)
class MeasureInput:
    """What a measure computes with: the sets as the source has them, and their rows.

    `pairs` has the pairs of A and B, as the source spells them, for a measure that needs pairs.
    """

    vectors: Vectors
    found: Mapping[str, FoundSet]
    pairs: tuple[tuple[str, str], ...] = ()

    def rows(self, name: str, unit: bool = True) -> Floats:
        """Return the rows of a set, at unit length or as the source has them."""
        words = self.found[name]
        return words.rows if unit else self.raw_rows(words.words)

    def raw_rows(self, words: Sequence[str]) -> Floats:
        """Return the rows of words as the source has them."""
        return self.vectors.take(words).rows.astype(np.float64)

    @property
    def paired_words(self) -> dict[str, tuple[str, ...]]:
        """The first and the second words of the pairs, under the names of their sets."""
        return {name: tuple(pair[k] for pair in self.pairs) for k, name in enumerate("AB")}


def parse_sets(sets: Sets) -> dict[str, NamedWords]:
    """Return the sets without repeated words; raise `UsageError` on what is no word set."""
    if not isinstance(sets, Mapping):
        raise UsageError('The word sets must have names, such as {"X": [...], "A": [...]}.')
    parsed = {name: _parse_set(name, words) for name, words in sets.items()}
    return {
        name: NamedWords(tuple(dict.fromkeys(word_set.words)), word_set.label)
        for name, word_set in parsed.items()
    }


def word_pairs(sets: Sets) -> tuple[tuple[str, str], ...]:
    """Return the pairs of A and B: those that a study documents for two sets of the catalogue, or
    else the first word of A with the first of B, and so on.

    >>> word_pairs({"A": ["she", "her"], "B": ["he", "his"]})
    (('she', 'he'), ('her', 'his'))
    """
    first, second = (_parse_set(name, sets[name]) for name in "AB")
    try:
        if all(seeds(side.label).words == side.words for side in (first, second)):
            return pairs(first.label, second.label)
    except CatalogError:  # not in the catalogue, or its study compares only whole sets
        pass
    if len(first.words) != len(second.words):
        raise UsageError(
            f"The words of A and B must form pairs, but A has {len(first.words)} words and B has "
            f"{len(second.words)}."
        )
    return tuple(zip(first.words, second.words, strict=True))


def find_word_pairs(
    vectors: Vectors, wanted: Sequence[tuple[str, str]], case: Case
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of which the source has both words, in its spelling, each once.

    Raises
    ------
    CannotMeasure
        There is none.
    """
    found = find_pairs(vectors, wanted, case)
    if not found.sets:
        raise CannotMeasure(f"no pair of A and B has two different words in {vectors.source}.")
    return tuple((vectors.words[first], vectors.words[second]) for first, second in found.sets)


def unit_direction(row: Floats, cause: str, scale: float = 1.0) -> Floats:
    """Return a row at unit length; raise `CannotMeasure` where it has no direction.

    `scale` is the length of the vectors that it was computed from; `cause` begins the message.
    """
    length = float(np.linalg.norm(row))
    if length <= _EPSILON * scale:
        raise CannotMeasure(f"{cause}, so there is no direction.")
    return row / length


def _parse_set(name: str, given: Sequence[str] | SeedSet | WordSet | str) -> NamedWords:
    """Return a set's words with repeats, because pairs go by position."""
    if isinstance(given, str):
        given = seeds(given)
    if isinstance(given, SeedSet):
        given.word_set()  # raises where the catalogue lists a set without its words
    if isinstance(given, SeedSet | WordSet):
        return NamedWords(tuple(given.words), given.label)
    words = tuple(given)
    wrong = next((word for word in words if not isinstance(word, str) or not word.strip()), None)
    if wrong is not None or not words:
        problem = f"has {quote_safe(str(wrong))}" if words else "is empty"
        raise UsageError(f"The set {quote_safe(name)} {problem}; give it words.")
    return NamedWords(words)
