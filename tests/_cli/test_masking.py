"""Slurs in tables and sentences are masked; files for programs have every word."""

import json

import numpy as np
import pytest

SETS = {
    "x": ["redneck", "farmer", "peasant", "rancher"],
    "y": ["lawyer", "banker", "senator", "professor"],
    "a": ["rural", "village", "country"],
    "b": ["city", "urban", "metropolis"],
}


@pytest.fixture
def line(tmp_path):
    """A command whose finding names a slur: X is all on the side of A."""
    rng = np.random.default_rng(0)
    sides = {"x": 2.0, "a": 2.0, "y": -2.0, "b": -2.0}
    rows = [
        f"{word} {sides[name]} {rng.normal():.3f} {rng.normal():.3f}"
        for name, words in SETS.items()
        for word in words
    ]
    rows[0] = "redneck 0.5 1.0 1.0"  # leaving it out changes most
    (tmp_path / "v.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "mine.json").write_text(json.dumps(SETS))
    return ["weat", tmp_path / "v.txt", "--tests", tmp_path / "mine.json"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_findings_and_tables_of_words_mask_slurs(run, line, form):
    line = [*line, "--influence", "--format", form]
    masked = run(*line).out.replace("\\", "")
    assert "redneck" not in masked
    assert "r******" in masked
    assert "R******, farmer… are more strongly associated" in masked


def test_slurs_are_shown_on_request_before_or_after_the_command(run, line):
    for shown in (run(*line, "--show-slurs"), run("--show-slurs", *line)):
        assert shown.code == 0
        assert "Redneck, farmer… are more strongly associated" in shown.out
        assert "******" not in shown.out


@pytest.mark.parametrize("form", ["json", "tsv", "csv"])
def test_files_for_programs_have_every_word(run, line, form):
    ran = run(*line, "--format", form)
    assert "redneck" in ran.out
    assert "******" not in ran.out


def test_verdicts_of_a_policy_mask_slurs(run, line, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules: [{tests: [mine], effect: 0.1}]\ncontrols: none\n")
    line = ["check", *line[1:], "--policy", policy]
    assert "R******, farmer…" in run(*line).out
    assert "Redneck, farmer…" in run(*line, "--show-slurs").out


def test_missing_words_below_a_table_are_masked(run, line):
    line[-1].write_text(json.dumps(SETS | {"x": [*SETS["x"], "white trash"]}))
    assert "missing words: X 'w**** t****'" in run(*line).out
