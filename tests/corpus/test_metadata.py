"""A folder of texts and a table of metadata make a corpus."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weatherglass.corpus import Document, open_corpus
from weatherglass.corpus.metadata import check_column
from weatherglass.errors import BadContent, SourceNotFound, UsageError

TEI = "<TEI><teiHeader><title>Own</title></teiHeader><text><body><p>{}</p></body></text></TEI>"
ROWS = [
    {"file": "c.txt", "writer": "Ann", "year": "1840"},
    {"file": "in/a.txt", "writer": "Ann", "year": ""},
    {"file": "b.txt", "writer": "Bea", "year": "1841"},
]


@pytest.fixture
def letters(tmp_path):
    folder = tmp_path / "letters"
    (folder / "in").mkdir(parents=True)
    for name in ("in/a", "b", "c", "unnamed"):
        (folder / f"{name}.txt").write_text(f"text {name}")
    return folder


def write_metadata(folder, rows=ROWS, suffix=".csv"):
    """Write the rows to a table next to a folder, in the format of the suffix."""
    path = folder.parent / f"about{suffix}"
    names = list(rows[0])
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        delimiter = "\t" if suffix == ".tsv" else ","
        lines = [names, *([row[name] for name in names] for row in rows)]
        path.write_text("\n".join(delimiter.join(line) for line in lines))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_documents_have_the_metadata_of_the_table_and_follow_its_order(letters, suffix):
    about = write_metadata(letters, suffix=suffix)
    corpus = open_corpus(f"{letters}?about={about}")
    assert list(corpus) == [
        Document("text c", {"file": "c.txt", "writer": "Ann", "year": "1840"}),
        Document("text in/a", {"file": "in/a.txt", "folder": "in", "writer": "Ann"}),
        Document("text b", {"file": "b.txt", "writer": "Bea", "year": "1841"}),
    ]
    assert corpus.left_out == ("unnamed.txt",)
    assert list(open_corpus(letters, about=about)) == list(corpus)


def test_files_with_the_same_value_can_be_joined_wherever_the_table_names_them(letters):
    (letters / "d.txt").write_text("text d")
    (letters / "e.txt").write_text("text e")
    rows = [ROWS[0], {"file": "d.txt", "writer": "", "year": ""}, ROWS[2], ROWS[1]]
    rows.append({"file": "e.txt", "writer": "", "year": ""})
    corpus = open_corpus(letters, about=write_metadata(letters, rows), documents="writer")
    texts = ["text c\ntext in/a", "text d", "text b", "text e"]
    assert [document.text for document in corpus] == texts
    assert [document.meta.get("writer") for document in corpus] == ["Ann", None, "Bea", None]


def test_lines_of_a_file_have_the_metadata_of_the_file(letters):
    (letters / "b.txt").write_text("one\ntwo\n")
    *_, first, second = open_corpus(letters, about=write_metadata(letters), documents="lines")
    assert (first.text, second.text) == ("one", "two")
    assert first.meta == second.meta == {"file": "b.txt", "writer": "Bea", "year": "1841"}


def test_the_table_overrides_the_metadata_in_a_file_even_of_a_single_file(tmp_path):
    (tmp_path / "one.xml").write_text(TEI.format("calm"))
    (tmp_path / "about.csv").write_text("file,title,party\none.xml,Given,red\n")
    (document,) = open_corpus(tmp_path, about=tmp_path / "about.csv")
    assert document == Document("calm", {"file": "one.xml", "title": "Given", "party": "red"})


def test_a_metadata_table_inside_the_folder_is_neither_read_as_text_nor_left_out(letters):
    about = write_metadata(letters).rename(letters / "about.csv")
    assert open_corpus(letters, about=about).left_out == ("unnamed.txt",)


def test_the_fingerprint_of_a_corpus_covers_its_metadata_table(letters):
    before = open_corpus(letters, about=write_metadata(letters)).fingerprint()
    joined = open_corpus(letters, about=write_metadata(letters), documents="writer").fingerprint()
    other = [ROWS[0] | {"writer": "Cleo"}, *ROWS[1:]]
    after = open_corpus(letters, about=write_metadata(letters, other)).fingerprint()
    assert len({before, joined, after, open_corpus(letters).fingerprint()}) == 4


def test_a_column_of_the_metadata_table_can_divide_the_corpus(letters):
    corpus = open_corpus(letters, about=write_metadata(letters))
    check_column(corpus, "writer")
    with pytest.raises(UsageError, match=r"'file', 'folder', 'writer', 'year'.*mean writer"):
        check_column(corpus, "writr")


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("file,writer\nc.tx,Ann\nd.txt,Ann\n", BadContent, r"'c\.tx', 'd\.txt'\. Did you mean c"),
        ("file,writer\nc.txt,Ann\nc.txt,Bea\n", BadContent, r"duplicate row for the file 'c\.txt'"),
        ("name,writer\nc.txt,Ann\n", UsageError, r"no column 'file'; its columns are 'name'"),
        ("file,writer\n", BadContent, r"empty corpus"),
        ("file,writer\n../about.csv,Ann\n", BadContent, r"do not exist: '\.\./about\.csv'"),
    ],
)
def test_a_metadata_table_that_does_not_fit_the_files_is_refused(letters, content, error, message):
    about = letters.parent / "about.csv"
    about.write_text(content)
    with pytest.raises(error, match=message):
        list(open_corpus(letters, about=about))


def test_a_missing_or_unreadable_metadata_table_is_refused(letters):
    with pytest.raises(SourceNotFound, match=r"no file '.*none\.csv' for about="):
        open_corpus(letters, about="none.csv")
    with pytest.raises(UsageError, match=r"is not a table; about= takes CSV"):
        open_corpus(letters, about=letters / "b.txt")
    with pytest.raises(UsageError, match=r"no column 'writr'\. Did you mean writer"):
        open_corpus(letters, about=write_metadata(letters), documents="writr")
    with pytest.raises(UsageError, match=r"is not one of file, lines, paragraphs"):
        list(open_corpus(letters, about=write_metadata(letters), documents="chapters"))
