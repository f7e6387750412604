"""What the sides of a test stand for: the concepts of the seed catalogue behind its words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from weatherglass.catalog import SeedSet, Test, concepts, pairings, seed_sets

from .multiverse_parts import Side

FACING = (("X", "Y"), ("A", "B"))
SIDES = ("X", "Y", "A", "B")
ALIKE = 0.5
"""The least share of words, of all that either has, for a set to tell the concept of a side."""


def documented_sets(test: Test, pair: tuple[str, str]) -> dict[str, SeedSet]:
    """The test's own sets of two facing sides, under their names in the catalogue if they are
    there, and then under names that stand against each other."""
    given = {side: test.sets[side] for side in pair}
    study = test.study.key if test.study else ""
    alike = [
        sorted(
            (one for one in seed_sets() if set(one.words) == set(given[side].words)),
            key=lambda one: one.study is None or one.study.key != study,
        )
        for side in pair
    ]
    together = [
        (one, other)
        for one, other in product(*alike)
        if any(against.other(one.id) == other.id for against in pairings(one.id))
    ]
    if together:
        return dict(zip(pair, together[0], strict=True))
    return {
        side: some[0] if some else SeedSet(id=f"{test.id}.{side}", words=given[side].words)
        for side, some in zip(pair, alike, strict=True)
    }


def side_of(test: Test, side: str, own: SeedSet, asked: Sequence[str] | None) -> Side:
    """What a side stands for: what was asked for, the concept of its words, or that of a set with
    most of its words."""
    label = test.sets[side].label
    if asked is not None:
        return Side(label, own.id, tuple(asked), "asked for")
    if own.concept:
        return Side(label, own.id, _same_people(own.concept), "the words of a seed set")
    words = {word.lower() for word in own.words}
    near: tuple[float, str, str] = (0.0, "", "")
    for one in seed_sets():
        others = {word.lower() for word in one.words}
        share = len(words & others) / len(words | others)
        how = f"{len(words & others)} of {len(words)} words are in {one.id}"
        near = max(near, (share, one.concept, how), key=lambda so_far: so_far[0])
    if near[0] >= ALIKE:
        return Side(label, own.id, _same_people(near[1]), near[2])
    return Side(label, own.id, (), "")


def _same_people(concept: str) -> tuple[str, ...]:
    """A concept, and the one that has the same people by other words: names for terms, terms for
    names, which May et al. (2019) exchange in their tests 3b to 8b."""
    other = concept.removesuffix("-names")
    other = f"{concept}-names" if other == concept else other
    return (concept, other) if other in concepts() else (concept,)
