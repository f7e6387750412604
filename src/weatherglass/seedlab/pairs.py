"""Which seed sets to use, which of them to compare, and how the words of two sets correspond."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from weatherglass.catalog import (
    AnyTest,
    FactualTest,
    Pairing,
    SeedSet,
    Test,
    concepts,
    load_seeds,
    load_tests,
    pairings,
    seed_sets,
    seeds,
)
from weatherglass.errors import CatalogError, UsageError, quote_safe

from .lint import find_opposed_concepts, is_about_people

Which = str | os.PathLike[str] | SeedSet | Test | FactualTest
SUFFIXES = (".yaml", ".yml", ".json", ".csv", ".tsv", ".txt")
MAX_SETS_ALL_PAIRS = 4  # as many sets as a test has; of more, only pairs from a study are compared


def resolve_sets(which: Which | Iterable[Which]) -> tuple[SeedSet, ...]:
    """Return seed sets by id, by pattern or from files, without duplicates.

    Parameters
    ----------
    which
        One set or several: ids of the catalogue, patterns (``female_*``), files of your own,
        `SeedSet`, or the sets of tests: a test, or a file of tests.

    Raises
    ------
    UnknownEntry
        No set and no file has this name.
    UsageError
        Two different sets have the same id.

    Examples
    --------
    >>> mine = SeedSet(id="mine", words=["sun"])
    >>> [seed_set.id for seed_set in resolve_sets(["career-Cal*", mine])]
    ['career-Caliskan_et_al_2017', 'mine']
    """
    names = (
        [which] if isinstance(which, str | os.PathLike | SeedSet | Test | FactualTest) else which
    )
    sets: dict[str, SeedSet] = {}
    for seed_set in itertools.chain.from_iterable(map(_resolve, names)):
        if sets.setdefault(seed_set.id, seed_set) != seed_set:
            raise UsageError(
                f"Two different seed sets are called {quote_safe(seed_set.id)}; rename yours."
            )
    if not sets:
        raise UsageError("No seed set was given.")
    return tuple(sets.values())


def _resolve(which: Which) -> tuple[SeedSet, ...]:
    if isinstance(which, SeedSet):
        return (which,)
    if isinstance(which, Test | FactualTest):
        return _sets_of(which)
    name = os.fspath(which)
    if not isinstance(which, str) or (name.lower().endswith(SUFFIXES) or os.path.isfile(name)):
        return _load_sets(Path(name))
    if any(wildcard in name for wildcard in "*?["):
        return seed_sets(name)
    return (seeds(name),)


def _load_sets(path: Path) -> tuple[SeedSet, ...]:
    """Return the seed sets of a file, or the sets of the tests that it has instead."""
    try:
        return load_seeds(path)
    except CatalogError:
        try:
            entries = load_tests(path)
        except CatalogError:
            entries = ()
        if not entries:
            raise
    return tuple(seed_set for entry in entries for seed_set in _sets_of(entry))


def _sets_of(test: AnyTest) -> tuple[SeedSet, ...]:
    """Return the sets of a test as seed sets, such as ``weat6.X``."""
    return tuple(
        SeedSet(id=f"{test.id}.{side}", words=part.words, description=part.label)
        for side, part in test.sets.items()
    )


def pair_sets(
    sets: Sequence[SeedSet], against: Sequence[SeedSet] = ()
) -> tuple[tuple[SeedSet, SeedSet], ...]:
    """Return the pairs of sets to compare.

    Each set with each of `against`. Without `against`, all pairs of up to four sets; of more, only
    the pairs that a study contrasts. Empty sets are left out.

    Examples
    --------
    >>> len(pair_sets(seed_sets("*male_[12]-Cal*"))), len(pair_sets(seed_sets()))
    (6, 66)
    """
    usable = [seed_set for seed_set in sets if seed_set.words]
    if against:
        others = [seed_set for seed_set in against if seed_set.words]
        pairs = [(a, b) for a in usable for b in others if a != b]
        # Two sets that are on both sides make one pair: the first, hence both reversals.
        return tuple({frozenset((a.id, b.id)): (a, b) for a, b in reversed(pairs)}.values())[::-1]
    if len(usable) <= MAX_SETS_ALL_PAIRS:
        return tuple(itertools.combinations(usable, 2))
    by_id = {seed_set.id: seed_set for seed_set in usable}
    return tuple(
        (by_id[a], by_id[b])
        for a, b in (pairing.sets for pairing in pairings())
        if a in by_id and b in by_id and is_known(by_id[a]) and is_known(by_id[b])
    )


def are_opposed(first: SeedSet, second: SeedSet) -> bool:
    """Return whether two sets are opposite ends of one dimension, and so should be alike otherwise.

    They are if a study contrasts their concepts. If the catalogue does not have their concepts,
    two sets for people are opposed, and so are two sets for anything else.

    Examples
    --------
    >>> female, male, career = seed_sets("*male_1-Cal*", "career-Cal*")
    >>> are_opposed(male, female), are_opposed(male, career)
    (True, False)
    """
    if {first.concept, second.concept} <= concepts().keys():
        return frozenset((first.concept, second.concept)) in find_opposed_concepts()
    return is_about_people(first) == is_about_people(second)


def is_known(seed_set: SeedSet) -> bool:
    """Return whether a set is in the catalogue, with the same words."""
    try:
        return seeds(seed_set.id) == seed_set
    except CatalogError:
        return False


Match = Literal["documented", "parallel", "position"]
Kind = Literal["gathered", "generated", "own"]
Words = SeedSet | str | Sequence[str]


@dataclass(frozen=True)
class SeedPair:
    """Two seed sets, X and Y.

    Attributes
    ----------
    x, y
        Their names.
    x_words, y_words
        Their words, without duplicates.
    pairs
        The corresponding words of X and Y, for PCA.
    match
        How the pairs of words are known: ``documented``, a study gives them; ``parallel``, its
        lists are in the same order; ``position``, neither, so the first word is paired with the
        first, and so on, and words beyond the end of the shorter list are in no pair.
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
    """Pair two seed sets and their words.

    Parameters
    ----------
    x, y
        Seed sets, ids of the catalogue, or lists of words. Words are paired as the catalogue
        documents it, if it does.
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
    first, second = _to_seed_set(x, "X"), _to_seed_set(y, "Y")
    pairing = _find_pairing(first, second)
    listed = pairing.words() if pairing else ()
    if listed and pairing and pairing.sets[0] != first.id:
        listed = tuple((b, a) for a, b in listed)
    match: Match = "position"
    if listed and pairing and pairing.match != "none":
        match = pairing.match
    return SeedPair(
        x=first.id,
        y=second.id,
        x_words=first.word_set().words,
        y_words=second.word_set().words,
        # Not strict, because the paper does the same: figure 3 (c) pairs 17 names with 20.
        pairs=tuple(dict.fromkeys(listed or zip(first.words, second.words, strict=False))),
        match=match,
        kind=kind or ("gathered" if is_known(first) and is_known(second) else "own"),
    )


def gathered_pairs(which: Iterable[Pairing] | None = None) -> tuple[SeedPair, ...]:
    """Return the pairs of seed sets that a study contrasts.

    Parameters
    ----------
    which
        Only these pairings, from `weatherglass.catalog.pairings`; by default all.

    Examples
    --------
    >>> len(gathered_pairs())
    66
    >>> from weatherglass.catalog import pairings
    >>> [pair.y for pair in gathered_pairs(pairings("jew-Manzini_et_al_2019"))]
    ['christian-Manzini_et_al_2019', 'muslim-Manzini_et_al_2019']
    """
    return tuple(seed_pair(*pairing.sets) for pairing in (pairings() if which is None else which))


def _to_seed_set(words: Words, name: str) -> SeedSet:
    if isinstance(words, SeedSet):
        return words
    if isinstance(words, str):
        return seeds(words)
    if not words:
        raise UsageError(f"{name} has no words.")
    return SeedSet(id=name, words=tuple(words))


def _find_pairing(first: SeedSet, second: SeedSet) -> Pairing | None:
    """Return the catalogue's pairing of two of its sets, if it has one."""
    if not (is_known(first) and is_known(second)):
        return None
    by_partner = (p for p in pairings(first.id) if p.other(first.id) == second.id)
    return next(by_partner, None)
