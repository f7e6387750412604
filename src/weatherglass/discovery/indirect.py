"""Indirect bias: associations that survive when the names are removed (section 4.2)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count, map_in_order

from .result import Category, Group, Indirect, Proxy
from .rotations import Chosen, Floats, Null, Space, choose

MAX_PROXIES = 10
CHANCE_ROTATIONS = 8
_EPSILON = 1e-12
_CHANCE_STREAM = 1 << 40  # a random stream beyond the batches of any search


def indirect(
    null: Null,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
    workers: int | None = None,
) -> Indirect:
    """Measure indirect bias and find the strongest proxies.

    Over all four-tuples of significant cells in two groups i < i' and two categories j < j', the
    result holds the share for which (Āᵢⱼ − Āᵢ'ⱼ)·(Āᵢⱼ' − Āᵢ'ⱼ') > 0 (eq. 1).
    """
    tuples, positive = _four_tuples(null.space, chosen, significant)
    proxies = _proxies(null.space, chosen, significant, words, groups, categories)
    proxies.sort(key=lambda proxy: -proxy.cosine)
    strongest = tuple(proxies[:MAX_PROXIES])
    if not tuples:
        return Indirect(0, None, strongest)
    return Indirect(
        tuples, positive / tuples, strongest, _share_by_chance(null, significant, workers)
    )


def _share_by_chance(
    null: Null, significant: NDArray[np.bool_], workers: int | None
) -> float | None:
    """Return the mean share over a few random rotations, with the words of each cell chosen anew.

    A group's words are chosen along its centroid in every category, so their differences tend to
    have the same sign even where names and words are unrelated. This is the share to compare with.
    """
    rotated = null.rotated(_CHANCE_STREAM, CHANCE_ROTATIONS)
    words = null.space.words.astype(np.float64)  # converted once for all rotations

    def share(r: int) -> float:
        space = dataclasses.replace(
            null.space, centres=rotated[:, :, r].T.astype(np.float64), words=words
        )
        chosen = choose(space)
        tuples, positive = _four_tuples(space, chosen, significant & np.isfinite(chosen.scores))
        return positive / tuples if tuples else np.nan

    shares = np.array(list(map_in_order(share, range(CHANCE_ROTATIONS), workers or cpu_count())))
    return float(np.nanmean(shares)) if np.isfinite(shares).any() else None


def _four_tuples(space: Space, chosen: Chosen, cells: NDArray[np.bool_]) -> tuple[int, int]:
    """Count the four-tuples of the given cells, and those that satisfy eq. 1."""
    tuples = positive = 0
    for _, _, shared, difference in _group_pairs(space, chosen, cells):
        above = np.triu_indices(len(shared), 1)
        tuples += len(above[0])
        positive += int(((difference @ difference.T)[above] > 0).sum())
    return tuples, positive


def _group_pairs(
    space: Space, chosen: Chosen, cells: NDArray[np.bool_]
) -> Iterator[tuple[int, int, NDArray[np.intp], Floats]]:
    """Yield groups i < i' with at least two shared categories, those categories, and Āᵢⱼ − Āᵢ'ⱼ."""
    means = np.zeros((*cells.shape, space.words.shape[1]))
    means[cells] = space.words[chosen.positions[cells]].mean(axis=1, dtype=np.float64)
    for i, k in combinations(range(len(space.centres)), 2):
        shared = np.flatnonzero(cells[i] & cells[k])
        if len(shared) > 1:
            yield i, k, shared, means[i, shared] - means[k, shared]


def _proxies(
    space: Space,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
) -> list[Proxy]:
    """Find proxies: for two groups and a category significant for both, the best-aligned word pair.

    The pair is the one whose difference has the largest cosine with the difference of the groups'
    centroids.
    """
    proxies: list[Proxy] = []
    for i, k, shared, difference in _group_pairs(space, chosen, significant):
        direction = space.centres[i] - space.centres[k]
        direction /= max(float(np.linalg.norm(direction)), _EPSILON)
        first_at, second_at = chosen.positions[i, shared], chosen.positions[k, shared]
        first, second = (space.words[at].astype(np.float64) for at in (first_at, second_at))
        cosine = _cosines(first, second, direction)
        a, b = np.divmod(cosine.reshape(len(shared), -1).argmax(axis=1), cosine.shape[2])
        rows = np.arange(len(shared))
        # In how many of the other categories does the pair's difference point the same way?
        agrees = difference @ (first[rows, a] - second[rows, b]).T > 0
        agreeing = agrees.sum(axis=0) - agrees.diagonal()
        for row, j in enumerate(shared.tolist()):
            proxies.append(
                Proxy(
                    (groups[i].id, groups[k].id),
                    categories[j].id,
                    (words[first_at[row, a[row]]], words[second_at[row, b[row]]]),
                    float(cosine[row, a[row], b[row]]),
                    int(agreeing[row]),
                    len(shared) - 1,
                )
            )
    return proxies


def _cosines(first: Floats, second: Floats, direction: Floats) -> Floats:
    """Return the cosine of first − second with a unit vector, for all pairs of each category.

    The axes are category, first word, second word. The cosine of a word with itself is 0.
    """
    square = (first * first).sum(axis=2)[:, :, None] + (second * second).sum(axis=2)[:, None]
    square -= 2 * (first @ second.transpose(0, 2, 1))
    product = (first @ direction)[:, :, None] - (second @ direction)[:, None]
    return np.where(square > _EPSILON, product / np.sqrt(np.maximum(square, _EPSILON)), 0.0)
