import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import pearson, spearman


def pair(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, 0.8 * x + 0.6 * rng.normal(size=n)


def test_correlations_equal_those_of_scipy():
    x, y = pair(30)
    assert pearson(x, y).value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert spearman(x, y).value == pytest.approx(stats.spearmanr(x, y).statistic)


def test_the_interval_is_never_narrower_than_that_of_fisher():
    for seed in range(20):
        x, y = pair(12, seed)
        ours, fisher = pearson(x, y), stats.pearsonr(x, y).confidence_interval(0.95)
        assert ours.low <= fisher.low + 1e-12
        assert ours.high >= fisher.high - 1e-12


def test_a_word_that_decides_the_correlation_widens_its_interval():
    x, y = pair(20)
    far = np.append(x, 8.0), np.append(y, -8.0)
    fisher = stats.pearsonr(*far).confidence_interval(0.95)
    ours = pearson(*far)
    assert ours.high - ours.low > 1.3 * (fisher.high - fisher.low)


def test_the_correlation_of_a_line_is_one_with_an_interval_of_one_point():
    x = np.arange(5.0)
    assert (pearson(x, 3 * x + 1).low, pearson(x, -x).high) == (1.0, -1.0)
    assert spearman(x, x**3).low == 1.0


def test_rounding_errors_break_no_tie_of_ranks():
    x = np.array([0.3, 0.1 + 0.2, 0.5, 0.7, 0.9])
    y = np.array([0.1, 0.1, 0.4, 0.3, 0.5])
    assert spearman(x, y).value == pytest.approx(stats.spearmanr([1, 1, 2, 3, 4], y).statistic)


def test_shift_and_scale_change_no_correlation_and_no_interval():
    x, y = pair(16)
    first, second = pearson(x, y), pearson(100 + 7 * x, y / 3)
    assert (second.value, second.low, second.high) == pytest.approx(
        (first.value, first.low, first.high)
    )


def test_a_correlation_that_cannot_be_computed_has_a_reason():
    with pytest.raises(CannotMeasure, match="3 words"):
        pearson([1, 2, 3], [1, 2, 3])
    with pytest.raises(CannotMeasure, match="same number in y"):
        spearman([1, 2, 3, 4], [5, 5, 5, 5])
    with pytest.raises(CannotMeasure, match="finite"):
        pearson([1, 2, 3, np.inf], [1, 2, 3, 4])
    with pytest.raises(UsageError, match="same length"):
        pearson([1, 2, 3, 4], [1, 2, 3])


@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1, 2])),
        min_size=5,
        max_size=12,
    )
)
def test_the_interval_of_any_numbers_is_finite_and_contains_the_correlation(
    pairs: list[tuple[float, float]],
) -> None:
    x, y = np.array(pairs).T
    try:
        interval = pearson(x, y)
    except CannotMeasure:
        return
    with np.errstate(all="ignore"):
        r = np.corrcoef(x, y)[0, 1]
    assert -1 <= interval.low <= interval.high <= 1
    assert interval.low - 1e-6 <= r <= interval.high + 1e-6


def test_the_interval_covers_correlations_with_facts_of_two_peaks() -> None:
    rng = np.random.default_rng(2)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.normal(size=n)
        latent = 0.7 * x + math.sqrt(1 - 0.49) * rng.normal(size=n)
        return x, np.where(latent > 0, 0.85, 0.1) + 0.07 * rng.normal(size=n)

    truth = np.corrcoef(*draw(200_000))[0, 1]
    covered = 0
    for _ in range(500):
        interval = pearson(*draw(20))
        covered += interval.low <= truth <= interval.high
    assert 0.92 * 500 <= covered <= 0.99 * 500
