"""The one door: declarations, sets, pairs, options, what cannot be measured, results kept."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass.errors import CatalogError, UnknownEntry, UsageError
from weatherglass.measures import MEASURES

GARG = {
    "X": "occuptations_1950_professional-Garg_et_al_2018",
    "A": "male_pairs-Garg_et_al_2018",
    "B": "female_pairs-Garg_et_al_2018",
}
SENTIMENT = {"A": "pleasant-Caliskan_et_al_2017", "B": "unpleasant-Caliskan_et_al_2017"}
NAMES = {
    "rnd", "rnsb", "ripa", "mac", "ect", "semaxis", "nas", "same",
    "direct-bias", "indirect-bias", "subspace", "sc-weat",
}  # fmt: skip
SIZES = {"X": 4, "Y": 3, "A": 5, "B": 5}
FLIPS = ("rnd", "ripa", "semaxis", "nas", "sc-weat")
BY_COSINE = ("mac", "nas", "same", "direct-bias", "indirect-bias", "subspace", "sc-weat")


def sets_of(name, sets):
    """Those of some sets that a measure takes."""
    return {one.name: sets[one.name] for one in MEASURES[name].needs}


def drawn(seed, dim=6):
    """Random vectors, and word sets for every measure."""
    sets = {name: [f"{name}{i}" for i in range(size)] for name, size in SIZES.items()}
    words = [word for some in sets.values() for word in some]
    rows = np.random.default_rng(seed).normal(size=(len(words), dim)) + 0.3
    return words, rows, sets


def near(first, second, tolerance=2e-5):
    return first == pytest.approx(second, rel=tolerance, abs=tolerance)


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def garg_for(name):
    sets = GARG | {"Y": ["softball", "football", "receptionist"]}
    if name == "rnsb":
        sets = SENTIMENT | {"X": ["german", "mexican", "irish", "english", "russian"]}
    return sets_of(name, sets)


def test_every_measure_of_the_issue_is_declared():
    assert set(MEASURES) == NAMES
    for name, one in MEASURES.items():
        assert one.name == name
        assert {"A"} <= {need.name for need in one.needs}
        assert all(need.least >= 1 and need.meaning for need in one.needs)
        assert one.reading.endswith(".")
        assert one.doi.startswith("10.")
        assert one.doi in one.compute.__doc__ or one.doi.lower() in one.compute.__doc__.lower()
        assert one.low is None or one.low <= one.neutral
        assert one.high is None or one.neutral <= one.high


@pytest.mark.parametrize("name", sorted(NAMES))
def test_on_real_vectors_with_seed_sets_of_the_catalogue(name, vectors):
    result = wg.measure(vectors, name, garg_for(name))
    assert result.status == "done", result.reason
    declared = MEASURES[name]
    assert result.measure == name
    assert result.title == declared.title
    assert np.isfinite(result.value)
    assert declared.low is None or result.value >= declared.low
    assert declared.high is None or result.value <= declared.high
    assert result.source["fingerprint"] == vectors.fingerprint
    assert result.options == {"case": "auto", "max_missing": 0.2, **declared.options}
    for part, values in result.by_word.items():
        assert len(values) == len(result.words[part]) == result.n[part]
    assert wg.measure(vectors, name, garg_for(name)) == result


def test_results_lose_nothing_in_json_tsv_csv_and_parquet(vectors, tmp_path):
    made = [wg.measure(vectors, name, garg_for(name)) for name in sorted(NAMES)]
    made.append(wg.measure(vectors, "mac", {"X": ["no\tsuch"], "A": ["he"]}))
    made.append(wg.weat(vectors, "weat6"))
    results = wg.Results.of(made).correct()
    assert wg.Results.from_json(results.to_json()) == results
    for delimiter in ("\t", ","):
        text = results.to_delimited(delimiter)
        assert wg.Results.from_delimited(text, delimiter) == results
    results.to_parquet(tmp_path / "results.parquet")
    assert wg.Results.from_parquet(tmp_path / "results.parquet") == results
    rows = results.to_table().to_pylist()
    assert [row["measure"] for row in rows] == [*sorted(NAMES), "mac", "weat"]
    assert [row["effect_size"] for row in rows[:-1]] == [one.value for one in made[:-1]]
    assert rows[-2]["status"] == "not run"
    assert "missing" in rows[-2]["reason"]


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_turning_the_space_changes_nothing(seed):
    words, rows, sets = drawn(seed)
    turn, _ = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(rows.shape[1],) * 2))
    before, after = wg.Vectors.of(words, rows), wg.Vectors.of(words, rows @ turn)
    for name in NAMES - {"indirect-bias"}:  # which has no end where words are hardly similar
        first, second = (wg.measure(some, name, sets_of(name, sets)) for some in (before, after))
        assert first.status == second.status == "done", first.reason
        assert near(second.value, first.value, 2e-4 if name in ("rnsb", "ect") else 2e-5), name


@pytest.mark.slow
@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_only_directions_count_for_cosines_and_at_unit_length(seed):
    words, rows, sets = drawn(seed)
    lengths = np.random.default_rng(seed + 2).uniform(0.5, 2, size=(len(words), 1))
    before, after = wg.Vectors.of(words, rows), wg.Vectors.of(words, rows * lengths)
    for name in NAMES - {"indirect-bias"}:
        options = {} if name in BY_COSINE else {"unit": True}
        first, second = (
            wg.measure(some, name, sets_of(name, sets), **options) for some in (before, after)
        )
        assert near(second.value, first.value, 2e-4 if name in ("rnsb", "ect") else 2e-5), name


@settings(max_examples=8)
@given(st.integers(0, 10_000), st.sampled_from([1e-6, 0.01, 100.0]))
def test_one_scale_for_all_vectors_scales_distances_and_inner_products_only(seed, scale):
    words, rows, sets = drawn(seed)
    before, after = wg.Vectors.of(words, rows), wg.Vectors.of(words, rows * scale)
    for name in ("rnd", "ripa", "ect", "semaxis", "same", "direct-bias"):
        first, second = (wg.measure(some, name, sets_of(name, sets)) for some in (before, after))
        factor = scale if name in ("rnd", "ripa") else 1
        assert near(second.value / factor, first.value, 2e-4), name


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_swapping_the_groups_flips_what_points_to_a_side_and_nothing_else(seed):
    words, rows, sets = drawn(seed)
    vectors = wg.Vectors.of(words, rows)
    swapped = sets | {"A": sets["B"], "B": sets["A"]}
    for name in NAMES - {"mac", "rnsb"}:
        first, second = (wg.measure(vectors, name, sets_of(name, some)) for some in (sets, swapped))
        assert near(second.value, -first.value if name in FLIPS else first.value), name
        if name in (*FLIPS, "same", "direct-bias", "ect"):
            assert near(np.array(second.by_word["X"]), -np.array(first.by_word["X"])), name


def test_lists_seed_sets_word_sets_and_ids_are_the_same_words(vectors):
    from weatherglass.catalog import WordSet

    words = wg.seeds(GARG["A"]).words
    ways = [words, list(words), wg.seeds(GARG["A"]), WordSet(words=words), GARG["A"]]
    values = {wg.measure(vectors, "mac", {"X": GARG["X"], "A": way}).value for way in ways}
    assert len(values) == 1
    result = wg.measure(vectors, "mac", {"X": ["nurse", "nurse"], "A": GARG["A"]})
    assert result.labels == {"X": "", "A": GARG["A"]}
    assert result.words["X"] == ("nurse",)


def test_missing_words_are_listed_and_too_many_stop_the_measure(vectors):
    words = ["nurse", "doctor", "lawyer", "engineer", "qqzzy"]
    result = wg.measure(vectors, "mac", {"X": words, "A": ["he"]})
    assert result.status == "done"
    assert result.missing["X"] == ("qqzzy",)
    assert result.n["X"] == 4
    result = wg.measure(vectors, "mac", {"X": words, "A": ["he"]}, max_missing=0.1)
    assert result.status == "not run"
    assert result.value is None
    assert "1 of the 5 words of X are missing" in result.reason


def test_capitals_fall_back_to_lower_case_and_merge():
    vectors = wg.Vectors.of(["mary", "he"], [[1, 0], [0, 1]])
    result = wg.measure(vectors, "mac", {"X": ["Mary", "mary"], "A": ["he"]})
    assert result.words["X"] == ("mary",)
    assert result.merged == {"X": ("mary",)}
    kept = wg.measure(vectors, "mac", {"X": ["Mary"], "A": ["he"]}, case="keep", max_missing=1)
    assert kept.reason == "X has 0 words, at least 1 are needed"


def test_a_pair_with_a_missing_word_is_left_out_as_a_whole():
    vectors = wg.Vectors.of(["she", "he", "her", "x"], [[1, 0], [-1, 0.2], [0.3, 1], [1, 1]])
    sets = {"X": ["x"], "A": ["she", "her"], "B": ["he", "his"]}
    result = wg.measure(vectors, "ripa", sets, max_missing=0.5)
    alone = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["she"], "B": ["he"]})
    assert result.value == alone.value
    assert result.words["A"] == ("she",)
    assert result.missing["B"] == ("his",)
    assert result.details["pairs"] == 1
    gone = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["her"], "B": ["her"]})
    assert gone.status == "not run"
    assert "no pair" in gone.reason


def test_pairs_go_by_position_and_a_word_may_be_in_two():
    vectors = wg.Vectors.of(["he", "him", "she", "x"], [[1, 2], [1, 1], [-1, 1], [3, 1]])
    result = wg.measure(vectors, "ripa", {"X": ["x"], "A": ["he", "him"], "B": ["she", "she"]})
    assert result.words["B"] == ("she", "she")
    assert result.details["pairs"] == 2
    with pytest.raises(UsageError, match="A has 2 words, B has 1"):
        wg.measure(vectors, "ripa", {"X": ["x"], "A": ["he", "him"], "B": ["she"]})


def test_seed_sets_that_a_study_pairs_are_paired_as_it_says(vectors):
    from weatherglass.catalog import pairs

    ids = "male_2-Caliskan_et_al_2017", "female_2-Caliskan_et_al_2017"
    documented = pairs(*ids)
    result = wg.measure(vectors, "subspace", {"A": ids[0], "B": ids[1]})
    assert tuple(zip(result.words["A"], result.words["B"], strict=True)) == documented
    listed = {name: [pair[k] for pair in documented] for k, name in enumerate("AB")}
    assert wg.measure(vectors, "subspace", listed).value == result.value


def test_a_wrong_call_says_what_was_expected(vectors):
    good = {"X": ["nurse"], "A": ["he"], "B": ["she"]}
    with pytest.raises(UsageError, match=r"no measure 'rndd'\. Did you mean rnd"):
        wg.measure(vectors, "rndd", good)
    with pytest.raises(UsageError, match=r"use `weatherglass\.weat`"):
        wg.measure(vectors, "weat", good)
    with pytest.raises(UsageError, match="rnd needs the set B: words of the other group"):
        wg.measure(vectors, "rnd", {"X": ["nurse"], "A": ["he"]})
    with pytest.raises(UsageError, match="rnd has no set 'Y'; it takes X, A and B"):
        wg.measure(vectors, "rnd", good | {"Y": ["pilot"]})
    with pytest.raises(UsageError, match=r"no option 'units'\. Did you mean unit"):
        wg.measure(vectors, "rnd", good, units=True)
    with pytest.raises(UsageError, match="unit is 1; True or False was expected"):
        wg.measure(vectors, "rnd", good, unit=1)
    with pytest.raises(UsageError, match="rng is -1"):
        wg.measure(vectors, "sc-weat", good, rng=-1)
    with pytest.raises(UsageError, match="set 'X' is empty"):
        wg.measure(vectors, "rnd", good | {"X": []})
    with pytest.raises(UsageError, match="set 'X' has '3'"):
        wg.measure(vectors, "rnd", good | {"X": [3]})
    with pytest.raises(UsageError, match="must have names"):
        wg.measure(vectors, "rnd", [["nurse"], ["he"]])
    with pytest.raises(UnknownEntry, match="no seed set 'male_1'"):
        wg.measure(vectors, "rnd", good | {"A": "male_1"})
    with pytest.raises(CatalogError, match="has no words"):
        wg.measure(vectors, "rnd", good | {"A": "professions-Zhao_et_al_2018"})


def test_a_row_without_direction_stops_the_measure():
    vectors = wg.Vectors.of(["x", "a", "b"], [[0, 0], [1, 0], [0, 1]])
    result = wg.measure(vectors, "rnd", {"X": ["x"], "A": ["a"], "B": ["b"]})
    assert result.status == "not run"
    assert "no direction" in result.reason


def test_the_largest_numbers_that_a_file_can_hold_are_measured():
    vectors = wg.Vectors.of(["x", "a", "b"], [[1e38, 0], [0, 3e38], [1, 1]])
    result = wg.measure(vectors, "rnd", {"X": ["x"], "A": ["a"], "B": ["b"]})
    assert result.value == pytest.approx(math.hypot(1e38, 3e38) - 1e38, rel=1e-6)


def test_what_it_is_called_can_be_said(vectors):
    result = wg.measure(vectors, "mac", {"X": ["nurse"], "A": ["she"]}, test="mine", title="Nurses")
    assert (result.test, result.title, result.measure) == ("mine", "Nurses", "mac")


def test_words_by_what_they_add():
    vectors = wg.Vectors.of(["x", "y", "a"], [[1, 1], [1, 0], [1, 0]])
    result = wg.measure(vectors, "mac", {"X": ["x", "y"], "A": ["a"]})
    assert [word for word, _ in result.ranked()] == ["y", "x"]
    assert result.ranked("A") == ()
