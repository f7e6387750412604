"""The Mann-Whitney test, against brute force and scipy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu, rankdata

from weatherglass.errors import CannotMeasure
from weatherglass.significance import mann_whitney


@pytest.mark.parametrize(("n", "m"), [(3, 5), (6, 6), (13, 37)])
def test_p_is_that_of_the_exact_test_without_ties(n, m):
    rng = np.random.default_rng(n)
    x, y = rng.normal(0.5, 1, n), rng.normal(size=m)
    expected = mannwhitneyu(x, y, method="exact")
    result = mann_whitney(x, y)
    assert result.auc == pytest.approx(expected.statistic / (n * m))
    assert result.p.value == pytest.approx(expected.pvalue)


def test_p_with_ties_counts_every_assignment_of_these_ranks():
    x, y = [1, 2, 2, 5], [0, 2, 1, 1, 3]
    ranks = rankdata([*x, *y])
    sums = np.array([ranks[list(chosen)].sum() for chosen in combinations(range(9), 4)])
    observed = ranks[:4].sum()
    tails = (sums >= observed).mean(), (sums <= observed).mean()
    assert mann_whitney(x, y, alternative="greater").p.value == pytest.approx(tails[0])
    assert mann_whitney(x, y).p.value == pytest.approx(min(1.0, 2 * min(tails)))


def test_exchanged_groups_have_the_opposite_auc_and_the_same_p():
    x, y = [3.0, 4.0, 1.0], [2.0, 0.5, 0.2, 3.5]
    result, other = mann_whitney(x, y), mann_whitney(y, x)
    assert result.auc == pytest.approx(1 - other.auc)
    assert result.rank_biserial == pytest.approx(-other.rank_biserial)
    assert result.p.value == pytest.approx(other.p.value)


def test_an_empty_group_cannot_be_measured():
    with pytest.raises(CannotMeasure):
        mann_whitney([], [1.0])
