"""``weatherglass norms``: tables, JSON, files and mistakes."""

from __future__ import annotations

import json

import pytest


def test_norms_print_correlations_shared_words_and_residuals(run):
    ran = run("norms", "default")
    assert ran.code == 0
    assert "0.608" in ran.out or "0.607" in ran.out
    assert "Largest residuals" in ran.out
    assert "r = 0.602 without them" in ran.out


def test_norms_of_a_file_with_named_columns(run, tmp_path):
    words = "love joy peace gift honest rainbow war hate filth murder prison poison tree table"
    rows = [f"{word},{9 - k / 2},1.5" for k, word in enumerate(words.split())]
    path = tmp_path / "mine.csv"
    path.write_text("term,rating,sd\n" + "\n".join(rows) + "\n", encoding="utf-8")
    line = ["norms", "default", "--norms", path, "--word", "term", "--value", "rating"]
    ran = run(*line, "--sd", "sd", "--raters", "25", "--test", "weat1", "--format", "json")
    (result,) = json.loads(ran.out)["results"]
    assert result["measure"] == "norms"
    assert result["n"]["W"] == 14
    assert 0.9 < result["ceiling"] < 1
    assert result["grade"] in ("clear", "mixed", "none")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("good,bad\nhappy,sad\n", encoding="utf-8")
    ran = run(*line, "--pairs", pairs, "--plot", tmp_path / "p.json")
    assert ran.code == 0
    assert (tmp_path / "p.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--norms", "nothing"], "The catalogue has glasgow-valence and glasgow-gender"),
        (["--axis", "rich"], "expected two word sets with a slash"),
        (["--word", "w"], "word is for files"),
        (["--test", "weat1", "--axis", "a,/b,"], "one of test, axis and pairs"),
    ],
)
def test_mistakes_in_norms_are_one_sentence(run, arguments, message):
    ran = run("norms", "default", *arguments)
    assert ran.code == 2 or ran.code == 1
    assert message in ran.err
