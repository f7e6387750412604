"""Clusters and neighbours of words of similar bias: what debiasing along a direction leaves."""

from itertools import combinations

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import axis
from weatherglass.vectors import Vectors, prepare

STEREOTYPED = {
    "X": "male_stereotype_words-Zhao_et_al_2018",
    "Y": "female_stereotype_words-Zhao_et_al_2018",
}


def two_clouds(n=5, distance=5.0, seed=0):
    """Two clouds of words, x and y, at a distance along the first axis."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((2 * n, 6))
    rows[:, 0] += np.repeat([distance, -distance], n)
    words = [f"{side}{i}" for side in "xy" for i in range(n)]
    return Vectors.of(words, rows), {"X": words[:n], "Y": words[n:]}


def test_words_in_two_clouds_are_told_apart_with_the_smallest_p_value():
    vectors, sets = two_clouds()
    result = wg.measure(vectors, "bias-clusters", sets, nearest=4)
    assert result.value == 1
    assert result.details["neighbours"] == 1
    assert result.p.fraction == "2/252"  # either cluster may be that of X
    assert result.p_two_sided_value == result.p_value
    assert result.finding.grade == "clear"


def test_the_p_value_counts_all_divisions_of_the_words():
    vectors, sets = two_clouds(4, 0.7, seed=3)
    result = wg.measure(vectors, "bias-clusters", sets)
    words = [*sets["X"], *sets["Y"]]
    values = [
        wg.measure(
            vectors,
            "bias-clusters",
            {"X": list(x), "Y": [word for word in words if word not in x]},
        ).value
        for x in combinations(words, 4)
    ]
    assert result.p_value == np.mean([value >= result.value for value in values])


def test_swapping_the_sides_changes_nothing():
    vectors, sets = two_clouds(6, 1.0)
    first = wg.measure(vectors, "bias-clusters", sets)
    second = wg.measure(vectors, "bias-clusters", {"X": sets["Y"], "Y": sets["X"]})
    assert (first.value, first.details, first.p_value) == (
        second.value,
        second.details,
        second.p_value,
    )


@pytest.mark.slow
def test_words_with_random_vectors_are_rarely_told_apart():
    p_values = [wg.measure(*_swap(two_clouds(10, 0, seed))).p_value for seed in range(60)]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.1


def _swap(pair):
    vectors, sets = pair
    return vectors, "bias-clusters", sets


def test_the_finding_of_words_that_are_not_told_apart_names_both_sets():
    vectors, sets = two_clouds(10, 0, seed=1)
    finding = wg.measure(vectors, "bias-clusters", sets).finding
    assert finding.grade == "none"
    assert "in where" in finding.sentence


def test_equal_vectors_are_not_run():
    same = Vectors.of(["a", "b", "c", "d"], np.ones((4, 3)))
    result = wg.measure(same, "bias-clusters", {"X": ["a", "b"], "Y": ["c", "d"]})
    assert (result.status, result.reason) == ("not run", "all words have the same vector")


@pytest.fixture(scope="module")
def gender():
    lists, vectors = axis("gender"), wg.open_vectors("default")
    return vectors, wg.debias(vectors, lists.pairs, equal=lists.equal, specific=lists.specific)


def test_debiasing_hardly_hides_the_stereotypes_of_occupations(gender):
    before, after = (wg.measure(vectors, "bias-clusters", STEREOTYPED) for vectors in gender)
    assert (before.value, after.value) == (0.775, 0.725)
    assert (before.details["neighbours"], after.details["neighbours"]) == pytest.approx(
        (0.6125, 0.56), abs=0.005
    )
    assert max(before.p_value, after.p_value) < 0.02
    # A measure along the direction that was removed finds little.
    sides = {"A": "definitional_male-Bolukbasi_et_al_2016"}
    sides |= {"B": "definitional_female-Bolukbasi_et_al_2016", "X": STEREOTYPED["Y"]}
    first, second = (wg.measure(vectors, "direct-bias", sides).value for vectors in gender)
    assert second < first / 4


def test_the_most_biased_words_are_still_neighbours_after_debiasing(gender):
    # The 300 words that leaned most to each side, as in docs/debias.md.
    before, after = gender
    lists = axis("gender")
    plan = prepare(before, lists.pairs, equal=lists.equal, specific=lists.specific)
    common = plan.neutral[plan.neutral < 20_000]
    order = np.argsort(before.unit_at(common) @ plan.subspace.axes[0])
    sets = {
        "X": before.words.at(common[order[:300]]),
        "Y": before.words.at(common[order[-300:]]),
    }
    results = [wg.measure(vectors, "bias-clusters", sets) for vectors in (before, after)]
    shares = [result.details["neighbours"] for result in results]
    assert shares == pytest.approx([0.999, 0.855], abs=0.002)
    assert [round(result.value, 2) for result in results] == [1.0, 0.61]
    assert results[1].p_value < 1e-6
