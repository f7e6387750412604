"""Opening corpora: every format gives its documents, and errors are plain sentences."""

import gzip
import json
import lzma
import tracemalloc
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weatherglass.corpus import Corpus, Document, open_corpus
from weatherglass.errors import BadContent, SourceNotFound, TooLarge, UsageError

ROWS = [
    {"text": "The sea was calm.", "year": "1840", "author": "Ann"},
    {"text": 'She said: "No,\nnever."', "year": "1841", "author": "Bea"},
    {"text": "Ça va, naïve æther.", "year": "1841", "author": ""},
]


def texts(corpus):
    """Return the texts of a corpus."""
    return [document.text for document in corpus]


def write_table(path, column="text"):
    """Write `ROWS` to a file, in the format of its suffix."""
    rows = [{column: row["text"], "year": row["year"], "author": row["author"]} for row in ROWS]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in rows))
    else:
        import csv

        with path.open("w", newline="") as file:
            delimiter = "\t" if path.suffix == ".tsv" else ","
            writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(rows)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_a_table_gives_its_texts_and_their_metadata(tmp_path, suffix):
    corpus = open_corpus(write_table(tmp_path / f"t{suffix}"))
    expected = [
        Document(row["text"], {k: v for k, v in row.items() if v and k != "text"}) for row in ROWS
    ]
    assert list(corpus) == expected
    assert list(corpus) == expected  # a corpus can be read again


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_the_text_column_can_be_named_and_is_requested_if_there_is_no_default(tmp_path, suffix):
    path = write_table(tmp_path / f"t{suffix}", column="body")
    assert texts(open_corpus(f"{path}?text=body")) == [row["text"] for row in ROWS]
    assert texts(open_corpus(path, text="body")) == [row["text"] for row in ROWS]
    with pytest.raises(BadContent, match=r"'body', 'year', 'author'.*\?text=COLUMN"):
        list(open_corpus(path))
    with pytest.raises(UsageError, match=r"no column 'bodi'.*Did you mean body\?"):
        list(open_corpus(path, text="bodi"))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_neighbouring_rows_with_the_same_value_can_be_joined_to_a_document(tmp_path, suffix):
    corpus = open_corpus(write_table(tmp_path / f"t{suffix}"), documents="year")
    first, second = corpus
    assert first.text == ROWS[0]["text"]
    assert second.text == f"{ROWS[1]['text']}\n{ROWS[2]['text']}"
    assert second.meta == {"year": "1841", "author": "Bea"}


def test_rows_without_a_value_in_the_joining_column_stay_separate_documents(tmp_path):
    (tmp_path / "t.csv").write_text("text,id\na,1\nb,\nc,\nd,2\ne,2\n")
    assert texts(open_corpus(tmp_path / "t.csv", documents="id")) == ["a", "b", "c", "d\ne"]


def test_numbers_of_json_and_parquet_become_text_and_missing_values_are_dropped(tmp_path):
    (tmp_path / "t.jsonl").write_text(
        '{"text": "a", "n": 3, "x": 1.5, "t": true, "none": null, "list": [1]}\n\n{"text": null}\n'
    )
    assert list(open_corpus(tmp_path / "t.jsonl")) == [
        Document("a", {"n": "3", "x": "1.5", "t": "true"})
    ]
    table = {"text": ["a"], "n": [3], "none": pa.array([None], pa.string()), "list": [[1]]}
    table["kind"] = pa.array(["k"]).dictionary_encode()
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    assert list(open_corpus(tmp_path / "t.parquet")) == [Document("a", {"n": "3", "kind": "k"})]


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("file", ["One\ntwo.\n\nThree.\n"]),
        ("lines", ["One", "two.", "Three."]),
        ("paragraphs", ["One\ntwo.\n", "Three.\n"]),
    ],
)
def test_a_document_of_plain_text_is_a_file_a_line_or_a_paragraph(tmp_path, unit, expected):
    path = tmp_path / "a.txt"
    path.write_text("One\ntwo.\n\nThree.\n")
    assert texts(open_corpus(path, documents=unit)) == expected
    assert {document.meta["file"] for document in open_corpus(path)} == {"a.txt"}


def test_a_folder_is_read_in_the_order_of_names_and_lists_the_files_left_out(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden.txt").write_text("no")
    (tmp_path / "b" / "two.txt").write_text("Two.")
    (tmp_path / "one.txt.gz").write_bytes(gzip.compress(b"One."))
    (tmp_path / "empty.txt").write_bytes(b"")
    (tmp_path / "c.jsonl").write_text('{"text": "Three.", "file": "own"}')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    corpus = open_corpus(tmp_path)
    assert list(corpus) == [
        Document("Three.", {"file": "own"}),
        Document("One.", {"file": "one.txt.gz"}),
        Document("Two.", {"file": "b/two.txt", "folder": "b"}),
    ]
    assert corpus.left_out == ("picture.png",)


@pytest.mark.parametrize("compression", ["gz", "xz", "zst", "zip"])
def test_compressed_files_are_read_like_plain_ones(tmp_path, compression):
    plain = write_table(tmp_path / "t.csv")
    path = tmp_path / f"t.csv.{compression}"
    content = plain.read_bytes()
    if compression == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inside.csv", content)
    elif compression == "zst":
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(content)
    else:
        path.write_bytes({"gz": gzip, "xz": lzma}[compression].compress(content))
    assert list(open_corpus(path)) == list(open_corpus(plain))


def test_the_format_is_detected_from_the_content_if_the_name_does_not_tell(tmp_path):
    for name, content, expected in [
        ("rows", b'{"text": "a"}\n', "a"),
        ("book", b"<?xml version='1.0'?><TEI><text><p>b</p></text></TEI>", "b"),
        ("notes", b"c", "c"),
    ]:
        (tmp_path / name).write_bytes(content)
        assert texts(open_corpus(tmp_path / name)) == [expected]
    (tmp_path / "rows.dat").write_text("text,n\nd,1\n")
    assert texts(open_corpus(f"{tmp_path / 'rows.dat'}?format=csv")) == ["d"]


def test_bytes_that_are_not_of_the_named_encoding_are_refused_with_their_place(tmp_path):
    path = tmp_path / "letters.txt"
    path.write_bytes("Caf\xe9 noir".encode("latin-1"))
    with pytest.raises(BadContent, match=r"line 1: byte 0xe9 is not UTF-8.*txt\?encoding=latin-1"):
        list(open_corpus(path, encoding="utf-8"))
    assert texts(open_corpus(f"{path}?encoding=latin-1")) == ["Café noir"]
    path.write_bytes("ok\nok\nCaf\xe9\n".encode("latin-1"))
    with pytest.raises(BadContent, match=r"line 3: byte 0xe9 is not UTF-8"):
        list(open_corpus(path, documents="lines", encoding="utf-8"))
    with pytest.raises(UsageError, match="no text encoding 'klingon'"):
        open_corpus(path, encoding="klingon")


def test_one_odd_byte_does_not_stop_a_folder_nor_change_its_other_files(tmp_path):
    (tmp_path / "a.txt").write_text("Zürich cost £5", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes(b"It cost \xa35 \x96 naturally")
    (tmp_path / "c.csv").write_bytes("text,n\nfa\xe7ade,1\nna\xefve,2\n".encode("latin-1"))
    (tmp_path / "d.xml").write_bytes(
        b"<?xml version='1.0' encoding='UTF-8'?>"
        b"<TEI><text><p>caf\xe9 \xc3\xa9t\xc3\xa9</p></text></TEI>"
    )
    (tmp_path / "e.xml").write_bytes(
        b"<?xml version='1.0' encoding='iso-8859-1'?><TEI><text><p>caf\xe9</p></text></TEI>"
    )
    corpus = open_corpus(tmp_path)
    assert texts(corpus) == [
        "Zürich cost £5", "It cost £5 – naturally", "façade", "naïve", "café été", "café",
    ]  # fmt: skip
    assert corpus.notes() == [
        "3 files are not all UTF-8, and 5 bytes were read as Windows-1252 ('b.txt', 'c.csv', "
        "'d.xml'); ?encoding= names another encoding"
    ]


def test_a_whole_file_in_latin_1_is_read_as_itself(tmp_path):
    text = "Über die schöne Straße führt der Weg nach Köln. " * 200
    (tmp_path / "de.txt").write_bytes(text.encode("latin-1"))
    assert texts(open_corpus(tmp_path)) == [text]


def test_a_file_of_another_script_is_refused_not_misread(tmp_path):
    path = tmp_path / "ru.txt"
    path.write_bytes(("Все счастливые семьи похожи друг на друга. " * 20).encode("cp1251"))
    with pytest.raises(BadContent, match=r"is not UTF-8: .* Name the file's encoding"):
        list(open_corpus(path))
    assert "счастливые" in texts(open_corpus(f"{path}?encoding=cp1251"))[0]


def test_corpus_info_and_training_say_which_files_were_not_utf_8(run, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_bytes(b"one pound \xa31 " * 20)
    info = run("corpus", "info", tmp_path / "texts").out
    assert "20 bytes were read as Windows-1252" in info
    ran = run("train", tmp_path / "texts", "-o", tmp_path / "m", "--dim", "2", "--bootstrap", "0")
    assert "20 bytes were read as Windows-1252" in ran.err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_sets_the_encoding_and_is_not_part_of_the_text(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes("text,n\nnaïve,1\n".encode(encoding))
    assert list(open_corpus(path)) == [Document("naïve", {"n": "1"})]


@pytest.mark.parametrize("suffix", [".txt", ".csv", ".jsonl", ".xml"])
def test_a_file_without_text_is_refused(tmp_path, suffix):
    path = tmp_path / f"none{suffix}"
    for content in ("", " \n"):
        path.write_text(content)
        with pytest.raises(BadContent):
            list(open_corpus(path))


def test_a_corpus_without_text_is_refused_as_empty(tmp_path):
    for corpus in (Corpus.of([]), Corpus.of([" ", "\n"])):
        with pytest.raises(BadContent, match="empty corpus"):
            list(corpus)
    (tmp_path / "t.csv").write_text("text,n\n,1\n")
    with pytest.raises(BadContent, match="empty corpus"):
        list(open_corpus(tmp_path / "t.csv"))


def test_a_folder_without_a_readable_file_is_refused_with_the_names_of_its_files(tmp_path):
    (tmp_path / "a.png").write_bytes(b"x")
    with pytest.raises(BadContent, match=r"'a\.png'.*\.jsonl.*\?format=text"):
        open_corpus(tmp_path)
    assert texts(open_corpus(f"{tmp_path}?format=text")) == ["x"]
    (tmp_path / "sub").mkdir()
    with pytest.raises(BadContent, match="there is nothing"):
        open_corpus(tmp_path / "sub")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "text,n\na,1,2\n", r"line 2: has 3 columns; the header has 2"),
        ("t.csv", 'text,n\n"a,1\n', r"line 2: not a table"),
        ("t.jsonl", '{"text": "a"}\n{"text": \n', r"line 2: not JSON"),
        ("t.jsonl", "[1]\n", r"line 1: a JSON list; expected one object per line"),
        ("t.jsonl", '{"text": "a"}\n' + "[" * 100_000, r"line 2: not JSON"),
        ("t.parquet", "PAR1 no more", r"damaged or cut-off table"),
        ("t.parquet", "text", r"expected a Parquet file"),
        ("t.json", '[{"text": "a"}]', r"expected JSON Lines"),
        ("t.txt", "a\0b", r"NUL bytes: it is not text"),
        ("t.xml", "<TEI><text>", r"not well-formed XML"),
        ("t.xml", "<html/>", r"without a <TEI> element"),
    ],
)
def test_a_file_that_is_invalid_for_its_format_is_refused_with_the_place(
    tmp_path, name, content, message
):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(BadContent, match=message):
        list(open_corpus(path))


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("none.txt", SourceNotFound, "There is no file or folder"),
        ("a.txt?text=body", UsageError, "no option 'text'"),
        ("a.txt?documents=words", UsageError, "not one of file, lines, paragraphs"),
        ("a.txt?format=cvs", UsageError, r"Did you mean csv\?"),
        ("a.txt?encodign=utf-8", UsageError, r"Did you mean encoding\?"),
        ("st:model", SourceNotFound, "There is no file or folder"),
    ],
)
def test_a_wrong_name_or_option_is_refused_with_the_allowed_ones(
    tmp_path, monkeypatch, spec, error, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(error, match=message):
        list(open_corpus(spec))


def test_a_parquet_text_column_must_hold_text(tmp_path):
    pq.write_table(pa.table({"text": [[1, 2]]}), tmp_path / "t.parquet")
    with pytest.raises(BadContent, match="'text' is list"):
        list(open_corpus(tmp_path / "t.parquet"))


def test_the_fingerprint_of_a_corpus_covers_its_content_and_how_it_is_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One.\n\nTwo.")
    first = open_corpus(path).fingerprint()
    assert open_corpus(str(path)).fingerprint() == first
    assert open_corpus(path, documents="lines").fingerprint() != first
    path.write_text("One.\n\nTen.")
    assert open_corpus(path).fingerprint() != first
    assert Corpus.of(["a", "b"]).fingerprint() != Corpus.of(["ab"]).fingerprint()


def test_a_corpus_is_streamed_and_never_in_memory_as_a_whole(tmp_path):
    path = tmp_path / "big.jsonl.gz"
    line = json.dumps({"text": "the sea was calm and the sky was clear " * 250}) + "\n"
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(4000):
            file.write(line)
    tracemalloc.start()
    try:
        characters = sum(len(document.text) for document in open_corpus(path))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert characters > 38e6
    assert peak < 12e6


def test_a_document_longer_than_the_limit_is_refused_with_ways_to_split_it(tmp_path, monkeypatch):
    for module in ("format", "text"):
        monkeypatch.setattr(f"weatherglass.corpus.formats.{module}.MAX_DOCUMENT_CHARACTERS", 1000)
    (tmp_path / "a.txt").write_text("word " * 300)
    with pytest.raises(TooLarge, match=r"\?documents=lines"):
        list(open_corpus(tmp_path / "a.txt"))
    (tmp_path / "b.csv").write_text("text,id\n" + "word word word word,1\n" * 100)
    with pytest.raises(TooLarge):
        list(open_corpus(tmp_path / "b.csv", documents="id"))
    assert len(list(open_corpus(tmp_path / "b.csv"))) == 100


def test_texts_in_memory_are_a_corpus():
    corpus = open_corpus(Document(text, {"n": text}) for text in ("a", "b"))
    assert texts(corpus) == texts(corpus) == ["a", "b"]
    assert open_corpus(corpus) is corpus
    with pytest.raises(UsageError, match="one text"):
        Corpus.of("a b c")


def test_rows_of_a_document_that_are_not_consecutive_are_noted(run, tmp_path):
    """They are several documents, which would be resampled as if they were independent."""
    path = tmp_path / "speeches.csv"
    path.write_text("name,text\nTruman,a\nEisenhower,b\nTruman,c\n,d\n,e\nKennedy,f\nKennedy,g\n")
    corpus = open_corpus(path, documents="name")
    for _ in range(2):  # notes are about the last reading
        assert len(list(corpus)) == 6
        assert corpus.notes() == [
            "rows of the same 'name' that are not consecutive are several documents ('Truman' 2); "
            "sort the table by that column to join them"
        ]
    printed = run("corpus", "words", f"{path}?documents=name", "a", "--min-count", 1)
    assert "'Truman' 2" in printed.out + printed.err
    path.write_text("name,text\nTruman,a\nTruman,c\nEisenhower,b\n")
    list(corpus := open_corpus(path, documents="name"))
    assert corpus.notes() == []
