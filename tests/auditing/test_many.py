"""Audits of many sources: facts, steps in parallel, and a report that stays readable."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.auditing.run import WorkerTask, run_task
from weatherglass.auditing.sources import Source, load_models, parse_sources
from weatherglass.auditing.steps import list_tasks
from weatherglass.catalog.suites import load_suite
from weatherglass.errors import CatalogError, UsageError, WorkersLost
from weatherglass.report import audit_page
from weatherglass.report.audit.data import AuditResult
from weatherglass.report.charts.effects import MAX_POINTS, plot_trend, trend_axis

SUITE = """
id: small
title: A small suite
steps:
- {run: weat, title: Tests, tests: [weat6, weat8]}
- {run: measure, title: Other measures, measures: [rnd, ripa], sets:
   {X: careers-Caliskan_et_al_2017, A: definitional_male-Bolukbasi_et_al_2016,
    B: definitional_female-Bolukbasi_et_al_2016}}
- {run: multiverse, title: Choices, tests: [weat6], options: {samples: 5}}
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files of vectors with more and more noise, and a YAML list of them."""
    folder = tmp_path_factory.mktemp("models")
    whole = wg.open_vectors("default")
    small = whole.subset([whole.words[rank] for rank in range(3000)] + _seed_words())
    rng = np.random.default_rng(0)
    lines = []
    for step in range(3):
        rows = small.matrix + step * rng.standard_normal(small.matrix.shape) / 2
        table = "".join(
            f"{word} {' '.join(f'{x:.5f}' for x in row)}\n"
            for word, row in zip(small.words[:], rows.tolist(), strict=True)
        )
        (folder / f"{step}.txt").write_text(table, encoding="utf-8")
        lines.append(f"- {{source: {step}.txt, name: step {step}, step: {step}000, run: a}}\n")
    (folder / "models.yaml").write_text("".join(lines), encoding="utf-8")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return folder / "models.yaml"


def _seed_words() -> list[str]:
    return [w.lower() for seed_set in wg.seed_sets() for w in seed_set.words or ()]


@pytest.fixture(autouse=True)
def _no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report has its own tests, and takes longer than these audits."""
    monkeypatch.setattr("weatherglass.auditing.run.audit_page", lambda audited: "")


def numbers(audited: AuditResult) -> Any:
    """All results of an audit, without the times, which differ from run to run."""
    steps = [{k: v for k, v in step.items() if k != "seconds"} for step in audited.about["steps"]]
    return steps, audited.results, audited.multiverses, audited.about["sources"]


def test_paths_in_a_list_of_models_are_relative_to_its_folder(models: Path) -> None:
    sources = parse_sources(str(models))
    assert [source.name for source in sources] == ["step 0", "step 1", "step 2"]
    assert [source.facts for source in sources] == [
        {"step": k * 1000, "run": "a"} for k in range(3)
    ]
    assert all(Path(source.opens).is_file() for source in sources)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("[{source: a, t: '1'}, {source: b, t: 2}]", [{"t": 1}, {"t": 2}]),
        ("[{source: a, t: 1}, {source: b, t: 2.5}]", [{"t": 1.0}, {"t": 2.5}]),
        ("[{source: a, t: 1}, {source: b, t: final}]", [{"t": "1"}, {"t": "final"}]),
        ("[{source: a, t: 1}, {source: b, t: nan}]", [{"t": "1"}, {"t": "nan"}]),
        ("[{source: a, on: no}, b]", [{"on": "no"}, {}]),
    ],
)
def test_a_fact_is_numeric_if_it_is_a_number_in_every_entry(
    tmp_path: Path, text: str, facts: list[dict[str, Any]]
) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    parsed = [source.facts for source in parse_sources(path)]
    assert parsed == facts
    assert [list(map(type, values.values())) for values in parsed] == [
        list(map(type, values.values())) for values in facts
    ]


@pytest.mark.parametrize("text", ["", "a: b", "[]", "[[a]]", "[{name: a}]", "[{source: [a]}]"])
def test_a_file_that_is_not_a_list_of_models_is_named_in_the_error(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError, match=r"m\.yaml"):
        load_models(path)


def test_two_sources_with_the_same_name_are_refused() -> None:
    with pytest.raises(UsageError, match="'default' is a duplicate"):
        parse_sources(["default", {"source": "default"}])
    assert len(parse_sources(["default", {"source": "default", "name": "again"}])) == 2


@pytest.mark.slow
def test_parallel_and_sequential_audits_give_the_same_numbers(models: Path, tmp_path: Path) -> None:
    suite = models.parent / "suite.yaml"
    sequential = wg.audit(str(models), out=tmp_path / "one", suite=suite, workers=1)
    parallel = wg.audit(str(models), out=tmp_path / "two", suite=suite, workers=2)
    steps = sequential.about["steps"]
    assert all(step["status"] == "done" for step in steps), steps
    assert numbers(sequential) == numbers(parallel)
    assert {result.source["facts"]["step"] for result in parallel.results} == {0, 1000, 2000}
    resumed = wg.audit(str(models), out=tmp_path / "two", suite=suite, workers=2, resume=True)
    assert numbers(resumed) == numbers(parallel)
    assert {step["seconds"] for step in resumed.about["steps"]} == {0.0}  # nothing was run again
    assert numbers(wg.auditing.open_audit(tmp_path / "two"))[1:3] == numbers(parallel)[1:3]


@pytest.mark.slow
def test_a_cluster_gives_the_same_numbers_even_without_shared_files(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")
    suite = models.parent / "suite.yaml"
    sequential = wg.audit(str(models), out=tmp_path / "one", suite=suite, workers=1)
    here, there = tmp_path / "here", tmp_path / "there"
    here.symlink_to(models.parent)
    there.mkdir()
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as c:
        seen = wg.audit(str(models), out=tmp_path / "two", suite=suite, cluster=c.scheduler_address)
        # A relative path means nothing to workers that were started elsewhere.
        monkeypatch.chdir(here)
        unseen = wg.audit(
            "models.yaml", out=tmp_path / "three", suite=suite, cluster=c.scheduler_address
        )
    assert numbers(seen) == numbers(sequential)
    assert numbers(unseen)[:3] == numbers(sequential)[:3]


def test_tasks_sent_to_workers_are_small_for_any_source(models: Path) -> None:
    for which in ("small", "standard", "full"):
        suite = load_suite(models.parent / "suite.yaml" if which == "small" else which)
        for task in list_tasks(suite, [Source("default")]):
            task.source.describe()
            sent = WorkerTask.of(task, "0" * 32, 0)
            assert len(pickle.dumps((run_task, sent))) < 10_000


def test_a_worker_does_not_measure_another_source_of_the_same_name(models: Path) -> None:
    suite = load_suite(models.parent / "suite.yaml")
    (task, *_) = list_tasks(suite, [Source("default")])
    fingerprint = task.source.describe()["fingerprint"]
    assert run_task(WorkerTask.of(task, fingerprint, 0)).payload is not None
    other = run_task(WorkerTask.of(task, "another", 0))
    assert (other.payload, other.reason) == (None, "")
    gone = dataclasses.replace(WorkerTask.of(task, fingerprint, 0), opens="not-there.txt")
    assert run_task(gone).payload is None
    sent = gone.with_rows(task.source)
    assert sent is not None
    assert run_task(sent).payload == run_task(WorkerTask.of(task, fingerprint, 0)).payload


@pytest.mark.slow
def test_tasks_of_a_lost_worker_fail_and_can_be_resumed(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weatherglass.auditing import run

    real = run.as_completed

    def losing(call: Any, items: Any, team: Any) -> Any:
        for number, outcome in real(call, items, team):
            if number != 2:
                yield number, outcome
        raise WorkersLost("1 of 9 tasks could not be done: 2 (its worker ended).", (2,))

    monkeypatch.setattr(run, "as_completed", losing)
    suite = models.parent / "suite.yaml"
    audited = wg.audit(str(models), out=tmp_path / "run", suite=suite, workers=2)
    assert [step["status"] for step in audited.about["steps"]].count("done") == 8
    assert audited.about["steps"][2]["status"] == "failed"
    assert "its worker ended" in audited.about["steps"][2]["reason"]
    monkeypatch.setattr(run, "as_completed", real)
    resumed = wg.audit(str(models), out=tmp_path / "run", suite=suite, workers=2, resume=True)
    assert all(step["status"] == "done" for step in resumed.about["steps"])


def audit_of_checkpoints(count: int) -> AuditResult:
    """The audit of `count` checkpoints, made up from the results of a single source."""
    vectors = wg.open_vectors("default")
    measured = [
        wg.weat(vectors, id) for id in ("weat1", "weat3", "weat6", "weat7", "weat8", "weat9")
    ]
    results: list[Any] = []
    sources = []
    for k in range(count):
        name, facts = f"<b>run {k}</b>", {"step": k, "language": ("en", "de")[k % 2]}
        about = {"name": name, "fingerprint": str(k), "facts": facts}
        sources.append(about | {"kind": "vectors", "words": 400_000, "dim": 50})
        results += wg.Results.of(
            dataclasses.replace(result, effect=(result.effect or 0) * k / count, source=about)
            for result in measured
        ).correct()
    steps = [
        {"title": "Tests", "source": source["name"], "status": "failed", "reason": "<i>odd</i>"}
        for source in sources[:3]
    ]
    about = {"suite": {"id": "s", "title": "S"}, "sources": sources, "steps": steps, "options": {}}
    return AuditResult(about | {"command": "weatherglass audit m.yaml"}, wg.Results.of(results))


@pytest.mark.slow
def test_the_report_of_hundreds_of_sources_is_small_and_escaped() -> None:
    page = audit_page(audit_of_checkpoints(600))
    assert len(page.encode()) < 5_000_000
    assert "Effects over step" in page
    assert "Audit of 600 sources" in page
    assert "<b>run" not in page
    assert "<i>odd" not in page
    assert "The first 400 of 600" in page


@pytest.mark.slow
def test_the_trend_chart_has_the_first_numeric_fact_as_axis_and_limited_points() -> None:
    results = audit_of_checkpoints(900).results
    assert trend_axis(results) == "step"
    chart, tests, points = plot_trend(results)
    assert tests == MAX_POINTS // 900
    assert points <= MAX_POINTS
    spec = json.dumps(chart.to_dict(validate=False))
    assert '"title": "step"' in spec
    assert "series" in spec


def test_the_trend_chart_orders_sources_by_effect_without_a_numeric_fact() -> None:
    without_facts = [
        dataclasses.replace(result, source={"name": result.source["name"]})
        for result in audit_of_checkpoints(20).results
    ]
    assert trend_axis(without_facts) == ""
    chart, tests, points = plot_trend(wg.Results.of(without_facts))
    assert (tests, points) == (6, 120)
    assert "sources, by effect" in json.dumps(chart.to_dict(validate=False))
