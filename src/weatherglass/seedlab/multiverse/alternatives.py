"""Which seed sets of the catalogue can take the place of the sets of a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from weatherglass.catalog import Pairing, SeedSet, Test, concepts, pairings, seed_sets, seeds
from weatherglass.errors import UsageError, quote_safe

from .result import Dropped, Side

FACING = (("X", "Y"), ("A", "B"))
SIDES = ("X", "Y", "A", "B")
SAME_SET_OVERLAP = 0.5
"""The least share of words, of all that either has, for a set to tell the concept of a side."""


def find_documented_sets(test: Test, pair: tuple[str, str]) -> dict[str, SeedSet]:
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


def describe_side(test: Test, side: str, own: SeedSet, asked: Sequence[str] | None) -> Side:
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
    if near[0] >= SAME_SET_OVERLAP:
        return Side(label, own.id, _same_people(near[1]), near[2])
    return Side(label, own.id, (), "")


def _same_people(concept: str) -> tuple[str, ...]:
    """A concept, and the one that has the same people by other words: names for terms, terms for
    names, which May et al. (2019) exchange in their tests 3b to 8b."""
    other = concept.removesuffix("-names")
    other = f"{concept}-names" if other == concept else other
    return (concept, other) if other in concepts() else (concept,)


Answers = tuple[tuple[str, str], ...]
Own = Mapping[str, Sequence[SeedSet]]


@dataclass(frozen=True)
class Candidate:
    """Seed sets that go together: for one side, or for two that face each other.

    `answers` has the words of both that answer each other one by one.
    """

    sets: dict[str, SeedSet]
    answers: Answers = ()
    documented: bool = False

    @property
    def ids(self) -> dict[str, str]:
        """The names of the sets, by side."""
        return {side: one.id for side, one in self.sets.items()}


@dataclass(frozen=True)
class Alternatives:
    """What a test can be made of: `factors` has the candidates of sides that are chosen together,
    the documented one first; a specification takes one of each factor."""

    test: Test
    sides: dict[str, Side]
    factors: tuple[tuple[Candidate, ...], ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]

    def sets(self) -> list[SeedSet]:
        """Every set that may be looked up."""
        return [s for factor in self.factors for one in factor for s in one.sets.values()]


def alternatives(
    test: Test,
    *,
    concepts: Mapping[str, Sequence[str]] | None = None,
    own: Own | None = None,
    cross: bool = False,
) -> Alternatives:
    """The documented alternatives of every set of a test, source unseen.

    Parameters
    ----------
    test
        An association test of words.
    concepts
        What a side stands for, where the catalogue should not be asked: concepts by side.
    own
        Seed sets of the user's own, by side.
    cross
        Combine every set of a side with every set of the side it faces; otherwise only sets that a
        study holds against each other.
    """
    concepts, own = dict(concepts or {}), dict(own or {})
    _check(test, concepts, own)
    documented = {
        side: one for pair in FACING for side, one in find_documented_sets(test, pair).items()
    }
    sides = {
        side: describe_side(test, side, documented[side], concepts.get(side)) for side in SIDES
    }
    if not own and not any(one.concepts for one in sides.values()):
        raise UsageError(
            f"No set of {quote_safe(test.id)} has the words of a seed set, so there is nothing to put "
            "in its place. Say what a side stands for (--concept X=female), or give sets of your "
            "own (--with X=FILE)."
        )
    made = _crossed if cross else _paired
    factors: list[tuple[Candidate, ...]] = []
    dropped: list[Dropped] = []
    notes: list[str] = []
    for pair in FACING:
        found, lost, noted = made(pair, sides, documented, own)
        factors += [_each_once(factor) for factor in found]
        dropped += lost
        notes += noted
    return Alternatives(test, sides, tuple(factors), tuple(dropped), tuple(notes))


def _check(test: Test, concepts: Mapping[str, Sequence[str]], own: Own) -> None:
    if test.level != "word":
        raise UsageError(
            f"{quote_safe(test.id)} is a test of sentences; seed sets can only stand in for words."
        )
    strange = next((side for side in (*concepts, *own) if side not in SIDES), None)
    if strange is not None:
        raise UsageError(f"A side is {quote_safe(strange)}; it must be one of {', '.join(SIDES)}.")
    for side, names in concepts.items():
        for name in names:
            if not any(one.words for one in seed_sets(concept=name)):  # raises if not known
                raise UsageError(f"No seed set of the concept {name} has words, for {side}.")


Made = tuple[list[list[Candidate]], list[Dropped], list[str]]


def _paired(
    pair: tuple[str, str],
    sides: Mapping[str, Side],
    documented: Mapping[str, SeedSet],
    own: Own,
) -> Made:
    """The candidates of two facing sides, as studies hold them against each other."""
    here = {side: documented[side] for side in pair}
    made = [Candidate(here, _answers(here, pair), documented=True)]
    lost: list[Dropped] = []
    notes: list[str] = []
    unknown = [side for side in pair if not sides[side].by]
    if unknown and not any(own.get(side) for side in pair):
        notes.append(
            f"{' and '.join(pair)} stay as they are, because {' and '.join(unknown)} "
            f"{'has' if len(unknown) == 1 else 'have'} the words of no seed set; "
            f"--concept {unknown[0]}=NAME says what a side stands for, --with {unknown[0]}=FILE "
            "gives other words."
        )
    if all(sides[side].concepts for side in pair):
        found = [
            Candidate({side: seeds(id) for side, id in zip(pair, ids, strict=True)})
            for against in pairings()
            for ids in _either_way(against, pair, sides)
        ]
        made += [Candidate(one.sets, _answers(one.sets, pair)) for one in found]
        lost = list(_alone(pair, sides, made))
    made += _own_pairs(pair, documented, own)
    return [made], lost, notes


def _either_way(
    against: Pairing, pair: tuple[str, str], sides: Mapping[str, Side]
) -> Iterator[tuple[str, str]]:
    for ids in (against.sets, against.sets[::-1]):
        if all(
            seeds(id).concept in sides[side].concepts for side, id in zip(pair, ids, strict=True)
        ):
            yield ids


def _answers(sets: Mapping[str, SeedSet], pair: tuple[str, str]) -> Answers:
    """The pairs of words of two sets, where a study has their words answer each other."""
    first, second = (sets[side].id for side in pair)
    for against in pairings():
        if set(against.sets) == {first, second}:
            return tuple((x, y) if against.sets[0] == first else (y, x) for x, y in against.words())
    return ()


def _alone(
    pair: tuple[str, str], sides: Mapping[str, Side], made: Sequence[Candidate]
) -> Iterator[Dropped]:
    """The sets of the right concept that no study holds against one of the facing side."""
    for side, other in (pair, pair[::-1]):
        used = {one.sets[side].id for one in made}
        for concept in sides[side].concepts:
            for one in seed_sets(concept=concept):
                if one.id not in used:
                    facing = " or ".join(sides[other].concepts)
                    reason = f"no study holds it against a set of {facing} (--cross combines all)"
                    yield Dropped({side: one.id}, reason if one.words else "its words are unknown")


def _own_pairs(
    pair: tuple[str, str], documented: Mapping[str, SeedSet], own: Own
) -> Iterator[Candidate]:
    """The user's sets: the first of both sides together, the second, and so on."""
    first, second = pair
    mine, theirs = (list(own.get(side, ())) for side in pair)
    if mine and theirs and len(mine) != len(theirs):
        raise UsageError(
            f"{first} is given {len(mine)} sets and {second} {len(theirs)}; they go together one "
            "by one, so give as many of each, or combine all with --cross."
        )
    mine, theirs = (
        mine or [documented[first]] * len(theirs),
        theirs or [documented[second]] * len(mine),
    )
    for x, y in zip(mine, theirs, strict=True):
        yield Candidate({first: x, second: y})


def _crossed(
    pair: tuple[str, str],
    sides: Mapping[str, Side],
    documented: Mapping[str, SeedSet],
    own: Own,
) -> Made:
    """The candidates of each side on its own."""
    made: list[list[Candidate]] = []
    lost: list[Dropped] = []
    for side in pair:
        sets = [one for name in sides[side].concepts for one in seed_sets(concept=name)]
        lost += [Dropped({side: one.id}, "its words are unknown") for one in sets if not one.words]
        made.append(
            [
                Candidate({side: documented[side]}, documented=True),
                *(Candidate({side: one}) for one in (*sets, *own.get(side, ())) if one.words),
            ]
        )
    return made, lost, []


def _each_once(factor: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates without repeats; two sets of one name must be one set."""
    made: dict[tuple[str, ...], Candidate] = {}
    known: dict[tuple[str, str], tuple[str, ...]] = {}
    for one in factor:
        for side, some in one.sets.items():
            if known.setdefault((side, some.id), some.words) != some.words:
                raise UsageError(
                    f"Two different sets are called {quote_safe(some.id)}; rename yours."
                )
        made.setdefault(tuple(one.ids.values()), one)
    return tuple(made.values())
