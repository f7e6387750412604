"""Sources that must not pass, with the sentence and the exit code that say why."""

from __future__ import annotations

from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass.vectors.formats.text import write_glove

from .cheats import ConstantEncoder, NoiseEncoder, noise, swap_names, truncated

ONE_RULE = {"rules": [{"tests": ["weat6"], "effect": 0.5, "p": 0.05}]}


def failures(checked: wg.Check) -> dict[str, str]:
    return {verdict.id: verdict.sentence for verdict in checked.failures}


def test_swapped_names_violate_a_rule_with_p(real: wg.Vectors) -> None:
    """A one-sided p-value of the reversed effect is 1: the rule would never be violated."""
    checked = wg.check(swap_names(real), ONE_RULE)
    (sentence,) = failures(checked).values()
    assert checked.exit_code == 1
    assert sentence.startswith("effect -1.71, two-sided p 1.6e-04; the limit is 0.5 in either ")
    assert "the reverse of the published result" in checked.failures[0].finding


def test_an_effect_and_its_reverse_get_the_same_verdict_and_p(real: wg.Vectors) -> None:
    there, back = (wg.check(source, ONE_RULE).verdicts[-1] for source in (real, swap_names(real)))
    assert there.status == back.status == "violated"
    assert there.numbers["p"] == back.numbers["p"]
    assert there.numbers["effect"] == pytest.approx(-back.numbers["effect"])


def test_noise_fails_because_it_encodes_nothing(real: wg.Vectors) -> None:
    checked = wg.check(noise(real), {"rules": [{"tests": ["weat6"], "effect": 1.9}]})
    assert checked.exit_code == 1
    assert checked.verdicts[-1].status == "passed"
    assert set(failures(checked)) == {"control-weat1", "control-weat2"}
    assert all("It looks like noise" in sentence for sentence in failures(checked).values())


@pytest.mark.slow
def test_a_truncated_model_fails_because_of_its_copies(real: wg.Vectors) -> None:
    checked = wg.check(truncated(real), {"rules": [{"tests": ["weat6"], "effect": 1.9}]})
    assert checked.exit_code == 1
    assert "copies of another" in failures(checked)["control-duplicates"]
    assert "was cut off" in failures(checked)["control-duplicates"]


def test_a_noisy_encoder_fails_the_sentence_versions_of_the_controls() -> None:
    rules = {"rules": [{"tests": ["sent-weat6"], "effect": 1.9}]}
    checked = wg.check(NoiseEncoder(), rules)
    assert checked.exit_code == 1
    assert set(failures(checked)) >= {"control-sent-weat1"}


def test_an_encoder_that_says_always_the_same_fails() -> None:
    checked = wg.check(ConstantEncoder(), {"rules": [{"tests": ["weat6"], "effect": 1.9}]})
    assert "practically all the same" in failures(checked)["control-alike"]


def test_a_file_of_three_words_cannot_be_measured(run, tmp_path: Path) -> None:
    (tmp_path / "tiny.txt").write_text("he 1 0\nshe 0 1\ndog 1 1\n", encoding="utf-8")
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules: [{tests: [weat6], effect: 0.5}]\nnot_run: pass\n", encoding="utf-8")
    ran = run("check", tmp_path / "tiny.txt", "--policy", policy)
    assert ran.code == 3
    assert "3 of 5 could not be run (controls: weat1, weat2)" in ran.err


def test_nothing_measured_is_no_pass_even_without_controls() -> None:
    tiny = wg.Vectors.of(["he", "she", "dog"], [[1, 0], [0, 1], [1, 1]])
    rules = ONE_RULE | {"not_run": "pass", "controls": "none"}
    assert wg.check(tiny, rules).exit_code == 3


def test_swapped_names_exceed_a_baseline_of_the_same_size(real: wg.Vectors, audited: Path) -> None:
    """The size of the effect is the same as before, only its direction is not."""
    rules = {"rules": [{"tests": ["weat6"], "increase": 0.2, "p": 0.05}]}
    checked = wg.check(swap_names(real), rules, baseline=audited)
    assert checked.exit_code == 1
    assert "1.71 in the baseline" in checked.verdicts[-1].sentence
    assert wg.check(real, rules, baseline=audited).passed


def test_the_command_fails_for_swapped_names(run, real: wg.Vectors, tmp_path: Path) -> None:
    write_glove(swap_names(real), tmp_path / "rev.txt")
    policy = tmp_path / "rev.yaml"
    policy.write_text("rules: [{tests: [weat6], effect: 0.5, p: 0.05}]\n", encoding="utf-8")
    ran = run("check", tmp_path / "rev.txt", "--policy", policy)
    assert ran.code == 1
    assert "effect -1.71" in ran.out
    assert "the reverse of the published result" in ran.out
