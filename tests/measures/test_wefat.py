import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import UsageError
from weatherglass.significance import Interval, correlation_power, pearson

# Cosines with A = e1 and B = e2 are cos and sin of the angle, their deviation |cos - sin| / sqrt 2,
# so that the normalised association of any target is sqrt 2 or -sqrt 2.
PLANE = wg.Vectors.of(
    ["p", "q", "r", "s", "a", "b", "c"], [[3, 4], [4, 3], [1, 0], [2, 0], [1, 0], [0, 1], [1, 1]]
)


@pytest.mark.parametrize(
    ("id", "correlation", "bound"), [("wefat1", "0.90", 1e-18), ("wefat2", "0.84", 1e-13)]
)
def test_correlations_of_the_science_paper_are_reproduced(glove840b, id, correlation, bound):
    result = wg.wefat(wg.open_vectors(glove840b), id)
    assert f"{result.pearson:.2f}" == correlation
    assert result.pearson_p < bound == result.published["p_bound"]
    assert result.n["W"] == 50


def test_wefat_is_that_worked_by_hand():
    test = wg.FactualTest(a=["a"], b=["b"], facts={"p": 1.0, "q": 5.0, "r": 6.0})
    result = wg.wefat(PLANE, test)
    root = np.sqrt(2)
    assert result.associations == pytest.approx((-root, root, root))
    assert result.slope == pytest.approx((5.5 - 1.0) / (2 * root))
    assert result.intercept == pytest.approx((5.5 + 1.0) / 2)
    assert result.pearson == pytest.approx(np.corrcoef([-1, 1, 1], [1, 5, 6])[0, 1])
    assert result.spearman == pytest.approx(np.corrcoef([1, 2.5, 2.5], [1, 2, 3])[0, 1])


def test_correlations_have_intervals_over_other_words():
    result = wg.wefat(wg.open_vectors("default"), "wefat1")
    (interval,) = result.intervals
    correlation = pearson(result.associations, result.facts)
    ends = correlation.low, correlation.high
    assert interval == Interval(*ends, 0.95, "fisher z", about="other target words")
    assert interval.low < result.pearson < interval.high
    assert result.spearman_interval.low < result.spearman < result.spearman_interval.high
    assert (result.row()["low"], result.row()["high"]) == (interval.low, interval.high)
    assert wg.WefatResult.from_json(result.to_json()) == result
    assert result.power == correlation_power(50)


def test_three_words_have_a_correlation_and_no_interval():
    facts = {"p": 1.0, "q": 5.0, "r": 6.0}
    result = wg.wefat(PLANE, wg.FactualTest(a=["a"], b=["b"], facts=facts))
    assert (result.status, result.intervals, result.spearman_interval) == ("done", (), None)
    assert result.power.detectable is None


def test_facts_stay_with_their_words_when_others_are_missing():
    facts = {"p": 1.0, "gone": 100.0, "q": 5.0, "r": 6.0}
    result = wg.wefat(PLANE, wg.FactualTest(a=["a"], b=["b"], facts=facts), max_missing=0.3)
    assert result.facts == (1.0, 5.0, 6.0)
    assert result.missing["W"] == ("gone",)


@pytest.mark.parametrize(
    ("reason", "facts", "b"),
    [
        ("at least 3", {"p": 1.0, "q": 2.0}, ["b"]),
        ("same association", {"q": 1.0, "r": 2.0, "s": 3.0}, ["b"]),
        ("same fact", {"p": 1.0, "q": 1.0, "r": 1.0}, ["b"]),
        ("same cosine", {"p": 1.0, "q": 2.0, "c": 3.0}, ["b"]),
    ],
)
def test_a_factual_test_that_cannot_be_run_gives_the_reason(reason, facts, b):
    result = wg.wefat(PLANE, wg.FactualTest(a=["a"], b=b, facts=facts))
    assert result.status == "not run"
    assert reason in result.reason
    assert result.pearson is None


def test_wefat_refuses_an_association_test_and_points_to_weat():
    with pytest.raises(UsageError, match="weat"):
        wg.wefat(PLANE, "weat1")
