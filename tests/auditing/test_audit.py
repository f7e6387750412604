"""Audits: all is kept, a failure stops nothing, and the same audit gives the same numbers."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from weatherglass import Results, audit, measure, open_vectors
from weatherglass.auditing import open_audit
from weatherglass.auditing.changes import find_changes
from weatherglass.auditing.steps import list_tasks, used_sets
from weatherglass.catalog.suites import Step, Suite, load_suite, suites, with_control
from weatherglass.errors import BadContent, CatalogError, SourceNotFound, UnknownEntry, UsageError

SMALL = Suite(
    id="small",
    title="A few of everything",
    steps=(
        Step(run="weat", title="Association tests", tests=("weat6", "weat7")),
        Step(run="wefat", title="Factual tests", tests=("wefat1",)),
        Step(
            run="multiverse",
            title="Seed choice",
            tests=("weat6",),
            options={"samples": "2"},
        ),
        Step(
            run="discovery",
            title="Discovery",
            options={
                "groups": "3",
                "categories": "4",
                "words": "1000",
                "rotations": "19",
                "name_rank": "20000",
            },
        ),
        Step(run="lint", title="Seed sets"),
    ),
)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    audit("default", out=folder, suite=SMALL)
    return folder


def test_the_folder_of_an_audit_has_all_results(done: Path) -> None:
    names = {path.name for path in done.iterdir()}
    assert names >= {
        "run.json",
        "results.json",
        "results.tsv",
        "results.parquet",
        "report.html",
        "steps",
    }
    about = json.loads((done / "run.json").read_text(encoding="utf-8"))
    assert [step["status"] for step in about["steps"]] == ["done"] * 5
    assert about["sources"][0]["words"] == 400_000
    assert about["machine"]["packages"]["numpy"]
    results = Results.from_json((done / "results.json").read_text(encoding="utf-8"))
    assert [result.test for result in results] == ["weat6", "weat7", "wefat1"]
    assert results[0].p_holm is not None
    assert Results.from_parquet(done / "results.parquet") == results
    assert Results.from_delimited((done / "results.tsv").read_text(encoding="utf-8")) == results


def test_an_audit_is_read_back_completely(done: Path) -> None:
    audited = open_audit(done)
    assert len(audited.results) == 3
    assert len(audited.discoveries) == len(audited.multiverses) == len(audited.lints) == 1


@pytest.mark.slow
def test_the_same_audit_gives_the_same_numbers(done: Path, tmp_path: Path) -> None:
    again = audit("default", out=tmp_path / "again", suite=SMALL)
    assert find_changes(open_audit(done), again) == ()


@pytest.mark.slow
def test_another_random_seed_changes_only_random_steps(done: Path, tmp_path: Path) -> None:
    other = audit("default", out=tmp_path / "other", suite=SMALL, rng=1)
    changes = find_changes(open_audit(done), other)
    assert {change.measure for change in changes} <= {"discovery", "multiverse", "lint"}
    assert any(change.measure == "discovery" for change in changes)


def test_a_failed_step_does_not_stop_the_others(tmp_path: Path) -> None:
    broken = Step(run="discovery", title="Too many groups", options={"groups": "100000"})
    wrong = Step(run="weat", title="Wrong", tests=("weat6",), options={"colour": "red"})
    suite = Suite(id="s", title="t", steps=(broken, wrong, SMALL.steps[0]))
    audited = audit("default", out=tmp_path / "run", suite=suite)
    outcomes = [(step["status"], step["reason"]) for step in audited.about["steps"]]
    assert [status for status, _ in outcomes] == ["skipped", "failed", "done"]
    assert "too few for 100000 groups" in outcomes[0][1]
    assert "colour is not one of" in outcomes[1][1]
    assert "too few for 100000 groups" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_a_wrong_name_fails_only_its_own_step(tmp_path: Path) -> None:
    steps = (
        Step(run="multiverse", title="No such test", tests=("weat99",)),
        Step(run="wefat", title="Wrong kind", tests=("weat6",)),
        Step(run="measure", title="No such set", measures=("rnd",), sets={"X": "nothing"}),
        Step(
            run="measure",
            title="No such option",
            measures=("rnd",),
            sets={"X": "careers-Caliskan_et_al_2017"},
            options={"colour": "red"},
        ),
        SMALL.steps[0],
        Step(run="lint", title="Seed sets"),
    )
    audited = audit("default", out=tmp_path / "run", suite=Suite(id="s", title="t", steps=steps))
    assert [step["status"] for step in audited.about["steps"]] == ["failed"] * 4 + ["done"] * 2
    reasons = [step["reason"] for step in audited.about["steps"]]
    assert "no test 'weat99'" in reasons[0]
    assert reasons[1] == "None of weat6 is a factual test."
    assert "no seed set 'nothing'" in reasons[2]
    assert reasons[3] == "No measure of rnd has the option colour."


def test_a_suite_without_steps_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("id: mine\ntitle: Mine\nsteps: []\n", encoding="utf-8")
    with pytest.raises(CatalogError, match="steps"):
        load_suite(path)


def test_nothing_is_written_if_no_source_can_be_opened(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match=r"nowhere\.bin"):
        audit(["nowhere.bin", "elsewhere.bin"], out=tmp_path / "run", suite=SMALL)
    assert not (tmp_path / "run").exists()


def test_step_options_and_random_seed_are_passed_to_measures(tmp_path: Path) -> None:
    sets = {
        "X": "careers-Caliskan_et_al_2017",
        "A": "definitional_male-Bolukbasi_et_al_2016",
        "B": "definitional_female-Bolukbasi_et_al_2016",
    }
    step = Step(
        run="measure",
        title="Work",
        measures=("rnd", "mac", "rnsb"),
        sets=sets,
        options={"unit": "true", "runs": "3"},
    )
    suite = Suite(id="s", title="t", steps=(step,))
    rnd, mac, rnsb = audit("default", out=tmp_path / "run", suite=suite, rng=5).results
    vectors = open_vectors("default")
    assert rnd.value == measure(vectors, "rnd", sets, unit=True).value
    assert rnsb.value == measure(vectors, "rnsb", sets, unit=True, runs=3, rng=5).value
    # A measure of any number of attribute sets is given all of them.
    assert set(mac.n) == {"X", "A", "B"}
    assert mac.value == measure(vectors, "mac", sets).value


@pytest.mark.slow
def test_control_applies_to_every_step_that_has_the_option(tmp_path: Path) -> None:
    steps = [SMALL.steps[0], SMALL.steps[1], SMALL.steps[4]]
    suite = Suite(id="s", title="t", steps=tuple(steps))
    plain = audit("default", out=tmp_path / "none", suite=suite, control="none")
    assert [result.controls for result in plain.results] == [()] * 3
    controlled = audit("default", out=tmp_path / "frequency", suite=suite, control="frequency")
    assert [result.controls[0].asked for result in controlled.results] == ["frequency"] * 3
    assert controlled.results[0].effect == plain.results[0].effect
    assert controlled.about["command"].endswith("--control frequency")
    steps = with_control(load_suite("standard"), "none").steps
    chosen = {step.run: step.options.get("control") for step in steps}
    assert chosen == {
        **dict.fromkeys(("weat", "wefat", "measure", "discovery"), "none"),
        **dict.fromkeys(("multiverse", "seat", "lint")),
    }


@pytest.mark.parametrize("budget", [-1.0, float("nan")])
def test_a_negative_budget_is_refused(tmp_path: Path, budget: float) -> None:
    with pytest.raises(UsageError, match="zero minutes or more"):
        audit("default", out=tmp_path / "run", suite=SMALL, budget=budget)


def test_an_audit_is_displayed_in_a_notebook_with_sentences_and_a_chart(done: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    audited = open_audit(done)
    assert audited.to_table().column("test").to_pylist() == ["weat6", "weat7", "wefat1"]
    html = audited._repr_html_()
    assert "Male names are more strongly associated with career words" in html
    assert "<svg" in html
    assert audited.plot().to_dict()


def test_a_source_that_cannot_be_opened_fails_only_its_own_steps(tmp_path: Path) -> None:
    suite = Suite(id="s", title="t", steps=(SMALL.steps[0],))
    audited = audit(["nowhere.bin", "default"], out=tmp_path / "run", suite=suite)
    assert [step["status"] for step in audited.about["steps"]] == ["failed", "done"]
    assert {result.source["name"] for result in audited.results} == {"default"}


def test_an_interrupted_audit_keeps_its_finished_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def stop(title: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit("default", out=folder, suite=SMALL, progress=stop)
    interrupted = open_audit(folder)
    assert [step["status"] for step in interrupted.about["steps"]] == ["done"] * 2 + ["skipped"] * 3
    assert (folder / "report.html").exists()
    monkeypatch.setattr("weatherglass.measures.weat", lambda *_, **__: pytest.fail("run again"))
    resumed = audit("default", out=folder, suite=SMALL, resume=True)
    assert [step["status"] for step in resumed.about["steps"]] == ["done"] * 5
    # The multiverse ran only now; its share is evidence of the finding.
    assert resumed.results[0].seed_choices is not None
    before = [dataclasses.replace(result, seed_choices=None) for result in resumed.results[:2]]
    assert before == list(interrupted.results[:2])


def test_resuming_does_not_reuse_steps_with_other_options(tmp_path: Path) -> None:
    suite = Suite(id="s", title="t", steps=(SMALL.steps[0],))
    audit("default", out=tmp_path, suite=suite)
    step = Step(run="weat", title="Association tests", tests=("weat8",))
    resumed = audit(
        "default", out=tmp_path, suite=Suite(id="s", title="t", steps=(step,)), resume=True
    )
    assert [result.test for result in resumed.results] == ["weat8"]


def test_steps_beyond_the_budget_are_skipped(tmp_path: Path) -> None:
    audited = audit("default", out=tmp_path / "run", suite=SMALL, budget=0)
    assert {step["status"] for step in audited.about["steps"]} == {"skipped"}
    assert "0 minutes were used up" in audited.about["steps"][0]["reason"]


def test_an_audit_is_not_overwritten(done: Path) -> None:
    with pytest.raises(UsageError, match="already holds an audit"):
        audit("default", out=done, suite=SMALL)


def test_a_duplicate_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="each source once"):
        audit(["default", "default"], out=tmp_path / "run")
    with pytest.raises(UsageError, match="at least one source"):
        audit([], out=tmp_path / "run")


def test_a_folder_without_a_valid_run_json_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match=r"no run\.json"):
        open_audit(tmp_path)
    (tmp_path / "run.json").write_text("{", encoding="utf-8")
    with pytest.raises(BadContent, match="damaged"):
        open_audit(tmp_path)


@pytest.mark.parametrize("name", suites())
def test_every_step_of_a_suite_names_tests_that_exist(name: str) -> None:
    suite = load_suite(name)
    sources: list[Any] = [
        type("Words", (), {"is_encoder": False})(),
        type("Sentences", (), {"is_encoder": True})(),
    ]
    listed = list_tasks(suite, sources)
    assert {task.step.run for task in listed} == {step.run for step in suite.steps}
    if any(step.run == "lint" for step in suite.steps):
        assert len(used_sets(suite)) > 5


def test_your_own_suite_is_read_from_yaml_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("id: mine\ntitle: Mine\nsteps: [{run: weat, title: One, tests: [weat6]}]\n")
    assert load_suite(path).steps[0].tests == ("weat6",)
    with pytest.raises(UnknownEntry, match="Did you mean quick"):
        load_suite("quik")
    path.write_text("id: mine\ntitle: Mine\nsteps: [{run: weat, title: One}]\n")
    with pytest.raises(CatalogError, match="names no tests"):
        load_suite(path)
    path.write_text("id: mine\ntitle: Mine\nsteps: [{run: dance, title: One}]\n")
    with pytest.raises(CatalogError, match="run"):
        load_suite(path)
