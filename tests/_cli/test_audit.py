"""``audit``, ``check`` and ``report``: what they print, write and exit with."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

SUITE = """
id: mine
title: Two tests
steps:
  - {run: weat, title: Association tests, tests: [weat6, weat7]}
  - {run: wefat, title: Factual tests, tests: [wefat1]}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def test_an_audit_can_be_repeated_and_resumed(run, tmp_path, suite):
    out = tmp_path / "run"
    ran = run("audit", "--suite", suite, "-o", out)
    assert ran.code == 0
    assert "Two tests (2 done)" in ran.out
    assert (out / "report.html").stat().st_size > 10_000
    ran = run("audit", "--repeat", out)
    assert ran.code == 0
    assert ran.out == f"The same: 3 results and every other number of {out}.\n"
    assert run("audit", "--suite", suite, "-o", out).code == 2
    assert run("audit", "--suite", suite, "-o", out, "--resume").code == 0


def test_repeating_an_audit_refuses_other_sources_and_options(run, tmp_path, suite):
    run("audit", "--suite", suite, "-o", tmp_path / "run")
    for option in (("--suite", "quick"), ("--control", "none"), ("--seed", "3"), ("default",)):
        ran = run("audit", "--repeat", tmp_path / "run", *option)
        assert ran.code == 2
        assert "give no others" in ran.err


def test_repeating_an_audit_from_another_folder_says_what_paths_are_relative_to(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("two.txt").write_text("he 1 0\nshe 0 1\n", encoding="utf-8")
    assert run("audit", "two.txt", "--suite", "quick", "-o", "run").code == 3
    Path("below").mkdir()
    monkeypatch.chdir("below")
    ran = run("audit", "--repeat", "../run")
    assert ran.code == 3
    assert "no file or folder 'two.txt'" in ran.err
    assert ran.err.endswith("Paths are relative to the folder in which the audit was run.\n")


@pytest.mark.slow
def test_repeating_an_audit_reports_that_the_source_has_changed(run, tmp_path, suite, glove840b):
    source = tmp_path / "vectors.txt"
    lines = Path(glove840b).read_text(encoding="utf-8").splitlines(keepends=True)
    source.write_text("".join(lines), encoding="utf-8")
    run("audit", source, "--suite", suite, "-o", tmp_path / "run")
    source.write_text("".join(lines[:-1]), encoding="utf-8")
    ran = run("audit", "--repeat", tmp_path / "run")
    assert ran.code == 1
    assert "fingerprint" in ran.out
    assert "The numbers differ from those of" in ran.err


@pytest.mark.slow
def test_repeating_an_incomplete_audit_compares_its_finished_steps(run, tmp_path, suite):
    run("audit", "--suite", suite, "-o", tmp_path / "run")
    about = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    about["steps"][1] |= {"status": "skipped", "file": ""}
    (tmp_path / "run" / "run.json").write_text(json.dumps(about), encoding="utf-8")
    ran = run("audit", "--repeat", tmp_path / "run")
    assert ran.code == 0
    assert "The same" in ran.out
    assert "Not compared: 1 steps" in ran.out


def test_against_prints_changes_and_writes_all_of_them(run, tmp_path, suite, glove840b):
    run("audit", "--suite", suite, "-o", tmp_path / "before")
    smaller = tmp_path / "one.yaml"
    smaller.write_text(
        "id: one\ntitle: One\nsteps: [{run: weat, title: A, tests: [weat6]}]\n", encoding="utf-8"
    )
    out = tmp_path / "after"
    ran = run("audit", glove840b, "--suite", smaller, "-o", out, "--against", tmp_path / "before")
    assert ran.code == 0
    assert "numbers changed" in ran.out
    # weat6 is in both; the other tests are only in the earlier audit.
    # The last column is the p-value of the paired test.
    assert any(line.split()[-3:] == ["1.71", "1.81", "0.17"] for line in ran.out.splitlines())
    assert "weat7" not in ran.out
    assert "only in the earlier audit, 0 only in this one" in ran.out
    with (out / "changes.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["test"] for row in rows} == {"", "weat6", "weat7", "wefat1"}
    ran = run("audit", "--suite", suite, "-o", tmp_path / "c", "--against", tmp_path / "before")
    assert "Nothing changed." in ran.out


def test_an_interrupted_audit_says_how_to_resume_it(run, tmp_path, suite, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("weatherglass.measures.wefat", interrupt)
    ran = run("audit", "--suite", suite, "-o", tmp_path / "run")
    assert ran.code == 130
    assert "--resume continues" in ran.err
    monkeypatch.undo()
    assert run("audit", "--suite", suite, "-o", tmp_path / "run", "--resume").code == 0


@pytest.mark.slow
def test_control_of_an_audit_applies_to_all_steps(run, tmp_path, suite):
    out = tmp_path / "run"
    assert run("audit", "--suite", suite, "-o", out, "--control", "frequency").code == 0
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))["results"]
    names = [[control["name"] for control in result["controls"]] for result in results]
    assert names == [["frequency"]] * 3
    assert run("audit", "--repeat", out).code == 0


def test_a_wrong_audit_command_writes_no_folder(run, tmp_path):
    for arguments, message in (
        (("nowhere.bin",), "nowhere.bin"),
        (("--budget", "-1"), "zero minutes or more"),
        (("--suite", "quik"), "Did you mean quick"),
    ):
        ran = run("audit", *arguments, "-o", tmp_path / "run")
        assert ran.code != 0
        assert message in ran.err
        assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_report_writes_the_same_page_again_and_its_charts(run, tmp_path, suite):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    out = tmp_path / "run"
    run("audit", "--suite", suite, "-o", out)
    before = (out / "report.html").read_text(encoding="utf-8")
    (out / "report.html").unlink()
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for form, start in starts.items():
        ran = run("report", out, "--figures", "--as", form)
        assert ran.code == 0
        for name in ("effects", "words-weat6", "facts-wefat1-default"):
            assert (out / "figures" / f"{name}.{form}").read_bytes().startswith(start)
    assert (out / "report.html").read_text(encoding="utf-8") == before
    assert run("report", tmp_path).code != 0


def test_an_audit_in_json_has_steps_results_verdicts_and_changes(run, glove840b, suite, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules: [{tests: [weat6], effect: 1.0}]\ncontrols: none\n", encoding="utf-8")
    line = ["audit", glove840b, "--suite", suite, "--format", "json"]
    first = json.loads(run(*line, "-o", tmp_path / "a").out)
    assert set(first) == {"report", "steps", "results"}
    assert {step["status"] for step in first["steps"]} == {"done"}
    assert "finding" in first["results"]["results"][0]
    ran = run(*line, "-o", tmp_path / "b", "--policy", policy, "--against", tmp_path / "a")
    second = json.loads(ran.out)
    assert ran.code == 1
    assert second["check"]["exit_code"] == 1
    assert "changes" not in second  # nothing changed
