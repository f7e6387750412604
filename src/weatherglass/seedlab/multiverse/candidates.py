"""The candidates that a source allows: their words found, the others dropped with the reason."""

from __future__ import annotations

import dataclasses
import math
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import UnusableRow, UsageError, quote_safe
from weatherglass.measures import MIN_WORDS, FoundSet, find_words, too_few_reason
from weatherglass.vectors import Case, Vectors

from .alternatives import Alternatives, Candidate
from .result import Choice, Dropped, set_names

Unit = dict[str, tuple[int, ...]]
"""Words that are drawn together: their positions among the words of a choice, by side."""


def group_into_units(
    answers: Sequence[tuple[str, str]], places: Mapping[str, Mapping[str, int]]
) -> tuple[Unit, ...]:
    """The words of a choice in units: those that answer each other together, others alone.

    A word that answers two, as *her* answers *him* and *his*, makes one unit of all three, so that
    a unit that is left out takes all its words with it.

    Parameters
    ----------
    answers
        Pairs of words, of the first and of the second side.
    places
        The position of each word that was found, by side.

    Examples
    --------
    >>> places = {"X": {"he": 0, "him": 1, "man": 2}, "Y": {"she": 0, "her": 1}}
    >>> group_into_units([("him", "her"), ("he", "she"), ("man", "woman")], places)
    ({'X': (1,), 'Y': (1,)}, {'X': (0,), 'Y': (0,)}, {'X': (2,)})
    """
    sides = tuple(places)
    group: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for words in answers:
        both = [
            (side, places[side][word])
            for side, word in zip(sides, words, strict=True)
            if word in places[side]
        ]
        if len(both) == 2:
            joined = set(both).union(*(group.get(at, set()) for at in both))
            group |= dict.fromkeys(joined, joined)
    for side in sides:
        for place in places[side].values():
            group.setdefault((side, place), {(side, place)})
    made = {id(members): members for members in group.values()}
    return tuple(
        {
            side: tuple(sorted(at for where, at in members if where == side))
            for side in sides
            if any(where == side for where, _ in members)
        }
        for members in made.values()
    )


def draw_subsamples(
    units: Sequence[Unit], ids: Mapping[str, str], samples: int, share: float, rng: int
) -> tuple[Unit, ...]:
    """Random sub-samples of a choice: of every kind of unit, so large a share, and at least one.

    Units of both sides and those of one side are drawn apart, so that no side is left without
    words. The stream of random numbers belongs to the sets, so that the sub-samples of one choice
    do not depend on which others there are.
    """
    kinds: dict[tuple[str, ...], list[Unit]] = defaultdict(list)
    for unit in units:
        kinds[tuple(unit)].append(unit)
    _check(units, kinds, ids, share)
    stream = np.random.default_rng([rng, zlib.crc32("\n".join(ids.values()).encode())])
    made: list[dict[str, list[int]]] = [defaultdict(list) for _ in range(samples)]
    for some in kinds.values():
        order = stream.random((samples, len(some))).argsort(axis=1)
        for sample, chosen in zip(made, order[:, : _taken(len(some), share)], strict=True):
            for k in chosen.tolist():
                for side, at in some[k].items():
                    sample[side] += at
    return tuple({side: tuple(sorted(one[side])) for side in ids} for one in made)


def _taken(units: int, share: float) -> int:
    return math.ceil(round(share * units, 9))


def _check(
    units: Sequence[Unit],
    kinds: Mapping[tuple[str, ...], Sequence[Unit]],
    ids: Mapping[str, str],
    share: float,
) -> None:
    for side, id in ids.items():
        sizes = [len(some) for kind, some in kinds.items() if side in kind]
        if sum(sizes) > 1 and sum(_taken(size, share) for size in sizes) < 2:
            words = sum(len(unit.get(side, ())) for unit in units)
            raise UsageError(
                f"A share of {share:g} leaves one of the {words} words of {side} in "
                f"{quote_safe(id, 100)}; at least two are needed. Use a larger share."
            )


Rows = dict[str, NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Placed:
    """A choice with the unit rows of its words, and the words that are drawn together: by side,
    the positions of each unit's words."""

    choice: Choice
    rows: Rows
    units: tuple[dict[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Placement:
    """All choices by factor, pairs of them that cannot be used together, and what was dropped."""

    factors: tuple[tuple[Placed, ...], ...]
    apart: frozenset[tuple[int, int, int, int]]
    dropped: tuple[Dropped, ...]

    def combinations(self) -> Iterator[tuple[int, ...]]:
        """One choice of each factor, in every way that is allowed."""
        sizes = [len(factor) for factor in self.factors]
        for taken in np.ndindex(*sizes):
            pairs = combinations(enumerate(taken), 2)
            if not any((f, i, g, j) in self.apart for (f, i), (g, j) in pairs):
                yield taken


def place_candidates(
    asked: Alternatives, vectors: Vectors, case: Case, max_missing: float
) -> Placement:
    """Look the words of every candidate up, and drop those that cannot stand in."""
    factors: list[tuple[Placed, ...]] = []
    dropped = list(asked.dropped)
    for factor in asked.factors:
        kept: dict[tuple[frozenset[str], ...], Placed] = {}
        for one in factor:
            found, reason = _found(vectors, one, case)
            reason = reason or _unfit(found, one, max_missing)
            if reason:
                dropped.append(Dropped(one.ids, reason))
                continue
            words = tuple(frozenset(some.words) for some in found.values())
            if words in kept:
                kept[words] = _also(kept[words], one)
            else:
                kept[words] = _placed(one, found)
        factors.append(tuple(kept.values()))
    apart, lost = _apart(factors)
    return Placement(tuple(factors), apart, (*dropped, *lost))


def _found(vectors: Vectors, one: Candidate, case: Case) -> tuple[dict[str, FoundSet], str]:
    try:
        return {
            side: find_words(vectors, tuple(dict.fromkeys(some.words)), case)
            for side, some in one.sets.items()
        }, ""
    except UnusableRow as error:
        return {}, str(error).rstrip(".")


def _unfit(found: dict[str, FoundSet], one: Candidate, max_missing: float) -> str:
    """Why a candidate cannot stand in, whatever it is combined with; empty if it can."""
    words = {side: some.words for side, some in found.items()}
    missing = {side: some.missing for side, some in found.items()}
    if reason := too_few_reason(words, missing, MIN_WORDS, max_missing):
        return reason
    if len(words) == 2 and ("X" in words or not one.documented):
        return _shared(words)
    return ""


def _shared(words: dict[str, tuple[str, ...]]) -> str:
    (first, some), (second, others) = words.items()
    both = [word for word in some if word in set(others)]
    more = f", and share {len(both)} words" if len(both) > 1 else ""
    return f"{first} and {second} both have {quote_safe(both[0])}{more}" if both else ""


def _placed(one: Candidate, found: dict[str, FoundSet]) -> Placed:
    words = {side: some.words for side, some in found.items()}
    choice = Choice(
        sets=one.ids,
        concepts={side: some.concept for side, some in one.sets.items()},
        words=words,
        missing={side: some.missing for side, some in found.items()},
        documented=one.documented,
    )
    asked = {side: tuple(dict.fromkeys(some.words)) for side, some in one.sets.items()}
    place_of = {
        side: {asked[side][k]: at for at, k in enumerate(some.kept)} for side, some in found.items()
    }
    rows = {side: some.rows for side, some in found.items()}
    return Placed(choice, rows, group_into_units(one.answers, place_of))


def _also(placed: Placed, other: Candidate) -> Placed:
    same = (*placed.choice.same, other.ids)
    return dataclasses.replace(placed, choice=dataclasses.replace(placed.choice, same=same))


def _apart(
    factors: Sequence[Sequence[Placed]],
) -> tuple[frozenset[tuple[int, int, int, int]], list[Dropped]]:
    """The choices of two factors that share words, and so cannot be used together."""
    apart: set[tuple[int, int, int, int]] = set()
    lost: list[Dropped] = []
    for (f, some), (g, others) in combinations(enumerate(factors), 2):
        for i, one in enumerate(some):
            for j, other in enumerate(others):
                # A test may have a target among its own attributes, as `weat` allows.
                own = one.choice.documented and other.choice.documented
                both_targets = {*one.rows, *other.rows} == {"X", "Y"}
                if own and not both_targets:
                    continue
                if reason := _clash(one.choice, other.choice):
                    apart.add((f, i, g, j))
                    lost.append(Dropped({**one.choice.sets, **other.choice.sets}, reason))
    return frozenset(apart), lost


def _clash(one: Choice, other: Choice) -> str:
    for side, words in one.words.items():
        for against, others in other.words.items():
            both = [word for word in words if word in set(others)]
            if both:
                what = "the target" if side in "XY" and against in "AB" else "the word"
                return f"{side} and {against} both have {what} {quote_safe(both[0])}"
    return ""


def explain_nothing_left(asked: Alternatives, dropped: Sequence[Dropped]) -> str:
    """The sentence for when no combination is left, with what is wrong with the test's own sets."""
    own = {side: one.set for side, one in asked.sides.items()}
    about = next((one for one in dropped if one.sets.items() <= own.items()), dropped[0])
    return (
        f"No choice of seed sets for {quote_safe(asked.test.id)} can be measured on this source; "
        f"{set_names(about.sets)}: {about.reason}."
    )
