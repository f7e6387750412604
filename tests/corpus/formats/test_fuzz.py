"""Whatever a file holds, a reader yields documents or raises a `WeatherglassError`."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.corpus import Document, Tokenizer, open_corpus
from weatherglass.errors import WeatherglassError

ENDINGS = [".txt", ".csv", ".tsv", ".jsonl", ".parquet", ".xml", ".json", "", ".txt.gz", ".xml.gz"]
TEI = b"<TEI><teiHeader><title>t</title></teiHeader><text><body><p>one</p></body></text></TEI>"
_fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """Return the bytes of a valid file of each format."""
    path = tmp_path_factory.mktemp("valid") / "t.parquet"
    pq.write_table(pa.table({"text": ["one two", "three"], "n": [1, 2]}), path)
    return {
        ".txt": b"one two\n\nthree",
        ".csv": b'text,n\n"one ""two""",1\nthree,2\n',
        ".tsv": b"text\tn\none two\t1\n",
        ".jsonl": b'{"text": "one two", "n": 1}\n{"text": "three"}\n',
        ".parquet": path.read_bytes(),
        ".xml": TEI,
        ".json": b'{"text": "one"}',
        "": b"one",
        ".txt.gz": gzip.compress(b"one two"),
        ".xml.gz": gzip.compress(TEI),
    }


def read_or_refuse(folder, ending, content, **options):
    """Read a file; return its documents, or None if it was refused."""
    documents = []
    path = folder / f"fuzz{ending}"
    path.write_bytes(content)
    try:
        for document in open_corpus(path, **options):
            assert isinstance(document.text, str)
            document.text.encode()
            Tokenizer()(document.text)
            assert all(type(value) is str for value in document.meta.values())
            documents.append(document)
    except WeatherglassError:
        return None
    return documents


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_damaged_corpus_file_is_read_or_refused(tmp_path, valid, ending):
    changes = st.lists(
        st.tuples(st.integers(0, 10**4), st.binary(max_size=4), st.integers(0, 20)), max_size=5
    )

    @settings(_fuzz, max_examples=60)
    @given(changes)
    def check(edits):
        content = bytearray(valid[ending])
        for offset, inserted, deleted in edits:
            start = offset % (len(content) + 1)
            content[start : start + deleted] = inserted
        read_or_refuse(tmp_path, ending, bytes(content))

    assert read_or_refuse(tmp_path, ending, valid[ending])
    check()


@settings(_fuzz, max_examples=200)
@given(
    st.sampled_from(ENDINGS),
    st.one_of(st.binary(max_size=200), st.text('{}[]<>/",\n\r\ttexTEI&;!?=a1\0é', max_size=100)),
    st.sampled_from([None, "lines", "paragraphs", "n"]),
)
def test_a_corpus_file_of_arbitrary_content_is_read_or_refused(tmp_path, ending, content, unit):
    data = content.encode() if isinstance(content, str) else content
    read_or_refuse(tmp_path, ending, data, documents=unit)


@pytest.mark.parametrize(
    ("escaped", "expected"), [('"\\ud800"', "?"), ('"a\\udfff b"', "a? b")], ids=["high", "low"]
)
def test_lone_surrogates_in_json_are_replaced_by_question_marks(tmp_path, escaped, expected):
    content = f'{{"text": {escaped}, "n": {escaped}}}'.encode()
    assert read_or_refuse(tmp_path, ".jsonl", content) == [Document(expected, {"n": expected})]


@settings(_fuzz, max_examples=100)
@given(
    st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]),
    st.one_of(st.binary(max_size=100), st.text('{}",\n\r\tfile.tx{}:\0é', max_size=60)),
    st.sampled_from([None, "lines", "n"]),
)
def test_a_metadata_table_of_arbitrary_content_is_read_or_refused(tmp_path, ending, content, unit):
    (tmp_path / "e").write_text("one")
    data = content.encode() if isinstance(content, str) else content
    about = tmp_path / f"about{ending}"
    for start in (b"", b"file,n\n", b'{"file": "e", "n": 1}\n'):
        about.write_bytes(start + data)
        read_or_refuse(tmp_path, "", b"one", about=about, documents=unit)
