"""Lloyd's iterations: those of scikit-learn, on any number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from weatherglass.discovery.kmeans import Labels, Rows, lloyd


def unit(rows: np.ndarray) -> Rows:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def blurred(count: int, d: int, groups: int, seed: int = 0) -> Rows:
    """Unit vectors around a few directions, far enough from them that many rows lie between."""
    stream = np.random.default_rng(seed)
    middle = stream.standard_normal((groups, d))
    return unit(middle[stream.integers(groups, size=count)] + stream.standard_normal((count, d)))


def clustered(rows: Rows, starts: Rows, workers: int = 2) -> tuple[Labels, float]:
    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:
        return lloyd(rows, starts, pool)


@pytest.mark.parametrize(("count", "d", "k"), [(6000, 50, 20), (3000, 8, 5), (40, 3, 7), (9, 2, 1)])
def test_the_clusters_are_those_of_scikit_learn(count: int, d: int, k: int) -> None:
    rows = blurred(count, d, k)
    found, tight = clustered(rows, rows[:k])
    theirs = KMeans(k, init=rows[:k].astype(float), n_init=1, tol=0).fit(rows.astype(float))
    np.testing.assert_array_equal(found, theirs.labels_)
    assert len(rows) - tight == pytest.approx(theirs.inertia_, rel=1e-5)


def test_threads_make_no_difference() -> None:
    rows = blurred(7000, 20, 12)
    first, tight = clustered(rows, rows[:12], 1)
    for workers in (2, 5):
        again, as_tight = clustered(rows, rows[:12], workers)
        np.testing.assert_array_equal(first, again)
        assert tight == as_tight


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(6, 60))
def test_every_row_ends_with_its_nearest_mean_and_no_cluster_is_empty(
    seed: int, k: int, count: int
) -> None:
    rows = blurred(count, 4, k, seed)
    found, _ = clustered(rows, rows[:k])
    assert sorted(set(found.tolist())) == list(range(k))
    means = np.array([rows[found == j].mean(axis=0, dtype=float) for j in range(k)])
    far = ((rows[:, None] - means[None]) ** 2).sum(axis=2)
    own = far[np.arange(count), found]
    assert (own <= far.min(axis=1) + 1e-5).all()


def test_a_cluster_that_loses_all_rows_gets_a_far_one() -> None:
    rows = blurred(50, 3, 3)
    found, _ = clustered(rows, np.repeat(rows[:1], 4, axis=0))  # three centres that nothing is near
    assert sorted(set(found.tolist())) == [0, 1, 2, 3]
