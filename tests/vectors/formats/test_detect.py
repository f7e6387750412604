"""Every format gives back what was written, and is known by its content."""

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
def test_what_is_written_is_read_back_to_the_last_bit(ending, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    assert_same(open_vectors(path), plain)


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_words_asked_for_come_in_the_order_of_the_file(ending, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    asked = [*plain.words[::-2], "absent", "\ud800", "the the"]
    assert_same(open_vectors(path, words=asked), plain.subset(asked))
    assert_same(open_vectors(path).subset(asked), plain.subset(asked))


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_unit_rows_do_not_depend_on_the_format(ending, plain, save, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    asked = ["the", "caf\udce9", "<script>alert('x')</script>", "The"]
    expected = plain.unit(asked)
    np.testing.assert_array_equal(open_vectors(path).unit(asked), expected)
    np.testing.assert_array_equal(open_vectors(path, words=asked).unit(asked), expected)
    np.testing.assert_allclose(np.linalg.norm(expected, axis=1), 1, rtol=1e-15)


@pytest.mark.parametrize("ending", [".txt", ".vec", *LISTED, *TABLES])
def test_words_with_white_space_are_kept(ending, save, assert_same, tmp_path):
    words = ["first", *SPACED, "last"]
    vectors = Vectors.of(words, np.arange(1, 25).reshape(8, 3) / 8)
    path = save(vectors, tmp_path / f"vectors{ending}")
    assert_same(open_vectors(path), vectors)
    assert_same(open_vectors(path, words=SPACED), vectors.subset(SPACED))


@pytest.mark.parametrize("ending", TABLES)
def test_tables_hold_any_word(ending, save, assert_same, tmp_path):
    words = ["line\nbreak", "ends\r", " padded ", "nul\0inside", "\0", "\n", "\udcff"]
    vectors = Vectors.of(words, np.ones((7, 2)))
    assert_same(open_vectors(save(vectors, tmp_path / f"vectors{ending}")), vectors)


@pytest.mark.parametrize("ending", LISTED)
def test_lists_hold_any_word_without_a_newline(ending, save, assert_same, tmp_path):
    vectors = Vectors.of([" padded ", "nul\0inside", "last\0", "\ufeff"][::-1], np.ones((4, 2)))
    assert_same(open_vectors(save(vectors, tmp_path / f"vectors{ending}")), vectors)


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_one_empty_word_is_a_vocabulary(ending, save, assert_same, tmp_path):
    vectors = Vectors.of([""], [[1, 2.5]])
    assert_same(open_vectors(save(vectors, tmp_path / f"vectors{ending}")), vectors)


@pytest.mark.parametrize("ending", STREAMED + LISTED + TABLES)
def test_rows_without_direction_are_kept_and_named(ending, save, assert_same, tmp_path):
    rows = [[1, 2], [np.nan, 1], [np.inf, 1], [0, 0], [-0.0, 0], [-np.inf, 0], [3e38, 3e38]]
    vectors = Vectors.of(list("abcdefg"), rows)
    found = open_vectors(save(vectors, tmp_path / f"vectors{ending}"))
    assert_same(found, vectors)
    assert found.unusable.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("ending", "word"),
    [
        *((".txt", word) for word in ("a\nb", " a", "a ", "a\r", "a\0", "\t")),
        *((".vec", word) for word in ("a\nb", " a", "a ", "a\r", "a\0", "a 0.5")),
        *((".bin", word) for word in ("a\nb", "a b")),
        *((ending, word) for ending in LISTED for word in ("a\nb", "a\r")),
    ],
)
def test_a_word_that_would_not_be_read_back_is_not_written(ending, word, save, tmp_path):
    path = tmp_path / f"vectors{ending}"
    with pytest.raises(CannotWrite, match=r"The word .* cannot be written to"):
        save(Vectors.of(["x", word], [[1, 2], [3, 4]]), path)
    assert not path.exists()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("words", [["apollo 11"], ["\ufeffa"], ["a 1", "b 2"]])
def test_glove_text_is_not_written_when_its_first_lines_would_mislead(
    words, save, assert_same, tmp_path
):
    vectors = Vectors.of(words, np.ones((len(words), 2)))
    with pytest.raises(CannotWrite, match=r"write \.vec"):
        save(vectors, tmp_path / "vectors.txt")
    assert_same(open_vectors(save(vectors, tmp_path / "vectors.vec")), vectors)


def test_a_number_and_a_number_would_be_a_header(save, tmp_path):
    with pytest.raises(CannotWrite, match=r"write \.vec"):
        save(Vectors.of(["5"], [[3]]), tmp_path / "vectors.txt")


@pytest.mark.parametrize("ending", [".txt", ".vec", ".bin.gz", ".npz", ".parquet", ".arrow", ".h5"])
def test_the_content_tells_the_format_whatever_the_name(ending, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"vectors{ending}")
    shutil.move(path, tmp_path / "named.wrongly")
    assert_same(open_vectors(tmp_path / "named.wrongly"), plain)


@pytest.mark.parametrize("ending", [".txt", ".vec", ".bin"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_zip_with_one_file_opens_by_itself(ending, method, plain, save, assert_same, tmp_path):
    path = save(plain, tmp_path / f"inside{ending}")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", method) as archive:
        archive.mkdir("folder")
        archive.write(path, f"folder/inside{ending}")
        archive.writestr("__MACOSX/._inside", "resource fork")
    assert_same(open_vectors(tmp_path / "packed.zip"), plain)
    assert_same(open_vectors(tmp_path / "packed.zip", words=["The"]), plain.subset(["The"]))


def test_a_zip_with_two_files_asks_which(plain, save, assert_same, cache_folder, tmp_path):
    few = plain.subset(["The", "naïve"])
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.write(save(plain, tmp_path / "all.txt"), "a b.txt")
        archive.write(save(few, tmp_path / "few.txt"), "a_b.txt")
    with pytest.raises(
        UsageError, match=r"holds 2 files \('a b\.txt', 'a_b\.txt'\).*\?member=NAME"
    ):
        open_vectors(tmp_path / "packed.zip")
    # Names that are alike are kept apart in the cache, too.
    assert_same(open_vectors(f"{tmp_path}/packed.zip?member=a%20b.txt"), plain)
    assert_same(open_vectors(f"{tmp_path}/packed.zip?member=a_b.txt"), few)
    assert_same(open_vectors(f"{tmp_path}/packed.zip?member=a b.txt"), plain)
    with pytest.raises(UsageError, match="choose one with"):
        open_vectors(f"{tmp_path}/packed.zip?member=absent.txt")


def test_an_empty_zip_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.mkdir("folder")
    with pytest.raises(BadContent, match="contains no files"):
        open_vectors(tmp_path / "packed.zip")


def test_a_folder_of_the_wrong_kind_is_refused(tmp_path):
    (tmp_path / "notes.md").write_text("no vectors here")
    with pytest.raises(UnknownFormat, match=r"is a folder without vectors .* model2vec"):
        open_vectors(tmp_path)


@pytest.mark.parametrize("content", [b"\0\1\2\3", b"GIF89a\0\0", b"\x7fELF\2\1\1\0"])
def test_content_of_no_known_format_is_refused(content, tmp_path):
    (tmp_path / "vectors.txt").write_bytes(content)
    with pytest.raises(UnknownFormat, match="in no supported format"):
        open_vectors(tmp_path / "vectors.txt")


@pytest.mark.parametrize("name", ["vectors", "vectors.doc", "vectors.npz.gz", "vectors.gz"])
def test_a_name_that_says_no_format_cannot_be_written(name):
    with pytest.raises(CannotWrite, match=r"expected a name that ends in .*\.txt"):
        format_for_writing(Path(name))


def test_a_folder_that_is_not_there_cannot_be_written_to(plain, save, tmp_path):
    with pytest.raises(CannotWrite, match="No such file or directory"):
        save(plain, tmp_path / "absent" / "vectors.txt")
