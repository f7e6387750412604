"""``check``, and the exit codes of ``audit``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

POLICY = """
rules:
  - {tests: [weat6], effect: 1.0, p: 0.01, agreement: 0.8}
  - {tests: [weat7], effect: 1.9}
  - {tests: [angry_black_woman_stereotype_b], effect: 0.5}
"""
SUITE = """
id: mine
title: Three tests
steps:
  - {run: weat, title: Association tests, tests: [weat1, weat2, weat6]}
"""
TINY = "he 1 0\nshe 0 1\ndog 1 1\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def write_text(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write_text


def test_check_exits_with_1_and_lists_violations(run: Any, write: Any, tmp_path: Path) -> None:
    policy = write("policy.yaml", POLICY)
    files = ("--junit", tmp_path / "j.xml", "--sarif", tmp_path / "s.sarif")
    ran = run("check", "default", "--policy", policy, *files, "--summary", tmp_path / "s.md")
    assert ran.code == 1
    assert "default did not pass: 1 of 7 violated, 1 of 7 could not be run." in ran.err
    seeds = "100% of seed choices agree in sign; the limit is 1 in either direction"
    assert seeds in " ".join(ran.out.split())
    (suite,) = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["7", "1", "1"]
    log = json.loads((tmp_path / "s.sarif").read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == [
        "weat6",
        "angry_black_woman_stereotype_b",
    ]
    assert (tmp_path / "s.md").read_text(encoding="utf-8").startswith("## Weatherglass: did not")
    write("policy.yaml", "rules: [{tests: [weat7], effect: 1.9}]\n")
    assert run("check", "default", "--policy", policy).code == 0


def test_a_wrong_policy_exits_with_2_and_writes_nothing(
    run: Any, write: Any, tmp_path: Path
) -> None:
    policy = write("policy.yaml", "rules: [{tests: [weat6], effekt: 1}]\n")
    ran = run("check", "default", "--policy", policy, "--sarif", tmp_path / "s.sarif")
    assert ran.code == 2
    assert "Did you mean effect" in ran.err
    assert not (tmp_path / "s.sarif").exists()
    assert run("check", "default", "--policy", tmp_path / "none.yaml").code == 2


@pytest.mark.slow
def test_a_missing_source_exits_with_3_and_writes_all_files(
    run: Any, write: Any, tmp_path: Path
) -> None:
    policy = write("policy.yaml", POLICY)
    names = ("s.sarif", "j.xml", "s.md")
    options = ("--sarif", "--junit", "--summary")
    files = [part for o, n in zip(options, names, strict=True) for part in (o, tmp_path / n)]
    ran = run("check", tmp_path / "nowhere.bin", "--policy", policy, *files)
    assert ran.code == 3
    assert "Nothing could be measured" in ran.err
    assert all("nowhere.bin" in (tmp_path / n).read_text(encoding="utf-8") for n in names)
    unwritable = run("check", "default", "--policy", policy, "--sarif", tmp_path / "no" / "s")
    assert unwritable.code == 3


def test_verdicts_are_never_cut_off(run: Any, write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil
    import sys

    policy = write("policy.yaml", "rules: [{tests: [weat6], effect: 1.0, p: 0.01}]\n")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    size = os.terminal_size((60, 24))
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *args, **options: size)
    ran = run("check", "default", "--policy", policy)
    assert "…" not in ran.out
    words = " ".join(ran.out.split())
    assert "with p ≤ 0.01." in words.replace("  ", " ") or "0.01." in words


def test_the_json_of_a_check_is_its_record(run: Any, write: Any) -> None:
    from weatherglass.auditing import Check

    policy = write("policy.yaml", "rules: [{tests: [weat6], effect: 1.9}]\n")
    ran = run("check", "default", "--policy", policy, "--format", "json")
    checked = Check.from_json(ran.out)
    assert checked.passed
    assert checked.policy["file"] == str(policy)


def test_an_audit_that_measured_nothing_exits_with_3(run: Any, write: Any, tmp_path: Path) -> None:
    ran = run("audit", write("tiny.txt", TINY), "--suite", "quick", "-o", tmp_path / "tiny")
    assert ran.code == 3
    assert "0 of 12 tests had their words" in ran.err
    assert "done" not in ran.out
    assert run("audit", tmp_path / "no.bin", "-o", tmp_path / "no").code == 3


@pytest.mark.slow
def test_audit_fails_on_what_it_is_asked_to_fail_on(run: Any, write: Any, tmp_path: Path) -> None:
    suite = write("suite.yaml", SUITE)
    policy = write("policy.yaml", "rules: [{tests: [weat6], effect: 1.0}]\n")
    sources = ("default", write("tiny.txt", TINY))

    def code(number: int, *options: object, sources: Any = ("default",)) -> int:
        ran = run("audit", *sources, "--suite", suite, "-o", tmp_path / f"{number}", *options)
        return int(ran.code)

    assert code(1, "--fail-on", "not-run", sources=sources) == 3
    assert code(2, "--policy", policy) == 1
    assert json.loads((tmp_path / "2" / "check.json").read_text("utf-8"))["exit_code"] == 1
    assert code(2, "--resume", "--policy", policy, "--fail-on", "not-run") == 0
    both = write("both.yaml", "rules: [{tests: [weat6, weat8], effect: 1.0}]\n")
    assert code(2, "--resume", "--policy", both, "--fail-on", "violation") == 1
    assert code(2, "--resume", "--policy", both, "--fail-on", "not-run") == 3
    assert code(3, "--fail-on", "violation") == 2
    assert code(3, "--fail-on-increase", "0.1") == 2


def test_audit_against_names_changed_signs_and_fails_on_increase(
    run: Any, write: Any, tmp_path: Path
) -> None:
    import weatherglass as wg
    from weatherglass.vectors.formats.text import write_glove

    words = [w.lower() for s in wg.test("weat6").sets.values() for w in s.words]
    real = wg.open_vectors("default").subset(words)
    listed, rows = list(real.words), real.matrix.copy()
    for male, female in zip(*(wg.test("weat6").sets[s].words for s in "XY"), strict=True):
        i, j = listed.index(male.lower()), listed.index(female.lower())
        rows[[i, j]] = rows[[j, i]]
    write_glove(wg.Vectors.of(listed, real.matrix), tmp_path / "a.txt")
    write_glove(wg.Vectors.of(listed, rows), tmp_path / "b.txt")
    suite = write("suite.yaml", SUITE)
    folder = tmp_path / "before"
    assert run("audit", tmp_path / "a.txt", "--suite", suite, "-o", folder).code == 0
    more = ("--suite", suite, "--against", folder)
    ran = run("audit", tmp_path / "b.txt", *more, "-o", tmp_path / "c")
    assert ran.code == 0
    assert "Changed sign: weat6 (1.71 → -1.71)." in ran.out
    ran = run("audit", tmp_path / "b.txt", *more, "-o", tmp_path / "d", "--fail-on-increase", "0.2")
    assert ran.code == 1
    assert "weat6 1.71 → -1.71" in ran.err
    same = run("audit", tmp_path / "a.txt", *more, "-o", tmp_path / "e", "--fail-on-increase", "0")
    assert same.code == 0


def test_an_audit_does_not_write_into_a_folder_of_other_files(run: Any, tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "step-1.bin").write_bytes(b"")
    ran = run("audit", "default", "--suite", "quick", "-o", tmp_path / "checkpoints")
    assert ran.code == 2
    assert "holds other files, such as 'step-1.bin'" in ran.err
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-1.bin"]
