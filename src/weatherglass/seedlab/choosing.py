"""Which seed sets are meant, and which of them are held against each other."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from weatherglass.catalog import SeedSet, concepts, load_seeds, pairings, seed_sets, seeds
from weatherglass.errors import CatalogError, UsageError, shown

from .lexicons import is_of_people, opposed_concepts

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
            raise UsageError(f"Two different seed sets are called {shown(one.id)}; rename yours.")
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
