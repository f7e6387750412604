"""Compiled inner loops. Import this module where a kernel runs: numba is slow to import."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from weatherglass._numba import compiled

Singles = NDArray[np.float32]


@compiled(fastmath={"reassoc", "contract", "nsz"})
def keep_best(score: Singles, voronoi: bool, top: Singles) -> None:
    """Update the best scores of each group, for many rotations at once.

    `score` has the axes word, group, rotation. With `voronoi`, a word counts only for the group
    with its largest score. `top` has the best scores so far, in descending order, by group and
    rotation. Rotations are the last axis so that the loops over them become vector instructions.
    """
    words, n, batch = score.shape
    t = top.shape[2]
    best = np.empty(batch, np.float32)
    who = np.empty(batch, np.int32)
    for w in range(words):
        row = score[w]
        for r in range(batch):
            best[r] = row[0, r]
            who[r] = 0
        for i in range(1, n):
            group = np.int32(i)  # the width of `who`, without which the loop is not vectorised
            for r in range(batch):
                value = row[i, r]
                who[r] = group if value > best[r] else who[r]
                best[r] = max(best[r], value)
        if voronoi:
            for r in range(batch):
                if best[r] > top[who[r], r, t - 1]:
                    _insert(top[who[r], r], best[r])
        else:
            for i in range(n):
                for r in range(batch):
                    if row[i, r] > top[i, r, t - 1]:
                        _insert(top[i, r], row[i, r])


@njit(inline="always")
def _insert(descending: Singles, score: np.float32) -> None:
    at = len(descending) - 1
    while at > 0 and descending[at - 1] < score:
        descending[at] = descending[at - 1]
        at -= 1
    descending[at] = score
