"""The rotation p-value compared with sampled rotations, geometry and the t-test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group, t

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import rotation_p


@pytest.mark.parametrize("d", [2, 3, 10])
def test_rotation_p_is_the_share_of_random_rotations(d: int) -> None:
    rng = np.random.default_rng(d)
    u, v = rng.normal(size=d), rng.normal(size=d)
    rotations = ortho_group.rvs(d, size=4000, random_state=rng)
    share = float((rotations @ u @ v >= u @ v).mean())
    assert rotation_p(u, v).value == pytest.approx(share, abs=4 * 0.5 / math.sqrt(4000))


@pytest.mark.parametrize(("d", "share"), [(50, 0.0543), (300, 0.0090), (768, 0.0035), (4096, 7e-4)])
def test_a_rotation_p_of_5_percent_is_a_small_share_in_many_dimensions(d, share) -> None:
    direction = np.zeros(d)
    direction[:2] = math.sqrt(share), math.sqrt(1 - share)
    assert rotation_p(np.eye(1, d)[0], direction).value == pytest.approx(0.05, rel=0.1)


@given(st.floats(1e-100, math.pi))
def test_rotation_p_in_two_dimensions_is_the_angle_over_pi(angle: float) -> None:
    p = rotation_p([2.0, 0.0], [math.cos(angle), math.sin(angle)]).value
    assert p == pytest.approx(angle / math.pi, rel=1e-9)


@given(st.floats(-1, 1))
def test_rotation_p_in_three_dimensions_is_the_area_of_the_cap(c: float) -> None:
    p = rotation_p([0.0, 0.0, 1.0], [math.sqrt(1 - c * c), 0.0, c]).value
    assert p == pytest.approx((1 - c) / 2, rel=1e-7, abs=1e-15)


@given(st.integers(2, 400), st.floats(-0.999, 0.999))
def test_rotation_p_equals_the_t_test_of_a_correlation(d: int, c: float) -> None:
    u, v = np.zeros(d), np.zeros(d)
    u[0], v[0], v[1] = 1, c, math.sqrt(1 - c * c)
    student = t.sf(c * math.sqrt((d - 1) / (1 - c * c)), d - 1)
    assert rotation_p(u, v).value == pytest.approx(student, rel=1e-9)


@given(st.integers(1, 8), st.integers(0, 1000))
@settings(max_examples=50)
def test_rotation_p_of_alternatives_is_consistent_and_ignores_scale(d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    u, v = rng.normal(size=d), rng.normal(size=d)
    greater, less = rotation_p(u, v), rotation_p(u, v, alternative="less")
    assert rotation_p(u, -v).value == pytest.approx(less.value)
    assert rotation_p(u * 1e-200, v * 1e200).value == pytest.approx(greater.value)
    if d > 1:
        assert greater.value + less.value == pytest.approx(1)
    both = rotation_p(u, v, alternative="two-sided").value
    assert both == pytest.approx(min(1, 2 * min(greater.value, less.value)))


def test_rotation_p_keeps_its_digits_in_the_far_tail() -> None:
    """Three dimensions, a ten-millionth of a radian: the cap's area is (1 - cos) / 2."""
    p = rotation_p([1.0, 0.0, 0.0], [1.0, 1e-7, 0.0]).value
    assert p == pytest.approx(0.25e-14, rel=1e-9)
    assert rotation_p(np.ones(300), np.ones(300)).value > 0


def test_rotation_p_in_one_dimension_is_a_half_or_one() -> None:
    assert rotation_p([2.0], [3.0]).value == 0.5
    assert rotation_p([2.0], [-3.0]).value == 1.0
    assert rotation_p([2.0], [-3.0], alternative="less").value == 0.5


def test_rotation_p_of_orthogonal_directions_is_a_half() -> None:
    for alternative in ("greater", "less"):
        assert rotation_p([1.0, 0.0], [0.0, 1.0], alternative=alternative).value == 0.5


def test_rotation_p_refuses_vectors_without_direction() -> None:
    with pytest.raises(CannotMeasure, match="no direction"):
        rotation_p([0.0, 0.0], [1.0, 0.0])
    with pytest.raises(CannotMeasure, match="finite"):
        rotation_p([1.0, math.nan], [1.0, 0.0])
    with pytest.raises(UsageError, match="2 dimensions and v has 3"):
        rotation_p([1.0, 0.0], [1.0, 0.0, 0.0])
    with pytest.raises(UsageError, match="shape"):
        rotation_p([], [])
