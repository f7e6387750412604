"""NumPy files: a matrix with its word list in another file or in the same archive."""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile

import numpy as np
import pytest

from weatherglass._files import inputs
from weatherglass.errors import BadContent, PickleRefused, SourceNotFound, TooLarge
from weatherglass.vectors import open_vectors
from weatherglass.vectors.formats.numpy import load_matrix

ROWS = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)


@pytest.fixture
def matrix(tmp_path):
    """A matrix without words."""
    np.save(tmp_path / "m.npy", ROWS)
    return tmp_path / "m.npy"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.vocab", "a\nb\nc\n"),
        ("m.vocab", "\ufeffa\r\nb\r\nc"),
        ("m.words.txt", "a\nb\nc"),
        ("m.txt", "a\nb\nc\n"),
        ("vocab.txt", "a\nb\nc\n"),
        ("m.json", '["a", "b", "c"]'),
        ("vocab.json", '{"c": 2, "a": 0, "b": 1}'),
        ("tokenizer.json", '{"model": {"type": "WordPiece", "vocab": {"c": 2, "b": 1, "a": 0}}}'),
        (
            "tokenizer.json",
            '{"model": {"type": "Unigram", "vocab": [["a", 0], ["b", -1], ["c", -2]]}}',
        ),
    ],
)
def test_the_word_list_of_a_npy_file_is_found_in_its_folder(name, content, matrix, tmp_path):
    (tmp_path / name).write_text(content, encoding="utf-8")
    vectors = open_vectors(matrix)
    assert list(vectors.words) == ["a", "b", "c"]
    np.testing.assert_array_equal(vectors.matrix, ROWS)
    assert open_vectors(matrix, words=["c"]).matrix.tolist() == [[5, 6]]


def test_the_vocab_option_chooses_the_word_list(matrix, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "list+1.txt").write_text("x\ny\nz\n")
    assert list(open_vectors(f"{matrix}?vocab=sub/list+1.txt").words) == ["x", "y", "z"]
    with pytest.raises(SourceNotFound, match="no vocabulary file"):
        open_vectors(f"{matrix}?vocab=absent.txt")


def test_a_matrix_without_a_word_list_is_an_error_that_names_the_expected_file(matrix):
    with pytest.raises(
        SourceNotFound, match=r"there is no word list in its folder: expected m\.npy\.vocab"
    ):
        open_vectors(matrix)


def test_a_folder_with_one_matrix_and_one_word_list_is_opened(matrix, tmp_path):
    (tmp_path / "index.json").write_text('["a", "b", "c"]')
    assert list(open_vectors(tmp_path).words) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "content", ['["a"', '{"a": 1}', '"a"', "[1, 2, 3]", '[["a"], 1, "b"]', "[[]]", "3"]
)
def test_json_that_is_not_a_word_list_is_refused(content, matrix, tmp_path):
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(BadContent, match=r"m\.json"):
        open_vectors(matrix)


def test_a_lone_surrogate_in_a_json_word_list_is_a_word(matrix, tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(["\ud800", "b", "c"]))
    vectors = open_vectors(matrix)
    assert "\ud800" in vectors.words
    assert vectors.take(["\ud800"]).rows.tolist() == [[1, 2]]


@pytest.mark.parametrize("words", ["a\nb\n", "a\nb\nc\nd\n"])
def test_a_word_list_of_another_length_than_the_matrix_is_refused(words, matrix, tmp_path):
    (tmp_path / "m.vocab").write_text(words)
    with pytest.raises(BadContent, match=r"3 rows, but the word list has [24] words"):
        open_vectors(matrix)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", "<f2", "<i4", "u1", ">i8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_files_of_any_numeric_dtype_are_read(dtype, order, tmp_path):
    np.save(tmp_path / "m.npy", np.asarray(ROWS, dtype=dtype, order=order))
    (tmp_path / "m.vocab").write_text("a\nb\nc\n")
    np.testing.assert_array_equal(open_vectors(tmp_path / "m.npy").matrix, ROWS)
    assert open_vectors(tmp_path / "m.npy", words=["b"]).matrix.tolist() == [[3, 4]]


def test_numbers_too_large_for_float32_are_usable_in_a_file_of_float64(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[3e300, 4e300], [5e-310, 0], [1, 2]]))
    (tmp_path / "m.vocab").write_text("a\nb\nc\n")
    vectors = open_vectors(tmp_path / "m.npy")
    assert vectors.unusable.tolist() == []
    np.testing.assert_allclose(vectors.unit(["a", "b"]), [[0.6, 0.8], [1, 0]])


@pytest.mark.parametrize(
    "array",
    [np.zeros(3), np.zeros((3, 2, 2)), np.zeros((3, 0)), np.array(1.0), np.zeros((3, 2), "c16")],
)
def test_an_array_that_is_not_a_table_of_numbers_is_refused(array, tmp_path):
    np.save(tmp_path / "m.npy", array)
    (tmp_path / "m.vocab").write_text("a\nb\nc\n")
    with pytest.raises(BadContent):
        open_vectors(tmp_path / "m.npy")


def test_numpy_arrays_of_python_objects_are_refused(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[object]]), allow_pickle=True)
    (tmp_path / "m.vocab").write_text("a\n")
    with pytest.raises(PickleRefused, match="contains Python objects, which can run code"):
        open_vectors(tmp_path / "m.npy")
    np.savez(tmp_path / "m.npz", vectors=ROWS, words=np.array(["a", 1, None], dtype=object))
    with pytest.raises(PickleRefused, match="contains Python objects"):
        open_vectors(tmp_path / "m.npz")


def test_a_numpy_header_that_claims_a_huge_shape_is_refused(tmp_path):
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f4", "fortran_order": False, "shape": (10**12, 10**5)}
    )
    (tmp_path / "m.npy").write_bytes(out.getvalue() + bytes(100))
    (tmp_path / "m.vocab").write_text("a\n")
    with pytest.raises(BadContent, match="damaged or cut-off NumPy file"):
        open_vectors(tmp_path / "m.npy")
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("vectors.npy", out.getvalue() + bytes(100))
    with pytest.raises(BadContent, match="damaged or cut-off NumPy file"):
        open_vectors(tmp_path / "m.npz")


@pytest.mark.parametrize("words", [np.array(["a", "é", "c"]), np.array([b"a", b"\xc3\xa9", b"c"])])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_npz_archive_with_a_word_list_is_read(words, save, tmp_path):
    save(tmp_path / "m.npz", anything=ROWS, tokens=words, note=np.array(3.5))
    vectors = open_vectors(tmp_path / "m.npz")
    assert list(vectors.words) == ["a", "é", "c"]
    np.testing.assert_array_equal(vectors.matrix, ROWS)


def test_a_npz_archive_without_words_uses_a_word_list_in_its_folder(tmp_path):
    np.savez(tmp_path / "m.npz", ROWS)
    (tmp_path / "m.vocab").write_text("a\nb\nc\n")
    assert list(open_vectors(tmp_path / "m.npz").words) == ["a", "b", "c"]


def test_a_npz_archive_with_two_tables_is_refused(tmp_path):
    np.savez(tmp_path / "m.npz", syn0=ROWS, syn1=ROWS, words=np.array(["a", "b", "c"]))
    with pytest.raises(BadContent, match=r"syn0 float32\(3, 2\).*expected one table"):
        open_vectors(tmp_path / "m.npz")


def test_other_files_in_a_npz_archive_are_ignored(tmp_path):
    np.savez(tmp_path / "m.npz", vectors=ROWS, words=np.array(["a", "b", "c"]))
    with zipfile.ZipFile(tmp_path / "m.npz", "a") as archive:
        archive.writestr("README.md", "hello")
    assert len(open_vectors(tmp_path / "m.npz")) == 3


def test_a_npz_decompression_bomb_is_refused(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "m.npz", vectors=np.zeros((1000, 100)))
    monkeypatch.setattr(inputs, "MIN_UNPACK_LIMIT", 1000)
    with pytest.raises(TooLarge, match="unpacks to more than"):
        open_vectors(tmp_path / "m.npz")


@pytest.mark.parametrize("name", ["m.npz.vocab", "m.vocab", "?vocab=other.txt"])
@pytest.mark.parametrize("kind", [".npy", ".npz"])
def test_a_changed_word_list_changes_the_fingerprint_and_the_rows(kind, name, tmp_path):
    path, option = tmp_path / f"m{kind}", name if name.startswith("?") else ""
    np.save(path, ROWS) if kind == ".npy" else np.savez(path, vectors=ROWS)
    words = tmp_path / (name.partition("=")[2] or name.replace(".npz", kind))
    words.write_text("x\ny\nz\n")
    first = open_vectors(f"{path}{option}")
    status = words.stat()
    words.write_text("z\ny\nx\n")
    os.utime(words, ns=(status.st_atime_ns, status.st_mtime_ns))
    for wanted in (None, ["x"]):
        second = open_vectors(f"{path}{option}", words=wanted)
        assert second.take(["x"]).rows.tolist() == [[5, 6]]
        assert second.fingerprint != first.fingerprint


def test_an_npz_archive_with_words_does_not_depend_on_a_list_beside_it(tmp_path):
    np.savez(tmp_path / "m.npz", vectors=ROWS, words=np.array(["a", "b", "c"]))
    before = open_vectors(tmp_path / "m.npz").fingerprint
    (tmp_path / "m.npz.vocab").write_text("x\ny\nz\n")
    assert open_vectors(tmp_path / "m.npz").fingerprint == before


@pytest.mark.parametrize("counts", [np.array([9, 5, 1], "u8"), np.array([9, 5, 1])])
def test_counts_in_an_npz_archive_are_not_words(counts, tmp_path):
    np.savez(tmp_path / "m.npz", vectors=ROWS, counts=counts, words=np.array(["a", "b", "c"]))
    assert list(open_vectors(tmp_path / "m.npz").words) == ["a", "b", "c"]


@pytest.mark.parametrize("depth", [50, 300, 9000])
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_broken_npy_header_is_called_damaged_not_a_pickle(depth, is_closed, tmp_path):
    shape = b"(" * depth + b"1" + b")" * depth * is_closed
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + b"}"
    header = b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header
    (tmp_path / "m.npy").write_bytes(header)
    (tmp_path / "m.vocab").write_text("a\n")
    with pytest.raises(BadContent, match="damaged or cut-off NumPy file: its header"):
        open_vectors(tmp_path / "m.npy")


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_in_any_order_are_read_from_a_file(order, tmp_path):
    table = np.asarray(np.random.default_rng(2).standard_normal((5000, 7)), order=order)
    np.save(tmp_path / "m.npy", table)
    read = load_matrix(tmp_path / "m.npy")
    for index in (slice(10, 40), [4999, 0, 3, 3, 2500], [], slice(4990, 6000)):
        np.testing.assert_array_equal(read[index], table[index])


def test_two_arrays_of_the_same_name_in_an_archive_are_refused(tmp_path):
    np.savez(tmp_path / "m.npz", vectors=ROWS, words=np.array(["a", "b", "c"]))
    with zipfile.ZipFile(tmp_path / "m.npz", "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("words.npy", archive.read("words.npy"))
    with pytest.raises(BadContent, match=r"two arrays called 'words\.npy'"):
        open_vectors(tmp_path / "m.npz")
