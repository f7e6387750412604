"""Checks: sources of all kinds, the record, and the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.auditing import json_schema
from weatherglass.errors import UsageError

from .cheats import swap_names

RULES: dict[str, Any] = {"rules": [{"tests": ["weat6", "weat7"], "effect": 1.6, "p": 0.05}]}


def statuses(checked: wg.Check) -> dict[tuple[str, str], str]:
    return {(v.source, v.id): v.status for v in checked.verdicts}


def test_an_audit_folder_gets_the_verdicts_of_its_source_without_measuring(
    audited: Path, real: wg.Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = {
        "X": "careers-Caliskan_et_al_2017",
        "A": "definitional_male-Bolukbasi_et_al_2016",
        "B": "definitional_female-Bolukbasi_et_al_2016",
    }
    rules = {"rules": [*RULES["rules"], {"measure": "mac", "sets": sets, "above": 0.1}]}
    fresh = wg.check(real, rules)
    source = "weatherglass.auditing.gate.subjects"
    for name in ("weat", "wefat", "measure", "seat", "multiverse"):
        monkeypatch.setattr(f"{source}.{name}", lambda *_, **__: pytest.fail("measured again"))
    from_folder = wg.check(audited, rules)
    for there, here in zip(fresh.verdicts, from_folder.verdicts, strict=True):
        assert (there.id, there.status) == (here.id, here.status)
        assert here.numbers == pytest.approx(there.numbers, rel=1e-4)
    assert from_folder.sources[0]["audit"] == str(audited)
    assert from_folder.sources[0]["fingerprint"]


def test_what_an_audit_did_not_measure_is_not_run(audited: Path) -> None:
    checked = wg.check(audited, {"rules": [{"tests": ["weat9"], "effect": 1}]})
    assert checked.exit_code == 3
    assert "did not measure weat9; add it to the suite" in checked.verdicts[-1].sentence


def test_several_sources_are_checked_by_one_policy(audited: Path, real: wg.Vectors) -> None:
    checked = wg.check([audited, real, swap_names(real)], RULES)
    names = [source["name"] for source in checked.sources]
    assert [name.rpartition("/")[2] for name in names] == ["real.txt", "real", "swapped"]
    assert statuses(checked)["swapped", "weat6"] == "violated"
    with pytest.raises(UsageError, match="duplicate"):
        wg.check([real, real], RULES)


def test_a_source_that_cannot_be_opened_has_a_reason_and_does_not_stop_others(
    real: wg.Vectors,
) -> None:
    checked = wg.check(["nowhere.bin", real], {"rules": [{"tests": ["weat6"], "effect": 1.9}]})
    assert checked.exit_code == 3
    assert "no file or folder 'nowhere.bin'" in checked.sources[0]["reason"]
    assert statuses(checked)["nowhere.bin", "weat6"] == "not run"
    assert statuses(checked)["real", "weat6"] == "passed"


@pytest.mark.parametrize(
    ("choice", "level", "code"), [("fail", "error", 3), ("warn", "warning", 0), ("pass", "none", 0)]
)
def test_not_run_fails_warns_or_passes(
    real: wg.Vectors, choice: str, level: str, code: int
) -> None:
    rules = {"rules": [{"tests": ["weat6", "weat9"], "effect": 1.9}], "not_run": choice}
    checked = wg.check(real, rules)
    assert checked.verdicts[-1].status == "not run"
    assert checked.verdicts[-1].level == level
    assert checked.exit_code == code


def test_relative_rules_judge_the_change_since_the_baseline(
    audited: Path, real: wg.Vectors
) -> None:
    def judged(**rule: Any) -> wg.auditing.Verdict:
        rules = {"rules": [{"tests": ["weat6"], **rule}], "controls": "none"}
        return wg.check(swap_names(real), rules, baseline=audited).verdicts[0]

    # From 1.71 to -1.71: 1.71 beyond zero in the other direction.
    assert judged(increase=1.7).status == "violated"
    assert judged(increase=1.72).status == "passed"
    assert judged(increase=0.2, p=1e-9).status == "passed"
    assert judged(increase=0.2).numbers["p_paired"] < 0.01


def test_controls_can_be_changed_or_turned_off(real: wg.Vectors) -> None:
    rules = {"rules": [{"tests": ["weat6"], "effect": 1.9}]}
    controls = {"tests": ["weat7"], "effect": 1.99, "duplicates": 0, "alike": 0.1}
    checked = wg.check(real, rules | {"controls": controls})
    assert statuses(checked)["real", "control-weat7"] == "violated"
    assert statuses(checked)["real", "control-alike"] == "violated"
    assert len(wg.check(real, rules | {"controls": "none"}).verdicts) == 1


def test_the_record_survives_json_and_fits_its_schema(real: wg.Vectors) -> None:
    import jsonschema

    checked = wg.check(real, RULES, rng=7)
    assert wg.Check.from_json(checked.to_json()) == checked
    record = json.loads(checked.to_json())
    jsonschema.validate(record, json_schema("check"))
    assert record["version"] == wg.__version__
    assert record["sources"][0]["fingerprint"] == real.fingerprint
    assert record["seed"] == 7
    assert len(record["policy"]["sha256"]) == 64
    weat6 = record["verdicts"][-2]
    assert weat6["limits"]["effect"] == 1.6
    assert weat6["numbers"]["effect"] == pytest.approx(1.708, abs=1e-3)
    assert weat6["evidence"]["words"] == {"X": 8, "Y": 8, "A": 8, "B": 8}


def test_a_dead_encoder_is_asked_once_and_named_in_every_verdict() -> None:
    from weatherglass.errors import EncoderError

    class Dead:
        name, fingerprint, stored = "dead", "dead-1", True
        calls = 0

        def encode(self, sentences: list[str]) -> Any:
            self.calls += 1
            raise EncoderError("dead: the endpoint does not answer.")

    encoder = Dead()
    checked = wg.check(encoder, {"rules": [{"tests": ["weat6", "weat7"], "effect": 1}]})
    assert checked.exit_code == 3
    assert all("does not answer" in verdict.sentence for verdict in checked.verdicts)
    assert encoder.calls == 1


def test_findings_are_corrected_over_the_tests_of_the_rule(tmp_path: Path) -> None:
    """Two-sided p is 2/70 for each of three tests of four and four words: three are no finding."""
    rng = np.random.default_rng(0)
    rows: dict[str, list[float]] = {}
    records = []
    for number in range(3):
        sets = {side: [f"{side}{number}{k}" for k in range(4)] for side in "xyab"}
        for side, words in sets.items():
            lean = 1.0 if side in "xa" else -1.0
            rows |= {word: [lean, *rng.normal(0, 0.3, 3)] for word in words}
        records.append({"id": f"mine{number}", **sets})
    (tmp_path / "mine.yaml").write_text(json.dumps({"tests": records}), encoding="utf-8")
    vectors = wg.Vectors.of(list(rows), np.array(list(rows.values())))

    def check(ids: str) -> list[wg.auditing.Verdict]:
        policy = {"rules": [{"tests": [ids], "effect": 1.9, "p": 0.05}], "controls": "none"}
        return list(wg.check(vectors, policy, tests=[tmp_path / "mine.yaml"]).verdicts)

    assert [verdict.finding.split(":")[0] for verdict in check("mine*")] == ["none"] * 3
    assert {verdict.status for verdict in check("mine*")} == {"passed"}
    (alone,) = check("mine0")
    assert not alone.finding.startswith("none")


def test_a_finding_that_hangs_on_one_word_says_so_and_the_record_has_the_evidence(
    tmp_path: Path,
) -> None:
    """Targets of X are nearer to B only because of one word of B."""
    jitter = np.random.default_rng(0).normal(0, 0.01, (24, 4))
    places = {"x": (1, 0.2, 0, 0), "y": (0, 0, 0, 1), "a": (0, 1, 0, 0), "b": (0, 0, 1, 0)}
    sizes = {"x": 8, "y": 8, "a": 4, "b": 4}
    sets = {side: [f"{side}{i}" for i in range(n)] for side, n in sizes.items()}
    words = [word for listed in sets.values() for word in listed]
    rows = jitter + [(1, 0, 0, 0) if word == "b0" else places[word[0]] for word in words]
    source = wg.Vectors.of(words, rows, source="crafted")
    rule = {"tests": ["crafted"], "effect": 0.5}
    own = tmp_path / "own.yaml"
    own.write_text(json.dumps({"id": "crafted", **sets}), encoding="utf-8")
    checked = wg.check(source, {"rules": [rule], "controls": "none"}, tests=own)
    (verdict,) = checked.verdicts
    assert verdict.numbers["effect"] < -0.5
    assert verdict.finding.startswith("mixed: Reverses without 'b0'")
    assert verdict.evidence["grade"] == "mixed"
    kinds = {item["kind"]: item["verdict"] for item in verdict.evidence["grade_rests_on"]}
    assert kinds["p"] == "pass"
    assert kinds["leave-one-out"] == "fails"


def test_rules_state_the_finding_and_controls_do_not(
    real: wg.Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weatherglass.auditing import junit, sarif

    monkeypatch.setattr(wg.Finding, "__str__", lambda f: f"clear: what {f.result.test} says.")
    checked = wg.check(real, {"rules": [{"tests": ["weat6"], "effect": 0.5}]})
    *controls, weat6 = checked.verdicts
    assert not any(verdict.finding for verdict in controls)
    assert weat6.finding == "clear: what weat6 says."
    for text in (junit(checked), sarif(checked)):
        assert "Finding, clear: what weat6 says." in text
