from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import sign_flip_p


def brute_force(integers: list[int], alternative: str) -> int:
    """Count sign vectors in integers, where ties are exact."""
    total = sum(integers)
    count = 0
    for signs in product((-1, 1), repeat=len(integers)):
        flipped = sum(s * v for s, v in zip(signs, integers, strict=True))
        count += {
            "two-sided": abs(flipped) >= abs(total),
            "greater": flipped >= total,
            "less": flipped <= total,
        }[alternative]
    return count


@given(
    st.lists(st.integers(-12, 12), min_size=1, max_size=8),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.sampled_from([1.0, 0.1, 1 / 3, 1e-200, 1e200]),
)
def test_sign_flip_p_equals_brute_force_with_ties(integers, alternative, unit):
    p = sign_flip_p([unit * value for value in integers], alternative=alternative)
    assert p.method == "exact"
    assert p.fraction == f"{brute_force(integers, alternative)}/{2 ** len(integers)}"


@pytest.mark.parametrize("n", [1, 2, 13, 14])
def test_sign_flip_p_of_any_numbers_equals_brute_force(n):
    values = np.random.default_rng(n).normal(0.2, 1, n)
    signs = np.array(list(product((-1, 1), repeat=n)))
    count = int((np.abs(signs @ values) >= abs(values.sum()) - 1e-9).sum())
    assert sign_flip_p(values).fraction == f"{count}/{2**n}"


def test_counting_in_parts_gives_the_count_of_whole_lists(monkeypatch):
    values = np.random.default_rng(0).normal(0.1, 1, 24)
    whole = sign_flip_p(values).fraction
    monkeypatch.setattr("weatherglass.significance.sign_flip._MAX_HALF", 10)
    assert sign_flip_p(values, workers=2).fraction == whole


def test_p_is_the_same_for_negated_and_scaled_differences():
    values = np.random.default_rng(1).normal(0.3, 1, 20)
    p = sign_flip_p(values).fraction
    assert sign_flip_p(-values).fraction == sign_flip_p(7.3 * values).fraction == p


def test_differences_of_zero_change_no_p_value():
    values = [0.5, 0.25, -0.125, 1.0]
    assert sign_flip_p([*values, 0.0, 0.0, 0.0]).value == sign_flip_p(values).value


def test_no_difference_at_all_has_p_1():
    assert sign_flip_p([0.0] * 60).value == 1.0
    assert sign_flip_p([0.0] * 60, method="sample").value == 1.0


def test_the_smallest_p_of_n_differences_is_two_sign_vectors():
    assert sign_flip_p([0.1, 0.2, 0.3, 0.4, 0.5]).fraction == "2/32"
    assert sign_flip_p(-np.arange(1, 6), alternative="less").fraction == "1/32"


def test_sampled_p_agrees_with_exact_p_and_is_never_below_one_in_a_hundred_thousand():
    values = np.random.default_rng(2).normal(0.3, 1, 30)
    exact, sampled = sign_flip_p(values), sign_flip_p(values, method="sample")
    assert sampled.low <= exact.value <= sampled.high
    assert sign_flip_p(np.arange(1, 71)).value == 1e-5
    assert sign_flip_p(np.arange(1, 71)).method == "sample"


def test_sampled_p_depends_only_on_the_seed():
    values = np.random.default_rng(3).normal(0.1, 1, 60)
    assert sign_flip_p(values, rng=5) == sign_flip_p(values, rng=5)
    assert sign_flip_p(values, rng=5) != sign_flip_p(values, rng=6)


def test_an_observed_sum_of_its_own_is_compared_with_the_sign_vectors():
    # Sums of ±1 ±2 ±4: 7, 5, 3, 1 and the same below zero.
    for observed, count in ((0.0, 8), (1.0, 8), (1.5, 6), (4.0, 4), (7.0, 2), (-4.0, 4)):
        assert sign_flip_p([1.0, 2.0, 4.0], observed=observed).fraction == f"{count}/8"


def test_a_sign_flip_test_refuses_what_it_cannot_count():
    with pytest.raises(CannotMeasure, match="at least one"):
        sign_flip_p([])
    with pytest.raises(CannotMeasure, match="finite"):
        sign_flip_p([1.0, np.nan])
    with pytest.raises(CannotMeasure, match="use auto or sample"):
        sign_flip_p(np.arange(1, 80), method="exact")
    with pytest.raises(UsageError, match="method"):
        sign_flip_p([1.0], method="guess")
    with pytest.raises(UsageError, match="list of numbers"):
        sign_flip_p([[1.0]])
