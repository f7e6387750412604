"""Tilted p-values compared with exact counts and certified bounds."""

from __future__ import annotations

import numpy as np
import pytest

from weatherglass.significance import permutation_p
from weatherglass.significance.bracket import bracket_shares
from weatherglass.significance.exact import count_exact
from weatherglass.significance.tail import Tail, build_tail


def shifted(targets: int, size: int, shift: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    a = np.random.default_rng(seed).normal(size=targets) * 0.1
    a[:size] += shift * 0.1
    return a[:size], a[size:]


@pytest.mark.parametrize("targets", [30, 36, 42, 48, pytest.param(52, marks=pytest.mark.slow)])
@pytest.mark.parametrize("shift", [0.0, 0.3, 0.7, 1.1])
def test_tilted_p_agrees_with_exact_p_within_documented_error(targets: int, shift: float) -> None:
    for seed, size in enumerate((targets // 2, targets // 2, targets // 3)):
        x, y = shifted(targets, size, shift, seed)
        exact = permutation_p(x, y, method="exact")
        tilted = permutation_p(x, y, method="tilted")
        assert exact.count is not None
        assert tilted.low <= exact.value <= tilted.high
        if exact.count > 10_000:
            assert tilted.value == pytest.approx(exact.value, rel=1e-3)
        if exact.count > 10_000_000:
            assert tilted.value == pytest.approx(exact.value, rel=1e-4)


@pytest.mark.slow
def test_bounds_of_tilted_p_hold_for_few_targets_and_fine_steps() -> None:
    rng = np.random.default_rng(9)
    for _ in range(30):
        targets = int(rng.integers(4, 28))
        size = int(rng.integers(1, targets))
        x, y = shifted(targets, size, rng.choice([0, 0.5, 1.5]), int(rng.integers(1 << 30)))
        if rng.random() < 0.3:
            # A common step, too fine for the integral to be exact.
            x, y = np.round(x, 6), np.round(y, 6)
        exact = permutation_p(x, y, method="exact").value
        tilted = permutation_p(x, y, method="tilted")
        assert tilted.low <= exact <= tilted.high


@pytest.mark.parametrize(("targets", "size"), [(26, 13), (40, 20), (40, 9), (45, 30)])
@pytest.mark.parametrize("shift", [-0.3, 0.0, 0.8])
def test_exact_p_lies_within_bracket_bounds(targets: int, size: int, shift: float) -> None:
    x, y = shifted(targets, size, shift, 11)
    exact = permutation_p(x, y, method="exact").value
    for budget in (100_000, 10_000_000):
        value, low, high = bracket_shares(build_tail(x, y), budget=budget)
        assert low <= exact <= high
        assert low <= value <= high


@pytest.mark.parametrize(("targets", "size"), [(60, 30), (64, 32), (90, 20), (110, 70), (130, 65)])
@pytest.mark.parametrize("shift", [0.0, 0.4, 1.0, 1.8])
def test_tilted_p_lies_within_bracket_bounds(targets: int, size: int, shift: float) -> None:
    x, y = shifted(targets, size, shift, 12)
    tilted = permutation_p(x, y, method="tilted")
    bracket = permutation_p(x, y, method="bracket")
    assert bracket.low <= tilted.value <= bracket.high
    assert bracket.high / bracket.low < 1.04


def test_larger_budget_narrows_the_bracket() -> None:
    tail = build_tail(*shifted(64, 32, 0.5, 1))
    widths = []
    for budget in (10**6, 10**7, 10**8):
        _, low, high = bracket_shares(tail, budget=budget)
        widths.append(high - low)
    assert widths[0] > widths[1] > widths[2]


def test_p_of_700_targets_is_accurate_to_six_digits() -> None:
    x, y = shifted(700, 350, 1.2, 0)
    tilted = permutation_p(x, y)
    bracket = permutation_p(x, y, method="bracket")
    assert tilted.method == "tilted"
    assert tilted.value < 1e-30
    assert bracket.low <= tilted.value <= bracket.high
    assert tilted.high / tilted.low < 1 + 1e-6


def test_fifty_targets_are_counted_with_any_number_of_threads() -> None:
    tail = build_tail(*shifted(50, 25, 0.5, 3))
    count = count_exact(tail)
    assert count == count_exact(tail, workers=1)
    assert count / tail.partitions == pytest.approx(bracket_shares(tail)[0], rel=1e-3)


def test_tail_and_complement_add_up_to_all_partitions() -> None:
    rng = np.random.default_rng(6)
    for targets, size in ((20, 7), (33, 16), (41, 12)):
        values = np.sort(rng.integers(-(2**43), 2**43, targets))[::-1].copy()
        threshold = int(values.sum()) * size // targets + int(rng.integers(-(2**43), 2**43))
        tail = Tail(values, size, threshold, 0, 1)
        assert count_exact(tail) + count_exact(tail.complement()) == tail.partitions
