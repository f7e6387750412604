"""Power: compared with the simulated permutation test, and with scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import (
    batch_permutation_p,
    correlation_power,
    effect_power,
    power_of_correlation,
    power_of_effect,
    words_for_correlation,
    words_needed,
)


@pytest.mark.parametrize(
    ("n", "m", "ratio", "alternative"),
    [(4, 4, 1, "greater"), (8, 8, 1, "two-sided"), (8, 12, 2, "less"), (5, 20, 0.5, "greater")],
)
def test_detectable_effect_is_found_by_four_permutation_tests_in_five(n, m, ratio, alternative):
    power = effect_power(n, m, alternative=alternative, spreads=(1.0, ratio))
    rng = np.random.default_rng(n)
    sign = -1 if alternative == "less" else 1
    pairs = [
        (rng.normal(sign * power.difference, 1, n), rng.normal(0, ratio, m)) for _ in range(600)
    ]
    p_values = batch_permutation_p(pairs, alternative=alternative)
    assert np.mean([p.value <= 0.05 for p in p_values]) == pytest.approx(0.8, abs=0.05)


def test_power_for_equal_spreads_is_that_of_the_t_test():
    from scipy.stats import nct, t

    n, effect = 25, 0.9
    delta = effect / math.sqrt(1 - effect**2 / 4)
    critical = t.ppf(0.95, 2 * n - 2)
    expected = nct.sf(critical, 2 * n - 2, delta * math.sqrt(n / 2))
    assert power_of_effect(effect, n, n) == pytest.approx(expected, abs=1e-5)


def test_smallest_p_is_one_partition_and_twice_that_for_two_sides():
    assert effect_power(8, 8).smallest_p == 1 / 12870
    assert effect_power(8, 8, alternative="two-sided").smallest_p == 2 / 12870


def test_a_test_whose_smallest_p_is_above_alpha_detects_nothing():
    power = effect_power(3, 3, alternative="two-sided")
    assert not power.can_be_significant
    assert power.detectable is None
    assert str(power) == (
        "with 3+3 words this test cannot be significant: its smallest possible p is 0.10"
    )
    assert power_of_effect(1.9, 3, 3, alternative="two-sided") == 0
    assert effect_power(3, 3).can_be_significant  # 1/20 is at most 0.05


def test_detectable_effect_falls_with_more_words_and_a_less_strict_level():
    sizes = [effect_power(n, n).detectable for n in (4, 8, 16, 64, 1000)]
    assert sizes == sorted(sizes, reverse=True)
    assert effect_power(8, 8, alpha=0.005).detectable > sizes[1]
    assert effect_power(8, 8, power=0.95).detectable > sizes[1]
    assert effect_power(8, 8, alternative="two-sided").detectable > sizes[1]


def test_words_needed_is_the_smallest_number_that_suffices():
    n = words_needed(0.7, alternative="two-sided")
    assert power_of_effect(0.7, n, n, alternative="two-sided") >= 0.8
    assert power_of_effect(0.7, n - 1, n - 1, alternative="two-sided") < 0.8
    n = words_for_correlation(0.3)
    assert power_of_correlation(0.3, n) >= 0.8 > power_of_correlation(0.3, n - 1)


def test_detectable_correlation_is_found_in_four_samples_of_five():
    from scipy.stats import pearsonr

    rng = np.random.default_rng(0)
    power = correlation_power(20)
    x = rng.normal(size=(3000, 20))
    y = power.detectable * x + math.sqrt(1 - power.detectable**2) * rng.normal(size=(3000, 20))
    assert (pearsonr(x, y, axis=1).pvalue <= 0.05).mean() == pytest.approx(0.8, abs=0.03)
    assert str(power) == "with 20 words this test detects correlations of 0.58 or more (80 % power)"
    assert correlation_power(3).detectable is None


def test_thousands_of_words_have_a_power():
    power = effect_power(3000, 5000)
    assert 0 < power.smallest_p < 1e-300
    assert 0.05 < power.detectable < 0.07


def test_power_refuses_what_no_test_has():
    with pytest.raises(UsageError, match="at least 2"):
        effect_power(1, 8)
    with pytest.raises(UsageError, match="alpha"):
        effect_power(8, 8, alpha=5)
    with pytest.raises(UsageError, match=r"below 2\.00"):
        power_of_effect(2.5, 8, 8)
    with pytest.raises(UsageError, match="between 0 and 2"):
        words_needed(0)
    with pytest.raises(CannotMeasure, match="100,000"):
        words_needed(0.001)
    with pytest.raises(UsageError, match="at least 3"):
        correlation_power(2)
    with pytest.raises(UsageError, match="between -1 and 1"):
        power_of_correlation(1.0, 20)
