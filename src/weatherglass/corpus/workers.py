"""Tasks on several processes, a few at a time, some of which lead to more."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from weatherglass.errors import WeatherglassError


@dataclass(frozen=True)
class Task:
    """A function to call in a worker, and one to call here with nothing when it is done.

    The second one may give more tasks, which are done before those that wait.
    """

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    then: Callable[[], Iterable[Task]]


def run_tasks(tasks: Iterable[Task], executor: Executor, slots: Callable[[], int]) -> None:
    """Do all tasks, never more than ``slots()`` at once. The first error ends it."""
    waiting, running = deque(tasks), dict[Future[Any], Task]()
    try:
        while waiting or running:
            while waiting and len(running) < max(1, slots()):
                task = waiting.popleft()
                running[executor.submit(task.call, *task.arguments)] = task
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                future.result()
                waiting.extendleft(reversed(list(running.pop(future).then())))
    except BrokenProcessPool:
        raise WeatherglassError(
            "A worker process ended before its work was done: perhaps the memory did not suffice. "
            "What was finished is kept; take fewer workers. In a Python script, call this below "
            "`if __name__ == '__main__':`."
        ) from None
    finally:
        for future in running:
            future.cancel()


@contextlib.contextmanager
def processes(workers: int) -> Iterator[Executor]:
    """An executor with so many processes; with one worker, the work is done here."""
    if workers == 1:
        yield _Here()
        return
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        workers, mp_context=multiprocessing.get_context("spawn"), initializer=_prepare
    )
    try:
        yield pool
    except BaseException:
        # Do not wait for models that nobody will use.
        for child in multiprocessing.active_children():
            if child not in others:
                child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _Here(Executor):
    """Does each task when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _prepare() -> None:
    """Leave Ctrl-C to the process that started us, and end when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def physical_memory() -> int:
    """Bytes of memory of this machine; where it does not tell, 8 GB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
