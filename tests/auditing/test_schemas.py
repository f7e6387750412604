"""JSON Schemas: files that are read fit them, and files with a typo do not."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
import yaml

import weatherglass as wg
from weatherglass.auditing import json_schema
from weatherglass.auditing.schemas import SCHEMAS
from weatherglass.catalog.suites import DATA
from weatherglass.errors import UsageError


def problems(name: str, text: str) -> list[str]:
    """Check a file as an editor does, with the types that YAML parsers give scalars."""
    validator = jsonschema.Draft202012Validator(json_schema(name))
    return [error.message for error in validator.iter_errors(yaml.safe_load(text))]


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_schema_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema(name))


def test_the_suites_of_the_catalogue_fit_their_schema() -> None:
    files = sorted((DATA / "suites").glob("*.yaml"))
    assert len(files) == 3
    assert not [text for file in files for text in problems("suite", file.read_text("utf-8"))]


def test_the_tests_of_the_catalogue_fit_their_schema() -> None:
    validator = jsonschema.Draft202012Validator(json_schema("tests"))
    for test in wg.tests():
        assert not list(validator.iter_errors(json.loads(test.model_dump_json()))), test.id


@pytest.mark.parametrize(
    "text",
    [
        "{x: [a, b], y: [c, d], a: [e], b: [f]}",
        "- {x: [a, b], y: [c, d], a: [e], b: [f]}\n- {x: [a, 1], y: [c, d], a: [e], b: [f]}",
        "tests: {mine: {x: {label: X, words: [a, b]}, y: [c, d], a: [e], b: [f]}}",
        "{targ1: {category: X, examples: [a]}, targ2: [c], attr1: [e], attr2: [f]}",
        "{a: [she], b: [he], facts: {nurse: 90.1, plumber: 0.7}}",
    ],
)
def test_every_written_form_of_a_test_fits_the_schema(text: str) -> None:
    assert not problems("tests", text)


def test_a_test_without_a_set_or_with_a_typo_does_not_fit() -> None:
    assert problems("tests", "{x: [a, b], y: [c, d], a: [e]}")
    assert problems("tests", "{x: [a, b], y: [c, d], a: [e], b: [f], lable: mine}")


POLICY = """
rules:
  - {id: names, description: why, tests: [weat6], effect: 1, p: 0.05, judge: interval,
     correction: bh, family: [weat7], agreement: 0.8}
  - {tests: ["weat*"], increase: 0.2}
  - {measure: mac, sets: {X: [doctor, nurse], A: female_1-Caliskan_et_al_2017}, above: 0.3}
  - {discovery: {rotations: 200}, cells: 10}
controls: {tests: [weat1], effect: 0.3}
baseline: monday
waivers: [{rule: names, reason: agreed, until: "2027-01-01"}]
not_run: warn
"""


def test_a_policy_fits_its_schema_and_one_with_a_typo_does_not() -> None:
    assert not problems("policy", POLICY)
    assert not problems("policy", "rules: [{tests: [weat6], effect: 1}]\ncontrols: none")
    assert problems("policy", "rules: [{tests: [weat6], efect: 1}]")
    assert problems("policy", "rules: [{tests: [weat6], effect: 1}]\nnot_run: perhaps")


def test_results_of_all_kinds_fit_their_schema() -> None:
    vectors = wg.open_vectors("default")
    results: list[Any] = [
        wg.weat(vectors, "weat6", baseline=False, influence=True),
        wg.wefat(vectors, "wefat1"),
        wg.measure(vectors, "mac", {"X": ["doctor", "nurse"], "A": ["she"]}),
        *wg.seat(wg.open_encoder("cbow:default"), "weat6"),
        wg.weat(wg.Vectors.of(["a"], [[1.0]]), "weat6"),
    ]
    record = json.loads(wg.Results.of(results).correct().to_json())
    jsonschema.Draft202012Validator(json_schema("results")).validate(record)
    record["results"][0]["effect"] = "large"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(json_schema("results")).validate(record)


def test_an_unknown_schema_gets_a_suggestion(run: Any) -> None:
    with pytest.raises(UsageError, match="Did you mean policy"):
        json_schema("polcy")
    ran = run("schema", "policy")
    assert ran.code == 0
    assert json.loads(ran.out)["title"] == "A policy of Weatherglass"
    assert run("schema", "polcy").code == 2
