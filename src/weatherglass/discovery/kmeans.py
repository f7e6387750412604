"""K-means of unit vectors, with the same result on any number of cores."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.vectors import row_blocks

Rows = NDArray[np.float32]
Labels = NDArray[np.intp]

BLOCK = 2048
MAX_ROUNDS = 300
_ROUNDING = 1e-5  # error of a float32 product; a smaller margin is not trusted


def lloyd(rows: Rows, starts: Rows, pool: Executor) -> tuple[Labels, float]:
    """Run Lloyd's algorithm on unit vectors from the centres `starts`.

    Returns the cluster of each row, and the tightness: the sum over clusters of size × squared norm
    of the mean, which is the number of rows minus the sum of squared distances. A row is compared
    with all centres again only when the centres have moved by more than its margin.
    """
    from .kernels import move, nearest

    centres = starts.astype(np.float64)
    labels = np.full(len(rows), -1, np.intp)
    sums, sizes = np.zeros_like(centres), np.zeros(len(centres), np.int64)
    # A lower bound of each row's margin: product with the nearest centre minus half that centre's
    # squared norm, minus the same for any other centre.
    lead = np.zeros(len(rows), np.float32)
    for _ in range(MAX_ROUNDS):
        target = labels.copy()
        half = (centres * centres).sum(axis=1) / 2
        columns, halves = centres.T.astype(np.float32), half.astype(np.float32)

        def assign(start: int) -> None:
            block = rows[start : start + BLOCK]
            undecided = np.flatnonzero(lead[start : start + BLOCK] <= _ROUNDING)  # noqa: B023
            if 2 * len(undecided) < len(block):
                block = block[undecided]
            else:  # gathering the rows would take longer than assigning all of them
                undecided = np.arange(len(block))
            nearest(block @ columns, halves, start + undecided, target, lead)  # noqa: B023

        list(pool.map(assign, range(0, len(rows), BLOCK)))
        moved = np.flatnonzero(target != labels)
        if not len(moved):
            break
        move(rows, moved, labels, target, sums, sizes)
        _refill_empty(rows, centres, labels, sums, sizes, lead)
        means = sums / sizes[:, None]
        shift = np.sqrt(((means - centres) ** 2).sum(axis=1))
        longer = (means * means).sum(axis=1) / 2 - half
        lead -= (shift + longer + _max_of_others(shift - longer))[labels].astype(np.float32)
        centres = means
    return labels, float(((sums * sums).sum(axis=1) / sizes).sum())


def _max_of_others(gain: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each entry, the maximum over all other entries."""
    order = np.argsort(-gain, kind="stable")
    largest = np.full(len(gain), gain[order[0]])
    largest[order[0]] = gain[order[1]] if len(gain) > 1 else -np.inf
    return largest


def _refill_empty(
    rows: Rows,
    centres: NDArray[np.float64],
    labels: Labels,
    sums: NDArray[np.float64],
    sizes: NDArray[np.int64],
    lead: Rows,
) -> None:
    """Move the row that is farthest from its own centre into each empty cluster."""
    from .kernels import move

    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    offset = rows - centres[labels]
    farthest = np.argsort(-(offset * offset).sum(axis=1), kind="stable")
    for k in empty:
        at = next(i for i in farthest if sizes[labels[i]] > 1)
        target = labels.copy()
        target[at] = k
        move(rows, np.array([at]), labels, target, sums, sizes)
        lead[at] = -np.inf


RESTARTS, MAX_ROWS_TO_RESTART = 10, 10_000
"""K-means is run several times on few rows only: restarts hardly improve the result on many."""


def cluster(rows: Rows, count: int, what: str, rng: int, workers: int = 1) -> NDArray[np.intp]:
    """Return the cluster of each row; cluster 0 is the largest.

    K-means++ as in the paper: the tightest clustering of ten starts, or one start for more than
    10,000 rows.
    """
    from threadpoolctl import threadpool_limits

    distinct = _count_distinct(rows, count)
    if distinct < count:
        raise CannotMeasure(
            f"The {len(rows):,} {what} have only {distinct:,} distinct vectors, too few for "
            f"{count} clusters."
        )
    stream = np.random.default_rng(rng)
    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:  # no BLAS threads inside ours
        runs = [
            lloyd(rows, _starts(rows, count, stream, pool), pool)
            for _ in range(RESTARTS if len(rows) <= MAX_ROWS_TO_RESTART else 1)
        ]
    labels, _ = max(runs, key=lambda run: run[1])
    sizes = np.bincount(labels, minlength=count)
    rank = np.empty(count, np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(rank[labels])


def _count_distinct(rows: Rows, enough: int) -> int:
    """Count the distinct rows, or return a lower bound that is at least `enough`."""
    first = len(np.unique(rows[:, 0]))  # usually sufficient, and much faster than comparing rows
    if first >= enough:
        return first
    return len(np.unique(np.ascontiguousarray(rows + 0.0).view(f"V{rows[:1].nbytes}")))


def _starts(rows: Rows, count: int, stream: np.random.Generator, pool: Executor) -> Rows:
    """Draw initial centres by greedy k-means++.

    Each centre is drawn with probability proportional to its squared distance from the nearest
    centre so far; of a few candidates, the one that leaves the smallest sum of squared distances is
    taken. For unit vectors the squared distance is 2 − 2 × the product.
    """
    draws = 2 + int(np.log(count))
    chosen = [int(stream.integers(len(rows)))]
    distance = np.maximum(1 - rows @ rows[chosen[0]], 0)  # half the squared distance
    for _ in range(1, count):
        sums = np.cumsum(distance, dtype=np.float64)
        drawn = np.searchsorted(sums, stream.random(draws) * sums[-1], side="right")
        drawn = np.minimum(drawn, len(rows) - 1)
        updated = _updated_distances(rows, rows[drawn], distance, pool)
        best = int(updated.sum(axis=1, dtype=np.float64).argmin())
        distance = updated[best]
        chosen.append(int(drawn[best]))
    return np.asarray(rows[chosen])


def _updated_distances(rows: Rows, drawn: Rows, distance: Rows, pool: Executor) -> Rows:
    """Return the distance of rows to their nearest centre if each candidate were added."""

    def block(part: slice) -> Rows:
        return np.asarray(np.clip(1 - drawn @ rows[part].T, 0, distance[part]))

    return np.concatenate(list(pool.map(block, row_blocks(len(rows)))), axis=1)


def means(
    rows: Rows | NDArray[np.float64], labels: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """Return the mean row of each cluster."""
    return np.array([rows[labels == k].mean(axis=0, dtype=np.float64) for k in range(count)])


def most_central(rows: Rows | NDArray[np.float64], count: int) -> list[int]:
    """Choose the rows whose average is closest to the mean of all rows, greedily (section 4).

    The first row has the largest product with the mean; each next one maximises the cosine of the
    average of the chosen rows with it. Returns positions.
    """
    rows = rows.astype(np.float64)
    mean = rows.mean(axis=0)
    product = rows @ mean
    total = np.zeros(rows.shape[1])
    chosen: list[int] = []
    for _ in range(min(count, len(rows))):
        # |total + row|² without forming the sums: all rows have norm 1.
        length = np.sqrt(np.maximum(total @ total + 2 * (rows @ total) + 1, 1e-12))
        cosine = (total @ mean + product) / length
        cosine[chosen] = -np.inf
        chosen.append(int(cosine.argmax()))
        total += rows[chosen[-1]]
    return chosen
