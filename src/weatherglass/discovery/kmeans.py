"""Clusters of unit vectors, the same ones on any number of cores."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.vectors import slices

Rows = NDArray[np.float32]
Labels = NDArray[np.intp]

BLOCK = 2048
ROUNDS = 300
_ROUNDING = 1e-5  # of a product in float32; a lead that is smaller is not relied on


def lloyd(rows: Rows, starts: Rows, pool: Executor) -> tuple[Labels, float]:
    """Cluster unit vectors around centres that begin at `starts`.

    Gives the number of each row's cluster, and how tight the clusters are: the sum over them of
    size × squared length of the mean, which is the number of rows less the squared distances.
    """
    from .kernels import move, nearest

    centres = starts.astype(np.float64)
    labels = np.full(len(rows), -1, np.intp)
    sums, sizes = np.zeros_like(centres), np.zeros(len(centres), np.int64)
    # By how much at least the product with the nearest centre, less half that centre's square,
    # exceeds that with any other.
    lead = np.zeros(len(rows), np.float32)
    for _ in range(ROUNDS):
        found = labels.copy()
        half = (centres * centres).sum(axis=1) / 2
        turned, halves = centres.T.astype(np.float32), half.astype(np.float32)

        def look(start: int) -> None:
            block = rows[start : start + BLOCK]
            open_ = np.flatnonzero(lead[start : start + BLOCK] <= _ROUNDING)  # noqa: B023
            if 2 * len(open_) < len(block):
                block = block[open_]
            else:  # gathering them would take longer than looking at all
                open_ = np.arange(len(block))
            nearest(block @ turned, halves, start + open_, found, lead)  # noqa: B023

        list(pool.map(look, range(0, len(rows), BLOCK)))
        moved = np.flatnonzero(found != labels)
        if not len(moved):
            break
        move(rows, moved, labels, found, sums, sizes)
        _refill(rows, centres, labels, sums, sizes, lead)
        means = sums / sizes[:, None]
        shift = np.sqrt(((means - centres) ** 2).sum(axis=1))
        longer = (means * means).sum(axis=1) / 2 - half
        lead -= (shift + longer + _most_of_others(shift - longer))[labels].astype(np.float32)
        centres = means
    return labels, float(((sums * sums).sum(axis=1) / sizes).sum())


def _most_of_others(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each the largest gain of any other."""
    order = np.argsort(-gain, kind="stable")
    most = np.full(len(gain), gain[order[0]])
    most[order[0]] = gain[order[1]] if len(gain) > 1 else -np.inf
    return most


def _refill(
    rows: Rows,
    centres: NDArray[np.float64],
    labels: Labels,
    sums: NDArray[np.float64],
    sizes: NDArray[np.int64],
    lead: Rows,
) -> None:
    """Give a cluster that has lost all rows the one that is farthest from its own centre."""
    from .kernels import move

    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    apart = rows - centres[labels]
    far = np.argsort(-(apart * apart).sum(axis=1), kind="stable")
    for k in empty:
        at = next(i for i in far if sizes[labels[i]] > 1)
        found = labels.copy()
        found[at] = k
        move(rows, np.array([at]), labels, found, sums, sizes)
        lead[at] = -np.inf


RESTARTS, FEW = 10, 10_000
"""K-means starts so many times where there are few rows; many rows are hardly helped by it."""


def cluster(rows: Rows, count: int, what: str, rng: int, workers: int = 1) -> NDArray[np.intp]:
    """Number the cluster of each row, the largest cluster first.

    K-means from centres drawn by k-means++, as in the paper; of ten starts the tightest clusters,
    or one start for more than 10,000 rows.
    """
    from threadpoolctl import threadpool_limits

    different = _different(rows, count)
    if different < count:
        raise CannotMeasure(
            f"The {len(rows):,} {what} have {different:,} different vectors, too few for {count} "
            "clusters of them."
        )
    stream = np.random.default_rng(rng)
    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:  # the threads are ours
        made = [
            lloyd(rows, _starts(rows, count, stream, pool), pool)
            for _ in range(RESTARTS if len(rows) <= FEW else 1)
        ]
    found, _ = max(made, key=lambda one: one[1])
    sizes = np.bincount(found, minlength=count)
    place = np.empty(count, np.intp)
    place[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(place[found])


def _different(rows: Rows, enough: int) -> int:
    """How many different rows there are, counted no further than needed to know of `enough`."""
    first = len(np.unique(rows[:, 0]))  # most often this says it, and comparing rows takes long
    if first >= enough:
        return first
    return len(np.unique(np.ascontiguousarray(rows + 0.0).view(f"V{rows[:1].nbytes}")))


def _starts(rows: Rows, count: int, stream: np.random.Generator, pool: Executor) -> Rows:
    """Rows to start from, by greedy k-means++.

    Each next one is drawn with probability proportional to its squared distance from the nearest of
    those chosen; of a few draws, that which leaves the smallest sum of these distances. For unit
    vectors a product is all that takes.
    """
    draws = 2 + int(np.log(count))
    chosen = [int(stream.integers(len(rows)))]
    far = np.maximum(1 - rows @ rows[chosen[0]], 0)  # half the squared distance
    for _ in range(1, count):
        sums = np.cumsum(far, dtype=np.float64)
        drawn = np.searchsorted(sums, stream.random(draws) * sums[-1], side="right")
        drawn = np.minimum(drawn, len(rows) - 1)
        farther = _farther(rows, rows[drawn], far, pool)
        best = int(farther.sum(axis=1, dtype=np.float64).argmin())
        far = farther[best]
        chosen.append(int(drawn[best]))
    return np.asarray(rows[chosen])


def _farther(rows: Rows, drawn: Rows, far: Rows, pool: Executor) -> Rows:
    """How far every row would be from the nearest of those chosen, with each of those drawn."""

    def block(part: slice) -> Rows:
        return np.asarray(np.clip(1 - drawn @ rows[part].T, 0, far[part]))

    return np.concatenate(list(pool.map(block, slices(len(rows)))), axis=1)


def means(
    rows: Rows | NDArray[np.float64], labels: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """The mean row of each cluster."""
    return np.array([rows[labels == k].mean(axis=0, dtype=np.float64) for k in range(count)])


def most_central(rows: Rows | NDArray[np.float64], count: int) -> list[int]:
    """Positions of the rows that together are nearest to the mean of all, chosen greedily.

    Section 4 of the paper: the first has the largest product with the mean, and each next one is
    that with which the average of those chosen has the largest cosine with it.
    """
    rows = rows.astype(np.float64)
    whole = rows.mean(axis=0)
    along = rows @ whole
    total = np.zeros(rows.shape[1])
    chosen: list[int] = []
    for _ in range(min(count, len(rows))):
        # |total + row|² without forming the sums: all rows have length 1.
        length = np.sqrt(np.maximum(total @ total + 2 * (rows @ total) + 1, 1e-12))
        near = (total @ whole + along) / length
        near[chosen] = -np.inf
        chosen.append(int(near.argmax()))
        total += rows[chosen[-1]]
    return chosen
