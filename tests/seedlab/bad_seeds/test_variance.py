import numpy as np
import pytest

from weatherglass import Vectors, pair_variance, seed_pair
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.seedlab.bad_seeds.subspaces import pair_components
from weatherglass.seedlab.bad_seeds.variance import PairVariance

X, Y = [f"x{i}" for i in range(12)], [f"y{i}" for i in range(12)]


def first_shares(variance: PairVariance) -> dict[str, float]:
    """Return the share of the first component, by arrangement."""
    return {
        explained.arrangement: explained.components[0].mean for explained in variance.arrangements
    }


def test_ordered_pairs_explain_more_variance_than_shuffled_ones_and_random_ones_least(planted):
    variance = pair_variance(planted, seed_pair(X, Y))
    shares = first_shares(variance)
    assert shares["ordered"] > 0.9
    assert shares["ordered"] > 1.5 * shares["shuffled"] > 2 * shares["random"]
    assert variance.less == 1


def test_shares_of_ordered_pairs_are_those_of_their_pca(planted):
    variance = pair_variance(planted, seed_pair(X, Y), draws=2)
    known = pair_components(planted.unit(X), planted.unit(Y)).explained
    shares = [share.mean for share in variance.arrangements[0].components]
    assert shares == pytest.approx(known[:10])
    assert len(shares) == 10
    for explained in variance.arrangements:
        assert sum(value.mean for value in explained.components) <= 1 + 1e-9
        means = [value.mean for value in explained.components]
        assert means == sorted(means, reverse=True)


def test_pairs_in_random_order_explain_as_much_as_shuffled_ones(planted):
    rng = np.random.default_rng(0)
    variance = pair_variance(planted, seed_pair(X, rng.permutation(Y).tolist()))
    assert variance.less < 1
    assert first_shares(variance)["ordered"] == pytest.approx(
        first_shares(variance)["shuffled"], abs=0.15
    )


def test_the_random_seed_determines_the_shuffles(planted):
    variance = pair_variance(planted, seed_pair(X, Y), draws=5, rng=3)
    assert variance == pair_variance(planted, seed_pair(X, Y), draws=5, rng=3)
    assert (
        variance.arrangements[1] != pair_variance(planted, seed_pair(X, Y), draws=5).arrangements[1]
    )
    assert PairVariance.from_json(variance.to_json()) == variance


def test_ordered_pairs_vary_over_samples_and_shuffled_ones_over_draws_too(samples):
    ordered, shuffled, _ = pair_variance(samples, seed_pair(X, Y), draws=7).arrangements
    assert (ordered.components[0].n, shuffled.components[0].n) == (6, 42)
    assert ordered.components[0].sd < shuffled.components[0].sd


def test_incomplete_pairs_are_left_out_and_their_missing_words_listed(planted):
    variance = pair_variance(planted, seed_pair([*X[:4], "nowhere"], [*Y[:4], "y4"]))
    assert variance.pairs == tuple(zip(X[:4], Y[:4], strict=True))
    assert variance.missing == ("nowhere",)
    assert len(variance.arrangements[0].components) == 4


def test_a_single_pair_explains_all_variance_in_any_arrangement(planted):
    variance = pair_variance(planted, seed_pair(["x0"], ["y0"]), draws=3)
    assert first_shares(variance) == pytest.approx({"ordered": 1, "shuffled": 1, "random": 1})
    assert variance.less == 0


def test_variance_of_incomplete_pairs_or_too_few_words_is_refused(planted):
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


def test_pairs_of_equal_vectors_explain_no_variance():
    words = [f"w{i}" for i in range(20)]
    same = Vectors.of(words, np.ones((20, 3)))
    variance = pair_variance(same, seed_pair(words[:3], words[3:6]), draws=2)
    assert not any(first_shares(variance).values())
