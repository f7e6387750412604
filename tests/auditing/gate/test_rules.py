"""Rules: what violates them, and what does not."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weatherglass as wg

from .cheats import swap_names

TESTS = ("weat6", "weat7", "weat8")


def verdict(source: Any, **rule: Any) -> wg.auditing.Verdict:
    rule = {"tests": ["weat6"], **rule} if not {"measure", "discovery"} & rule.keys() else rule
    return wg.check(source, {"rules": [rule], "controls": "none"}).verdicts[-1]


def test_a_rule_is_violated_if_all_its_conditions_hold(real: wg.Vectors) -> None:
    """weat6 on the default vectors: effect 1.71, two-sided p 1.6e-04."""
    assert verdict(real, effect=0.5).status == "violated"
    assert verdict(real, effect=0.5, p=0.01).status == "violated"
    assert verdict(real, effect=1.8).status == "passed"
    assert verdict(real, effect=0.5, p=1e-6).status == "passed"
    assert verdict(real, p=0.01).status == "violated"


def test_a_rule_with_judge_interval_asks_whether_the_near_end_is_beyond(real: wg.Vectors) -> None:
    measured = verdict(real, effect=1.0, judge="interval")
    low = measured.numbers["low"]
    assert low < measured.numbers["effect"]
    assert verdict(real, effect=low - 0.01, judge="interval").status == "violated"
    assert verdict(real, effect=low + 0.01, judge="interval").status == "passed"
    swapped = swap_names(real)
    assert verdict(swapped, effect=low - 0.01, judge="interval").status == "violated"
    assert verdict(swapped, effect=low + 0.01, judge="interval").status == "passed"


def test_p_is_corrected_over_the_family_that_the_rule_states(real: wg.Vectors) -> None:
    alone = verdict(real, effect=0, p=0.05).numbers["p"]
    assert verdict(real, effect=0, p=0.05).numbers["p_corrected"] == alone
    family = verdict(real, effect=0, p=0.05, family=["weat7", "weat8"])
    assert family.numbers["p_corrected"] == pytest.approx(3 * alone)
    assert "over 3 tests" in family.sentence
    free = verdict(real, effect=0, p=0.05, family=["weat7"], correction="none")
    assert free.numbers["p_corrected"] == alone


@functools.cache
def _shared(real: wg.Vectors) -> Any:
    """A source whose tests are measured once for all examples."""
    from weatherglass.auditing.gate.subjects import OpenSource

    subject = OpenSource("real", real)
    subject.run_tests([wg.test(id) for id in TESTS])
    return subject


_rules = st.fixed_dictionaries(
    {
        "tests": st.lists(st.sampled_from(TESTS), min_size=1, unique=True),
        "effect": st.sampled_from([0.0, 0.8, 1.49, 1.6]),
        "judge": st.sampled_from(["effect", "interval"]),
    },
    optional={
        "p": st.sampled_from([1e-4, 2e-4, 5e-4, 1e-3, 0.05]),
        "correction": st.sampled_from(["holm", "bh", "none"]),
    },
)


@settings(max_examples=60)
@given(first=_rules, others=st.lists(_rules, max_size=4))
def test_adding_rules_never_changes_the_verdict_of_another(
    real: wg.Vectors, first: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    from weatherglass.auditing.gate.policy_file import as_policy_file
    from weatherglass.auditing.gate.rules import judge_rule

    def judged(*rules: dict[str, Any]) -> list[Any]:
        file = as_policy_file({"rules": list(rules)})
        return [(j.test, j.status, j.sentence) for j in judge_rule(file, 0, _shared(real))]

    assert judged(first) == judged(first, *others)


def test_a_factual_test_is_judged_by_its_correlation(real: wg.Vectors) -> None:
    judged = verdict(real, tests=["wefat1"], effect=0.5, agreement=0.9)
    assert judged.status == "violated"
    assert judged.sentence.startswith("correlation 0.")
    assert "other seed choices not tried" in judged.sentence


@pytest.mark.slow
def test_agreement_is_a_further_condition() -> None:
    judged = verdict("default", effect=0.5, agreement=0.5)
    assert judged.status == "violated"
    assert "100% of seed choices agree in sign" in judged.sentence


def test_a_rule_judges_a_measure_by_its_value(real: wg.Vectors) -> None:
    sets = {"X": ["doctor", "nurse"], "A": ["she", "her"]}
    value = wg.measure(real, "mac", sets).value
    assert verdict(real, measure="mac", sets=sets, above=value - 0.01).status == "violated"
    assert verdict(real, measure="mac", sets=sets, above=value + 0.01).status == "passed"
    assert verdict(real, measure="mac", sets=sets, below=value + 0.01).status == "violated"
    missing = verdict(real, measure="mac", sets=sets, above=0, p=0.05)
    assert missing.status == "not run"
    assert "no two-sided p-value" in missing.sentence


def test_a_rule_judges_a_test_of_your_own(real: wg.Vectors, tmp_path: Path) -> None:
    mine = tmp_path / "jobs.yaml"
    mine.write_text("{x: [he, him], y: [she, her], a: [doctor, office], b: [home, family]}\n")
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules: [{tests: [jobs], effect: 0}]\nfiles: [jobs.yaml]\ncontrols: none\n")
    checked = wg.check(real, policy)
    assert [v.test for v in checked.verdicts] == ["jobs"]
    assert checked.verdicts[0].status == "violated"
    assert list(checked.policy["tests"]) == [str(mine)]


@pytest.mark.slow
def test_the_word_is_the_unit_of_a_sentence_test() -> None:
    encoder = wg.open_encoder("cbow:default")
    rules = {
        "rules": [{"tests": ["sent-weat6", "wefat1"], "effect": 0.5, "p": 0.05}],
        "controls": "none",
    }
    sentences, facts = wg.check(encoder, rules).verdicts
    (result,) = wg.seat(encoder, "sent-weat6", alternative="two-sided")
    assert sentences.numbers["effect"] == result.effect_by_word != result.effect
    assert sentences.numbers["p"] == result.p_by_word.value
    assert sentences.evidence["unit"] == "each word counted once"
    assert facts.status == "not run"
    assert "needs word vectors" in facts.sentence


@pytest.mark.parametrize("id", ["weat6", pytest.param("sent-weat6", marks=pytest.mark.slow)])
def test_the_two_sided_p_value_is_counted_from_the_one_sided_record_of_an_older_version(
    id: str,
) -> None:
    encoder = wg.open_encoder("cbow:default")
    (one,), (two,) = (
        wg.seat(encoder, id, alternative=alternative) for alternative in ("less", "two-sided")
    )
    assert one.main_p > 0.99
    options = {name: value for name, value in one.options.items() if name != "declared"}
    old = dataclasses.replace(one, options=options, p_two_sided=None, p_two_sided_by_word=None)
    assert old.main_p_two_sided == one.main_p_two_sided == pytest.approx(two.main_p)
    assert old.finding.grade == two.finding.grade
    assert old.finding.sentence == two.finding.sentence


@pytest.mark.parametrize(
    ("first", "second", "ends", "excess"),
    [
        (1.8, 1.0, (0.5, 1.1), 0.5),  # larger: the low end of the change
        (-1.8, -1.0, (-1.1, -0.5), 0.5),
        (-0.9, 1.0, (-2.2, -1.6), 0.6),  # reversed: the high end, 1.0 - 1.6, is below zero
        (0.2, 1.0, (-1.4, -0.2), -0.8),  # smaller, and perhaps reversed
    ],
)
def test_the_near_end_of_a_change_is_what_is_certainly_beyond_the_baseline(
    first: float, second: float, ends: tuple[float, float], excess: float
) -> None:
    from weatherglass.auditing.gate import Rule
    from weatherglass.auditing.gate.rules import _excess, _Measured
    from weatherglass.measures import PairedDifference

    p = wg.PValue.from_count(1, 100)
    paired = PairedDifference(first, second, first - second, *ends, p, 16)
    measured: Any = _Measured(None, {"effect": first, "baseline": second}, 0.01, paired)  # type: ignore[arg-type]
    rule = Rule(tests=("weat6",), increase=0.1, judge="interval")
    # The range that is allowed reaches from zero to the baseline's effect.
    assert _excess(rule, measured) == pytest.approx(excess) or excess < 0 > _excess(rule, measured)


@pytest.mark.slow
def test_a_rule_counts_the_significant_cells_of_a_discovery() -> None:
    few = {"rotations": "200", "words": "2000", "groups": "4", "categories": "8"}
    judged = verdict("default", discovery=few, cells=0)
    found = int(judged.numbers["value"])
    assert judged.status == ("violated" if found else "passed")
    assert verdict("default", discovery=few, cells=found).status == "passed"
