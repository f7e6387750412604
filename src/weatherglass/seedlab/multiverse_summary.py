"""What all specifications of a multiverse say together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from weatherglass.significance import benjamini_hochberg, holm

from .multiverse_parts import Choice, Flip, Margin, Part, Specification, Summary
from .sides import SIDES

_QUANTILES = {"least": 0.0, "5%": 0.05, "25%": 0.25, "median": 0.5, "75%": 0.75, "95%": 0.95}
_QUANTILES |= {"largest": 1.0}


def corrected(
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
