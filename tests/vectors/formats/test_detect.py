"""Every format is detected by its content, and written vectors are read back unchanged."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from weatherglass.errors import BadContent, CannotWrite, UnknownFormat, UsageError
from weatherglass.vectors import Vectors, open_vectors
from weatherglass.vectors.formats.detect import format_for_writing

STREAMED = [
    f"{kind}{pack}" for kind in (".txt", ".vec", ".bin") for pack in ("", ".gz", ".zst", ".xz")
]
LISTED = [".npy", ".npz", ".safetensors", ".h5"]
TABLES = [".parquet", ".arrow"]
SPACED = [". . .", "new york", "a  b", "tab\tinside", "apollo 11", "carriage\rreturn"]


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_written_vectors_are_read_back_bit_for_bit(ending, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    assert_same(open_vectors(path), plain)


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_selected_words_come_in_file_order(ending, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    words = [*plain.words[::-2], "absent", "\ud800", "the the"]
    assert_same(open_vectors(path, words=words), plain.subset(words))
    assert_same(open_vectors(path).subset(words), plain.subset(words))


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_unit_rows_do_not_depend_on_the_format(ending, plain, save, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    words = ["the", "caf\udce9", "<script>alert('x')</script>", "The"]
    expected = plain.unit(words)
    np.testing.assert_array_equal(open_vectors(path).unit(words), expected)
    np.testing.assert_array_equal(open_vectors(path, words=words).unit(words), expected)
    np.testing.assert_allclose(np.linalg.norm(expected, axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize("ending", [".txt", ".vec", *LISTED, *TABLES])
def test_words_with_white_space_are_written_and_read_back(ending, save, assert_same, tmp_path):
    words = ["first", *SPACED, "last"]
    vectors = Vectors.of(words, np.arange(1, 25).reshape(8, 3) / 8)
    path = save(vectors, tmp_path / f"vectors{ending}")
    assert_same(open_vectors(path), vectors)
    assert_same(open_vectors(path, words=SPACED), vectors.subset(SPACED))


@pytest.mark.parametrize("ending", TABLES)
def test_parquet_and_arrow_hold_any_word(ending, save, assert_same, tmp_path):
    words = ["line\nbreak", "ends\r", " padded ", "nul\0inside", "\0", "\n", "\udcff"]
    vectors = Vectors.of(words, np.ones((7, 2)))
    assert_same(open_vectors(save(vectors, tmp_path / f"vectors{ending}")), vectors)


@pytest.mark.parametrize("ending", LISTED)
def test_word_lists_hold_any_word_without_a_newline(ending, save, assert_same, tmp_path):
    vectors = Vectors.of([" padded ", "nul\0inside", "last\0", "\ufeff"][::-1], np.ones((4, 2)))
    assert_same(open_vectors(save(vectors, tmp_path / f"vectors{ending}")), vectors)


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_a_single_empty_word_is_written_and_read_back(ending, save, assert_same, tmp_path):
    vectors = Vectors.of([""], [[1, 2.5]])
    assert_same(open_vectors(save(vectors, tmp_path / f"vectors{ending}")), vectors)


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_rows_without_direction_are_kept_and_listed_as_unusable(
    ending, save, assert_same, tmp_path
):
    rows = [[1, 2], [np.nan, 1], [np.inf, 1], [0, 0], [-0.0, 0], [-np.inf, 0], [3e38, 3e38]]
    vectors = Vectors.of(list("abcdefg"), np.array(rows, dtype=np.float32))
    opened = open_vectors(save(vectors, tmp_path / f"vectors{ending}"))
    assert_same(opened, vectors)
    assert opened.unusable.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("ending", "word"),
    [
        *((".txt", word) for word in ("a\nb", " a", "a ", "a\r", "a\0", "\t")),
        *((".vec", word) for word in ("a\nb", " a", "a ", "a\r", "a\0", "a 0.5")),
        *((".bin", word) for word in ("a\nb", "a b")),
        *((ending, word) for ending in LISTED for word in ("a\nb", "a\r")),
    ],
)
def test_a_word_that_could_not_be_read_back_is_not_written(ending, word, save, tmp_path):
    path = tmp_path / f"vectors{ending}"
    with pytest.raises(CannotWrite, match=r"The word .* cannot be written to"):
        save(Vectors.of(["x", word], [[1, 2], [3, 4]]), path)
    assert not path.exists()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("words", [["apollo 11"], ["\ufeffa"], ["a 1", "b 2"]])
def test_glove_text_is_not_written_if_its_layout_would_be_misread(
    words, save, assert_same, tmp_path
):
    vectors = Vectors.of(words, np.ones((len(words), 2)))
    with pytest.raises(CannotWrite, match=r"write \.vec"):
        save(vectors, tmp_path / "vectors.txt")
    assert_same(open_vectors(save(vectors, tmp_path / "vectors.vec")), vectors)


def test_glove_text_that_would_look_like_a_header_is_not_written(save, tmp_path):
    with pytest.raises(CannotWrite, match=r"write \.vec"):
        save(Vectors.of(["5"], [[3]]), tmp_path / "vectors.txt")


@pytest.mark.parametrize("ending", [".txt", ".vec", ".bin.gz", ".npz", ".parquet", ".arrow", ".h5"])
def test_the_format_is_detected_by_content_not_by_name(ending, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    shutil.move(path, tmp_path / "named.wrongly")
    assert_same(open_vectors(tmp_path / "named.wrongly"), plain)


@pytest.mark.parametrize("ending", [".txt", ".vec", ".bin"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_zip_file_with_a_single_member_is_opened(
    ending, method, plain, save, assert_same, tmp_path
):
    path = save(plain, tmp_path / f"inside{ending}")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", method) as archive:
        archive.mkdir("folder")
        archive.write(path, f"folder/inside{ending}")
        archive.writestr("__MACOSX/._inside", "resource fork")
    assert_same(open_vectors(tmp_path / "packed.zip"), plain)
    assert_same(open_vectors(tmp_path / "packed.zip", words=["The"]), plain.subset(["The"]))


def test_a_zip_file_with_two_members_needs_the_member_option(
    plain, save, assert_same, cache_folder, tmp_path
):
    part = plain.subset(["The", "naïve"])
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.write(save(plain, tmp_path / "all.txt"), "a b.txt")
        archive.write(save(part, tmp_path / "few.txt"), "a_b.txt")
    with pytest.raises(
        UsageError, match=r"holds 2 files \('a b\.txt', 'a_b\.txt'\).*\?member=NAME"
    ):
        open_vectors(tmp_path / "packed.zip")
    # Members with similar names have different cache entries.
    assert_same(open_vectors(f"{tmp_path}/packed.zip?member=a%20b.txt"), plain)
    assert_same(open_vectors(f"{tmp_path}/packed.zip?member=a_b.txt"), part)
    assert_same(open_vectors(f"{tmp_path}/packed.zip?member=a b.txt"), plain)
    with pytest.raises(UsageError, match="choose one with"):
        open_vectors(f"{tmp_path}/packed.zip?member=absent.txt")


def test_a_zip_file_without_files_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.mkdir("folder")
    with pytest.raises(BadContent, match="contains no files"):
        open_vectors(tmp_path / "packed.zip")


def test_a_folder_without_vectors_is_refused(tmp_path):
    (tmp_path / "notes.md").write_text("no vectors here")
    with pytest.raises(UnknownFormat, match=r"is a folder without vectors .* model2vec"):
        open_vectors(tmp_path)


@pytest.mark.parametrize("content", [b"\0\1\2\3", b"GIF89a\0\0", b"\x7fELF\2\1\1\0"])
def test_content_in_no_supported_format_is_refused(content, tmp_path):
    (tmp_path / "vectors.txt").write_bytes(content)
    with pytest.raises(UnknownFormat, match="in no supported format"):
        open_vectors(tmp_path / "vectors.txt")


@pytest.mark.parametrize("name", ["vectors", "vectors.doc", "vectors.npz.gz", "vectors.gz"])
def test_a_file_name_without_a_known_suffix_cannot_be_written(name):
    with pytest.raises(CannotWrite, match=r"expected a name that ends in .*\.txt"):
        format_for_writing(Path(name))


def test_writing_to_a_missing_folder_is_an_error(plain, save, tmp_path):
    with pytest.raises(CannotWrite, match="No such file or directory"):
        save(plain, tmp_path / "absent" / "vectors.txt")
