"""The scorecard: marks by dimension and source, and the findings that come first."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import weatherglass as wg
from weatherglass.findings import (
    Evidence,
    Finding,
    control_sentence,
    count_sentence,
    is_reversing,
    key_findings,
    lead_sentence,
    scorecard,
    vanishes,
)

PASSES = Evidence("frequency control", "pass", 0.9, "90% of the effect remains")
FADES = Evidence("frequency control", "depends", 0.2, "20% remains", "fades without frequency")
REVERSES = Evidence(
    "frequency control",
    "fails",
    -0.4,
    "-40% remains",
    "reverses when word frequency is removed",
    reverses=True,
)
OTHER_SIGN = Evidence("published", "fails", -1.0, "the published figure has the other sign")


@pytest.fixture(scope="module")
def result() -> Any:
    return wg.weat(wg.open_vectors("default"), "weat6")


@pytest.fixture
def make(result):
    """Make a finding about a dimension, with some evidence."""

    def finding(
        dimension: str = "gender",
        *evidence: Evidence,
        grade: Any = "clear",
        source: str = "default",
        p: float | None = None,
    ) -> Finding:
        about: dict[str, Any] = {"dimension": dimension, "source": {"name": source}}
        if p is not None:
            about["p_two_sided"] = dataclasses.replace(result.p_two_sided, value=p)
        return Finding(
            grade=grade,
            sentence=f"A sentence about {dimension}.",
            evidence=evidence,
            direction=0 if grade == "none" else 1,
            result=dataclasses.replace(result, **about),
        )

    return finding


def marks(*findings: Finding) -> dict[str, tuple[str, str]]:
    (row,) = scorecard(findings)
    return {column: (mark.kind, mark.label) for column, mark in row.marks.items()}


def test_a_mark_is_that_of_the_worst_evidence(make):
    clear, fading, reversing = make("race", PASSES), make("race", FADES), make("race", REVERSES)
    assert marks(clear)["without frequency"] == ("holds", "holds")
    assert marks(clear, fading)["without frequency"] == ("depends", "fades in 1 of 2")
    assert marks(clear, fading, reversing)["without frequency"] == (
        "reverses",
        "reverses in 1 of 3",
    )
    assert marks(make("race", OTHER_SIGN))["compared with published"] == ("reverses", "other sign")


def test_evidence_that_was_not_collected_is_not_tried(make):
    assert marks(make("age", PASSES))["without anisotropy"] == ("not tried", "not tried")


def test_without_a_difference_there_is_nothing_to_test(make):
    found = marks(make("age", FADES, grade="none", p=0.4))
    assert found["effect"] == ("none", "no clear difference")
    assert found["without frequency"] == ("none", "nothing to test")


def test_the_effect_counts_tests_that_show_a_difference(make):
    clear, none = make("race"), make("race", grade="none", p=0.4)
    assert marks(clear)["effect"] == ("holds", "a difference")
    assert marks(clear, clear)["effect"] == ("holds", "all 2 tests differ")
    assert marks(clear, none)["effect"] == ("depends", "1 of 2 differ")


def test_controls_and_results_without_a_test_have_no_row(make):
    findings = [make("control"), make("gender", grade="not run")]
    assert scorecard(findings) == []
    assert key_findings(findings[:1]) == []
    assert count_sentence(findings) == "No test about people has a result."
    assert control_sentence(findings) == (
        "Control, the 1 test whose answer is known: it shows the expected difference."
    )


def test_rows_are_in_the_order_of_the_catalogue_and_sources_in_theirs(make):
    findings = [
        make("race", source="b"),
        make("zodiac", source="b"),
        make("gender", source="a"),
        make("gender", source="b"),
    ]
    rows = [(row.dimension, row.source) for row in scorecard(findings)]
    assert rows == [("gender", "b"), ("gender", "a"), ("race", "b"), ("zodiac", "b")]


def test_a_change_of_sign_comes_first_then_what_vanishes_then_what_is_clear(make):
    clear, fading = make("age", PASSES), make("race", FADES, grade="mixed")
    reversing = make("disability", REVERSES, grade="none", p=0.03)
    assert is_reversing(reversing)
    assert vanishes(fading)
    assert not vanishes(clear)
    assert key_findings([clear, fading, reversing]) == [reversing, fading, clear]
    assert lead_sentence(reversing) == (
        "Reverses when word frequency is removed. A sentence about disability."
    )


def test_a_change_of_sign_of_no_result_is_none(make):
    assert not is_reversing(make("age", REVERSES, grade="none", p=0.4))


def test_key_findings_are_of_different_dimensions_if_possible(make):
    first, second, other = make("gender"), make("gender"), make("race")
    none = make("age", grade="none", p=0.4)
    assert key_findings([first, second, other, none], limit=2) == [first, other]
    assert key_findings([first, second], limit=3) == [first, second]
    assert key_findings([none]) == [none]


def test_the_headline_counts_clear_mixed_and_reversing_findings(make):
    findings = [make("gender"), make("race", FADES, grade="mixed"), make("age", REVERSES)]
    assert count_sentence(findings) == (
        "Of 3 tests about people, 2 show a clear difference, 1 depends on something that was tried "
        "and 1 changes its sign."
    )
    nothing = [make("age", grade="none", p=0.4)] * 2
    assert count_sentence(nothing) == "Of 2 tests about people, none shows a clear difference."
