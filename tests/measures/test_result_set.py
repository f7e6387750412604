"""Result sets: typed access, correction, and JSON, TSV, CSV, Parquet and Arrow without loss."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

import weatherglass as wg
from weatherglass.errors import BadContent, UsageError
from weatherglass.significance import benjamini_hochberg, holm

COLUMNS = ["model", "options", "test", "p_value", "effect_size"]
COLUMNS += ["num_targ1", "num_targ2", "num_attr1", "num_attr2"]


@pytest.fixture(scope="module")
def results():
    vectors = wg.open_vectors("default")
    measured = [wg.weat(vectors, "weat6", influence=True, intervals=True)]
    measured.append(wg.weat(vectors, "weat7"))
    measured.append(wg.weat(vectors, wg.Test(x=["no\tsuch"], y=["a", "b"], a=["c"], b=['"d"'])))
    measured.append(wg.wefat(vectors, "wefat1"))
    return wg.Results.of(measured).correct()


def test_results_round_trip_through_json_tsv_csv_and_parquet(results, tmp_path):
    assert wg.Results.from_json(results.to_json()) == results
    for delimiter in ("\t", ","):
        text = results.to_delimited(delimiter, record=True)
        assert wg.Results.from_delimited(text, delimiter) == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results


def test_a_table_without_records_cannot_be_read_back(results):
    with pytest.raises(BadContent, match="no column record"):
        wg.Results.from_delimited(results.to_delimited())


@pytest.mark.parametrize("word", ["=cmd|calc", "@SUM(A1)", "+1+1", "-2+3", "\tx"])
def test_cells_that_a_spreadsheet_would_run_get_an_apostrophe(word):
    vectors = wg.Vectors.of(list("abcdef"), np.random.default_rng(0).normal(size=(6, 4)))
    test = wg.Test(x=["b", "c"], y=["d", "e"], a=["a", word], b=["f"])  # one word is missing
    results = wg.Results.of([wg.weat(vectors, test, max_missing=0.5)])
    for delimiter in ("\t", ","):
        text = results.to_delimited(delimiter)
        (row,) = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
        assert row["missing"] == "'" + word
        assert float(row["effect_size"]) == results[0].effect
        raw = results.to_delimited(delimiter, raw_cells=True)
        (row,) = csv.DictReader(io.StringIO(raw, newline=""), delimiter=delimiter)
        assert row["missing"] == word


def test_the_json_of_results_has_the_documented_keys(results):
    document = json.loads(results.to_json())
    assert document["weatherglass"] == wg.__version__
    assert document["source"]["name"] == "default"
    first = document["results"][0]
    assert {"value", "low", "high", "method"} <= first["p"].keys()
    assert first["n"] == {"X": 8, "Y": 8, "A": 8, "B": 8}
    assert first["missing"] == {"X": [], "Y": [], "A": [], "B": []}
    assert first["published"]["effect"] == 1.81
    assert "NaN" not in results.to_json()


def test_tsv_begins_with_the_columns_of_the_sentence_bias_work(results):
    rows = list(csv.reader(io.StringIO(results.to_delimited()), delimiter="\t"))
    assert rows[0][:9] == COLUMNS
    assert float(rows[1][3]) == results[0].p.value
    assert float(rows[1][4]) == results[0].effect


def test_correction_covers_all_tests_that_were_run(results):
    done = [result for result in results if result.is_done]
    p = [result.pearson_p if result.measure == "wefat" else result.p.value for result in done]
    assert {result.measure for result in done} == {"weat", "wefat"}
    assert [result.p_holm for result in done] == holm(p).tolist()
    assert [result.p_bh for result in done] == benjamini_hochberg(p).tolist()
    assert all(result.p_holm is None for result in results if result.status == "not run")
    only = wg.Results.of([wg.weat(wg.open_vectors("default"), "weat6")]).correct("holm")
    assert only[0].p_bh is None
    with pytest.raises(UsageError, match="bonferroni"):
        results.correct("bonferroni")


def test_measures_with_a_p_value_are_part_of_the_corrected_family():
    """Three tests of three kinds: Holm multiplies the smallest p-value by three."""
    vectors = wg.open_vectors("default")
    sets = {"X": ["nurse", "maid"], "A": "female_1-Caliskan_et_al_2017"}
    sets["B"] = "male_1-Caliskan_et_al_2017"
    results = wg.Results.of(
        [
            wg.weat(vectors, "weat6"),
            wg.wefat(vectors, "wefat1"),
            wg.measure(vectors, "sc-weat", sets),
            wg.measure(vectors, "rnd", sets),
        ]
    ).correct()
    p = [results[0].p.value, results[1].pearson_p, results[2].p.value]
    corrected = [result.p_holm for result in results]
    assert corrected == [*holm(p).tolist(), None]
    assert [result.p_bh for result in results] == [*benjamini_hochberg(p).tolist(), None]
    assert min(corrected[:3]) == 3 * min(p)
    assert [row.get("p_holm") for row in results.to_rows()] == corrected
    assert wg.Results.from_json(results.to_json()) == results


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"results": [{}]}', '{"results": [{"measure": "weat"}]}'),
        '{"results": [{"measure": "lint"}]}',  # a result, but not of a measure
    ],
)
def test_text_that_is_no_result_set_is_refused(text):
    with pytest.raises(BadContent, match="not a result set"):
        wg.Results.from_json(text)


def test_an_index_gives_a_result_and_a_slice_a_result_set(results):
    assert results[0] is results.results[0]
    assert results[-1].measure == "wefat"
    assert results[:2] == wg.Results.of([results[0], results[1]])
    assert isinstance(results[1:], wg.Results)
    assert list(results) == [results[i] for i in range(len(results))]


def test_the_repr_counts_results_by_measure(results):
    assert repr(results) == "<Results: 3 weat, 1 wefat>"
    assert repr(results[:0]) == "<Results: none>"


def test_pyarrow_takes_results_directly(results):
    table = pa.table(results)
    assert table == results.to_table()
    assert table.column("test").to_pylist() == [result.test for result in results]
    assert pa.table(results[0]).num_rows == 1


def test_duckdb_takes_results_directly(results):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is a development tool")
    rows = duckdb.sql("select test, effect_size from results where status = 'done' order by 1")
    assert rows.fetchall() == sorted((r.test, r.value) for r in results if r.is_done)


def test_polars_takes_results_directly(results):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(results)
    assert frame["effect_size"].to_list() == [result.value for result in results]


def test_pandas_takes_results_directly(results):
    pandas = pytest.importorskip("pandas", "3.0", reason="pandas 3 is not installed")
    frame = pandas.DataFrame.from_arrow(results)
    assert frame["test"].to_list() == [result.test for result in results]


LOOP = """
import weatherglass as wg

vectors = wg.open_vectors("default")
results = wg.Results.of(wg.weat(vectors, id) for id in ("weat6", "weat7")).correct("holm")
for result in results:
    if result.p is not None and result.effect is not None:
        print(result.title, round(result.effect, 2), result.p.value, result.p_holm)
first: wg.WeatResult = results[0]
rest: wg.Results[wg.WeatResult] = results[1:]
for sentence_result in wg.seat(wg.open_encoder("cbow:default"), ["weat6", "sent-weat6"]):
    print(sentence_result.n_words["X"], sentence_result.p_by_word)
test: wg.WeatResult = wg.measure(vectors, "weat", {"X": ["a", "b"], "Y": ["c"], "A": [], "B": []})
other = wg.measure(vectors, "rnd", {"X": ["nurse"], "A": ["she"], "B": ["he"]})
for word, score in other.ranked():
    print(word.upper(), round(score, 3))
for any_result in wg.Results.from_json(results.to_json()):
    print(any_result.sentence(), any_result.row()["test"], any_result.value)
"""


@pytest.mark.slow
def test_loops_over_results_pass_mypy_strict(tmp_path):
    (tmp_path / "loop.py").write_text(LOOP)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "loop.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (
        0,
        ["Success: no issues found in 1 source file"],
    ), done.stdout
