"""A Dask cluster gives the same numbers as this machine, also when its workers die."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from weatherglass.discovery.cells import Space, choose
from weatherglass.discovery.rotations import Null, counts_of, run as rotate
from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError
from weatherglass.tasks import executor, finished, run

distributed = pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def a_null(words: int = 500) -> Null:
    stream = np.random.default_rng(1)
    rows = stream.standard_normal((words, 20)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    space = Space(stream.standard_normal((4, 20)), rows, np.array([0, words // 2, words]), 3)
    return Null(space, choose(space).scores, 7)


def counted(null: Null, asked: int, **where: Any) -> Any:
    with executor(threads=True, **where) as team:
        return rotate(null, asked, team, alpha=0.05, stop_early=False).counts


def test_a_cluster_counts_as_one_thread_does(cluster: Any) -> None:
    null = a_null()
    here = counted(null, 2000, workers=1)
    np.testing.assert_array_equal(counted(null, 2000, cluster=cluster.scheduler_address), here)


def test_workers_that_do_not_see_our_files_are_sent_what_they_need(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    null = a_null(400)

    def elsewhere() -> Path:
        folder = tmp_path / "ours"
        folder.mkdir()
        return folder

    monkeypatch.setattr("weatherglass.tasks.shared._new_folder", elsewhere)
    monkeypatch.setattr("weatherglass.tasks.shared._ABOUT", "known-to-us-only.json")
    here = counted(null, 1000, workers=1)
    np.testing.assert_array_equal(counted(null, 1000, cluster=cluster.scheduler_address), here)


def test_an_error_of_the_task_is_the_users(
    cluster: Any, strange: ModuleType
) -> None:
    with executor(cluster=cluster.scheduler_address) as team:
        cluster_knows(team, strange)
        with pytest.raises(CannotMeasure, match="0 cannot be measured"):
            list(run(strange.fails, [0], team))
