"""The valence of a source: findings on a source that people would not agree with."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import load_norms
from weatherglass.findings import MIN_VALENCE, valence_sentence
from weatherglass.measures import SourceValence, source_valence, spellings, valence_words
from weatherglass.report import model_card

SUITE = """
id: mine
title: A test
steps:
  - {run: weat, title: Association tests, tests: [weat6]}
"""


@pytest.fixture(scope="module")
def result():
    return wg.weat(wg.open_vectors("default"), "weat6", baseline=False)


def with_valence(result, r):
    valence = SourceValence(r, r - 0.02, r + 0.02, 4600)
    return dataclasses.replace(result, valence=valence)


def test_a_clear_finding_on_a_source_with_low_valence_is_mixed_and_says_why(result):
    assert result.finding.grade == "clear"
    low = with_valence(result, 0.1).finding
    assert low.grade == "mixed"
    assert "encodes little of what people agree on (valence r = 0.10)" in low.sentence
    assert [item.verdict for item in low.evidence if item.kind == "valence"] == ["depends"]


def test_a_source_at_the_threshold_keeps_its_grade(result):
    assert with_valence(result, MIN_VALENCE).finding.grade == "clear"
    assert with_valence(result, MIN_VALENCE - 0.001).finding.grade == "mixed"


def test_a_source_that_was_not_measured_keeps_its_grade(result):
    unknown = dataclasses.replace(result, valence=SourceValence(reason="no words"))
    assert unknown.finding.grade == "clear"
    assert not [item for item in unknown.finding.evidence if item.kind == "valence"]


def test_valence_survives_json_and_is_a_column(result):
    low = with_valence(result, 0.1)
    assert wg.Results.from_json(wg.Results.of([low]).to_json())[0] == low
    assert low.row()["source_valence"] == 0.1
    assert "source_valence" not in result.row()


def test_the_sentence_says_what_the_number_means():
    assert "no finding on it is graded clear" in valence_sentence(SourceValence(0.1, 0, 0.2, 200))
    assert "0.6 to 0.7" in valence_sentence(SourceValence(0.6, 0.58, 0.62, 4600))
    assert "not measured: few words" in valence_sentence(SourceValence(reason="few words"))


def test_a_vocabulary_with_few_rated_words_is_not_judged():
    vectors = wg.open_vectors("default").subset(spellings(wg.test("weat6").sets.values()))
    valence = source_valence(vectors)
    assert valence.r is None
    assert valence.reason


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Random vectors with a planted effect of weat6: significant, on a source that is noise."""
    test = wg.test("weat6")
    words = sorted(spellings([load_norms("glasgow-valence"), *test.sets.values()]))
    rows = np.random.default_rng(0).normal(size=(len(words), 30))
    sides = {w.lower(): 4.0 for name in "XA" for w in test.sets[name].words}
    sides |= {w.lower(): -4.0 for name in "YB" for w in test.sets[name].words}
    rows[:, 0] += [sides.get(word.lower(), 0.0) for word in words]
    path = tmp_path_factory.mktemp("noise") / "noise.txt"
    lines = (
        f"{word} {' '.join(f'{x:.4f}' for x in row)}"
        for word, row in zip(words, rows, strict=True)
        if " " not in word
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def audited(noise, tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    suite = folder / "suite.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    return folder / "run", wg.audit([noise, "default"], out=folder / "run", suite=suite, workers=1)


def test_an_audit_states_the_valence_of_each_source_and_grades_by_it(audited):
    folder, audit = audited
    low, high = audit.about["sources"]
    assert abs(low["valence"]["r"]) < 0.1
    assert high["valence"]["r"] == pytest.approx(0.60, abs=0.01)
    on_noise, on_default = audit.results
    assert on_noise.main_p_for_finding < 0.001
    assert on_noise.finding.grade == "mixed"
    assert "encodes little of what people agree on" in on_noise.sentence()
    assert on_default.valence.r == high["valence"]["r"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Associations agree with how pleasant people find words with r = 0.60" in page
    assert "no finding on it is graded clear" in page
    assert "Valence: Associations agree" in model_card(audit)


def test_the_audit_command_names_sources_that_encode_little(noise, tmp_path, run):
    suite = tmp_path / "suite.yaml"
    suite.write_text(SUITE, encoding="utf-8")
    ran = run("audit", noise, "--suite", suite, "-o", tmp_path / "run", "--workers", "1")
    assert "the source encodes little of what people agree on" in ran.out


def test_a_policy_can_demand_agreement_with_people(noise, audited, tmp_path, run):
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "rules: [{tests: [weat6], effect: 1.99}]\n"
        "controls: {tests: [weat1], effect: -2, duplicates: 1, valence: 0.5}\n",
        encoding="utf-8",
    )
    ran = run("check", "default", "--policy", policy, "--format", "json")
    verdicts = {v["test"]: v for v in json.loads(ran.out)["verdicts"]}
    assert verdicts["valence"]["status"] == "passed"
    ran = run("check", noise, "--policy", policy, "--format", "json")
    assert ran.code == 1
    verdicts = {v["test"]: v for v in json.loads(ran.out)["verdicts"]}
    assert verdicts["valence"]["status"] == "violated"
    assert "encodes too little of what people agree on" in verdicts["valence"]["sentence"]
    folder, _ = audited
    ran = run("check", folder, "--policy", policy, "--format", "json")
    statuses = [v["status"] for v in json.loads(ran.out)["verdicts"] if v["test"] == "valence"]
    assert sorted(statuses) == ["passed", "violated"]


def test_a_dry_run_counts_the_rated_words_that_a_policy_would_send(tmp_path, run):
    counts = []
    for control in ("", ", valence: 0.3"):
        policy = tmp_path / "policy.yaml"
        text = f"rules: [{{tests: [weat6], effect: 1}}]\ncontrols: {{tests: [weat1]{control}}}\n"
        policy.write_text(text, encoding="utf-8")
        ran = run("check", "cbow:default", "--policy", policy, "--dry-run", "--format", "json")
        counts.append(json.loads(ran.out)[0]["sentences"])
    # Attributes are sent in any case, as words of weat1.
    assert 390 < counts[1] - counts[0] < len(valence_words())
