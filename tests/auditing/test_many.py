"""Audits of many sources: facts, tasks side by side, and a report that can be read."""

from __future__ import annotations

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.auditing.run import Order, carried_out
from weatherglass.auditing.sources import Source, load_models, sources_of
from weatherglass.auditing.steps import tasks
from weatherglass.catalog.suites import load_suite
from weatherglass.errors import CatalogError, UsageError, WorkersLost
from weatherglass.report import audit_page
from weatherglass.report.audit.data import Audited
from weatherglass.report.charts.trends import POINTS, axis_of, plot_course

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
    """Three files of vectors, more and more noise, and the list of them."""
    folder = tmp_path_factory.mktemp("models")
    whole = wg.open_vectors("default")
    few = whole.subset([whole.words[at] for at in range(3000)] + _words())
    stream = np.random.default_rng(0)
    lines = []
    for step in range(3):
        rows = few.matrix + step * stream.standard_normal(few.matrix.shape) / 2
        table = "".join(
            f"{word} {' '.join(f'{x:.5f}' for x in row)}\n"
            for word, row in zip(few.words[:], rows.tolist(), strict=True)
        )
        (folder / f"{step}.txt").write_text(table, encoding="utf-8")
        lines.append(f"- {{source: {step}.txt, name: step {step}, step: {step}000, run: a}}\n")
    (folder / "models.yaml").write_text("".join(lines), encoding="utf-8")
    (folder / "suite.yaml").write_text(SUITE, encoding="utf-8")
    return folder / "models.yaml"


def _words() -> list[str]:
    return [w.lower() for one in wg.seed_sets() for w in one.words or ()]


@pytest.fixture(autouse=True)
def _no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports have tests of their own, and take longer than these audits."""
    monkeypatch.setattr("weatherglass.auditing.run.audit_page", lambda audited: "")


def numbers(found: Audited) -> Any:
    """All that was found, without what differs from run to run."""
    steps = [{k: v for k, v in one.items() if k != "seconds"} for one in found.about["steps"]]
    return steps, found.results, found.multiverses, found.about["sources"]


def test_a_list_of_models_has_facts_and_paths_beside_it(models: Path) -> None:
    made = sources_of(str(models))
    assert [one.name for one in made] == ["step 0", "step 1", "step 2"]
    assert [one.facts for one in made] == [{"step": k * 1000, "run": "a"} for k in range(3)]
    assert all(Path(one.opens).is_file() for one in made)


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
def test_a_fact_is_a_number_if_it_is_one_everywhere(
    tmp_path: Path, text: str, facts: list[dict[str, Any]]
) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    made = [one.facts for one in sources_of(path)]
    assert made == facts
    assert [list(map(type, one.values())) for one in made] == [
        list(map(type, one.values())) for one in facts
    ]


@pytest.mark.parametrize("text", ["", "a: b", "[]", "[[a]]", "[{name: a}]", "[{source: [a]}]"])
def test_what_is_no_list_of_models_is_said(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CatalogError, match=r"m\.yaml"):
        load_models(path)


def test_two_sources_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="'default' comes twice"):
        sources_of(["default", {"source": "default"}])
    assert len(sources_of(["default", {"source": "default", "name": "again"}])) == 2


@pytest.mark.slow
def test_side_by_side_is_as_one_after_another(models: Path, tmp_path: Path) -> None:
    suite = models.parent / "suite.yaml"
    one = wg.audit(str(models), out=tmp_path / "one", suite=suite, workers=1)
    two = wg.audit(str(models), out=tmp_path / "two", suite=suite, workers=2)
    assert all(step["status"] == "done" for step in one.about["steps"]), one.about["steps"]
    assert numbers(one) == numbers(two)
    assert {one.source["facts"]["step"] for one in two.results} == {0, 1000, 2000}
    again = wg.audit(str(models), out=tmp_path / "two", suite=suite, workers=2, resume=True)
    assert numbers(again) == numbers(two)
    assert {step["seconds"] for step in again.about["steps"]} == {0.0}  # nothing was done again
    assert numbers(wg.auditing.open_audit(tmp_path / "two"))[1:3] == numbers(two)[1:3]


@pytest.mark.slow
def test_a_cluster_is_as_one_after_another_also_if_it_sees_no_files(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")
    suite = models.parent / "suite.yaml"
    one = wg.audit(str(models), out=tmp_path / "one", suite=suite, workers=1)
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
    assert numbers(seen) == numbers(one)
    assert numbers(unseen)[:3] == numbers(one)[:3]


def test_a_task_is_small_however_large_the_source_is(models: Path) -> None:
    for which in ("small", "standard", "full"):
        suite = load_suite(models.parent / "suite.yaml" if which == "small" else which)
        for task in tasks(suite, [Source("default")]):
            task.source.described()
            order = Order.of(task, "0" * 32, 0)
            assert len(pickle.dumps((carried_out, order))) < 10_000


def test_a_worker_does_not_measure_another_source(models: Path) -> None:
    suite = load_suite(models.parent / "suite.yaml")
    (task, *_) = tasks(suite, [Source("default")])
    fingerprint = task.source.described()["fingerprint"]
    assert carried_out(Order.of(task, fingerprint, 0)).found is not None
    other = carried_out(Order.of(task, "another", 0))
    assert (other.found, other.reason) == (None, "")
    gone = dataclasses.replace(Order.of(task, fingerprint, 0), opens="not-there.txt")
    assert carried_out(gone).found is None
    sent = gone.with_rows(task.source)
    assert sent is not None
    assert carried_out(sent).found == carried_out(Order.of(task, fingerprint, 0)).found


@pytest.mark.slow
def test_lost_tasks_are_told_and_the_others_kept(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weatherglass.auditing import run

    real = run.finished

    def losing(call: Any, items: Any, team: Any) -> Any:
        for number, outcome in real(call, items, team):
            if number != 2:
                yield number, outcome
        raise WorkersLost("1 of 9 tasks could not be done: 2 (its worker ended).", (2,))

    monkeypatch.setattr(run, "finished", losing)
    suite = models.parent / "suite.yaml"
    found = wg.audit(str(models), out=tmp_path / "run", suite=suite, workers=2)
    assert [step["status"] for step in found.about["steps"]].count("done") == 8
    assert found.about["steps"][2]["status"] == "failed"
    assert "its worker ended" in found.about["steps"][2]["reason"]
    monkeypatch.setattr(run, "finished", real)
    again = wg.audit(str(models), out=tmp_path / "run", suite=suite, workers=2, resume=True)
    assert all(step["status"] == "done" for step in again.about["steps"])


def many(count: int) -> Audited:
    """As if so many checkpoints had been audited."""
    vectors = wg.open_vectors("default")
    some = [wg.weat(vectors, id) for id in ("weat1", "weat3", "weat6", "weat7", "weat8", "weat9")]
    results: list[Any] = []
    sources = []
    for k in range(count):
        name, facts = f"<b>run {k}</b>", {"step": k, "language": ("en", "de")[k % 2]}
        about = {"name": name, "fingerprint": str(k), "facts": facts}
        sources.append(about | {"kind": "vectors", "words": 400_000, "dim": 50})
        results += wg.Results.of(
            dataclasses.replace(one, effect=(one.effect or 0) * k / count, source=about)
            for one in some
        ).correct()
    steps = [
        {"title": "Tests", "source": one["name"], "status": "failed", "reason": "<i>odd</i>"}
        for one in sources[:3]
    ]
    about = {"suite": {"id": "s", "title": "S"}, "sources": sources, "steps": steps, "options": {}}
    return Audited(about | {"command": "weatherglass audit m.yaml"}, wg.Results.of(results))


@pytest.mark.slow
def test_the_report_of_hundreds_of_sources_is_small_and_escaped() -> None:
    page = audit_page(many(600))
    assert len(page.encode()) < 5_000_000
    assert "Effects over step" in page
    assert "Audit of 600 sources" in page
    assert "<b>run" not in page
    assert "<i>odd" not in page
    assert "The first 400 of 600" in page


@pytest.mark.slow
def test_the_picture_has_the_first_number_as_its_axis_and_not_too_many_points() -> None:
    found = many(900)
    assert axis_of(found.results) == "step"
    chart, tests, points = plot_course(found.results)
    assert tests == POINTS // 900
    assert points <= POINTS
    spec = json.dumps(chart.to_dict(validate=False))
    assert '"title": "step"' in spec
    assert "series" in spec


def test_without_a_number_sources_stand_by_effect() -> None:
    found = many(20)
    bare = [dataclasses.replace(one, source={"name": one.source["name"]}) for one in found.results]
    assert axis_of(bare) == ""
    chart, tests, points = plot_course(wg.Results.of(bare))
    assert (tests, points) == (6, 120)
    assert "sources, by effect" in json.dumps(chart.to_dict(validate=False))
