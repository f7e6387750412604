import csv
import io
import json

import pytest

import weatherglass as wg
from weatherglass.errors import BadContent, UsageError
from weatherglass.significance import benjamini_hochberg, holm

COLUMNS = ["model", "options", "test", "p_value", "effect_size"]
COLUMNS += ["num_targ1", "num_targ2", "num_attr1", "num_attr2"]


@pytest.fixture(scope="module")
def results():
    vectors = wg.open_vectors("default")
    made = [wg.weat(vectors, "weat6", influence=True, intervals=True), wg.weat(vectors, "weat7")]
    made.append(wg.weat(vectors, wg.Test(x=["no\tsuch"], y=["a", "b"], a=["c"], b=['"d"'])))
    made.append(wg.wefat(vectors, "wefat1"))
    return wg.Results.of(made).correct()


def test_json_tsv_csv_and_parquet_lose_nothing(results, tmp_path):
    assert wg.Results.from_json(results.to_json()) == results
    for delimiter in ("\t", ","):
        text = results.to_delimited(delimiter)
        assert wg.Results.from_delimited(text, delimiter) == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results


def test_json_has_the_documented_shape(results):
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


def test_correction_covers_the_tests_that_were_run(results):
    ran = [one for one in results if one.status == "done"]
    p = [one.pearson_p if one.measure == "wefat" else one.p.value for one in ran]
    assert {one.measure for one in ran} == {"weat", "wefat"}
    assert [one.p_holm for one in ran] == holm(p).tolist()
    assert [one.p_bh for one in ran] == benjamini_hochberg(p).tolist()
    assert all(one.p_holm is None for one in results if one.status == "not run")
    only = wg.Results.of([wg.weat(wg.open_vectors("default"), "weat6")]).correct("holm")
    assert only[0].p_bh is None
    with pytest.raises(UsageError, match="bonferroni"):
        results.correct("bonferroni")


def test_measures_with_a_p_value_are_part_of_the_family():
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
    assert [one.p_holm for one in results] == [*holm(p).tolist(), None]
    assert [one.p_bh for one in results] == [*benjamini_hochberg(p).tolist(), None]
    assert min(one.p_holm for one in results[:3]) == 3 * min(p)
    assert [row.get("p_holm") for row in results.to_rows()] == [one.p_holm for one in results]
    assert wg.Results.from_json(results.to_json()) == results


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"results": [{}]}', '{"results": [{"measure": "weat"}]}']
)
def test_what_is_not_a_result_set_is_refused(text):
    with pytest.raises(BadContent, match="not a result set"):
        wg.Results.from_json(text)
