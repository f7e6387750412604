"""Association tables: the same tests on numbers from anywhere."""

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import weatherglass as wg
from weatherglass.errors import BadContent, CannotMeasure, SourceNotFound, TooLarge, UsageError

TEN = [f"weat{number}" for number in range(1, 11)]
INSECTS = wg.Test(x=["rose", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
VALUES = [[5.0, 1.0], [4.0, 2.0], [2.0, 5.0], [1.0, 4.0]]
ROWS, COLUMNS = ["rose", "lily", "wasp", "gnat"], ["kind", "foul"]
GEOMETRY = {"source", "cosine", "p_rotation", "baseline", "anisotropy"}


@pytest.fixture(scope="module")
def ten():
    return wg.AssociationTable.from_source("default", TEN)


def differing_fields(first, second):
    before, after = first.to_dict(), second.to_dict()
    return {name for name in before if before[name] != after[name]}


def test_all_ten_tests_on_a_table_equal_those_on_vectors_to_the_last_bit(ten, tmp_path):
    path = tmp_path / "ten.csv"
    ten.write(path)
    vectors = wg.open_vectors("default")
    for test in TEN:
        # Leave-one-out of 64 names takes seconds.
        options = {"influence": test not in ("weat3", "weat4", "weat5"), "baseline": False}
        on_table = wg.weat(f"table:{path}", test, **options)
        on_vectors = wg.weat(vectors, test, **options)
        assert on_vectors.is_done
        assert differing_fields(on_table, on_vectors) <= GEOMETRY, test


@pytest.mark.slow
def test_intervals_and_influence_of_all_ten_tests_on_a_table_equal_those_on_vectors(ten):
    vectors = wg.open_vectors("default")
    for test in TEN:
        options = {"influence": True, "intervals": True, "baseline": False}
        on_vectors = wg.weat(vectors, test, **options)
        assert differing_fields(wg.weat(ten, test, **options), on_vectors) <= GEOMETRY, test


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".arrow"])
def test_a_file_has_every_digit_of_a_table(ten, tmp_path, suffix):
    path = tmp_path / f"ten{suffix}"
    ten.write(path)
    assert wg.as_source(f"table:{path}").fingerprint == ten.fingerprint


def test_a_cosine_does_not_depend_on_the_other_words_of_a_table(ten):
    for test in TEN:
        alone = wg.AssociationTable.from_source("default", test)
        rows = [ten.rows.index(word) for word in alone.rows]
        columns = [ten.columns.index(word) for word in alone.columns]
        assert np.array_equal(alone.values, ten.values[np.ix_(rows, columns)])


def test_wefat_sc_weat_and_generalised_weat_on_a_table_equal_those_on_vectors():
    sets = {name: list(part.words) for name, part in wg.test("weat6").sets.items()}
    table = wg.AssociationTable.from_source("default", ["weat6", "wefat1"])
    assert wg.wefat(table, "wefat1").pearson == wg.wefat("default", "wefat1").pearson
    chosen = {name: sets[name] for name in "XAB"}
    single = wg.measure(table, "sc-weat", chosen)
    assert single.by_word == wg.measure("default", "sc-weat", chosen).by_word
    groups = [(sets["X"], sets["A"]), (sets["Y"], sets["B"])]
    general = wg.generalised_weat(table, groups).value
    assert general == pytest.approx(wg.generalised_weat("default", groups).value, rel=1e-12)


def test_the_effect_is_that_of_the_formula_worked_by_hand():
    result = wg.weat(wg.AssociationTable(VALUES, ROWS, COLUMNS), INSECTS)
    s = np.array([4.0, 2.0, -3.0, -3.0])
    assert result.associations == {"X": (4.0, 2.0), "Y": (-3.0, -3.0)}
    assert result.effect == pytest.approx((s[:2].mean() - s[2:].mean()) / s.std(ddof=1))
    assert result.p.fraction == "2/6"


def test_effect_and_p_do_not_depend_on_the_unit_of_the_values():
    reference = wg.AssociationTable.from_source("default", "weat7")
    expected = wg.weat(reference, "weat7", influence=True)
    for factor in (2.0**-60, 2.0**40):
        table = wg.AssociationTable(factor * reference.values, reference.rows, reference.columns)
        result = wg.weat(table, "weat7", influence=True)
        assert result.effect == pytest.approx(expected.effect)
        assert result.p.fraction == expected.p.fraction
        assert result.influence[0].word == expected.influence[0].word
        whole = wg.multiverse(table, "weat7", samples=2).specifications[0]
        assert whole.p.fraction == expected.p.fraction


def test_swapped_targets_change_the_sign_of_a_table():
    table = wg.AssociationTable(VALUES, ROWS, COLUMNS)
    swapped = wg.Test(x=INSECTS.y, y=INSECTS.x, a=INSECTS.a, b=INSECTS.b)
    assert wg.weat(table, swapped).effect == -wg.weat(table, INSECTS).effect


def test_targets_are_looked_up_in_rows_and_attributes_in_columns():
    table = wg.AssociationTable(np.array(VALUES).T, COLUMNS, ROWS)
    result = wg.weat(table, INSECTS)
    assert result.status == "not run"
    assert "missing" in result.reason


def test_what_needs_geometry_says_that_it_is_not_for_tables():
    table = wg.AssociationTable(VALUES, ROWS, COLUMNS)
    result = wg.weat(table, INSECTS, control=["frequency", "top:2"])
    assert result.baseline.reason == "not for tables"
    assert result.p_rotation is None
    assert result.cosine is None
    assert [value.reason for value in result.controls] == ["not for tables"] * 2
    assert "frequency control" not in result.finding.not_collected
    measured = wg.measure(table, "ripa", {"X": ["rose"], "A": ["kind"], "B": ["foul"]})
    assert measured.reason == "ripa needs vectors; it is not for tables"
    lint = wg.lint(wg.SeedSet(id="mine", words=ROWS), source=table)
    assert "not for tables" in {check.reason for check in lint.checks}


def test_a_result_of_a_table_survives_the_round_trip():
    result = wg.weat(wg.AssociationTable(VALUES, ROWS, COLUMNS), INSECTS)
    assert wg.WeatResult.from_json(result.to_json()) == result
    assert result.is_of_table


def test_trials_are_averaged_for_each_pair(tmp_path):
    path = tmp_path / "trials.csv"
    lines = [f"{r},{c},{VALUES[i][j]},1" for i, r in enumerate(ROWS) for j, c in enumerate(COLUMNS)]
    path.write_text("\n".join(["target,attribute,value,trial", *lines, "rose,kind,9,2"]) + "\n")
    table = wg.AssociationTable.read(path)
    assert table.values.tolist() == [[7.0, 1.0], *VALUES[1:]]
    result = wg.weat(f"table:{path}", INSECTS)
    assert result.n == {"X": 2, "Y": 2, "A": 1, "B": 1}


def test_many_trials_of_noise_do_not_make_a_small_p():
    """The unit is the word: with four words, the smallest p is 1/6 however many trials."""
    generator = np.random.default_rng(0)
    rows = [(r, c, generator.normal()) for r in ROWS for c in COLUMNS for _ in range(500)]
    names = ("target", "attribute", "value")
    frame = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    result = wg.weat(wg.AssociationTable.from_frame(frame), INSECTS)
    assert result.p_two_sided.value >= 1 / 3


def test_columns_of_other_names_are_chosen_with_options(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("job,role,score\nnurse,she,3\nnurse,he,1\npilot,she,1\npilot,he,4\n")
    table = wg.as_source(f"table:{path}?target=job&attribute=role&value=score")
    assert (table.rows, table.columns) == (("nurse", "pilot"), ("she", "he"))
    wide = tmp_path / "w.csv"
    wide.write_text("1,name,2\n0.5,nurse,0.25\n1,pilot,\n")
    table = wg.as_source(f"table:{wide}?rows=name")
    assert table.columns == ("1", "2")
    assert np.isnan(table.values[1, 1])


def test_a_test_that_needs_a_missing_pair_is_not_run_and_names_it():
    values = np.array(VALUES)
    values[1, 1] = np.nan
    table = wg.AssociationTable(values, ROWS, COLUMNS)
    result = wg.weat(table, INSECTS)
    assert result.reason == "the table has no value for 'lily' with 'foul'"
    without = wg.Test(x=["rose"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    assert "at least 2" in wg.weat(table, without).reason  # the gap no longer matters
    with pytest.raises(CannotMeasure, match="no value for 'lily'"):
        wg.generalised_weat(table, [(ROWS[:2], ["kind"]), (ROWS[2:], ["foul"])])
    with pytest.raises(CannotMeasure, match="a multiverse needs a value for each pair"):
        wg.multiverse(table, "weat6")


def test_a_word_that_is_both_target_and_attribute_is_refused_unless_accepted():
    table = wg.AssociationTable(VALUES, ["kind", *ROWS[1:]], COLUMNS)
    test = wg.Test(x=["kind", "lily"], y=["wasp", "gnat"], a=["kind"], b=["foul"])
    assert "both a target and an attribute" in wg.weat(table, test).reason
    assert wg.weat(table, test, allow_overlap=True).is_done


def test_words_that_spreadsheets_would_run_survive_the_round_trip(tmp_path):
    table = wg.AssociationTable([[1.0, -0.0]], rows=["=SUM(A1)"], columns=["-x", 'a,"b"'])
    table.write(tmp_path / "t.csv")
    again = wg.AssociationTable.read(tmp_path / "t.csv")
    assert (again.rows, again.columns) == (table.rows, table.columns)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0]], ["a"], ["b", "c"]), "shape"),
        (([["x"]], ["a"], ["b"]), "not a table of numbers"),
        (([[1.0], [2.0]], ["a", "a"], ["b"]), "duplicates: 'a'"),
        (([[np.inf]], ["a"], ["b"]), "infinite"),
        (([[1.0]], "a", ["b"]), "no list of words"),
    ],
)
def test_a_wrong_table_is_refused_in_a_sentence(arguments, message):
    values, rows, columns = arguments
    with pytest.raises(BadContent, match=message):
        wg.AssociationTable(values, rows=rows, columns=columns)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("target,kind\nrose,x\n", "expected a number"),
        ("target,kind\nrose\n", "1 cells, but the header has 2"),
        ("target,kind,kind\nrose,1,2\n", "several columns called 'kind'"),
        ("a,b\n1,2\n", "no column of targets"),
        ("target,kind\nrose,1\nrose,2\n", "duplicates: 'rose'"),
    ],
)
def test_a_broken_file_is_refused_in_a_sentence(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(BadContent, match=message):
        wg.as_source(f"table:{path}")


def test_a_long_table_without_values_for_nearly_all_pairs_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    rows = (f"r{number},c{number},1" for number in range(5000))
    path.write_text("\n".join(["target,attribute,value", *rows]))
    with pytest.raises(TooLarge, match="5,000 values are too few for 5,000 targets"):
        wg.as_source(f"table:{path}")


def test_a_text_that_a_dictionary_repeats_is_refused_before_it_fills_the_memory(tmp_path):
    words = pa.DictionaryArray.from_arrays(np.zeros(200, np.int32), ["x" * (1 << 20)])
    pq.write_table(pa.table({"word": words, "kind": np.zeros(200)}), tmp_path / "t.parquet")
    with pytest.raises(TooLarge, match="unpacks to more than"):
        wg.as_source(f"table:{tmp_path / 't.parquet'}")


def test_columns_of_arrow_with_and_without_gaps_have_the_same_numbers(tmp_path):
    counts = pa.array([5, None, 2, 1])
    table = pa.table({"target": ROWS, "kind": [1.5, 2.0, 0.25, 0.0], "foul": counts})
    pq.write_table(table, tmp_path / "t.parquet")
    read = wg.as_source(f"table:{tmp_path / 't.parquet'}")
    assert read.values[:, 0].tolist() == [1.5, 2.0, 0.25, 0.0]
    np.testing.assert_array_equal(read.values[:, 1], [5.0, np.nan, 2.0, 1.0])


def test_a_wrong_spec_of_a_table_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("target,kind\nrose,1\n")
    with pytest.raises(UsageError, match="no option 'row'"):
        wg.as_source(f"table:{path}?row=target")
    with pytest.raises(UsageError, match="no column 'word'"):
        wg.as_source(f"table:{path}?rows=word")
    with pytest.raises(SourceNotFound, match="There is no file"):
        wg.weat("table:no-such.csv", "weat6")
    with pytest.raises(UsageError, match="must end in one of"):
        wg.AssociationTable(VALUES, ROWS, COLUMNS).write(tmp_path / "t.xlsx")


def test_the_same_table_has_the_same_fingerprint_under_another_name():
    table = wg.AssociationTable(VALUES, ROWS, COLUMNS)
    assert wg.as_source(table, name="mine").fingerprint == table.fingerprint
    assert dataclasses.is_dataclass(table)
    other = wg.AssociationTable(np.array(VALUES) + 1, ROWS, COLUMNS)
    assert other.fingerprint != table.fingerprint


def test_a_table_with_millions_of_cells_of_text_is_refused_before_they_are_read(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("weatherglass.measures.table_files.MAX_TEXT_CELLS", 100)
    words = pa.array(["a", "b", "c"] * 20).dictionary_encode()
    table = pa.table({"target": words, "attribute": words, "value": pa.array(range(60))})
    pq.write_table(table, tmp_path / "big.parquet")
    with pytest.raises(TooLarge, match=r"has 120 cells of text.*at most 100"):
        wg.weat(f"table:{tmp_path / 'big.parquet'}", "weat6")
    pq.write_table(table.slice(0, 50), tmp_path / "small.parquet")
    assert wg.AssociationTable.read(tmp_path / "small.parquet").rows == ("a", "b", "c")
