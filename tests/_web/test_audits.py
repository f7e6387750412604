"""The page of audits: runs of the named folders, nothing else, and reports in a sandbox."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import weatherglass as wg
from weatherglass._files import seal, unseal
from weatherglass._web.audits import runs
from weatherglass._web.audits.routes import findings_table
from weatherglass._web.settings import Settings
from weatherglass.auditing.audit import audit
from weatherglass.auditing.changes import find_changes
from weatherglass.auditing.run_folder import open_audit
from weatherglass.findings import FindingChange, changes_sentence
from weatherglass.report import SLOPE_WIDTHS, lay_out_slopes

from .conftest import open_client

EVIL = "<img src=x onerror=alert(1)>"
SUITE = "id: two\ntitle: Two tests\nsteps: [{run: weat, title: Tests, tests: [weat6, weat7]}]\n"


@pytest.fixture(scope="module")
def audits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two audits that differ in the effect size of weat6."""
    folder = tmp_path_factory.mktemp("audits")
    (folder / "two.yaml").write_text(SUITE)
    audit("default", out=folder / "first", suite=folder / "two.yaml")
    second = folder / "below" / "second"
    shutil.copytree(folder / "first", second)
    step = second / "steps" / "000-weat.json"
    record = unseal(step.read_text())
    record["found"]["results"][0]["effect"] += 0.25
    step.write_text(seal(record))
    about = json.loads((second / "run.json").read_text())
    about["started"] = "2031-01-02T03:04:05+00:00"
    (second / "run.json").write_text(json.dumps(about))
    return folder


@pytest.fixture(scope="module")
def client(audits: Path) -> Iterator[TestClient]:
    with open_client(Settings(sources=(), folders=(audits,), wait_seconds=600)) as client:
        yield client


def test_runs_in_a_folder_and_below_are_listed_latest_first(client, as_browser):
    listed = client.get("/api/audits").json()
    assert [run["name"] for run in listed] == ["below/second", "first"]
    assert listed[0] | {"files": [], "started": ""} == {
        "name": "below/second",
        "suite": "two",
        "sources": ["default"],
        "started": "",
        "steps": {"done": 1},
        "files": [],
    }
    assert "report.html" in listed[1]["files"]
    page = client.get("/audits", headers=as_browser()).text
    assert 'href="/audits/run?run=below%2Fsecond"' in page
    assert "2031-01-02 03:04" in page
    assert "GloVe 6B · 50d · 400,000 words" in page


def test_a_server_without_folders_says_how_to_see_audits_without_naming_commands(as_browser):
    with open_client(Settings(sources=())) as client:
        page = client.get("/audits", headers=as_browser())
        assert page.status_code == 200
        assert "To keep audits, restart the server with a folder" in page.text
        assert "weatherglass " not in page.text


def test_the_page_of_an_audit_has_findings_effects_and_files(client, audits, as_browser):
    page = client.get("/audits/run?run=first", headers=as_browser()).text
    assert (
        "Male names are more strongly associated with career words, rather than family words"
        in page
    )
    assert "All steps have a result." in page
    assert "/audits/report?run=first" in page
    assert "style=" not in page
    results = client.get("/audits/file?run=first&file=results.tsv")
    assert results.content == (audits / "first" / "results.tsv").read_bytes()
    assert "attachment" in results.headers["content-disposition"]
    whole = client.get("/api/audits/run?run=first").json()
    assert whole == json.loads(open_audit(audits / "first").results.to_json())
    picture = client.get("/audits/effects.json?run=first")
    assert picture.status_code == 200
    assert client.get("/audits/effects.svg?run=first").text.startswith("<svg")


def test_the_report_is_shown_in_a_sandbox_under_its_own_policy(client, audits, as_browser):
    report = client.get("/audits/report?run=first", headers=as_browser())
    assert report.content == (audits / "first" / "report.html").read_bytes()
    policy = report.headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts allow-downloads;")
    assert "allow-same-origin" not in policy
    assert "default-src 'none'" in policy
    ours = policy.partition("script-src ")[2].partition(";")[0]
    assert ours.startswith("'sha256-")
    assert ours.strip("'") in report.text  # the hash that the report itself allows
    for page in ("/audits", "/audits/run?run=first"):
        usual = client.get(page, headers=as_browser()).headers["content-security-policy"]
        assert "unsafe-inline" not in usual
        assert "script-src 'self'" in usual
    assert report.headers["x-frame-options"] == "DENY"


def test_the_comparison_of_two_audits_equals_that_of_the_library(client, audits, as_browser):
    comparison = client.get("/api/audits/compare?before=first&after=below/second").json()
    expected = find_changes(open_audit(audits / "first"), open_audit(audits / "below" / "second"))
    assert comparison["changes"] == [vars(change) for change in expected]
    (change,) = comparison["changes"]
    assert change["after"] - change["before"] == pytest.approx(0.25)
    page = client.get("/audits/compare?before=first&after=below/second", headers=as_browser()).text
    assert "1.71" in page
    assert "1.96" in page
    rows = csv.DictReader(
        io.StringIO(client.get("/audits/changes.csv?before=first&after=below/second").text)
    )
    assert [float(row["after"]) for row in rows] == [change["after"]]


def test_audits_are_compared_in_a_sentence_a_slope_chart_and_titles(client, audits, as_browser):
    address = "/audits/compare?before=first&after=below/second"
    page = client.get(address, headers=as_browser()).text
    assert "No finding changed: all 2 tests that both audits ran have the same finding." in page
    assert 'class="slopes wide"' in page
    assert 'class="slopes narrow"' in page
    assert "Male vs female names, career vs family" in page
    assert "+0.25" in page
    assert "<td>weat6" not in page
    assert '<th scope="row">weat6' not in page


def test_measures_with_scales_of_their_own_are_not_on_the_slope_chart():
    association = wg.weat(wg.open_vectors("default"), "weat6")
    other = wg.measure(wg.open_vectors("default"), "ripa", wg.test("weat6"))
    changes = [
        FindingChange(result.finding, dataclasses.replace(result.finding))
        for result in (association, other)
    ]
    (chart,) = lay_out_slopes(changes, SLOPE_WIDTHS["wide"])
    assert [slope.before_text for slope in chart.slopes] == ["1.71"]
    assert "ripa" in findings_table(changes, False)


def test_findings_that_appeared_vanished_or_reversed_are_counted(audits):
    def change(before: int, after: int) -> FindingChange:
        result = open_audit(audits / "first").results[0]
        return FindingChange(
            *(
                dataclasses.replace(
                    result.finding, direction=sign, grade="clear" if sign else "none"
                )
                for sign in (before, after)
            )
        )

    changes = [change(0, 1), change(0, -1), change(1, 0), change(1, -1), change(1, 1)]
    kinds = ["appeared", "appeared", "vanished", "reversed", "same"]
    assert [item.kind for item in changes] == kinds
    assert changes_sentence(changes) == (
        "2 findings appeared, 1 vanished, 1 reversed; 1 stayed the same."
    )


def test_a_grade_that_changed_by_the_number_of_tests_only_is_no_change(audits):
    result = open_audit(audits / "first").results[0]
    alone, among_many = (
        dataclasses.replace(result, p_finding=p, family=n).finding
        for p, n in ((0.01, 2), (0.2, 40))
    )
    assert (alone.direction, among_many.direction) == (1, 0)
    assert FindingChange(alone, among_many).kind == "same"


def test_an_audit_started_on_the_page_is_listed_and_deleted_with_the_session(as_browser):
    with open_client(Settings(wait_seconds=600)) as client:
        assert 'action="/audits/start"' in client.get("/audits", headers=as_browser()).text
        page = client.get("/audits/start?suite=quick", headers=as_browser())
        assert "The audit is finished" in page.text
        assert "It is deleted when the server stops" in page.text
        (run,) = client.get("/api/audits").json()
        assert (run["suite"], run["sources"]) == ("quick", ["default"])
        assert client.get("/audits/report", params={"run": run["name"]}).status_code == 200
        (place,) = client.app.app.state.session.folders
        assert place.is_dir()
    assert not place.exists()


def test_the_page_of_a_running_audit_says_so(folder, as_browser):
    with open_client(Settings(folders=(folder,), wait_seconds=0)) as client:
        page = client.get("/audits/start?suite=standard", headers=as_browser())
        assert page.status_code == 202
        assert "<h1>The audit is running</h1>" in page.text


def test_a_cancelled_audit_leaves_no_files(folder):
    with open_client(Settings(folders=(folder,), wait_seconds=0.5)) as client:
        while True:  # the source is read first, in a job of its own
            job = client.get("/api/audits/start?suite=standard").json()
            if job["what"].startswith("Reading"):
                time.sleep(0.2)
                continue
            break
        client.post(f"/jobs/{job['job']}/cancel")
        cancelled = client.get("/api/audits/start", params={"suite": "standard", "job": job["job"]})
        assert cancelled.status_code != 200
        end = time.monotonic() + 20
        while any(folder.iterdir()) and time.monotonic() < end:
            time.sleep(0.1)
        assert list(folder.iterdir()) == []
        assert client.get("/api/audits").json() == []


def test_an_audit_is_not_compared_with_itself(client):
    answer = client.get("/api/audits/compare?before=first&after=first")
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../first",
        "below/../first",
        "/etc",
        "first/",
        "./first",
        "first\x00",
        "file:///etc/passwd",
        "firts",
    ],
)
@pytest.mark.parametrize(
    "route", ["/audits/run", "/audits/report", "/audits/file", "/api/audits/run"]
)
def test_only_listed_runs_are_opened(client, route, name):
    answer = client.get(route, params={"run": name})
    assert answer.status_code == 404
    assert "no audit" in answer.json()["error"]


@pytest.mark.parametrize(
    "file", ["../two.yaml", "steps/000-weat.json", "/etc/passwd", "run.json/.."]
)
def test_only_known_files_of_a_run_can_be_downloaded(client, file):
    assert client.get("/audits/file", params={"run": "first", "file": file}).status_code == 422


def test_links_out_of_a_run_folder_are_not_followed(audits, folder, tmp_path):
    os.symlink(audits / "first", folder / "linked")
    inside = folder / "inside"
    shutil.copytree(audits / "first", inside)
    secret = tmp_path / "secret.html"
    secret.write_text("secret")
    (inside / "report.html").unlink()
    os.symlink(secret, inside / "report.html")
    (inside / "results.tsv").unlink()
    os.symlink("/etc/passwd", inside / "results.tsv")
    with open_client(Settings(sources=(), folders=(folder,), wait_seconds=600)) as client:
        (listed,) = client.get("/api/audits").json()
        assert listed["name"] == "inside"
        assert {"report.html", "results.tsv"}.isdisjoint(listed["files"])
        assert client.get("/audits/report?run=inside").status_code == 404
        assert client.get("/audits/file?run=inside&file=results.tsv").status_code == 404


def test_a_run_that_names_files_outside_its_folder_is_refused(audits, folder):
    outside = folder.parent / "elsewhere.json"
    shutil.copy(audits / "first" / "steps" / "000-weat.json", outside)
    for name in ("../../../elsewhere.json", str(outside)):
        at = folder / "run"
        shutil.copytree(audits / "first", at)
        _change(at, lambda about, name=name: about["steps"][0].update(file=name))
        with open_client(Settings(sources=(), folders=(folder,), wait_seconds=600)) as client:
            answer = client.get("/api/audits/run?run=run")
            assert answer.status_code == 422
            assert "outside its folder" in answer.json()["error"]
        shutil.rmtree(at)


def _change(folder: Path, change: Any) -> None:
    about = json.loads((folder / "run.json").read_text())
    change(about)
    (folder / "run.json").write_text(json.dumps(about))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"suite": {}, "sources": 1, "steps": []}',
        '{"suite": {}, "sources": [], "steps": [{"seconds": NaN}]}',
        "\x00\x01",
    ],
)
def test_folders_with_an_invalid_run_json_are_skipped(folder, content):
    (folder / "bad").mkdir()
    (folder / "bad" / "run.json").write_text(content)
    assert runs.find_runs([folder]) == []


@pytest.mark.parametrize(
    ("what", "value"),
    [("sources", [{}]), ("options", {}), ("steps", [{"status": "done", "file": "000-weat.json"}])],
)
def test_a_run_with_missing_parts_is_shown_or_reported_as_damaged(
    audits, folder, as_browser, what, value
):
    shutil.copytree(audits / "first", folder / "run")
    _change(folder / "run", lambda about: about.update({what: value}))
    with open_client(Settings(sources=(), folders=(folder,), wait_seconds=600)) as client:
        page = client.get("/audits/run?run=run", headers=as_browser())
        assert page.status_code in (200, 422)
        if page.status_code == 422:
            assert "damaged" in page.text


def test_names_and_reasons_with_markup_are_escaped(audits, folder, as_browser):
    shutil.copytree(audits / "first", folder / EVIL.replace("/", ""))

    def spoil(about: dict[str, Any]) -> None:
        about["suite"]["id"] = about["suite"]["title"] = EVIL
        about["sources"][0]["name"] = EVIL
        about["started"] = EVIL
        about["steps"][0] |= {"title": EVIL, "status": EVIL, "reason": EVIL}
        about["command"] = EVIL

    _change(folder / EVIL, spoil)
    with open_client(Settings(sources=(), folders=(folder,), wait_seconds=600)) as client:
        name = client.get("/api/audits").json()[0]["name"]
        for page in ("/audits", "/audits/run"):
            text = client.get(page, params={"run": name}, headers=as_browser()).text
            assert "<img src=x" not in text
            assert "&lt;img" in text


def test_runs_are_searched_three_levels_deep(audits, folder):
    deep = folder / "a" / "b" / "c"
    shutil.copytree(audits / "first", deep)
    shutil.copytree(audits / "first", folder / "a" / "b" / "d" / "e")
    os.symlink(folder, folder / "a" / "ring")
    assert [run.name for run in runs.find_runs([folder])] == ["a/b/c"]


def test_a_folder_can_itself_be_a_run_and_names_stay_distinct(audits):
    listed = runs.find_runs([audits, audits / "first"])
    assert sorted(run.name for run in listed) == ["below/second", "first", "first (2)"]


SECRET = "root:x:0:0"


def _link_step(run: Path, secret: Path) -> None:
    step = next((run / "steps").iterdir())
    step.unlink()
    step.symlink_to(secret)


def _pipe_step(run: Path, secret: Path) -> None:
    step = next((run / "steps").iterdir())
    step.unlink()
    os.mkfifo(step)


def _huge_step(run: Path, secret: Path) -> None:
    with open(next((run / "steps").iterdir()), "r+b") as file:
        file.truncate(runs.MAX_FILE_BYTES + 1)


def _long_step(run: Path, secret: Path) -> None:
    next((run / "steps").iterdir()).write_text(seal({"x": [[]] * 1_000_000}))


def _deep_step(run: Path, secret: Path) -> None:
    next((run / "steps").iterdir()).write_text('{"x":' * 50_000)


def _foreign_step(run: Path, secret: Path) -> None:
    next((run / "steps").iterdir()).write_text(seal({"measure": "<script>", "results": {"a": []}}))


def _markup_in_words(run: Path, secret: Path) -> None:
    step = next((run / "steps").iterdir())
    content = json.dumps(unseal(step.read_text()))
    evil = json.dumps('"><script>alert(1)</script>')
    step.write_text(seal(json.loads(content.replace('"executive"', evil))))


def _huge_record(run: Path, secret: Path) -> None:
    _change(run, lambda about: about.update(steps=about["steps"] * 25_000))


def _folder_as_report(run: Path, secret: Path) -> None:
    (run / "report.html").unlink()
    (run / "report.html").mkdir()


def _linked_steps_folder(run: Path, secret: Path) -> None:
    shutil.rmtree(run / "steps")
    (run / "steps").symlink_to(secret.parent)


@pytest.mark.parametrize(
    "spoil",
    [
        _link_step,
        _pipe_step,
        _huge_step,
        pytest.param(_long_step, marks=pytest.mark.slow),
        _deep_step,
        _foreign_step,
        _markup_in_words,
        pytest.param(_huge_record, marks=pytest.mark.slow),
        _folder_as_report,
        _linked_steps_folder,
    ],
)
def test_hostile_audits_are_refused_or_escaped(audits, folder, tmp_path, as_browser, spoil):
    secret = tmp_path / "secret.json"
    secret.write_text(SECRET)
    shutil.copytree(audits / "first", folder / "run")
    spoil(folder / "run", secret)
    settings = Settings(sources=(), folders=(folder,), wait_seconds=600, max_job_bytes=1 << 30)
    with open_client(settings) as client:
        for path in ("/audits", "/audits/run", "/api/audits/run", "/audits/report", "/api/audits"):
            answer = client.get(path, params={"run": "run"}, headers=as_browser())
            assert answer.status_code in (200, 404, 422), (path, answer.text[:300])
            assert SECRET not in answer.text
            is_page = answer.headers["content-type"].startswith("text/html")
            if is_page and path != "/audits/report":  # that is shown in a sandbox
                assert "<script>alert" not in answer.text
        name = next((folder / "run").glob("steps/*"), Path("x")).name
        for file in (name, f"steps/{name}", "../secret.json"):
            answer = client.get("/audits/file", params={"run": "run", "file": file})
            assert answer.status_code in (404, 422)
