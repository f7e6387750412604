"""The interval of a correlation: properties and coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import correlation_interval


def test_variance_is_the_shrunk_jackknife_of_fisher_z() -> None:
    from scipy.stats import t

    rng = np.random.default_rng(0)
    x = rng.normal(size=25)
    y = x + rng.normal(size=25)
    n = len(x)
    z = np.arctanh(np.corrcoef(x, y)[0, 1])
    left_out = [np.arctanh(np.corrcoef(np.delete(x, k), np.delete(y, k))[0, 1]) for k in range(n)]
    jackknife = (n - 1) / n * ((left_out - np.mean(left_out)) ** 2).sum()
    variance = (1 + (jackknife * (n - 3) - 1) * n / (n + 10)) / (n - 3)
    half = t.ppf(0.975, n - 2) * math.sqrt(variance)
    interval = correlation_interval(x, y)
    assert (interval.low, interval.high) == pytest.approx(
        (math.tanh(z - half), math.tanh(z + half))
    )


def test_interval_follows_sign_shift_and_scale_of_the_numbers() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=30)
    y = x + rng.normal(size=30)
    there = correlation_interval(x, y)
    back = correlation_interval(1e100 * (x + 1), -1e-100 * y)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))


@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9) | st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1, 2])),
        min_size=5,
        max_size=12,
    )
)
def test_interval_of_any_numbers_is_finite_and_contains_the_correlation(
    pairs: list[tuple[float, float]],
) -> None:
    x, y = np.array(pairs).T
    try:
        interval = correlation_interval(x, y)
    except CannotMeasure:
        return
    with np.errstate(all="ignore"):
        r = np.corrcoef(x, y)[0, 1]
    assert -1 <= interval.low <= interval.high <= 1
    assert interval.low - 1e-6 <= r <= interval.high + 1e-6


def test_interval_covers_correlations_with_facts_of_two_peaks() -> None:
    rng = np.random.default_rng(2)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.normal(size=n)
        latent = 0.7 * x + math.sqrt(1 - 0.49) * rng.normal(size=n)
        return x, np.where(latent > 0, 0.85, 0.1) + 0.07 * rng.normal(size=n)

    truth = np.corrcoef(*draw(200_000))[0, 1]
    covered = 0
    for _ in range(500):
        interval = correlation_interval(*draw(20))
        covered += interval.low <= truth <= interval.high
    assert 0.92 * 500 <= covered <= 0.99 * 500


def test_interval_needs_five_words_with_different_numbers() -> None:
    with pytest.raises(CannotMeasure, match="at least 5"):
        correlation_interval([1, 2, 3, 4], [1, 2, 3, 4])
    with pytest.raises(CannotMeasure, match="same number"):
        correlation_interval([1, 2, 3, 4, 5], [1] * 5)
    with pytest.raises(UsageError, match="as many"):
        correlation_interval([1, 2, 3, 4, 5], [1, 2, 3, 4])
