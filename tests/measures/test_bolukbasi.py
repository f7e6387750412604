"""RIPA, direct and indirect bias and the bias subspace, worked by hand."""

import math

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import UsageError
from weatherglass.vectors.subspace import bias_subspace

PAIR = {"A": ["she"], "B": ["he"]}
WORDS = {"she": [3, 4, 0], "he": [-3, 4, 0], "w": [3, 4, 0], "v": [3, 0, 4], "u": [0, 1, 0]}


def space(**rows):
    return wg.Vectors.of(list(rows), list(rows.values()))


def test_ripa_of_one_pair_is_that_worked_by_hand():
    vectors = space(a=[3, 0], b=[0, 4], x=[5, 0], y=[0, 5])
    result = wg.measure(vectors, "ripa", {"X": ["x", "y"], "A": ["a"], "B": ["b"]})
    # The relation vector is (3, -4) / 5.
    assert result.by_word["X"] == pytest.approx((3, -4))
    assert result.value == pytest.approx(-0.5)
    assert result.details == {"explained": pytest.approx(1), "pairs": 1}


def test_ripa_of_several_pairs_projects_on_their_first_principal_component():
    vectors = space(a=[3, 1], b=[1, 1], c=[1, 2], d=[1, 1.5], x=[5, 7])
    result = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["a", "c"], "B": ["b", "d"]})
    # The differences are (2, 0) and (0, 1/2): the first is the stronger.
    assert result.value == pytest.approx(5)
    assert result.details["explained"] == pytest.approx(4 / 4.25)


def test_ripa_of_unit_vectors_projects_on_the_bias_subspace():
    vectors = wg.open_vectors("default")
    sets = {"X": ["nurse", "pilot"], "A": ["she", "woman", "girl"], "B": ["he", "man", "boy"]}
    pairs = list(zip(sets["A"], sets["B"], strict=True))
    axis = bias_subspace(vectors, pairs).axes[0]
    result = wg.measure(vectors, "ripa", sets, unit=True)
    assert result.by_word["X"] == pytest.approx(tuple(vectors.unit(sets["X"]) @ axis))


def test_ripa_is_not_run_on_pairs_that_differ_in_no_direction_or_equally_in_two():
    vectors = space(a=[1, 1], b=[1, 1], c=[2, 1], d=[1, 2], x=[1, 0])
    equal = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["a"], "B": ["b"]})
    assert "nothing relates them" in equal.reason
    ambiguous = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["c", "d"], "B": ["a", "a"]})
    assert "second direction" in ambiguous.reason


def test_direct_bias_is_that_worked_by_hand():
    vectors = space(she=[3, 4], he=[-3, 4], x=[4, 3], y=[-5, 12])
    sets = {"X": ["x", "y"], **PAIR}
    result = wg.measure(vectors, "direct-bias", sets)
    assert result.by_word["X"] == pytest.approx((0.8, -5 / 13))
    assert result.value == pytest.approx((0.8 + 5 / 13) / 2)
    assert result.details["explained"] == pytest.approx(1)
    squared = wg.measure(vectors, "direct-bias", sets, c=2)
    assert squared.value == pytest.approx((0.64 + 25 / 169) / 2)
    assert wg.measure(vectors, "direct-bias", sets, c=0).value == 1
    with pytest.raises(UsageError, match="c is -1"):
        wg.measure(vectors, "direct-bias", sets, c=-1)


def test_direct_bias_in_two_components_is_the_length_of_the_projection():
    vectors = wg.Vectors.of(
        ["a", "b", "c", "d", "x"],
        [[0.6, 0, 0.8], [-0.6, 0, 0.8], [0, 0.28, 0.96], [0, -0.28, 0.96], [3, 4, 12]],
    )
    sets = {"X": ["x"], "A": ["a", "c"], "B": ["b", "d"]}
    assert wg.measure(vectors, "direct-bias", sets).value == pytest.approx(3 / 13)
    both = wg.measure(vectors, "direct-bias", sets, components=2)
    assert both.value == pytest.approx(5 / 13)
    assert both.details["explained"] == pytest.approx(1)
    three = wg.measure(vectors, "direct-bias", sets, components=3)
    assert three.status == "not run"
    assert "span 2 directions" in three.reason


def test_direct_bias_is_zero_after_debiasing():
    vectors = wg.open_vectors("default")
    axis = (
        wg.seeds("female_1-Caliskan_et_al_2017").words,
        wg.seeds("male_1-Caliskan_et_al_2017").words,
    )
    pairs = list(zip(*axis, strict=True))
    sets = {"X": ["nurse", "engineer", "pilot"], "A": axis[0], "B": axis[1]}
    assert wg.measure(vectors, "direct-bias", sets).value > 0.1
    debiased = wg.measure(wg.debias(vectors, pairs), "direct-bias", sets)
    # Debiasing does not change the pairs themselves, so that the direction is the same.
    assert debiased.value == pytest.approx(0, abs=1e-6)


def test_indirect_bias_is_that_worked_by_hand():
    vectors = space(**WORDS)
    # Without the first coordinate w and v have nothing in common; their cosine is 0.36.
    result = wg.measure(vectors, "indirect-bias", {"X": ["w"], "Y": ["v"], **PAIR})
    assert result.value == pytest.approx(1)
    # w without it points where u does: (0.8 - 1) / 0.8.
    result = wg.measure(vectors, "indirect-bias", {"X": ["w"], "Y": ["u"], **PAIR})
    assert result.value == pytest.approx(-0.25)
    both = wg.measure(vectors, "indirect-bias", {"X": ["u"], "Y": ["w"], **PAIR})
    assert both.value == pytest.approx(-0.25)


def test_the_indirect_bias_of_sets_is_the_mean_over_pairs_of_words():
    vectors = wg.open_vectors("default")
    sets = {"X": ["softball", "football"], "Y": ["receptionist", "programmer"], **PAIR}
    singles = [
        [wg.measure(vectors, "indirect-bias", sets | {"X": [x], "Y": [y]}).value for y in sets["Y"]]
        for x in sets["X"]
    ]
    result = wg.measure(vectors, "indirect-bias", sets)
    assert result.by_word["X"] == pytest.approx(tuple(np.mean(singles, axis=1)))
    assert result.value == pytest.approx(np.mean(singles))


def test_indirect_bias_is_not_run_without_similarity_or_without_an_unbiased_part():
    vectors = space(**WORDS, g=[2, 0, 0], o=[0, 0, 1])
    unrelated = wg.measure(vectors, "indirect-bias", {"X": ["u"], "Y": ["o"], **PAIR})
    assert unrelated.reason == "'u' and 'o' have no similarity that a bias could be a part of"
    biased = wg.measure(vectors, "indirect-bias", {"X": ["g"], "Y": ["v"], **PAIR})
    assert biased.reason == "nothing is left of 'g' without the bias direction"
    same = wg.measure(vectors, "indirect-bias", {"X": ["u"], "Y": ["u"], **PAIR})
    assert "both have 'u'" in same.reason


def test_the_bias_subspace_is_that_worked_by_hand():
    vectors = wg.Vectors.of(
        ["a", "b", "c", "d"],
        [[0.6, 0, 0.8], [-0.6, 0, 0.8], [0, 0.28, 0.96], [0, -0.28, 0.96]],
    )
    sets = {"A": ["a", "c"], "B": ["b", "d"]}
    result = wg.measure(vectors, "subspace", sets)
    assert result.value == pytest.approx(0.36 / (0.36 + 0.28**2))
    assert result.by_word["A"] == pytest.approx((0.6, 0))
    assert result.by_word["B"] == pytest.approx((-0.6, 0), abs=1e-7)
    both = wg.measure(vectors, "subspace", sets, components=2)
    assert both.value == pytest.approx(1)
    assert both.details["component 2"] == pytest.approx(1 - result.value)
    assert math.isclose(both.details["component 1"], result.value)


def test_one_direction_explains_one_pair_and_words_with_equal_vectors_form_none():
    vectors = space(a=[1, 0], b=[0, 1], c=[1, 0])
    assert wg.measure(vectors, "subspace", {"A": ["a"], "B": ["b"]}).value == pytest.approx(1)
    same = wg.measure(vectors, "subspace", {"A": ["a"], "B": ["c"]})
    assert same.status == "not run"
    assert "same direction" in same.reason
