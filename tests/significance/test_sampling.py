"""Sampled p-values, and those of a normal distribution fitted to samples."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from weatherglass.significance import permutation_p
from weatherglass.significance.sampling import draw_sums
from weatherglass.significance.tail import build_tail


def test_sampled_p_is_at_least_one_in_a_hundred_thousand() -> None:
    a = np.random.default_rng(0).normal(size=80)
    a[:40] += 5
    p = permutation_p(a[:40], a[40:], method="sample")
    assert p.value == 1e-5
    assert p.low == 0
    assert 4e-5 < p.high < 6e-5


def test_random_sets_are_uniform_and_have_the_right_size() -> None:
    """Powers of two for associations, so that a sum identifies its set."""
    values = 2.0 ** np.arange(8)
    for size in (3, 5):
        tail = build_tail(values[:size], values[size:])
        sums = draw_sums(tail, 56_000, np.random.default_rng(0))
        step = int(np.diff(np.sort(tail.values)).min())
        least = int(tail.values.min())
        sets, counts = np.unique((sums - size * least) // step, return_counts=True)
        assert len(sets) == 56
        # Chi-squared with 55 degrees of freedom is above 100 once in 6000 times.
        assert ((counts - 1000) ** 2 / 1000).sum() < 100


def test_bounds_of_sampled_p_cover_the_exact_p_as_often_as_stated() -> None:
    a = np.random.default_rng(5).normal(size=20)
    exact = permutation_p(a[:10], a[10:]).value
    p_values = [
        permutation_p(a[:10], a[10:], method="sample", rng=seed, n_resamples=499)
        for seed in range(400)
    ]
    covered = sum(p.low <= exact <= p.high for p in p_values)
    assert covered >= 388


def test_normal_p_is_the_tail_with_theoretical_mean_and_variance() -> None:
    a = np.random.default_rng(1).normal(size=60)
    x, y = a[:25] + 0.3, a[25:]
    whole = np.concatenate([x, y])
    # The mean and variance of a sum of 25 drawn without replacement.
    mean, variance = 25 * whole.mean(), 25 * 35 / 60 * whole.var(ddof=1)
    truth = norm.sf((x.sum() - mean) / np.sqrt(variance))
    p = permutation_p(x, y, method="normal")
    assert p.low <= truth <= p.high
    assert p.value == pytest.approx(truth, rel=0.05)
    less = permutation_p(x, y, method="normal", alternative="less")
    assert less.value == pytest.approx(1 - p.value)


def test_bounds_of_normal_p_cover_sampling_error() -> None:
    a = np.random.default_rng(2).normal(size=40)
    x, y = a[:20] + 0.5, a[20:]
    converged = permutation_p(x, y, method="normal", n_resamples=2_000_000).value
    p_values = [permutation_p(x, y, method="normal", rng=s, n_resamples=1000) for s in range(300)]
    assert sum(p.low <= converged <= p.high for p in p_values) >= 288
