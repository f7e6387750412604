import json

import pytest


def test_sentence_and_word_level_are_run_with_both_p_values(run):
    ran = run("seat", "cbow:default", "--test", "weat6", "--test", "sent-weat6", "--format", "json")
    assert ran.code == 0
    word, sentence = json.loads(ran.out)["results"]
    assert (word["level"], sentence["level"]) == ("word", "sentence")
    assert sentence["p"]["value"] < sentence["p_by_word"]["value"] == word["p"]["value"]


def test_the_table_marks_what_stands_up_to_correction(run):
    ran = run("seat", "cbow:default", "--test", "*weat6", "--alpha", "0.01")
    assert "7.8e-05 *" in ran.out
    assert "p by word" in ran.out


def test_level_and_picture(run, tmp_path):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    picture = tmp_path / "matrix.svg"
    line = ["seat", "cbow:default", "--test", "*weat[67]", "--level", "sentence"]
    assert run(*line, "--plot", picture, "--format", "tsv", "-o", tmp_path / "r.tsv").code == 0
    assert "sent-weat6" in picture.read_text()
    rows = (tmp_path / "r.tsv").read_text().splitlines()
    assert len(rows) == 3
    assert rows[0].startswith(
        "model\toptions\ttest\tp_value\teffect_size\tnum_targ1\tnum_targ2\tnum_attr1\tnum_attr2"
    )


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["cbwo:default"], 1, "cbow"),
        (["cbow:nowhere.txt"], 1, "nowhere.txt"),
        (["cbow:default", "--test", "weat6", "--level", "sentence"], 2, "level sentence"),
        (["cbow:default", "--test", "sent-waet6"], 2, "Did you mean sent-weat6"),
        (["cbow:default", "--alpha", "nan"], 2, "not a share"),
        (["cbow:default", "--annotations", "x.csv"], 2, "--sentences"),
        (["http://[::1/v1"], 2, "is no address"),
        ([], 2, "Missing argument"),
    ],
)
def test_mistakes_get_a_sentence_and_an_exit_code(run, line, code, says):
    ran = run("seat", *line)
    assert ran.code == code, ran.err
    assert says in ran.err


def test_an_encoder_and_a_test_count_once(run):
    line = ["seat", "cbow:default", "cbow:default", "--test", "weat6", "--test", "sent-weat6"]
    ran = run(*line, "--sentences", "--format", "json")
    assert [one["test"] for one in json.loads(ran.out)["results"]] == ["sent-weat6"]


def test_the_key_of_an_endpoint_is_never_shown(run, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_API_KEY", "SECRET\x01KEY")
    ran = run("seat", "http://127.0.0.1:9/v1", "--test", "weat6")
    assert ran.code == 2
    assert "SECRET" not in ran.err + ran.out


def test_an_encoder_that_fails_does_not_cost_the_others(run):
    ran = run("seat", "cbow:default", "cbow:nowhere.txt", "--test", "weat6")
    assert ran.code == 1
    assert "7.8e-05" in ran.out
    assert "nowhere.txt" in ran.err
    assert "1 of 2 encoders" in ran.err
