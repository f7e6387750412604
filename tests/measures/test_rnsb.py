"""RNSB: the divergence, the classifier behind it, and the spread over seeds."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import weatherglass as wg
from weatherglass.errors import UsageError

SETS = {
    "X": ["german", "mexican", "irish", "english", "russian"],
    "A": "pleasant-Caliskan_et_al_2017",
    "B": "unpleasant-Caliskan_et_al_2017",
}


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


@pytest.fixture(scope="module")
def result(vectors):
    return wg.measure(vectors, "rnsb", SETS)


def test_the_classifier_of_rnsb_is_the_penalised_logistic_regression(vectors, result):
    rows = [vectors.take(wg.seeds(SETS[name]).words).rows.astype(float) for name in "AB"]
    x, sign = np.concatenate(rows), np.repeat([-1.0, 1.0], [len(table) for table in rows])

    def loss(theta):
        return (
            theta[:-1] @ theta[:-1] / 2
            + np.logaddexp(0, -sign * (x @ theta[:-1] + theta[-1])).sum()
        )

    theta = minimize(loss, np.zeros(x.shape[1] + 1), method="BFGS").x
    groups = vectors.take(SETS["X"]).rows.astype(float)
    negative = 1 / (1 + np.exp(-(groups @ theta[:-1] + theta[-1])))
    shares = negative / negative.sum()
    assert result.details["all"] == pytest.approx(np.sum(shares * np.log(shares * 5)), rel=1e-2)


def test_rnsb_is_the_mean_over_runs_and_its_interval_their_spread(result):
    (interval,) = result.intervals
    assert interval.low < result.value < interval.high
    assert interval.n_resamples == 20
    assert result.details["std"] > 0
    assert 0.5 < result.details["accuracy"] <= 1
    assert sum(result.by_word["X"]) == pytest.approx(1)
    ends = result.columns["low"]["X"], result.by_word["X"], result.columns["high"]["X"]
    assert all(low <= share <= high for low, share, high in zip(*ends, strict=True))


def test_rnsb_repeats_with_the_same_seed_and_varies_with_another(vectors, result):
    assert wg.measure(vectors, "rnsb", SETS, rng=0) == result
    assert wg.measure(vectors, "rnsb", SETS, rng=1).value != result.value
    fewer = wg.measure(vectors, "rnsb", SETS, runs=2)
    assert fewer.intervals[0].n_resamples == 2
    assert fewer.details["all"] == result.details["all"]


def test_groups_with_the_same_vector_have_equal_shares_of_negative_sentiment():
    words = [f"{name}{i}" for name in "pn" for i in range(6)]
    rows = np.random.default_rng(0).normal(size=(12, 3)) + np.repeat([[2], [-2]], 6, axis=0)
    vectors = wg.Vectors.of([*words, "x", "y", "z"], [*rows, [1, 0, 1], [1, 0, 1], [1, 0, 1]])
    sets = {"X": ["x", "y", "z"], "A": words[:6], "B": words[6:]}
    equal = wg.measure(vectors, "rnsb", sets)
    assert equal.value == pytest.approx(0, abs=1e-12)
    assert equal.by_word["X"] == pytest.approx((1 / 3,) * 3)


def test_rnsb_is_largest_where_one_group_has_all_negative_sentiment():
    words = [f"{name}{i}" for name in "pn" for i in range(8)]
    rows = [[8 + i / 10, i % 2] for i in range(8)] + [[-8 - i / 10, i % 2] for i in range(8)]
    vectors = wg.Vectors.of([*words, "x", "y"], [*rows, [-40, 0], [40, 0]])
    sets = {"X": ["x", "y"], "A": words[:8], "B": words[8:]}
    result = wg.measure(vectors, "rnsb", sets)
    assert result.by_word["X"][0] == pytest.approx(1, abs=1e-6)
    assert result.value == pytest.approx(math.log(2), abs=1e-4)
    assert result.details["accuracy"] == 1
    swapped = wg.measure(vectors, "rnsb", sets | {"A": words[8:], "B": words[:8]})
    assert swapped.by_word["X"][1] == pytest.approx(1, abs=1e-6)


def test_rnsb_refuses_too_few_words_and_wrong_options(vectors):
    few = wg.measure(vectors, "rnsb", SETS | {"A": ["love", "joy", "peace"]})
    assert few.reason == "A has 3 words, at least 4 are needed"
    for options in ({"runs": 1}, {"held_out": 0.0}, {"held_out": 1.5}):
        with pytest.raises(UsageError, match="two runs or more"):
            wg.measure(vectors, "rnsb", SETS, **options)
