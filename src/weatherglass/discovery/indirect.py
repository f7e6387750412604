"""Indirect bias: what the words would give away if the names were gone (section 4.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ordered, processors

from .result import Category, Group, Indirect, Proxy
from .rotations import Chosen, Floats, Null, Space, choose

STRONGEST = 10
CHANCE = 8
_NOTHING = 1e-12
_OWN_STREAM = 1 << 40  # beyond the batches of any search


def indirect(
    null: Null,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
    workers: int | None = None,
) -> Indirect:
    """All four-tuples of significant cells in two groups i < i' and two categories j < j', and the
    share for which (Āᵢⱼ − Āᵢ'ⱼ)·(Āᵢⱼ' − Āᵢ'ⱼ') > 0 (eq. 1); and the strongest proxies."""
    tuples, positive = _four_tuples(null.space, chosen, significant)
    proxies = _proxies(null.space, chosen, significant, words, groups, categories)
    proxies.sort(key=lambda one: -one.cosine)
    strongest = tuple(proxies[:STRONGEST])
    if not tuples:
        return Indirect(0, None, strongest)
    return Indirect(tuples, positive / tuples, strongest, _by_chance(null, significant, workers))


def _by_chance(null: Null, significant: NDArray[np.bool_], workers: int | None) -> float | None:
    """The mean share over a few random rotations of the names, with the words chosen anew in the
    same cells. The words of a group are chosen along its centre in every category, so that their
    differences lie the same way round even where names and words have nothing to do with each
    other."""
    turned = null.rotated(_OWN_STREAM, CHANCE)
    words = null.space.words.astype(np.float64)  # once for all

    def share(r: int) -> float:
        space = dataclasses.replace(
            null.space, centres=turned[:, :, r].T.astype(np.float64), words=words
        )
        chosen = choose(space)
        tuples, positive = _four_tuples(space, chosen, significant & np.isfinite(chosen.scores))
        return positive / tuples if tuples else np.nan

    shares = np.array(list(ordered(share, range(CHANCE), workers or processors())))
    return float(np.nanmean(shares)) if np.isfinite(shares).any() else None


def _four_tuples(space: Space, chosen: Chosen, cells: NDArray[np.bool_]) -> tuple[int, int]:
    """How many four-tuples of the given cells there are, and how many have the sign of eq. 1."""
    tuples = positive = 0
    for _, _, both, apart in _shared(space, chosen, cells):
        above = np.triu_indices(len(both), 1)
        tuples += len(above[0])
        positive += int(((apart @ apart.T)[above] > 0).sum())
    return tuples, positive


def _shared(
    space: Space, chosen: Chosen, cells: NDArray[np.bool_]
) -> Iterator[tuple[int, int, NDArray[np.intp], Floats]]:
    """Every two groups i < i' that share two categories or more; these, and Āᵢⱼ − Āᵢ'ⱼ of each."""
    means = np.zeros((*cells.shape, space.words.shape[1]))
    means[cells] = space.words[chosen.positions[cells]].mean(axis=1, dtype=np.float64)
    for i, k in combinations(range(len(space.centres)), 2):
        both = np.flatnonzero(cells[i] & cells[k])
        if len(both) > 1:
            yield i, k, both, means[i, both] - means[k, both]


def _proxies(
    space: Space,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
) -> list[Proxy]:
    """For every two groups and category that is significant for both, the pair of words whose
    difference lies best along that of the groups' centres."""
    made: list[Proxy] = []
    for i, k, both, apart in _shared(space, chosen, significant):
        names = space.centres[i] - space.centres[k]
        names /= max(float(np.linalg.norm(names)), _NOTHING)
        here, there = chosen.positions[i, both], chosen.positions[k, both]
        first, second = (space.words[one].astype(np.float64) for one in (here, there))
        near = _cosines(first, second, names)
        a, b = np.divmod(near.reshape(len(both), -1).argmax(axis=1), near.shape[2])
        every = np.arange(len(both))
        carried = apart @ (first[every, a] - second[every, b]).T > 0
        others = carried.sum(axis=0) - carried.diagonal()
        for at, j in enumerate(both.tolist()):
            made.append(
                Proxy(
                    (groups[i].id, groups[k].id),
                    categories[j].id,
                    (words[here[at, a[at]]], words[there[at, b[at]]]),
                    float(near[at, a[at], b[at]]),
                    int(others[at]),
                    len(both) - 1,
                )
            )
    return made


def _cosines(first: Floats, second: Floats, along: Floats) -> Floats:
    """The cosine of first − second with a unit vector, for each of the first words (second axis)
    with each of the second (third axis) of every category; 0 for a word with itself."""
    square = (first * first).sum(axis=2)[:, :, None] + (second * second).sum(axis=2)[:, None]
    square -= 2 * (first @ second.transpose(0, 2, 1))
    product = (first @ along)[:, :, None] - (second @ along)[:, None]
    return np.where(square > _NOTHING, product / np.sqrt(np.maximum(square, _NOTHING)), 0.0)
