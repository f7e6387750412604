"""Calls in processes of their own: results, errors, limits, and what is left of a killed call."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from weatherglass.errors import CannotMeasure, TooLarge
from weatherglass.tasks import IsolatedCalls, ProcessDied

sys.path.append(str(Path(__file__).parents[1]))  # processes get the same path
import isolated_functions as functions


class Stopped(Exception):
    """Raised by a caller that does not want to wait."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def calls(temporary: Path) -> Iterator[IsolatedCalls]:
    calls = IsolatedCalls(max_bytes=1 << 30)
    yield calls
    calls.close()


def ignore(*progress: Any) -> None:
    pass


def is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def wait_until(condition: Any) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in a minute")


def test_a_call_returns_the_result_and_forwards_the_progress(calls):
    reports: list[tuple[Any, ...]] = []
    assert calls.call(lambda *progress: reports.append(progress), functions.count_up, 5) == 5
    assert (2, 5, "Counting") in reports


def test_an_error_of_the_library_is_raised_as_it_is(calls):
    with pytest.raises(CannotMeasure, match="There is nothing to measure"):
        calls.call(ignore, functions.fail, True)


def test_items_of_a_generator_are_received_in_order_also_before_an_error(calls):
    items: list[int] = []
    assert calls.call(ignore, functions.count_items, 3, receive=items.append) is None
    assert items == [0, 1, 2]
    with pytest.raises(CannotMeasure, match="Three is too many"):
        calls.call(ignore, functions.count_items, 5, receive=items.append)
    assert items == [0, 1, 2] * 2


def test_a_bug_is_raised_with_the_traceback_of_the_process(calls):
    with pytest.raises(RuntimeError, match="ZeroDivisionError: a bug"):
        calls.call(ignore, functions.fail, False)
    with pytest.raises(RuntimeError, match=r"(?i)pickl"):
        calls.call(ignore, functions.return_unsendable)


def test_a_crash_of_the_process_is_a_sentence(calls):
    with pytest.raises(ProcessDied, match=r"ended without a result \(SIGSEGV\)"):
        calls.call(ignore, functions.end_by_signal)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_call_that_never_reports_is_killed_with_its_children_and_leaves_no_files(
    calls, temporary, tmp_path
):
    notes = tmp_path / "notes"

    def report(*progress: Any) -> None:
        if notes.exists():
            raise Stopped

    with pytest.raises(Stopped):
        calls.call(report, functions.start_another_and_hang, str(notes))
    processes = [int(pid) for pid in notes.read_text().split()]
    wait_until(lambda: not any(map(is_alive, processes)))
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_call_cancelled_while_its_process_starts_ends_at_once(calls, temporary, monkeypatch):
    """A new server process imports for seconds; the caller does not wait for that."""
    started: list[Any] = []
    proceed = threading.Event()
    start = calls._context.Process.start

    def start_late(process: Any) -> None:
        assert proceed.wait(60)
        start(process)
        started.append(process.pid)

    monkeypatch.setattr(calls._context.Process, "start", start_late)
    reports = iter([None] * 3)

    def report(*progress: Any) -> None:
        if next(reports, Stopped) is Stopped:
            raise Stopped

    with pytest.raises(Stopped):
        calls.call(report, functions.count_up, 5)
    assert not proceed.is_set()  # the process has not started
    assert list(temporary.iterdir()) == []
    proceed.set()
    wait_until(lambda: started and not is_alive(started[0]))


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_closing_kills_calls_that_are_under_way(calls, temporary, tmp_path):
    notes, errors = tmp_path / "notes", []

    def run() -> None:
        try:
            calls.call(ignore, functions.start_another_and_hang, str(notes))
        except ProcessDied as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(notes.exists)
    calls.close()
    thread.join(60)
    assert errors
    processes = [int(pid) for pid in notes.read_text().split()]
    wait_until(lambda: not any(map(is_alive, processes)))
    assert list(temporary.iterdir()) == []
    with pytest.raises(ProcessDied):
        calls.call(ignore, functions.count_up, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("function", [functions.fill_memory, functions.allocate])
def test_a_call_that_takes_too_much_memory_ends_in_a_sentence(temporary, function):
    calls = IsolatedCalls(max_bytes=400 << 20)
    with pytest.raises(TooLarge, match=r"needs more than 400\.0 MiB of memory"):
        calls.call(ignore, function, 3 << 30)
    assert calls.call(ignore, function, 10 << 20)
    calls.close()


def test_a_process_gets_the_callers_environment_or_another_cache(calls, temporary, tmp_path):
    cache, place = calls.call(ignore, functions.read_environment)
    assert cache == os.environ["WEATHERGLASS_CACHE_DIR"]
    assert Path(place).parent == temporary
    cache, _ = calls.call(ignore, functions.read_environment, cache=tmp_path / "other")
    assert cache == str(tmp_path / "other")


def test_a_failing_check_kills_the_call(calls):
    def check() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        calls.call(ignore, functions.hang, check=check)
