"""What every task of a run needs: sent to each worker at most once, never with a task.

The arrays lie in a folder while the run lasts. A worker that sees the folder maps it into memory; a
worker on another machine is sent the arrays, once. What goes with a task is a `Ticket`: the place
of the folder and the digest of what is in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import threading
import weakref
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tokenize import TokenError  # which the reader of an array's header lets through
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ArrayFile, cache_dir, report_write_errors, temporary_folder
from weatherglass._version import __version__

T = TypeVar("T")
Arrays = dict[str, NDArray[Any]]
_ABOUT = "about.json"
_MOST = 4  # things that a worker keeps open


class NotSeen(Exception):
    """A worker does not see the folder with what it needs."""


@dataclass(frozen=True)
class Ticket(Generic[T]):
    """What a task carries in place of what all tasks need."""

    digest: str
    folder: str
    build: Callable[..., T]
    plain: str

    def made(self, arrays: Arrays | None = None) -> T:
        """The thing itself, from the folder or from arrays that were sent; made once."""
        with _lock:
            if self.digest not in _made:
                opened = self._opened() if arrays is None else arrays
                made = self.build(**opened, **json.loads(self.plain))
                while len(_made) >= _MOST:
                    _made.pop(next(iter(_made)))
                _made[self.digest] = made
            here: T = _made[self.digest]
            return here

    def _opened(self) -> Arrays:
        folder = Path(self.folder)
        try:
            about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
            if about["digest"] != self.digest:
                raise NotSeen(self.folder)
            return {
                name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
                for name in about["arrays"]
            }
        except (OSError, ValueError, KeyError, TypeError, RecursionError, TokenError):
            raise NotSeen(self.folder) from None


_lock = threading.Lock()
_made: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class Shared(Generic[T]):
    """Something that all tasks of a run need.

    Attributes
    ----------
    value
        The thing itself, for workers that are threads of this process.
    build
        A function of a module that makes it again from `arrays` and `plain`.
    arrays, plain
        All that it is made of: arrays, and values that JSON can hold.

    Examples
    --------
    >>> import types
    >>> shared = Shared.of(types.SimpleNamespace, {"rows": np.eye(2)}, {"step": 3})
    >>> with shared.on_disk() as ticket:
    ...     again = ticket.made()
    >>> again.rows.tolist(), again.step
    ([[1.0, 0.0], [0.0, 1.0]], 3)
    """

    value: T
    build: Callable[..., T]
    arrays: Arrays
    plain: dict[str, Any]

    @classmethod
    def of(cls, build: Callable[..., T], arrays: Arrays, plain: dict[str, Any]) -> Shared[T]:
        """Shared arrays and values, and what is made of them."""
        return cls(build(**arrays, **plain), build, arrays, plain)

    @cached_property
    def digest(self) -> str:
        """A digest of all that it is made of."""
        whole = hashlib.blake2b(digest_size=16)
        about = {name: [one.dtype.str, one.shape] for name, one in self.arrays.items()}
        named = [self.build.__module__, self.build.__qualname__, about, self.plain]
        whole.update(json.dumps(named).encode())
        for one in self.arrays.values():
            whole.update(np.ascontiguousarray(one).data)
        return whole.hexdigest()

    @contextlib.contextmanager
    def on_disk(self) -> Iterator[Ticket[T]]:
        """A folder with the arrays while the block lasts, and the ticket to it."""
        with contextlib.ExitStack() as stack:
            folder = self._written(stack)
            yield Ticket(self.digest, str(folder), self.build, json.dumps(self.plain))

    def _written(self, stack: contextlib.ExitStack) -> Path:
        """In the cache, which the machines of a cluster may share; else in the system's place."""
        root = cache_dir() / "shared"
        try:
            root.mkdir(parents=True, exist_ok=True)
            return self._written_in(root.resolve(), stack)
        except OSError:
            root = Path(tempfile.gettempdir())
            with report_write_errors(root):
                return self._written_in(root, stack)

    def _written_in(self, root: Path, stack: contextlib.ExitStack) -> Path:
        with contextlib.ExitStack() as attempt:
            folder = attempt.enter_context(temporary_folder(root, "shared"))
            for name, one in self.arrays.items():
                with open(folder / f"{name}.npy", "wb") as file:
                    ArrayFile(file).save(np.ascontiguousarray(one))
            about = {"digest": self.digest, "arrays": list(self.arrays)}
            (folder / _ABOUT).write_text(json.dumps(about), encoding="utf-8")
            stack.enter_context(attempt.pop_all())
            return folder


R = TypeVar("R")


class Kept(Generic[R]):
    """The results of one run.

    Parameters
    ----------
    kind
        The folder of the cache where such runs are kept.
    question
        All that the results depend on, as JSON can hold it.
    encode, decode
        From a result to what JSON can hold, and back; a `ValueError` of `decode` says that a line
        is damaged.
    resume
        Whether to begin with what an earlier run has left, or anew.

    Attributes
    ----------
    path
        The file.
    found
        The numbers of the tasks whose results an earlier run has left.

    Examples
    --------
    >>> kept = Kept("doctest", ["how far", 3], encode=float, decode=float)
    >>> kept.keep(4, 2.5)
    >>> again = Kept("doctest", ["how far", 3], encode=float, decode=float, resume=True)
    >>> sorted(again.found), again.take(4)
    ([4], 2.5)
    >>> again.remove()
    """

    def __init__(
        self,
        kind: str,
        question: Any,
        *,
        encode: Callable[[R], Any],
        decode: Callable[[Any], R],
        resume: bool = False,
    ) -> None:
        digest = hashlib.blake2b(json.dumps([__version__, question]).encode(), digest_size=16)
        self.path: Path = cache_dir() / kind / f"{digest.hexdigest()}.jsonl"
        self._encode, self._decode = encode, decode
        self._file: BinaryIO | None = None
        self._starts: dict[int, int] = {}
        if resume:
            self._load()
        else:
            self.remove()

    def _load(self) -> None:
        # A cache that cannot be read holds nothing.
        with contextlib.suppress(OSError):
            self._file = open(self.path, "rb")  # noqa: SIM115
            weakref.finalize(self, self._file.close)
            start = 0
            for line in self._file:
                with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
                    task, _ = self._read(line)
                    self._starts[task] = start
                start += len(line)

    def _read(self, line: bytes) -> tuple[int, R]:
        one = json.loads(line)
        return int(one["task"]), self._decode(one["result"])

    @property
    def found(self) -> Set[int]:
        return self._starts.keys()

    def take(self, task: int) -> R:
        """The result of a task that was found. Only now it is read: together they may be many."""
        assert self._file is not None
        self._file.seek(self._starts[task])
        return self._read(self._file.readline())[1]

    def keep(self, task: int, result: R) -> None:
        """Keep the result of a task. Where the cache cannot be written, nothing is kept."""
        line = json.dumps({"task": task, "result": self._encode(result)}, separators=(",", ":"))
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # A line that was cut off must not take the next one with it.
            with open(self.path, "ab") as file:
                file.write(b"\n" + line.encode() + b"\n")

    def remove(self) -> None:
        """Forget them: the run is done, or begins anew."""
        self._starts = {}
        if self._file is not None:
            self._file.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
