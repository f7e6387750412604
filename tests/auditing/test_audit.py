"""Audits: all is kept, a failure stops nothing, and the same audit gives the same numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from weatherglass import Results, audit, measure, open_vectors
from weatherglass.auditing import open_audit
from weatherglass.auditing.changes import changes
from weatherglass.auditing.steps import tasks, used_sets
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


def test_the_folder_has_all_that_was_found(done: Path) -> None:
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
    assert [one.test for one in results] == ["weat6", "weat7", "wefat1"]
    assert results[0].p_holm is not None
    assert Results.from_parquet(done / "results.parquet") == results
    assert Results.from_delimited((done / "results.tsv").read_text(encoding="utf-8")) == results


def test_an_audit_is_read_as_it_was_found(done: Path) -> None:
    found = open_audit(done)
    assert len(found.results) == 3
    assert len(found.discoveries) == len(found.multiverses) == len(found.lints) == 1


def test_the_same_audit_gives_the_same_numbers(done: Path, tmp_path: Path) -> None:
    again = audit("default", out=tmp_path / "again", suite=SMALL)
    assert changes(open_audit(done), again) == ()


@pytest.mark.slow
def test_another_seed_is_noticed(done: Path, tmp_path: Path) -> None:
    other = audit("default", out=tmp_path / "other", suite=SMALL, rng=1)
    found = changes(open_audit(done), other)
    assert {one.measure for one in found} <= {"discovery", "multiverse", "lint"}
    assert any(one.measure == "discovery" for one in found)


def test_a_step_that_fails_stops_nothing(tmp_path: Path) -> None:
    broken = Step(run="discovery", title="Too many groups", options={"groups": "100000"})
    wrong = Step(run="weat", title="Wrong", tests=("weat6",), options={"colour": "red"})
    suite = Suite(id="s", title="t", steps=(broken, wrong, SMALL.steps[0]))
    found = audit("default", out=tmp_path / "run", suite=suite)
    states = [(step["status"], step["reason"]) for step in found.about["steps"]]
    assert [state for state, _ in states] == ["failed", "failed", "done"]
    assert "too few for 100000 groups" in states[0][1]
    assert "colour is not one of" in states[1][1]
    assert "too few for 100000 groups" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_what_a_step_names_wrongly_fails_that_step_alone(tmp_path: Path) -> None:
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
    found = audit("default", out=tmp_path / "run", suite=Suite(id="s", title="t", steps=steps))
    assert [step["status"] for step in found.about["steps"]] == ["failed"] * 4 + ["done"] * 2
    reasons = [step["reason"] for step in found.about["steps"]]
    assert "matches 'weat99'" in reasons[0]
    assert reasons[1] == "None of weat6 is a factual test."
    assert "no seed set 'nothing'" in reasons[2]
    assert reasons[3] == "The option colour is none of those of rnd."


def test_a_suite_without_steps_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("id: mine\ntitle: Mine\nsteps: []\n", encoding="utf-8")
    with pytest.raises(CatalogError, match="steps"):
        load_suite(path)


def test_where_no_source_can_be_opened_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match=r"nowhere\.bin"):
        audit(["nowhere.bin", "elsewhere.bin"], out=tmp_path / "run", suite=SMALL)
    assert not (tmp_path / "run").exists()


def test_options_of_a_step_and_the_seed_reach_the_measures(tmp_path: Path) -> None:
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
def test_one_control_for_every_step_that_has_the_choice(tmp_path: Path) -> None:
    both = [SMALL.steps[0], SMALL.steps[1], SMALL.steps[4]]
    suite = Suite(id="s", title="t", steps=tuple(both))
    plain = audit("default", out=tmp_path / "none", suite=suite, control="none")
    assert [one.control for one in plain.results] == [None] * 3
    found = audit("default", out=tmp_path / "frequency", suite=suite, control="frequency")
    assert [one.control["asked"] for one in found.results] == ["frequency"] * 3
    assert found.results[0].effect == plain.results[0].effect
    assert found.about["command"].endswith("--control frequency")
    steps = with_control(load_suite("standard"), "none").steps
    chosen = {step.run: step.options.get("control") for step in steps}
    assert chosen == {
        **dict.fromkeys(("weat", "wefat", "discovery"), "none"),
        **dict.fromkeys(("multiverse", "measure", "seat", "lint")),
    }


@pytest.mark.parametrize("budget", [-1.0, float("nan")])
def test_a_budget_is_no_less_than_nothing(tmp_path: Path, budget: float) -> None:
    with pytest.raises(UsageError, match="zero minutes or more"):
        audit("default", out=tmp_path / "run", suite=SMALL, budget=budget)


def test_an_audit_shows_itself(done: Path) -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    found = open_audit(done)
    assert found.to_table().column("test").to_pylist() == ["weat6", "weat7", "wefat1"]
    shown = found._repr_html_()
    assert "Male names are nearer to career words" in shown
    assert "<svg" in shown
    assert found.plot().to_dict()


def test_a_source_that_cannot_be_opened_leaves_the_others(tmp_path: Path) -> None:
    suite = Suite(id="s", title="t", steps=(SMALL.steps[0],))
    found = audit(["nowhere.bin", "default"], out=tmp_path / "run", suite=suite)
    assert [step["status"] for step in found.about["steps"]] == ["failed", "done"]
    assert {one.source["name"] for one in found.results} == {"default"}


def test_what_is_done_is_kept_when_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"

    def stop(title: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit("default", out=folder, suite=SMALL, progress=stop)
    half = open_audit(folder)
    assert [step["status"] for step in half.about["steps"]] == ["done"] * 2 + ["skipped"] * 3
    assert (folder / "report.html").exists()
    monkeypatch.setattr("weatherglass.measures.weat", lambda *_, **__: pytest.fail("run again"))
    whole = audit("default", out=folder, suite=SMALL, resume=True)
    assert [step["status"] for step in whole.about["steps"]] == ["done"] * 5
    assert whole.results[:2] == half.results[:2]


def test_what_was_kept_for_other_options_is_not_used(tmp_path: Path) -> None:
    suite = Suite(id="s", title="t", steps=(SMALL.steps[0],))
    audit("default", out=tmp_path, suite=suite)
    step = Step(run="weat", title="Association tests", tests=("weat8",))
    other = audit(
        "default", out=tmp_path, suite=Suite(id="s", title="t", steps=(step,)), resume=True
    )
    assert [one.test for one in other.results] == ["weat8"]


def test_without_time_the_rest_is_left_out(tmp_path: Path) -> None:
    found = audit("default", out=tmp_path / "run", suite=SMALL, budget=0)
    assert {step["status"] for step in found.about["steps"]} == {"skipped"}
    assert "0 minutes were used up" in found.about["steps"][0]["reason"]


def test_an_audit_is_not_written_over(done: Path) -> None:
    with pytest.raises(UsageError, match="holds an audit already"):
        audit("default", out=done, suite=SMALL)


def test_sources_are_named_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="each once"):
        audit(["default", "default"], out=tmp_path / "run")
    with pytest.raises(UsageError, match="each once"):
        audit([], out=tmp_path / "run")


def test_a_folder_that_is_no_audit_says_so(tmp_path: Path) -> None:
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
    made = tasks(suite, sources)
    assert {task.step.run for task in made} == {step.run for step in suite.steps}
    if any(step.run == "lint" for step in suite.steps):
        assert len(used_sets(suite)) > 5


def test_a_suite_of_ones_own(tmp_path: Path) -> None:
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
