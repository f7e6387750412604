"""Whatever a file holds, a reader gives documents or raises one of the project's own errors."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass.corpus import Tokenizer, open_corpus
from weatherglass.errors import WeatherglassError

ENDINGS = [".txt", ".csv", ".tsv", ".jsonl", ".parquet", ".xml", ".json", "", ".txt.gz", ".xml.gz"]
TEI = b"<TEI><teiHeader><title>t</title></teiHeader><text><body><p>one</p></body></text></TEI>"
_fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def valid(tmp_path_factory):
    """The bytes of a good file of each kind."""
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


def survives(folder, ending, content, **options):
    path = folder / f"fuzz{ending}"
    path.write_bytes(content)
    try:
        for document in open_corpus(path, **options):
            assert isinstance(document.text, str)
            document.text.encode()
            Tokenizer()(document.text)
            assert all(type(value) is str for value in document.meta.values())
    except WeatherglassError:
        return


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_damaged_file_is_read_or_refused(tmp_path, valid, ending):
    changes = st.lists(
        st.tuples(st.integers(0, 10**4), st.binary(max_size=4), st.integers(0, 20)), max_size=5
    )

    @settings(_fuzz, max_examples=60)
    @given(changes)
    def check(made):
        content = bytearray(valid[ending])
        for place, new, gone in made:
            at = place % (len(content) + 1)
            content[at : at + gone] = new
        survives(tmp_path, ending, bytes(content))

    survives(tmp_path, ending, valid[ending])
    check()


@settings(_fuzz, max_examples=200)
@given(
    st.sampled_from(ENDINGS),
    st.one_of(st.binary(max_size=200), st.text('{}[]<>/",\n\r\ttexTEI&;!?=a1\0é', max_size=100)),
    st.sampled_from([None, "lines", "paragraphs", "n"]),
)
def test_arbitrary_content_is_read_or_refused(tmp_path, ending, content, unit):
    data = content.encode() if isinstance(content, str) else content
    survives(tmp_path, ending, data, documents=unit)


@pytest.mark.parametrize("half", ['"\\ud800"', '"a\\udfff b"'])
def test_halves_of_characters_are_replaced(tmp_path, half):
    survives(tmp_path, ".jsonl", f'{{"text": {half}, "n": {half}}}'.encode())


@settings(_fuzz, max_examples=100)
@given(
    st.sampled_from([".csv", ".tsv", ".jsonl", ".parquet"]),
    st.one_of(st.binary(max_size=100), st.text('{}",\n\r\tfile.tx{}:\0é', max_size=60)),
    st.sampled_from([None, "lines", "n"]),
)
def test_arbitrary_facts_about_files_are_read_or_refused(tmp_path, ending, content, unit):
    (tmp_path / "e").write_text("one")
    data = content.encode() if isinstance(content, str) else content
    about = tmp_path / f"about{ending}"
    for start in (b"", b"file,n\n", b'{"file": "e", "n": 1}\n'):
        about.write_bytes(start + data)
        survives(tmp_path, "", b"one", about=about, documents=unit)
