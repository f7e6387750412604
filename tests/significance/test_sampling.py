"""Sampling and the normal fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from weatherglass.significance import permutation_p
from weatherglass.significance.sampling import sampled_sums
from weatherglass.significance.tail import tail_of


def test_sampling_never_goes_below_one_in_a_hundred_thousand() -> None:
    a = np.random.default_rng(0).normal(size=80)
    a[:40] += 5
    p = permutation_p(a[:40], a[40:], method="sample")
    assert p.value == 1e-5
    assert p.low == 0
    assert 4e-5 < p.high < 6e-5


def test_random_sets_have_the_size_and_are_uniform() -> None:
    """Powers of two for associations, so that a sum tells which targets are in the set."""
    values = 2.0 ** np.arange(8)
    for size in (3, 5):
        tail = tail_of(values[:size], values[size:])
        sums = sampled_sums(tail, 56_000, np.random.default_rng(0))
        step = int(np.diff(np.sort(tail.values)).min())
        least = int(tail.values.min())
        sets, counts = np.unique((sums - size * least) // step, return_counts=True)
        assert len(sets) == 56
        # Chi-squared with 55 degrees of freedom is above 100 once in 6000 times.
        assert ((counts - 1000) ** 2 / 1000).sum() < 100


def test_the_interval_of_sampling_covers_as_often_as_it_says() -> None:
    a = np.random.default_rng(5).normal(size=20)
    exact = permutation_p(a[:10], a[10:]).value
    found = [
        permutation_p(a[:10], a[10:], method="sample", rng=seed, n_resamples=499)
        for seed in range(400)
    ]
    covered = sum(p.low <= exact <= p.high for p in found)
    assert covered >= 388


def test_the_normal_fit_is_the_tail_of_the_normal_that_theory_gives() -> None:
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


def test_the_ends_of_the_normal_fit_cover_chance_in_the_draws() -> None:
    a = np.random.default_rng(2).normal(size=40)
    x, y = a[:20] + 0.5, a[20:]
    many = permutation_p(x, y, method="normal", n_resamples=2_000_000).value
    found = [permutation_p(x, y, method="normal", rng=s, n_resamples=1000) for s in range(300)]
    assert sum(p.low <= many <= p.high for p in found) >= 288
