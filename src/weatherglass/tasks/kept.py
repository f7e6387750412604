"""Results of tasks on disk as they finish, so that a run goes on where it stopped.

One file for each question, one line of JSON for each task: its number and its result. A line is
written at once and never changed; the last one may be cut off if the process was killed, and is
then passed over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import weakref
from collections.abc import Callable, Set
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

from weatherglass._version import __version__
from weatherglass.vectors.cache import cache_dir

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
