"""What the tests of tasks share: tasks that die, written as a module that worker processes find."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

_TASKS = '''
"""Tasks whose worker dies, hangs or fails."""

import os
import time
from pathlib import Path

from weatherglass.errors import CannotMeasure, MissingExtra

HERE = Path(__file__).parent


def first_time(name):
    """Whether nobody has come here before."""
    try:
        os.close(os.open(HERE / f"{name}.seen", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def dies_once(item):
    if item % 5 == 2 and first_time(item):
        os._exit(9)
    return item * item


def dies(item):
    if item == 3:
        os._exit(9)
    return item * item


def fails(item):
    raise CannotMeasure(f"{item} cannot be measured.")


def needs(item):
    raise MissingExtra("This", "train")


def slow_once(item):
    """What was made, and by whom; the first time, one waits until it is let go."""
    if item == 1 and first_time("slow"):
        (HERE / "stuck.seen").write_text(str(os.getpid()))
        for _ in range(6000):
            time.sleep(0.1)
            if (HERE / "let-go.seen").exists():
                break
    return item * item, os.getpid()


def summed(rows, item):
    return float(rows.sum()) + item


def slept(item):
    time.sleep(0.2)
    return item * item
'''


@pytest.fixture(scope="session")
def strange_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the tasks, which processes that are started from now on look into."""
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "strange_tasks.py").write_text(_TASKS, encoding="utf-8")
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        yield folder


@pytest.fixture
def strange(strange_folder: Path) -> ModuleType:
    """Tasks that die, hang or fail."""
    for mark in strange_folder.glob("*.seen"):
        mark.unlink()
    return importlib.import_module("strange_tasks")


@pytest.fixture(scope="session")
def cluster(strange_folder: Path) -> Iterator[Any]:
    """A Dask cluster on this machine: two workers, each a process."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: weatherglass[cluster]")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as made:
        yield made
