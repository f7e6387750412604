"""Tables in Parquet and Arrow files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weatherglass.errors import BadContent, UsageError
from weatherglass.vectors import describe_source, open_vectors
from weatherglass.vectors.formats import arrow

ROWS = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
WORDS = ["a", "É", "c"]


@pytest.fixture(params=[".parquet", ".arrow"])
def put(request, tmp_path):
    """Write a table as Parquet, and as Arrow."""

    def write(table):
        path = tmp_path / f"table{request.param}"
        if request.param == ".parquet":
            pq.write_table(table, path, row_group_size=2)
        else:
            with pa.ipc.new_file(str(path), table.schema) as writer:
                writer.write_table(table, max_chunksize=2)
        return path

    return write


@pytest.mark.parametrize(
    "words",
    [
        pa.array(WORDS),
        pa.array(WORDS, pa.large_string()),
        pa.array([w.encode() for w in WORDS]),
        pa.array([w.encode() for w in WORDS], pa.large_binary()),
        pa.array(WORDS).dictionary_encode(),
    ],
    ids=lambda array: str(array.type),
)
@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.float32(), 2),
        pa.list_(pa.float64()),
        pa.large_list(pa.float32()),
        pa.list_(pa.int8()),
    ],
    ids=str,
)
def test_a_table_with_a_column_of_words_and_a_column_of_vectors_is_read(words, kind, put):
    path = put(pa.table({"id": [7, 8, 9], "word": words, "vector": pa.array(ROWS.tolist(), kind)}))
    vectors = open_vectors(path)
    assert list(vectors.words) == WORDS
    np.testing.assert_array_equal(vectors.matrix, ROWS)
    selected = open_vectors(path, words=["c", "absent"])
    assert list(selected.words) == ["c"]
    assert selected.matrix.tolist() == [[5, 6]]


@pytest.mark.parametrize("names", [("d0", "d1"), ("0", "1"), ("dim_7", "dim_8"), ("V.1", "V.2")])
def test_a_table_with_one_numbered_column_per_dimension_is_read(names, put):
    path = put(pa.table({"word": WORDS, names[0]: ROWS[:, 0], names[1]: ROWS[:, 1]}))
    np.testing.assert_array_equal(open_vectors(path).matrix, ROWS)


NUMBERS = {"d0": ROWS[:, 0], "d1": ROWS[:, 1]}
VECTORS = {"vector": ROWS.tolist()}
FACTS = {
    "dimensions in another order": {"d1": ROWS[:, 1], "word": WORDS, "d0": ROWS[:, 0]},
    "an id before the words": {"id": [3, 2, 1], "word": WORDS, **NUMBERS},
    "a frequency": {"word": WORDS, "freq": [9, 5, 1], **NUMBERS},
    "a relative frequency": {"word": WORDS, "Freq": [0.9, 0.5, 0.1], **NUMBERS},
    "counts with a capital": {"word": WORDS, "Count": [9, 5, 1], **NUMBERS},
    "any other integers": {"word": WORDS, **NUMBERS, "born": [1990, 1991, 1992]},
    "the index of pandas": {"word": WORDS, **NUMBERS, "__index_level_0__": [5, 7, 9]},
    "an index of fractions": {"word": WORDS, **NUMBERS, "__index_level_0__": [5.0, 7.0, 9.0]},
    "words as the index of pandas": {**NUMBERS, "__index_level_0__": WORDS},
    "a list of tokens": {"word": WORDS, "tokens": [[1, 2, 3]] * 3, **VECTORS},
    "another text": {"pos": ["NOUN"] * 3, "word": WORDS, **VECTORS},
    "synonyms": {"note": ["x"] * 3, "Token": WORDS, "sizes": [[1], [2], [3]],
                 "Embedding": ROWS.tolist()},
    "another list of floats": {"word": WORDS, "history": [[0.5]] * 3, **VECTORS},
    "the only lists of floats": {"name": WORDS, "tags": [[1]] * 3, "numbers": ROWS.tolist()},
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_a_column_that_is_no_dimension_changes_no_number(name, put):
    vectors = open_vectors(put(pa.table(FACTS[name])))
    assert list(vectors.words) == WORDS
    np.testing.assert_array_equal(vectors.matrix, ROWS)


AMBIGUOUS = {
    "integers among the dimensions": ({"word": WORDS, **NUMBERS, "d2": [1, 2, 3]}, "vector"),
    "two groups of dimensions": (
        {"word": WORDS, **NUMBERS, "e0": [0.1] * 3, "e1": [0.1] * 3}, "vector",
    ),
    "floats beside the dimensions": ({"word": WORDS, "valence": [0.5] * 3, **NUMBERS}, "vector"),
    "ratings": ({"word": WORDS, "valence": [0.5] * 3, "arousal": [0.1] * 3}, "vector"),
    "one column of floats": ({"word": WORDS, "x": [0.5] * 3}, "vector"),
    "dimensions of integers": ({"word": WORDS, "d0": [1, 2, 3], "d1": [4, 5, 6]}, "vector"),
    "a list of integers": ({"word": WORDS, "tokens": [[1, 2]] * 3}, "vector"),
    "two lists of floats": ({"word": WORDS, "p": ROWS.tolist(), "q": ROWS.tolist()}, "vector"),
    "two synonyms of words": ({"token": WORDS, "term": WORDS, **VECTORS}, "words"),
    "two texts": ({"a": WORDS, "b": WORDS, **VECTORS}, "words"),
}  # fmt: skip


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_table_that_leaves_a_choice_is_refused_with_the_option_that_makes_it(name, put):
    table, option = AMBIGUOUS[name]
    with pytest.raises(BadContent, match=rf"\?{option}="):
        open_vectors(put(pa.table(table)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("words=b&vector=d*", ROWS),
        ("words=b&vector=d1,d0", ROWS[:, ::-1]),
        ("words=b&vector=*", np.column_stack([ROWS, ROWS[:, 0]])),
        ("words=b&vector=id,d0", np.column_stack([[9, 8, 7], ROWS[:, 0]])),
        ("words=b&vector=list", -ROWS),
    ],
)
def test_options_choose_the_columns_of_a_table(options, expected, put):
    table = {"id": [9, 8, 7], "a": WORDS[::-1], "b": WORDS, **NUMBERS, "extra": ROWS[:, 0]}
    path = put(pa.table(table | {"list": (-ROWS).tolist(), "__index_level_0__": [1, 2, 3]}))
    vectors = open_vectors(f"{path}?{options}")
    assert list(vectors.words) == WORDS
    np.testing.assert_array_equal(vectors.matrix, expected)
    described = describe_source(f"{path}?{options}")
    assert described["words from"] == "column 'b'"
    assert "'a'" in described["not used"]


@pytest.mark.parametrize("option", ["words=d0", "words=none", "vector=word", "vector=e*"])
def test_an_option_that_names_no_such_column_lists_the_columns(option, put):
    path = put(pa.table({"word": WORDS, **NUMBERS}))
    with pytest.raises(UsageError, match=r"its columns are 'word' \(string\), 'd0'"):
        open_vectors(f"{path}?{option}")


def test_a_table_with_two_columns_of_the_same_name_is_refused(put):
    table = pa.table(
        [pa.array(WORDS), pa.array(WORDS), pa.array(ROWS.tolist())], ["word", "word", "vector"]
    )
    with pytest.raises(BadContent, match="2 columns called 'word'"):
        open_vectors(put(table))


def test_the_index_that_pandas_adds_to_a_sorted_table_changes_no_number(tmp_path):
    pandas = pytest.importorskip("pandas", reason="pandas writes the column in question")
    frame = pandas.DataFrame(ROWS, columns=["d0", "d1"])
    frame["word"] = WORDS
    order = [2, 0, 1]
    frame.iloc[order].to_parquet(tmp_path / "p.parquet")
    assert "__index_level_0__" in pq.read_schema(tmp_path / "p.parquet").names
    vectors = open_vectors(tmp_path / "p.parquet")
    np.testing.assert_array_equal(vectors.matrix, ROWS[order])


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.uint64()], ids=str)
@pytest.mark.parametrize("wide", [False, True])
def test_an_integer_column_named_count_gives_the_counts(wide, kind, put):
    counts = pa.array([9, 0, 4], kind)
    numbers = {"d0": ROWS[:, 0], "d1": ROWS[:, 1]} if wide else {"vector": ROWS.tolist()}
    path = put(pa.table({"word": WORDS, "count": counts, **numbers}))
    selected = open_vectors(path, words=["c", "a"])
    assert selected.counts.tolist() == [9, 4]
    for vectors in (open_vectors(path), open_vectors(path)):  # read, and from the cache
        np.testing.assert_array_equal(vectors.matrix, ROWS)
        assert vectors.counts.dtype == np.int64
        assert vectors.counts.tolist() == [9, 0, 4]
    assert open_vectors(path, words=["c", "a"]).counts.tolist() == [9, 4]


def test_counts_are_written_and_a_duplicate_word_keeps_its_first_count(put, save, tmp_path):
    table = {"word": ["a", "b", "a", "c"], "vector": [[1.0], [2.0], [3.0], [4.0]]}
    vectors = open_vectors(put(pa.table({**table, "count": [7, 5, 3, 1]})))
    assert (vectors.duplicates, vectors.counts.tolist()) == (1, [7, 5, 1])
    for ending in (".parquet", ".arrow"):
        again = open_vectors(save(vectors, tmp_path / f"again{ending}"))
        assert again.counts.tolist() == [7, 5, 1]
        assert open_vectors(save(vectors.subset(["c"]), tmp_path / f"c{ending}")).counts == [1]
    assert open_vectors(put(pa.table(table))).counts is None


def test_a_column_named_count_without_integers_is_ignored(put):
    path = put(pa.table({"word": WORDS, "vector": ROWS.tolist(), "count": [0.5, 1.0, 2.0]}))
    assert open_vectors(path).counts is None


def test_capitals_are_found_in_any_batch_of_a_table(put):
    path = put(pa.table({"word": ["a", "b", "C"], "vector": ROWS.tolist()}))
    assert open_vectors(path, words=["a"]).cased
    path = put(pa.table({"word": ["A", "b", "c"], "vector": ROWS.tolist()}))
    assert open_vectors(path, words=["c"]).cased


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"word": ["a", "b"], "vector": [[1.0, 2.0], [1.0]]}, "have 1, 2 numbers"),
        ({"word": list("abc"), "vector": [[1.0, 2.0], [1.0, 2.0], [1.0]]}, "have 1, 2 numbers"),
        ({"word": ["a", "b"], "vector": [[1.0, 2.0], None]}, "have 2, no numbers"),
        ({"word": ["a", "b"], "vector": [[1.0, 2.0], [1.0, None]]}, "no gaps"),
        ({"word": ["a", "b"], "vector": [["x"], ["y"]]}, "contain string, expected numbers"),
        ({"word": ["a", None], "vector": [[1.0], [2.0]]}, "1 rows have no word"),
        (
            {"word": ["a", "b"], "vector": [[1.0], [2.0]], "count": [3, None]},
            "count of a word is missing",
        ),
        ({"word": ["a", "b"], "vector": [[1.0], [2.0]], "count": [3, -1]}, "missing or negative"),
        (
            {"word": ["a"], "vector": [[1.0]], "count": pa.array([2**63], pa.uint64())},
            "the count of a word is 2.63 or more",
        ),
        ({"vector": [[1.0], [2.0]]}, "no column of words, only 'vector'"),
        ({"word": ["a", "b"]}, "no column of vectors, only 'word'"),
        (
            {"word": pa.array([], pa.string()), "vector": pa.array([], pa.list_(pa.float32()))},
            "no rows",
        ),
        (
            {"word": ["a", "b"], "vector": pa.array([[], []], pa.list_(pa.float32()))},
            "have 0 numbers",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_error_says_why_a_table_has_no_usable_vectors(table, message, put):
    with pytest.raises(BadContent, match=message):
        open_vectors(put(pa.table(table)))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_table_is_refused(share, put):
    path = put(pa.table({"word": WORDS, "vector": ROWS.tolist()}))
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(BadContent, match="damaged or cut-off table"):
        open_vectors(path)


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_the_batch_size_does_not_change_what_is_read_from_a_table(
    ending, save, plain, assert_same, tmp_path, monkeypatch
):
    monkeypatch.setattr(arrow, "_BATCH_ROWS", 4)
    path = save(plain, tmp_path / f"table{ending}")
    assert_same(open_vectors(path), plain)
    assert_same(open_vectors(path, words=["nan", "The"]), plain.subset(["nan", "The"]))


def test_a_parquet_table_serves_as_a_word_list(tmp_path):
    pq.write_table(pa.table({"rank": [1, 2, 3], "token": WORDS}), tmp_path / "m.parquet")
    np.save(tmp_path / "m.npy", ROWS)
    assert list(open_vectors(tmp_path / "m.npy").words) == WORDS
    assert list(open_vectors(tmp_path).words) == WORDS
