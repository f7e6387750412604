"""Krippendorff's alpha: the published example, another implementation, and its interval."""

from __future__ import annotations

import numpy as np
import pytest

from weatherglass.crowd import alpha_over_workers, krippendorff_alpha

# Values of PyPI `krippendorff` 0.9.0 for the tables of `make_table`, in this order from seed 11.
CHECKED = {
    (3, 8, 4, 0.0): (0.44976076555023925, 0.7487490149724192, 0.7673830594184576),
    (6, 15, 5, 0.3): (0.24457605985037412, 0.06532913266411489, 0.061587708066581315),
    (13, 20, 7, 0.2): (0.3114142160482476, 0.3509930880793023, 0.3465660086944068),
    (20, 30, 12, 0.5): (0.3505350158903272, 0.42038488868034307, 0.4153190484359124),
    (2, 6, 3, 0.0): (0.7179487179487181, 0.8666666666666667, 0.7843137254901961),
}
LEVELS = ("nominal", "ordinal", "interval")


def make_table(rng, workers, items, values, missing):
    """A table of answers that agree in part; NaN where there is none."""
    table = rng.integers(values, size=(workers, items)).astype(float)
    base = rng.integers(values, size=items)
    table = np.where(rng.random(table.shape) < 0.6, base, table)
    table[rng.random(table.shape) < missing] = np.nan
    return table


def to_codes(table):
    return np.where(np.isnan(table), -1, table).astype(int)


def test_alpha_equals_the_values_of_another_implementation():
    rng = np.random.default_rng(11)
    for shape, expected in CHECKED.items():
        codes = to_codes(make_table(rng, *shape))
        for level, value in zip(LEVELS, expected, strict=True):
            assert krippendorff_alpha(codes, level) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_equals_that_of_the_package_krippendorff(level):
    package = pytest.importorskip("krippendorff", reason="compares with PyPI krippendorff")
    rng = np.random.default_rng(5)
    for workers, items, values, missing in [(4, 9, 3, 0.1), (9, 40, 7, 0.4), (30, 25, 12, 0.7)]:
        table = make_table(rng, workers, items, values, missing)
        expected = package.alpha(reliability_data=table, level_of_measurement=level)
        assert krippendorff_alpha(to_codes(table), level) == pytest.approx(expected, abs=1e-9)


def test_alpha_of_the_published_example():
    """Krippendorff (2011), Computing Krippendorff's alpha-reliability, section C: 0.743, 0.815."""
    observers = [
        "1 2 3 3 2 1 4 1 2 . . .",
        "1 2 3 3 2 2 4 1 2 5 . 3",
        ". 3 3 3 2 3 4 2 2 5 1 .",
        "1 2 3 3 2 4 4 1 2 5 1 .",
    ]
    codes = [[-1 if a == "." else int(a) - 1 for a in row.split()] for row in observers]
    assert krippendorff_alpha(codes, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(codes, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(codes, "interval") == pytest.approx(0.849, abs=5e-4)


def test_alpha_is_one_for_perfect_agreement_and_undefined_for_one_value():
    assert krippendorff_alpha([[0, 1, 2]] * 3, "ordinal") == 1.0
    assert np.isnan(krippendorff_alpha([[1, 1], [1, 1]], "nominal"))
    assert np.isnan(krippendorff_alpha([[0, -1], [-1, 1]], "nominal"))
    assert alpha_over_workers([[1, 1]] * 2, "nominal", np.random.default_rng(0)).value is None


def test_alpha_does_not_depend_on_the_order_of_workers_or_of_nominal_values():
    rng = np.random.default_rng(2)
    codes = to_codes(make_table(rng, 7, 20, 4, 0.2))
    value = krippendorff_alpha(codes, "nominal")
    assert krippendorff_alpha(codes[rng.permutation(7)], "nominal") == pytest.approx(value)
    renamed = np.where(codes >= 0, (codes + 1) % 4, codes)
    assert krippendorff_alpha(renamed, "nominal") == pytest.approx(value)


def test_copies_of_a_worker_do_not_agree_with_themselves():
    rng = np.random.default_rng(4)
    codes = rng.integers(4, size=(6, 200))
    twice = krippendorff_alpha(codes, "nominal", np.full(6, 2))
    assert twice == pytest.approx(krippendorff_alpha(codes, "nominal"), abs=0.01)
    naive = krippendorff_alpha(np.repeat(codes, 2, axis=0), "nominal")
    assert naive > 0.05  # what pairs of copies would add


def test_the_interval_of_alpha_contains_it_and_shrinks_with_more_workers():
    rng = np.random.default_rng(6)
    widths = []
    for workers in (8, 80):
        shares = rng.uniform(0.2, 0.9, size=(workers, 1))
        base = rng.integers(5, size=30)
        guesses = rng.integers(5, size=(workers, 30))
        codes = np.where(rng.random((workers, 30)) < shares, base, guesses)
        alpha = alpha_over_workers(codes, "nominal", rng, 400)
        assert alpha.low < alpha.value < alpha.high
        widths.append(alpha.high - alpha.low)
    assert widths[1] < widths[0] / 2
