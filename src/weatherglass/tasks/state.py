"""State that outlives a task: arrays that all tasks share, and checkpoints of finished tasks.

Shared arrays are sent to each worker at most once, never with a task. They are written to a folder
for the duration of a run. A worker that can read the folder maps it into memory; a worker on
another machine is sent the arrays once. A task carries only a `Ticket`: the path of the folder and
the digest of its contents.
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
from tokenize import TokenError  # numpy raises it for a damaged array header
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import (
    ArrayFile,
    cache_dir,
    report_write_errors,
    seal,
    temporary_folder,
    unseal,
)
from weatherglass._version import __version__

T = TypeVar("T")
Arrays = dict[str, NDArray[Any]]
_MANIFEST = "about.json"
_MAX_OPEN = 4  # shared objects that a worker keeps


class SharedMissing(Exception):
    """A worker cannot read the folder with the shared state."""


@dataclass(frozen=True)
class Ticket(Generic[T]):
    """A reference to shared state, sent with each task."""

    digest: str
    folder: str
    build: Callable[..., T]
    plain: str

    def load(self, arrays: Arrays | None = None) -> T:
        """Return the shared object, built once per process from the folder or the given arrays."""
        with _lock:
            if self.digest not in _loaded:
                arrays = self._open_arrays() if arrays is None else arrays
                value = self.build(**arrays, **json.loads(self.plain))
                while len(_loaded) >= _MAX_OPEN:
                    _loaded.pop(next(iter(_loaded)))
                _loaded[self.digest] = value
            loaded: T = _loaded[self.digest]
            return loaded

    def _open_arrays(self) -> Arrays:
        folder = Path(self.folder)
        try:
            manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
            if manifest["digest"] != self.digest:
                raise SharedMissing(self.folder)
            return {
                name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
                for name in manifest["arrays"]
            }
        except (OSError, ValueError, KeyError, TypeError, RecursionError, TokenError):
            raise SharedMissing(self.folder) from None


_lock = threading.Lock()
_loaded: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class Shared(Generic[T]):
    """An object that all tasks of a run need.

    Attributes
    ----------
    value
        The object itself, for workers that are threads of this process.
    build
        A function at module level that rebuilds it from `arrays` and `plain`.
    arrays, plain
        Everything that it is built from: arrays, and values that JSON can represent.

    Examples
    --------
    >>> import types
    >>> shared = Shared.of(types.SimpleNamespace, {"rows": np.eye(2)}, {"step": 3})
    >>> with shared.on_disk() as ticket:
    ...     again = ticket.load()
    >>> again.rows.tolist(), again.step
    ([[1.0, 0.0], [0.0, 1.0]], 3)
    """

    value: T
    build: Callable[..., T]
    arrays: Arrays
    plain: dict[str, Any]

    @classmethod
    def of(cls, build: Callable[..., T], arrays: Arrays, plain: dict[str, Any]) -> Shared[T]:
        """Build the object from arrays and values, and share it."""
        return cls(build(**arrays, **plain), build, arrays, plain)

    @cached_property
    def digest(self) -> str:
        """A digest of everything that the object is built from."""
        digest = hashlib.blake2b(digest_size=16)
        shapes = {name: [array.dtype.str, array.shape] for name, array in self.arrays.items()}
        header = [self.build.__module__, self.build.__qualname__, shapes, self.plain]
        digest.update(json.dumps(header).encode())
        for array in self.arrays.values():
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @contextlib.contextmanager
    def on_disk(self) -> Iterator[Ticket[T]]:
        """Write the arrays to a folder for the duration of the block, and return its ticket."""
        with contextlib.ExitStack() as stack:
            folder = self._write(stack)
            yield Ticket(self.digest, str(folder), self.build, json.dumps(self.plain))

    def _write(self, stack: contextlib.ExitStack) -> Path:
        """Write to the cache, which machines of a cluster may share, or else to the system's
        temporary folder."""
        root = cache_dir() / "shared"
        try:
            root.mkdir(parents=True, exist_ok=True)
            return self._write_to(root.resolve(), stack)
        except OSError:
            root = Path(tempfile.gettempdir())
            with report_write_errors(root):
                return self._write_to(root, stack)

    def _write_to(self, root: Path, stack: contextlib.ExitStack) -> Path:
        with contextlib.ExitStack() as attempt:
            folder = attempt.enter_context(temporary_folder(root, "shared"))
            for name, array in self.arrays.items():
                with open(folder / f"{name}.npy", "wb") as file:
                    ArrayFile(file).save(np.ascontiguousarray(array))
            manifest = {"digest": self.digest, "arrays": list(self.arrays)}
            (folder / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
            stack.enter_context(attempt.pop_all())
            return folder


R = TypeVar("R")


class Checkpoint(Generic[R]):
    """The results of a run so far, on disk, so that an interrupted run can resume.

    Parameters
    ----------
    kind
        The folder of the cache for this kind of run.
    key
        Everything that the results depend on, in a form that JSON can represent.
    encode, decode
        Convert a result to JSON values and back. `decode` raises `ValueError` for a wrong one;
        a line that was damaged on disk does not get there, because its checksum is wrong.
    resume
        Whether to start from the results of an interrupted run, or from scratch.

    Attributes
    ----------
    path
        The checkpoint file.
    found
        The indices of the tasks that an interrupted run completed.

    Examples
    --------
    >>> checkpoint = Checkpoint("doctest", ["how far", 3], encode=float, decode=float)
    >>> checkpoint.save(4, 2.5)
    >>> again = Checkpoint("doctest", ["how far", 3], encode=float, decode=float, resume=True)
    >>> sorted(again.found), again.load(4)
    ([4], 2.5)
    >>> again.remove()
    """

    def __init__(
        self,
        kind: str,
        key: Any,
        *,
        encode: Callable[[R], Any],
        decode: Callable[[Any], R],
        resume: bool = False,
    ) -> None:
        digest = hashlib.blake2b(json.dumps([__version__, key]).encode(), digest_size=16)
        self.path: Path = cache_dir() / kind / f"{digest.hexdigest()}.jsonl"
        self._encode, self._decode = encode, decode
        self._file: BinaryIO | None = None
        self._starts: dict[int, int] = {}
        if resume:
            self._load()
        else:
            self.remove()

    def _load(self) -> None:
        # An unreadable checkpoint counts as empty.
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
        record = unseal(line)
        return int(record["task"]), self._decode(record["result"])

    @property
    def found(self) -> Set[int]:
        return self._starts.keys()

    def load(self, task: int) -> R:
        """Return the saved result of a task. Results are read one at a time to save memory."""
        assert self._file is not None
        self._file.seek(self._starts[task])
        return self._read(self._file.readline())[1]

    def save(self, task: int, result: R) -> None:
        """Save the result of a task. If the cache cannot be written, nothing is saved."""
        line = seal({"task": task, "result": self._encode(result)})
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # The leading newline ends a line that was cut off, so that it does not damage this one.
            with open(self.path, "ab") as file:
                file.write(b"\n" + line.encode() + b"\n")

    def remove(self) -> None:
        """Delete the checkpoint: the run is complete, or starts from scratch."""
        self._starts = {}
        if self._file is not None:
            self._file.close()
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
