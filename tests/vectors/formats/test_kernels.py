"""The compiled parser reads a number as numpy's float32 of its text, in any notation."""

from __future__ import annotations

import math
import warnings
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from weatherglass.vectors import open_vectors
from weatherglass.vectors.formats.text import LineError, parse_line


def float32_of(text):
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        return np.float32(float(text))


def as_decimal(value):
    """All digits, without an exponent."""
    return format(Decimal(value), "f")


_doubles = st.floats(allow_nan=False, allow_infinity=False)
_singles = st.floats(allow_nan=False, allow_infinity=False, width=32)


@st.composite
def _midpoints(draw):
    """Exactly between two float32s, or a hair beside it: the hardest to round."""
    low = np.float32(draw(_singles))
    with np.errstate(all="ignore"):
        high = np.nextafter(low, np.float32(np.inf))
    if not np.isfinite(high):
        high = low
    middle = (Decimal(float(low)) + Decimal(float(high))) / 2
    digits = as_decimal(middle)
    beside = draw(st.sampled_from(["", "0", "000000000000000000001", "49999999999999999999"]))
    return digits + ("." if "." not in digits else "") + beside


@st.composite
def _random_notations(draw):
    """Digits and exponents put together at random."""
    sign = draw(st.sampled_from(["", "-", "+"]))
    whole = draw(st.text("0123456789", max_size=25))
    part = draw(st.text("0123456789", min_size=0 if whole else 1, max_size=30))
    zeros = "0" * draw(st.sampled_from([0, 0, 1, 20, 300]))
    point = draw(st.sampled_from([".", "." + zeros])) if part or draw(st.booleans()) else ""
    power = draw(st.sampled_from(["", "e", "E", "e+", "e-", "e-0", "E+00"]))
    if power:
        power += str(draw(st.integers(0, 60) | st.sampled_from([270, 271, 308, 400, 99999])))
    return f"{sign}{zeros if not draw(st.booleans()) else ''}{whole}{point}{part}{power}"


_texts = st.one_of(
    _doubles.map(repr),
    _doubles.map("{:.18e}".format),
    _doubles.map("{:.30f}".format),
    st.floats(-2, 2).map("{:.6f}".format),
    st.floats(-2, 2).map("{:.5g}".format),
    _doubles.map(as_decimal),
    _singles.map(lambda x: str(np.float32(x))),
    _singles.map(as_decimal),
    st.integers(-(10**25), 10**25).map(str),
    _midpoints(),
    _random_notations(),
)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(_texts, min_size=8, max_size=8))
@example(["16777217", "16777217.0000000000000000000001", "9007199254740993", "1e-45"] * 2)
@example(["0.7e-45", "0.70064923216240853546e-45", "3.4028235677973366e38", "1e39"] * 2)
@example(["0." + "0" * 10000 + "1e10001", "1" + "0" * 10000 + "e-10000", "1e9999999999", "-0"] * 2)
@example(["0." + "0" * 400 + "5e400", "1e-99999", "5.", ".5"] * 2)
def test_numbers_in_text_are_rounded_as_numpy_does(folder, texts):
    (folder / "numbers.txt").write_text(
        "8 1\n" + "".join(f"w{i} {t}\n" for i, t in enumerate(texts))
    )
    (folder / "numbers.vec").write_text("1 8\nw " + " ".join(texts) + "\n")
    expected = np.array([float32_of(text) for text in texts], dtype=np.float32)
    in_rows = open_vectors(folder / "numbers.txt").matrix.ravel()
    in_one_row = open_vectors(folder / "numbers.vec").matrix.ravel()
    searched = open_vectors(folder / "numbers.vec", words=["w"]).matrix.ravel()
    for numbers in (in_rows, in_one_row, searched):
        wrong = [
            t
            for t, a, b in zip(texts, numbers, expected, strict=True)
            if a.tobytes() != b.tobytes()
        ]
        assert not wrong


def test_random_numbers_in_usual_notation_are_exact(tmp_path):
    rng = np.random.default_rng(5)
    values = rng.standard_normal(20_000) * 10.0 ** rng.integers(-12, 4, 20_000)
    for form in ("{:.6f}", "{:.5g}", "{!r}", "{:.9e}", "{:.17g}"):
        texts = [form.format(float(x)) for x in values]
        body = "\n".join(f"w{i} {' '.join(texts[i : i + 10])}" for i in range(0, 20_000, 10))
        (tmp_path / "numbers.txt").write_text(body)
        expected = np.array([float(t) for t in texts]).astype(np.float32)
        found = open_vectors(tmp_path / "numbers.txt").matrix.ravel()
        np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("line", [b"w 1 2 x", b"w 1 2", b"w", b"", b"w 0.5 1 2 3", b"w 1 2 1.2.3"])
def test_an_invalid_line_is_refused(line):
    with pytest.raises(LineError):
        parse_line(line, 3)


def test_decimals_are_never_part_of_a_word():
    assert parse_line(b"apollo 11 1 2", 2)[0] == b"apollo 11"
    with pytest.raises(LineError, match="has 3 numbers, expected 2"):
        parse_line(b"apollo 0.11 1 2", 2)


def test_a_line_that_begins_with_a_space_has_the_empty_word():
    word, row = parse_line(b" 1 2", 2)
    assert word == b""
    assert row.tolist() == [1, 2]
    assert math.isinf(parse_line(b"x inf", 1)[1][0])
