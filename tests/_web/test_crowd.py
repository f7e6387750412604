"""The lab mode: task pages of a study, answers saved, and the way from task to task."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from weatherglass import export_crowd_study, import_crowd_answers, simulate_crowd
from weatherglass._web.crowd import routes
from weatherglass._web.settings import Settings
from weatherglass.crowd import completion_code

from ..crowd.conftest import make_discovery
from .conftest import open_client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    folder = tmp_path_factory.mktemp("lab") / "study"
    export_crowd_study(make_discovery(), folder, tests=2)
    with open_client(Settings(sources=(), study=folder)) as client:
        yield client, folder


@pytest.fixture
def lab(server: tuple[TestClient, Path]) -> tuple[TestClient, Path]:
    """The server and the folder of its study, without answers and with the original texts."""
    for name in ("answers.jsonl", "consent.txt"):
        (server[1] / name).unlink(missing_ok=True)
    return server


@pytest.fixture(scope="module")
def submissions():
    study = export_crowd_study(make_discovery(), tests=2)
    return simulate_crowd(study, {"perfect": 1, "ignorant": 1})


def post(client, submission):
    return client.post("/crowd/answers", json=json.loads(submission.to_json()))


def test_the_same_answers_sent_by_many_requests_at_once_are_saved_once(
    lab, submissions, monkeypatch
):
    _, folder = lab
    stored = routes._stored
    monkeypatch.setattr(routes, "_stored", lambda *given: (stored(*given), time.sleep(0.05))[0])
    record = json.loads(submissions[0].to_json())
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: routes._save(folder, record), range(8)))
    assert len((folder / "answers.jsonl").read_text().splitlines()) == 1


def test_a_worker_is_led_through_all_tasks_and_the_answers_are_those_of_the_files(lab, submissions):
    client, folder = lab
    mine = {s.task: s for s in submissions if s.worker.startswith("perfect")}
    task, seen = "exam", []
    while task is not None:
        seen.append(task)
        answer = post(client, mine[task]).json()
        task = answer["next"] and answer["next"].removeprefix("/crowd/")
    assert sorted(seen) == ["exam", "match-01", "match-02"]
    result = import_crowd_answers(folder / "answers.jsonl", folder)
    assert result.accurate_share == 1.0


def test_a_worker_who_fails_the_exam_is_not_led_on(lab, submissions):
    client, _ = lab
    exam = next(s for s in submissions if s.worker.startswith("ignorant"))
    answer = post(client, exam)
    assert answer.status_code == 200
    assert answer.json()["next"] is None


def test_answers_that_are_sent_again_are_saved_once(lab, submissions):
    client, folder = lab
    for _ in range(3):
        assert post(client, submissions[0]).status_code == 200
    assert len((folder / "answers.jsonl").read_text().splitlines()) == 1


def test_a_torn_line_does_not_stop_the_study(lab, submissions):
    client, folder = lab
    (folder / "answers.jsonl").write_text('{"study": "torn')
    assert post(client, submissions[0]).status_code == 200
    assert len((folder / "answers.jsonl").read_text().splitlines()) == 2
    assert client.get("/crowd", headers={"Accept": "text/html"}).status_code == 200


@pytest.mark.parametrize(
    "body", ["[]", "{}", "3", "not json", '{"study": "x", "task": "exam"}', "[" * 3000]
)
def test_what_is_not_answers_of_the_study_is_refused_and_not_saved(lab, body):
    client, folder = lab
    answer = client.post(
        "/crowd/answers", content=body, headers={"Content-Type": "application/json"}
    )
    assert 400 <= answer.status_code < 500
    assert set(answer.json()) == {"error"}
    assert not (folder / "answers.jsonl").exists()


def test_answers_that_would_make_the_file_unreadable_are_refused(lab, submissions, monkeypatch):
    client, folder = lab
    first, second = submissions[0], submissions[-1]
    assert post(client, first).status_code == 200
    before = (folder / "answers.jsonl").read_bytes()
    monkeypatch.setattr(routes, "MAX_ANSWERS_BYTES", len(before) + 10)
    answer = post(client, second)
    assert answer.status_code == 413
    assert "not saved" in answer.json()["error"]
    assert (folder / "answers.jsonl").read_bytes() == before
    assert post(client, first).status_code == 200  # sent again, it is saved already


def test_incomplete_answers_are_refused(lab, submissions):
    client, folder = lab
    record = json.loads(submissions[0].to_json())
    record["answers"].popitem()
    record["code"] = completion_code(
        record["study"], record["task"], record["worker"], record["answers"]
    )
    answer = client.post("/crowd/answers", json=record)
    assert answer.status_code == 422
    assert "missing" in answer.json()["error"]
    assert not (folder / "answers.jsonl").exists()


def test_another_site_cannot_send_answers(lab, submissions):
    client, folder = lab
    answer = client.post(
        "/crowd/answers",
        json=json.loads(submissions[0].to_json()),
        headers={"Origin": "http://evil.test"},
    )
    assert answer.status_code == 403
    assert not (folder / "answers.jsonl").exists()


def test_a_task_page_runs_only_its_script_and_does_not_link_to_other_pages(lab):
    client, folder = lab
    page = client.get("/crowd/match-01", headers={"Accept": "text/html"})
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "script-src 'sha256-" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe-inline'; script" not in policy
    assert set(re.findall(r'href="([^"]*)"', page.text)) == {"#main", "#"}
    assert '"send": "/crowd/answers"' in page.text
    (folder / "consent.txt").write_text("An adapted text.")
    assert "An adapted text." in client.get("/crowd/match-01").text


def test_an_unknown_task_is_not_found(lab):
    client, _ = lab
    for path in ("/crowd/match-99", "/crowd/..%2fstudy.json", "/crowd/study.json"):
        assert client.get(path).status_code == 404


def test_the_index_counts_people_for_each_task(lab, submissions):
    client, _ = lab
    for submission in submissions:
        if submission.task == "exam":
            post(client, submission)
    page = client.get("/crowd", headers={"Accept": "text/html"}).text
    assert re.search(r"exam.*?</th>.*?>15<.*?>5<.*?>2<", page, flags=re.DOTALL)


def test_a_server_without_a_study_has_no_crowd_page():
    # A server of its own: the top bar is that of the last server of a process.
    with open_client(Settings(sources=())) as client:
        assert client.get("/crowd").status_code == 404
        assert ">Crowd<" not in client.get("/", headers={"Accept": "text/html"}).text
