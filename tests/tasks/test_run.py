"""Tasks give the same results whoever does them, and none is lost unseen."""

from __future__ import annotations

import contextlib
import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weatherglass import errors
from weatherglass.errors import CannotMeasure, MissingExtra, UsageError, WorkersLost
from weatherglass.tasks import Checkpoint, Workers, as_completed, executor, run


class Unsteady(Workers):
    """Does tasks when asked, and loses those that it is told to, so many times each."""

    def __init__(self, losses: dict[int, int], slots: int = 2) -> None:
        self.losses, self._slots, self.most, self.flying = dict(losses), slots, 0, 0

    @property
    def slots(self) -> int:
        return self._slots

    @contextlib.contextmanager
    def holding(self, shared: Any) -> Iterator[Callable[..., Future[Any]]]:
        yield self.submit

    def submit(self, call: Callable[[Any], Any], item: int) -> Future[Any]:
        future: Future[Any] = Future()
        if self.losses.get(item, 0):
            self.losses[item] -= 1
            future.cancel()
            future.set_running_or_notify_cancel()
        else:
            future.set_result(call(item))
        return future

    def lost(self, error: BaseException) -> str:
        return "its worker died" if isinstance(error, CancelledError) else ""


@given(
    st.integers(0, 20),
    st.dictionaries(st.integers(0, 19), st.integers(1, 4), max_size=4),
    st.integers(1, 3),
)
def test_results_come_in_order_and_lost_tasks_are_named(
    count: int, losses: dict[int, int], slots: int
) -> None:
    """A task that is lost fewer than three times is done; one that is lost more often is named,
    after all others are done."""
    hopeless = {k for k, n in losses.items() if n >= 3 and k < count}
    seen: dict[int, int] = {}
    if hopeless:
        with pytest.raises(WorkersLost, match=f"{len(hopeless)} of {count} tasks") as caught:
            seen.update(as_completed(lambda k: k * k, range(count), Unsteady(losses, slots)))
        assert set(caught.value.tasks) == hopeless
        return
    assert list(run(lambda k: k * k, range(count), Unsteady(losses, slots))) == [
        k * k for k in range(count)
    ]


def test_other_tasks_are_saved_when_one_cannot_be_completed() -> None:
    def open_checkpoint(resume: bool) -> Checkpoint[int]:
        return Checkpoint("test", "the others", encode=int, decode=int, resume=resume)

    with pytest.raises(WorkersLost, match=r"1 of 9 tasks failed: 4 \(its worker died"):
        list(run(abs, range(9), Unsteady({4: 99}), checkpoint=open_checkpoint(False)))
    resumed = open_checkpoint(True)
    assert sorted(resumed.found) == [0, 1, 2, 3, 5, 6, 7, 8]
    called: list[int] = []
    assert list(
        run(lambda k: called.append(k) or k, range(9), Unsteady({}), checkpoint=resumed)
    ) == list(range(9))
    assert called == [4]


def test_a_run_stops_early_if_no_worker_completes_a_task() -> None:
    team = Unsteady(dict.fromkeys(range(1000), 99))
    with pytest.raises(WorkersLost, match="1000 of 1000"):
        list(run(abs, range(1000), team))
    assert sum(99 - left for left in team.losses.values()) < 50


def test_only_a_few_tasks_are_in_flight_at_once() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for k in range(100):
            taken.append(k)
            yield k

    gate = threading.Event()
    with executor(2, threads=True) as team:
        results = as_completed(lambda k: gate.wait(5) and k, items(), team)
        gate.set()
        assert next(results) is not None
        assert len(taken) <= 8
        results.close()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("threads", [True, False])
def test_an_error_in_a_task_reaches_the_caller(
    strange: ModuleType, workers: int, threads: bool
) -> None:
    with executor(workers, threads=threads) as team:
        with pytest.raises(CannotMeasure, match=r"[012] cannot be measured"):
            list(run(strange.fails, range(3), team))
        with pytest.raises(MissingExtra, match=r"This needs an optional package: .*\[train\]"):
            list(run(strange.needs, range(3), team))


def test_every_error_can_be_sent_by_a_worker() -> None:
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, Exception):
            error = kind("this", "train") if kind is MissingExtra else kind("this")
            copy = pickle.loads(pickle.dumps(error))
            assert (type(copy), str(copy)) == (kind, str(error))


def test_no_result_is_lost_when_a_process_dies(strange: ModuleType) -> None:
    with executor(2) as team:
        assert list(run(strange.dies_once, range(8), team)) == [k * k for k in range(8)]


def test_terminated_workers_leave_no_thread_behind(
    strange: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No thread is left that would fail while Python ends, and none fails because a task that it
    had not yet sent to a worker was cancelled."""
    failed: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    before = threading.enumerate()

    def stopped() -> None:
        with executor(2) as team, team.holding(None) as submit:
            for future in [submit(strange.slept, k) for k in range(4)]:
                future.cancel()
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            stopped()
        assert set(threading.enumerate()) <= set(before)
    assert not failed


@pytest.mark.slow
def test_a_task_that_always_kills_its_process_is_named(strange: ModuleType) -> None:
    done: dict[int, int] = {}
    with (
        executor(2) as team,
        pytest.raises(WorkersLost, match=r"1 of 8 tasks failed: 3 \(its worker died\)"),
    ):
        done.update(as_completed(strange.dies, range(8), team))
    assert sorted(done) == [0, 1, 2, 4, 5, 6, 7]


def test_zero_workers_is_an_error() -> None:
    with pytest.raises(UsageError, match="workers is 0"), executor(0):
        pass


def test_items_are_read_only_when_there_is_room_for_a_task() -> None:
    taken, completed, in_flight = 0, 0, []

    def items() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            in_flight.append(taken - completed)
            yield -taken

    def work(item: int) -> int:
        nonlocal completed
        with lock:
            completed += 1
        return abs(item)

    lock = threading.Lock()
    with executor(2, threads=True) as team, contextlib.closing(run(work, items(), team)) as results:
        assert [next(results) for _ in range(50)] == list(range(1, 51))
    assert max(in_flight) <= 4  # two for each thread; a busy machine may complete them in any order
