"""Indirect bias: what the words would give away if the names were gone (section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .cells import Chosen, Space
from .record import Category, Group, Indirect, Proxy

STRONGEST = 10


def indirect(
    space: Space,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
) -> Indirect:
    """All four-tuples of significant cells in two groups i < i' and two categories j < j', and the
    share for which (Āᵢⱼ − Āᵢ'ⱼ)·(Āᵢⱼ' − Āᵢ'ⱼ') > 0 (eq. 1); and the strongest proxies."""
    tuples = positive = 0
    proxies: list[Proxy] = []
    for i, k in combinations(range(len(space.centres)), 2):
        both = np.flatnonzero(significant[i] & significant[k])
        if len(both) < 2:
            continue
        first = space.words[chosen.positions[i, both]].astype(np.float64)
        second = space.words[chosen.positions[k, both]].astype(np.float64)
        apart = first.mean(axis=1) - second.mean(axis=1)
        above = np.triu_indices(len(both), 1)
        tuples += len(above[0])
        positive += int(((apart @ apart.T)[above] > 0).sum())
        names = space.centres[i] - space.centres[k]
        for at, j in enumerate(both.tolist()):
            pairs = first[at][:, None] - second[at][None]
            length = np.linalg.norm(pairs, axis=2) * np.linalg.norm(names)
            near = pairs @ names / np.where(length > 0, length, np.inf)
            a, b = np.unravel_index(int(near.argmax()), near.shape)
            carried = np.delete(apart, at, axis=0) @ pairs[a, b] > 0
            pair = (words[chosen.positions[i, j, a]], words[chosen.positions[k, j, b]])
            of_groups = (groups[i].id, groups[k].id)
            proxies.append(
                Proxy(
                    of_groups,
                    categories[j].id,
                    pair,
                    float(near[a, b]),
                    int(carried.sum()),
                    len(carried),
                )
            )
    proxies.sort(key=lambda one: -one.cosine)
    return Indirect(tuples, positive / tuples if tuples else None, tuple(proxies[:STRONGEST]))
