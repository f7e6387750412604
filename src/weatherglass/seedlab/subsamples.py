"""Random sub-samples of the words of a choice; words that answer each other are drawn together."""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from weatherglass.errors import UsageError, shown

Unit = dict[str, tuple[int, ...]]
"""Words that are drawn together: their positions among the words of a choice, by side."""


def units_of(
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
    >>> units_of([("him", "her"), ("he", "she"), ("man", "woman")], places)
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


def draw(
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
                f"{shown(id, 100)}; at least two are needed. Use a larger share."
            )
