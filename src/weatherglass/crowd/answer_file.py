"""Appends answers to a file of JSON lines, so that none is lost and none is half-written."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from weatherglass._files import report_write_errors


def append_line(path: Path, line: str) -> None:
    """Append a line to a file, which several threads or processes may do at the same time.

    The file is locked meanwhile, and the line is on the disk before this returns. A last line that
    a loss of power left incomplete is ended first, so that it does not swallow the new one. If the
    disk is full, the file is as it was before.
    """
    content = line.encode("utf-8", "backslashreplace") + b"\n"
    with report_write_errors(path), open(path, "ab+", buffering=0) as file, _locked(file.fileno()):
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                content = b"\n" + content
        try:
            while content:  # without a buffer, a call may write a part
                content = content[file.write(content) :]
            os.fsync(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(size)
            raise


@contextlib.contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    """Hold an exclusive lock, where the system and the disk have locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        pass
    yield  # closing the file releases the lock
