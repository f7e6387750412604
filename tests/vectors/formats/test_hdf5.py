"""HDF5, in both layouts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from weatherglass._files import hdf5
from weatherglass.encoders import elmo
from weatherglass.errors import BadContent, MissingExtra, TooLarge, UsageError, install_command
from weatherglass.vectors import describe_source, open_vectors

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

    monkeypatch.setattr(hdf5, "import_h5py", absent)
    with pytest.raises(MissingExtra, match=re.escape(install_command("formats"))):
        open_vectors(tmp_path / "v.h5")


def other_file(folder):
    """Write a file with a matrix, a word list and a secret, which no other file may show."""
    with h5py.File(folder / "other.h5", "w") as file:
        file["embedding"], file["words_flatten"], file["a"] = ROWS, "a\nb\nc", ROWS[0]
    (folder / "secret").write_bytes(b"secret: 1234\n" * 2)
    return folder / "other.h5"


def virtual(file, other, name, shape):
    layout = h5py.VirtualLayout(shape=shape, dtype="f4")
    layout[...] = h5py.VirtualSource(str(other), name, shape=shape)
    file.create_virtual_dataset(name, layout)


def external_words(file, other):
    file["embedding"] = ROWS[:2]
    kind, options = h5py.h5t.C_S1.copy(), h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    kind.set_size(26)
    options.set_external(bytes(other.parent / "secret"), 0, 26)
    scalar = h5py.h5s.create(h5py.h5s.SCALAR)
    h5py.h5d.create(file.id, b"words_flatten", kind, scalar, options)


def external_row(file, other):
    secret = str(other.parent / "secret")
    file.create_dataset("secret", (12,), "u1", external=[(secret, 0, 12)])
    file["probe"] = np.ones(12, "u1")


def external_links(file, other):
    file["embedding"] = h5py.ExternalLink(str(other), "/embedding")
    file["words_flatten"] = h5py.ExternalLink(str(other), "/words_flatten")


def soft_links_through_an_external_link(file, other):
    file["there"] = h5py.ExternalLink(str(other), "/")
    file["embedding"] = h5py.SoftLink("/there/embedding")
    file["words_flatten"] = h5py.SoftLink("/there/words_flatten")


def soft_link_only(file, other):
    file["words/list"] = "a\nb\nc"
    file["embedding"] = ROWS
    file["words_flatten"] = h5py.SoftLink("/words/list")


def virtual_matrix(file, other):
    virtual(file, other, "embedding", (3, 2))
    file["words_flatten"] = "a\nb\nc"


def virtual_row(file, other):
    virtual(file, other, "a", (2,))
    file["b"] = ROWS[0]


def link_in_a_group(file, other):
    file["group/b"] = ROWS[0]
    file["group/a"] = h5py.ExternalLink(str(other), "/a")


def dangling_link(file, other):
    file["a"] = ROWS[0]
    file["b"] = h5py.ExternalLink("absent.h5", "/a")


@pytest.mark.parametrize(
    "write",
    [
        *(external_words, external_row, external_links, soft_links_through_an_external_link),
        *(soft_link_only, virtual_matrix, virtual_row, link_in_a_group, dangling_link),
    ],
    ids=lambda write: write.__name__,
)
@pytest.mark.parametrize("options", ["", "?words=words_flatten&vector=embedding"])
def test_hdf5_that_refers_to_other_files_is_refused_before_reading(write, options, tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        write(file, other_file(tmp_path))
    for words in (None, ["a", "secret"]):
        with pytest.raises(BadContent, match=r"is a link|are stored in other files") as error:
            open_vectors(f"{tmp_path / 'v.h5'}{options}", words=words)
        assert "1234" not in str(error.value)
    for read in (describe_source, elmo._read_weights):
        with pytest.raises(BadContent, match=r"is a link|are stored in other files"):
            read(tmp_path / "v.h5")


def test_elmo_weights_that_claim_gigabytes_are_refused(tmp_path):
    with h5py.File(tmp_path / "w.hdf5", "w") as file:
        for number in range(3):
            file.create_dataset(f"w{number}", shape=(1 << 29,), dtype="f4", chunks=True)
    with pytest.raises(TooLarge, match="unpacks to more than"):
        elmo._read_weights(tmp_path / "w.hdf5")


def test_hdf5_with_two_names_for_one_group_is_read(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["group/b"] = ROWS[0]
        file["group/loop"] = file["group"]  # a cycle of hard links
    assert open_vectors(tmp_path / "v.h5").matrix.tolist() == [[1, 2]]


def test_hdf5_integers_beside_floats_are_refused(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["a"], file["b"], file["ids"] = ROWS[0], ROWS[1], [7, 8]
    with pytest.raises(BadContent, match=r"'ids' contain integers.*\?vector=NAME&words=NAME"):
        open_vectors(tmp_path / "v.h5")


def test_an_hdf5_matrix_does_not_become_the_vector_of_a_word(tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["vectors"], file["norms"] = ROWS, np.ones(6, np.float32)
    with pytest.raises(BadContent, match=r"'vectors' has shape \(3, 2\).*\?vector=NAME"):
        open_vectors(tmp_path / "v.h5")


@pytest.mark.parametrize(
    "words", [["a", "é", "c"], "a\né\nc\n", np.array([b"a", b"\xc3\xa9", b"c"])]
)
def test_options_choose_the_data_sets_of_an_hdf5_file(words, tmp_path):
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["model/rows"], file["model/tokens"], file["ids"] = ROWS, words, [1, 2, 3]
    source = f"{tmp_path / 'v.h5'}?words=model/tokens&vector=model/rows"
    vectors = open_vectors(source)
    assert list(vectors.words) == ["a", "é", "c"]
    np.testing.assert_array_equal(vectors.matrix, ROWS)
    assert describe_source(source)["vectors from"] == "data set 'model/rows'"
    with pytest.raises(UsageError, match="no data set 'absent'"):
        open_vectors(f"{tmp_path / 'v.h5'}?words=absent&vector=ids")
    with pytest.raises(UsageError, match="needs both options"):
        open_vectors(f"{tmp_path / 'v.h5'}?words=ids")
    with pytest.raises(BadContent, match="expected words"):
        open_vectors(f"{tmp_path / 'v.h5'}?words=ids&vector=model/rows")
