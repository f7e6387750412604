"""Compiled inner loop. Import this where it runs: it brings in numba, which is slow."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Singles = NDArray[np.float32]


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def keep_best(near: Singles, voronoi: bool, top: Singles) -> None:
    """Keep the scores of the best words of each group, for many rotations at once.

    `near` has the product of each word (first axis) with the centre of each group (second) under
    each rotation (third); a word's score for a group is that less its mean over the groups. With
    `voronoi` a word counts only for the group whose centre it is nearest to. `top` has the best
    scores so far, falling, by group and rotation. Rotations stand last because neighbouring ones
    take the same steps: the loops over them become vector instructions.
    """
    words, n, batch = near.shape
    t = top.shape[2]
    best = np.empty(batch, np.float32)
    who = np.empty(batch, np.int32)
    mean = np.empty(batch, np.float32)
    share = np.float32(1 / n)
    for w in range(words):
        row = near[w]
        for r in range(batch):
            best[r] = row[0, r]
            mean[r] = row[0, r]
            who[r] = 0
        for i in range(1, n):
            group = np.int32(i)  # as wide as the numbers beside it, or the loop is no vector
            for r in range(batch):
                here = row[i, r]
                mean[r] += here
                who[r] = group if here > best[r] else who[r]
                best[r] = max(best[r], here)
        for r in range(batch):
            mean[r] *= share
        if voronoi:
            for r in range(batch):
                score = best[r] - mean[r]
                if score > top[who[r], r, t - 1]:
                    _insert(top[who[r], r], score)
        else:
            for i in range(n):
                for r in range(batch):
                    score = row[i, r] - mean[r]
                    if score > top[i, r, t - 1]:
                        _insert(top[i, r], score)


@njit(inline="always")
def _insert(falling: Singles, score: np.float32) -> None:
    at = len(falling) - 1
    while at > 0 and falling[at - 1] < score:
        falling[at] = falling[at - 1]
        at -= 1
    falling[at] = score
