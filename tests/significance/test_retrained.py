"""Tests and intervals from few models that were trained again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from weatherglass.errors import CannotMeasure
from weatherglass.significance import permuted_difference, retrained_interval

NUMBERS = st.floats(-10, 10).map(lambda number: round(number, 3))
PERMUTED = st.lists(NUMBERS, min_size=3, max_size=25).filter(lambda drawn: np.ptp(drawn) > 0.01)


def test_the_difference_of_corpora_of_equal_size_is_divided_by_the_root_mean_square() -> None:
    # s*² = (1 + 4 + 4 + 1) / 4 = 2.5, with 4 degrees of freedom.
    test = permuted_difference(3.0, [1, -2, 2, 1], equal_sizes=True)
    assert test.expected == 0
    assert test.se == pytest.approx(2.5**0.5)
    assert test.p == pytest.approx(2 * t.sf(3 / 2.5**0.5, 4))
    assert test.high - 3 == pytest.approx(t.ppf(0.975, 4) * 2.5**0.5)


def test_the_difference_of_corpora_of_unequal_size_is_compared_with_the_permuted_mean() -> None:
    # D̄* = 2, s*² = (1 + 0 + 1) / 2 = 1, B = 3: t = (5 − 2) / √(4/3), with 2 degrees of freedom.
    test = permuted_difference(5.0, [1, 2, 3], equal_sizes=False)
    assert (test.expected, test.method) == (2, "t")
    assert test.se == pytest.approx((4 / 3) ** 0.5)
    assert test.p == pytest.approx(2 * t.sf(3 / (4 / 3) ** 0.5, 2))
    assert (test.low + test.high) / 2 == pytest.approx(5)


@given(NUMBERS, PERMUTED, st.booleans())
def test_swapping_the_corpora_changes_the_sign_of_a_difference_and_not_its_p(
    difference: float, permuted: list[float], equal_sizes: bool
) -> None:
    for drawn in (permuted, permuted * 40):  # by t and by rank
        test = permuted_difference(difference, drawn, equal_sizes=equal_sizes)
        swapped = permuted_difference(-difference, [-d for d in drawn], equal_sizes=equal_sizes)
        assert swapped.p == pytest.approx(test.p)
        assert swapped.low == pytest.approx(-test.high)
        assert 0 < test.p <= 1


def test_p_is_a_share_of_the_permutations_from_99_on() -> None:
    permuted = np.linspace(-1, 1, 99)
    assert permuted_difference(2, permuted[1:], equal_sizes=True).method == "t"
    largest = permuted_difference(2, permuted, equal_sizes=True)
    assert (largest.method, largest.p) == ("rank", 0.01)
    # 0.5 is reached by 25 of the 49 negative and 25 of the 49 positive ones, and by itself.
    middle = permuted_difference(0.5, permuted, equal_sizes=True)
    assert middle.p == pytest.approx((1 + (np.abs(permuted) >= 0.5 - 1e-9).sum()) / 100)
    assert permuted_difference(0.0, permuted, equal_sizes=True).p == 1
    # At unequal sizes the distance is from the mean of all, so a shift changes nothing.
    shifted = permuted_difference(7, permuted + 5, equal_sizes=False)
    assert shifted.p == 0.01


@pytest.mark.parametrize("equal_sizes", [True, False])
@pytest.mark.parametrize("count", [5, 20, 99])
def test_a_draw_of_the_permuted_differences_is_significant_in_one_case_of_twenty(
    count: int, equal_sizes: bool
) -> None:
    rng = np.random.default_rng(count)
    mean = 0.0 if equal_sizes else 0.7
    trials = 1000
    significant = sum(
        permuted_difference(rng.normal(mean), rng.normal(mean, 1, count), equal_sizes=equal_sizes).p
        <= 0.05
        for _ in range(trials)
    )
    assert 0.03 < significant / trials < 0.07


def test_without_two_different_permutations_nothing_is_tested() -> None:
    with pytest.raises(CannotMeasure, match="at least two"):
        permuted_difference(1.0, [0.3], equal_sizes=True)
    with pytest.raises(CannotMeasure, match="the same"):
        permuted_difference(1.0, [0.3] * 5, equal_sizes=False)
    with pytest.raises(CannotMeasure, match="the same"):
        permuted_difference(1.0, [0.0] * 5, equal_sizes=True)


@given(NUMBERS, st.lists(NUMBERS, min_size=20, max_size=30))
def test_the_interval_of_an_effect_contains_the_effect(
    estimate: float, samples: list[float]
) -> None:
    interval = retrained_interval(estimate, samples)
    assert interval is not None
    low, high = interval
    assert low <= estimate <= high
    half = t.ppf(0.975, len(samples) - 1) * np.std(samples, ddof=1)
    assert high - estimate == pytest.approx(half, abs=1e-9)


def test_fewer_than_twenty_samples_give_no_interval() -> None:
    assert retrained_interval(0.0, [float(k) for k in range(19)]) is None
    assert retrained_interval(0.0, []) is None
