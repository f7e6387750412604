"""Bootstrap intervals compared with scipy, and their coverage."""

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


def test_interval_equals_that_of_scipy(sets: tuple[np.ndarray, np.ndarray]) -> None:
    from scipy.stats import bootstrap

    interval = bootstrap_interval(*sets, effect, rng=3, n_resamples=999)
    theirs = bootstrap(
        sets, effect, n_resamples=999, method="bca", random_state=np.random.default_rng(3)
    ).confidence_interval
    assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high))
    assert (interval.method, interval.n_resamples, interval.confidence) == ("bca", 999, 0.95)


def test_interval_depends_only_on_the_seed(sets: tuple[np.ndarray, np.ndarray]) -> None:
    first = bootstrap_interval(*sets, effect, n_resamples=499)
    assert first == bootstrap_interval(*sets, effect, n_resamples=499, rng=0)
    assert first != bootstrap_interval(*sets, effect, n_resamples=499, rng=1)


def test_higher_confidence_widens_the_interval(sets: tuple[np.ndarray, np.ndarray]) -> None:
    narrow = bootstrap_interval(*sets, effect, confidence=0.8)
    wide = bootstrap_interval(*sets, effect, confidence=0.99)
    assert wide.low < narrow.low < float(effect(*sets)) < narrow.high < wide.high


def test_interval_covers_the_truth_about_as_often_as_its_confidence() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(150):
        x, y = rng.normal(size=20) + 1, rng.normal(size=20)
        interval = bootstrap_interval(x, y, difference, confidence=0.9, n_resamples=399, rng=rng)
        covered += interval.low <= 1 <= interval.high
    assert covered >= 120


def test_there_is_no_interval_if_bca_is_undefined() -> None:
    with pytest.raises(CannotMeasure, match="vary too little"):
        bootstrap_interval([1.0, 1.0], [0.0, 0.0], difference)


def test_sets_without_variance_are_refused_with_a_reason() -> None:
    with pytest.raises(CannotMeasure, match="not a finite number"):
        bootstrap_interval([1.0, 1.0], [1.0, 1.0], effect)
    with pytest.raises(CannotMeasure, match="resamples"):
        bootstrap_interval([1.0, 0.0], [0.0, 0.0], effect)


def test_bootstrap_refuses_invalid_arguments() -> None:
    with pytest.raises(CannotMeasure, match="at least 2"):
        bootstrap_interval([1.0], [1.0, 2.0], difference)
    with pytest.raises(UsageError, match="confidence"):
        bootstrap_interval([1.0, 2.0], [1.0, 2.0], difference, confidence=95)
    with pytest.raises(UsageError, match="n_resamples"):
        bootstrap_interval([1.0, 2.0], [1.0, 2.0], difference, n_resamples=1)


def test_interval_round_trips_through_a_dict() -> None:
    interval = bootstrap_interval([1.0, 2.0, 3.0], [0.0, 1.0], difference, n_resamples=99)
    assert Interval(**interval.to_dict()) == interval  # type: ignore[arg-type]
