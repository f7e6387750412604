"""Selection rates, impact ratios and exposure, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from weatherglass.retrieval import selection
from weatherglass.retrieval.selection import select, selected_by_name


def by_hand(scores, groups, top):
    """Count the selected versions of each group, query by query."""
    queries, documents, names = scores.shape
    places = max(1, round(top * documents * names))
    rates = dict.fromkeys(groups, 0.0)
    for query in range(queries):
        ranked = sorted(
            ((scores[query, d, n], groups[n]) for d in range(documents) for n in range(names)),
            reverse=True,
        )
        for _, group in ranked[:places]:
            rates[group] += 1 / queries / documents / groups.count(group)
    return rates


@pytest.mark.parametrize("top", [0.1, 0.25, 0.5, 0.8])
def test_rates_equal_a_count_by_hand(top):
    scores = np.random.default_rng(1).normal(size=(3, 4, 6))
    groups = ["a", "b", "a", "c", "b", "c"]
    selected = select(scores, "group", groups, top)
    expected = by_hand(scores, groups, top)
    assert selected.rates == pytest.approx(expected)
    low, high = min(expected.values()), max(expected.values())
    assert selected.impact_ratio == pytest.approx(low / high)


def test_versions_with_equal_scores_share_the_last_places():
    scores = np.array([[[1.0, 0.5, 0.5, 0.5]]])
    assert selected_by_name(scores, 0.5).tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])


def test_the_jackknife_leaves_out_each_document():
    scores = np.random.default_rng(2).normal(size=(2, 10, 4))
    member = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=float)
    kept = 1 - np.eye(10)
    rates = selection._selected(scores, kept, member, 10)
    for left_out in range(10):
        rest = np.delete(scores, left_out, axis=1)
        expected = selection._selected(rest, np.ones((1, 9)), member, 9)
        assert rates[left_out] == pytest.approx(expected[0])


def test_the_interval_of_the_ratio_is_that_of_its_logarithm():
    scores = np.random.default_rng(4).normal(size=(6, 10, 4)) + np.array([0.5, 0.5, 0, 0])
    groups = ["a", "a", "b", "b"]
    ratios = []
    for left_out in range(10):
        rates = by_hand(np.delete(scores, left_out, axis=1), groups, 0.25)
        ratios.append(np.log(rates["b"] / rates["a"]))
    error = np.sqrt(9 * np.var(ratios))
    selected = select(scores, "group", groups, 0.25)
    width = np.log(selected.interval.high / selected.interval.low) / 2
    assert width == pytest.approx(stats.t.ppf(0.975, 9) * error, rel=0.05)
    assert selected.interval.low * selected.interval.high == pytest.approx(selected.impact_ratio**2)


def test_a_group_that_is_never_selected_has_an_interval_that_begins_at_zero():
    scores = np.random.default_rng(5).normal(size=(4, 6, 4)) + np.array([9.0, 9.0, 0, 0])
    selected = select(scores, "group", ["a", "a", "b", "b"], 0.25)
    assert selected.impact_ratio == selected.interval.low == 0
    assert 0 < selected.interval.high < 0.8


@pytest.mark.parametrize("difference", [0.0, 1.5])
def test_the_interval_covers_the_ratio_of_the_mean_rates(difference):
    rng = np.random.default_rng(6)
    names = rng.normal(size=16) / 2 + difference * np.repeat([1.0, 0.0], 8)
    groups = ["a"] * 8 + ["b"] * 8

    def draw():
        fit = 3 * rng.normal(size=(10, 20, 1))
        return fit + names + rng.normal(size=(10, 20, 16)) / 2

    mean = np.mean([selected_by_name(draw(), 0.1) for _ in range(150)], axis=0)
    truth = mean[:8].mean() / mean[8:].mean()
    covered = 0
    for _ in range(60):
        selected = selection.select_pair(draw(), groups, 0.1)
        ratio = truth if selected.rates["a"] <= selected.rates["b"] else 1 / truth
        covered += selected.interval.low <= ratio <= selected.interval.high
    assert covered >= 53  # the bootstrap over documents covers in about half of the draws


def test_many_documents_are_left_out_in_parts():
    scores = np.random.default_rng(7).normal(size=(1, 500, 4))
    selected = select(scores, "group", ["a", "b"] * 2, 0.1)
    assert selected.interval.low < 1 < selected.interval.high


def test_without_a_difference_shuffled_groups_are_as_unequal():
    scores = np.random.default_rng(3).normal(size=(20, 10, 12))
    selected = select(scores, "group", ["a", "b"] * 6, 0.1)
    assert selected.p_shuffled > 0.05
    assert selected.interval.low < 1
    assert selected.exposure["a"] == pytest.approx(1, abs=0.05)


def test_exposure_is_larger_at_the_top():
    scores = np.zeros((1, 3, 4)) - np.arange(4)
    selected = select(scores, "group", ["a", "a", "b", "b"], 0.5)
    assert selected.rates == {"a": 1.0, "b": 0.0}
    assert selected.impact_ratio == 0
    assert selected.exposure["a"] > 1 > selected.exposure["b"]
    assert [point.top for point in selected.curve] == sorted(p.top for p in selected.curve)


def test_each_group_has_its_rate_over_the_highest():
    scores = np.random.default_rng(8).normal(size=(3, 6, 6))
    selected = select(scores, "group", ["a", "b", "c"] * 2, 0.3)
    assert selected.ratios[selected.highest] == 1
    assert selected.ratios[selected.lowest] == selected.impact_ratio


def test_too_few_documents_give_no_interval():
    scores = np.random.default_rng(9).normal(size=(3, 4, 4))
    assert select(scores, "group", ["a", "b"] * 2, 0.3).interval is None
