"""Who is selected: rates in the top share of each ranking, impact ratios and exposure.

A ranking has every version of every document. Versions with equal scores at the cut share the
places that are left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from weatherglass.significance import Interval

Floats = NDArray[np.float64]

CURVE = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The shares at which selection rates are computed."""

MIN_DOCUMENTS = 5
"""With fewer, an interval over other documents says nothing."""

MAX_PARTS = 200
"""The jackknife leaves out each document in turn; of more documents, as many parts."""

_MAX_EXPONENT = 50.0  # a width beyond this is as good as infinite
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
        Of the impact ratio, over other documents, with these groups as the lowest and the highest:
        it can exceed 1. None with fewer than five documents.
    p_shuffled
        The share of random assignments of the groups to the names with an impact ratio as low.
    shuffled
        The median, and the 5 % quantile, of the impact ratio over these assignments.
    exposure
        For each group, its mean exposure, with 1 / log2(1 + rank) for a version at that rank,
        divided by the mean exposure of all.
    curve
        The same rates for shares from 1 to 90 %.
    noun
        What sentences call what was inserted.
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
    noun: str = "names"

    @property
    def ratios(self) -> dict[str, float | None]:
        """The rate of each group divided by the highest rate, as Local Law 144 asks for it."""
        most = max(self.rates.values())
        return {group: rate / most if most else None for group, rate in self.rates.items()}


def select(
    scores: Floats,
    dimension: str,
    groups: Sequence[str],
    top: float,
    seed: int = 0,
    noun: str = "names",
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
        Random seed, for the shuffled groups.
    noun
        What sentences call what was inserted.

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
    lowest, highest = _extremes(rates)
    return Selection(
        dimension=dimension,
        top=top,
        rates=dict(zip(names, rates.tolist(), strict=True)),
        impact_ratio=_ratio(rates),
        lowest=names[lowest],
        highest=names[highest],
        interval=_jackknife(scores, member[:, [lowest, highest]], top),
        p_shuffled=(1 + lower) / (SHUFFLES + 1),
        shuffled=(float(np.median(shuffled)), float(np.quantile(shuffled, 0.05))),
        exposure=dict(zip(names, _exposure(scores, member).tolist(), strict=True)),
        curve=tuple(_curve_point(scores, member, names, share) for share in CURVE),
        noun=noun,
    )


@dataclass(frozen=True)
class PairSelection:
    """Selection rates of two groups among their versions, and the impact ratio."""

    rates: dict[str, float]
    impact_ratio: float | None
    interval: Interval | None


def select_pair(scores: Floats, groups: Sequence[str], top: float) -> PairSelection:
    """Return the rates and the impact ratio of two groups; the parameters are those of `select`."""
    names, member = _membership(groups)
    rates = member.T @ selected_by_name(scores, top) / member.sum(axis=0)
    ordered = member[:, _extremes(rates)]
    return PairSelection(
        dict(zip(names, rates.tolist(), strict=True)),
        _ratio(rates),
        _jackknife(scores, ordered, top),
    )


def _extremes(rates: Floats) -> list[int]:
    """Return the positions of the lowest and the highest rate: two groups also if all are equal."""
    return [len(rates) - 1 - int(rates[::-1].argmin()), int(rates.argmax())]


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
    everyone = np.ones((1, documents))
    places = _count_places(scores, top)
    total: Floats = _selected(scores, everyone, np.eye(names), places)[0] / (queries * documents)
    return total


def _count_places(scores: Floats, top: float) -> int:
    """Return how many versions are selected for each query."""
    _, documents, names = scores.shape
    places: int = max(1, round(top * documents * names))
    return places


def _selected(scores: Floats, kept: Floats, member: Floats, places: float) -> Floats:
    """Return how many versions of each group are selected over all queries, for parts of the texts.

    Parameters
    ----------
    scores
        With axes query, document, name.
    kept
        A row for each part: 1 for the documents in it, 0 for the others.
    member
        The group of each name: rows of zeros and a one.
    places
        How many versions of all documents are selected; of a part, the same share.
    """
    queries, documents, names = scores.shape
    share_kept = kept.mean(axis=1)
    most_left_out = documents - int(kept.sum(axis=1).min())
    total = np.zeros((len(kept), member.shape[1]))
    for query in range(queries):
        flat = scores[query].ravel()
        order = np.argsort(-flat, kind="stable")
        ranked = flat[order]
        starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        # Only these ranks can be selected; they end between two blocks of equal scores.
        needed = places + names * most_left_out
        end = next((int(start) for start in starts[starts >= needed][:1]), len(ranked))
        order, starts = order[:end], starts[starts < end]
        in_rank = kept[:, order // names]
        in_block = in_rank
        if len(starts) < end:
            in_block = np.add.reduceat(in_rank, starts, axis=1)
        before = np.cumsum(in_block, axis=1) - in_block
        free = places * share_kept[:, np.newaxis] - before
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(in_block > 0, np.clip(free / in_block, 0, 1), 0)
        if len(starts) < end:
            share = np.repeat(share, np.diff(np.r_[starts, end]), axis=1)
        total += (in_rank * share) @ member[order % names]
    return total


def _jackknife(scores: Floats, member: Floats, top: float) -> Interval | None:
    """Return the interval of the rate of the first group over that of the second.

    It is over other documents: t times the jackknife's standard error of the logarithm of the
    ratio. A bootstrap is no alternative, because a document that is drawn twice takes twice as many
    of the places. None with fewer than five documents, or if nobody is selected.
    """
    queries, documents, names = scores.shape
    if documents < MIN_DOCUMENTS:
        return None
    parts = min(documents, MAX_PARTS)
    left_out = np.arange(documents) % parts == np.arange(parts)[:, np.newaxis]
    kept = 1.0 - left_out
    places = _count_places(scores, top)
    sizes = queries * member.sum(axis=0)
    rates = _selected(scores, np.ones((1, documents)), member, places)[0] / sizes / documents
    if rates[1] == 0:
        return None
    left_out = _selected(scores, kept, member, places) / sizes / kept.sum(axis=1, keepdims=True)
    # A group that is never selected has half a place, so that the upper end is defined.
    floored = np.maximum(rates, 0.5 / (queries * documents * names))
    influence = left_out[:, 0] / floored[0] - left_out[:, 1] / floored[1]
    error = np.sqrt((parts - 1) * influence.var())
    width = float(stdtrit(parts - 1, (1 + CONFIDENCE) / 2) * error)
    ratio = float(floored[0] / floored[1])
    low = ratio * math.exp(-width) if rates[0] > 0 else 0.0
    high = ratio * math.exp(min(width, _MAX_EXPONENT))
    return Interval(low, high, CONFIDENCE, "jackknife", 0, "other documents")


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
