"""Frequency control, checked against its formula written without blocks and threads."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import Vectors, control, fit_control, open_vectors
from weatherglass.vectors.controls import R2_THRESHOLD, controlled_fingerprint


def names(count):
    return [f"w{i}" for i in range(count)]


def planted(count=2000, dim=20, strength=1.0, seed=0):
    """Return random rows, and the same rows with a direction that grows with log rank."""
    rng = np.random.default_rng(seed)
    meaning = rng.standard_normal((count, dim)) / np.sqrt(dim)
    direction = rng.standard_normal(dim)
    direction /= np.linalg.norm(direction)
    log = np.log(np.arange(1, count + 1))
    return meaning, meaning + strength * (log - log.mean())[:, None] * direction


def of(rows, **more):
    return Vectors.of(names(len(rows)), rows, **more)


def units(rows):
    rows = np.asarray(rows, dtype=np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def power(matrix, exponent):
    values, axes = np.linalg.eigh(matrix)
    return axes @ np.diag(values**exponent) @ axes.T


def control_by_formula(vectors, rank):
    """Return the controlled rows, word by word."""
    rows, dim = units(vectors.matrix), vectors.dim
    knots = np.linspace(np.log(50), np.log(rank.max()), 16)
    place = np.clip((np.log(rank) - knots[0]) / (knots[1] - knots[0]), 0, 15)
    means, covariances, sizes = [], [], []
    for k in range(16):
        weight = np.clip(1 - np.abs(place - k) / 1.5, 0, None) / np.maximum(rank, 2 * dim)
        weight /= weight.sum()
        means.append(weight @ rows)
        covariances.append(np.cov(rows.T, aweights=weight, ddof=0))
        sizes.append(1 / (weight**2).sum())
    average = np.mean(covariances, axis=0)
    maps = []
    for covariance, size in zip(covariances, sizes, strict=True):
        share = dim / (size + dim)
        target = average * np.trace(covariance) / np.trace(average)
        maps.append(power((1 - share) * covariance + share * target, -0.5) @ power(average, 0.5))
    mapped = []
    for row, where in zip(rows, place, strict=True):
        k = min(int(where), 14)
        f = where - k
        mean = (1 - f) * means[k] + f * means[k + 1]
        mapped.append((row - mean) @ ((1 - f) * maps[k] + f * maps[k + 1]))
    return units(mapped)


@pytest.fixture(scope="module")
def default():
    return open_vectors("default")


@pytest.mark.slow
def test_out_of_sample_r2_of_the_default_vectors_falls_from_091_to_007(default):
    controlled, outcome = control(default)
    assert (outcome.method, outcome.asked, outcome.by) == ("frequency", "auto", "rank")
    assert outcome.r2_before == max(outcome.predictors_before.values())
    assert outcome.r2_before == pytest.approx(0.905, abs=0.01)
    after = outcome.predictors_after
    assert outcome.r2_after == after["neighbours"] == pytest.approx(0.073, abs=0.01)
    assert after["trees"] < 0.05
    assert after["linear"] < 0.02
    np.testing.assert_allclose(np.linalg.norm(controlled.matrix, axis=1), 1, atol=1e-6)


@pytest.mark.slow
def test_a_quadratic_fit_does_not_predict_frequency_after_the_control(default):
    """The mean at each frequency alone left it an R² of 0.27 to 0.34."""
    from sklearn.linear_model import LinearRegression

    fitted = fit_control(default, "frequency")
    rng = np.random.default_rng(0)
    sample = rng.choice(60_000, 9000, replace=False)
    rows, log = fitted.rows(sample), np.log(sample + 1)
    first, second = np.triu_indices(default.dim)
    terms = np.hstack([rows, rows[:, first] * rows[:, second]])
    fit = LinearRegression().fit(terms[:7000], log[:7000])
    assert fit.score(terms[7000:], log[7000:]) < 0.05


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("dim", [3, 40])
def test_frequency_control_equals_the_formula_described_in_the_notes(dim, counted):
    rng = np.random.default_rng(dim)
    _, rows = planted(1500, dim)
    counts = rng.zipf(1.6, 1500).clip(max=10**6) if counted else None
    vectors = of(rows, counts=counts)
    controlled, outcome = control(vectors, "frequency")
    log = np.log(counts) if counted else -np.log(np.arange(1.0, 1501))
    rank = np.array([(log > value).sum() + ((log == value).sum() + 1) / 2 for value in log])
    assert outcome.by == ("counts" if counted else "rank")
    np.testing.assert_allclose(controlled.matrix, control_by_formula(vectors, rank), atol=1e-5)


def test_spread_that_grows_with_frequency_is_removed():
    """A frequency that is only in the covariance, which no linear fit can see."""
    rng = np.random.default_rng(0)
    log = np.log(np.arange(1, 6001))
    rows = rng.standard_normal((6000, 10))
    rows[:, :3] *= np.exp((log - log.mean()) / 2)[:, None]
    _, outcome = control(of(rows), "frequency")
    assert outcome.predictors_before["linear"] < 0.05
    assert outcome.r2_before > 0.3
    assert outcome.r2_after < 0.1


# With the fewest words that are allowed for 300 dimensions, some frequency remains.
@pytest.mark.parametrize(
    ("count", "dim", "max_r2"),
    [(2000, 20, 0.1), pytest.param(6000, 300, 0.2, marks=pytest.mark.slow)],
)
def test_a_planted_frequency_direction_is_removed_and_meaning_stays(count, dim, max_r2):
    meaning, rows = planted(count, dim)
    controlled, outcome = control(of(rows))
    assert outcome.method == "frequency"
    assert outcome.r2_before > 0.7
    assert outcome.r2_after < max_r2
    pairs = np.random.default_rng(1).integers(count, size=(2, 5000))
    cosines = [
        np.einsum("ij,ij->i", units(table)[pairs[0]], units(table)[pairs[1]])
        for table in (meaning, rows, controlled.matrix)
    ]
    assert np.corrcoef(cosines[0], cosines[1])[0, 1] < 0.5
    assert np.corrcoef(cosines[0], cosines[2])[0, 1] > 0.85


def test_vectors_unrelated_to_frequency_are_unchanged():
    vectors = of(np.random.default_rng(0).standard_normal((5000, 50)))
    controlled, outcome = control(vectors)
    assert controlled is vectors
    assert (outcome.method, outcome.r2_after, outcome.threshold) == ("none", None, R2_THRESHOLD)
    assert outcome.r2_before < 0.02


def test_method_none_only_computes_r2():
    vectors = of(planted()[1])
    same, outcome = control(vectors, "none")
    assert same is vectors
    assert (outcome.method, outcome.asked, outcome.r2_after) == ("none", "none", None)
    assert outcome.r2_before == control(vectors, "frequency")[1].r2_before > 0.7


@pytest.mark.slow
@settings(max_examples=5)
@given(st.integers(0, 2**32 - 1))
def test_frequency_control_ignores_rotation_and_the_length_of_rows(seed):
    rng = np.random.default_rng(seed)
    rows = planted(1200, 6, seed=seed)[1]
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    stretch = 10.0 ** rng.integers(-20, 20, (len(rows), 1))
    controlled, outcome = control(of(rows), "frequency")
    turned, second = control(of(stretch * rows @ turn), "frequency")
    np.testing.assert_allclose(turned.matrix, controlled.matrix @ turn, atol=2e-4)
    assert second.predictors_after["neighbours"] == pytest.approx(
        outcome.predictors_after["neighbours"], abs=1e-3
    )


def test_frequency_control_does_not_depend_on_the_number_of_threads():
    vectors = of(planted(20_000, 8)[1])
    single, first = control(vectors, workers=1)
    many, second = control(vectors, workers=5)
    assert first == second
    assert single.matrix.tobytes() == many.matrix.tobytes()


def test_frequency_control_returns_unit_vectors_of_the_same_words():
    rows = planted()[1].astype(np.float32)
    before = rows.tobytes()
    vectors = of(rows, source="mine", counts=np.arange(2000, 0, -1))
    controlled, _ = control(vectors, "frequency")
    assert vectors.matrix.tobytes() == before
    assert controlled.matrix.dtype == np.float32
    assert not controlled.matrix.flags.writeable
    np.testing.assert_allclose(np.linalg.norm(controlled.matrix, axis=1), 1, atol=1e-6)
    assert list(controlled.words) == list(vectors.words)
    assert controlled.source == "mine"
    assert controlled.counts is vectors.counts
    assert (
        controlled.fingerprint
        == controlled_fingerprint(vectors.fingerprint, "frequency")
        != vectors.fingerprint
    )


@pytest.mark.slow
def test_frequency_control_needs_little_more_memory_than_its_result():
    control(of(planted()[1]), "frequency")  # so that imports are not counted
    vectors = of(planted(60_000, 100)[1])
    tracemalloc.start()
    try:
        controlled, _ = control(vectors, "frequency", workers=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert controlled.matrix.nbytes <= peak < controlled.matrix.nbytes + (64 << 20)


def test_progress_of_frequency_control_grows_to_the_number_of_rows():
    reports = []
    control(of(planted(20_000, 4)[1]), progress=lambda done, total: reports.append((done, total)))
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert reports[-1] == (20_000, 20_000)


def test_frequency_control_refuses_a_part_of_the_vocabulary(default, tmp_path, save):
    vectors = of(planted()[1])
    path = save(vectors, tmp_path / "whole.npz")
    words = names(1500)
    for part in (vectors.subset(words), open_vectors(path, words=words)):
        assert part.part
        for method in ("frequency", "auto"):
            with pytest.raises(CannotMeasure, match="only some of its words were opened"):
                control(part, method)
        same, outcome = control(part, "none")
        assert same is part
        assert outcome.r2_before is None
    assert not open_vectors(path).part
    complete = control(default, "frequency")[0]
    np.testing.assert_array_equal(
        complete.subset(["nurse"]).matrix[0], complete.matrix[default.words.index("nurse")]
    )


@pytest.mark.parametrize(("count", "dim", "min_words"), [(999, 2, "1,000"), (1999, 100, "2,000")])
def test_frequency_control_needs_enough_words(count, dim, min_words):
    vectors = of(planted(count, dim)[1])
    for method in ("auto", "none"):
        same, outcome = control(vectors, method)
        assert same is vectors
        assert (outcome.method, outcome.r2_before) == ("none", None)
    with pytest.raises(CannotMeasure, match=f"{count:,} usable words, .*{min_words} are needed"):
        control(vectors, "frequency")


def test_with_counts_file_order_does_not_matter():
    rows = planted()[1]
    counts = np.random.default_rng(0).zipf(1.5, len(rows)).clip(max=10**9)
    shuffled = np.random.default_rng(1).permutation(len(rows))
    controlled, outcome = control(of(rows, counts=counts), "frequency")
    second, other = control(of(rows[shuffled], counts=counts[shuffled]), "frequency")
    np.testing.assert_allclose(second.matrix, controlled.matrix[shuffled], atol=1e-5)
    # The words to predict are drawn in file order where counts are equal.
    assert other.r2_before == pytest.approx(outcome.r2_before, abs=0.05)


def test_counts_of_zero_are_rarer_than_counts_of_one():
    rows = planted()[1]
    counts = np.arange(len(rows) - 1, -1, -1)
    counts[1900:] = 0
    controlled, outcome = control(of(rows, counts=counts))
    assert (outcome.method, outcome.by) == ("frequency", "counts")
    assert np.isfinite(controlled.matrix).all()
    assert outcome.r2_after < 0.05


@pytest.mark.parametrize("counts", [np.zeros(2000, int), np.arange(2000) % 3])
def test_counts_that_hardly_differ_are_replaced_by_rank(counts):
    rows = planted()[1]
    controlled, outcome = control(of(rows, counts=counts))
    assert outcome.by == "rank"
    np.testing.assert_array_equal(controlled.matrix, control(of(rows))[0].matrix)


def test_rows_without_direction_do_not_influence_frequency_control():
    rows = planted(3000, 10)[1]
    unusable = [0, 7, 2999]
    rows_with_gaps = rows.copy()
    rows_with_gaps[unusable] = [[np.nan] * 10, [0.0] * 10, [np.inf] * 10]
    controlled, outcome = control(of(rows_with_gaps))
    assert controlled.unusable.tolist() == unusable
    assert not controlled.matrix[unusable].any()
    assert np.isfinite(controlled.matrix).all()
    assert outcome.r2_after < 0.02
    rows_with_gaps[unusable] = [[0.0] * 10, [np.inf] * 10, [np.nan] * 10]
    np.testing.assert_array_equal(control(of(rows_with_gaps))[0].matrix, controlled.matrix)


def test_constant_vectors_have_no_r2_and_nothing_left_after_control():
    vectors = of(np.outer(np.arange(1, 1501), [3.0, -1.0, 0.1]))
    same, outcome = control(vectors)
    assert same is vectors
    assert outcome.r2_before < 0.01
    with pytest.raises(CannotMeasure, match="Nothing is left"):
        control(vectors, "frequency")


def test_a_row_that_differs_from_its_expectation_keeps_a_direction():
    rows = np.tile([1.0, 0.0], (4000, 1))
    rows[1000:1002] = [[1.0, 1.0], [1.0, -1.0]]
    controlled, _ = control(of(rows), "frequency")
    assert 1000 not in controlled.unusable
    assert np.linalg.norm(controlled.matrix[1000]) == pytest.approx(1)


def test_duplicate_dimensions_do_not_change_r2():
    rows = planted(2000, 4)[1]
    _, outcome = control(of(rows))
    _, twice = control(of(np.hstack([rows, rows, np.zeros_like(rows)])))
    assert twice.r2_before == pytest.approx(outcome.r2_before, abs=1e-6)


def test_frequency_control_takes_the_whole_range_of_float32():
    rows = planted(1500, 5)[1]
    rows[::2] *= 1e37
    rows[1::2] *= 1e-40
    controlled, outcome = control(of(rows))
    assert not controlled.unusable.size
    assert outcome.r2_after < 0.1


def test_an_unknown_control_method_is_refused():
    with pytest.raises(UsageError, match=r"'log'.*expected frequency, center"):
        control(of(planted()[1]), "log")


def test_a_control_has_these_fields():
    _, outcome = control(of(planted()[1]))
    fields = dataclasses.asdict(outcome)
    assert list(fields) == [
        "method",
        "r2_before",
        "r2_after",
        "asked",
        "by",
        "threshold",
        "predictors_before",
        "predictors_after",
        "reason",
    ]


def test_frequency_control_refuses_an_alphabetical_file_without_counts():
    frequent = open_vectors("default")
    positions = sorted(range(3000), key=lambda k: frequent.words[k])
    words = [frequent.words[k] for k in positions]
    vectors = Vectors.of(words, frequent.matrix[positions])
    for name in ("frequency", "frequency+top:2"):
        with pytest.raises(CannotMeasure, match="alphabetical order and have no counts"):
            control(vectors, name)
    assert "alphabetical order" in fit_control(vectors, "auto").control.reason
    assert fit_control(vectors, "top:2").control.reason == ""
    counted = Vectors.of(
        words, frequent.matrix[positions], counts=10**6 // (1 + np.array(positions))
    )
    assert control(counted, "frequency")[1].method == "frequency"
