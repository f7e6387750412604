"""The record of a p-value, its integer grid, and the modules that importing it loads."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass.significance import PValue, format_p
from weatherglass.significance.tail import build_tail, round_to_grid, to_multiples

SOURCE = Path(__file__).parents[2] / "src"


@given(st.floats(0, 1))
def test_p_is_printed_as_zero_or_one_only_if_it_is(p: float) -> None:
    text = format_p(p)
    assert len(text) <= 9
    assert float(text.lstrip("<>")) > 0
    assert (text == "1") == (p == 1)
    if text[0] not in "<>":
        assert float(text) == pytest.approx(p, rel=0.051)


def test_p_of_a_count_is_the_nearest_float_with_a_fraction() -> None:
    p = PValue.from_count(3, math.comb(700, 350))
    assert p.fraction == f"3/{math.comb(700, 350)}"
    assert p.value == p.low == p.high == 3 / math.comb(700, 350)
    assert PValue(0.5, 0.4, 0.6, "tilted").fraction is None
    assert PValue.from_count(1, math.comb(3000, 1500)).value > 0


def test_p_round_trips_through_json() -> None:
    p = PValue.from_count(12, 924, "less")
    assert PValue(**json.loads(json.dumps(p.to_dict()))) == p


def test_p_is_immutable() -> None:
    with pytest.raises(AttributeError):
        PValue(0.5, 0.4, 0.6, "tilted").value = 0.1  # type: ignore[misc]


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=40),
    st.sampled_from([1.0, 0.1, 1e-3, 1 / 3, math.sqrt(2), 1e-30]),
    st.floats(-10, 10),
)
def test_multiples_of_a_common_step_are_recognised(
    integers: list[int], step: float, start: float
) -> None:
    multiples = to_multiples(round_to_grid((np.array(integers) + round(start)) * step))
    assert multiples is not None
    above = np.array(integers) - min(integers)
    np.testing.assert_array_equal(multiples, above // max(1, np.gcd.reduce(above)))


def test_random_associations_have_no_common_step() -> None:
    rng = np.random.default_rng(0)
    for targets in range(4, 60):
        a = rng.normal(size=targets)
        assert to_multiples(round_to_grid(a)) is None
        assert build_tail(a[:2], a[2:]).allowance == 2


def test_importing_significance_loads_neither_scipy_nor_numba() -> None:
    code = (
        "import sys, weatherglass.significance;"
        "print([m for m in ('scipy', 'numba') if m in sys.modules])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE)},
    )
    assert process.stdout.strip() == "[]"
