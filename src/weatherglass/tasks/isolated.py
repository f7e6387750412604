"""Call a function in a process of its own, which can be killed at any moment.

A thread cannot be ended from outside; a process can, whatever it is doing. The processes are forked
from a server process that has already imported the libraries (``forkserver`` of the standard
library), so that a call starts in milliseconds; systems without it start a new interpreter each
time. A process makes one call and ends, so that nothing it has changed outlives the call.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent import futures
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from weatherglass._files import cache_dir, format_size, remove_leftovers, temporary_folder
from weatherglass.errors import TooLarge, WeatherglassError

from .workers import block_signals, end_with_parent

T = TypeVar("T")
Report = Callable[..., None]
POLL_SECONDS = 0.1
"""Time between two checks of a call: for its messages, a cancellation, its memory."""

_MIN_REPORT_SECONDS = 0.05  # between two progress messages of a process
_VARIABLE_PREFIX = "WEATHERGLASS_"
_CACHE_FOLDERS = ("vectors", "shared", "seen", "discovery", "layouts")


class ProcessDied(WeatherglassError):
    """The process of a call ended without a result."""


@dataclass(frozen=True)
class Surroundings:
    """What a process gets from the caller beside its arguments."""

    variables: dict[str, str]
    temporary: str
    max_bytes: int
    max_seconds: float


class IsolatedCalls:
    """Calls functions in processes of their own.

    Parameters
    ----------
    preload
        Modules that the server process imports before the first call.
    max_bytes
        Memory of a call with all processes that it starts; a call that takes more is killed.
    max_seconds
        Processor time of a call, a limit that holds even if the caller was killed.

    Examples
    --------
    >>> calls = IsolatedCalls(max_bytes=1 << 30)
    >>> calls.call(lambda *progress: None, divide, 7, 2)
    3.5
    >>> calls.close()
    """

    def __init__(
        self, *, max_bytes: int, max_seconds: float = 3600.0, preload: Sequence[str] = ()
    ) -> None:
        self.max_bytes, self.max_seconds = max_bytes, max_seconds
        self._context: Any = multiprocessing.get_context(_choose_method())
        if preload and self._context.get_start_method() == "forkserver":
            self._context.set_forkserver_preload(list(preload))
        self._processes: dict[Any, bool] = {}  # and whether each leads a process group
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._n_calls = 0
        self._is_closed = False
        _clean_cache()  # from a process that was killed

    def start(self) -> None:
        """Start the server process, so that the first call need not wait for its imports."""
        if self._context.get_start_method() == "forkserver" and not self._is_closed:
            from multiprocessing import forkserver

            in_quiet_thread(forkserver.ensure_running).result()

    def call(
        self,
        report: Report,
        function: Callable[..., T],
        *arguments: Any,
        check: Callable[[], None] | None = None,
        cache: Path | None = None,
        receive: Callable[[Any], None] | None = None,
    ) -> T:
        """Return ``function(report, *arguments)``, called in a new process.

        Parameters
        ----------
        report
            Called with the progress that the function reports, and at least every `POLL_SECONDS`
            with the last progress again. If it raises an error, the process is killed.
        function, arguments
            A function at module level, and arguments that can be sent to a process.
        check
            Called every `POLL_SECONDS`; if it raises an error, the process is killed.
        cache
            The cache folder of the process, instead of the user's.
        receive
            Called with each item of the function, which is then a generator, as soon as it is
            there; the result is None.

        Raises
        ------
        TooLarge
            The call took more memory than it may.
        ProcessDied
            The process was killed by somebody else, or crashed.
        """
        report(0, 0)
        with self._counted(), _job_folder() as temporary:
            surroundings = Surroundings(
                _variables(cache), str(temporary), self.max_bytes, self.max_seconds
            )
            process, connection = self._start(report, surroundings, function, arguments)
            try:
                with connection:
                    result: T = self._follow(process, connection, report, check, receive)
                    return result
            except BaseException:
                self._end(process)
                _clean_cache(cache)
                raise
            finally:
                self._end(process)

    def close(self, wait_seconds: float = 1.0) -> None:
        """Kill all processes, and wait until their files are deleted; later calls fail."""
        with self._idle:
            self._is_closed = True
            for process, is_leader in self._processes.items():
                kill(process, is_leader)
            self._idle.wait_for(lambda: not self._n_calls, wait_seconds)
        _clean_cache()

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a call as long as it may have files or processes."""
        with self._idle:
            if self._is_closed:
                raise ProcessDied("The calls were closed.")
            self._n_calls += 1
        try:
            yield
        finally:
            with self._idle:
                self._n_calls -= 1
                self._idle.notify_all()

    def _start(
        self,
        report: Report,
        surroundings: Surroundings,
        function: Callable[..., Any],
        arguments: Any,
    ) -> tuple[Any, Connection]:
        """Start the process of a call; if `report` raises an error first, do not wait for it.

        A new server process imports for seconds before it starts the first process.
        """
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_run, args=(sender, surroundings, function, arguments), name="weatherglass job"
        )
        started = in_quiet_thread(process.start)
        try:
            while started not in futures.wait([started], POLL_SECONDS).done:
                report(0, 0)
        except BaseException:
            started.add_done_callback(lambda _: _discard(process, sender, receiver))
            raise
        started.result()
        sender.close()  # so that the end of the process is noticed
        with self._lock:
            self._processes[process] = False
            is_closed = self._is_closed
        if is_closed:
            self._end(process)
            raise ProcessDied("The calls were closed.")
        return process, receiver

    def _follow(
        self,
        process: Any,
        connection: Connection,
        report: Report,
        check: Callable[[], None] | None,
        receive: Callable[[Any], None] | None,
    ) -> Any:
        progress: tuple[Any, ...] = (0, 0)
        last_check = 0.0
        while True:
            if wait([connection], POLL_SECONDS):
                try:
                    kind, *content = connection.recv()
                except (EOFError, OSError):
                    raise self._explain_end(process) from None
                if kind == "result":
                    return content[0]
                if kind == "error":
                    raise content[0]
                if kind == "memory":
                    raise self._memory_error()
                if kind == "crash":
                    raise RuntimeError(f"a job failed in its process\n{content[0]}")
                if kind == "started":
                    self._processes[process] = True
                elif kind == "item":
                    assert receive is not None
                    receive(content[0])
                    if time.monotonic() - last_check < POLL_SECONDS:
                        continue
                else:
                    progress = tuple(content)
            last_check = time.monotonic()
            report(*progress)
            if check is not None:
                check()
            if memory_of_tree(process.pid) > self.max_bytes:
                raise self._memory_error()

    def _memory_error(self) -> TooLarge:
        return TooLarge(
            f"This needs more than {format_size(self.max_bytes)} of memory, the most that one job "
            "may take; it was stopped."
        )

    def _explain_end(self, process: Any) -> ProcessDied:
        process.join(5)
        code = process.exitcode
        name = signal.Signals(-code).name if code and -code in _SIGNAL_NUMBERS else f"code {code}"
        return ProcessDied(f"The process of this job ended without a result ({name}).")

    def _end(self, process: Any) -> None:
        with self._lock:
            if process not in self._processes:
                return
            is_leader = self._processes.pop(process)
        kill(process, is_leader)
        process.join(10)
        with contextlib.suppress(ValueError):  # it is still there
            process.close()


def _choose_method() -> str:
    """Return ``"forkserver"`` where the system has it and its socket can be stored.

    The path of a socket is limited to about 100 bytes. The socket gets a folder that the next
    process deletes if this one is killed; multiprocessing's own would be left behind.
    """
    process: Any = multiprocessing.current_process()
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return "spawn"
    if process._config.get("tempdir") is None:
        for root in (os.environ.get("TMPDIR") or _TEMPORARY, _TEMPORARY):
            if len(os.fsencode(root)) <= _MAX_ROOT_LENGTH and os.access(root, os.W_OK):
                folder = _socket_folder.enter_context(temporary_folder(Path(root), "mp"))
                process._config["tempdir"] = str(folder)
                break
        else:
            return "spawn"
    return "forkserver"


def _clean_cache(cache: Path | None = None) -> None:
    """Delete what killed processes were writing to a cache folder."""
    for name in _CACHE_FOLDERS:
        remove_leftovers((cache or cache_dir()) / name)


@contextlib.contextmanager
def _job_folder() -> Iterator[Path]:
    """Make a folder for the temporary files of a call, and delete it in any case."""
    with temporary_folder(Path(tempfile.gettempdir()), "job") as folder:
        _job_folders.add(folder)
        yield folder
    _job_folders.discard(folder)


_job_folders: set[Path] = set()
_TEMPORARY = "/tmp"
_MAX_ROOT_LENGTH = 55
_socket_folder = contextlib.ExitStack()
atexit.register(_socket_folder.close)


def exit_at_once(code: int) -> None:
    """End this process without waiting for its threads; its processes end with it."""
    for folder in list(_job_folders):
        shutil.rmtree(folder, ignore_errors=True)
    _socket_folder.close()
    os._exit(code)


_SIGNAL_NUMBERS = {int(number) for number in signal.Signals}


def divide(report: Report, x: float, y: float) -> float:
    """Divide in a process; a function for examples and tests."""
    return x / y


def in_quiet_thread(function: Callable[[], Any]) -> futures.Future[None]:
    """Call a function in a thread whose processes start with signals of the terminal blocked."""
    end: futures.Future[None] = futures.Future()

    def run() -> None:
        try:
            block_signals()
            function()
        except BaseException as error:
            end.set_exception(error)
        else:
            end.set_result(None)

    threading.Thread(target=run).start()
    return end


def _discard(process: Any, *connections: Connection) -> None:
    """Kill a process that nobody waits for."""
    for connection in connections:
        connection.close()
    kill(process, is_leader=False)
    with contextlib.suppress(AssertionError, ValueError):  # it did not start, or has not ended
        process.join(10)
        process.close()


def kill(process: Any, is_leader: bool) -> None:
    """Kill a process, and all processes that it started if it leads a group."""
    with contextlib.suppress(ProcessLookupError, ValueError):
        process.kill()
    if is_leader and hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def memory_of_tree(pid: int) -> int:
    """Return the bytes of memory that a process and its descendants have allocated.

    Mapped files do not count, because the system can drop them. 0 where the system does not say.
    """
    total, waiting = 0, [pid]
    while waiting:
        current = waiting.pop()
        with contextlib.suppress(OSError, ValueError):
            for line in Path(f"/proc/{current}/status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:")):
                    total += int(line.split()[1]) << 10
            for task in os.listdir(f"/proc/{current}/task"):
                children = Path(f"/proc/{current}/task/{task}/children").read_text()
                waiting += map(int, children.split())
    return total


def _variables(cache: Path | None) -> dict[str, str]:
    variables = {
        name: value for name, value in os.environ.items() if name.startswith(_VARIABLE_PREFIX)
    }
    return variables | ({"WEATHERGLASS_CACHE_DIR": str(cache)} if cache else {})


# In the process


def _run(
    connection: Connection,
    surroundings: Surroundings,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> None:
    """Make the call, and send the result or the error."""
    with contextlib.suppress(BrokenPipeError):  # the caller is gone
        _prepare(surroundings)
        connection.send(("started",))
        message: tuple[Any, ...]
        try:
            result = function(_reporter(connection), *arguments)
            if isinstance(result, Generator):
                for item in result:
                    connection.send(("item", item))
                result = None
            message = "result", result
        except BrokenPipeError:
            raise
        except MemoryError:
            message = ("memory",)
        except WeatherglassError as error:
            message = "error", error
        except BaseException:
            message = "crash", traceback.format_exc()
        try:
            connection.send(message)
        except BrokenPipeError:
            raise
        except Exception:  # the result cannot be sent
            connection.send(("crash", traceback.format_exc()))
        connection.close()


def _prepare(surroundings: Surroundings) -> None:
    if hasattr(os, "setsid"):
        os.setsid()
    end_with_parent()
    for name in [name for name in os.environ if name.startswith(_VARIABLE_PREFIX)]:
        del os.environ[name]
    os.environ.update(surroundings.variables)
    os.environ["TMPDIR"] = tempfile.tempdir = surroundings.temporary
    _limit(surroundings)


def _limit(surroundings: Surroundings) -> None:
    """Let the kernel enforce limits as well: memory can grow faster than anybody looks."""
    try:
        import resource
    except ImportError:  # not POSIX
        return
    seconds = int(surroundings.max_seconds) + 1
    for kind, limit in (
        # Private memory, whether used or only reserved; libraries reserve more than they use.
        (resource.RLIMIT_DATA, 2 * surroundings.max_bytes + (1 << 30)),
        (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ValueError, OSError):
            _, highest = resource.getrlimit(kind)
            limit = limit if highest == resource.RLIM_INFINITY else min(limit, highest)
            resource.setrlimit(kind, (limit, limit))


def _reporter(connection: Connection) -> Report:
    """Return a function that sends the progress, but not more often than somebody looks."""
    last, last_total = 0.0, -1
    lock = threading.Lock()

    def report(done: int, total: int, now: str = "") -> None:
        nonlocal last, last_total
        with lock:
            time_now = time.monotonic()
            if total == last_total and time_now - last < _MIN_REPORT_SECONDS:
                return
            last, last_total = time_now, total
            connection.send(("progress", done, total, now))

    return report
