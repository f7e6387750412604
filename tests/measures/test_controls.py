"""Results with controls: the same number without word frequency or main axes."""

import dataclasses

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import control_outcome
from weatherglass.vectors import fit_control

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
    (control,) = result.controls
    assert result.effect > 1.5
    assert control.name == "frequency"
    assert abs(control.effect) < 0.6
    assert control.survives == control.effect / result.effect
    assert result.p.value < 1e-6 < 0.01 < control.p
    assert control_outcome(result, control) in ("fades", "reverses")


def test_a_correlation_of_frequency_alone_does_not_survive_the_control():
    facts = {f"w{i}": np.log(i) for i in range(25, 1500, 30)}
    test = wg.FactualTest(a=words(1600), b=words(2), facts=facts)
    result = wg.wefat(frequency_vectors(), test, control="frequency")
    (control,) = result.controls
    assert result.pearson > 0.7
    assert abs(control.effect) < 0.4
    assert control.survives == control.effect / result.pearson
    assert control.p > 0.01 > result.pearson_p


@pytest.mark.parametrize("id", ["weat6", "wefat1"])
def test_the_control_is_the_same_test_on_controlled_vectors(default, id):
    vectors, pair = default
    measure = wg.weat if id == "weat6" else wg.wefat
    uncontrolled, controlled = measure(vectors, id), measure(pair[0], id)
    result = measure(vectors, id, control=pair)
    (value,) = result.controls
    assert (value.effect, value.p) == (controlled.value, controlled.p_value)
    assert (value.r2_before, value.r2_after) == (pair[1].r2_before, pair[1].r2_after)
    assert result.options == uncontrolled.options | {"control": "frequency"}
    assert dataclasses.replace(result, controls=(), options=uncontrolled.options) == uncontrolled


@pytest.mark.slow
def test_names_pairs_and_lists_of_them_give_the_same_controls():
    vectors = frequency_vectors()
    pairs = [wg.control(vectors, name) for name in ("frequency", "top:2")]
    by_pairs = wg.weat(vectors, FREQUENT_AND_RARE, control=pairs)
    assert [value.name for value in by_pairs.controls] == ["frequency", "top:2"]
    for given in ("frequency,top:2", ["frequency", "top:2"], ["frequency", pairs[1]]):
        result = wg.weat(vectors, FREQUENT_AND_RARE, control=given)
        assert dataclasses.replace(result, controls=by_pairs.controls) == by_pairs
        # Controls of few rows and of all rows may differ in the last bit: the order in which BLAS
        # adds depends on the number of rows, and on the processor.
        for value, expected in zip(result.controls, by_pairs.controls, strict=True):
            assert value.effect == pytest.approx(expected.effect, rel=1e-12)
            assert value.survives == pytest.approx(expected.survives, rel=1e-12)
            same = {"effect": expected.effect, "survives": expected.survives}
            assert dataclasses.replace(value, **same) == expected


@pytest.mark.parametrize("name", ["frequency", "center", "top:2", "whiten"])
def test_controlled_effects_change_sign_when_sets_are_swapped(name):
    vectors, test = frequency_vectors(), FREQUENT_AND_RARE
    swapped = wg.Test(x=test.y.words, y=test.x.words, a=test.a.words, b=test.b.words)
    pair = wg.control(vectors, name)
    (first,) = wg.weat(vectors, test, control=pair).controls
    (second,) = wg.weat(vectors, swapped, control=pair).controls
    assert second.effect == pytest.approx(-first.effect)
    assert second.survives == pytest.approx(first.survives)


@pytest.mark.parametrize("name", ["frequency", "center", "top:2", "whiten"])
def test_a_rotation_of_the_whole_space_changes_no_controlled_effect(name):
    vectors = frequency_vectors()
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((DIM, DIM)))[0]
    turned = wg.Vectors.of(list(vectors.words), vectors.matrix @ turn)
    first, second = (
        wg.weat(source, FREQUENT_AND_RARE, control=wg.control(source, name)).controls[0]
        for source in (vectors, turned)
    )
    assert second.effect == pytest.approx(first.effect, abs=1e-4)


@pytest.mark.slow
def test_tests_of_names_fade_without_frequency_and_others_hold(default):
    """On `default` frequency and meaning are confounded in names."""
    vectors, pair = default
    expected = {
        "weat1": (1.10, "holds"),
        "weat2": (1.58, "holds"),
        "weat3": (0.37, "fades"),
        "weat5": (0.51, "fades"),
        "weat6": (1.64, "holds"),
        "weat7": (1.27, "holds"),
        "weat8": (1.28, "holds"),
    }
    for id, (effect, outcome) in expected.items():
        result = wg.weat(vectors, id, control=pair)
        (value,) = result.controls
        assert value.effect == pytest.approx(effect, abs=0.03), id
        assert control_outcome(result, value) == outcome, id


def test_an_effect_that_changes_direction_reverses():
    result = wg.weat(frequency_vectors(), FREQUENT_AND_RARE, control="top:2")
    (value,) = result.controls
    reversed_value = dataclasses.replace(value, effect=-0.5, survives=-0.5 / result.effect)
    assert control_outcome(result, reversed_value) == "reverses"
    p = dataclasses.replace(result.p, value=0.3)
    unclear = dataclasses.replace(result, p=p, p_two_sided=p)
    assert control_outcome(unclear, reversed_value) == ""


def test_part_of_a_source_can_be_controlled_with_the_control_of_the_whole(default):
    vectors, pair = default
    test = wg.test("weat6")
    wanted = [word.lower() for words in test.sets.values() for word in words.words]
    part = vectors.subset(wanted)
    whole = wg.weat(vectors, test, control=pair, baseline=False)
    assert wg.weat(part, test, control=pair, baseline=False) == whole
    for name in ("frequency", "top:2"):
        with pytest.raises(CannotMeasure, match="only some of its words"):
            wg.weat(part, test, control=name)


def test_a_control_that_removes_nothing_gives_no_numbers():
    rows = np.random.default_rng(0).standard_normal((COUNT, DIM))
    vectors = wg.Vectors.of([f"w{i}" for i in range(COUNT)], rows)
    for method in ("auto", "none"):
        result = wg.weat(vectors, FREQUENT_AND_RARE, control=method)
        (value,) = result.controls
        assert result.status == "done"
        assert (value.name, value.asked) == ("none", method)
        assert value.r2_before < 0.1
        assert {value.effect, value.p, value.survives, value.r2_after} == {None}


def test_a_word_without_direction_after_the_control_is_named():
    vectors = frequency_vectors()
    controlled, control = wg.control(vectors, "frequency")
    rows = controlled.matrix.copy()
    rows[21] = 0
    pair = dataclasses.replace(controlled, matrix=rows), control
    result = wg.weat(vectors, FREQUENT_AND_RARE, control=pair)
    (value,) = result.controls
    assert result.status == "done"
    assert result.effect > 1.5
    assert value.effect is value.survives is None
    assert "'w21'" in value.reason


def test_a_test_that_is_not_run_has_no_control_numbers(default):
    vectors, pair = default
    test = wg.Test(x=["nosuchword"], y=["nurse", "clerk"], a=["he"], b=["she"])
    result = wg.weat(vectors, test, control=pair)
    assert (result.status, result.controls[0].effect) == ("not run", None)


def test_a_control_of_other_vectors_is_refused(default):
    others = frequency_vectors()
    for name in ("frequency", "top:2"):
        for other in (wg.control(others, name), fit_control(others, name)):
            with pytest.raises(UsageError, match=r"other vectors \(memory\).*\(default\)"):
                wg.weat(default[0], "weat6", control=other)
    mixed = default[1][0], dataclasses.replace(default[1][1], method="top:2")
    with pytest.raises(UsageError, match="other vectors"):
        wg.weat(default[0], "weat6", control=mixed)
    for wrong in (default[0], (default[0],), [1, 2], 3):
        with pytest.raises(UsageError, match="the pair that"):
            wg.weat(default[0], "weat6", control=wrong)
    with pytest.raises(UsageError, match="'rank'"):
        wg.wefat(default[0], "wefat1", control="rank")


def test_other_measures_are_repeated_on_controlled_vectors():
    vectors = frequency_vectors()
    sets = {"X": words(20), "A": words(60), "B": words(1800)}
    pair = wg.control(vectors, "top:2")
    for name in ("rnd", "mac", "semaxis"):
        used = {side: sets[side] for side in ("XA" if name == "mac" else "XAB")}
        result = wg.measure(vectors, name, used, control=[pair])
        assert result.controls[0].effect == wg.measure(pair[0], name, used).value
        assert wg.Results.from_json(wg.Results.of([result]).to_json())[0] == result
    with_neighbours = wg.measure(vectors, "semaxis", sets, control="top:2", neighbours=2)
    expected = wg.measure(pair[0], "semaxis", sets, neighbours=2)
    assert with_neighbours.controls[0].effect == expected.value


def test_controlled_results_round_trip_through_json_tsv_csv_and_parquet(default, tmp_path):
    vectors, pair = default
    controls = [pair, "top:2"]
    weat, wefat = (
        wg.weat(vectors, "weat6", control=controls),
        wg.wefat(vectors, "wefat1", control=controls),
    )
    results = wg.Results.of([weat, wefat]).correct()
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited("\t", record=True), "\t") == results
    assert wg.Results.from_delimited(results.to_delimited(",", record=True), ",") == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results
    first, second = results.to_rows()
    assert (first["frequency_r2"], first["r2_frequency"]) == (pair[1].r2_before, pair[1].r2_after)
    assert (first["effect_frequency"], first["p_frequency"]) == (
        weat.controls[0].effect,
        weat.controls[0].p,
    )
    assert (second["effect_top2"], second["p_top2"]) == (
        wefat.controls[1].effect,
        wefat.controls[1].p,
    )
    assert "effect_top2" not in wg.Results.of([wg.weat(vectors, "weat6")]).to_rows()[0]


def test_a_table_of_mixed_results_has_the_columns_of_each(default):
    vectors, pair = default
    weat, wefat = wg.weat(vectors, "weat6"), wg.wefat(vectors, "wefat1", control=pair)
    table = wg.Results.of([weat, wefat]).to_table()
    assert table.column("effect_frequency").to_pylist() == [None, wefat.controls[0].effect]
    assert table.column("spearman").to_pylist() == [None, wefat.spearman]
