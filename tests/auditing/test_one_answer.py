"""One audit folder, one answer: every command prints the same effect, p and grade of a test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weatherglass as wg
from weatherglass.auditing import open_audit
from weatherglass.report import audit_page, headlines
from weatherglass.significance import format_p

SUITE = """\
id: small
title: Words and sentences
steps:
- {run: weat, title: Tests, tests: [weat1, weat6, weat7]}
- {run: multiverse, title: Seeds, tests: [weat6], options: {samples: "0"}}
- {run: seat, title: Sentences, tests: [weat6, sent-weat6]}
"""
TESTS = ("weat6", "sent-weat6")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of word vectors and of an encoder."""
    out = tmp_path_factory.mktemp("one-answer")
    (out / "suite.yaml").write_text(SUITE, encoding="utf-8")
    wg.audit(["default", "cbow:default"], out=out / "run", suite=out / "suite.yaml")
    return out / "run"


def rows_of_table(text: str) -> list[dict[str, str]]:
    """Read a table that a command printed as Markdown."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    return [dict(zip(heads, row, strict=True)) for row in rows]


def test_sentence_tests_have_the_same_effect_and_p_everywhere(
    run: Callable[..., Any], folder: Path
) -> None:
    source = "cbow:default"
    tests = ("--test", TESTS[0], "--test", TESTS[1])
    printed = rows_of_table(run("seat", source, *tests, "--format", "markdown").out)
    by_seat = {row["test"]: (row["effect"], row["p"]) for row in printed}
    report = rows_of_table(run("report", folder, "--table", "--format", "markdown").out)
    by_report = {
        row["test"]: (row["effect"], row["p"]) for row in report if row["source"] == source
    }
    for test in TESTS:
        ranked = {row["source"]: row for row in wg.rank(test, folder)}[source]
        sql = f"SELECT effect, p, grade, finding FROM results WHERE test = '{test}' AND model = ?"
        (queried,) = wg.query(sql.replace("?", f"'{source}'"), folder)
        assert (queried["effect"], queried["p"]) == (ranked["effect"], ranked["p"])
        assert (queried["grade"], queried["finding"]) == (ranked["grade"], ranked["finding"])
        expected = f"{ranked['effect']:.2f}", format_p(ranked["p"])
        assert by_seat[test] == by_report[test] == expected
        policy = {"rules": [{"tests": [test], "effect": 9}]}
        (verdict,) = (
            verdict
            for verdict in wg.check(folder, policy).verdicts
            if (verdict.kind, verdict.source) == ("rule", source)
        )
        numbers = verdict.numbers
        assert (numbers["effect"], numbers["p"]) == (ranked["effect"], ranked["p"])
    # The paper's numbers count sentences; they are in columns of their own.
    (row,) = (row for row in printed if row["test"] == "sent-weat6")
    assert float(row["p sentences"]) < 1e-20 < float(row["p"])
    ranked = {row["source"]: row for row in wg.rank("sent-weat6", folder)}[source]
    assert format_p(ranked["p_sentences"]) == row["p sentences"]
    assert f"{ranked['effect_sentences']:.2f}" == row["effect sentences"]


def test_tables_report_and_stored_results_have_the_same_grades_and_sentences(folder: Path) -> None:
    audited = open_audit(folder)
    page = audit_page(audited)
    stored = json.loads((folder / "results.json").read_text(encoding="utf-8"))["results"]
    by_test = {(record["test"], record["source"]["name"]): record for record in stored}
    for result in audited.results:
        record = by_test[result.test, result.source_name]
        assert (record["grade"], record["finding"]) == (
            result.finding.grade,
            result.finding.sentence,
        )
        (ranked,) = (
            row for row in wg.rank(result.test, folder) if row["source"] == result.source_name
        )
        assert (ranked["grade"], ranked["finding"]) == (record["grade"], record["finding"])
    for headline in (item for found in headlines(audited.results).values() for item in found):
        assert headline.finding.sentence in page


def test_an_audit_collects_the_evidence_of_its_findings(folder: Path) -> None:
    weat6 = next(result for result in open_audit(folder).results if result.test == "weat6")
    kinds = [item.kind for item in weat6.finding.evidence]
    assert {"p", "interval", "leave-one-out", "seed choices", "anisotropy control"} <= set(kinds)
    choices = wg.multiverse(wg.open_vectors("default"), "weat6", samples=0).seed_choices(1.0)
    assert weat6.seed_choices == choices
    assert weat6.finding.grade == "mixed"
    assert "published seed lists" in weat6.finding.sentence
    (row,) = wg.query(
        "SELECT grade, finding FROM results WHERE test = 'weat6' AND measure = 'weat'", folder
    )
    assert row == {"grade": "mixed", "finding": weat6.finding.sentence}


def test_the_summary_of_an_audit_prints_findings_by_dimension_and_controls_last(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        "id: s\ntitle: t\nsteps:\n- {run: weat, title: Tests, tests: [weat1, weat10, weat6]}\n",
        encoding="utf-8",
    )
    printed = run("audit", "default", "--suite", suite, "-o", tmp_path / "run").out
    starts = [line.split(":")[0] for line in printed.splitlines() if ": weat" in line]
    assert starts == ["Gender", "Age", "Control"]
    assert "Gender: weat6, clear: Male names are more strongly associated" in printed


def test_results_of_an_earlier_version_are_ranked_by_the_same_numbers(folder: Path) -> None:
    import pyarrow.parquet as pq

    path = folder / "results.parquet"
    table = pq.read_table(path)
    before = wg.rank("sent-weat6", folder)
    try:
        new = ["effect", "p", "p_corrected", "grade", "finding", "dimension"]
        pq.write_table(table.drop_columns(new), path)
        assert wg.rank("sent-weat6", folder) == before
    finally:
        pq.write_table(table, path)
