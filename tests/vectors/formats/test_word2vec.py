"""The binary format of word2vec."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from weatherglass._files import cache
from weatherglass.errors import BadContent, TooLarge
from weatherglass.vectors import Vectors, open_vectors
from weatherglass.vectors.formats import word2vec


def encode(words, rows, after=b"\n", header=None):
    """Return a file: the header, then for each word a space, float32 numbers, and `after`."""
    head = b"%d %d\n" % (header or (len(words), len(rows[0])))
    body = b"".join(
        word + b" " + np.asarray(row, "<f4").tobytes() + after
        for word, row in zip(words, rows, strict=True)
    )
    return head + body


WORDS = [b"the", b"na\xc3\xafve", b"\xff\xfe", b"</s>"]
ROWS = np.array([[0.1, 2], [-3e38, 1e-45], [10, 32], [0, 1]], dtype=np.float32)


@pytest.fixture
def put(tmp_path):
    def write(content):
        path = tmp_path / "vectors.bin"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("after", [b"\n", b""], ids=["newline", "no newline"])
def test_the_newline_after_each_word2vec_row_is_optional(after, put):
    path = put(encode(WORDS, ROWS, after))
    vectors = open_vectors(path)
    assert list(vectors.words.iter_raw()) == WORDS
    assert vectors.matrix.tobytes() == ROWS.tobytes()
    selected = open_vectors(path, words=["</s>", "the"])
    assert list(selected.words) == ["the", "</s>"]
    assert selected.matrix.tobytes() == ROWS[[0, 3]].tobytes()


@pytest.mark.parametrize("after", [b"\n", b""], ids=["newline", "no newline"])
@pytest.mark.parametrize("piece", [16, 37, 64, 1000])
def test_the_read_size_does_not_change_what_is_read_from_word2vec(after, piece, put, monkeypatch):
    rng = np.random.default_rng(piece)
    words = [b"word-%d" % i for i in range(200)]
    rows = rng.standard_normal((200, 3)).astype(np.float32)
    path = put(encode(words, rows, after))
    monkeypatch.setattr(word2vec, "_READ_BYTES", piece)
    vectors = open_vectors(path)
    assert list(vectors.words.iter_raw()) == words
    np.testing.assert_array_equal(vectors.matrix, rows)
    np.testing.assert_array_equal(open_vectors(path, words=["word-77"]).matrix, rows[[77]])


def test_word2vec_numbers_whose_bytes_are_white_space_are_read(put):
    rows = np.frombuffer(b" \n \n\n\n  \t\r\n 1 2 ", dtype="<f4").reshape(2, 2)
    path = put(encode([b"a", b"b"], rows))
    assert open_vectors(path).matrix.tobytes() == rows.tobytes()


@pytest.mark.parametrize("words", [None, ["the"]])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            encode(WORDS, ROWS)[:-3],
            "the header says 4 rows of 2 numbers, but the file is cut off after 3",
        ),
        (encode(WORDS, ROWS)[:20], "the file is cut off after 1"),
        (encode(WORDS, ROWS, header=(5, 2)), "the file is cut off after 4"),
        (
            encode(WORDS, ROWS, header=(3, 2)),
            "the header says 3 rows of 2 numbers, but the file goes on",
        ),
        (
            encode(WORDS, ROWS, header=(2, 2)),
            "the header says 2 rows of 2 numbers, but the file goes on",
        ),
        (encode(WORDS, ROWS, header=(4, 3)), "the header says 4 rows of 3 numbers"),
        (encode(WORDS, ROWS, header=(10**17, 2)), "the file is cut off after 4"),
        (
            encode(WORDS, ROWS, header=(4, 10**8)),
            "the header says that rows have 100,000,000 numbers",
        ),
        (encode(WORDS, ROWS, header=(4, 0)), "the header says that rows have 0 numbers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_word2vec_header_that_does_not_match_the_file_is_refused(
    words, pack, content, message, put, cache_folder
):
    with pytest.raises(BadContent, match=message):
        open_vectors(put(pack(content)), words=words)
    assert not list(cache.vectors_dir().glob("*"))
    assert not list(cache.vectors_dir().glob(".*"))


def test_a_word2vec_word_without_end_is_refused(put, monkeypatch):
    monkeypatch.setattr(word2vec, "MAX_LINE_BYTES", 100)
    monkeypatch.setattr(word2vec, "_READ_BYTES", 64)
    with pytest.raises(TooLarge, match="has a word of more than"):
        open_vectors(put(b"2 2\n" + b"x\0" * 500))


def test_duplicate_word2vec_words_are_dropped_and_counted(put):
    vectors = open_vectors(put(encode([b"a", b"b", b"a"], [[1, 2], [3, 4], [5, 6]])))
    assert vectors.duplicates == 1
    assert vectors.matrix.tolist() == [[1, 2], [3, 4]]


def test_a_large_compressed_word2vec_file_is_read_in_pieces(
    save, assert_same, tmp_path, monkeypatch
):
    rng = np.random.default_rng(2)
    words = [f"w{i}" for i in range(3000)]
    vectors = Vectors.of(words, rng.standard_normal((3000, 50), dtype=np.float32))
    monkeypatch.setattr(word2vec, "_READ_BYTES", 1 << 14)
    assert_same(open_vectors(save(vectors, tmp_path / "vectors.bin.zst")), vectors)
