"""The permutation test of several groups: brute force, invariance, ties and bounds."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass.errors import UsageError
from weatherglass.significance import (
    count_assignments,
    group_permutation_p,
    permutation_p,
    smallest_group_p,
)
from weatherglass.significance.groups.assignments import all_assignments


def brute_force(table, sizes, statistic):
    """Return the shares of all orders of the words with a value at least, and at most, observed."""
    labels = np.repeat(np.arange(len(sizes)), sizes)

    def value(order):
        rows = table[list(order)]
        means = [rows[labels == k][:, k].mean() for k in range(len(sizes))]
        return sum(means) if statistic == "sum" else np.var(means)

    values = np.array([value(order) for order in permutations(range(len(table)))])
    observed = value(range(len(table)))
    return (values >= observed - 1e-12).mean(), (values <= observed + 1e-12).mean()


@pytest.mark.parametrize("sizes", [(2, 2, 2), (1, 2, 3), (2, 1, 1, 2)])
@pytest.mark.parametrize("statistic", ["spread", "sum"])
def test_the_p_value_is_the_share_of_all_assignments(sizes, statistic):
    rng = np.random.default_rng(len(sizes))
    table = rng.integers(0, 4, (sum(sizes), len(sizes))).astype(float)  # with ties
    if statistic == "spread":
        table[:] = table[:, :1]
        upper, _ = brute_force(table, sizes, statistic)
        assert group_permutation_p(table[:, 0], sizes).value == pytest.approx(upper)
        return
    upper, lower = brute_force(table, sizes, statistic)
    expected = {"greater": upper, "less": lower, "two-sided": min(1, 2 * min(upper, lower))}
    for alternative, share in expected.items():
        p = group_permutation_p(table, sizes, statistic="sum", alternative=alternative)
        assert (p.value, p.method) == (pytest.approx(share), "exact")


def test_every_assignment_is_counted_once():
    (labels,) = all_assignments([2, 3, 1])
    assert len(labels) == len({tuple(row) for row in labels}) == count_assignments([2, 3, 1]) == 60
    assert all(np.bincount(row).tolist() == [2, 3, 1] for row in labels)


def test_two_groups_have_the_p_value_of_the_permutation_test():
    x, y = [0.3, 0.2, 0.25, 0.7], [0.1, 0.0, 0.2]
    both = permutation_p(x, y, alternative="two-sided")
    scores = np.array([*x, *y])
    table = np.stack([scores, -scores], axis=1)
    p = group_permutation_p(table, [4, 3], statistic="sum")
    assert p.value == pytest.approx(both.value)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 999), st.permutations(range(3)), st.sampled_from(["sum", "spread"]))
def test_relabelling_groups_and_reordering_words_keeps_the_p_value(seed, order, statistic):
    rng = np.random.default_rng(seed)
    sizes = (9, 7, 8)  # too many assignments to count
    table = rng.standard_normal((sum(sizes), 3))
    if statistic == "spread":
        table[:] = table[:, :1]
    blocks = np.split(table, np.cumsum(sizes)[:-1])
    moved = np.concatenate([rng.permutation(blocks[k])[:, list(order)] for k in order])
    given = {"statistic": statistic, "n_resamples": 999}
    first, second = (
        group_permutation_p(rows if statistic == "sum" else rows[:, 0], groups, **given)
        for rows, groups in ((table, sizes), (moved, [sizes[k] for k in order]))
    )
    assert first == second


def test_a_drawn_p_value_is_never_zero_and_states_its_bounds():
    scores = np.repeat([0.0, 1.0, 2.0], 8) + np.arange(24) * 1e-3
    p = group_permutation_p(scores, [8, 8, 8], n_resamples=999)
    assert (p.value, p.method, p.low) == (1 / 1000, "sample", 0)
    assert 0 < p.high < 0.01


def test_smallest_p_is_reached_by_complete_separation():
    for sizes in ([2, 2, 2], [2, 3, 4], [3, 3]):
        scores = np.repeat(np.arange(len(sizes)) ** 2.0, sizes)
        p = group_permutation_p(scores + np.arange(len(scores)) * 1e-6, sizes)
        assert p.value >= smallest_group_p(sizes) - 1e-12
    assert group_permutation_p([0, 0.1, 5, 5.1, 10, 10.1], [2, 2, 2]).value == pytest.approx(
        smallest_group_p([2, 2, 2])
    )


@pytest.mark.parametrize(
    ("scores", "sizes", "message"),
    [
        ([1.0, 2.0], [2], "2 to 100 groups"),
        ([1.0, 2.0, 3.0], [1, 1], "shape"),
        ([1.0, np.nan, 3.0], [1, 2], "finite"),
    ],
)
def test_wrong_scores_are_refused(scores, sizes, message):
    with pytest.raises(UsageError, match=message):
        group_permutation_p(scores, sizes)


def test_a_spread_has_no_direction():
    with pytest.raises(UsageError, match="no direction"):
        group_permutation_p([1.0, 2.0, 3.0], [1, 2], alternative="greater")
