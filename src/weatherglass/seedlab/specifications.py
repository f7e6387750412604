"""Every specification, measured: each word once, the rest are means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.measures.weat import NO_SPREAD, spread

from .choices import Placed, Placement
from .multiverse_parts import Dropped
from .sides import SIDES

Floats = NDArray[np.float64]
Places = list[NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Measured:
    """The associations of the targets under one choice of every set, and their effect."""

    sets: dict[str, str]
    sample: int
    n: dict[str, int]
    x: Floats
    y: Floats
    effect: float
    statistic: float


def measured(found: Placement, ddof: int) -> tuple[list[Measured], list[Dropped]]:
    """Every specification but for its p-value, whole sets first; and what has no effect.

    The cosines of all targets with all attributes are one matrix product, their means over the
    attributes of every choice and sub-sample another.
    """
    targets, target_rows = _pool(found.factors, "XY")
    attributes, attribute_rows = _pool(found.factors, "AB")
    cosines = target_rows @ attribute_rows.T
    places = dict(_places(found.factors, targets, attributes))
    means = {
        key: cosines @ _weights(at, len(attributes)) for key, at in places.items() if key[2] in "AB"
    }
    made: list[Measured] = []
    dropped: list[Dropped] = []
    for taken in found.combinations():
        at = {side: (f, i, side) for f, i in enumerate(taken) for side in found.factors[f][i].rows}
        sets = {side: found.factors[at[side][0]][at[side][1]].choice.sets[side] for side in SIDES}
        some = list(
            _effects(
                means[at["A"]] - means[at["B"]],
                sets,
                {side: places[at[side]] for side in SIDES},
                ddof,
            )
        )
        made += some
        if len(some) < len(places[at["X"]]):
            reason = "all targets have the same association, so the effect has no scale"
            dropped.append(Dropped(sets, reason))
    return sorted(made, key=lambda one: one.sample), dropped


def _effects(
    difference: Floats, sets: dict[str, str], places: dict[str, Places], ddof: int
) -> Iterator[Measured]:
    """The effects of one combination, sub-samples of the same size together.

    `difference` has the association of every target, a column for each sub-sample.
    """
    sizes = [(len(x), len(y)) for x, y in zip(places["X"], places["Y"], strict=True)]
    for size in dict.fromkeys(sizes):
        samples = np.array([k for k, one in enumerate(sizes) if one == size])
        x, y = (
            difference[np.array([places[side][k] for k in samples]), samples[:, None]]
            for side in ("X", "Y")
        )
        scale = spread(x, y, ddof)
        gap = x.mean(axis=1) - y.mean(axis=1)
        for j in np.flatnonzero(scale > NO_SPREAD).tolist():
            k = int(samples[j])
            yield Measured(
                sets=sets,
                sample=k,
                n={side: len(places[side][k]) for side in SIDES},
                x=x[j],
                y=y[j],
                effect=float(gap[j] / scale[j]),
                statistic=float(sum(size) / 2 * gap[j]),
            )


def _positions(one: Placed) -> list[dict[str, tuple[int, ...]]]:
    """The words of the whole sets and of every sub-sample, by side."""
    whole = {side: tuple(range(len(words))) for side, words in one.choice.words.items()}
    return [whole, *one.choice.samples]


def _pool(factors: Sequence[Sequence[Placed]], sides: str) -> tuple[dict[str, int], Floats]:
    """Every word of some sides once, and its unit row."""
    index: dict[str, int] = {}
    rows: list[Floats] = []
    for one in (one for factor in factors for one in factor):
        for side in (side for side in one.rows if side in sides):
            for word, row in zip(one.choice.words[side], one.rows[side], strict=True):
                if index.setdefault(word, len(rows)) == len(rows):
                    rows.append(row)
    return index, np.array(rows)


def _places(
    factors: Sequence[Sequence[Placed]], targets: dict[str, int], attributes: dict[str, int]
) -> Iterator[tuple[tuple[int, int, str], Places]]:
    """Where the words of a side are in their pool, for the whole set and every sub-sample."""
    for f, factor in enumerate(factors):
        for i, one in enumerate(factor):
            for side in one.rows:
                index = targets if side in "XY" else attributes
                words = np.array([index[word] for word in one.choice.words[side]], np.intp)
                yield (f, i, side), [words[list(some[side])] for some in _positions(one)]


def _weights(places: Places, words: int) -> Floats:
    """A column for each sample that takes the mean over its words."""
    weights = np.zeros((words, len(places)))
    for sample, at in enumerate(places):
        weights[at, sample] = 1 / len(at)
    return weights
