import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from weatherglass import Vectors
from weatherglass.errors import CannotMeasure
from weatherglass.seedlab.bad_seeds.subspaces import coherences, weat_axis


def on_a_line(count: int) -> Vectors:
    """Words w0, w1, … whose cosines with (1, 0) fall from 1 to -1."""
    angle = np.linspace(0, np.pi, count)
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Vectors.of([f"w{i}" for i in range(count)], rows)


def coherence(vectors, x, y, axis=(1.0, 0.0), among=None):
    sets = [(np.array(x), np.array(y))]
    return coherences(vectors, np.array([axis]), sets, among)[0]


def random_vectors(seed: int, words: int = 40, dim: int = 3) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(words, dim))
    return Vectors.of([f"w{i}" for i in range(words)], rows)


def brute_force(vectors, x, y, axis):
    """Rank everything, then take the difference of the mean ranks."""
    rows = vectors.unit(list(vectors.words))
    ranks = rankdata(rows @ axis)
    maximum = len(rows) - (len(x) + len(y)) / 2
    return abs(ranks[x].mean() - ranks[y].mean()) / maximum


def test_sets_at_both_ends_are_coherent_and_mixed_sets_are_not():
    vectors = on_a_line(100)
    assert coherence(vectors, [0, 1, 2], [97, 98, 99]) == 1
    assert coherence(vectors, [0, 50, 99], [1, 49, 98]) == pytest.approx(0, abs=0.01)
    assert coherence(vectors, [0, 99], [49, 50]) == 0


def test_coherence_of_ten_words_is_that_worked_by_hand():
    # Of ten words, ranks 10 and 8 against 2: |9 - 2| of at most 10 - 3/2.
    assert coherence(on_a_line(10), [0, 2], [8]) == pytest.approx(7 / 8.5)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_coherence_equals_the_brute_force_difference_of_mean_ranks(seed, n_x, n_y):
    vectors = random_vectors(seed)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(40)[: n_x + n_y]
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    x, y = chosen[:n_x], chosen[n_x:]
    assert coherence(vectors, x, y, axis) == pytest.approx(brute_force(vectors, x, y, axis))


@given(st.integers(0, 2**32 - 1))
def test_rotating_the_space_or_swapping_the_sets_keeps_the_coherence(seed):
    rng = np.random.default_rng(seed)
    vectors = random_vectors(seed)
    x, y = np.arange(4), np.arange(4, 9)
    rows = vectors.unit(list(vectors.words))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    # Back to float32, which may break ties that were none; so the ranks may move by a little.
    turned = Vectors.of(list(vectors.words), 7 * rows @ turn)
    axis = weat_axis(rows[x], rows[y])
    value = coherence(vectors, x, y, axis)
    assert coherence(turned, x, y, axis @ turn) == pytest.approx(value, abs=0.02)
    assert coherence(vectors, y, x, -axis) == pytest.approx(value, abs=1e-9)
    assert coherence(vectors, y, x, axis) == pytest.approx(value, abs=1e-9)


def test_words_with_equal_cosines_share_their_rank():
    vectors = Vectors.of(list("abcd"), [[1, 0], [2, 0], [0, 1], [-1, 0]])
    assert coherence(vectors, [0], [1]) == 0
    same = Vectors.of(list("abcd"), [[1, 1]] * 4)
    assert coherence(same, [0, 1], [2, 3]) == 0


def test_unusable_rows_are_not_ranked_for_coherence():
    vectors = on_a_line(10)
    rows = [*vectors.matrix.tolist(), [0, 0], [float("nan"), 1]]
    more = Vectors.of([f"w{i}" for i in range(12)], rows)
    assert coherence(more, [0, 2], [8]) == pytest.approx(coherence(vectors, [0, 2], [8]))


def test_coherence_can_rank_only_some_words():
    vectors = on_a_line(10)
    ranked = np.array([0, 2, 8, 9])
    assert coherence(vectors, [0, 2], [8], among=ranked) == pytest.approx((3.5 - 2) / 2.5)


def test_each_pair_of_sets_is_ranked_along_its_own_axis():
    vectors = random_vectors(5, words=3000)
    rng = np.random.default_rng(0)
    axes = rng.normal(size=(30, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    sets = [(rng.permutation(3000)[:4], rng.permutation(3000)[:6]) for _ in axes]
    values = coherences(vectors, axes, sets)
    for k, (x, y) in enumerate(sets):
        assert values[k] == pytest.approx(brute_force(vectors, x, y, axes[k]))


def test_coherence_of_a_partly_opened_source_is_refused():
    with pytest.raises(CannotMeasure, match="open all of it"):
        coherence(on_a_line(10).subset(["w0", "w1"]), [0], [1])
