"""P-values of a batch equal those of single tests."""

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
from weatherglass.significance.batch import _tails, batch_permutation_p
from weatherglass.significance.tail import build_tail

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
def test_batch_counts_ties_as_brute_force_does(values, data, scale):
    size = data.draw(st.integers(1, len(values) - 1))
    x, y = values[:size], values[size:]
    sums = [sum(chosen) for chosen in itertools.combinations(values, size)]
    at_least, at_most = sum(s >= sum(x) for s in sums), sum(s <= sum(x) for s in sums)
    counts = [at_least, at_most, min(len(sums), 2 * min(at_least, at_most))]
    for alternative, count in zip(ALTERNATIVES, counts, strict=True):
        test = np.array(x) * scale, np.array(y) * scale
        (p,) = batch_permutation_p([test], alternative=alternative)
        assert (p.method, p.alternative, p.count, p.partitions) == (
            "exact",
            alternative,
            count,
            len(sums),
        )
        assert p == permutation_p(*test, alternative=alternative)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_batch_counts_equal_those_of_single_tests(alternative):
    sizes = [(1, 1), (2, 5), (8, 8), (12, 9), (16, 16), (3, 40), (40, 2)]
    tests = [two_sets(*size, rng=k, shift=s) for k, size in enumerate(sizes) for s in (0, 0.2, -1)]
    batch = batch_permutation_p(tests, alternative=alternative)
    assert batch == [permutation_p(x, y, alternative=alternative, method="exact") for x, y in tests]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("shift", [0.0, 0.05, -0.05, 0.1])
def test_batch_tilted_p_agrees_with_single_tilted_p_within_bounds(alternative, shift):
    sizes = [(18, 18), (23, 21), (30, 30), (12, 60), (90, 80)]
    tests = [two_sets(*size, rng=k, shift=shift) for k, size in enumerate(sizes)]
    batch = batch_permutation_p(tests, alternative=alternative)
    for p, (x, y) in zip(batch, tests, strict=True):
        single = permutation_p(x, y, alternative=alternative, method="tilted")
        assert p.method in ("exact", "tilted")
        assert p.value == pytest.approx(single.value, rel=1e-3)
        assert p.low <= single.high
        assert single.low <= p.high


def test_batch_tilted_p_agrees_with_exact_p():
    x, y = two_sets(17, 17, rng=3)
    (p,) = batch_permutation_p([(x, y)])
    assert p.method == "tilted"
    truth = permutation_p(x, y, method="exact").value
    assert p.low <= truth <= p.high
    assert p.value == pytest.approx(truth, rel=1e-4)


def test_batch_p_keeps_its_digits_in_the_far_tail():
    x, y = two_sets(200, 200, rng=1, shift=0.1)
    (p,) = batch_permutation_p([(x, y)])
    assert p.value < 1e-18
    assert p.value == pytest.approx(permutation_p(x, y, method="tilted").value, rel=1e-9)


@pytest.mark.slow
def test_batch_handles_complete_separation_and_ties_without_a_common_step():
    separated = np.linspace(1, 2, 40) ** 2, np.linspace(-2, -1, 40) ** 3
    tied = np.r_[np.sqrt(np.arange(20)), [1.5] * 20], np.r_[np.log(np.arange(2, 32)), [1.5] * 10]
    p_separated, p_tied = batch_permutation_p([separated, tied])
    assert (p_separated.count, p_separated.partitions) == (1, math.comb(80, 40))
    single = permutation_p(*tied, method="tilted")
    assert p_tied.value == pytest.approx(single.value, rel=1e-6)


@given(
    st.lists(
        st.sampled_from([0.1, 1 / 3, 0.25, math.pi, -2.0, 1e-14, 7e-3]), min_size=2, max_size=9
    ),
    st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=9),
    st.data(),
)
@settings(max_examples=100)
def test_batch_tail_equals_the_tail_of_a_single_test(special, others, data):
    values = data.draw(st.permutations(special + others))
    size = data.draw(st.integers(1, len(values) - 1))
    for greater in (True, False):
        batch = _tails(values[:size], values[size:], 1e-15)(greater)
        tail = build_tail(values[:size], values[size:], greater=greater, resolution=1e-15)
        assert batch.values.tolist() == tail.values.tolist()
        fields = (batch.size, batch.threshold, batch.allowance, batch.equivalent)
        assert fields == (tail.size, tail.threshold, tail.allowance, tail.equivalent)


@pytest.mark.parametrize("x", [[], [[1.0]], [math.nan], [math.inf]])
def test_batch_refuses_what_a_single_test_refuses(x):
    with pytest.raises((CannotMeasure, UsageError)) as single:
        permutation_p(x, [0.0])
    with pytest.raises(type(single.value), match=re.escape(str(single.value))):
        batch_permutation_p([(x, [0.0])])


def test_batch_result_does_not_depend_on_threads_and_progress_is_reported():
    tests = [two_sets(8, 8, rng=k) for k in range(150)]
    reports: list[tuple[int, int]] = []
    single_thread = batch_permutation_p(
        tests, workers=1, progress=lambda *counts: reports.append(counts)
    )
    assert single_thread == batch_permutation_p(tests, workers=4)
    assert reports == [(64, 150), (128, 150), (150, 150)]
    assert batch_permutation_p([]) == []


def test_batch_refuses_an_unknown_alternative():
    with pytest.raises(UsageError, match="must be one of greater, less, two-sided"):
        batch_permutation_p([([1.0], [0.0])], alternative="bigger")
