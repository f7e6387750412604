"""Audits and checks of objects in memory and of association tables."""

import json

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import Suite
from weatherglass.errors import CannotMeasure, UsageError

TESTS = ["weat6", "weat7"]
STEP = {"run": "weat", "title": "Tests", "tests": TESTS, "options": {"baseline": "no"}}
SUITE = Suite.model_validate({"id": "two", "title": "Two tests", "steps": [STEP]})
POLICY = {"rules": [{"tests": ["weat6"], "effect": 1.8, "p": 0.05}], "controls": "none"}


@pytest.fixture(scope="module")
def rows():
    vectors = wg.open_vectors("default")
    words = {
        word.lower()
        for test in TESTS
        for part in wg.test(test).sets.values()
        for word in part.words
    }
    return {word: vectors.take([word]).rows[0] for word in sorted(words)}


def letters(sentences):
    return [[s.lower().count(letter) + 0.1 for letter in "aeioustrn"] for s in sentences]


def test_an_audit_of_an_object_is_repeated_when_the_object_is_given_again(rows, tmp_path, run):
    folder = tmp_path / "run"
    wg.audit(rows, out=folder, suite=SUITE)
    record = json.loads((folder / "run.json").read_text())
    (source,) = record["sources"]
    assert source["memory"] is True
    assert source["fingerprint"] == wg.as_source(rows).fingerprint
    assert record["command"].startswith("weatherglass.audit([dict], ")
    assert "an object in memory" in (folder / "report.html").read_text()
    assert wg.repeat_audit(folder, rows).is_same
    assert wg.repeat_audit(folder, {"dict": rows}).is_same
    changed = rows | {"career": rows["career"] + 0.01}
    with pytest.raises(CannotMeasure, match="'dict' is not the object that was audited"):
        wg.repeat_audit(folder, changed)
    again = run("audit", "--repeat", str(folder))
    assert again.code != 0
    assert again.err.count("\n") == 1
    assert "'dict' was an object in memory: repeat the audit in Python" in again.err


def test_resume_measures_an_object_with_other_content_anew(rows, tmp_path):
    before = wg.audit(rows, out=tmp_path / "run", suite=SUITE).results
    swapped = rows | {"career": rows["home"], "home": rows["career"]}
    after = wg.audit(swapped, out=tmp_path / "run", suite=SUITE, resume=True).results
    assert [r.effect for r in after] != [r.effect for r in before]


def test_objects_and_names_are_audited_together_with_facts(rows, tmp_path):
    sources = [{"source": rows, "name": "mine", "year": 1990}, letters]
    steps = [STEP, {"run": "seat", "title": "Encoders", "tests": ["weat6"]}]
    suite = Suite.model_validate({"id": "x", "title": "X", "steps": steps})
    audited = wg.audit(sources, out=tmp_path / "run", suite=suite)
    assert {r.source_name for r in audited.results} == {"mine", "letters"}
    assert {r.source.get("facts", {}).get("year") for r in audited.results} == {1990, None}
    assert {s["kind"] for s in audited.about["sources"]} == {"vectors", "encoder"}


def test_a_mapping_with_the_word_source_is_still_an_embedding(rows, tmp_path):
    words = rows | {"source": rows["career"]}
    audited = wg.audit(words, out=tmp_path / "run", suite=SUITE)
    assert audited.about["sources"][0]["words"] == len(words)


def test_an_audit_and_a_check_of_a_table_have_the_numbers_of_the_vectors(rows, tmp_path):
    table = wg.AssociationTable.from_source(rows, TESTS)
    table.write(tmp_path / "t.csv")
    expected = [wg.weat(rows, test, baseline=False).effect for test in TESTS]
    for number, source in enumerate((table, f"table:{tmp_path / 't.csv'}")):
        folder = tmp_path / str(number)
        audited = wg.audit(source, out=folder, suite=SUITE, control="frequency")
        assert [result.effect for result in audited.results] == expected
        assert {r.controls[0].reason for r in audited.results} == {"not for tables"}
        assert audited.about["sources"][0]["kind"] == "table"
        assert "Association table" in (folder / "report.html").read_text()
        checked = wg.check(source, POLICY)
        assert checked.passed
        assert checked.sources[0]["kind"] == "table"
        assert wg.check(folder, POLICY).passed
    assert not wg.check(table, {**POLICY, "rules": [{"tests": ["weat6"], "effect": 1.5}]}).passed


def test_a_discovery_of_a_table_is_skipped_with_the_reason(rows, tmp_path):
    steps = [STEP, {"run": "discovery", "title": "Discovery"}]
    suite = Suite.model_validate({"id": "x", "title": "X", "steps": steps})
    table = wg.AssociationTable.from_source(rows, TESTS)
    audited = wg.audit(table, out=tmp_path / "run", suite=suite)
    assert [(s["status"], s["reason"]) for s in audited.about["steps"]] == [
        ("done", ""),
        ("skipped", "not for tables"),
    ]


def test_objects_in_memory_are_checked(rows):
    assert wg.check(rows, POLICY).passed
    assert wg.check((list(rows), np.stack(list(rows.values()))), POLICY).passed
    assert wg.check([{"source": rows, "name": "a"}, {"source": rows, "name": "b"}], POLICY).passed
    assert wg.check(letters, POLICY).sources[0]["kind"] == "encoder"
    controlled = wg.check(
        wg.AssociationTable.from_source(rows, TESTS), {**POLICY, "controls": None}
    )
    assert controlled.verdicts


def test_what_is_no_source_is_refused_by_audit_and_check(tmp_path):
    for function in (lambda x: wg.audit(x, out=tmp_path / "run"), lambda x: wg.check(x, POLICY)):
        with pytest.raises(UsageError, match="is not a source: give a name, path or spec"):
            function(3)


def test_a_repetition_of_named_sources_takes_no_objects(tmp_path):
    wg.audit("default", out=tmp_path / "run", suite=SUITE)
    with pytest.raises(UsageError, match="opened by their names"):
        wg.repeat_audit(tmp_path / "run", {"a": [1.0]})
