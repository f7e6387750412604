"""Commands that are broken off on purpose.

A `Bench` is a process that has loaded what commands load, and forks for each command that it is
given: a fresh process each time, without the second that a start takes. The fork can be given a
`Fault`, so that it strikes at a chosen moment and not by luck.

What a command changes on disk is seen through Python's audit events, which come just before a file
is opened to be written, renamed, removed, made. Content that compiled code writes is not seen; it
is cut off by the system's limit on the size of a file.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import weatherglass._cli.main

_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass(frozen=True)
class Fault:
    """What goes wrong, and when.

    Attributes
    ----------
    under
        Only changes below this folder count; all if it is empty.
    kill
        End the process as `kill -9` does, just before the change of this number.
    refuse, at
        Let changes fail with this error: that of this number and all after it.
    unreadable
        Let this file be refused to whoever opens it.
    bytes
        No file can grow larger than this.
    deadly
        Growing larger kills; otherwise it fails like a disk that is full.
    clock
        Seconds to put the clock forward, or back.
    jump
        Seconds by which the clock jumps at each change, back and forth.
    unlockable
        Let every lock of a file fail with this error, as on disks that have no locks.
    """

    under: str = ""
    kill: int = 0
    refuse: int = 0
    at: int = 1
    unreadable: str = ""
    bytes: int = 0
    deadly: bool = False
    clock: float = 0.0
    jump: float = 0.0
    unlockable: int = 0


@dataclass(frozen=True)
class Done:
    """How a command ended: a negative code is the signal that killed it."""

    code: int
    out: str
    err: str
    changes: list[str] = field(default_factory=list)


class Bench:
    """A process that forks for every command.

    Attributes
    ----------
    more
        Whether commands will be given that need much to be loaded.
    """

    def __init__(self) -> None:
        self.more = False
        single_threaded = dict.fromkeys(("OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        self._server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | single_threaded,
            text=True,
        )

    def run(
        self,
        *arguments: object,
        cache: Path,
        folder: Path,
        fault: Fault | None = None,
        env: dict[str, str | None] | None = None,
        deleted: bool = False,
    ) -> Done:
        """Run a command in `folder`, with this cache; or in a folder that was `deleted`."""
        asked = {
            "arguments": list(map(str, arguments)),
            "folder": str(folder),
            "deleted": deleted,
            "more": self.more,
            "env": {"WEATHERGLASS_CACHE_DIR": str(cache)} | (env or {}),
            "fault": asdict(fault or Fault()),
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        return Done(**json.loads(self._server.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait(60)
        self._server.stdout.close()


@contextlib.contextmanager
def bench() -> Iterator[Bench]:
    """A bench for as long as the block lasts."""
    started = Bench()
    try:
        yield started
    finally:
        started.close()


def _serve() -> None:
    _load()
    answers = os.fdopen(os.dup(1), "w")
    for line in os.fdopen(os.dup(0)):
        asked = json.loads(line)
        if asked["more"]:
            _load_more()
        pipes = [os.pipe() for _ in range(3)]
        child = os.fork()
        if not child:
            for number, (_, end) in enumerate(pipes, start=1):
                os.dup2(end, number)
            _command(asked)
        for _, end in pipes:
            os.close(end)
        out, err, changes = _collected([start for start, _ in pipes])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        done = Done(code, out, err, changes.splitlines())
        answers.write(json.dumps(asdict(done)) + "\n")
        answers.flush()


def _load() -> None:
    """Load what commands load; no thread may be left that a fork would lack."""
    for name in (*weatherglass._cli.main.COMMANDS, "seeds.pairs"):
        import_module(f"weatherglass._cli.{name}")
    # A slow machine must not add progress or the cost of training to what the tests compare.
    import_module("weatherglass._cli.output")._SECONDS_BETWEEN_LINES = math.inf
    import_module("weatherglass.corpus.schedule").MIN_SECONDS = math.inf
    for name in ("rich.console", "rich.table", "pyarrow.parquet"):
        import_module(name)
    for name in ("corpus.train", "corpus.ppmi", "measures.weat", "auditing.gate.check"):
        import_module(f"weatherglass.{name}")
    with tempfile.TemporaryDirectory() as folder:  # so that compiled code is loaded, too
        os.environ["WEATHERGLASS_CACHE_DIR"] = folder
        path = Path(folder, "vectors.txt")
        path.write_text("".join(f"w{k} {k} 1\n" for k in range(200)))
        weatherglass.open_vectors(path, words=["w7"], workers=1)
        weatherglass.open_vectors(path, workers=1)
        texts = ["the sea was calm and the sky was clear"] * 5
        weatherglass.train(texts, Path(folder, "m"), method="ppmi-svd", dim=2, bootstrap=0)


def _load_more() -> None:
    """Load what takes seconds, and only some commands need."""
    for name in ("altair", "scipy.stats", "sklearn.cluster", "sklearn.linear_model"):
        import_module(name)
    for name in ("auditing.audit", "discovery.discover", "seedlab.multiverse"):
        import_module(f"weatherglass.{name}")


def _collected(ends: list[int]) -> list[str]:
    """All that comes out of some pipes."""
    parts: dict[int, list[bytes]] = {end: [] for end in ends}
    with selectors.DefaultSelector() as waiting:
        for end in ends:
            waiting.register(end, selectors.EVENT_READ)
        while waiting.get_map():
            for key, _ in waiting.select():
                chunk = os.read(key.fd, 1 << 16)
                if chunk:
                    parts[key.fd].append(chunk)
                else:
                    waiting.unregister(key.fd)
                    os.close(key.fd)
    return [b"".join(parts[end]).decode("utf-8", "replace") for end in ends]


def _command(asked: dict[str, Any]) -> None:
    """In the fork: run a command with its fault, and end."""
    code = 70
    try:
        os.chdir(asked["folder"])
        if asked["deleted"]:
            os.chdir(gone := tempfile.mkdtemp())
            os.rmdir(gone)
        for name, value in asked["env"].items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        strike(Fault(**asked["fault"]), tell=3)
        from weatherglass._cli.main import main

        try:
            main(asked["arguments"])
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 70
        sys.stdout.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(code)


def strike(fault: Fault, tell: int | None = None) -> None:
    """Let this process meet a fault; each change is told to a pipe."""
    seen, offset = 0, [fault.clock]

    def hook(event: str, given: tuple[Any, ...]) -> None:
        nonlocal seen
        if event == "open" and fault.unreadable and given[0] == fault.unreadable:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), fault.unreadable)
        path = _changed(event, given)
        if path is None or not path.startswith(fault.under):
            return
        seen += 1
        if fault.jump:
            offset[0] = fault.jump * (1 if seen % 2 else -1)
        if tell is not None:
            os.write(tell, f"{event} {path}\n".encode("utf-8", "backslashreplace"))
        if seen == fault.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if fault.refuse and seen >= fault.at:
            raise OSError(fault.refuse, os.strerror(fault.refuse), path)

    sys.addaudithook(hook)
    if fault.bytes:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if fault.deadly else signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.bytes, resource.RLIM_INFINITY))
    if fault.clock or fault.jump:
        _put_clock(offset)
    if fault.unlockable:
        _remove_locks(fault.unlockable)


def _changed(event: str, given: tuple[Any, ...]) -> str | None:
    """The path that an event will change; nothing for all other events."""
    if event == "open":
        path, _, flags = given
        if not isinstance(path, str | bytes) or not flags & _WRITING:
            return None
        return os.path.abspath(os.fsdecode(path))
    if event not in _CHANGES or isinstance(given[0], int):
        return None
    path, folder = os.fsdecode(given[0]), given[-1]
    if isinstance(folder, int) and folder >= 0 and not os.path.isabs(path):
        path = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), path)
    return os.path.abspath(path)


def _put_clock(offset: list[float]) -> None:
    import time

    now, now_ns = time.time, time.time_ns
    time.time = lambda: now() + offset[0]
    time.time_ns = lambda: now_ns() + int(offset[0] * 1e9)


def _remove_locks(error: int) -> None:
    import fcntl

    def fail(*given: object) -> None:
        raise OSError(error, os.strerror(error))

    fcntl.flock = fcntl.lockf = fail  # type: ignore[assignment]


if __name__ == "__main__":
    _serve()
