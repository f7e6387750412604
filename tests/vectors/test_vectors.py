"""What `Vectors` promises."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import weatherglass as wg
from weatherglass.errors import BadContent, CannotMeasure, UnusableRow
from weatherglass.vectors import Vectors, format_for_writing, open_vectors
from weatherglass.vectors.vectors import unusable_rows


@pytest.fixture
def vectors():
    rows = [[1, 0], [1, 1], [-1, 0], [0, 0], [np.nan, 1], [np.inf, 0], [3, 4]]
    return Vectors.of(["a", "b", "c", "zero", "nan", "<inf>\x1b", "far"], rows)


def test_take_returns_rows_in_the_requested_order_and_lists_missing_words(vectors):
    found = vectors.take(["far", "x", "a", "far", "y"])
    assert found.words == ["far", "a", "far"]
    assert found.rows.tolist() == [[3, 4], [1, 0], [3, 4]]
    assert found.missing == ["x", "y"]
    assert vectors.take([]).rows.shape == (0, 2)
    assert vectors.take(word for word in "ab").words == ["a", "b"]


def test_unit_rows_have_length_one_and_double_precision(vectors):
    unit = vectors.unit(["far", "c"])
    assert unit.dtype == np.float64
    assert unit.tolist() == [[0.6, 0.8], [-1, 0]]


def test_denormal_and_very_large_rows_can_be_normalised():
    vectors = Vectors.of(["small", "large"], [[1e-45, 0], [3e38, 3e38]])
    np.testing.assert_allclose(
        vectors.unit(["small", "large"]), [[1, 0], [0.5**0.5] * 2], rtol=1e-12
    )
    assert not vectors.unusable.size


def test_unit_refuses_rows_without_direction(vectors):
    assert vectors.unusable.tolist() == [3, 4, 5]
    for word in ("zero", "nan"):
        with pytest.raises(UnusableRow, match=rf"the rows of '{word}' have no direction"):
            vectors.unit(["a", word])
    with pytest.raises(UnusableRow, match=r"'<inf>\\x1b'"):
        vectors.unit(["<inf>\x1b"])


def test_unit_refuses_words_outside_the_vocabulary(vectors):
    with pytest.raises(CannotMeasure, match="2 words are not in memory: 'x', 'y'"):
        vectors.unit(["x", "a", "y"])


def test_vectors_are_immutable(vectors, plain, save, tmp_path):
    path = save(plain, tmp_path / "vectors.txt")
    opened = open_vectors(path), open_vectors(path, words=["the"])
    for immutable in (vectors, vectors.subset(["a"]), *opened):
        with pytest.raises(ValueError, match="read-only"):
            immutable.matrix[0, 0] = 5
        with pytest.raises(dataclasses.FrozenInstanceError):
            immutable.source = "other"


def test_changing_returned_rows_does_not_change_the_vectors(vectors):
    vectors.take(["a"]).rows[0] = 99
    vectors.unit(["a"])[0] = 99
    assert vectors.take(["a"]).rows.tolist() == [[1, 0]]


def test_vectors_copy_the_table_they_are_made_from():
    table = np.ones((1, 2), dtype=np.float32)
    vectors = Vectors.of(["a"], table)
    table[0] = 5
    assert vectors.matrix.tolist() == [[1, 1]]


def test_a_subset_keeps_file_order_source_and_fingerprint(vectors):
    part = vectors.subset(["far", "zero", "absent", "a", "far"])
    assert list(part.words) == ["a", "zero", "far"]
    assert part.matrix.tolist() == [[1, 0], [0, 0], [3, 4]]
    assert part.unusable.tolist() == [1]
    assert (part.fingerprint, part.source) == (vectors.fingerprint, vectors.source)
    assert len(vectors.subset([])) == 0


def test_duplicate_words_are_dropped_and_counted():
    vectors = Vectors.of(["a", "b", "a"], [[1, 2], [3, 4], [5, 6]])
    assert vectors.duplicates == 1
    assert vectors.matrix.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "table",
    [[[1, 2]], [1, 2], [[], []], [[1, 2], [3]], [["x", "y"], ["z", "w"]], None, [[[1]], [[2]]]],
)
def test_a_table_that_does_not_match_the_words_is_refused(table):
    with pytest.raises(BadContent):
        Vectors.of(["a", "b"], table)


def test_the_fingerprint_of_vectors_depends_on_words_and_numbers():
    variants = [
        Vectors.of(["a", "b"], [[1, 2], [3, 4]]),
        Vectors.of(["a", "c"], [[1, 2], [3, 4]]),
        Vectors.of(["b", "a"], [[1, 2], [3, 4]]),
        Vectors.of(["a", "b"], [[1, 2], [3, 5]]),
        Vectors.of(["ab", ""], [[1, 2], [3, 4]]),
    ]
    assert len({vectors.fingerprint for vectors in variants}) == 5
    assert variants[0].fingerprint == Vectors.of(["a", "b"], [[1, 2], [3, 4]]).fingerprint


def test_neighbours_are_sorted_by_cosine_similarity(vectors):
    near = vectors.neighbours("a")
    assert [word for word, _ in near] == ["b", "far", "c"]
    np.testing.assert_allclose([cosine for _, cosine in near], [0.5**0.5, 0.6, -1], rtol=1e-12)
    assert vectors.neighbours("a", 1) == near[:1]
    assert vectors.neighbours("a", 0) == vectors.neighbours("a", -3) == []
    with pytest.raises(UnusableRow):
        vectors.neighbours("zero")
    with pytest.raises(CannotMeasure):
        vectors.neighbours("absent")


def test_cosine_similarities_are_between_minus_one_and_one():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((1, 50)) * np.array([[1], [-1], [3], [-7], [0.1]])
    vectors = Vectors.of(list("abcde"), rows)
    assert all(-1 <= cosine <= 1 for _, cosine in vectors.neighbours("a"))


def test_neighbours_agree_with_brute_force():
    rng = np.random.default_rng(4)
    vectors = Vectors.of([f"w{i}" for i in range(500)], rng.standard_normal((500, 8)))
    unit = vectors.unit(vectors.words)
    cosines = unit @ unit[17]
    best = [int(i) for i in np.argsort(-cosines) if i != 17][:10]
    assert [word for word, _ in vectors.neighbours("w17")] == [f"w{i}" for i in best]


def test_vectors_know_whether_the_vocabulary_has_capitals():
    assert Vectors.of(["a", "B"], [[1], [2]]).cased
    assert not Vectors.of(["a", "é", "É"], [[1], [2], [3]]).cased


SPECIAL = ["[PAD]", "[CLS]", "<UNK>", "amy", "john", "[unused1]"]


@pytest.mark.parametrize("name", ["v.txt", "v.vec", "v.bin", "v.npz", "v.npy", "v.parquet"])
@pytest.mark.parametrize("words", [None, ["amy", "john"]])
def test_special_tokens_do_not_make_a_vocabulary_cased(tmp_path, name, words):
    rows = np.arange(12, dtype=np.float32).reshape(6, 2) + 1
    for vocabulary, is_cased in ((SPECIAL, False), ([*SPECIAL[:5], "Amy"], True)):
        path = tmp_path / str(is_cased) / name
        path.parent.mkdir(exist_ok=True)
        format_for_writing(path).write(Vectors.of(vocabulary, rows), path)
        assert open_vectors(path, words=words).cased is is_cased


def test_names_are_found_in_a_vocabulary_whose_only_capitals_are_special_tokens():
    test = wg.test("weat6")
    words = [word.lower() for words in test.sets.values() for word in words.words]
    rows = np.random.default_rng(0).standard_normal((len(words) + 2, 8))
    assert wg.weat(Vectors.of(["[PAD]", "[CLS]", *words], rows), "weat6").status == "done"
    cased = wg.weat(Vectors.of(["Berlin", "[CLS]", *words], rows), "weat6")
    assert "16 of the missing words are there in lower case" in cased.reason


def test_vectors_have_a_short_repr_and_open_as_themselves(vectors):
    assert repr(vectors) == "<Vectors memory: 7 words × 2>"
    assert (vectors.dim, len(vectors)) == (2, 7)
    assert "a" in vectors
    assert open_vectors(vectors) is vectors
    assert list(open_vectors(vectors, words=["b"]).words) == ["b"]


@given(
    hnp.arrays(np.float32, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.floats(width=32))
)
def test_exactly_zero_nan_and_infinite_rows_are_unusable(rows):
    expected = [i for i, row in enumerate(rows) if not np.isfinite(row).all() or not row.any()]
    assert unusable_rows(rows).tolist() == expected


def test_counts_follow_their_words_and_change_the_fingerprint():
    vectors = Vectors.of(["a", "b", "a"], [[1], [2], [3]], counts=[5, 4, 3])
    assert vectors.counts.tolist() == [5, 4]
    assert vectors.subset(["b"]).counts.tolist() == [4]
    assert vectors.fingerprint != Vectors.of(["a", "b"], [[1], [2]]).fingerprint


@pytest.mark.parametrize("counts", [[1], [1, -1], [1.5, 2.0], [[1, 2]], ["x", "y"], [1, None]])
def test_invalid_counts_are_refused(counts):
    with pytest.raises(BadContent, match="2 integers of 0 or more"):
        Vectors.of(["a", "b"], [[1], [2]], counts=counts)
