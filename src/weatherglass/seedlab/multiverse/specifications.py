"""Every specification, measured: each word once, the rest are means."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.measures import MIN_SPREAD, spread
from weatherglass.significance import benjamini_hochberg, holm

from .alternatives import SIDES
from .candidates import Placed, Placement
from .result import Choice, Dropped, Flip, Margin, Part, Specification, Summary

Floats = NDArray[np.float64]
Places = list[NDArray[np.intp]]


@dataclass(frozen=True, eq=False)
class Associations:
    """The associations of the targets under one choice of every set, and their effect."""

    sets: dict[str, str]
    sample: int
    n: dict[str, int]
    x: Floats
    y: Floats
    effect: float
    statistic: float


def measure_specifications(found: Placement, ddof: int) -> tuple[list[Associations], list[Dropped]]:
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
    made: list[Associations] = []
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
) -> Iterator[Associations]:
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
        for j in np.flatnonzero(scale > MIN_SPREAD).tolist():
            k = int(samples[j])
            yield Associations(
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


_QUANTILES = {"least": 0.0, "5%": 0.05, "25%": 0.25, "median": 0.5, "75%": 0.75, "95%": 0.95}
_QUANTILES |= {"largest": 1.0}


def correct_p_values(
    p: NDArray[np.float64], sample: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P-values corrected by Holm and by Benjamini and Hochberg, over the choices of each sample.

    The choices of sets are the questions that were asked. A sub-sample asks the same questions once
    more with fewer words: it is corrected by itself, and adds nothing to the others' count.
    """
    by_holm, by_bh = np.empty_like(p), np.empty_like(p)
    for one in np.unique(sample):
        here = sample == one
        by_holm[here], by_bh[here] = holm(p[here]), benjamini_hochberg(p[here])
    return by_holm, by_bh


def summarise(
    specifications: Sequence[Specification],
    factors: Sequence[Sequence[Choice]],
    documented: int | None,
    alpha: float,
) -> Summary:
    """The shares, the distribution of the effect, and what each choice does to it."""
    own = None if documented is None else specifications[documented]
    sign = 1.0 if own is None or own.effect == 0 else math.copysign(1.0, own.effect)
    effect = np.array([one.effect for one in specifications])
    whole = np.array([one.sample == 0 for one in specifications])
    same = effect * sign > 0
    passed = {
        "none": np.array([one.p.value <= alpha for one in specifications]),
        "holm": np.array([one.p_holm <= alpha for one in specifications]),
        "bh": np.array([one.p_bh <= alpha for one in specifications]),
    }
    choices = int(whole.sum())
    least = np.array([_least_p(one) for one in specifications])
    return Summary(
        same_sign=_parts(same, whole),
        significant={name: _parts(some, whole) for name, some in passed.items()},
        effects={name: float(np.quantile(effect, q)) for name, q in _QUANTILES.items()},
        place=None if own is None else float((effect < own.effect).mean()),
        out_of_reach=_part(least * choices > alpha),
        margins=tuple(_margins(specifications, factors, effect, same, passed["holm"])),
        flips=tuple(_flips(specifications, own, same, passed["holm"])),
    )


def _least_p(one: Specification) -> float:
    """The smallest p-value that so many targets can have."""
    tails = 2 if one.p.alternative == "two-sided" else 1
    return min(1.0, tails / math.comb(one.n["X"] + one.n["Y"], one.n["X"]))


def _part(which: NDArray[np.bool_]) -> Part:
    return Part(int(which.sum()), len(which))


def _parts(which: NDArray[np.bool_], whole: NDArray[np.bool_]) -> dict[str, Part]:
    return {"whole": _part(which[whole]), "all": _part(which)}


def _margins(
    specifications: Sequence[Specification],
    factors: Sequence[Sequence[Choice]],
    effect: NDArray[np.float64],
    same: NDArray[np.bool_],
    significant: NDArray[np.bool_],
) -> Iterator[Margin]:
    ids = {side: np.array([one.sets[side] for one in specifications]) for side in SIDES}
    for factor in factors:
        for choice in factor:
            having = np.logical_and.reduce([ids[side] == id for side, id in choice.sets.items()])
            if not having.any():
                continue  # it shares words with every choice of another factor
            mean = float(effect[having].mean())
            without = None if having.all() else mean - float(effect[~having].mean())
            yield Margin(
                choice.sets, mean, without, _part(same[having]), _part(significant[having])
            )


def _flips(
    specifications: Sequence[Specification],
    own: Specification | None,
    same: NDArray[np.bool_],
    significant: NDArray[np.bool_],
) -> Iterator[Flip]:
    """The whole choices whose answer is another than the documented one, smallest effect first."""
    at = {(tuple(one.sets.values()), one.sample): k for k, one in enumerate(specifications)}
    samples = max(one.sample for one in specifications)
    sure = None if own is None else bool(significant[at[tuple(own.sets.values()), 0]])

    def change(k: int) -> str:
        if not same[k]:
            return "other sign"
        if sure is None or significant[k] == sure:
            return ""
        return "not significant" if sure else "significant"

    for one in sorted(specifications, key=lambda one: one.effect):
        sets = tuple(one.sets.values())
        if one.sample == 0 and (changed := change(at[sets, 0])):
            also = [k for s in range(1, samples + 1) if (k := at.get((sets, s))) is not None]
            count = sum(change(k) == changed for k in also)
            yield Flip(one.sets, changed, one.effect, one.p, one.p_holm, Part(count, len(also)))
