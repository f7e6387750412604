"""Bootstrap intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import Interval, bootstrap_interval


def difference(x: Any, y: Any, axis: int = -1) -> Any:
    return x.mean(axis=axis) - y.mean(axis=axis)


def effect(x: Any, y: Any, axis: int = -1) -> Any:
    return difference(x, y, axis) / np.concatenate([x, y], axis=axis).std(axis=axis, ddof=1)


@pytest.fixture
def sets() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=25) + 0.7, rng.normal(size=30)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_it_is_scipy_s(sets: tuple[np.ndarray, np.ndarray], method: str) -> None:
    from scipy.stats import bootstrap

    found = bootstrap_interval(*sets, effect, method=method, rng=3, n_resamples=999)
    theirs = bootstrap(
        sets, effect, n_resamples=999, method=method, random_state=np.random.default_rng(3)
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high))
    assert (found.method, found.n_resamples, found.confidence) == (method, 999, 0.95)


def test_the_seed_decides(sets: tuple[np.ndarray, np.ndarray]) -> None:
    first = bootstrap_interval(*sets, effect, n_resamples=499)
    assert first == bootstrap_interval(*sets, effect, n_resamples=499, rng=0)
    assert first != bootstrap_interval(*sets, effect, n_resamples=499, rng=1)


def test_more_confidence_is_a_wider_interval(sets: tuple[np.ndarray, np.ndarray]) -> None:
    narrow = bootstrap_interval(*sets, effect, confidence=0.8)
    wide = bootstrap_interval(*sets, effect, confidence=0.99)
    assert wide.low < narrow.low < float(effect(*sets)) < narrow.high < wide.high


def test_it_covers_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(150):
        x, y = rng.normal(size=20) + 1, rng.normal(size=20)
        found = bootstrap_interval(x, y, difference, confidence=0.9, n_resamples=399, rng=rng)
        covered += found.low <= 1 <= found.high
    assert covered >= 120


def test_where_bca_has_no_answer_the_method_says_percentile() -> None:
    assert bootstrap_interval([1.0, 1.0], [0.0, 0.0], difference) == Interval(
        1.0, 1.0, 0.95, "percentile", 9_999
    )


def test_no_spread_is_refused_in_words() -> None:
    with pytest.raises(CannotMeasure, match="not a finite number"):
        bootstrap_interval([1.0, 1.0], [1.0, 1.0], effect)
    with pytest.raises(CannotMeasure, match="resamples"):
        bootstrap_interval([1.0, 0.0], [0.0, 0.0], effect)


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(CannotMeasure, match="at least 2"):
        bootstrap_interval([1.0], [1.0, 2.0], difference)
    with pytest.raises(UsageError, match="method"):
        bootstrap_interval([1.0, 2.0], [1.0, 2.0], difference, method="basic")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="confidence"):
        bootstrap_interval([1.0, 2.0], [1.0, 2.0], difference, confidence=95)
    with pytest.raises(UsageError, match="n_resamples"):
        bootstrap_interval([1.0, 2.0], [1.0, 2.0], difference, n_resamples=1)


def test_to_dict_holds_every_field() -> None:
    found = bootstrap_interval([1.0, 2.0, 3.0], [0.0, 1.0], difference, n_resamples=99)
    assert Interval(**found.to_dict()) == found  # type: ignore[arg-type]
