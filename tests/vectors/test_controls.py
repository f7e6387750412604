"""Anisotropy controls and their combinations: mean, main axes, whitening."""

from __future__ import annotations

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import (
    Vectors,
    control,
    control_phrase,
    controlled_fingerprint,
    fit_control,
    parse_control,
    parse_controls,
    parse_single_control,
)

NAMES = ["center", "top:1", "top:3", "whiten", "frequency", "frequency+top:2"]
COUNT, DIM = 2500, 12


def names(count):
    return [f"w{i}" for i in range(count)]


def anisotropic(seed=0, common=3.0):
    """Return vectors that share a mean, and one axis with a large variance."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((COUNT, DIM))
    axis = np.linalg.qr(rng.standard_normal((DIM, 2)))[0].T
    rows += 2 * axis[0] + common * rng.standard_normal((COUNT, 1)) * axis[1]
    return rows, axis


def of(rows, **more):
    return Vectors.of(names(len(rows)), rows, **more)


def units(rows):
    rows = np.asarray(rows, dtype=np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_anisotropy_controls_equal_their_formulas():
    vectors = of(anisotropic()[0])
    rows = units(vectors.matrix)
    centred = rows - rows.mean(axis=0)
    variances, axes = np.linalg.eigh(np.cov(rows.T, ddof=0))
    top = axes[:, -3:]
    expected = {
        "center": centred,
        "top:3": centred - centred @ top @ top.T,
        "whiten": centred @ axes / np.sqrt(variances) @ axes.T,
    }
    for name, rows in expected.items():
        controlled, record = control(vectors, name)
        assert (record.method, record.asked, record.r2_before) == (name, name, None)
        np.testing.assert_allclose(controlled.matrix, units(rows), atol=1e-5)


def test_mean_and_axes_are_those_of_the_60000_most_frequent_words():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((61_000, 3))
    rows[60_000:] += 50  # rare words that would move the mean
    vectors = of(rows)
    expected = units(vectors.matrix) - units(vectors.matrix[:60_000]).mean(axis=0)
    np.testing.assert_allclose(control(vectors, "center")[0].matrix, units(expected), atol=1e-5)


def test_a_direction_that_all_words_share_is_removed_by_top():
    rows, axis = anisotropic()
    controlled = control(of(rows), "top:1")[0].matrix
    assert np.abs(units(rows) @ axis[1]).mean() > 0.4
    assert np.abs(controlled @ axis[1]).max() < 0.2


@pytest.mark.parametrize("name", NAMES)
def test_controls_turn_with_the_whole_space(name):
    rows, _ = anisotropic()
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((DIM, DIM)))[0]
    controlled = control(of(rows), name)[0]
    turned = control(of(rows @ turn), name)[0]
    np.testing.assert_allclose(turned.matrix, controlled.matrix @ turn, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_controls_do_not_depend_on_the_number_of_threads(name):
    vectors = of(np.random.default_rng(0).standard_normal((20_000, 6)) + 1)
    (single, first), (many, second) = (control(vectors, name, workers=k) for k in (1, 4))
    assert first == second
    assert single.matrix.tobytes() == many.matrix.tobytes()


def test_a_combination_is_the_second_control_of_the_first_one():
    vectors = of(anisotropic()[0])
    one_by_one = control(control(vectors, "frequency")[0], "top:2")[0]
    together, record = control(vectors, "frequency+top:2")
    np.testing.assert_allclose(together.matrix, one_by_one.matrix, atol=1e-5)
    assert record.method == "frequency+top:2"
    assert record.r2_after is not None


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_some_words_equal_those_of_all(name):
    fitted = fit_control(of(anisotropic()[0]), name)
    part, whole = fitted.subset(["w7", "w2000", "nosuchword"]), fitted.whole()
    assert list(part.words) == ["w7", "w2000"]
    assert part.part
    assert part.fingerprint == whole.fingerprint
    np.testing.assert_allclose(part.matrix, whole.matrix[[7, 2000]], rtol=1e-10)


def test_whitening_does_not_blow_up_axes_without_variance():
    rows, _ = anisotropic()
    flat = np.hstack([rows, 1e-6 * np.random.default_rng(1).standard_normal((COUNT, 2))])
    controlled = control(of(flat), "whiten")[0].matrix
    assert np.abs(controlled[:, -2:]).max() < 0.01


@pytest.mark.parametrize("name", NAMES)
def test_a_control_is_refused_for_some_words_and_for_few(name):
    vectors = of(anisotropic()[0])
    with pytest.raises(CannotMeasure, match="only some of its words were opened"):
        control(vectors.subset(names(1500)), name)
    few = of(anisotropic()[0][:999])
    with pytest.raises(CannotMeasure, match=r"999 usable words.*1,000 are needed"):
        control(few, name)
    fitted = fit_control(few, name, strict=False)
    assert fitted.control.method == "none"
    assert "999 usable words" in fitted.control.reason
    assert fitted.whole() is few


def test_more_components_than_dimensions_are_refused():
    with pytest.raises(CannotMeasure, match="top:12 leaves nothing of 12 dimensions"):
        control(of(anisotropic()[0]), f"top:{DIM}")


def test_each_control_has_a_fingerprint_of_its_own():
    vectors = of(anisotropic()[0])
    prints = {name: controlled_fingerprint(vectors.fingerprint, name) for name in NAMES}
    assert len({vectors.fingerprint, *prints.values()}) == len(NAMES) + 1
    assert control(vectors, "top:3")[0].fingerprint == prints["top:3"]


def test_names_of_controls_are_checked():
    assert parse_controls(["frequency,top:2", "none", "top:02"]) == ("frequency", "top:2")
    assert parse_controls("none") == ()
    assert parse_single_control(("frequency + center",)) == "frequency+center"
    for wrong in ("rank", "top", "top:0", "top:-1", "top:x", "", "auto+top:1", "frequency+"):
        with pytest.raises(UsageError, match="expected frequency, center, top:K, whiten"):
            parse_control(wrong)
    with pytest.raises(UsageError, match=r"one control.*frequency\+top:2"):
        parse_single_control("frequency,top:2")
    assert control_phrase("frequency+whiten") == "without frequency, whitened"
    assert control_phrase("top:1") == "without the top component"


@pytest.mark.slow
def test_all_but_the_top_on_the_default_vectors_weakens_only_tests_of_names():
    """Effects without the mean and two components, by an independent computation."""
    vectors = wg.open_vectors("default")
    fitted = fit_control(vectors, "top:2")
    expected = {
        "weat1": (1.10, 9.9e-6),
        "weat3": (0.47, 0.029),
        "weat4": (0.39, 0.14),
        "weat5": (0.42, 0.12),
        "weat7": (1.47, 4.7e-4),
        "weat9": (0.81, 0.087),
        "weat10": (1.04, 0.011),
    }
    for id, (effect, p) in expected.items():
        (value,) = wg.weat(vectors, id, control=fitted).controls
        assert value.effect == pytest.approx(effect, abs=0.006), id
        assert value.p == pytest.approx(p, rel=0.05), id
