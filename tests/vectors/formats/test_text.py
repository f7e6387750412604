"""Text files of vectors: what is read, and the errors for invalid lines."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weatherglass._files import cache, fingerprint
from weatherglass.errors import BadContent, SourceError, TooLarge, UnknownFormat
from weatherglass.vectors import open_vectors
from weatherglass.vectors.formats.text import LineError, find_layout, parse_line


@pytest.fixture
def put(tmp_path):
    """Return a function that writes bytes to a file and returns its path."""

    def write(content):
        path = tmp_path / "vectors.txt"
        path.write_bytes(content)
        return path

    return write


def rows(vectors):
    return dict(zip(vectors.words, vectors.matrix.tolist(), strict=True))


@pytest.mark.parametrize(
    "content",
    [
        b"a 1 2\nb 3 4\n",
        b"a 1 2\nb 3 4",
        b"2 2\na 1 2\nb 3 4\n",
        b"2 2 \na 1 2 \nb 3 4 \n",
        b"a\t1\t2\nb\t3\t4\n",
        b"a 1 2\r\nb 3 4\r\n",
        b"2 2\r\na 1 2\r\nb 3 4\r\n",
        b"a 1 2\r\nb 3 4\r",
        b"\xef\xbb\xbfa 1 2\nb 3 4\n",
        b"\xef\xbb\xbf2 2\na 1 2\nb 3 4\n",
        b"a 1 2\n\nb 3 4\n\n\n",
        b"a 1 2\n  \n \t\r\nb 3 4\n      \n",
        b"2 2\n\na 1 2\n \nb 3 4\n\r\n",
        b"a 1 2   \nb  3   4\n",
    ],
    ids=str,
)
def test_line_ends_byte_order_marks_and_blank_lines_do_not_matter(content, put):
    path = put(content)
    assert rows(open_vectors(path)) == {"a": [1, 2], "b": [3, 4]}
    assert rows(open_vectors(path, words=["b", "c"])) == {"b": [3, 4]}


def test_thousands_of_blank_lines_and_the_empty_word_are_read(put):
    path = put(b"a 1 2\n" + b"\n" * 5000 + b"  \n" * 5000 + b" 3 4\n")
    assert rows(open_vectors(path)) == {"a": [1, 2], "": [3, 4]}
    assert rows(open_vectors(path, words=[""])) == {"": [3, 4]}


def test_the_last_fields_are_numbers_and_the_rest_is_the_word(put):
    path = put(b". . . 1 2\nat name@domain.com 3 4\nx 5 6\n")
    assert list(open_vectors(path).words) == [". . .", "at name@domain.com", "x"]
    assert rows(open_vectors(path, words=[". . ."])) == {". . .": [1, 2]}


def test_a_carriage_return_inside_a_line_belongs_to_the_word(put):
    path = put(b"x 5 6\na 1\r 2 3\ny 7 8\n")
    expected = {"x": [5, 6], "a 1\r": [2, 3], "y": [7, 8]}
    assert rows(open_vectors(path)) == expected
    assert rows(open_vectors(path, words=list(expected))) == expected


def test_the_first_of_duplicate_words_is_kept_and_the_others_are_counted(put):
    path = put(b"a 1 2\nb 3 4\na 5 6\nb 7 8\na 0 0\nc 9 9\n")
    vectors = open_vectors(path)
    assert rows(vectors) == {"a": [1, 2], "b": [3, 4], "c": [9, 9]}
    assert vectors.duplicates == 3
    assert not vectors.unusable.size
    found = open_vectors(path, words=["a"])
    assert rows(found) == {"a": [1, 2]}
    assert found.duplicates == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a 1 2 3\nb 1 2 3\nc 1 2\nd 1 2 3\n", "line 3 has 2 numbers, expected 3"),
        (b"a 1 2 3\n\n\nb 1 2 3\nc\n", "line 5 has 0 numbers, expected 3"),
        (b"a 1 2 3\nb 1 2 3\nc 0.1 1 2 3\n", "line 3 has 4 numbers, expected 3"),
        (b"a 1 2 3\nb 1 2 3\nc 0.1 1.5 1 2 3\n", "line 3 has 5 numbers, expected 3"),
        (b"3 3\na 1 2 3\nb 1 2 3\nc 1 2\n", "line 4 has 2 numbers, expected 3"),
        (b"a 1 2 3\nb 1 2 3\nc 1 x 3\n", "line 3 has 'x' where a number was expected"),
        (b"a 1 2\nb 1 2\nc 1 0x10\n", "line 3 has '0x10' where a number was expected"),
        (b"a 1 2\nb 1 2\nc 1 1_0\n", "line 3 has '1_0' where a number was expected"),
        (b"a 1 2\nb 1 2\nc 1 1,5\n", "line 3 has '1,5' where a number was expected"),
        (b"a 1 2\nb 1 2\nc 1 \x1b[2J\n", r"line 3 has '\x1b[2J' where a number was expected"),
        (b"a 1 2\nb 1 2\nc 1 1e\n", "line 3 has '1e' where a number was expected"),
        (b"3 3\na 1 2 3\n", "the header says 3 rows of 3 numbers, but the file has 1"),
        (b"1 3\na 1 2 3\nb 1 2 3\n", "the header says 1 rows of 3 numbers, but the file has 2"),
        (b"1 4\na 1 2 3\n", "line 2 has 3 numbers, expected 4"),
        (b"1 2\na 1.5 2 3\n", "line 2 has 3 numbers, expected 2"),
        (b"1 0\na 1.5 2 3\n", "the header says that rows have 0 numbers"),
        (b"1 999999999\na 1.5 2 3\n", "the header says that rows have 999,999,999 numbers"),
        (b"4000000000 1000000000\na 1 2\n", "the header says that rows have 1,000,000,000 numbers"),
        (b"0 3\n", "has no rows"),
    ],
    ids=str,
)
def test_the_error_names_the_file_and_the_line(content, message, put, cache_folder):
    path = put(content)
    for words in (None, ["c", "a"]):
        with pytest.raises(BadContent) as raised:
            open_vectors(path, words=words)
        assert message in str(raised.value)
        assert str(path) in str(raised.value)
    assert not list(cache.vectors_dir().glob("*"))
    assert not list(cache.vectors_dir().glob(".*"))


@pytest.mark.parametrize("words", [None, ["w99"]])
def test_line_numbers_in_errors_count_all_earlier_blocks(words, put, small_blocks):
    lines = [b"w%d 1 2\n" % i for i in range(99)]
    lines[10], lines[50] = b"\n", b" \r\n"
    with pytest.raises(BadContent, match=r"line 100 has 1 numbers, expected 2\."):
        open_vectors(put(b"".join(lines) + b"w99 1\n"), words=words)


@pytest.mark.parametrize(
    "content", [b"hello world\n", b"one\ntwo\n", b"{}", b"\n\n\n", b"\xff\xfe"]
)
def test_text_without_numbers_is_refused(content, put):
    with pytest.raises(UnknownFormat, match="no numbers in its first line"):
        open_vectors(put(content))


def test_an_empty_file_is_refused(put):
    with pytest.raises(BadContent, match="is empty"):
        open_vectors(put(b""))


@pytest.mark.parametrize("words", [None, ["a"]])
@pytest.mark.parametrize("first", [b"", b"a 1 2\n"])
def test_a_line_over_eight_megabytes_is_refused(words, first, put):
    with pytest.raises(TooLarge, match=r"line .*than 8 MiB"):
        open_vectors(put(first + b"x" * (20 << 20)), words=words)


def test_a_long_line_within_the_limit_is_read(put):
    path = put(b"a 1 2\n" + b"x" * (5 << 20) + b" 3 4\nb 5 6\n")
    assert open_vectors(path).matrix.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert rows(open_vectors(path, words=["b"])) == {"b": [5, 6]}


def test_not_a_number_and_infinity_are_read(put):
    vectors = open_vectors(put(b"a 1 2\nb nan 1\nc -inf 1\nd Infinity +NaN\ne 1e99 -1e99\nf 0 0\n"))
    assert vectors.unusable.tolist() == [1, 2, 3, 4, 5]
    assert vectors.matrix[4].tolist() == [np.inf, -np.inf]


_word = st.binary(min_size=1, max_size=12).map(
    lambda raw: bytes(b for b in raw if b not in b"\n\r\t \0") or b"w"
)
_number = st.floats(width=32).map(lambda x: repr(x).encode()) | st.sampled_from(
    [b"+1.5", b".5", b"5.", b"1e-50", b"1E+3", b"00012", b"-0"]
)
_row = st.tuples(
    _word | st.tuples(_word, _word).map(b" ".join), st.lists(_number, min_size=2, max_size=2)
)
_blank = st.sampled_from([b"", b" ", b"\r", b"   ", b"\t\r"])


@st.composite
def _files(draw):
    """Text files, most of them good, with every freedom that the format has."""
    end = draw(st.sampled_from([b"\n", b"\r\n", b" \n"]))
    lines = [b"w 1 2", b"v 3 4"]
    for row in draw(st.lists(st.one_of(_row, _row, _row, _row, _blank), max_size=12)):
        lines.append(row if isinstance(row, bytes) else b" ".join([row[0], *row[1]]))
    if draw(st.integers(0, 9)) == 9:
        lines.append(
            draw(st.sampled_from([b"short 1", b"wrong 1 x", b"long 0.5 0.5 0.5", b"alone"]))
        )
    if draw(st.booleans()):
        lines.insert(0, b"%d 2" % sum(bool(line.strip()) for line in lines))
    content = end.join(lines)
    return content + end if draw(st.booleans()) else content


def _outcome(path, words, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint, "BLOCK_SIZE", block)
        try:
            vectors = open_vectors(path, words=words)
        except SourceError as error:
            return str(error), None
        raw = list(vectors.words.iter_raw())
        return (raw, vectors.matrix.tobytes(), vectors.duplicates, vectors.cased), vectors


@pytest.mark.slow
@settings(max_examples=100)
@given(_files(), st.randoms(use_true_random=False))
def test_the_block_size_does_not_change_what_is_read(folder, content, chance: random.Random):
    path = folder / "blocks.txt"
    path.write_bytes(content)
    expected, vectors = _outcome(path, None, 1 << 20)
    for block in (7, 64, 100):
        assert _outcome(path, None, block)[0] == expected
    if vectors is None:
        return
    words = chance.sample(list(vectors.words), k=min(4, len(vectors)))
    expected, selected = _outcome(path, [*words, "absent"], 1 << 20)
    for block in (7, 64):
        assert _outcome(path, [*words, "absent"], block)[0] == expected
    subset = vectors.subset(words)
    assert list(selected.words) == list(subset.words)
    assert selected.matrix.tobytes() == subset.matrix.tobytes()


def _parse_in_python(content):
    """Return the words and rows of a text file, or None if a line is invalid."""
    lines = content.split(b"\n")
    try:
        layout = find_layout(lines[: min(20, max(1, len(lines) - 1))])
        if layout.dim < 1:
            return None
        body = [line for line in content[layout.skip :].split(b"\n") if line.strip(b" \t\r")]
        parsed = [parse_line(line, layout.dim) for line in body]
    except (LineError, UnknownFormat):
        return None
    if not parsed or layout.rows not in (None, len(parsed)):
        return None
    return [(word, row.tobytes()) for word, row in parsed]


@settings(max_examples=200)
@given(
    st.sampled_from([b"", b"2 1\na 1\n", b"3 2\na 1 2\n", b"a 1 2\nb 1 2\n", b"a 1\n"]),
    st.lists(st.sampled_from([*b" \t\r\n\n01.-+eax", *b"   111\xff"]), max_size=60).map(bytes),
)
def test_the_compiled_reader_agrees_with_one_in_python(folder, first, rest):
    path = folder / "python.txt"
    path.write_bytes(first + rest + b".")  # a file is never empty
    expected = _parse_in_python(first + rest + b".")
    try:
        found = open_vectors(path)
    except SourceError:
        assert expected is None
        return
    assert expected is not None
    firsts = {}
    for word, row in expected:
        firsts.setdefault(word, row)
    assert list(found.words.iter_raw()) == list(firsts)
    assert found.matrix.tobytes() == b"".join(firsts.values())
    searched = open_vectors(path, words=list(found.words))
    assert searched.matrix.tobytes() == found.matrix.tobytes()


def test_opening_selected_words_gives_the_fingerprint_of_the_whole_file(put, monkeypatch):
    path = put(b"".join(b"w%d 1 2\n" % i for i in range(1000)))
    for block in (64, 1000, 1 << 20):
        monkeypatch.setattr(fingerprint, "BLOCK_SIZE", block)
        expected = fingerprint.file_fingerprint(path, 2)
        assert open_vectors(path, words=["w1"]).fingerprint == expected
        assert open_vectors(path).fingerprint == expected


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_the_number_of_threads_does_not_matter(workers, put, small_blocks):
    rng = np.random.default_rng(workers)
    table = rng.standard_normal((300, 4)).astype(np.float32)
    lines = [f"w{i} " + " ".join(map(str, row)) for i, row in enumerate(table)]
    path = put("\n".join(lines).encode())
    np.testing.assert_array_equal(open_vectors(path, workers=workers).matrix, table)


def test_progress_ends_at_the_size_of_the_file(put, small_blocks):
    reports = []
    path = put(b"word 0.25 0.5\n" * 50)
    open_vectors(path, progress=lambda done, size: reports.append((done, size)), workers=1)
    assert reports[-1] == (path.stat().st_size, path.stat().st_size)
