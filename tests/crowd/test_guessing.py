"""The null distributions of guessing, against enumeration and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from weatherglass.crowd import (
    hits_by_guessing,
    plurality_by_guessing,
    poisson_binomial,
    upper_tail,
)


def test_poisson_binomial_is_that_of_all_outcomes():
    p = [0.5, 0.25, 0.1, 0.9]
    expected = np.zeros(5)
    for outcome in itertools.product((0, 1), repeat=4):
        expected[sum(outcome)] += math.prod(
            q if hit else 1 - q for q, hit in zip(p, outcome, strict=True)
        )
    assert poisson_binomial(p) == pytest.approx(expected, abs=1e-15)


def test_poisson_binomial_with_one_probability_is_binomial_to_the_last_digits_of_the_tail():
    distribution = poisson_binomial(np.full(40, 1 / 12))
    for hits in range(41):
        exact = stats.binom.sf(hits - 1, 40, 1 / 12)
        assert upper_tail(distribution, hits).value == pytest.approx(exact, rel=1e-10)


def test_hits_of_one_to_one_matching_are_fixed_points_of_permutations():
    for c in range(1, 7):
        counts = np.zeros(c + 1)
        for permutation in itertools.permutations(range(c)):
            counts[sum(k == image for k, image in enumerate(permutation))] += 1
        expected = counts / math.factorial(c)
        assert hits_by_guessing([c], [c], one_to_one=True) == pytest.approx(expected, abs=1e-12)


def test_hits_of_several_tasks_add_up():
    both = hits_by_guessing([3, 4], [3, 4], one_to_one=True)
    parts = [hits_by_guessing([c], [c], one_to_one=True) for c in (3, 4)]
    assert both == pytest.approx(np.convolve(*parts))
    assert both @ np.arange(len(both)) == pytest.approx(2)  # one hit is expected in each task
    assert both.sum() == pytest.approx(1)


def test_the_count_of_one_cell_is_binomial_under_both_designs():
    rng = np.random.default_rng(3)
    c, workers, studies = 5, 9, 20_000
    once = rng.permuted(np.tile(np.arange(c), (studies, workers, 1)), axis=2)[:, :, 0]
    freely = rng.integers(c, size=(studies, workers))
    expected = poisson_binomial(np.full(workers, 1 / c))
    for answers in (once, freely):
        counts = np.bincount((answers == 0).sum(axis=1), minlength=workers + 1)
        assert np.abs(counts / studies - expected).max() < 0.012


@pytest.mark.parametrize(("workers", "c"), [(1, 3), (2, 2), (3, 3), (5, 2), (6, 3), (4, 4)])
def test_the_chance_of_a_plurality_is_that_of_all_answers(workers, c):
    wins = sum(
        answers.count(0) > max(answers.count(k) for k in range(1, c))
        for answers in itertools.product(range(c), repeat=workers)
    )
    assert plurality_by_guessing(workers, c) == pytest.approx(wins / c**workers, rel=1e-12)


def test_plurality_by_guessing_of_many_workers_is_below_one_in_c():
    for c in (2, 8, 12):
        assert 0.5 / c < plurality_by_guessing(301, c) <= 1 / c
