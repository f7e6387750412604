"""The frequency control: how much of a result survives without word frequency."""

import dataclasses

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError

DIM, COUNT = 10, 2000


def frequency_vectors():
    """Return vectors that encode a word's rank and nothing else."""
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


def test_an_effect_of_frequency_alone_does_not_survive_the_control():
    result = wg.weat(frequency_vectors(), FREQUENT_AND_RARE, control="frequency")
    assert result.effect > 1.5
    assert result.control["method"] == "frequency"
    assert abs(result.control["effect"]) < 0.6
    assert result.control["survives"] == result.control["effect"] / result.effect
    assert result.p.value < 1e-6 < 0.01 < result.control["p"]


def test_a_correlation_of_frequency_alone_does_not_survive_the_control():
    facts = {f"w{i}": np.log(i) for i in range(10, 1500, 30)}
    test = wg.FactualTest(a=words(1600), b=words(12), facts=facts)
    result = wg.wefat(frequency_vectors(), test, control="frequency")
    assert result.pearson > 0.7
    assert abs(result.control["pearson"]) < 0.4
    assert result.control["survives"] == result.control["pearson"] / result.pearson
    assert result.control["p"] > 0.01 > result.pearson_p


@pytest.mark.parametrize("id", ["weat6", "wefat1"])
def test_the_control_is_the_same_test_on_controlled_vectors(default, id):
    vectors, pair = default
    measure = wg.weat if id == "weat6" else wg.wefat
    uncontrolled, controlled = measure(vectors, id), measure(pair[0], id)
    result = measure(vectors, id, control=pair)
    name = "effect" if id == "weat6" else "pearson"
    assert result.control[name] == getattr(controlled, name)
    assert result.control["p"] == controlled.p_value
    assert result.control | dataclasses.asdict(pair[1]) == result.control
    assert result.options == uncontrolled.options | {"control": "frequency"}
    assert dataclasses.replace(result, control=None, options=uncontrolled.options) == uncontrolled


def test_name_tests_lose_more_to_the_frequency_control_than_career_tests(default):
    """Rare names are near the unpleasant words because both are rare, in part."""
    vectors, pair = default
    survives = {
        id: wg.weat(vectors, id, control=pair).control["survives"] for id in ("weat3", "weat6")
    }
    assert survives["weat3"] < 0.75 < 0.95 < survives["weat6"]


def test_part_of_a_source_can_be_controlled_with_the_control_of_the_whole(default):
    vectors, pair = default
    test = wg.test("weat6")
    wanted = [word.lower() for words in test.sets.values() for word in words.words]
    part = wg.open_vectors(vectors, words=wanted, sample=True)
    assert wg.weat(part, test, control=pair) == wg.weat(vectors, test, control=pair)
    with pytest.raises(CannotMeasure, match="only some of its words"):
        wg.weat(part, test, control="frequency")


def test_a_control_that_removes_nothing_gives_no_numbers():
    rows = np.random.default_rng(0).standard_normal((COUNT, DIM))
    vectors = wg.Vectors.of([f"w{i}" for i in range(COUNT)], rows)
    for method in ("auto", "none"):
        result = wg.weat(vectors, FREQUENT_AND_RARE, control=method)
        control = result.control
        assert result.status == "done"
        assert control["method"] == "none"
        assert control["r2_before"] < 0.05
        assert {control[name] for name in ("effect", "p", "survives", "r2_after")} == {None}


def test_a_word_without_direction_after_the_control_is_named():
    vectors = frequency_vectors()
    controlled, control = wg.control(vectors, "frequency")
    rows = controlled.matrix.copy()
    rows[21] = 0
    pair = dataclasses.replace(controlled, matrix=rows), control
    result = wg.weat(vectors, FREQUENT_AND_RARE, control=pair)
    assert result.status == "done"
    assert result.effect > 1.5
    assert result.control["effect"] is result.control["survives"] is None
    assert "'w21'" in result.control["reason"]


def test_a_test_that_is_not_run_has_no_control_numbers(default):
    vectors, pair = default
    test = wg.Test(x=["nosuchword"], y=["nurse", "clerk"], a=["he"], b=["she"])
    result = wg.weat(vectors, test, control=pair)
    assert (result.status, result.control["effect"]) == ("not run", None)


def test_a_control_of_other_vectors_is_refused(default):
    other = wg.control(frequency_vectors(), "frequency")
    with pytest.raises(UsageError, match=r"other vectors \(memory\).*\(default\)"):
        wg.weat(default[0], "weat6", control=other)
    for wrong in (default[0], (default[0],), [1, 2], 3):
        with pytest.raises(UsageError, match="the pair that"):
            wg.weat(default[0], "weat6", control=wrong)
    with pytest.raises(UsageError, match="'rank'"):
        wg.wefat(default[0], "wefat1", control="rank")


def test_controlled_results_round_trip_through_json_tsv_csv_and_parquet(default, tmp_path):
    vectors, pair = default
    weat, wefat = (
        wg.weat(vectors, "weat6", control=pair),
        wg.wefat(vectors, "wefat1", control=pair),
    )
    results = wg.Results.of([weat, wefat]).correct()
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited("\t"), "\t") == results
    assert wg.Results.from_delimited(results.to_delimited(","), ",") == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results
    first, second = results.to_rows()
    assert first["control"] == second["control"] == "frequency"
    assert round(first["frequency_r2"], 2) == 0.88
    assert round(first["frequency_r2_controlled"], 2) == 0.04
    assert first["effect_controlled"] == weat.control["effect"]
    assert second["effect_controlled"] == wefat.control["pearson"]
    assert first["survives"] == weat.control["survives"]
    assert second["p_controlled"] == wefat.control["p"]
    assert "survives" not in wg.Results.of([wg.weat(vectors, "weat6")]).to_rows()[0]


def test_a_table_of_mixed_results_has_the_columns_of_each(default):
    vectors, pair = default
    weat, wefat = wg.weat(vectors, "weat6"), wg.wefat(vectors, "wefat1", control=pair)
    table = wg.Results.of([weat, wefat]).to_table()
    assert table.column("survives").to_pylist() == [None, wefat.control["survives"]]
    assert table.column("spearman").to_pylist() == [None, wefat.spearman]
