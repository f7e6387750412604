"""How much of a result survives without word frequency."""

import dataclasses

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError

DIM, COUNT = 10, 2000


def by_frequency():
    """Vectors that know a word's rank and nothing else."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((COUNT, DIM)) / 5
    rows[:, 0] += np.log(np.arange(1, COUNT + 1)) - 6
    return wg.Vectors.of([f"w{i}" for i in range(COUNT)], rows)


def words(start):
    return [f"w{i}" for i in range(start, start + 16)]


FREQUENT_AND_RARE = wg.Test(x=words(20), y=words(1500), a=words(60), b=words(1800))


@pytest.fixture(scope="module")
def default():
    vectors = wg.open_vectors("default")
    return vectors, wg.control(vectors, "frequency")


def test_an_effect_that_is_only_frequency_does_not_survive():
    result = wg.weat(by_frequency(), FREQUENT_AND_RARE, control="frequency")
    assert result.effect > 1.5
    assert result.control["method"] == "frequency"
    assert abs(result.control["effect"]) < 0.6
    assert result.control["survives"] == result.control["effect"] / result.effect
    assert result.p.value < 1e-6 < 0.01 < result.control["p"]


def test_a_correlation_that_is_only_frequency_does_not_survive():
    facts = {f"w{i}": np.log(i) for i in range(10, 1500, 30)}
    test = wg.FactualTest(a=words(1600), b=words(2), facts=facts)
    result = wg.wefat(by_frequency(), test, control="frequency")
    assert result.pearson > 0.7
    assert abs(result.control["pearson"]) < 0.4
    assert result.control["survives"] == result.control["pearson"] / result.pearson
    assert result.control["p"] > 0.01 > result.pearson_p


@pytest.mark.parametrize("id", ["weat6", "wefat1"])
def test_the_result_stays_and_the_control_is_the_measure_on_controlled_vectors(default, id):
    vectors, pair = default
    measure = wg.weat if id == "weat6" else wg.wefat
    plain, again = measure(vectors, id), measure(pair[0], id)
    result = measure(vectors, id, control=pair)
    name, p = ("effect", again.p.value) if id == "weat6" else ("pearson", again.pearson_p)
    assert result.control[name] == getattr(again, name)
    assert result.control["p"] == p
    assert result.control | dataclasses.asdict(pair[1]) == result.control
    assert result.options == plain.options | {"control": "frequency"}
    assert dataclasses.replace(result, control=None, options=plain.options) == plain


def test_names_lose_more_than_jobs_when_frequency_goes(default):
    """Rare names are near the unpleasant words because both are rare, in part."""
    vectors, pair = default
    survives = {
        id: wg.weat(vectors, id, control=pair).control["survives"] for id in ("weat3", "weat6")
    }
    assert survives["weat3"] < 0.75 < 0.95 < survives["weat6"]


def test_a_part_of_the_source_is_enough_where_the_control_was_made_of_all(default):
    vectors, pair = default
    test = wg.test("weat6")
    asked = [word.lower() for one in test.sets.values() for word in one.words]
    part = vectors.subset(asked)
    assert wg.weat(part, test, control=pair) == wg.weat(vectors, test, control=pair)
    with pytest.raises(CannotMeasure, match="only some of its words"):
        wg.weat(part, test, control="frequency")


def test_where_nothing_is_done_there_are_no_numbers():
    rows = np.random.default_rng(0).standard_normal((COUNT, DIM))
    vectors = wg.Vectors.of([f"w{i}" for i in range(COUNT)], rows)
    for method in ("auto", "none"):
        result = wg.weat(vectors, FREQUENT_AND_RARE, control=method)
        told = result.control
        assert result.status == "done"
        assert told["method"] == "none"
        assert told["r2_before"] < 0.05
        assert told["effect"] is told["p"] is told["survives"] is told["r2_after"] is None


def test_a_row_that_frequency_leaves_nothing_of_is_named():
    vectors = by_frequency()
    made, done = wg.control(vectors, "frequency")
    rows = made.matrix.copy()
    rows[21] = 0
    pair = dataclasses.replace(made, matrix=rows), done
    result = wg.weat(vectors, FREQUENT_AND_RARE, control=pair)
    assert result.status == "done"
    assert result.effect > 1.5
    assert result.control["effect"] is result.control["survives"] is None
    assert "'w21'" in result.control["reason"]


def test_a_test_that_is_not_run_is_not_run_without_frequency_either(default):
    vectors, pair = default
    lost = wg.Test(x=["nosuchword"], y=["nurse", "clerk"], a=["he"], b=["she"])
    result = wg.weat(vectors, lost, control=pair)
    assert (result.status, result.control["effect"]) == ("not run", None)


def test_the_control_must_be_of_the_same_vectors(default):
    other = wg.control(by_frequency(), "frequency")
    with pytest.raises(UsageError, match=r"other vectors \(memory\).*\(default\)"):
        wg.weat(default[0], "weat6", control=other)
    for wrong in (default[0], (default[0],), [1, 2], 3):
        with pytest.raises(UsageError, match="the pair that"):
            wg.weat(default[0], "weat6", control=wrong)
    with pytest.raises(UsageError, match="'rank'"):
        wg.wefat(default[0], "wefat1", control="rank")


def test_nothing_is_lost_in_writing_and_reading(default, tmp_path):
    vectors, pair = default
    made = [wg.weat(vectors, "weat6", control=pair), wg.wefat(vectors, "wefat1", control=pair)]
    results = wg.Results.of(made).correct()
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited("\t"), "\t") == results
    assert wg.Results.from_delimited(results.to_delimited(","), ",") == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results
    first, second = results.to_rows()
    assert first["control"] == second["control"] == "frequency"
    assert round(first["frequency_r2"], 2) == 0.88
    assert round(first["frequency_r2_controlled"], 2) == 0.04
    assert first["effect_controlled"] == made[0].control["effect"]
    assert second["effect_controlled"] == made[1].control["pearson"]
    assert first["survives"] == made[0].control["survives"]
    assert second["p_controlled"] == made[1].control["p"]
    assert "survives" not in wg.Results.of([wg.weat(vectors, "weat6")]).to_rows()[0]


def test_a_table_has_the_columns_of_every_kind_of_result(default):
    vectors, pair = default
    made = [wg.weat(vectors, "weat6"), wg.wefat(vectors, "wefat1", control=pair)]
    table = wg.Results.of(made).to_table()
    assert table.column("survives").to_pylist() == [None, made[1].control["survives"]]
    assert table.column("spearman").to_pylist() == [None, made[1].spearman]
