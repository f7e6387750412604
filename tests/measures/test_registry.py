"""`measure`: declarations, sets, pairs, options, reasons not to run, round trips of results."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import CatalogError, UnknownEntry, UsageError
from weatherglass.measures import MEASURES
from weatherglass.measures.registry import MeasureName

GARG = {
    "X": "occuptations_1950_professional-Garg_et_al_2018",
    "A": "male_pairs-Garg_et_al_2018",
    "B": "female_pairs-Garg_et_al_2018",
}
SENTIMENT = {"A": "pleasant-Caliskan_et_al_2017", "B": "unpleasant-Caliskan_et_al_2017"}
NAMES = {
    "rnd", "rnsb", "ripa", "mac", "ect", "semaxis", "nas", "same",
    "direct-bias", "indirect-bias", "subspace", "bias-clusters", "sc-weat",
}  # fmt: skip
SIZES = {"X": 4, "Y": 3, "A": 5, "B": 5}
FLIPS = ("rnd", "ripa", "semaxis", "nas", "sc-weat")
BY_COSINE = (
    "mac",
    "nas",
    "same",
    "direct-bias",
    "indirect-bias",
    "subspace",
    "bias-clusters",
    "sc-weat",
)


def sets_for(name, sets):
    """Return the sets that a measure takes."""
    return {need.name: sets[need.name] for need in MEASURES[name].needs}


def random_vectors(seed, dim=6):
    """Return words, random rows, and word sets for every measure."""
    sets = {name: [f"{name}{i}" for i in range(size)] for name, size in SIZES.items()}
    words = [word for listed in sets.values() for word in listed]
    rows = np.random.default_rng(seed).normal(size=(len(words), dim)) + 0.3
    return words, rows, sets


def is_close(first, second, tolerance=2e-5):
    return first == pytest.approx(second, rel=tolerance, abs=tolerance)


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def garg_for(name):
    sets = GARG | {"Y": ["softball", "football", "receptionist"]}
    if name == "rnsb":
        sets = SENTIMENT | {"X": ["german", "mexican", "irish", "english", "russian"]}
    return sets_for(name, sets)


def test_every_measure_declares_its_sets_range_meaning_and_source():
    assert set(MEASURES) == NAMES | {"weat", "generalised-weat"}
    assert set(get_args(MeasureName)) == NAMES
    for name, measure in MEASURES.items():
        assert measure.name == name
        needed = {need.name for need in measure.needs}
        assert "A" in needed or {"X", "Y"} == needed
        assert all(need.min_words >= 1 and need.meaning for need in measure.needs)
        assert measure.reading.endswith(".")
        assert measure.doi.startswith("10.")
        assert measure.low is None or measure.low <= measure.neutral
        assert measure.high is None or measure.neutral <= measure.high
    for name in NAMES:
        assert MEASURES[name].doi.lower() in MEASURES[name].compute.__doc__.lower()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_measure_runs_on_seed_sets_of_the_catalogue(name, vectors):
    result = wg.measure(vectors, name, garg_for(name))
    assert result.status == "done", result.reason
    declared = MEASURES[name]
    assert result.measure == name
    assert result.title == declared.title
    assert np.isfinite(result.value)
    assert declared.low is None or result.value >= declared.low
    assert declared.high is None or result.value <= declared.high
    assert result.source["fingerprint"] == vectors.fingerprint
    assert result.options == {
        "case": "auto",
        "max_missing": 0.2,
        "allow_overlap": False,
        **declared.options,
    }
    for part, values in result.by_word.items():
        assert len(values) == len(result.words[part]) == result.n[part]
    assert wg.measure(vectors, name, garg_for(name)) == result


def test_measure_results_round_trip_through_json_tsv_csv_and_parquet(vectors, tmp_path):
    measured = [wg.measure(vectors, name, garg_for(name)) for name in sorted(NAMES)]
    measured.append(wg.measure(vectors, "mac", {"X": ["no\tsuch"], "A": ["he"]}))
    measured.append(wg.weat(vectors, "weat6"))
    results = wg.Results.of(measured).correct()
    assert wg.Results.from_json(results.to_json()) == results
    for delimiter in ("\t", ","):
        text = results.to_delimited(delimiter, record=True)
        assert wg.Results.from_delimited(text, delimiter) == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results
    rows = results.to_table().to_pylist()
    assert [row["measure"] for row in rows] == [*sorted(NAMES), "mac", "weat"]
    assert [row["effect_size"] for row in rows[:-1]] == [result.value for result in measured[:-1]]
    assert rows[-2]["status"] == "not run"
    assert "missing" in rows[-2]["reason"]


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_rotating_the_space_changes_no_measure(seed):
    words, rows, sets = random_vectors(seed)
    rotation, _ = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(rows.shape[1],) * 2))
    before, after = wg.Vectors.of(words, rows), wg.Vectors.of(words, rows @ rotation)
    for name in NAMES - {"indirect-bias"}:  # unbounded where words are hardly similar
        first, second = (
            wg.measure(vectors, name, sets_for(name, sets)) for vectors in (before, after)
        )
        assert first.status == second.status == "done", first.reason
        assert is_close(second.value, first.value, 2e-4 if name in ("rnsb", "ect") else 2e-5), name


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_measures_of_unit_vectors_ignore_the_length_of_vectors(seed):
    words, rows, sets = random_vectors(seed)
    lengths = np.random.default_rng(seed + 2).uniform(0.5, 2, size=(len(words), 1))
    before, after = wg.Vectors.of(words, rows), wg.Vectors.of(words, rows * lengths)
    for name in NAMES - {"indirect-bias"}:
        options = {} if name in BY_COSINE else {"unit": True}
        first, second = (
            wg.measure(vectors, name, sets_for(name, sets), **options)
            for vectors in (before, after)
        )
        assert is_close(second.value, first.value, 2e-4 if name in ("rnsb", "ect") else 2e-5), name


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.sampled_from([1e-6, 0.01, 100.0]))
def test_scaling_all_vectors_scales_only_distances_and_inner_products(seed, scale):
    words, rows, sets = random_vectors(seed)
    before, after = wg.Vectors.of(words, rows), wg.Vectors.of(words, rows * scale)
    for name in ("rnd", "ripa", "ect", "semaxis", "same", "direct-bias"):
        first, second = (
            wg.measure(vectors, name, sets_for(name, sets)) for vectors in (before, after)
        )
        factor = scale if name in ("rnd", "ripa") else 1
        assert is_close(second.value / factor, first.value, 2e-4), name


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_swapping_the_groups_flips_the_sign_of_directed_measures_only(seed):
    words, rows, sets = random_vectors(seed)
    vectors = wg.Vectors.of(words, rows)
    swapped = sets | {"A": sets["B"], "B": sets["A"]}
    for name in NAMES - {"mac", "rnsb"}:
        first, second = (
            wg.measure(vectors, name, sets_for(name, given)) for given in (sets, swapped)
        )
        assert is_close(second.value, -first.value if name in FLIPS else first.value), name
        if name in (*FLIPS, "same", "direct-bias", "ect"):
            assert is_close(np.array(second.by_word["X"]), -np.array(first.by_word["X"])), name


def test_a_set_may_be_a_list_a_seed_set_a_word_set_or_an_id(vectors):
    from weatherglass.catalog import WordSet

    words = wg.seeds(GARG["A"]).words
    ways = [words, list(words), wg.seeds(GARG["A"]), WordSet(words=words), GARG["A"]]
    values = {wg.measure(vectors, "mac", {"X": GARG["X"], "A": way}).value for way in ways}
    assert len(values) == 1
    result = wg.measure(vectors, "mac", {"X": ["nurse", "nurse"], "A": GARG["A"]})
    assert result.labels == {"X": "", "A": GARG["A"]}
    assert result.words["X"] == ("nurse",)


def test_missing_words_are_listed_and_too_many_prevent_the_measurement(vectors):
    words = ["nurse", "doctor", "lawyer", "engineer", "qqzzy"]
    result = wg.measure(vectors, "mac", {"X": words, "A": ["he"]})
    assert result.status == "done"
    assert result.missing["X"] == ("qqzzy",)
    assert result.n["X"] == 4
    result = wg.measure(vectors, "mac", {"X": words, "A": ["he"]}, max_missing=0.1)
    assert result.status == "not run"
    assert result.value is None
    assert "1 of the 5 words of X is missing" in result.reason


def test_capitalised_words_fall_back_to_lower_case_and_are_used_once():
    vectors = wg.Vectors.of(["mary", "he"], [[1, 0], [0, 1]])
    result = wg.measure(vectors, "mac", {"X": ["Mary", "mary"], "A": ["he"]})
    assert result.words["X"] == ("mary",)
    assert result.merged == {"X": ("mary",)}
    kept = wg.measure(vectors, "mac", {"X": ["Mary"], "A": ["he"]}, case="keep", max_missing=1)
    assert kept.reason == "X has 0 words, at least 1 are needed"


def test_a_pair_with_a_missing_word_is_left_out():
    vectors = wg.Vectors.of(["she", "he", "her", "x"], [[1, 0], [-1, 0.2], [0.3, 1], [1, 1]])
    sets = {"X": ["x"], "A": ["she", "her"], "B": ["he", "his"]}
    result = wg.measure(vectors, "ripa", sets, max_missing=0.5)
    alone = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["she"], "B": ["he"]})
    assert result.value == alone.value
    assert result.words["A"] == ("she",)
    assert result.missing["B"] == ("his",)
    assert result.details["pairs"] == 1
    no_pair = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["her"], "B": ["her"]})
    assert no_pair.status == "not run"
    assert "no pair" in no_pair.reason


def test_words_are_paired_by_position_and_may_be_in_two_pairs():
    vectors = wg.Vectors.of(["he", "him", "she", "x"], [[1, 2], [1, 1], [-1, 1], [3, 1]])
    result = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["he", "him"], "B": ["she", "she"]})
    assert result.words["B"] == ("she", "she")
    assert result.details["pairs"] == 2
    with pytest.raises(UsageError, match="A has 2 words and B has 1"):
        wg.measure(vectors, "ripa", {"X": ["x"], "A": ["he", "him"], "B": ["she"]})


def test_seed_sets_that_a_study_pairs_are_paired_as_in_the_study(vectors):
    from weatherglass.catalog import pairs

    ids = "male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017"
    documented = pairs(*ids)
    result = wg.measure(vectors, "subspace", {"A": ids[0], "B": ids[1]})
    assert tuple(zip(result.words["A"], result.words["B"], strict=True)) == documented
    listed = {name: [pair[k] for pair in documented] for k, name in enumerate("AB")}
    assert wg.measure(vectors, "subspace", listed).value == result.value


def test_a_wrong_call_of_measure_names_what_is_expected(vectors):
    good = {"X": ["nurse"], "A": ["he"], "B": ["she"]}
    with pytest.raises(UsageError, match=r"no measure 'rndd'\. Did you mean rnd"):
        wg.measure(vectors, "rndd", good)
    with pytest.raises(UsageError, match=r"use `weatherglass\.wefat`"):
        wg.measure(vectors, "wefat", good)
    with pytest.raises(UsageError, match="weat needs the set Y"):
        wg.measure(vectors, "weat", good)
    with pytest.raises(UsageError, match="rnd needs the set B: words of the other group"):
        wg.measure(vectors, "rnd", {"X": ["nurse"], "A": ["he"]})
    with pytest.raises(UsageError, match="rnd has no set 'Y'; it takes X, A and B"):
        wg.measure(vectors, "rnd", good | {"Y": ["pilot"]})
    with pytest.raises(UsageError, match=r"no option 'units'\. Did you mean unit"):
        wg.measure(vectors, "rnd", good, units=True)
    with pytest.raises(UsageError, match="unit is 1; it must be True or False, such as False"):
        wg.measure(vectors, "rnd", good, unit=1)
    with pytest.raises(UsageError, match="rng is -1"):
        wg.measure(vectors, "sc-weat", good, rng=-1)
    with pytest.raises(UsageError, match="set 'X' is empty"):
        wg.measure(vectors, "rnd", good | {"X": []})
    with pytest.raises(UsageError, match="set 'X' has '3'"):
        wg.measure(vectors, "rnd", good | {"X": [3]})
    with pytest.raises(UsageError, match="is no test: expected an id"):
        wg.measure(vectors, "rnd", [["nurse"], ["he"]])
    with pytest.raises(UnknownEntry, match="no seed set 'male_1'"):
        wg.measure(vectors, "rnd", good | {"A": "male_1"})
    with pytest.raises(CatalogError, match="has no words"):
        wg.measure(vectors, "rnd", good | {"A": "professions-Zhao_et_al_2018"})


def test_a_row_of_zeros_prevents_the_measurement():
    vectors = wg.Vectors.of(["x", "a", "b"], [[0, 0], [1, 0], [0, 1]])
    result = wg.measure(vectors, "rnd", {"X": ["x"], "A": ["a"], "B": ["b"]})
    assert result.status == "not run"
    assert "no direction" in result.reason


def test_the_largest_single_precision_numbers_are_measured():
    vectors = wg.Vectors.of(["x", "a", "b"], [[1e38, 0], [0, 3e38], [1, 1]])
    result = wg.measure(vectors, "rnd", {"X": ["x"], "A": ["a"], "B": ["b"]})
    assert result.value == pytest.approx(math.hypot(1e38, 3e38) - 1e38, rel=1e-6)


def test_measure_weat_gives_the_result_of_weat(vectors):
    test = wg.test("weat6")
    sets = {name: words.words for name, words in test.sets.items()}
    result = wg.measure(vectors, "weat", sets, test="weat6", intervals=True, influence=True)
    expected = wg.weat(vectors, test, alternative="two-sided", intervals=True, influence=True)
    assert isinstance(result, wg.WeatResult)
    for name in (
        "effect",
        "statistic",
        "p",
        "baseline",
        "p_rotation",
        "intervals",
        "influence",
        "options",
    ):
        assert getattr(result, name) == getattr(expected, name), name
    assert (result.value, result.by_word) == (expected.effect, expected.associations)
    assert result.details["statistic"] == expected.statistic
    assert result.details["cosine"] == expected.cosine
    assert result.ranked("Y")[0][1] == max(expected.associations["Y"])
    assert wg.Results.from_json(wg.Results.of([result]).to_json())[0] == result


def test_measure_weat_takes_the_options_of_weat(vectors):
    sets = {name: words.words for name, words in wg.test("weat6").sets.items()}
    result = wg.measure(vectors, "weat", sets, alternative="two-sided", ddof=0, method="sample")
    assert (result.p.alternative, result.p.method) == ("two-sided", "sample")
    with pytest.raises(UsageError, match="ddof is 2; it must be 0 or 1"):
        wg.measure(vectors, "weat", sets, ddof=2)


def test_the_caller_can_name_the_measurement(vectors):
    result = wg.measure(vectors, "mac", {"X": ["nurse"], "A": ["she"]}, test="mine", title="Nurses")
    assert (result.test, result.title, result.measure) == ("mine", "Nurses", "mac")


def test_words_are_ranked_by_what_they_add():
    vectors = wg.Vectors.of(["x", "y", "a"], [[1, 1], [1, 0], [1, 0]])
    result = wg.measure(vectors, "mac", {"X": ["x", "y"], "A": ["a"]})
    assert [word for word, _ in result.ranked()] == ["y", "x"]
    assert result.ranked("A") == ()
