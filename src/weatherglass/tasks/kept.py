"""Results of tasks on disk as they finish, so that a run goes on where it stopped.

One file for each question, one line of JSON for each task: its number and its result. A line is
written at once and never changed; the last one may be cut off if the process was killed, and is
then passed over.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

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
        What an earlier run has left, by the number of the task.

    Examples
    --------
    >>> kept = Kept("doctest", ["how far", 3], encode=float, decode=float)
    >>> kept.keep(4, 2.5)
    >>> Kept("doctest", ["how far", 3], encode=float, decode=float, resume=True).found
    {4: 2.5}
    >>> kept.remove()
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
        self.found: dict[int, R] = {}
        if resume:
            self._load()
        else:
            self.remove()

    def _load(self) -> None:
        # A cache that cannot be read holds nothing.
        with contextlib.suppress(OSError):
            for line in self.path.read_bytes().splitlines():
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    one = json.loads(line)
                    self.found[int(one["task"])] = self._decode(one["result"])

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
        self.found = {}
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
