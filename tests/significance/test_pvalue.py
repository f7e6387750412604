"""The record of a p-value, the integer grid under it, and what importing it costs."""

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
from weatherglass.significance.tail import as_multiples, on_grid, tail_of

SOURCE = Path(__file__).parents[2] / "src"


@given(st.floats(0, 1))
def test_a_p_value_is_never_written_as_zero_or_as_one_when_it_is_not(p: float) -> None:
    text = format_p(p)
    assert len(text) <= 9
    assert float(text.lstrip("<>")) > 0
    assert (text == "1") == (p == 1)
    if text[0] not in "<>":
        assert float(text) == pytest.approx(p, rel=0.051)


def test_a_count_becomes_the_nearest_float_and_a_fraction() -> None:
    p = PValue.from_count(3, math.comb(700, 350))
    assert p.fraction == f"3/{math.comb(700, 350)}"
    assert p.value == p.low == p.high == 3 / math.comb(700, 350)
    assert PValue(0.5, 0.4, 0.6, "tilted").fraction is None
    assert PValue.from_count(1, math.comb(3000, 1500)).value > 0


def test_json_keeps_everything() -> None:
    p = PValue.from_count(12, 924, "less")
    assert PValue(**json.loads(json.dumps(p.to_dict()))) == p


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        PValue(0.5, 0.4, 0.6, "tilted").value = 0.1  # type: ignore[misc]


@given(
    st.lists(st.integers(-1000, 1000), min_size=2, max_size=40),
    st.sampled_from([1.0, 0.1, 1e-3, 1 / 3, math.sqrt(2), 1e-30]),
    st.floats(-10, 10),
)
def test_multiples_of_a_step_are_found(whole: list[int], step: float, start: float) -> None:
    found = as_multiples(on_grid((np.array(whole) + round(start)) * step))
    assert found is not None
    above = np.array(whole) - min(whole)
    np.testing.assert_array_equal(found, above // max(1, np.gcd.reduce(above)))


def test_associations_without_a_step_have_none() -> None:
    rng = np.random.default_rng(0)
    for targets in range(4, 60):
        a = rng.normal(size=targets)
        assert as_multiples(on_grid(a)) is None
        assert tail_of(a[:2], a[2:]).allowance == 2


def test_importing_brings_in_neither_scipy_nor_numba() -> None:
    code = (
        "import sys, weatherglass.significance;"
        "print([m for m in ('scipy', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(SOURCE)},
    )
    assert done.stdout.strip() == "[]"
