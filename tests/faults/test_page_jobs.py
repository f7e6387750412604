"""Jobs of the web page whose processes are killed: a sentence, free lanes, nothing left behind."""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra 'web'")

from starlette.testclient import TestClient

from weatherglass._web.app import create_app
from weatherglass._web.settings import LONG_WORKERS, Settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc"),
]
ROWS = b"".join(
    b"word%d %s\n" % (k, b" ".join(b"%d" % (k * j % 97) for j in range(1, 60)))
    for k in range(20_000)
)
TEXT = b" ".join(b"word%d" % (k * k % 5003) for k in range(200_000))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def client(temporary: Path) -> Iterator[TestClient]:
    app = create_app(Settings(wait_seconds=0.05))
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        wait_for(client, "/api/ask?source=default&test=weat6")
        yield client


def wait_for(client: TestClient, path: str) -> Any:
    for _ in range(2400):
        answer = client.get(path)
        if answer.status_code != 202:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"{path} did not end in two minutes")


def job_processes() -> list[int]:
    """Return the processes of jobs: those that the server process has forked."""
    from multiprocessing import forkserver

    server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    if server is None:
        return []
    children = Path(f"/proc/{server}/task/{server}/children").read_text()
    return [int(pid) for pid in children.split()]


def upload(client: TestClient, kind: str, name: str, content: bytes) -> str:
    id = client.put(f"/upload/{kind}/{name}", content=content).json()["id"]
    return f"/api/uploads/file?id={id}"


def long_questions(client: TestClient, turn: int) -> Iterator[str]:
    """Start a job of each kind, and yield its address."""
    yield upload(client, "vectors", "v.txt", ROWS)
    text = upload(client, "corpus", "t.txt", TEXT)
    yield text
    yield f"{text.replace('/file?', '/train?')}&dim={10 + turn}&min_count=1"
    yield f"/api/discover?source=default&words=3000&rotations=20000&seed={turn}"
    yield f"/ask/multiverse?test=weat{1 + turn % 9}"


def test_killed_jobs_end_in_a_sentence_and_leave_nothing_behind(client, temporary, tmp_path):
    rng = random.Random(7)
    statuses: list[int] = []
    for turn in range(6):
        for path in long_questions(client, turn):
            client.get(path)
            time.sleep(rng.uniform(0.0, 0.6))
            for pid in job_processes():
                os.kill(pid, signal.SIGKILL)
            answer = wait_for(client, path)
            statuses.append(answer.status_code)
            assert answer.status_code in (200, 409, 422), answer.text
            problem = answer.text if answer.status_code != 200 else ""
            assert "Traceback" not in problem
    assert 422 in statuses  # some were killed in time
    # Every lane is free: as many jobs as there are lanes are answered.
    for k in range(LONG_WORKERS + 1):
        assert wait_for(client, f"/ask/influence?test=weat{k + 1}").status_code == 200
    assert job_processes() == []
    assert [path.name for path in temporary.iterdir() if ".job." in path.name] == []
    assert list((tmp_path / "cache").rglob(".*.weatherglass")) == []


def test_jobs_cancelled_at_any_moment_free_their_lanes(client, temporary, tmp_path):
    rng = random.Random(8)
    for turn in range(6):
        for path in long_questions(client, turn):
            answer = client.get(path)
            time.sleep(rng.uniform(0.0, 0.6))
            if answer.status_code == 202:
                client.post(f"/jobs/{answer.json()['job']}/cancel")
    for k in range(LONG_WORKERS + 1):
        assert wait_for(client, f"/ask/influence?test=weat{k + 1}").status_code == 200
    for _ in range(600):
        if not job_processes():
            break
        time.sleep(0.1)
    assert job_processes() == []
    assert [path.name for path in temporary.iterdir() if ".job." in path.name] == []
    assert list((tmp_path / "cache").rglob(".*.weatherglass")) == []
