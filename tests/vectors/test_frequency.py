"""Word frequency taken out of vectors, against the same sums written down once more."""

from __future__ import annotations

import dataclasses
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import Vectors, control, open_vectors
from weatherglass.vectors.frequency import R2_THRESHOLD, controlled_fingerprint


def names(count):
    return [f"w{i}" for i in range(count)]


def planted(count=2000, dim=20, strength=1.0, seed=0):
    """Meaning, and one direction that grows with log rank."""
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


def by_the_book(vectors, log, rank):
    """R² from scikit-learn, the fit from NumPy's polynomials, no blocks, no threads."""
    from sklearn.linear_model import LinearRegression

    def r2(rows):
        top = np.argsort(-log, kind="stable")[:60_000]
        return LinearRegression().fit(rows[top], log[top]).score(rows[top], log[top])

    rows = units(vectors.matrix)
    x = 2 * (log - log.min()) / np.ptp(log) - 1
    weights = 1 / np.maximum(rank, 2 * vectors.dim)
    fit = np.polynomial.chebyshev.chebfit(x, rows, 5, w=np.sqrt(weights))
    left = units(rows - np.polynomial.chebyshev.chebval(x, fit).T)
    return left, r2(rows), r2(left)


@pytest.fixture(scope="module")
def default():
    return open_vectors("default")


def test_the_embedded_vectors_are_mostly_frequency_until_it_is_taken_out(default):
    made, done = control(default)
    assert (done.method, done.asked, done.by) == ("frequency", "auto", "rank")
    assert (round(done.r2_before, 2), round(done.r2_after, 2)) == (0.88, 0.04)
    np.testing.assert_allclose(np.linalg.norm(made.matrix, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("dim", [3, 40])
def test_it_is_the_fit_that_the_notes_describe(dim, counted):
    rng = np.random.default_rng(dim)
    _, rows = planted(1500, dim)
    counts = rng.zipf(1.6, 1500).clip(max=10**6) if counted else None
    vectors = of(rows, counts=counts)
    made, done = control(vectors, "frequency")
    log = np.log(counts) if counted else -np.log(np.arange(1.0, 1501))
    rank = np.array([(log > one).sum() + ((log == one).sum() + 1) / 2 for one in log])
    expected, before, after = by_the_book(vectors, log, rank)
    assert done.by == ("counts" if counted else "rank")
    assert done.r2_before == pytest.approx(before, abs=1e-9)
    assert done.r2_after == pytest.approx(after, abs=1e-6)
    np.testing.assert_allclose(made.matrix, expected, atol=1e-6)


@pytest.mark.parametrize(("count", "dim"), [(2000, 20), (6000, 300)])
def test_a_planted_frequency_direction_goes_and_the_meaning_stays(count, dim):
    meaning, rows = planted(count, dim)
    made, done = control(of(rows))
    assert done.method == "frequency"
    assert done.r2_before > 0.7
    assert done.r2_after < max(0.02, 2 * dim / count)
    some = np.random.default_rng(1).integers(count, size=(2, 5000))
    cosines = [
        np.einsum("ij,ij->i", units(table)[some[0]], units(table)[some[1]])
        for table in (meaning, rows, made.matrix)
    ]
    assert np.corrcoef(cosines[0], cosines[1])[0, 1] < 0.5
    assert np.corrcoef(cosines[0], cosines[2])[0, 1] > 0.85


def test_vectors_that_know_nothing_of_frequency_are_left_alone():
    vectors = of(np.random.default_rng(0).standard_normal((5000, 50)))
    made, done = control(vectors)
    assert made is vectors
    assert (done.method, done.r2_after, done.threshold) == ("none", None, R2_THRESHOLD)
    assert done.r2_before < 0.02


def test_none_only_says_how_much_frequency_there_is():
    vectors = of(planted()[1])
    same, done = control(vectors, "none")
    assert same is vectors
    assert (done.method, done.asked, done.r2_after) == ("none", "none", None)
    assert done.r2_before == control(vectors, "frequency")[1].r2_before > 0.7


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_turning_the_space_and_stretching_rows_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    rows = planted(1200, 6, seed=seed)[1]
    turn = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    stretch = 10.0 ** rng.integers(-20, 20, (len(rows), 1))
    made, done = control(of(rows), "frequency")
    turned, again = control(of(stretch * rows @ turn), "frequency")
    np.testing.assert_allclose(turned.matrix, made.matrix @ turn, atol=2e-4)
    assert again.r2_before == pytest.approx(done.r2_before, abs=1e-5)
    assert again.r2_after == pytest.approx(done.r2_after, abs=1e-4)


def test_it_is_the_same_for_any_number_of_threads():
    vectors = of(planted(20_000, 8)[1])
    one, first = control(vectors, workers=1)
    many, second = control(vectors, workers=5)
    assert first == second
    assert one.matrix.tobytes() == many.matrix.tobytes()


def test_what_comes_out_are_unit_vectors_of_the_same_words():
    rows = planted()[1]
    before = rows.astype(np.float32).tobytes()
    vectors = of(rows, source="mine", counts=np.arange(2000, 0, -1))
    made, _ = control(vectors, "frequency")
    assert vectors.matrix.tobytes() == before
    assert made.matrix.dtype == np.float32
    assert not made.matrix.flags.writeable
    np.testing.assert_allclose(np.linalg.norm(made.matrix, axis=1), 1, atol=1e-6)
    assert list(made.words) == list(vectors.words)
    assert made.source == "mine"
    assert made.counts is vectors.counts
    assert made.fingerprint == controlled_fingerprint(vectors.fingerprint) != vectors.fingerprint


def test_little_more_memory_is_needed_than_for_what_comes_out():
    vectors = of(planted(60_000, 100)[1])
    tracemalloc.start()
    try:
        made, _ = control(vectors, "frequency", workers=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert made.matrix.nbytes <= peak < 2 * made.matrix.nbytes


def test_progress_goes_from_nothing_to_all():
    seen = []
    control(of(planted(20_000, 4)[1]), progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (20_000, 20_000)


def test_some_words_of_a_source_do_not_know_how_frequent_they_are(default, tmp_path, save):
    vectors = of(planted()[1])
    path = save(vectors, tmp_path / "whole.npz")
    asked = names(1500)
    for part in (vectors.subset(asked), open_vectors(path, words=asked)):
        assert part.part
        for method in ("frequency", "auto"):
            with pytest.raises(CannotMeasure, match="only some of its words were opened"):
                control(part, method)
        same, done = control(part, "none")
        assert same is part
        assert done.r2_before is None
    assert not open_vectors(path).part
    whole = control(default, "frequency")[0]
    np.testing.assert_array_equal(
        whole.subset(["nurse"]).matrix[0], whole.matrix[default.words.index("nurse")]
    )


@pytest.mark.parametrize(("count", "dim", "least"), [(999, 2, "1,000"), (1999, 100, "2,000")])
def test_too_few_words_are_refused_or_left_alone(count, dim, least):
    vectors = of(planted(count, dim)[1])
    for method in ("auto", "none"):
        same, done = control(vectors, method)
        assert same is vectors
        assert (done.method, done.r2_before) == ("none", None)
    with pytest.raises(CannotMeasure, match=f"{count:,} usable words, .*{least} are needed"):
        control(vectors, "frequency")


def test_with_counts_the_order_of_the_file_does_not_matter():
    rows = planted()[1]
    counts = np.random.default_rng(0).zipf(1.5, len(rows)).clip(max=10**9)
    shuffled = np.random.default_rng(1).permutation(len(rows))
    made, done = control(of(rows, counts=counts), "frequency")
    again, other = control(of(rows[shuffled], counts=counts[shuffled]), "frequency")
    np.testing.assert_allclose(again.matrix, made.matrix[shuffled], atol=1e-5)
    assert other.r2_before == pytest.approx(done.r2_before)


def test_counts_of_zero_are_rarer_than_counts_of_one():
    rows = planted()[1]
    counts = np.arange(len(rows) - 1, -1, -1)
    counts[1900:] = 0
    made, done = control(of(rows, counts=counts))
    assert (done.method, done.by) == ("frequency", "counts")
    assert np.isfinite(made.matrix).all()
    assert done.r2_after < 0.05


@pytest.mark.parametrize("counts", [np.zeros(2000, int), np.arange(2000) % 3])
def test_counts_that_say_next_to_nothing_give_way_to_rank(counts):
    rows = planted()[1]
    made, done = control(of(rows, counts=counts))
    assert done.by == "rank"
    np.testing.assert_array_equal(made.matrix, control(of(rows))[0].matrix)


def test_rows_without_direction_stay_so_and_do_not_count():
    rows = planted(3000, 10)[1]
    bad = [0, 7, 2999]
    spoilt = rows.copy()
    spoilt[bad] = [[np.nan] * 10, [0.0] * 10, [np.inf] * 10]
    made, done = control(of(spoilt))
    assert made.unusable.tolist() == bad
    assert not made.matrix[bad].any()
    assert np.isfinite(made.matrix).all()
    assert done.r2_after < 0.02
    spoilt[bad] = [[0.0] * 10, [np.inf] * 10, [np.nan] * 10]
    np.testing.assert_array_equal(control(of(spoilt))[0].matrix, made.matrix)


def test_constant_vectors_hold_no_frequency_and_nothing_else():
    vectors = of(np.outer(np.arange(1, 1501), [3.0, -1.0, 0.1]))
    same, done = control(vectors)
    assert same is vectors
    assert done.r2_before < 0.01
    with pytest.raises(CannotMeasure, match="Nothing is left"):
        control(vectors, "frequency")


def test_a_row_that_is_what_its_frequency_expects_loses_its_direction():
    rows = np.tile([1.0, 0.0], (4000, 1))
    rows[1000:1002] = [[1.0, 1.0], [1.0, -1.0]]
    made, _ = control(of(rows), "frequency")
    assert 1000 not in made.unusable
    assert np.linalg.norm(made.matrix[1000]) == pytest.approx(1)


def test_dimensions_that_are_copies_of_others_change_nothing():
    rows = planted(2000, 4)[1]
    _, done = control(of(rows))
    _, twice = control(of(np.hstack([rows, rows, np.zeros_like(rows)])))
    assert twice.r2_before == pytest.approx(done.r2_before, abs=1e-6)


def test_numbers_may_be_as_large_and_as_small_as_float32_goes():
    rows = planted(1500, 5)[1]
    rows[::2] *= 1e37
    rows[1::2] *= 1e-40
    made, done = control(of(rows))
    assert not made.unusable.size
    assert done.r2_after < 0.05


def test_a_method_that_is_none_of_the_three_is_refused():
    with pytest.raises(UsageError, match=r"'log'.*auto, frequency, none"):
        control(of(planted()[1]), "log")  # type: ignore[arg-type]


def test_nothing_of_a_control_is_hidden():
    _, done = control(of(planted()[1]))
    told = dataclasses.asdict(done)
    assert list(told) == ["method", "r2_before", "r2_after", "asked", "by", "threshold"]
