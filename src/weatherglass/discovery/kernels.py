"""Compiled inner loops. Import this where it runs: it brings in numba, which is slow."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from weatherglass._numba import compiled

Singles = NDArray[np.float32]
Labels = NDArray[np.intp]


@compiled(fastmath={"reassoc", "contract", "nsz"})
def keep_best(score: Singles, voronoi: bool, top: Singles) -> None:
    """Keep the scores of the best words of each group, for many rotations at once.

    `score` has that of each word (first axis) for each group (second) under each rotation (third).
    With `voronoi` a word counts only for the group where its score is largest. `top` has the best
    scores so far, falling, by group and rotation. Rotations stand last because neighbouring ones
    take the same steps: the loops over them become vector instructions.
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
            group = np.int32(i)  # as wide as the numbers beside it, or the loop is no vector
            for r in range(batch):
                here = row[i, r]
                who[r] = group if here > best[r] else who[r]
                best[r] = max(best[r], here)
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
def _insert(falling: Singles, score: np.float32) -> None:
    at = len(falling) - 1
    while at > 0 and falling[at - 1] < score:
        falling[at] = falling[at - 1]
        at -= 1
    falling[at] = score


@compiled()
def nearest(product: Singles, halves: Singles, rows: Labels, labels: Labels, lead: Singles) -> None:
    """Number the nearest centre of some rows, and say by how much it leads.

    `product` has that of each row (first axis) with each centre. The nearest centre is that with
    the largest product less half its square.
    """
    for i in range(len(rows)):
        best = second = np.float32(-np.inf)
        who = 0
        for k in range(len(halves)):
            here = product[i, k] - halves[k]
            if here > best:
                second, best, who = best, here, k
            elif here > second:
                second = here
        labels[rows[i]] = who
        lead[rows[i]] = best - second


@compiled()
def move(
    rows: Singles,
    moved: Labels,
    labels: Labels,
    found: Labels,
    sums: NDArray[np.float64],
    sizes: NDArray[np.int64],
) -> None:
    """Take rows out of the sums of the clusters they were in (-1 for none) and into the new."""
    for i in moved:
        old, new = labels[i], found[i]
        for d in range(rows.shape[1]):
            value = np.float64(rows[i, d])
            if old >= 0:
                sums[old, d] -= value
            sums[new, d] += value
        if old >= 0:
            sizes[old] -= 1
        sizes[new] += 1
        labels[i] = new
