"""Two seed sets held against each other, and which word of the one answers which of the other."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from weatherglass.catalog import Pairing, SeedSet, concepts, load_seeds, pairings, seed_sets, seeds
from weatherglass.errors import CatalogError, UsageError, quote_safe

from .lint import is_of_people, opposed_concepts

Which = str | os.PathLike[str] | SeedSet
ENDINGS = (".yaml", ".yml", ".json", ".csv", ".tsv", ".txt")
_ALL_PAIRS = 4  # sets, as many as a test has; of more, only pairs that a study makes


def chosen_sets(which: Which | Iterable[Which]) -> tuple[SeedSet, ...]:
    """Seed sets by id, by pattern, from files, or as they are; each once.

    Parameters
    ----------
    which
        A set, or several: ids of the catalogue, patterns (``female_*``), files of your own, or
        `SeedSet`.

    Raises
    ------
    UnknownEntry
        If there is no such set, and no such file.
    UsageError
        If two different sets have the same id.

    Examples
    --------
    >>> [one.id for one in chosen_sets(["career-Cal*", SeedSet(id="mine", words=["sun"])])]
    ['career-Caliskan_et_al_2017', 'mine']
    """
    several = [which] if isinstance(which, str | os.PathLike | SeedSet) else which
    chosen: dict[str, SeedSet] = {}
    for one in (one for asked in several for one in _found(asked)):
        if chosen.setdefault(one.id, one) != one:
            raise UsageError(
                f"Two different seed sets are called {quote_safe(one.id)}; rename yours."
            )
    if not chosen:
        raise UsageError("No seed set was given.")
    return tuple(chosen.values())


def _found(asked: Which) -> tuple[SeedSet, ...]:
    if isinstance(asked, SeedSet):
        return (asked,)
    name = os.fspath(asked)
    if not isinstance(asked, str) or (name.lower().endswith(ENDINGS) or os.path.isfile(name)):
        return load_seeds(Path(name))
    if any(mark in name for mark in "*?["):
        return seed_sets(name)
    return (seeds(name),)


def set_pairs(
    sets: Sequence[SeedSet], against: Sequence[SeedSet] = ()
) -> tuple[tuple[SeedSet, SeedSet], ...]:
    """The pairs of sets to look at.

    Each set with each of `against`. Without these, each with each other, if there are no more than
    four sets; of more, those pairs that a study makes. Sets without words are in none.

    Examples
    --------
    >>> len(set_pairs(seed_sets("*male_[12]-Cal*"))), len(set_pairs(seed_sets()))
    (6, 66)
    """
    usable = [one for one in sets if one.words]
    if against:
        others = [one for one in against if one.words]
        both = [(one, other) for one in usable for other in others if one != other]
        # Of two sets that are on both sides, one pair.
        return tuple({frozenset((a.id, b.id)): (a, b) for a, b in reversed(both)}.values())[::-1]
    if len(usable) <= _ALL_PAIRS:
        return tuple(itertools.combinations(usable, 2))
    given = {one.id: one for one in usable}
    return tuple(
        (given[a], given[b])
        for a, b in (one.sets for one in pairings())
        if a in given and b in given and is_known(given[a]) and is_known(given[b])
    )


def are_opposed(one: SeedSet, other: SeedSet) -> bool:
    """Whether two sets stand at two ends of one thing, and should be alike in all else.

    Sets of concepts that a study holds against each other do. Where the catalogue does not have
    their concepts, two sets of people do, and two sets of something else.

    Examples
    --------
    >>> female, male, career = seed_sets("*male_1-Cal*", "career-Cal*")
    >>> are_opposed(male, female), are_opposed(male, career)
    (True, False)
    """
    if {one.concept, other.concept} <= concepts().keys():
        return frozenset((one.concept, other.concept)) in opposed_concepts()
    return is_of_people(one) == is_of_people(other)


def is_known(one: SeedSet) -> bool:
    """Whether a set is the catalogue's own."""
    try:
        return seeds(one.id) == one
    except CatalogError:
        return False


Match = Literal["documented", "parallel", "position"]
Kind = Literal["gathered", "generated", "own"]
Words = SeedSet | str | Sequence[str]


@dataclass(frozen=True)
class SeedPair:
    """Seed sets X and Y.

    Attributes
    ----------
    x, y
        What they are called.
    x_words, y_words
        Their words, each once.
    pairs
        The words of X and Y that answer each other, for PCA.
    match
        How that is known: ``documented``, where a study gives pairs of words; ``parallel``, where
        its lists run side by side; ``position``, where neither is so and the first word is paired
        with the first, and so on. A word beyond the end of the shorter list is then in no pair.
    kind
        ``gathered`` from the literature, ``generated`` by the seed lab, or your ``own``.
    """

    x: str
    y: str
    x_words: tuple[str, ...]
    y_words: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    match: Match = "position"
    kind: Kind = "own"

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.x} / {self.y}"


def seed_pair(x: Words, y: Words, kind: Kind | None = None) -> SeedPair:
    """Hold two seed sets against each other.

    Parameters
    ----------
    x, y
        Seed sets, ids of the catalogue, or lists of words. Where the catalogue says how the words
        of two sets answer each other, that is kept.
    kind
        ``gathered`` if both sets are in the catalogue, else ``own``.

    Raises
    ------
    CatalogError
        A set has no words.

    Examples
    --------
    >>> pair = seed_pair("upperclass-Kozlowski_et_al_2019", "lowerclass-Kozlowski_et_al_2019")
    >>> pair.pairs[0], pair.match, pair.kind
    (('rich', 'poor'), 'documented', 'gathered')
    >>> seed_pair(["sun", "warm"], ["rain", "cold", "wet"]).pairs
    (('sun', 'rain'), ('warm', 'cold'))
    """
    first, second = _set(x, "X"), _set(y, "Y")
    known = _documented(first, second)
    # As Python's zip: figure 3 (c) pairs 17 names with 20.
    listed = known.words() if known else ()
    if listed and known and known.sets[0] != first.id:
        listed = tuple((b, a) for a, b in listed)
    match: Match = "position"
    if listed and known and known.match != "none":
        match = known.match
    return SeedPair(
        x=first.id,
        y=second.id,
        x_words=first.word_set().words,
        y_words=second.word_set().words,
        pairs=tuple(dict.fromkeys(listed or zip(first.words, second.words, strict=False))),
        match=match,
        kind=kind or ("gathered" if is_known(first) and is_known(second) else "own"),
    )


def gathered_pairs(which: Iterable[Pairing] | None = None) -> tuple[SeedPair, ...]:
    """Every pair of seed sets that a study holds against each other.

    Parameters
    ----------
    which
        Only these, of what `weatherglass.catalog.pairings` gives; by default all.

    Examples
    --------
    >>> len(gathered_pairs())
    66
    >>> from weatherglass.catalog import pairings
    >>> [pair.y for pair in gathered_pairs(pairings("jew-Manzini_et_al_2019"))]
    ['christian-Manzini_et_al_2019', 'muslim-Manzini_et_al_2019']
    """
    return tuple(seed_pair(*one.sets) for one in (pairings() if which is None else which))


def _set(given: Words, name: str) -> SeedSet:
    if isinstance(given, SeedSet):
        return given
    if isinstance(given, str):
        return seeds(given)
    if not given:
        raise UsageError(f"{name} has no words.")
    return SeedSet(id=name, words=tuple(given))


def _documented(first: SeedSet, second: SeedSet) -> Pairing | None:
    if not (is_known(first) and is_known(second)):
        return None
    return next((one for one in pairings(first.id) if one.other(first.id) == second.id), None)
