"""RND, MAC, ECT, SemAxis, NAS, SAME and SC-WEAT, worked by hand."""

import itertools
import math

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import UsageError


def plane(**rows):
    """Vectors in the plane, by name."""
    return wg.Vectors.of(list(rows), list(rows.values()))


def test_rnd_is_that_worked_by_hand():
    vectors = plane(x=[3, 4], y=[3, 8], a=[2, 0], c=[4, 0], b=[0, 4])
    sets = {"X": ["x", "y"], "A": ["a", "c"], "B": ["b"]}
    # The means are (3, 0) and (0, 4): x is 4 and 3 away from them, y is 8 and 5.
    result = wg.measure(vectors, "rnd", sets)
    assert result.by_word["X"] == pytest.approx((1, 3))
    assert result.value == pytest.approx(4)
    assert result.details == {"mean": pytest.approx(2)}
    unit = wg.measure(vectors, "rnd", sets | {"X": ["x"]}, unit=True)
    assert unit.value == pytest.approx(math.sqrt(0.8) - math.sqrt(0.4))


def test_rnd_of_equal_groups_is_zero():
    vectors = plane(x=[3, 4], a=[2, 0])
    assert wg.measure(vectors, "rnd", {"X": ["x"], "A": ["a"], "B": ["a"]}).value == 0


def test_mac_is_that_worked_by_hand():
    vectors = plane(x=[3, 4], a=[1, 0], c=[0, 2], b=[-1, 0])
    single = wg.measure(vectors, "mac", {"X": ["x"], "A": ["a", "c"]})
    assert single.value == pytest.approx(0.7)
    assert single.details["distance"] == pytest.approx(0.3)
    # A second set counts as much as the first, though it has one word: (0.7 - 0.6) / 2.
    both = wg.measure(vectors, "mac", {"X": ["x"], "A": ["a", "c"], "B": ["b"]})
    assert both.value == pytest.approx(0.05)
    assert both.columns["with B"]["X"] == pytest.approx((-0.6,))
    assert list(both.n) == ["X", "A", "B"]


def test_ect_is_that_worked_by_hand():
    angles = {name: [math.cos(t), math.sin(t)] for name, t in (("p", 0.1), ("q", 0.4), ("r", 1.2))}
    vectors = plane(**angles, a=[1, 0], b=[0, 1], c=[1, 0.35])
    sets = {"X": ["p", "q", "r"], "A": ["a"], "B": ["b"]}
    assert wg.measure(vectors, "ect", sets).value == pytest.approx(-1)
    assert wg.measure(vectors, "ect", sets | {"B": ["a"]}).value == pytest.approx(1)
    # By similarity to c, q comes before p, and r is last: ranks 3 2 1 against 2 3 1.
    assert wg.measure(vectors, "ect", sets | {"B": ["c"]}).value == pytest.approx(0.5)
    result = wg.measure(vectors, "ect", sets)
    cosines = [math.cos(0.1) - math.sin(0.1), math.cos(0.4) - math.sin(0.4)]
    assert result.by_word["X"][:2] == pytest.approx(cosines, rel=1e-6)


def test_long_vectors_count_for_more_in_ect_unless_scaled_to_unit_length():
    vectors = plane(p=[1, 0.1], q=[1, 1], r=[0.1, 1], a=[10, 0], c=[0, 1], b=[1, 0])
    sets = {"X": ["p", "q", "r"], "A": ["a", "c"], "B": ["b"]}
    assert wg.measure(vectors, "ect", sets).value == pytest.approx(1)
    # At unit length the mean of A is midway: q is first, and p and r have the same cosine.
    assert wg.measure(vectors, "ect", sets, unit=True).value == pytest.approx(0)


def test_ect_is_not_run_where_words_have_no_order_or_a_group_no_direction():
    vectors = plane(p=[1, 1], q=[2, 2], r=[3, 3], a=[1, 0], b=[-1, 0], c=[0, 1])
    sets = {"X": ["p", "q", "r"], "A": ["a"], "B": ["c"]}
    assert "so they have no order" in wg.measure(vectors, "ect", sets).reason
    assert "cancel out" in wg.measure(vectors, "ect", sets | {"A": ["a", "b"]}).reason
    assert "at least 3" in wg.measure(vectors, "ect", sets | {"X": ["p", "q"]}).reason


def test_semaxis_is_that_worked_by_hand():
    vectors = plane(x=[4, 3], y=[3, 4], a=[1, 0], b=[0, 1])
    result = wg.measure(vectors, "semaxis", {"X": ["x", "y"], "A": ["a"], "B": ["b"]})
    assert result.by_word["X"] == pytest.approx((0.2 / math.sqrt(2), -0.2 / math.sqrt(2)))
    assert result.value == pytest.approx(0)
    same = wg.measure(vectors, "semaxis", {"X": ["x"], "A": ["a"], "B": ["a"]})
    assert same.reason == "A and B have the same mean, so there is no direction"


def test_semaxis_averages_the_poles_with_their_nearest_neighbours():
    vectors = plane(a=[2, 0], a2=[4, 0.4], b=[0, 2], b2=[0.4, 4], x=[1, -1])
    sets = {"X": ["x"], "A": ["a"], "B": ["b"]}
    result = wg.measure(vectors, "semaxis", sets, neighbours=1)
    axis = np.array([3, 0.2]) - np.array([0.2, 3])  # the means of a and a2, b and b2
    x = np.array([1, -1])
    expected = x @ axis / np.linalg.norm(x) / np.linalg.norm(axis)
    assert result.value == pytest.approx(expected, rel=1e-6)
    with pytest.raises(UsageError, match="whole vocabulary"):
        wg.measure(vectors.subset(["x", "a", "b"]), "semaxis", sets, neighbours=1)
    with pytest.raises(UsageError, match="neighbours is -1"):
        wg.measure(vectors, "semaxis", sets, neighbours=-1)


CROSS = {"x": [1, 0], "a": [3, 4], "c": [4, 3], "b": [0, 1], "d": [-3, 4]}
FOUR = {"X": ["x"], "A": ["a", "c"], "B": ["b", "d"]}


def test_nas_is_that_worked_by_hand():
    # The cosines of x are 0.6 and 0.8 with A, 0 and -0.6 with B: a difference of 1 in means, and
    # squared deviations from 0.2 that sum to 1.2, over 4 - 1.
    result = wg.measure(plane(**CROSS), "nas", FOUR)
    assert result.value == pytest.approx(1 / math.sqrt(0.4))
    assert result.details["std"] == 0


def test_nas_is_the_association_of_the_factual_test():
    vectors = wg.open_vectors("default")
    entry = wg.test("wefat1")
    expected = wg.wefat(vectors, entry).associations
    sets = {"X": entry.sets["W"], "A": entry.sets["A"], "B": entry.sets["B"]}
    assert wg.measure(vectors, "nas", sets).by_word["X"] == expected


@pytest.mark.parametrize("name", ["nas", "sc-weat"])
def test_measures_in_standard_deviations_are_not_run_without_spread(name):
    vectors = plane(x=[0, 1], a=[1, 0], c=[2, 0], b=[-1, 0], d=[-2, 0])
    result = wg.measure(vectors, name, FOUR)
    assert result.status == "not run"
    assert "no scale" in result.reason


def test_same_is_that_worked_by_hand():
    vectors = plane(x=[1, 0], y=[0, 3], z=[1, 1], a=[2, 0], b=[0, 1])
    result = wg.measure(vectors, "same", {"X": ["x", "y", "z"], "A": ["a"], "B": ["b"]})
    half = math.sqrt(0.5)
    assert result.by_word["X"] == pytest.approx((half, -half, 0))
    assert result.value == pytest.approx(2 * half / 3)
    assert result.details["skew"] == pytest.approx(0)
    assert result.details["stereotype"] == pytest.approx(math.sqrt(1 / 3))


def test_same_is_the_weat_association_over_its_largest_possible_value():
    vectors = wg.open_vectors("default")
    entry = wg.test("weat6")
    sets = {name: entry.sets[name] for name in "XAB"}
    a, b = (vectors.unit([w.lower() for w in sets[name].words]).mean(axis=0) for name in "AB")
    expected = np.array(wg.weat(vectors, entry).associations["X"]) / np.linalg.norm(a - b)
    assert wg.measure(vectors, "same", sets).by_word["X"] == pytest.approx(tuple(expected))


def test_sc_weat_is_that_worked_by_hand():
    result = wg.measure(plane(**CROSS), "sc-weat", FOUR, alternative="greater")
    assert result.value == result.by_word["X"][0] == pytest.approx(1 / math.sqrt(0.4))
    assert result.details["statistic"] == pytest.approx(1)
    # Of the six ways to choose two attributes only the observed one has so large a sum.
    assert result.p.fraction == "1/6"
    assert result.columns["p"]["X"] == (pytest.approx(1 / 6),)
    less = wg.measure(plane(**CROSS), "sc-weat", FOUR, alternative="less")
    assert less.p.value == 1
    both = wg.measure(plane(**CROSS), "sc-weat", FOUR)
    assert both.p.fraction == "2/6"
    assert both.p_two_sided == result.p_two_sided == less.p_two_sided == both.p


def test_sc_weat_p_values_are_those_of_brute_force():
    vectors = wg.open_vectors("default")
    sets = {
        "X": ["nurse", "engineer", "teacher"],
        "A": ["she", "her", "woman", "girl"],
        "B": ["he", "his", "man", "boy", "male"],
    }
    result = wg.measure(vectors, "sc-weat", sets, alternative="greater")
    attributes = vectors.unit([*sets["A"], *sets["B"]])
    for k, word in enumerate(sets["X"]):
        cosines = attributes @ vectors.unit([word])[0]
        sums = [sum(chosen) for chosen in itertools.combinations(cosines, 4)]
        share = np.mean(np.array(sums) >= cosines[:4].sum() - 1e-12)
        assert result.columns["p"]["X"][k] == pytest.approx(share)
    category = vectors.unit(sets["X"]).mean(axis=0)
    cosines = attributes @ category
    effect = (cosines[:4].mean() - cosines[4:].mean()) / cosines.std(ddof=1)
    assert result.value == pytest.approx(effect)


def test_sc_weat_p_by_normal_fit_is_close_to_the_exact_p():
    vectors = wg.open_vectors("default")
    sets = {"X": ["nurse"], "A": "female_1-Caliskan_et_al_2017", "B": "male_1-Caliskan_et_al_2017"}
    exact = wg.measure(vectors, "sc-weat", sets)
    fitted = wg.measure(vectors, "sc-weat", sets, method="normal", rng=3)
    assert exact.p.method == "exact"
    assert fitted.p.method == "normal"
    assert fitted.p.value == pytest.approx(exact.p.value, abs=0.01)
    assert fitted == wg.measure(vectors, "sc-weat", sets, method="normal", rng=3)
