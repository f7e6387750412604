"""The candidates that a source allows: words looked up, units to draw, the rest dropped."""

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
from weatherglass.measures import (
    MIN_WORDS,
    Embedding,
    FoundSet,
    find_words,
    side_of,
    too_few_reason,
)
from weatherglass.vectors import Case

from .alternatives import Alternatives, Candidate
from .result import Choice, Dropped, set_names

Unit = dict[str, tuple[int, ...]]
"""Words that are drawn together: their positions among the words of a choice, by side."""


def group_into_units(
    word_pairs: Sequence[tuple[str, str]], positions: Mapping[str, Mapping[str, int]]
) -> tuple[Unit, ...]:
    """Group the words of a choice into units: corresponding words together, others alone.

    A word that corresponds to two, as *her* does to *him* and *his*, joins all three in one unit,
    so that they are drawn or left out together.

    Parameters
    ----------
    word_pairs
        Pairs of words, of the first and of the second side.
    positions
        The position of each word that was found, by side.

    Examples
    --------
    >>> positions = {"X": {"he": 0, "him": 1, "man": 2}, "Y": {"she": 0, "her": 1}}
    >>> group_into_units([("him", "her"), ("he", "she"), ("man", "woman")], positions)
    ({'X': (1,), 'Y': (1,)}, {'X': (0,), 'Y': (0,)}, {'X': (2,)})
    """
    sides = tuple(positions)
    unit_of: dict[tuple[str, int], set[tuple[str, int]]] = {}
    for words in word_pairs:
        pair = [
            (side, positions[side][word])
            for side, word in zip(sides, words, strict=True)
            if word in positions[side]
        ]
        if len(pair) == 2:
            joined = set(pair).union(*(unit_of.get(member, set()) for member in pair))
            unit_of |= dict.fromkeys(joined, joined)
    for side in sides:
        for position in positions[side].values():
            unit_of.setdefault((side, position), {(side, position)})
    units = {id(members): members for members in unit_of.values()}
    return tuple(
        {
            side: tuple(sorted(at for member_side, at in members if member_side == side))
            for side in sides
            if any(member_side == side for member_side, _ in members)
        }
        for members in units.values()
    )


def draw_subsamples(
    units: Sequence[Unit], ids: Mapping[str, str], samples: int, share: float, rng: int
) -> tuple[Unit, ...]:
    """Draw random sub-samples of a choice: this share of each kind of unit, rounded up.

    Units of both sides and units of one side are drawn separately, so that no side is left without
    words. The generator is seeded with the ids of the sets, so that the sub-samples of a choice do
    not depend on which other choices there are.
    """
    by_sides: dict[tuple[str, ...], list[Unit]] = defaultdict(list)
    for unit in units:
        by_sides[tuple(unit)].append(unit)
    _check_share(units, by_sides, ids, share)
    generator = np.random.default_rng([rng, zlib.crc32("\n".join(ids.values()).encode())])
    subsamples: list[dict[str, list[int]]] = [defaultdict(list) for _ in range(samples)]
    for of_kind in by_sides.values():
        order = generator.random((samples, len(of_kind))).argsort(axis=1)
        drawn = order[:, : _sample_size(len(of_kind), share)]
        for subsample, chosen in zip(subsamples, drawn, strict=True):
            for k in chosen.tolist():
                for side, positions in of_kind[k].items():
                    subsample[side] += positions
    return tuple({side: tuple(sorted(subsample[side])) for side in ids} for subsample in subsamples)


def _sample_size(units: int, share: float) -> int:
    # Rounded first, because 0.28 * 25 is 7.000000000000001.
    return math.ceil(round(share * units, 9))


def _check_share(
    units: Sequence[Unit],
    by_sides: Mapping[tuple[str, ...], Sequence[Unit]],
    ids: Mapping[str, str],
    share: float,
) -> None:
    """Raise if the sub-samples of a set with several words would have one word only."""
    for side, id in ids.items():
        sizes = [len(of_kind) for sides, of_kind in by_sides.items() if side in sides]
        if sum(sizes) > 1 and sum(_sample_size(size, share) for size in sizes) < 2:
            words = sum(len(unit.get(side, ())) for unit in units)
            raise UsageError(
                f"A share of {share:g} leaves one of the {words} words of {side} in "
                f"{quote_safe(id, 100)}; at least two are needed. Use a larger share."
            )


@dataclass(frozen=True, eq=False)
class Placed:
    """A choice with the unit rows of its words, by side, and the units that are drawn together."""

    choice: Choice
    rows: dict[str, NDArray[np.float64]]
    units: tuple[Unit, ...]


@dataclass(frozen=True)
class Placement:
    """All choices by factor, which of them cannot be used together, and the dropped sets.

    A conflict is (factor, choice, other factor, choice of that).
    """

    factors: tuple[tuple[Placed, ...], ...]
    conflicts: frozenset[tuple[int, int, int, int]]
    dropped: tuple[Dropped, ...]

    def combinations(self) -> Iterator[tuple[int, ...]]:
        """Yield every allowed combination: the index of one choice of each factor."""
        sizes = [len(factor) for factor in self.factors]
        for chosen in np.ndindex(*sizes):
            pairs = combinations(enumerate(chosen), 2)
            if not any((f, i, g, j) in self.conflicts for (f, i), (g, j) in pairs):
                yield chosen


def place_candidates(
    candidates: Alternatives,
    vectors: Embedding,
    case: Case,
    max_missing: float,
    allow_overlap: bool = False,
) -> Placement:
    """Look up the words of every candidate, and drop those that cannot be used.

    `allow_overlap` accepts a target among the test's own attributes, as in `weat`; other sets with
    such a word are dropped in any case.
    """
    factors: list[tuple[Placed, ...]] = []
    dropped = list(candidates.dropped)
    for factor in candidates.factors:
        by_words: dict[tuple[frozenset[str], ...], Placed] = {}
        for candidate in factor:
            found, reason = _look_up(vectors, candidate, case)
            reason = reason or _why_unusable(found, candidate, max_missing)
            if reason:
                dropped.append(Dropped(candidate.ids, reason))
                continue
            words = tuple(frozenset(word_set.words) for word_set in found.values())
            if words in by_words:
                by_words[words] = _add_same(by_words[words], candidate)
            else:
                by_words[words] = _place(candidate, found)
        factors.append(tuple(by_words.values()))
    conflicts, conflicting = _find_conflicts(factors, allow_overlap)
    return Placement(tuple(factors), conflicts, (*dropped, *conflicting))


def _look_up(
    vectors: Embedding, candidate: Candidate, case: Case
) -> tuple[dict[str, FoundSet], str]:
    """Look up the words of each side; or say why they cannot be used."""
    try:
        return {
            name: find_words(
                side_of(vectors, name in "XY"), tuple(dict.fromkeys(seed_set.words)), case
            )
            for name, seed_set in candidate.sets.items()
        }, ""
    except UnusableRow as error:
        return {}, str(error).rstrip(".")


def _why_unusable(found: dict[str, FoundSet], candidate: Candidate, max_missing: float) -> str:
    """Return why a candidate cannot be used in any combination; empty if it can."""
    words = {side: word_set.words for side, word_set in found.items()}
    missing = {side: word_set.missing for side, word_set in found.items()}
    if reason := too_few_reason(words, missing, MIN_WORDS, max_missing):
        return reason
    # The attribute sets of a test may share words, as `weat` allows.
    if len(words) == 2 and ("X" in words or not candidate.documented):
        return _describe_shared(words)
    return ""


def _describe_shared(words: dict[str, tuple[str, ...]]) -> str:
    """Return a sentence about the words that two facing sides share; empty if there are none."""
    (first, first_words), (second, second_words) = words.items()
    shared = [word for word in first_words if word in set(second_words)]
    more = f", and share {len(shared)} words" if len(shared) > 1 else ""
    return f"{first} and {second} both have {quote_safe(shared[0])}{more}" if shared else ""


def _place(candidate: Candidate, found: dict[str, FoundSet]) -> Placed:
    choice = Choice(
        sets=candidate.ids,
        concepts={side: seed_set.concept for side, seed_set in candidate.sets.items()},
        words={side: word_set.words for side, word_set in found.items()},
        missing={side: word_set.missing for side, word_set in found.items()},
        documented=candidate.documented,
    )
    positions: dict[str, dict[str, int]] = {}  # of each word as the set spells it
    for side, word_set in found.items():
        spellings = tuple(dict.fromkeys(candidate.sets[side].words))
        positions[side] = {spellings[k]: at for at, k in enumerate(word_set.kept)}
    rows = {side: word_set.rows for side, word_set in found.items()}
    return Placed(choice, rows, group_into_units(candidate.word_pairs, positions))


def _add_same(placed: Placed, other: Candidate) -> Placed:
    """Record a candidate with the same words in this source."""
    same = (*placed.choice.same, other.ids)
    return dataclasses.replace(placed, choice=dataclasses.replace(placed.choice, same=same))


def _find_conflicts(
    factors: Sequence[Sequence[Placed]], allow_overlap: bool
) -> tuple[frozenset[tuple[int, int, int, int]], list[Dropped]]:
    """Find the choices of two factors that share words, and so cannot be used together."""
    conflicts: set[tuple[int, int, int, int]] = set()
    dropped: list[Dropped] = []
    for (f, f_choices), (g, g_choices) in combinations(enumerate(factors), 2):
        for i, first in enumerate(f_choices):
            for j, second in enumerate(g_choices):
                is_documented = first.choice.documented and second.choice.documented
                if is_documented and _may_share({*first.rows, *second.rows}, allow_overlap):
                    continue
                if reason := _describe_conflict(first.choice, second.choice):
                    conflicts.add((f, i, g, j))
                    dropped.append(Dropped({**first.choice.sets, **second.choice.sets}, reason))
    return frozenset(conflicts), dropped


def _may_share(sides: set[str], allow_overlap: bool) -> bool:
    """Return whether the test's own sets of these sides may have a word in common, as in `weat`."""
    return sides == {"A", "B"} or (allow_overlap and sides != {"X", "Y"})


def _describe_conflict(first: Choice, second: Choice) -> str:
    """Return a sentence about a word that two choices share; empty if there is none."""
    for side, words in first.words.items():
        for other_side, other_words in second.words.items():
            shared = [word for word in words if word in set(other_words)]
            if shared:
                is_target = side in "XY" and other_side in "AB"
                noun = "the target" if is_target else "the word"
                return f"{side} and {other_side} both have {noun} {quote_safe(shared[0])}"
    return ""


def explain_nothing_left(candidates: Alternatives, dropped: Sequence[Dropped]) -> str:
    """Explain why no combination is left: what is wrong with the test's own sets."""
    own = {side: described.set for side, described in candidates.sides.items()}
    cause = next((drop for drop in dropped if drop.sets.items() <= own.items()), dropped[0])
    return (
        f"No choice of seed sets for {quote_safe(candidates.test.id)} can be measured on this "
        f"source; {set_names(cause.sets)}: {cause.reason}."
    )
