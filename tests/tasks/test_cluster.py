"""A Dask cluster gives the same numbers as this machine, also when its workers die."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from weatherglass.discovery.rotations import Null, Space, choose
from weatherglass.discovery.rotations import run as rotate
from weatherglass.errors import (
    CannotMeasure,
    UsageError,
    WeatherglassError,
    WorkersLost,
    install_command,
)
from weatherglass.tasks import as_completed, executor, run
from weatherglass.tasks.run import _Run

distributed = pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")


def a_null(words: int = 500) -> Null:
    stream = np.random.default_rng(1)
    rows = stream.standard_normal((words, 20)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    space = Space(stream.standard_normal((4, 20)), rows, np.array([0, words // 2, words]), 3)
    return Null(space, choose(space).scores, 7)


def counted(
    null: Null, asked: int, progress: Callable[[int, int], None] | None = None, **where: Any
) -> Any:
    with executor(threads=True, **where) as team:
        return rotate(null, asked, team, alpha=0.05, stop_early=False, progress=progress).counts


def unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let workers look for the folder of what is shared in vain, as on another machine."""
    monkeypatch.setattr("weatherglass.tasks.state._MANIFEST", "known-to-us-only.json")


@pytest.mark.parametrize("seen", [True, False])
def test_a_cluster_gives_the_same_counts_as_a_single_thread(
    cluster: Any, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    null = a_null(500 if seen else 400)
    here = counted(null, 2000, workers=1)
    if not seen:
        unseen(monkeypatch)
    np.testing.assert_array_equal(counted(null, 2000, cluster=cluster.scheduler_address), here)


@pytest.mark.slow
@pytest.mark.parametrize("seen", [True, False])
def test_a_worker_that_is_killed_changes_no_number(
    cluster: Any, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    null = a_null(3000 if seen else 3001)
    here = counted(null, 6000, workers=2)
    if not seen:
        unseen(monkeypatch)
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    there = counted(null, 6000, kill, cluster=cluster.scheduler_address)
    assert killed
    np.testing.assert_array_equal(there, here)


@pytest.mark.slow
def test_tasks_that_kill_their_worker_once_are_retried(cluster: Any, strange: ModuleType) -> None:
    with executor(cluster=cluster.scheduler_address) as team:
        assert list(run(strange.dies_once, range(8), team)) == [k * k for k in range(8)]


@pytest.mark.slow
def test_a_task_that_takes_too_long_is_run_elsewhere(
    strange: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its worker is given nothing until it has ended, and then is used again."""
    again: list[str] = []
    retry = _Run._retry

    def noted(self: _Run, one: Any, reason: str) -> None:
        again.append(reason)
        retry(self, one, reason)

    monkeypatch.setattr(_Run, "_retry", noted)
    with executor(2, "local?limit=20") as team:
        assert team.limit == 20
        team.limit = None
        list(run(strange.slept, range(8), team))  # imports may take long
        team.limit = 20
        made = list(run(strange.slow_once, range(4), team))
        assert [square for square, _ in made] == [0, 1, 4, 9]
        stuck = int((strange.HERE / "stuck.seen").read_text())
        others = list(run(strange.slow_once, range(1, 20), team))
        assert stuck not in {who for _, who in [made[1], *others]}
        assert again == ["took more than 20 seconds"]  # no other waited for it
        (strange.HERE / "let-go.seen").touch()
        for _ in range(600):
            if stuck in {who for _, who in run(strange.slow_once, range(4), team)}:
                break
            time.sleep(0.2)
        else:
            pytest.fail("the worker is not used again")


@pytest.mark.slow
def test_an_error_in_a_task_reaches_the_caller(cluster: Any, strange: ModuleType) -> None:
    with executor(cluster=cluster.scheduler_address) as team:
        with pytest.raises(CannotMeasure, match="0 cannot be measured"):
            list(run(strange.fails, [0], team))
        with pytest.raises(WeatherglassError, match=re.escape(install_command("train"))):
            list(run(strange.needs, [0], team))


@pytest.mark.slow
def test_a_worker_with_another_version_is_refused(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weatherglass.tasks.cluster.__version__", "0.0.1")
    with (
        executor(cluster=cluster.scheduler_address) as team,
        pytest.raises(WeatherglassError, match=r"but this is 0\.0\.1"),
    ):
        list(run(abs, [1], team))


@pytest.mark.slow
def test_a_local_cluster_listens_on_this_machine_only(strange: ModuleType) -> None:
    psutil = pytest.importorskip("psutil", reason="lists the sockets of processes")

    def listening() -> set[tuple[str, int]]:
        here = psutil.Process()
        return {
            tuple(connection.laddr)
            for process in (here, *here.children(recursive=True))
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        }

    before = listening()  # the cluster of other tests has a dashboard for everybody
    with executor(2, "local") as team:
        list(run(strange.slept, range(2), team))
        sockets = listening() - before
    assert sockets
    assert {host for host, _ in sockets} == {"127.0.0.1"}


@pytest.mark.slow
def test_a_wrong_cluster_address_is_explained() -> None:
    with pytest.raises(UsageError, match=r"expected the address of a Dask scheduler"):
        executor(cluster="far away").__enter__()
    with pytest.raises(UsageError, match="limit of the cluster is 'soon'"):
        executor(cluster="local?limit=soon").__enter__()
    with pytest.raises(UsageError, match="has no option 'workers'"):
        executor(cluster="tcp://host:1?workers=3").__enter__()


@pytest.mark.slow
def test_an_unreachable_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weatherglass.tasks.cluster._CONNECT_SECONDS", 1.0)
    with pytest.raises(WeatherglassError, match="No Dask scheduler answers"):
        executor(cluster=f"tcp://127.0.0.1:{_free_port()}").__enter__()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.contextmanager
def _process(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_no_task_is_lost_when_the_scheduler_restarts(strange: ModuleType) -> None:
    port = str(_free_port())
    scheduler = "distributed.cli.dask_scheduler", "--port", port, "--no-dashboard"
    worker = (
        "distributed.cli.dask_worker",
        f"tcp://127.0.0.1:{port}",
        *("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60"),
    )
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(_process(*scheduler))
        stack.enter_context(_process(*worker))
        team = stack.enter_context(executor(cluster=f"tcp://127.0.0.1:{port}"))
        results = as_completed(strange.slept, range(12), team)
        done = dict([next(results)])
        first.kill()
        first.wait()
        stack.enter_context(_process(*scheduler))
        stack.enter_context(_process(*worker))
        done.update(results)
        assert done == {k: k * k for k in range(12)}


@pytest.mark.slow
def test_a_lost_cluster_is_an_error(strange: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weatherglass.tasks.cluster._CONNECT_SECONDS", 10.0)
    port = str(_free_port())
    with contextlib.ExitStack() as stack:
        scheduler = stack.enter_context(
            _process("distributed.cli.dask_scheduler", "--port", port, "--no-dashboard")
        )
        stack.enter_context(
            _process("distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--no-nanny")
        )
        team = stack.enter_context(executor(cluster=f"tcp://127.0.0.1:{port}"))
        results = as_completed(strange.slept, range(50), team)
        next(results)
        scheduler.kill()
        with pytest.raises(WorkersLost, match="Completed tasks are kept"):
            list(results)
