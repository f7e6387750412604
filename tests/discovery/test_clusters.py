"""Clusters: k-means that converges, and gives the same result on any number of workers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.discovery.clusters import Rows, _lloyd, cluster


def unit(rows: np.ndarray) -> Rows:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def blurred(count: int, d: int, groups: int, seed: int = 0) -> Rows:
    """Draw unit vectors around a few directions, with so much noise that clusters overlap."""
    stream = np.random.default_rng(seed)
    centres = stream.standard_normal((groups, d))
    return unit(centres[stream.integers(groups, size=count)] + stream.standard_normal((count, d)))


@pytest.mark.parametrize(("count", "d", "k"), [(6000, 50, 20), (3000, 8, 5), (40, 3, 7), (9, 2, 1)])
def test_kmeans_converges_to_a_fixed_point(count: int, d: int, k: int) -> None:
    """A further round, in the plain definition, moves no row."""
    rows = blurred(count, d, k)
    labels, inertia = _lloyd(rows, rows[:k])
    means = np.array([rows[labels == j].mean(axis=0, dtype=float) for j in range(k)])
    distance = ((rows[:, None].astype(float) - means[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distance.argmin(axis=1), labels)
    assert inertia == pytest.approx(distance.min(axis=1).sum(), rel=1e-6)


@pytest.mark.parametrize("count", [7000, 12_000])
def test_clusters_are_the_same_on_any_number_of_workers(count: int) -> None:
    rows = blurred(count, 20, 12)
    first = cluster(rows, 12, "rows", 0, workers=1)
    for workers in (2, 5):
        np.testing.assert_array_equal(first, cluster(rows, 12, "rows", 0, workers=workers))


def test_the_largest_cluster_comes_first() -> None:
    sizes = np.bincount(cluster(blurred(2000, 10, 6), 6, "rows", 0))
    assert (np.diff(sizes) <= 0).all()


def test_another_seed_starts_from_other_centres() -> None:
    rows = blurred(12_000, 20, 12)
    assert (cluster(rows, 12, "rows", 0) != cluster(rows, 12, "rows", 1)).any()


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(6, 60))
def test_no_cluster_is_empty(seed: int, k: int, count: int) -> None:
    labels = cluster(blurred(count, 4, k, seed), k, "rows", 0)
    assert sorted(set(labels.tolist())) == list(range(k))


def test_an_empty_cluster_is_given_a_far_row() -> None:
    rows = blurred(50, 3, 3)
    labels, _ = _lloyd(rows, np.repeat(rows[:1], 4, axis=0))  # three centres attract no row
    assert sorted(set(labels.tolist())) == [0, 1, 2, 3]
