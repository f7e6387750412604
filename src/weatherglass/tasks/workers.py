"""Who does the work: this thread, threads, processes, or the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from typing import Any

from weatherglass._files import cpu_count
from weatherglass.errors import UsageError

from .state import NotSeen, Shared, Ticket

_lock = threading.Lock()
_inside = 0
_limits: Any = None


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep to one core until the last thread of this process that asked for it is done.

    The limit is one for the whole process: were it lifted whenever a thread is done, it would be
    lifted for those that are not.
    """
    global _inside, _limits
    from threadpoolctl import threadpool_limits

    with _lock:
        if not _inside:
            _limits = threadpool_limits(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limits.restore_original_limits()


Submit = Callable[[Callable[..., Any], Any], "Future[Any]"]


class Workers(ABC):
    """Does tasks.

    Attributes
    ----------
    slots
        How many tasks it can do at once.
    limit
        Seconds after which a task is given up and run again elsewhere; a cluster may have one.
    """

    limit: float | None = None

    @property
    @abstractmethod
    def slots(self) -> int: ...

    @abstractmethod
    def holding(self, shared: Shared[Any] | None) -> AbstractContextManager[Submit]:
        """A function that submits a call with an item, while the workers hold what is shared."""

    def give_up(self, future: Future[Any]) -> None:
        """Wait no longer for a task."""
        future.cancel()

    def lost(self, error: BaseException) -> str:
        """Why a task must be run again; nothing if it is the task itself that failed."""
        return ""

    def check(self) -> None:  # noqa: B027 - those of this machine are always there
        """Raise `WorkersLost` if nobody is there to do what was submitted."""


@contextlib.contextmanager
def executor(
    workers: int | Workers | None = None, cluster: str | None = None, *, threads: bool = False
) -> Iterator[Workers]:
    """Workers for independent tasks. What they give does not depend on which or how many they are.

    Parameters
    ----------
    workers
        How many; as many as there are processors by default. One does its work right here. What
        `executor` gave before is used again, and not ended.
    cluster
        The address of a Dask scheduler, such as ``tcp://host:8786``, or ``local`` for a cluster on
        this machine that lasts as long as the block. ``?limit=600`` behind it is a time limit for
        each task, in seconds: one that takes longer is given up and run again elsewhere.
    threads
        Whether tasks spend their time in compiled code that lets other threads run; if not, each
        local worker is a process.

    Examples
    --------
    >>> with executor(2, threads=True) as workers:
    ...     workers.slots
    2
    """
    if isinstance(workers, Workers):
        yield workers
        return
    if workers is not None and workers < 1:
        raise UsageError(f"workers is {workers}; it must be at least 1.")
    if cluster is not None:
        from .cluster import connected

        with connected(cluster, workers) as there:
            yield there
        return
    count = workers or cpu_count()
    if threads or count == 1:
        with ThreadPoolExecutor(count) if count > 1 else _Here() as pool:
            yield _Threads(pool, count)
        return
    some = _Processes(count)
    try:
        yield some
    except BaseException:
        some.end()  # nobody will use what they are at
        raise
    finally:
        some.close()


class _Here(Executor):
    """Does each task when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Threads(Workers):
    """Threads of this process, which have what is shared already."""

    def __init__(self, pool: Executor, slots: int) -> None:
        self._pool, self._slots = pool, slots

    @property
    def slots(self) -> int:
        return self._slots

    @contextlib.contextmanager
    def holding(self, shared: Shared[Any] | None) -> Iterator[Submit]:
        given = () if shared is None else (shared.value,)
        # The limit holds until the last thread is done with a product.
        with one_core():
            yield lambda call, item: self._pool.submit(call, *given, item)


class _Processes(Workers):
    """Processes on this machine. When one dies all are started again: the pool cannot go on.

    They are started in a thread, which no signal interrupts: one that was started by half would
    print a traceback.
    """

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._others = multiprocessing.active_children()
        self._starter = ThreadPoolExecutor(1)
        self._pool = self._starter.submit(self._new).result()

    @property
    def slots(self) -> int:
        return self._slots

    def _new(self) -> ProcessPoolExecutor:
        _deafen()
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._slots, mp_context=context, initializer=_prepare)

    @contextlib.contextmanager
    def holding(self, shared: Shared[Any] | None) -> Iterator[Submit]:
        with contextlib.nullcontext() if shared is None else shared.on_disk() as ticket:
            yield lambda call, item: self._starter.submit(
                self._submit, done_by_ticket, call, ticket, None, item
            ).result()

    def _submit(self, *call: Any) -> Future[Any]:
        try:
            return self._pool.submit(*call)
        except BrokenProcessPool:
            self._pool.shutdown()
            self._pool = self._new()
            return self._pool.submit(*call)

    def lost(self, error: BaseException) -> str:
        if isinstance(error, BrokenProcessPool | CancelledError):
            return "its worker ended"
        return "its worker could not read what it needs" if isinstance(error, NotSeen) else ""

    def end(self) -> None:
        """Stop all that are at work.

        The pool is told first: it would take their end for an accident, and fail at tasks that were
        cancelled. Its thread is waited for: if Python ended beside it, it would print a traceback.
        """
        self._starter.shutdown()
        thread: Any = self._pool._executor_manager_thread
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child not in self._others:
                child.terminate()
        if thread is not None:
            thread.join()

    def close(self) -> None:
        self._starter.shutdown()
        self._pool.shutdown(cancel_futures=True)


def done_by_ticket(
    call: Callable[..., Any], ticket: Ticket[Any] | None, sent: Any, item: Any
) -> Any:
    """Do a task in a worker that shares no memory with us."""
    given = () if ticket is None else (ticket.made(sent),)
    with one_core():
        return call(*given, item)


def _deafen() -> None:
    """Let processes that this thread starts not hear Ctrl-C, or the terminal go, from their first
    moment: these are told to all, and one that is still importing would print where it was."""
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing.resource_tracker import ensure_running

        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
        ensure_running()  # of its own accord it would let Ctrl-C through again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


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
