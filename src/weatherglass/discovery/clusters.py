"""Clusters of unit vectors, the same ones on any number of cores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure

Rows = NDArray[np.float32]


RESTARTS, FEW = 10, 10_000
"""K-means starts so many times where there are few rows; many rows are hardly helped by it."""


def cluster(rows: Rows, count: int, what: str, rng: int) -> NDArray[np.intp]:
    """Number the cluster of each row, the largest cluster first.

    K-means of scikit-learn from centres drawn by k-means++, as in the paper; of ten starts the
    tightest clusters, or one start for more than 10,000 rows. It runs on one core, because on
    several the order of its sums, and with it the last digit of a centre, is left to chance.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    different = len(np.unique(np.ascontiguousarray(rows + 0.0).view(f"V{rows[:1].nbytes}")))
    if different < count:
        raise CannotMeasure(
            f"The {len(rows):,} {what} have {different:,} different vectors, too few for {count} "
            "clusters of them."
        )
    stream = np.random.default_rng(rng)
    with threadpool_limits(1):
        starts = [_starts(rows, count, stream) for _ in range(RESTARTS if len(rows) <= FEW else 1)]
        made = [KMeans(count, init=start, n_init=1).fit(rows) for start in starts]
    found = min(made, key=lambda one: float(one.inertia_)).labels_
    sizes = np.bincount(found, minlength=count)
    place = np.empty(count, np.intp)
    place[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(place[found])


def _starts(rows: Rows, count: int, stream: np.random.Generator) -> Rows:
    """Rows to start from, by greedy k-means++.

    Each next one is drawn with probability proportional to its squared distance from the nearest of
    those chosen; of a few draws, that which leaves the smallest sum of these distances. For unit
    vectors a product is all that takes, and a third of the time of scikit-learn's own.
    """
    draws = 2 + int(np.log(count))
    chosen = [int(stream.integers(len(rows)))]
    far = np.maximum(1 - rows @ rows[chosen[0]], 0)  # half the squared distance
    for _ in range(1, count):
        sums = np.cumsum(far, dtype=np.float64)
        drawn = np.searchsorted(sums, stream.random(draws) * sums[-1], side="right")
        drawn = np.minimum(drawn, len(rows) - 1)
        farther = np.clip(1 - rows[drawn] @ rows.T, 0, far)
        best = int(farther.sum(axis=1, dtype=np.float64).argmin())
        far = farther[best]
        chosen.append(int(drawn[best]))
    return np.asarray(rows[chosen])


def means(
    rows: Rows | NDArray[np.float64], labels: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """The mean row of each cluster."""
    return np.array([rows[labels == k].mean(axis=0, dtype=np.float64) for k in range(count)])


def most_central(rows: Rows, count: int) -> list[int]:
    """Positions of the rows that together are nearest to the mean of all, chosen greedily.

    Section 4 of the paper: the first has the largest product with the mean, and each next one is
    that with which the average of those chosen has the largest cosine with it.
    """
    whole = rows.mean(axis=0, dtype=np.float64)
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
