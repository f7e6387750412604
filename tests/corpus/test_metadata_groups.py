"""A mistyped column is noticed before the corpus is read."""

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


def write(folder, form):
    path = folder / f"letters.{form}"
    if form in ("csv", "tsv"):
        sep = "," if form == "csv" else "\t"
        lines = [sep.join(ROWS[0]), *(sep.join(row.values()) for row in ROWS)]
        path.write_text("\n".join(lines) + "\n")
    elif form == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "jsonl"])
def test_a_slip_of_the_pen_is_told_with_the_columns_there_are(tmp_path, form):
    path = write(tmp_path, form)
    with pytest.raises(UsageError, match=r"value for 'yaer'.*'year'.*Did you mean year\?"):
        check_column(open_corpus(path), "yaer")
    check_column(open_corpus(path), "year")


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet"])
def test_a_header_knows_all_columns_and_the_text_is_none_of_them(tmp_path, form):
    path = write(tmp_path, form)
    check_column(open_corpus(path), "place")  # empty here, but it is there
    for name in ("decade", "text"):
        with pytest.raises(UsageError, match=f"value for '{name}'"):
            check_column(open_corpus(path), name)


def test_nothing_is_read_and_no_folder_made_for_a_column_that_is_not_there(tmp_path):
    path = write(tmp_path, "csv")
    with path.open("a") as file:
        file.write("one,two\n")  # reading would stumble here
    with pytest.raises(UsageError, match="Did you mean year"):
        wg.train(path, tmp_path / "models", by="yaer", method="ppmi-svd")
    assert not (tmp_path / "models").exists()


def test_documents_that_come_later_may_know_more(tmp_path):
    path = tmp_path / "letters.jsonl.gz"
    later = [{"text": "the sea was high"}] * 1500 + [{"text": "calm", "decade": "1840"}]
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in later).encode()))
    check_column(open_corpus(path), "decade")
    trained = wg.train(
        path, tmp_path / "m", by="decade", method="ppmi-svd", min_count=1, min_size=0, dim=2,
        bootstrap=0, workers=1,
    )  # fmt: skip
    assert list(trained.groups) == ["1840"]
    with pytest.raises(UsageError, match="has a value for 'colour'; what is known of them is"):
        wg.train(path, tmp_path / "n", by="colour", method="ppmi-svd")


def test_a_folder_has_the_columns_of_all_its_files_and_their_places(tmp_path):
    write(tmp_path, "csv")
    (tmp_path / "more.tsv").write_text("text\tport\nthe sea\tDover\n")
    (tmp_path / "empty.csv").write_text("")
    corpus = open_corpus(tmp_path)
    for name in ("year", "port", "file", "folder"):
        check_column(corpus, name)
    with pytest.raises(UsageError, match="Did you mean port"):
        check_column(corpus, "prt")


def test_plain_text_and_texts_in_memory(tmp_path):
    (tmp_path / "a.txt").write_text("the sea")
    check_column(open_corpus(tmp_path / "a.txt"), "file")
    with pytest.raises(UsageError, match="value for 'author'; what is known of them is 'file'"):
        check_column(open_corpus(tmp_path / "a.txt"), "author")
    texts = [Document("the sea", {}), Document("the sea", {"year": "1840"})]
    check_column(open_corpus(texts), "year")
    with pytest.raises(UsageError, match="value for 'author'; what is known of them is 'year'"):
        check_column(open_corpus(texts), "author")
