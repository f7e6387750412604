"""``weatherglass weat`` and ``wefat``: tables, files, options and mistakes."""

import csv
import io
import json

import numpy as np
import pytest

import weatherglass as wg

OWN = """
- id: sky
  x: [sun, moon]
  y: [stone, mud]
  a: {label: light, words: [bright, shine]}
  b: {label: dark, words: [dark, black]}
"""


def test_weat_runs_the_ten_published_tests_by_default(run):
    ran = run("weat", "default")
    assert ran.code == 0
    for i in range(1, 11):
        assert f"weat{i} " in ran.out
    assert "published" in ran.out
    assert "gladiola" in ran.out


def test_the_papers_vectors_give_the_published_numbers(run, glove840b):
    ran = run("weat", glove840b, "--format", "json")
    results = json.loads(ran.out)["results"]
    assert [f"{result['effect']:.2f}" for result in results] == [
        f"{result['published']['effect']:.2f}" for result in results
    ]
    ran = run("wefat", glove840b, "--format", "json")
    results = json.loads(ran.out)["results"]
    assert [f"{result['pearson']:.2f}" for result in results] == ["0.90", "0.84"]


def test_own_tests_are_read_from_yaml_and_from_seat_json(run, tmp_path):
    (tmp_path / "sky.yaml").write_text(OWN)
    sets = {"targ1": ["sun", "moon"], "targ2": ["stone", "mud"]}
    sets |= {"attr1": ["bright", "shine"], "attr2": ["dark", "black"]}
    record = {name: {"category": name, "examples": words} for name, words in sets.items()}
    (tmp_path / "sky2.jsonl").write_text(json.dumps(record))
    ran = run("weat", "default", "--tests", tmp_path, "--format", "json")
    first, second = json.loads(ran.out)["results"]
    assert {first["test"], second["test"]} == {"sky", "sky2"}
    assert first["effect"] == second["effect"] != 0


def test_options_of_weat_are_passed_to_the_measure(run):
    line = ["weat", "default", "--test", "weat7", "--format", "json"]
    more = ["--p", "sample", "--seed", "5", "--alternative", "two-sided", "--ddof", "0"]
    (result,) = json.loads(run(*line, *more).out)["results"]
    expected = wg.weat(
        wg.open_vectors("default"),
        "weat7",
        method="sample",
        rng=5,
        alternative="two-sided",
        ddof=0,
    )
    assert result["effect"] == expected.effect
    assert result["p"] == expected.p.to_dict()


def test_an_overlap_that_is_allowed_is_stated_under_the_table(run, tmp_path):
    test = "x: [he, man, boy]\ny: [she, woman, girl]\na: [career, he]\nb: [family, home]\n"
    (tmp_path / "own.yaml").write_text(f"id: own\n{test}")
    line = ["weat", "default", "--tests", tmp_path / "own.yaml", "--no-baseline"]
    assert "--allow-overlap runs it" in run(*line).out
    ran = run(*line, "--allow-overlap")
    assert "own: 'he' is both a target (X) and an attribute (A)" in ran.out
    assert "which is 1, counted as association." in ran.out


def test_weat_prints_leave_one_out_effects_and_intervals(run):
    ran = run("weat", "default", "--test", "weat6", "--influence", "--intervals")
    assert "Leave-one-out" in ran.out
    assert "1.36 to 1.86" in ran.out.split("95 % confidence intervals")[0]
    lines = ran.out.split("95 % confidence intervals")[1].splitlines()
    listed = [line.split() for line in lines if " to " in line]
    assert [line[-1] for line in listed] == ["t", "crossed", "bca"]
    assert "other words in all four sets" in ran.out


def test_weat_says_what_a_test_without_a_clear_difference_could_have_found(run):
    ran = run("weat", "default", "--test", "weat6", "--test", "weat9", "--alternative", "less")
    lines = [line for line in ran.out.splitlines() if ", none: " in line]
    assert lines[0].startswith(
        "weat6, none: No clear difference in the direction that was declared (negative), in how "
    )
    assert lines[0].endswith("; this test could have detected 1.2 or more.")
    assert lines[1].startswith("weat9, none: No clear difference")
    test = "angry_black_woman_stereotype"
    ran = run("weat", "default", "--test", test)
    assert f"{test}, none: No clear difference in how" in ran.out
    assert "could have detected 0.94 or more." in ran.out
    assert "No clear difference" not in run("weat", "default", "--test", "weat6").out


def test_power_of_a_test_and_of_sizes(run):
    ran = run("power", "weat7", "default", "--effect", "0.9", "--format", "json")
    record = json.loads(ran.out)
    power = wg.weat(wg.open_vectors("default"), "weat7").power
    assert record["detectable"] == power.detectable
    assert record["difference"] == power.difference
    assert (record["sizes"], record["words_needed"]) == ([8, 8], 17)
    assert json.loads(run("power", "--n", "8,8", "--format", "json").out)["smallest_p"] == 2 / 12870
    assert "cannot be significant" in run("power", "--n", "3,3", "--alpha", "0.01").out
    assert "detectable correlation" in run("power", "wefat1", "default", "--effect", "0.4").out
    assert "8+8" in run("power", "--n", "8,8", "--format", "csv").out


def test_power_refuses_what_is_incomplete(run):
    for arguments in ((), ("weat7",), ("weat7", "default", "--n", "8,8"), ("--n", "8,8,8")):
        assert run("power", *arguments).code == 2


@pytest.mark.slow
def test_controls_have_a_row_each_below_the_test(run):
    line = ("weat", "default", "--test", "weat4", "--test", "weat6")
    ran = run(*line, "--control", "frequency,top:2")
    assert ran.code == 0
    rows = [line.split() for line in ran.out.splitlines() if line.startswith("  w")]
    assert [row[0].rstrip("46") for row in rows] == 2 * ["weat", "without", "without"]
    assert rows[1] == ["without", "frequency", "0.17", "0.32", "fades"]
    assert rows[2][-3:] == ["0.39", "0.14", "fades"]
    assert rows[4] == ["without", "frequency", "1.64", "1.6e-04", "holds"]
    assert "of other words with R² 0.91, 0.07 after the control." in ran.out
    plain = run(*line)
    assert "without" not in plain.out
    assert "Frequency" not in plain.out
    ran = run("wefat", "default", "--test", "wefat1", "--control", "auto", "--format", "json")
    (result,) = json.loads(ran.out)["results"]
    pair = wg.control(wg.open_vectors("default"))
    expected = wg.wefat(wg.open_vectors("default"), "wefat1", control=pair)
    assert wg.Results.from_json(ran.out)[0].controls == expected.controls
    assert result["controls"][0]["name"] == "frequency"


def test_frequency_control_of_too_few_words_says_so(run, glove840b):
    ran = run("weat", glove840b, "--test", "weat6", "--control", "auto")
    assert ran.code == 0
    assert "Frequency: not removed; it has" in ran.out
    assert "without frequency" not in ran.out
    ran = run("wefat", glove840b, "--control", "frequency")
    assert ran.code == 3
    assert "457 usable words" in ran.err
    assert "Traceback" not in ran.err


def test_auto_control_leaves_vectors_without_frequency_unchanged(run, tmp_path):
    rng = np.random.default_rng(0)
    words = [*(f"w{i}" for i in range(1000)), "sun", "moon", "stone", "mud", "bright", "shine"]
    words += ["dark", "black"]
    rows = rng.standard_normal((len(words), 5))
    lines = (f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True))
    (tmp_path / "vectors.txt").write_text("".join(lines))
    (tmp_path / "sky.yaml").write_text(OWN)
    line = ["weat", tmp_path / "vectors.txt", "--tests", tmp_path / "sky.yaml"]
    ran = run(*line, "--control", "auto")
    assert "too little to remove." in ran.out
    ran = run(*line, "--control", "frequency")
    assert "after the control." in ran.out
    assert "without frequency" in ran.out


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_weat_writes_tsv_and_csv_to_a_file(run, tmp_path, form):
    out = tmp_path / f"out.{form}"
    assert run("weat", "default", "--format", form, "-o", out).code == 0
    rows = list(
        csv.DictReader(io.StringIO(out.read_text()), delimiter={"tsv": "\t"}.get(form, ","))
    )
    assert len(rows) == 10
    assert float(rows[5]["effect_size"]) > 1.5


def test_a_weat_test_that_cannot_be_run_is_listed_with_the_reason(run):
    ran = run("weat", "default", "--test", "weat1", "--test", "weat8", "--case", "keep")
    assert ran.code == 0
    assert "weat8: not run, 2 of the 8 words of X are missing ('Einstein', 'NASA')" in ran.out
    ran = run("weat", "default", "--test", "weat8", "--case", "keep")
    assert ran.code == 3
    assert "No test could be run" in ran.err


def test_own_facts_are_tested_with_the_attributes_of_a_named_test(run, tmp_path):
    facts = tmp_path / "jobs.csv"
    facts.write_text("word,value\nnurse,90\nplumber,1\nteacher,80\nmechanic,2\n")
    ran = run("wefat", "default", "--facts", facts, "--format", "json")
    (result,) = json.loads(ran.out)["results"]
    assert result["test"] == "jobs"
    assert result["pearson"] > 0.5
    assert result["facts"] == [90, 1, 80, 2]


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["weat", "default", "--test", "waet6"], 2, "Did you mean weat6"),
        (["weat", "default", "--test", "wefat1"], 2, "run it with `wefat`"),
        (["wefat", "default", "--test", "weat1"], 2, "run it with `weat`"),
        (["weat", "default", "--tests", "nowhere.yaml"], 2, "nowhere.yaml"),
        (["weat", "default", "--p", "guess"], 2, "guess"),
        (["weat", "default", "--max-missing", "2"], 2, "max-missing"),
        (["weat"], 2, "Missing argument"),
        (["weat", "default", "--max-missing", "nan"], 2, "not a share"),
        (["weat", "default", "--seed", "-1"], 2, "--seed"),
        (["weat", "default", "--control", "rank"], 2, "--control"),
        (["weat", "default", "--plot", "picture.gif"], 2, "must end in"),
        (["weat", "default", "-o", "nowhere/out.txt"], 2, "no folder nowhere"),
    ],
)
def test_wrong_weat_commands_get_a_sentence_and_an_exit_code(run, line, code, says):
    ran = run(*line)
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_an_own_test_with_the_id_of_a_catalogue_test_is_refused(run, tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text(OWN.replace("id: sky", "id: weat6"))
    ran = run("weat", "default", "--test", "weat6", "--tests", own)
    assert ran.code == 2
    assert "Two different tests have the id 'weat6'" in ran.err


def test_very_large_facts_do_not_overflow(run, tmp_path):
    facts = tmp_path / "large.csv"
    facts.write_text("word,value\nnurse,1e308\nplumber,-1e308\nteacher,1e308\n")
    ran = run("wefat", "default", "--facts", facts)
    assert (ran.code, ran.err) == (0, "")
    assert "9.87e+307" in ran.out


def test_a_word_that_is_target_and_attribute_is_named_and_allowed_by_an_option(run, tmp_path):
    path = tmp_path / "mixed.yaml"
    path.write_text(OWN.replace("[bright, shine]", "[bright, sun]") + OWN.replace("sky", "clear"))
    ran = run("weat", "default", "--tests", path)
    assert ran.code == 0
    assert "sky: not run, 'sun' is both a target (X) and an attribute (A)" in ran.out
    assert "clear " in ran.out
    allowed = run("weat", "default", "--tests", path, "--allow-overlap", "--format", "json")
    first = json.loads(allowed.out)["results"][0]
    assert first["status"] == "done"
    assert first["options"]["allow_overlap"] is True
