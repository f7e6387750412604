"""Workers: the calling thread, threads, processes, or the workers of a Dask cluster."""

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

from .state import Shared, SharedMissing, Ticket

_lock = threading.Lock()
_users = 0
_limits: Any = None


@contextlib.contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit BLAS to one thread until the last block of this process ends.

    The limit applies to the whole process: if the first thread to finish lifted it, it would be
    lifted for the others too.
    """
    global _users, _limits
    from threadpoolctl import threadpool_limits

    with _lock:
        if not _users:
            _limits = threadpool_limits(1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                _limits.restore_original_limits()


Submit = Callable[[Callable[..., Any], Any], "Future[Any]"]


class Workers(ABC):
    """Runs tasks.

    Attributes
    ----------
    slots
        How many tasks run at once.
    limit
        Seconds after which a task is cancelled and retried elsewhere; only clusters have a limit.
    """

    limit: float | None = None

    @property
    @abstractmethod
    def slots(self) -> int: ...

    @abstractmethod
    def holding(self, shared: Shared[Any] | None) -> AbstractContextManager[Submit]:
        """Give the workers the shared state, and return a function that submits calls."""

    def cancel(self, future: Future[Any]) -> None:
        """Cancel a task."""
        future.cancel()

    def lost(self, error: BaseException) -> str:
        """Return why a task must be retried; empty if the task itself failed."""
        return ""

    def check(self) -> None:  # noqa: B027 - local workers are always there
        """Raise `WorkersLost` if there are no workers left."""


@contextlib.contextmanager
def executor(
    workers: int | Workers | None = None, cluster: str | None = None, *, threads: bool = False
) -> Iterator[Workers]:
    """Provide workers for independent tasks. Results do not depend on their kind or number.

    Parameters
    ----------
    workers
        How many; by default one per processor. A single worker is the calling thread. `Workers`
        from an outer `executor` are used again, and not shut down.
    cluster
        The address of a Dask scheduler, such as ``tcp://host:8786``, or ``local`` for a cluster on
        this machine for the duration of the block. With ``?limit=600`` appended, a task that takes
        more than 600 seconds is cancelled and retried elsewhere.
    threads
        Whether local workers are threads, for tasks that spend their time in compiled code without
        the global interpreter lock; otherwise they are processes.

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

        with connected(cluster, workers) as remote:
            yield remote
        return
    count = workers or cpu_count()
    if threads or count == 1:
        with ThreadPoolExecutor(count) if count > 1 else _CallingThread() as pool:
            yield _Threads(pool, count)
        return
    processes = _Processes(count)
    try:
        yield processes
    except BaseException:
        processes.terminate()  # their results would not be used
        raise
    finally:
        processes.close()


class _CallingThread(Executor):
    """Runs each task when it is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _Threads(Workers):
    """Threads of this process, which share its memory."""

    def __init__(self, pool: Executor, slots: int) -> None:
        self._pool, self._slots = pool, slots

    @property
    def slots(self) -> int:
        return self._slots

    @contextlib.contextmanager
    def holding(self, shared: Shared[Any] | None) -> Iterator[Submit]:
        prefix = () if shared is None else (shared.value,)
        with single_threaded_blas():
            yield lambda call, item: self._pool.submit(call, *prefix, item)


class _Processes(Workers):
    """Processes on this machine. When one dies, the pool is broken and all are started again.

    They are started in a thread of their own, because signals interrupt only the main thread: a
    process that was started by half would print a traceback.
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
        block_signals()
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._slots, mp_context=context, initializer=_prepare)

    @contextlib.contextmanager
    def holding(self, shared: Shared[Any] | None) -> Iterator[Submit]:
        with contextlib.nullcontext() if shared is None else shared.on_disk() as ticket:
            yield lambda call, item: self._starter.submit(
                self._submit, run_with_ticket, call, ticket, None, item
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
            return "its worker died"
        return (
            "its worker could not read the shared data" if isinstance(error, SharedMissing) else ""
        )

    def terminate(self) -> None:
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


def run_with_ticket(
    call: Callable[..., Any], ticket: Ticket[Any] | None, sent: Any, item: Any
) -> Any:
    """Run a task in a worker process, with the shared object of its ticket."""
    prefix = () if ticket is None else (ticket.load(sent),)
    with single_threaded_blas():
        return call(*prefix, item)


def block_signals() -> None:
    """Block SIGINT and SIGHUP in the processes that this thread starts, from their first moment.

    A terminal sends these signals to all processes of a command, and a worker that is still
    importing modules would print a traceback. Workers inherit the mask of the thread.
    """
    if hasattr(signal, "pthread_sigmask"):
        from multiprocessing.resource_tracker import ensure_running

        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
        ensure_running()  # here, because it unblocks SIGINT in the thread that starts it
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _prepare() -> None:
    """Leave Ctrl-C to the process that started us, and end when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """End this process when the process that started it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)


def physical_memory() -> int:
    """Return the bytes of memory of this machine; 8 GB where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30
