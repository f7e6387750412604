"""A user's own tests in an audit: files, suites that name files, and steps without words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.auditing import open_audit
from weatherglass.catalog import Suite, load_suite
from weatherglass.errors import CatalogError, UsageError

OWN = """
tests:
- id: land/water
  title: Water and land
  x: {label: Water, words: [sea, wave, lake]}
  y: {label: Land, words: [hill, field, wood]}
  a: [calm, mild]
  b: [high, steep]
- {id: height, a: [calm], b: [high], facts: {sea: 1, wave: 2, hill: 3, field: 5, wood: 4}}
"""
SUITE = "{id: mine, title: Mine, steps: [{run: weat, title: Own, tests: [words/own.yaml, weat6]}]}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "own.yaml").write_text(OWN)
    (tmp_path / "suite.yaml").write_text(SUITE)
    words = ["sea", "wave", "lake", "hill", "field", "wood", "calm", "mild", "high", "steep"]
    rows = np.random.default_rng(3).normal(size=(len(words), 5))
    lines = (" ".join([word, *map(str, row)]) for word, row in zip(words, rows, strict=True))
    (tmp_path / "small.vec").write_text(f"{len(words)} 5\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_own_tests_are_findings_of_the_report_and_come_first(folder: Path) -> None:
    out = folder / "audit"
    audited = wg.audit(
        str(folder / "small.vec"), out=out, suite="own", tests=folder / "words" / "own.yaml"
    )
    titles = [step["title"] for step in audited.about["steps"]]
    assert titles == ["Your tests", "Your factual tests", "The seed sets of your tests"]
    assert [result.test for result in audited.results] == ["land/water", "height"]
    report = (out / "report.html").read_text()
    findings = report[report.index('id="findings"') : report.index('id="measured"')]
    assert "land/water: effect" in findings
    linted = {seed_set for lint in audited.lints for seed_set in lint.sets}
    assert {"land/water.X", "land/water.B"} <= linted
    assert f"--suite own --tests {folder}/words/own.yaml" in audited.about["command"]
    assert open_audit(out).results == audited.results


def test_steps_whose_words_a_corpus_lacks_are_skipped_with_the_reason(folder: Path) -> None:
    audited = wg.audit(str(folder / "small.vec"), out=folder / "audit", suite="standard")
    steps = {step["title"]: step for step in audited.about["steps"]}
    assert {step["status"] for step in steps.values()} <= {"skipped", "done"}
    association = steps["Association tests"]
    assert association["status"] == "skipped"
    assert "lacks words of all 10 tests (weat1: 25 of the 25 words" in association["reason"]
    assert steps["Dependence on the seed words: weat6"]["status"] == "skipped"
    assert "names" in steps["Discovery of other biases"]["reason"]


def test_a_suite_names_files_relative_to_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    step = load_suite(folder / "suite.yaml").steps[0]
    assert [test.id for test in step.own_tests] == ["land/water", "height"]
    assert step.tests == ("weat6",)
    audited = wg.audit("../small.vec", out="audit", suite="../suite.yaml")
    assert [(r.test, r.status) for r in audited.results] == [
        ("land/water", "done"),
        ("weat6", "not run"),
    ]


def test_run_json_holds_the_own_tests_so_that_the_audit_can_be_repeated(folder: Path) -> None:
    source, file = str(folder / "small.vec"), folder / "words" / "own.yaml"
    first = wg.audit(source, out=folder / "first", suite="own", tests=file)
    file.unlink()
    suite = Suite.model_validate(json.loads((folder / "first" / "run.json").read_text())["suite"])
    again = wg.audit(source, out=folder / "again", suite=suite)
    assert again.results == first.results


def test_a_changed_word_in_the_file_is_measured_again_on_resume(folder: Path) -> None:
    source, file = str(folder / "small.vec"), folder / "words" / "own.yaml"
    first = wg.audit(source, out=folder / "audit", suite="own", tests=file)
    file.write_text(OWN.replace("wave, lake]", "wave]"))
    second = wg.audit(source, out=folder / "audit", suite="own", tests=file, resume=True)
    assert second.results[0].n["X"] == 2 < first.results[0].n["X"]


def test_a_missing_file_in_a_suite_is_named(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE.replace("own.yaml", "lost.yaml"))
    with pytest.raises(CatalogError, match=r"lost\.yaml: no such file"):
        load_suite(folder / "suite.yaml")


def test_the_suite_of_own_tests_needs_tests(folder: Path) -> None:
    with pytest.raises(UsageError, match="needs your own tests"):
        wg.audit(str(folder / "small.vec"), out=folder / "audit", suite="own")


@pytest.mark.slow
def test_workers_measure_own_tests_that_they_have_no_file_of(folder: Path) -> None:
    (folder / "other.vec").write_text((folder / "small.vec").read_text())
    sources = [str(folder / name) for name in ("small.vec", "other.vec")]
    audited = wg.audit(
        sources, out=folder / "audit", suite="own", tests=folder / "words" / "own.yaml", workers=2
    )
    assert [result.status for result in audited.results] == ["done"] * 4
