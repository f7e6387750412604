"""Policies: which files are accepted, and what the others are told."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass.auditing import load_policy
from weatherglass.errors import PolicyError

OLD_FORM = """
rules:
  - tests: [weat6]
    effect: 1.8
    p: 0.01
  - tests: [weat7, weat8]
    effect: 1.6
    p: 0.01
    agreement: 0.8
not_run: fail
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_policy_of_the_first_version_is_still_valid(tmp_path: Path) -> None:
    read = load_policy(write(tmp_path / "policy.yaml", OLD_FORM))
    assert [rule.effect for rule in read.policy.rules] == [1.8, 1.6]
    assert [[test.id for test in tests] for tests in read.rule_tests] == [
        ["weat6"],
        ["weat7", "weat8"],
    ]
    assert read.policy.controls is not None


def test_a_policy_knows_the_lines_of_its_rules(tmp_path: Path) -> None:
    text = "# limits\ncontrols:\n  effect: 0.3\nrules:\n- tests: [weat6]\n  effect: 1\n\n"
    text += "- {tests: [weat7], effect: 1}\n"
    read = load_policy(write(tmp_path / "policy.yaml", text))
    assert read.lines == (5, 8)
    assert read.controls_line == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules: []", "no rules"),
        ("- a\n- b", "expected one policy"),
        ("rules: [{tests: [weat6]}]", "has no limit"),
        ("rules: [{effect: 1}]", "one of tests, measure, discovery and retrieval"),
        ("rules: [{tests: [weat6], measure: mac, effect: 1}]", "one of tests, measure"),
        ("rules: [{tests: [weat6], effect: many}]", "effect"),
        ("rules: [{tests: [weat6], effect: -1}]", "effect"),
        ("rules: [{tests: [weat6], effect: 1, p: 2}]", "p"),
        ("rules: [{tests: [weat6], effekt: 1}]", "Did you mean effect"),
        ("rules: [{tests: [weat6], effect: 1, cells: 3}]", "a rule on tests does not take"),
        ("rules: [{tests: [weat6], effect: 1, increase: 1}]", "write two rules"),
        ("rules: [{tests: [weat6], effect: 1, family: [weat7]}]", "no p that is corrected"),
        ("rules: [{measure: mac, above: 1}]", "needs sets"),
        ("rules: [{measure: mak, sets: {X: a}, above: 1}]", "Did you mean mac"),
        ("rules: [{measure: mac, sets: {X: [a], A: nowhere}, above: 1}]", "nowhere"),
        ("rules: [{measure: mac, sets: {X: [a]}, above: 1}]", "A"),
        (
            "rules: [{measure: rnd, sets: {X: [a], A: [b], B: [c]}, options: {unti: 1}, above: 1}]",
            "unti",
        ),
        ("rules: [{discovery: {}}]", "has no limit"),
        ("rules: [{discovery: {rotations: many}, cells: 1}]", "rotations"),
        ("rules: [{tests: [weat6], effect: 1}]\nnot_run: perhaps", "not_run"),
        ("rules: [{tests: [waet6], effect: 1}]", "Did you mean weat6"),
        ("rules: [{tests: [weat6], effect: 1}]\ncontrols: {tests: [waet1]}", "waet1"),
        ("rules: [{tests: [weat6], effect: 1}]\nfiles: [nowhere.yaml]", "nowhere.yaml"),
        (
            "rules: [{id: a, tests: [weat6], effect: 1}, {id: a, tests: [weat7], effect: 1}]",
            "two rules",
        ),
        (
            "rules: [{tests: [weat6], effect: 1}]\nwaivers: [{test: weat6, until: 2027-01-01}]",
            "reason is missing",
        ),
        (
            "rules: [{tests: [weat6], effect: 1}]\n"
            "waivers: [{rule: x, reason: agreed, until: 2027-01-01}]",
            "which is no rule",
        ),
        (
            "rules: [{tests: [weat6], effect: 1}]\n"
            "waivers: [{test: weat6, reason: agreed, until: soon}]",
            "until",
        ),
    ],
)
def test_a_wrong_policy_is_refused_with_the_wrong_field(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(PolicyError, match=message) as caught:
        load_policy(write(tmp_path / "policy.yaml", text))
    assert caught.value.exit_code == 2
    assert "policy.yaml" in str(caught.value)


def test_a_rule_with_increase_needs_a_baseline(real: wg.Vectors) -> None:
    with pytest.raises(PolicyError, match="Name the folder of an audit as baseline"):
        wg.check(real, {"rules": [{"tests": ["weat6"], "increase": 0.1}]})


def test_a_test_of_your_own_may_not_take_the_id_of_a_published_one(tmp_path: Path) -> None:
    write(tmp_path / "mine.yaml", "{id: weat6, x: [a, b], y: [c, d], a: [e], b: [f]}")
    text = "rules: [{tests: [weat6], effect: 1}]\nfiles: [mine.yaml]"
    with pytest.raises(PolicyError, match="rename yours"):
        load_policy(write(tmp_path / "policy.yaml", text))


@pytest.mark.slow
def test_a_waiver_covers_a_rule_or_a_pattern_of_tests_until_its_last_day(real: wg.Vectors) -> None:
    def status(day: int, **waiver: str) -> tuple[str, str]:
        policy = {
            "rules": [{"id": "names", "tests": ["weat6"], "effect": 0.5}],
            "waivers": [{"reason": "agreed with the team", "until": "2026-06-10", **waiver}],
        }
        verdict = wg.check(real, policy, today=datetime.date(2026, 6, day)).verdicts[-1]
        return verdict.status, verdict.waiver

    accepted = "Accepted until 2026-06-10: agreed with the team."
    assert status(10, rule="names") == ("waived", accepted)
    assert status(10, test="weat[67]") == ("waived", accepted)
    assert status(10, test="weat7") == ("violated", "")
    assert status(10, test="weat6", source="other*") == ("violated", "")
    assert status(11, test="weat6") == (
        "violated",
        "A waiver (agreed with the team) expired on 2026-06-10 and has no effect.",
    )
