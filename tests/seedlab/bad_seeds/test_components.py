import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from weatherglass import open_vectors, seed_pair
from weatherglass.seedlab.bad_seeds.subspaces import explained_variance, pair_components
from weatherglass.vectors.subspace import bias_subspace


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def random_pairs(seed: int, pairs: int = 6, dim: int = 4):
    rng = np.random.default_rng(seed)
    return unit(rng.normal(size=(pairs, dim))), unit(rng.normal(size=(pairs, dim)))


def rotation(seed: int, dim: int = 4):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]


def test_components_of_two_pairs_are_those_worked_by_hand():
    # Half-differences (1, 0) and (0, 0.6): variances 1 and 0.36 of 1.36.
    x, y = np.array([[1.0, 0.0], [0.8, 0.6]]), np.array([[-1.0, 0.0], [0.8, -0.6]])
    components = pair_components(x, y)
    assert components.explained == pytest.approx((1 / 1.36, 0.36 / 1.36))
    assert components.axes == pytest.approx(np.eye(2))


def test_pairs_that_differ_along_one_axis_have_one_component():
    x = unit(np.array([[1.0, 2.0, 0.0], [1.0, -2.0, 0.0], [1.0, 0.0, 2.0]]))
    components = pair_components(x, x * [-1, 1, 1])
    assert components.explained == pytest.approx((1, 0, 0), abs=1e-12)
    assert components.axes[0] == pytest.approx([1, 0, 0])


def test_a_single_pair_explains_all_variance():
    assert pair_components(*random_pairs(0, pairs=1)).explained == pytest.approx((1.0,))


def test_pairs_of_equal_vectors_have_no_component():
    x, _ = random_pairs(0)
    assert pair_components(x, x) is None
    assert pair_components(x[:0], x[:0]) is None
    assert not explained_variance(x, x).any()


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
def test_components_are_the_pca_of_both_half_vectors_of_each_pair(seed, pairs):
    x, y = random_pairs(seed, pairs)
    mean = (x + y) / 2
    brute = PCA().fit(np.concatenate([x - mean, y - mean]))
    components = pair_components(x, y)
    count = len(components.explained)
    assert components.explained == pytest.approx(brute.explained_variance_ratio_[:count], abs=1e-9)
    assert abs(components.axes[0] @ brute.components_[0]) == pytest.approx(1, abs=1e-6)
    assert explained_variance(x, y) == pytest.approx(components.explained, abs=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_rotating_the_space_or_swapping_the_sets_changes_no_share(seed):
    x, y = random_pairs(seed)
    turn = rotation(seed + 1)
    shares = pair_components(x, y).explained
    assert pair_components(x @ turn, y @ turn).explained == pytest.approx(shares, abs=1e-9)
    assert pair_components(y, x).explained == pytest.approx(shares, abs=1e-9)
    assert pair_components(y, x).axes == pytest.approx(-pair_components(x, y).axes)
    assert pair_components(x[::-1], y[::-1]).explained == pytest.approx(shares, abs=1e-9)


def test_x_is_on_the_positive_side_of_each_component():
    x, y = random_pairs(3)
    assert np.all(pair_components(x, y).axes @ (x - y).sum(axis=0) >= 0)


def test_explained_variance_of_many_lists_equals_that_of_each_with_ten_components():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 5, 12, 15))
    shares = explained_variance(x, y)
    assert shares.shape == (5, 10)
    for k in range(5):
        assert shares[k] == pytest.approx(pair_components(x[k], y[k]).explained[:10])


def test_components_are_the_subspace_that_debiasing_removes():
    vectors = open_vectors("default")
    pair = seed_pair("male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017")
    x, y = (vectors.unit([both[side] for both in pair.pairs]) for side in (0, 1))
    known = bias_subspace(vectors, pair.pairs, components=3)
    components = pair_components(x, y)
    assert components.explained[:3] == pytest.approx(known.explained)
    assert np.abs(np.sum(components.axes[:3] * known.axes, axis=1)) == pytest.approx(np.ones(3))
