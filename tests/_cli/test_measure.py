"""``weatherglass measure``: the list of measures, tables, options and mistakes."""

import csv
import io
import json

import pytest

import weatherglass as wg
from weatherglass.measures import MEASURES

X = "occupations-Kozlowski_et_al_2019"
A, B = "male_1-Caliskan_et_al_2017", "female_1-Caliskan_et_al_2017"
LINE = ["measure", "default", "rnd", "--set", f"X={X}", "--set", f"A={A}", "--set", f"B={B}"]


def test_list_has_every_measure_with_its_sets(run):
    ran = run("measure", "--list")
    assert ran.code == 0
    for name, measure in MEASURES.items():
        assert f" {name} " in ran.out
        assert measure.doi in ran.out
    listed = json.loads(run("measure", "--list", "--format", "json").out)
    assert [entry["name"] for entry in listed] == list(MEASURES)
    ect = next(entry for entry in listed if entry["name"] == "ect")
    assert ect["sets"][0] == {"name": "X", "least": 3, "meaning": "words that should be neutral"}
    assert (ect["larger"], ect["neutral"], ect["low"]) == ("less", 1, -1)


def test_list_of_a_measure_describes_its_sets_options_and_citation(run):
    ran = run("measure", "--list", "ripa")
    assert "second words of the pairs" in ran.out
    assert "The words of A and B are pairs, in their order." in ran.out
    assert "doi:10.18653/v1/P19-1166" in ran.out
    assert "words of other groups" in run("measure", "--list", "mac").out


def test_seed_set_ids_give_the_same_value_as_the_library(run):
    expected = wg.measure(wg.open_vectors("default"), "rnd", {"X": X, "A": A, "B": B})
    ran = run(*LINE, "--format", "json")
    assert ran.code == 0
    (result,) = json.loads(ran.out)["results"]
    assert result["value"] == expected.value
    assert result["labels"] == {"X": X, "A": A, "B": B}
    assert wg.Results.from_json(ran.out)[0].by_word == expected.by_word
    for form, delimiter in (("tsv", "\t"), ("csv", ",")):
        (row,) = csv.DictReader(io.StringIO(run(*LINE, "--format", form).out), delimiter=delimiter)
        assert float(row["effect_size"]) == expected.value
        assert row["measure"] == "rnd"


def test_the_table_of_a_measure_has_its_meaning_and_the_extreme_words(run):
    ran = run(*LINE, "--words", "2")
    assert "Relative norm distance on default" in ran.out
    assert MEASURES["rnd"].reading in ran.out
    assert "Words of X: the 2 at each end of 11" in ran.out
    assert "nurse" in ran.out
    assert "Words of X" not in run(*LINE, "--words", "0").out


def test_sets_can_be_words_a_file_or_a_seed_set_id(run, tmp_path):
    (tmp_path / "men.txt").write_text("he\nman\n")
    (tmp_path / "two.yaml").write_text("{men: [he], women: [she]}")
    line = ["measure", "default", "semaxis", "--set", "X=nurse,pilot", "--set", f"B={B}"]
    ran = run(*line, "--set", f"A={tmp_path / 'men.txt'}", "--format", "json")
    (result,) = json.loads(ran.out)["results"]
    assert result["words"]["A"] == ["he", "man"]
    assert result["words"]["X"] == ["nurse", "pilot"]
    assert result["labels"]["A"] == "men"
    ran = run(*line, "--set", f"A={tmp_path / 'two.yaml'}")
    assert ran.code == 2
    assert "has 2 sets ('men', 'women'); expected one" in ran.err


def test_weat_runs_like_any_other_measure(run):
    sets = {"X": A, "Y": B, "A": "career-Caliskan_et_al_2017", "B": "family-Caliskan_et_al_2017"}
    line = ["measure", "default", "weat", "--option", "method=exact"]
    line += [part for name, words in sets.items() for part in ("--set", f"{name}={words}")]
    expected = wg.measure(wg.open_vectors("default"), "weat", sets, method="exact")
    (result,) = wg.Results.from_json(run(*line, "--format", "json").out)
    assert result == expected
    table = run(*line).out
    assert f"{expected.effect:.3f}" in table
    assert "Words of Y" in table


def test_options_are_passed_to_the_measure(run):
    line = ["measure", "default", "semaxis", "--set", "X=nurse", "--set", "A=love"]
    line += ["--set", "B=hate", "--format", "json"]
    (plain,) = json.loads(run(*line).out)["results"]
    (wide,) = json.loads(run(*line, "--option", "neighbours=3").out)["results"]
    assert wide["options"]["neighbours"] == 3
    assert wide["value"] != plain["value"]
    (unit,) = json.loads(run(*LINE, "--option", "unit=yes", "--format", "json").out)["results"]
    assert unit["options"]["unit"] is True


def test_the_table_of_a_measure_has_its_p_value(run):
    line = ["measure", "default", "sc-weat", "--set", "X=nurse", "--set", f"A={B}"]
    ran = run(*line, "--set", f"B={A}")
    assert "/12870" in ran.out
    assert "exact" in ran.out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["measure"], "Name a source and a measure"),
        (["measure", "default"], "Name a source and a measure"),
        (["measure", "rnd", "default"], "The source comes first: weatherglass measure default rnd"),
        (["measure", "default", "rndd"], "Did you mean rnd"),
        (["measure", "default", "wefat"], "use `weatherglass.wefat`"),
        (["measure", "default", "rnd", "--set", "X=a"], "rnd needs the set A"),
        (["measure", "default", "rnd", "--set", "X"], "--set is 'X'; expected NAME=…"),
        ([*LINE, "--set", "X=a"], "--set has the duplicate name 'X'"),
        (["measure", "default", "rnd", "--set", "X=male_1"], "or male_1-Caliskan_et_al_2017?"),
        (["measure", "default", "rnd", "--set", "X=./no.txt"], "There is no such file either"),
        ([*LINE, "--option", "unit=perhaps"], "unit is 'perhaps'; expected yes or no"),
        ([*LINE, "--option", "units=yes"], "Did you mean unit"),
        (
            ["measure", "default", "rnsb", "--option", "runs=many"],
            "runs is 'many'; expected a number",
        ),
    ],
)
def test_a_wrong_measure_command_says_what_was_expected(run, line, message):
    ran = run(*line)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_a_measure_that_cannot_run_says_why(run):
    line = [
        "measure",
        "default",
        "rnd",
        "--set",
        "X=qqzzy,xxyyq",
        "--set",
        "A=he",
        "--set",
        "B=she",
    ]
    ran = run(*line)
    assert ran.code == 3
    assert "2 of the 2 words of X are missing" in ran.out


def test_control_characters_in_words_are_not_printed(run, tmp_path):
    (tmp_path / "v.txt").write_text("a\x1b[31m 1 0\nhe 0 1\nshe 1 1\n")
    line = ["measure", tmp_path / "v.txt", "rnd", "--set", "X=a\x1b[31m,he"]
    ran = run(*line, "--set", "A=he", "--set", "B=she", "--max-missing", "1", "--allow-overlap")
    assert ran.code == 0
    assert "\x1b" not in ran.out
