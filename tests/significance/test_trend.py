"""The trend test: the slope, its p-value by permuted dates, and the residual t beside it."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from weatherglass.errors import CannotMeasure
from weatherglass.significance import fit_slope, trend

YEARS = [1790.0, 1800.0, 1811.0, 1820.0, 1835.0]


def random_series(seed: int, count: int = 99) -> tuple[list[float], list[list[float]]]:
    rng = np.random.default_rng(seed)
    values: list[float] = rng.normal(size=len(YEARS)).tolist()
    return values, rng.normal(size=(count, len(YEARS))).tolist()


def test_slope_and_residual_t_are_those_of_ordinary_least_squares() -> None:
    values, permuted = random_series(1)
    line = trend(YEARS, values, permuted, equal_sizes=True)
    peer = stats.linregress(YEARS, values)
    assert line.slope == pytest.approx(peer.slope)
    assert line.residual_p == pytest.approx(peer.pvalue)
    assert line.residual_df == 3
    assert line.change == pytest.approx(45 * peer.slope)


def test_p_of_all_permutations_is_the_share_by_brute_force() -> None:
    # One document in each period: the permuted values are the values in another order.
    values = [0.1, 0.2, 0.25, 0.6, 0.5]
    orders = [list(order) for order in permutations(values)]
    line = trend(YEARS, values, orders, equal_sizes=True)
    slopes = np.abs(fit_slope(YEARS, orders))
    as_large = int((slopes >= abs(line.slope) - 1e-12).sum())
    assert line.p == pytest.approx((1 + as_large) / (1 + len(orders)))


def test_reversed_years_reverse_the_slope_and_keep_every_p() -> None:
    values, permuted = random_series(2)
    for equal_sizes in (True, False):
        line = trend(YEARS, values, permuted, equal_sizes=equal_sizes)
        back = trend([-year for year in YEARS], values, permuted, equal_sizes=equal_sizes)
        assert back.slope == pytest.approx(-line.slope)
        assert (back.p, back.residual_p) == (line.p, pytest.approx(line.residual_p))


def test_a_slope_beyond_all_permuted_ones_has_the_smallest_p() -> None:
    _, permuted = random_series(3)
    line = trend(YEARS, [0.0, 10.0, 21.0, 30.0, 45.5], permuted, equal_sizes=True)
    assert line.p == 0.01
    assert line.residual_p is not None
    assert line.residual_p < 0.001


def test_values_on_a_line_have_no_residual_test() -> None:
    _, permuted = random_series(4)
    line = trend(YEARS, [2 * year for year in YEARS], permuted, equal_sizes=True)
    assert line.residual_t is None
    assert line.residual_p is None


def test_the_centre_is_estimated_if_periods_differ_in_size() -> None:
    values, permuted = random_series(5)
    # Values of small periods are shifted in all permutations, and in the observed series.
    shift = 5 * np.array(YEARS)
    moved = (np.array(permuted) + shift).tolist()
    shifted = trend(YEARS, (np.array(values) + shift).tolist(), moved, equal_sizes=False)
    plain = trend(YEARS, values, permuted, equal_sizes=False)
    assert shifted.p == plain.p
    assert shifted.expected == pytest.approx(plain.expected + 5)


def test_two_periods_are_no_trend() -> None:
    with pytest.raises(CannotMeasure, match="at least 3 periods; there are 2"):
        trend([1, 2], [0.1, 0.2], [[0.1, 0.2]] * 5, equal_sizes=True)
    with pytest.raises(CannotMeasure, match="there are 2"):
        trend([1, 2, 2], [0.1, 0.2, 0.3], [[0.1, 0.2, 0.1]] * 5, equal_sizes=True)


def test_rank_p_has_its_level_under_the_null() -> None:
    rng = np.random.default_rng(6)
    rejected = 0
    for _ in range(600):
        drawn = rng.standard_t(3, size=(20, len(YEARS)))
        line = trend(YEARS, drawn[0].tolist(), drawn[1:].tolist(), equal_sizes=False)
        rejected += line.p <= 0.05
    assert 14 <= rejected <= 48  # 30 expected
