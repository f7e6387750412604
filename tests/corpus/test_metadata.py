"""A folder of texts and a table of what is known of them are one corpus."""

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


def table(folder, rows=ROWS, suffix=".csv"):
    path = folder.parent / f"about{suffix}"
    names = list(rows[0])
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    else:
        between = "\t" if suffix == ".tsv" else ","
        lines = [names, *([row[name] for name in names] for row in rows)]
        path.write_text("\n".join(between.join(line) for line in lines))
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_each_file_knows_what_the_table_says_in_its_order(letters, suffix):
    about = table(letters, suffix=suffix)
    corpus = open_corpus(f"{letters}?about={about}")
    assert list(corpus) == [
        Document("text c", {"file": "c.txt", "writer": "Ann", "year": "1840"}),
        Document("text in/a", {"file": "in/a.txt", "folder": "in", "writer": "Ann"}),
        Document("text b", {"file": "b.txt", "writer": "Bea", "year": "1841"}),
    ]
    assert corpus.left_out == ("unnamed.txt",)
    assert list(open_corpus(letters, about=about)) == list(corpus)


def test_files_with_the_same_value_can_be_one_document_wherever_they_stand(letters):
    (letters / "d.txt").write_text("text d")
    (letters / "e.txt").write_text("text e")
    apart = [ROWS[0], {"file": "d.txt", "writer": "", "year": ""}, ROWS[2], ROWS[1]]
    apart.append({"file": "e.txt", "writer": "", "year": ""})
    corpus = open_corpus(letters, about=table(letters, apart), documents="writer")
    texts = ["text c\ntext in/a", "text d", "text b", "text e"]
    assert [one.text for one in corpus] == texts
    assert [one.meta.get("writer") for one in corpus] == ["Ann", None, "Bea", None]


def test_lines_and_paragraphs_know_it_too(letters):
    (letters / "b.txt").write_text("one\ntwo\n")
    *_, last, after = open_corpus(letters, about=table(letters), documents="lines")
    assert (last.text, after.text) == ("one", "two")
    assert last.meta == after.meta == {"file": "b.txt", "writer": "Bea", "year": "1841"}


def test_the_table_has_the_last_word_and_one_file_is_enough(tmp_path):
    (tmp_path / "one.xml").write_text(TEI.format("calm"))
    (tmp_path / "about.csv").write_text("file,title,party\none.xml,Given,red\n")
    (one,) = open_corpus(tmp_path, about=tmp_path / "about.csv")
    assert one == Document("calm", {"file": "one.xml", "title": "Given", "party": "red"})


def test_a_table_inside_the_folder_is_no_text_and_not_left_out(letters):
    about = table(letters).rename(letters / "about.csv")
    assert open_corpus(letters, about=about).left_out == ("unnamed.txt",)


def test_the_fingerprint_follows_the_table(letters):
    before = open_corpus(letters, about=table(letters)).fingerprint()
    together = open_corpus(letters, about=table(letters), documents="writer").fingerprint()
    other = [ROWS[0] | {"writer": "Cleo"}, *ROWS[1:]]
    after = open_corpus(letters, about=table(letters, other)).fingerprint()
    assert len({before, together, after, open_corpus(letters).fingerprint()}) == 4


def test_a_column_of_the_table_can_divide_the_corpus(letters):
    corpus = open_corpus(letters, about=table(letters))
    check_column(corpus, "writer")
    with pytest.raises(UsageError, match=r"'file', 'folder', 'writer', 'year'.*mean writer"):
        check_column(corpus, "writr")


@pytest.mark.parametrize(
    ("content", "error", "sentence"),
    [
        ("file,writer\nc.tx,Ann\nd.txt,Ann\n", BadContent, r"'c\.tx', 'd\.txt'\. Did you mean c"),
        ("file,writer\nc.txt,Ann\nc.txt,Bea\n", BadContent, r"two rows for the file 'c\.txt'"),
        ("name,writer\nc.txt,Ann\n", UsageError, r"no column 'file'; its columns are 'name'"),
        ("file,writer\n", BadContent, r"empty corpus"),
        ("file,writer\n../about.csv,Ann\n", BadContent, r"not there: '\.\./about\.csv'"),
    ],
)
def test_a_table_that_does_not_fit_is_told(letters, content, error, sentence):
    about = letters.parent / "about.csv"
    about.write_text(content)
    with pytest.raises(error, match=sentence):
        list(open_corpus(letters, about=about))


def test_what_is_no_table_is_told(letters):
    with pytest.raises(SourceNotFound, match=r"no file '.*none\.csv' for about="):
        open_corpus(letters, about="none.csv")
    with pytest.raises(UsageError, match=r"is no table; about= takes CSV"):
        open_corpus(letters, about=letters / "b.txt")
    with pytest.raises(UsageError, match=r"no column 'writr'\. Did you mean writer"):
        open_corpus(letters, about=table(letters), documents="writr")
    with pytest.raises(UsageError, match=r"is not one of file, lines, paragraphs"):
        list(open_corpus(letters, about=table(letters), documents="chapters"))
