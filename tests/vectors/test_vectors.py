"""What `Vectors` promises."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from weatherglass.errors import BadContent, CannotMeasure, UnusableRow
from weatherglass.vectors import Vectors, open_vectors
from weatherglass.vectors.vectors import unusable_rows


@pytest.fixture
def vectors():
    rows = [[1, 0], [1, 1], [-1, 0], [0, 0], [np.nan, 1], [np.inf, 0], [3, 4]]
    return Vectors.of(["a", "b", "c", "zero", "nan", "<inf>\x1b", "far"], rows)


def test_rows_come_in_the_order_asked_for_and_missing_words_are_named(vectors):
    taken = vectors.take(["far", "x", "a", "far", "y"])
    assert taken.words == ["far", "a", "far"]
    assert taken.rows.tolist() == [[3, 4], [1, 0], [3, 4]]
    assert taken.missing == ["x", "y"]
    assert vectors.take([]).rows.shape == (0, 2)
    assert vectors.take(word for word in "ab").words == ["a", "b"]


def test_unit_rows_have_length_one_and_double_precision(vectors):
    unit = vectors.unit(["far", "c"])
    assert unit.dtype == np.float64
    assert unit.tolist() == [[0.6, 0.8], [-1, 0]]


def test_very_small_and_very_large_rows_have_a_direction():
    made = Vectors.of(["small", "large"], [[1e-45, 0], [3e38, 3e38]])
    np.testing.assert_allclose(made.unit(["small", "large"]), [[1, 0], [0.5**0.5] * 2], rtol=1e-12)
    assert not made.unusable.size


def test_rows_without_direction_are_refused_when_measured(vectors):
    assert vectors.unusable.tolist() == [3, 4, 5]
    for word in ("zero", "nan"):
        with pytest.raises(UnusableRow, match=rf"the rows of '{word}' have no direction"):
            vectors.unit(["a", word])
    with pytest.raises(UnusableRow, match=r"'<inf>\\x1b'"):
        vectors.unit(["<inf>\x1b"])


def test_words_that_are_not_there_are_refused_when_measured(vectors):
    with pytest.raises(CannotMeasure, match="2 words are not in memory: 'x', 'y'"):
        vectors.unit(["x", "a", "y"])


def test_nothing_can_be_changed(vectors, plain, save, tmp_path):
    path = save(plain, tmp_path / "vectors.txt")
    opened = open_vectors(path), open_vectors(path, words=["the"])
    for made in (vectors, vectors.subset(["a"]), *opened):
        with pytest.raises(ValueError, match="read-only"):
            made.matrix[0, 0] = 5
        with pytest.raises(dataclasses.FrozenInstanceError):
            made.source = "other"


def test_what_is_taken_may_be_changed_without_harm(vectors):
    vectors.take(["a"]).rows[0] = 99
    vectors.unit(["a"])[0] = 99
    assert vectors.take(["a"]).rows.tolist() == [[1, 0]]


def test_a_table_given_by_the_caller_is_copied():
    table = np.ones((1, 2), dtype=np.float32)
    made = Vectors.of(["a"], table)
    table[0] = 5
    assert made.matrix.tolist() == [[1, 1]]


def test_a_subset_keeps_the_order_of_the_file_and_what_is_known_of_it(vectors):
    part = vectors.subset(["far", "zero", "absent", "a", "far"])
    assert list(part.words) == ["a", "zero", "far"]
    assert part.matrix.tolist() == [[1, 0], [0, 0], [3, 4]]
    assert part.unusable.tolist() == [1]
    assert (part.fingerprint, part.source) == (vectors.fingerprint, vectors.source)
    assert len(vectors.subset([])) == 0


def test_repeated_words_are_dropped_and_counted():
    made = Vectors.of(["a", "b", "a"], [[1, 2], [3, 4], [5, 6]])
    assert made.duplicates == 1
    assert made.matrix.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "table",
    [[[1, 2]], [1, 2], [[], []], [[1, 2], [3]], [["x", "y"], ["z", "w"]], None, [[[1]], [[2]]]],
)
def test_words_and_numbers_must_fit(table):
    with pytest.raises(BadContent):
        Vectors.of(["a", "b"], table)


def test_the_fingerprint_depends_on_words_and_numbers():
    made = [
        Vectors.of(["a", "b"], [[1, 2], [3, 4]]),
        Vectors.of(["a", "c"], [[1, 2], [3, 4]]),
        Vectors.of(["b", "a"], [[1, 2], [3, 4]]),
        Vectors.of(["a", "b"], [[1, 2], [3, 5]]),
        Vectors.of(["ab", ""], [[1, 2], [3, 4]]),
    ]
    assert len({one.fingerprint for one in made}) == 5
    assert made[0].fingerprint == Vectors.of(["a", "b"], [[1, 2], [3, 4]]).fingerprint


def test_neighbours_are_the_nearest_by_cosine(vectors):
    near = vectors.neighbours("a")
    assert [word for word, _ in near] == ["b", "far", "c"]
    np.testing.assert_allclose([cosine for _, cosine in near], [0.5**0.5, 0.6, -1], rtol=1e-12)
    assert vectors.neighbours("a", 1) == near[:1]
    assert vectors.neighbours("a", 0) == vectors.neighbours("a", -3) == []
    with pytest.raises(UnusableRow):
        vectors.neighbours("zero")
    with pytest.raises(CannotMeasure):
        vectors.neighbours("absent")


def test_cosines_are_never_beyond_one():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1, 50)) * np.array([[1], [-1], [3], [-7], [0.1]])
    made = Vectors.of(list("abcde"), rows)
    assert all(-1 <= cosine <= 1 for _, cosine in made.neighbours("a"))


def test_neighbours_agree_with_brute_force():
    rng = np.random.default_rng(4)
    made = Vectors.of([f"w{i}" for i in range(500)], rng.standard_normal((500, 8)))
    unit = made.unit(made.words)
    cosines = unit @ unit[17]
    best = [int(i) for i in np.argsort(-cosines) if i != 17][:10]
    assert [word for word, _ in made.neighbours("w17")] == [f"w{i}" for i in best]


def test_capitals_are_noticed():
    assert Vectors.of(["a", "B"], [[1], [2]]).cased
    assert not Vectors.of(["a", "é", "É"], [[1], [2], [3]]).cased


def test_it_says_what_it_is(vectors):
    assert repr(vectors) == "<Vectors memory: 7 words × 2>"
    assert (vectors.dim, len(vectors)) == (2, 7)
    assert "a" in vectors
    assert open_vectors(vectors) is vectors
    assert list(open_vectors(vectors, words=["b"]).words) == ["b"]


@given(
    hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.floats(width=32))
)
def test_rows_without_direction_are_those_and_no_others(rows):
    expected = [i for i, row in enumerate(rows) if not np.isfinite(row).all() or not row.any()]
    assert unusable_rows(rows).tolist() == expected


def test_counts_go_with_their_words():
    vectors = Vectors.of(["a", "b", "a"], [[1], [2], [3]], counts=[5, 4, 3])
    assert vectors.counts.tolist() == [5, 4]
    assert vectors.subset(["b"]).counts.tolist() == [4]
    assert vectors.fingerprint != Vectors.of(["a", "b"], [[1], [2]]).fingerprint


@pytest.mark.parametrize("counts", [[1], [1, -1], [1.5, 2.0], [[1, 2]], ["x", "y"], [1, None]])
def test_counts_that_are_none_are_refused(counts):
    with pytest.raises(BadContent, match="2 integers of 0 or more"):
        Vectors.of(["a", "b"], [[1], [2]], counts=counts)
