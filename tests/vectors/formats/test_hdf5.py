"""HDF5, in both layouts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from weatherglass.errors import BadContent, MissingExtra, TooLarge, install_command
from weatherglass.vectors import open_vectors
from weatherglass.vectors.formats import hdf5

h5py = pytest.importorskip("h5py", reason="HDF5 is read only where h5py is installed")

ROWS = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)


def test_hdf5_with_a_matrix_and_a_word_list_is_read(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["embedding"] = ROWS
        file["words_flatten"] = "a\né\nc"
    vectors = open_vectors(tmp_path / "v.h5")
    assert list(vectors.words) == ["a", "é", "c"]
    np.testing.assert_array_equal(vectors.matrix, ROWS)
    assert open_vectors(tmp_path / "v.h5", words=["c"]).matrix.tolist() == [[5, 6]]


def test_hdf5_with_one_data_set_per_word_is_read(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["This is a person."] = ROWS[0]
        file["and/or"] = ROWS[1:2]
        file["é"] = ROWS[2].astype(np.float64)
    vectors = open_vectors(tmp_path / "v.h5")
    assert sorted(vectors.words) == ["This is a person.", "and/or", "é"]
    found = vectors.take(["This is a person.", "and/or", "é"])
    np.testing.assert_array_equal(found.rows, ROWS)


def test_hdf5_data_sets_of_different_lengths_are_refused(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["a"], file["b"] = [1.0, 2.0], [1.0]
    with pytest.raises(BadContent, match=r"have \[1, 2\] numbers, expected the same number in all"):
        open_vectors(tmp_path / "v.h5")


@pytest.mark.parametrize("name", ["embedding", "words_flatten"])
def test_hdf5_with_a_group_instead_of_a_table_is_refused(name, tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["embedding"], file["words_flatten"] = ROWS, "a\nb\nc"
        del file[name]
        file.create_group(name)
    with pytest.raises(BadContent, match="HDF5"):
        open_vectors(tmp_path / "v.h5")


def test_an_empty_hdf5_file_is_refused(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w"):
        pass
    with pytest.raises(BadContent, match="have no numbers"):
        open_vectors(tmp_path / "v.h5")


@pytest.mark.parametrize(("name", "shape"), [("embedding", (10**7, 10)), ("word", (10**8,))])
def test_an_hdf5_table_far_larger_than_its_file_is_not_loaded(name, shape, tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file.create_dataset(name, shape=shape, dtype="f4", chunks=True)
        if name == "embedding":
            file["words_flatten"] = "a"
    with pytest.raises(TooLarge, match="unpacks to more than"):
        open_vectors(tmp_path / "v.h5")


def test_without_h5py_the_error_names_the_install_command(tmp_path, monkeypatch):
    (tmp_path / "v.h5").write_bytes(b"\x89HDF\r\n\x1a\n")

    def absent():
        raise MissingExtra("HDF5", "formats")

    monkeypatch.setattr(hdf5, "_import_h5py", absent)
    with pytest.raises(MissingExtra, match=re.escape(install_command("formats"))):
        open_vectors(tmp_path / "v.h5")
