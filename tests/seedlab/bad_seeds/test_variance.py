import numpy as np
import pytest

from weatherglass import Vectors, pair_variance, seed_pair
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.seedlab.bad_seeds.subspaces import pair_components
from weatherglass.seedlab.bad_seeds.variance import PairVariance

X, Y = [f"x{i}" for i in range(12)], [f"y{i}" for i in range(12)]


def first(found: PairVariance) -> dict[str, float]:
    """What the first component explains, by arrangement."""
    return {one.arrangement: one.components[0].mean for one in found.arrangements}


def test_shuffled_pairs_explain_less_than_ordered_ones_and_random_ones_least(planted):
    found = pair_variance(planted, seed_pair(X, Y))
    shares = first(found)
    assert shares["ordered"] > 0.9
    assert shares["ordered"] > 1.5 * shares["shuffled"] > 2 * shares["random"]
    assert found.less == 1


def test_ordered_is_the_pca_of_the_pairs(planted):
    found = pair_variance(planted, seed_pair(X, Y), draws=2)
    known = pair_components(planted.unit(X), planted.unit(Y)).explained
    shares = [one.mean for one in found.arrangements[0].components]
    assert shares == pytest.approx(known[:10])
    assert len(shares) == 10
    for one in found.arrangements:
        assert sum(value.mean for value in one.components) <= 1 + 1e-9
        means = [value.mean for value in one.components]
        assert means == sorted(means, reverse=True)


def test_pairs_that_are_shuffled_already_gain_nothing_by_their_order(planted):
    rng = np.random.default_rng(0)
    found = pair_variance(planted, seed_pair(X, rng.permutation(Y).tolist()))
    assert found.less < 1
    assert first(found)["ordered"] == pytest.approx(first(found)["shuffled"], abs=0.15)


def test_the_same_seed_gives_the_same_answer_and_another_seed_another(planted):
    one = pair_variance(planted, seed_pair(X, Y), draws=5, rng=3)
    assert one == pair_variance(planted, seed_pair(X, Y), draws=5, rng=3)
    assert one.arrangements[1] != pair_variance(planted, seed_pair(X, Y), draws=5).arrangements[1]
    assert PairVariance.from_json(one.to_json()) == one


def test_samples_widen_the_ordered_pairs_and_draws_the_others(samples):
    ordered, shuffled, _ = pair_variance(samples, seed_pair(X, Y), draws=7).arrangements
    assert (ordered.components[0].n, shuffled.components[0].n) == (6, 42)
    assert ordered.components[0].sd < shuffled.components[0].sd


def test_incomplete_pairs_are_left_out_and_the_missing_words_are_named(planted):
    found = pair_variance(planted, seed_pair([*X[:4], "nowhere"], [*Y[:4], "y4"]))
    assert found.pairs == tuple(zip(X[:4], Y[:4], strict=True))
    assert found.missing == ("nowhere",)
    assert len(found.arrangements[0].components) == 4


def test_one_pair_explains_everything_in_any_order(planted):
    found = pair_variance(planted, seed_pair(["x0"], ["y0"]), draws=3)
    assert first(found) == pytest.approx({"ordered": 1, "shuffled": 1, "random": 1})
    assert found.less == 0


def test_what_cannot_be_measured(planted):
    with pytest.raises(CannotMeasure, match=r"No pair of X / Y .* 'star', 'moon'"):
        pair_variance(planted, seed_pair(["x0", "moon"], ["star", "y0"]))
    with pytest.raises(CannotMeasure, match="No pair"):
        pair_variance(planted, seed_pair(["x0"], ["x0"]))
    with pytest.raises(CannotMeasure, match="at least 4 are needed"):
        pair_variance(planted, seed_pair(X[:2], Y[:2]), words=3)
    with pytest.raises(CannotMeasure, match="open all of it"):
        pair_variance(planted.subset(X + Y), seed_pair(X, Y))
    with pytest.raises(UsageError, match="draws is 0"):
        pair_variance(planted, seed_pair(X, Y), draws=0)


def test_equal_vectors_explain_nothing():
    words = [f"w{i}" for i in range(20)]
    same = Vectors.of(words, np.ones((20, 3)))
    found = pair_variance(same, seed_pair(words[:3], words[3:6]), draws=2)
    assert not any(first(found).values())
