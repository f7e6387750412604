"""Selection rates, impact ratios and exposure, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

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
    selection = select(scores, "group", groups, top)
    expected = by_hand(scores, groups, top)
    assert selection.rates == pytest.approx(expected)
    low, high = min(expected.values()), max(expected.values())
    assert selection.impact_ratio == pytest.approx(low / high)


def test_versions_with_equal_scores_share_the_last_places():
    scores = np.array([[[1.0, 0.5, 0.5, 0.5]]])
    assert selected_by_name(scores, 0.5).tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])


def test_the_bootstrap_has_the_same_rates_as_repeated_documents():
    from weatherglass.retrieval.selection import _selected

    rng = np.random.default_rng(2)
    scores = rng.normal(size=(2, 5, 4))
    member = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=float)
    weights = np.array([[2.0, 0, 1, 1, 1]])
    repeated = scores[:, [0, 0, 2, 3, 4]] + 1e-12 * rng.normal(size=(2, 5, 4))
    expected = _selected(repeated, np.ones((1, 5)), member, 0.3)
    assert _selected(scores, weights, member, 0.3) == pytest.approx(expected)


def test_without_a_difference_shuffled_groups_are_as_unequal():
    scores = np.random.default_rng(3).normal(size=(20, 10, 12))
    selection = select(scores, "group", ["a", "b"] * 6, 0.1)
    assert selection.p_shuffled > 0.05
    assert selection.interval.low < 1
    assert selection.exposure["a"] == pytest.approx(1, abs=0.05)


def test_exposure_is_larger_at_the_top():
    scores = np.zeros((1, 3, 4)) - np.arange(4)
    selection = select(scores, "group", ["a", "a", "b", "b"], 0.5)
    assert selection.rates == {"a": 1.0, "b": 0.0}
    assert selection.impact_ratio == 0
    assert selection.exposure["a"] > 1 > selection.exposure["b"]
    assert [point.top for point in selection.curve] == sorted(p.top for p in selection.curve)
