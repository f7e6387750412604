"""Who is selected: rates in the top share of each ranking, impact ratios and exposure.

A ranking has every version of every document. Versions with equal scores at the cut share the
places that are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.significance import Interval

Floats = NDArray[np.float64]

CURVE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The shares at which selection rates are computed."""

_RANKS_PER_PLACE = 3
RESAMPLES = 1_000
SHUFFLES = 9_999
CONFIDENCE = 0.95


@dataclass(frozen=True)
class CurvePoint:
    """Selection rates and impact ratio at one share."""

    top: float
    rates: dict[str, float]
    impact_ratio: float | None


@dataclass(frozen=True)
class Selection:
    """Who is selected, in one dimension.

    Attributes
    ----------
    dimension
        The column of groups, such as ``race``.
    top
        The share of each ranking that is selected.
    rates
        For each group, the share of its versions that is selected, averaged over queries.
    impact_ratio
        The lowest rate divided by the highest; None if nobody is selected.
    lowest, highest
        The groups with these rates.
    interval
        Of the impact ratio, over other documents: a bootstrap of the documents.
    p_shuffled
        The share of random assignments of the groups to the names with an impact ratio as low.
    shuffled
        The median, and the 5 % quantile, of the impact ratio over these assignments.
    exposure
        For each group, its mean exposure, with 1 / log2(1 + rank) for a version at that rank,
        divided by the mean exposure of all.
    curve
        The same rates for shares from 1 to 90 %.
    """

    dimension: str
    top: float
    rates: dict[str, float]
    impact_ratio: float | None
    lowest: str
    highest: str
    interval: Interval | None
    p_shuffled: float
    shuffled: tuple[float, float]
    exposure: dict[str, float]
    curve: tuple[CurvePoint, ...] = ()


def select(
    scores: Floats, dimension: str, groups: Sequence[str], top: float, seed: int = 0
) -> Selection:
    """Return who is selected.

    Parameters
    ----------
    scores
        With axes query, document, name.
    dimension, groups
        The column of groups, and the group of each name.
    top
        The share of each ranking that is selected, between 0 and 1.
    seed
        Random seed, for the bootstrap and the shuffled groups.

    Examples
    --------
    >>> scores = np.array([[[0.9, 0.8, 0.2, 0.1], [0.7, 0.3, 0.6, 0.0]]])
    >>> selection = select(scores, "gender", ["f", "f", "m", "m"], 0.5)
    >>> selection.rates, selection.impact_ratio
    ({'f': 0.75, 'm': 0.25}, 0.3333333333333333)
    """
    names, member = _membership(groups)
    by_name = selected_by_name(scores, top)
    rates = member.T @ by_name / member.sum(axis=0)
    rng = np.random.default_rng(seed)
    shuffled = _shuffled_ratios(by_name, member, rng)
    lower = int((shuffled <= _plain_ratio(rates) + 1e-12).sum())
    return Selection(
        dimension=dimension,
        top=top,
        rates=dict(zip(names, rates.tolist(), strict=True)),
        impact_ratio=_ratio(rates),
        lowest=names[int(rates.argmin())],
        highest=names[int(rates.argmax())],
        interval=_bootstrap(scores, member[:, [rates.argmin(), rates.argmax()]], top, rng),
        p_shuffled=(1 + lower) / (SHUFFLES + 1),
        shuffled=(float(np.median(shuffled)), float(np.quantile(shuffled, 0.05))),
        exposure=dict(zip(names, _exposure(scores, member).tolist(), strict=True)),
        curve=tuple(_curve_point(scores, member, names, share) for share in CURVE),
    )


@dataclass(frozen=True)
class PairSelection:
    """Selection rates of two groups among their versions, and the impact ratio."""

    rates: dict[str, float]
    impact_ratio: float | None
    interval: Interval | None


def select_pair(scores: Floats, groups: Sequence[str], top: float, seed: int) -> PairSelection:
    """Return the rates and the impact ratio of two groups; the parameters are those of `select`."""
    names, member = _membership(groups)
    rates = member.T @ selected_by_name(scores, top) / member.sum(axis=0)
    ordered = member[:, [rates.argmin(), rates.argmax()]]
    return PairSelection(
        dict(zip(names, rates.tolist(), strict=True)),
        _ratio(rates),
        _bootstrap(scores, ordered, top, np.random.default_rng(seed)),
    )


def _membership(groups: Sequence[str]) -> tuple[list[str], Floats]:
    """Return the groups, and for each name a row with a one in the column of its group."""
    names = list(dict.fromkeys(groups))
    member = np.array([[group == name for name in names] for group in groups], dtype=np.float64)
    return names, member


def _shuffled_ratios(by_name: Floats, member: Floats, rng: np.random.Generator) -> Floats:
    """Return the impact ratio for random assignments of the groups to the names."""
    drawn = rng.permuted(np.tile(by_name, (SHUFFLES, 1)), axis=1)
    rates = drawn @ member / member.sum(axis=0)
    highest = rates.max(axis=1)
    ratios: Floats = np.where(highest > 0, rates.min(axis=1) / np.maximum(highest, 1e-300), 1.0)
    return ratios


def selected_by_name(scores: Floats, top: float) -> Floats:
    """Return the share of the versions with each name that is selected, over all queries."""
    queries, documents, names = scores.shape
    ones = np.ones((1, documents))
    table = np.eye(names)
    total: Floats = _selected(scores, ones, table, top)[0] / (queries * documents)
    return total


def _selected(scores: Floats, weights: Floats, member: Floats, top: float) -> Floats:
    """Return how many versions of each group are selected, over all queries, for each resample.

    Parameters
    ----------
    scores
        With axes query, document, name.
    weights
        How often each document is in each resample.
    member
        The group of each name: rows of zeros and a one.
    """
    queries, documents, names = scores.shape
    places = max(1, round(top * documents * names))
    total = np.zeros((len(weights), member.shape[1]))
    for query in range(queries):
        flat = scores[query].ravel()
        order = np.argsort(-flat, kind="stable")
        ranked = flat[order]
        starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        # The ranks that decide who is selected come first; the others are rarely needed.
        for end in _cut_ranks(starts, len(ranked), _RANKS_PER_PLACE * places):
            counts = weights[:, order[:end] // names]
            if counts.sum(axis=1).min() >= places:
                break
        order, starts = order[:end], starts[starts < end]
        in_block = counts
        if len(starts) < end:
            in_block = np.add.reduceat(counts, starts, axis=1)
        before = np.cumsum(in_block, axis=1) - in_block
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.clip((places - before) / in_block, 0, 1)
        share = np.where(in_block > 0, share, 0)
        if len(starts) < end:
            share = np.repeat(share, np.diff(np.r_[starts, end]), axis=1)
        taken = counts * share
        total += taken @ member[order % names]
    return total


def _cut_ranks(starts: NDArray[np.int64], length: int, wanted: int) -> tuple[int, int]:
    """Return the end of the first ranks, which is between two blocks of ties, and the last rank."""
    later = starts[starts >= wanted]
    return (int(later[0]) if len(later) else length, length)


def _bootstrap(
    scores: Floats, member: Floats, top: float, rng: np.random.Generator
) -> Interval | None:
    """Return the interval of the rate of the first group over that of the second.

    It is over other documents. The groups with the lowest and the highest rate stay the same in
    every resample, so that the ratio can exceed 1.
    """
    documents = scores.shape[1]
    if documents < 2:
        return None
    weights = rng.multinomial(documents, np.full(documents, 1 / documents), RESAMPLES)
    sizes = member.sum(axis=0)
    ratios = []
    for block in np.array_split(weights.astype(np.float64), max(1, RESAMPLES // 250)):
        rates = _selected(scores, block, member, top) / sizes
        ratios += [float(low / high) if high else 1.0 for low, high in rates]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return Interval(float(low), float(high), CONFIDENCE, "percentile", RESAMPLES, "other documents")


def _exposure(scores: Floats, member: Floats) -> Floats:
    """Return the mean exposure of each group, divided by that of all."""
    queries, documents, names = scores.shape
    discount = 1 / np.log2(np.arange(documents * names) + 2)
    total = np.zeros(member.shape[1])
    for query in range(queries):
        order = np.argsort(-scores[query].ravel(), kind="stable")
        total += discount @ member[order % names]
    share: Floats = total / (queries * documents * member.sum(axis=0)) / discount.mean()
    return share


def _curve_point(scores: Floats, member: Floats, names: Sequence[str], top: float) -> CurvePoint:
    rates = member.T @ selected_by_name(scores, top) / member.sum(axis=0)
    return CurvePoint(top, dict(zip(names, rates.tolist(), strict=True)), _ratio(rates))


def _ratio(rates: Floats) -> float | None:
    return float(rates.min() / rates.max()) if rates.max() > 0 else None


def _plain_ratio(rates: Floats) -> float:
    ratio = _ratio(rates)
    return 1.0 if ratio is None else ratio
