"""Clusters of unit vectors, the same ones on any number of cores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure

Rows = NDArray[np.float32]


def cluster(rows: Rows, count: int, what: str, *, rng: int, restarts: int = 1) -> NDArray[np.intp]:
    """Number the cluster of each row, the largest cluster first.

    K-means++ of scikit-learn, as in the paper. It runs on one core, because on several the order
    of its sums, and with it the last digit of a centre, is left to chance.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    different = len(np.unique(np.ascontiguousarray(rows + 0.0).view(f"V{rows[:1].nbytes}")))
    if different < count:
        raise CannotMeasure(
            f"The {len(rows):,} {what} have {different:,} different vectors, too few for {count} "
            "clusters of them."
        )
    with threadpool_limits(1):
        found = KMeans(count, n_init=restarts, random_state=rng % 2**32).fit(rows).labels_
    sizes = np.bincount(found, minlength=count)
    place = np.empty(count, np.intp)
    place[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(place[found])


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
