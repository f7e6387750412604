"""Many p-values at once are the p-values of one at a time."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import permutation_p
from weatherglass.significance.batch import _tail, permutation_many
from weatherglass.significance.tail import tail_of

ALTERNATIVES = ["greater", "less", "two-sided"]


def two_sets(size: int, others: int, rng: int, shift: float = 0.05):
    stream = np.random.default_rng(rng)
    return 0.1 * stream.standard_normal(size) + shift, 0.1 * stream.standard_normal(others)


@given(
    st.lists(st.integers(-4, 4), min_size=2, max_size=12),
    st.data(),
    st.sampled_from([1.0, 0.1, math.pi * 1e-5]),
)
@settings(max_examples=100)
def test_ties_are_counted_as_brute_force_counts_them(values, data, scale):
    size = data.draw(st.integers(1, len(values) - 1))
    x, y = values[:size], values[size:]
    sums = [sum(chosen) for chosen in itertools.combinations(values, size)]
    at_least, at_most = sum(s >= sum(x) for s in sums), sum(s <= sum(x) for s in sums)
    wanted = [at_least, at_most, min(len(sums), 2 * min(at_least, at_most))]
    for alternative, count in zip(ALTERNATIVES, wanted, strict=True):
        test = np.array(x) * scale, np.array(y) * scale
        (p,) = permutation_many([test], alternative=alternative)
        assert (p.method, p.alternative, p.count, p.partitions) == (
            "exact",
            alternative,
            count,
            len(sums),
        )
        assert p == permutation_p(*test, alternative=alternative)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_counts_are_those_of_one_at_a_time(alternative):
    sizes = [(1, 1), (2, 5), (8, 8), (12, 9), (16, 16), (3, 40), (40, 2)]
    tests = [two_sets(*size, rng=k, shift=s) for k, size in enumerate(sizes) for s in (0, 0.2, -1)]
    many = permutation_many(tests, alternative=alternative)
    assert many == [permutation_p(x, y, alternative=alternative, method="exact") for x, y in tests]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("shift", [0.0, 0.05, -0.05, 0.1])
def test_tilted_ones_agree_within_their_ends(alternative, shift):
    sizes = [(18, 18), (23, 21), (30, 30), (12, 60), (90, 80)]
    tests = [two_sets(*size, rng=k, shift=shift) for k, size in enumerate(sizes)]
    many = permutation_many(tests, alternative=alternative)
    for p, (x, y) in zip(many, tests, strict=True):
        other = permutation_p(x, y, alternative=alternative, method="tilted")
        assert p.method in ("exact", "tilted")
        assert p.value == pytest.approx(other.value, rel=1e-3)
        assert p.low <= other.high
        assert other.low <= p.high


def test_tilted_is_the_exact_count_where_both_can_be_had():
    x, y = two_sets(17, 17, rng=3)
    (p,) = permutation_many([(x, y)])
    assert p.method == "tilted"
    truth = permutation_p(x, y, method="exact").value
    assert p.low <= truth <= p.high
    assert p.value == pytest.approx(truth, rel=1e-4)


def test_the_far_tail_keeps_its_digits():
    x, y = two_sets(200, 200, rng=1, shift=0.1)
    (p,) = permutation_many([(x, y)])
    assert p.value < 1e-18
    assert p.value == pytest.approx(permutation_p(x, y, method="tilted").value, rel=1e-9)


def test_complete_separation_and_ties_without_a_grid_are_handled():
    apart = np.linspace(1, 2, 40) ** 2, np.linspace(-2, -1, 40) ** 3
    tied = np.r_[np.sqrt(np.arange(20)), [1.5] * 20], np.r_[np.log(np.arange(2, 32)), [1.5] * 10]
    first, second = permutation_many([apart, tied])
    assert (first.count, first.partitions) == (1, math.comb(80, 40))
    other = permutation_p(*tied, method="tilted")
    assert second.value == pytest.approx(other.value, rel=1e-6)


@given(
    st.lists(
        st.sampled_from([0.1, 1 / 3, 0.25, math.pi, -2.0, 1e-14, 7e-3]), min_size=2, max_size=9
    ),
    st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=9),
    st.data(),
)
@settings(max_examples=100)
def test_the_tail_is_the_same_tail(some, others, data):
    values = data.draw(st.permutations(some + others))
    size = data.draw(st.integers(1, len(values) - 1))
    for greater in (True, False):
        mine = _tail(values[:size], values[size:], greater, 1e-15)
        tail = tail_of(values[:size], values[size:], greater=greater, resolution=1e-15)
        assert mine.values.tolist() == tail.values.tolist()
        rest = (mine.size, mine.threshold, mine.allowance, mine.alike)
        assert rest == (tail.size, tail.threshold, tail.allowance, tail.alike)


@pytest.mark.parametrize("x", [[], [[1.0]], [math.nan], [math.inf]])
def test_what_one_test_refuses_many_refuse(x):
    with pytest.raises((CannotMeasure, UsageError)) as alone:
        permutation_p(x, [0.0])
    with pytest.raises(type(alone.value), match=re.escape(str(alone.value))):
        permutation_many([(x, [0.0])])


def test_the_answer_does_not_depend_on_threads_and_progress_is_told():
    tests = [two_sets(8, 8, rng=k) for k in range(150)]
    told: list[tuple[int, int]] = []
    one = permutation_many(tests, workers=1, progress=lambda *done: told.append(done))
    assert one == permutation_many(tests, workers=4)
    assert told == [(64, 150), (128, 150), (150, 150)]
    assert permutation_many([]) == []


def test_a_wrong_alternative_is_refused():
    with pytest.raises(UsageError, match="must be one of greater, less, two-sided"):
        permutation_many([([1.0], [0.0])], alternative="bigger")
