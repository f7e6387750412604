"""A typo in the name of a column is found before the corpus is read."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import weatherglass as wg
from weatherglass.corpus import Document, open_corpus
from weatherglass.corpus.metadata import check_column
from weatherglass.errors import UsageError

ROWS = [{"text": f"the sea was calm on day {k}", "year": "1840", "place": ""} for k in range(30)]


def write_letters(folder, form):
    """Write `ROWS` to a file in a format."""
    path = folder / f"letters.{form}"
    if form in ("csv", "tsv"):
        delimiter = "," if form == "csv" else "\t"
        lines = [delimiter.join(ROWS[0]), *(delimiter.join(row.values()) for row in ROWS)]
        path.write_text("\n".join(lines) + "\n")
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl"])
def test_a_typo_in_a_column_name_is_reported_with_the_columns_that_exist(tmp_path, form):
    path = write_letters(tmp_path, form)
    with pytest.raises(UsageError, match=r"value for 'yaer'.*'year'.*Did you mean year\?"):
        check_column(open_corpus(path), "yaer")
    check_column(open_corpus(path), "year")


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_a_header_lists_all_metadata_columns_without_the_text_column(tmp_path, form):
    path = write_letters(tmp_path, form)
    check_column(open_corpus(path), "place")  # it exists, although all its values are empty
    for name in ("decade", "text"):
        with pytest.raises(UsageError, match=f"value for '{name}'"):
            check_column(open_corpus(path), name)


def test_training_by_an_unknown_column_reads_nothing_and_creates_no_folder(tmp_path):
    path = write_letters(tmp_path, "csv")
    with path.open("a") as file:
        file.write("one,two\n")  # reading this row would fail
    with pytest.raises(UsageError, match="Did you mean year"):
        wg.train(path, tmp_path / "models", by="yaer", method="ppmi-svd")
    assert not (tmp_path / "models").exists()


def test_a_column_that_only_later_documents_have_is_accepted(tmp_path):
    path = tmp_path / "letters.jsonl.gz"
    later = [{"text": "the sea was high"}] * 1500 + [{"text": "calm", "decade": "1840"}]
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in later).encode()))
    check_column(open_corpus(path), "decade")
    trained = wg.train(
        path, tmp_path / "m", by="decade", method="ppmi-svd", min_count=1, min_size=0, dim=2,
        bootstrap=0, workers=1,
    )  # fmt: skip
    assert list(trained.groups) == ["1840"]
    with pytest.raises(UsageError, match="has a value for 'colour'; the columns are"):
        wg.train(path, tmp_path / "n", by="colour", method="ppmi-svd")


def test_a_folder_has_the_columns_of_all_its_files_and_their_paths(tmp_path):
    write_letters(tmp_path, "csv")
    (tmp_path / "more.tsv").write_text("text\tport\nthe sea\tDover\n")
    (tmp_path / "empty.csv").write_text("")
    corpus = open_corpus(tmp_path)
    for name in ("year", "port", "file", "folder"):
        check_column(corpus, name)
    with pytest.raises(UsageError, match="Did you mean port"):
        check_column(corpus, "prt")


def test_the_columns_of_plain_text_and_of_documents_in_memory_are_known(tmp_path):
    (tmp_path / "a.txt").write_text("the sea")
    check_column(open_corpus(tmp_path / "a.txt"), "file")
    with pytest.raises(UsageError, match="value for 'author'; the columns are 'file'"):
        check_column(open_corpus(tmp_path / "a.txt"), "author")
    texts = [Document("the sea", {}), Document("the sea", {"year": "1840"})]
    check_column(open_corpus(texts), "year")
    with pytest.raises(UsageError, match="value for 'author'; the columns are 'year'"):
        check_column(open_corpus(texts), "author")
