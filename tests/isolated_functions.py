"""Functions that tests run in processes of their own, which must be able to import them."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weatherglass.errors import CannotMeasure

Report = Callable[..., None]


def hang(report: Report, *arguments: Any) -> None:
    """Never end, never report, and never let another thread of the process run."""
    sum(itertools.repeat(0))


def wait_for_gate(report: Report, *arguments: Any) -> Any:
    """Report until the file that WEATHERGLASS_TEST_GATE names exists; then run a multiverse."""
    from weatherglass._web.ask.evidence import multiverse_in_process

    for done in range(3000):
        report(done, 3000)
        if Path(os.environ["WEATHERGLASS_TEST_GATE"]).exists():
            break
        time.sleep(0.02)
    return multiverse_in_process(report, *arguments)


def count_up(report: Report, total: int) -> int:
    """Report every step, slowly enough that the reports are sent."""
    for done in range(total):
        report(done, total, "Counting")
        time.sleep(0.06)
    return total


def start_another_and_hang(report: Report, notes: str) -> None:
    """Start a further process, leave temporary files, note both process ids, and hang."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(tempfile.mkdtemp(), "left").write_text("left")
    Path(tempfile.gettempdir(), "other").write_text("left")
    temporary = Path(notes + ".part")
    temporary.write_text(f"{os.getpid()} {other.pid}")
    temporary.rename(notes)
    hang(report)


def fill_memory(report: Report, size: int | str) -> int:
    """Allocate memory bit by bit: a number of bytes, or without end."""
    blocks = range(size >> 20) if isinstance(size, int) else itertools.count()
    return len([bytes([1]) * (1 << 20) for _ in blocks])


def allocate(report: Report, size: int) -> int:
    """Allocate memory all at once."""
    return len(bytearray(size))


def end_by_signal(report: Report, *arguments: Any) -> None:
    """End as a crash in compiled code does."""
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(report: Report, is_expected: bool) -> None:
    """Fail with a sentence, or with a bug."""
    if is_expected:
        raise CannotMeasure("There is nothing to measure.")
    raise ZeroDivisionError("a bug")


def return_unsendable(report: Report) -> Any:
    """Return what cannot be sent to another process."""
    return lambda: None


def read_environment(report: Report) -> tuple[str, str]:
    """Return the cache folder and the folder for temporary files."""
    return os.environ["WEATHERGLASS_CACHE_DIR"], tempfile.gettempdir()


def count_items(report: Report, stop: int) -> Any:
    """Yield numbers, and fail at 3."""
    for k in range(stop):
        if k == 3:
            raise CannotMeasure("Three is too many.")
        yield k
