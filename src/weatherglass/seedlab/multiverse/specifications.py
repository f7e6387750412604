"""Measure every specification with two matrix products, and summarise them."""

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
Bools = NDArray[np.bool_]
Rows = list[NDArray[np.intp]]
"""For the whole set and each sub-sample of a choice, the rows of its words in the pool."""


@dataclass(frozen=True, eq=False)
class Associations:
    """The associations of the targets in one specification, and their effect size."""

    sets: dict[str, str]
    sample: int
    n: dict[str, int]
    x: Floats
    y: Floats
    effect: float
    statistic: float


def measure_specifications(
    placement: Placement, ddof: int, scale: float = 1.0
) -> tuple[list[Associations], list[Dropped]]:
    """Measure all specifications except for p-values, whole sets first; and those without effect.

    `scale` is the size of the values, 1 for cosines.

    The cosines of all targets with all attributes are one matrix product, their means over the
    attributes of every choice and sub-sample another. So each word is multiplied once, however many
    specifications use it.
    """
    targets, target_rows = _pool_words(placement.factors, "XY")
    attributes, attribute_rows = _pool_words(placement.factors, "AB")
    cosines = target_rows @ attribute_rows.T
    rows = dict(_find_rows(placement.factors, targets, attributes))
    means = {
        key: cosines @ _mean_weights(of_samples, len(attributes))
        for key, of_samples in rows.items()
        if key[2] in "AB"
    }
    measured: list[Associations] = []
    dropped: list[Dropped] = []
    for chosen in placement.combinations():
        keys = {
            side: (f, i, side)
            for f, i in enumerate(chosen)
            for side in placement.factors[f][i].rows
        }
        sets = {side: _set_id(placement, keys[side]) for side in SIDES}
        of_combination = list(
            _measure_combination(
                means[keys["A"]] - means[keys["B"]],
                sets,
                {side: rows[keys[side]] for side in SIDES},
                ddof,
                scale * MIN_SPREAD,
            )
        )
        measured += of_combination
        if len(of_combination) < len(rows[keys["X"]]):
            reason = "all targets have the same association, so the effect has no scale"
            dropped.append(Dropped(sets, reason))
    return sorted(measured, key=lambda associations: associations.sample), dropped


def _set_id(placement: Placement, key: tuple[int, int, str]) -> str:
    factor, choice, side = key
    return placement.factors[factor][choice].choice.sets[side]


def _measure_combination(
    associations: Floats,
    sets: dict[str, str],
    rows: dict[str, Rows],
    ddof: int,
    min_spread: float,
) -> Iterator[Associations]:
    """Yield the effects of one combination, computing sub-samples of the same size together.

    `associations` has s(w, A, B) of every target, with a column for each sub-sample.
    """
    sizes = [(len(x), len(y)) for x, y in zip(rows["X"], rows["Y"], strict=True)]
    for size in dict.fromkeys(sizes):
        samples = np.array([k for k, own in enumerate(sizes) if own == size])
        x, y = (
            associations[np.array([rows[side][k] for k in samples]), samples[:, None]]
            for side in ("X", "Y")
        )
        sd = spread(x, y, ddof)
        gap = x.mean(axis=1) - y.mean(axis=1)
        for j in np.flatnonzero(sd > min_spread).tolist():
            k = int(samples[j])
            yield Associations(
                sets=sets,
                sample=k,
                n={side: len(rows[side][k]) for side in SIDES},
                x=x[j],
                y=y[j],
                effect=float(gap[j] / sd[j]),
                statistic=float(sum(size) / 2 * gap[j]),
            )


def _positions(placed: Placed) -> list[dict[str, tuple[int, ...]]]:
    """Return the positions of the words of the whole sets and of every sub-sample, by side."""
    whole = {side: tuple(range(len(words))) for side, words in placed.choice.words.items()}
    return [whole, *placed.choice.samples]


def _pool_words(factors: Sequence[Sequence[Placed]], sides: str) -> tuple[dict[str, int], Floats]:
    """Return the index of every word of these sides, without duplicates, and the unit rows."""
    index: dict[str, int] = {}
    rows: list[Floats] = []
    for placed in (placed for factor in factors for placed in factor):
        for side in (side for side in placed.rows if side in sides):
            for word, row in zip(placed.choice.words[side], placed.rows[side], strict=True):
                if index.setdefault(word, len(rows)) == len(rows):
                    rows.append(row)
    return index, np.array(rows)


def _find_rows(
    factors: Sequence[Sequence[Placed]], targets: dict[str, int], attributes: dict[str, int]
) -> Iterator[tuple[tuple[int, int, str], Rows]]:
    """Yield the rows of each side of each choice, by (factor, choice, side)."""
    for f, factor in enumerate(factors):
        for i, placed in enumerate(factor):
            for side in placed.rows:
                index = targets if side in "XY" else attributes
                words = np.array([index[word] for word in placed.choice.words[side]], np.intp)
                yield (f, i, side), [words[list(at[side])] for at in _positions(placed)]


def _mean_weights(rows: Rows, words: int) -> Floats:
    """Return a matrix whose columns take the mean over the words of each sub-sample."""
    weights = np.zeros((words, len(rows)))
    for sample, at in enumerate(rows):
        weights[at, sample] = 1 / len(at)
    return weights


_QUANTILES = {"least": 0.0, "5%": 0.05, "25%": 0.25, "median": 0.5, "75%": 0.75, "95%": 0.95}
_QUANTILES |= {"largest": 1.0}


def correct_p_values(p: Floats, sample: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Correct p-values by Holm and by Benjamini and Hochberg, over the choices of each sub-sample.

    The choices of sets are the hypotheses. A sub-sample tests the same hypotheses again with fewer
    words: it is corrected on its own, and does not add to the number of hypotheses.
    """
    p_holm, p_bh = np.empty_like(p), np.empty_like(p)
    for number in np.unique(sample):
        here = sample == number
        p_holm[here], p_bh[here] = holm(p[here]), benjamini_hochberg(p[here])
    return p_holm, p_bh


def summarise(
    specifications: Sequence[Specification],
    factors: Sequence[Sequence[Choice]],
    documented: int | None,
    alpha: float,
) -> Summary:
    """Summarise the shares, the distribution of the effect, and the influence of each choice."""
    own = None if documented is None else specifications[documented]
    sign = 1.0 if own is None or own.effect == 0 else math.copysign(1.0, own.effect)
    effect = np.array([specification.effect for specification in specifications])
    is_whole = np.array([specification.sample == 0 for specification in specifications])
    same_sign = effect * sign > 0
    significant = {
        "none": np.array([specification.p.value <= alpha for specification in specifications]),
        "holm": np.array([specification.p_holm <= alpha for specification in specifications]),
        "bh": np.array([specification.p_bh <= alpha for specification in specifications]),
    }
    choices = int(is_whole.sum())
    smallest_p = np.array([_smallest_p(specification) for specification in specifications])
    return Summary(
        same_sign=_parts(same_sign, is_whole),
        significant={name: _parts(passed, is_whole) for name, passed in significant.items()},
        effects={name: float(np.quantile(effect, q)) for name, q in _QUANTILES.items()},
        place=None if own is None else float((effect < own.effect).mean()),
        out_of_reach=_part(smallest_p * choices > alpha),
        margins=tuple(_margins(specifications, factors, effect, same_sign, significant["holm"])),
        flips=tuple(_flips(specifications, own, same_sign, significant["holm"])),
    )


def _smallest_p(specification: Specification) -> float:
    """Return the smallest p-value possible with this number of targets."""
    tails = 2 if specification.p.alternative == "two-sided" else 1
    n_x, n_y = specification.n["X"], specification.n["Y"]
    return min(1.0, tails / math.comb(n_x + n_y, n_x))


def _part(is_counted: Bools) -> Part:
    return Part(int(is_counted.sum()), len(is_counted))


def _parts(is_counted: Bools, is_whole: Bools) -> dict[str, Part]:
    return {"whole": _part(is_counted[is_whole]), "all": _part(is_counted)}


def _margins(
    specifications: Sequence[Specification],
    factors: Sequence[Sequence[Choice]],
    effect: Floats,
    same_sign: Bools,
    significant: Bools,
) -> Iterator[Margin]:
    """Yield the marginal effect of each choice, over all specifications that have it."""
    ids = {side: np.array([spec.sets[side] for spec in specifications]) for side in SIDES}
    for factor in factors:
        for choice in factor:
            has_it = np.logical_and.reduce([ids[side] == id for side, id in choice.sets.items()])
            if not has_it.any():
                continue  # it shares words with every choice of another factor
            mean = float(effect[has_it].mean())
            difference = None if has_it.all() else mean - float(effect[~has_it].mean())
            yield Margin(
                choice.sets, mean, difference, _part(same_sign[has_it]), _part(significant[has_it])
            )


def _flips(
    specifications: Sequence[Specification],
    own: Specification | None,
    same_sign: Bools,
    significant: Bools,
) -> Iterator[Flip]:
    """Yield the whole choices whose answer differs from the documented one, by effect size."""
    index = {(tuple(spec.sets.values()), spec.sample): k for k, spec in enumerate(specifications)}
    samples = max(spec.sample for spec in specifications)
    is_significant = None
    if own is not None:
        is_significant = bool(significant[index[tuple(own.sets.values()), 0]])

    def change(k: int) -> str:
        if not same_sign[k]:
            return "other sign"
        if is_significant is None or significant[k] == is_significant:
            return ""
        return "not significant" if is_significant else "significant"

    for spec in sorted(specifications, key=lambda spec: spec.effect):
        sets = tuple(spec.sets.values())
        if spec.sample == 0 and (changed := change(index[sets, 0])):
            numbers = range(1, samples + 1)
            subsamples = [k for n in numbers if (k := index.get((sets, n))) is not None]
            part = Part(sum(change(k) == changed for k in subsamples), len(subsamples))
            yield Flip(spec.sets, changed, spec.effect, spec.p, spec.p_holm, part)
