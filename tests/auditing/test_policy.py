"""Policies: what violates a rule, and the files that CI systems read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from weatherglass import Vectors, open_encoder, open_vectors, seat
from weatherglass.auditing import Policy, load_policy
from weatherglass.auditing.policy import Rule, find_failures, judge, junit, sarif
from weatherglass.errors import CatalogError


@pytest.fixture(scope="module")
def default() -> Vectors:
    return open_vectors("default")


def status(vectors: Vectors, **rule: Any) -> str:
    policy = Policy(rules=(Rule(tests=("weat6",), **rule),))
    return judge(vectors, policy)[0].status


def test_a_test_violates_a_rule_if_all_its_conditions_hold(default: Vectors) -> None:
    """weat6 on `default`: effect 1.71, p 7.8e-05."""
    assert status(default, effect=0.5) == "violated"
    assert status(default, effect=0.5, p=0.01) == "violated"
    assert status(default, effect=1.8) == "passed"
    assert status(default, effect=0.5, p=1e-6) == "passed"
    assert status(default, effect=0.5, agreement=0.5) == "violated"


def test_a_factual_test_is_judged_by_its_correlation(default: Vectors) -> None:
    policy = Policy(rules=(Rule(tests=("wefat1",), effect=0.5),))
    (verdict,) = judge(default, policy)
    assert verdict.status == "violated"
    assert verdict.sentence.startswith("correlation 0.")


def test_agreement_is_ignored_for_tests_without_other_seed_choices(default: Vectors) -> None:
    policy = Policy(rules=(Rule(tests=("wefat1",), effect=0.5, agreement=0.9),))
    (verdict,) = judge(default, policy)
    assert verdict.status == "violated"
    assert "other seed choices not tried" in verdict.sentence


def test_an_encoder_is_checked_on_its_sentences() -> None:
    rules = (Rule(tests=("sent-weat6", "wefat1"), effect=0.5, p=0.05, agreement=0.5),)
    encoder = open_encoder("cbow:default")
    sentences, facts = judge(encoder, Policy(rules=rules))
    (result,) = seat(encoder, "sent-weat6")
    assert sentences.status == "violated"
    assert sentences.effect == result.effect_by_word
    assert facts.status == "not run"
    assert "needs word vectors" in facts.sentence


def test_p_values_of_factual_tests_are_corrected_over_the_policy(default: Vectors) -> None:
    alone = judge(default, Policy(rules=(Rule(tests=("wefat1",), effect=0),)))[0]
    of_three = judge(default, Policy(rules=(Rule(tests=("wefat1", "weat6", "weat7"), effect=0),)))
    assert alone.p is not None
    assert of_three[0].p == pytest.approx(3 * alone.p)


def test_p_values_of_association_tests_are_corrected_over_the_policy(default: Vectors) -> None:
    alone = judge(default, Policy(rules=(Rule(tests=("weat6",), effect=0),)))[0]
    of_three = judge(default, Policy(rules=(Rule(tests=("weat[6-8]",), effect=0),)))[0]
    assert alone.p is not None
    assert of_three.p == pytest.approx(3 * alone.p)


def test_a_test_that_cannot_be_run_fails_unless_the_policy_says_otherwise() -> None:
    vectors = Vectors.of(["he", "she"], [[1, 0], [0, 1]])
    rules = (Rule(tests=("weat6",), effect=1),)
    verdicts = judge(vectors, Policy(rules=rules))
    assert verdicts[0].status == "not run"
    assert find_failures(Policy(rules=rules), verdicts) == verdicts
    assert find_failures(Policy(rules=rules, not_run="pass"), verdicts) == ()


def test_verdicts_are_written_as_junit_and_sarif(default: Vectors) -> None:
    policy = Policy(rules=(Rule(tests=("weat6", "weat9"), effect=1.5),))
    verdicts = judge(default, policy)
    failures = find_failures(policy, verdicts)
    suite = ElementTree.fromstring(junit("a\x00<b>", verdicts, failures))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite.find("testcase/failure") is not None
    log = json.loads(sarif("default", verdicts, failures))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["weat6"]
    assert len(log["runs"][0]["tool"]["driver"]["rules"]) == 2
    log = json.loads(sarif("my vectors\ud800%.bin", verdicts, failures))
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "my%20vectors%5Cud800%25.bin"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules: []", "no rules"),
        ("- a\n- b", "expected one policy"),
        ("rules: [{tests: [weat6]}]", "effect"),
        ("rules: [{tests: [weat6], effect: many}]", "effect"),
        ("rules: [{tests: [weat6], effect: 1, p: 2}]", "p"),
        ("rules: [{tests: [weat6], effect: 1}]\nnot_run: perhaps", "not_run"),
    ],
)
def test_an_invalid_policy_names_the_wrong_field(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError, match=message):
        load_policy(path)


def test_a_rule_that_matches_no_test_is_refused(default: Vectors) -> None:
    with pytest.raises(CatalogError, match="No test of the catalogue matches"):
        judge(default, Policy(rules=(Rule(tests=("weat9?9",), effect=1),)))
