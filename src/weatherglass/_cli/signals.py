"""Ctrl-C, or being told to end: one sentence and an exit code at any moment, never a traceback.

SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal is gone) all stop a command in the same way: what
is being written is removed, what is finished stays, and the exit code is 128 and the number of the
signal: 130, 143, 129. (A server that loses its terminal ends with 143.) A signal that the caller
has told us to ignore, as `nohup` does, is ignored.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

SENTENCE = "weatherglass: stopped; nothing half-written is left."
_SIGNALS = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
_last = signal.SIGINT


class Stopped(KeyboardInterrupt):
    """A signal told us to end."""


def exit_code() -> int:
    """The exit code of a command that was stopped."""
    return 128 + _last


def from_the_start() -> None:
    """End at once while modules are imported, and when all is done: nothing is being written."""
    for number in _listened():
        signal.signal(number, _at_once)
    sys.unraisablehook = _later


@contextlib.contextmanager
def taken() -> Iterator[None]:
    """While the block lasts a signal raises `Stopped`."""
    before = {number: signal.signal(number, _raise) for number in _listened()}
    try:
        yield
    except BaseException as error:
        if _comes_of_a_signal(error):
            raise Stopped from None
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _comes_of_a_signal(error: BaseException | None) -> bool:
    """Whether it is `Stopped`, or what others made of it: Python 3.11 makes a RuntimeError of any
    error in `__set_name__`, which runs when a class is defined."""
    while error is not None and not isinstance(error, Stopped):
        error = error.__cause__ or error.__context__
    return error is not None


def say_no_more() -> None:
    """What libraries that were left in the midst of something say while Python ends is of use to
    nobody."""
    sys.unraisablehook = lambda event: None
    threading.excepthook = lambda event: None


def hangup_ends() -> None:
    """Take SIGHUP for SIGTERM, on which a server knows how to end."""
    number = getattr(signal, "SIGHUP", None)
    if number in _listened():
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGTERM))


def _listened() -> list[signal.Signals]:
    if threading.current_thread() is not threading.main_thread():
        return []
    there = [number for number in _SIGNALS if number is not None]
    # A handler of None was set by another language: it cannot be put back.
    return [one for one in there if signal.getsignal(one) not in (signal.SIG_IGN, None)]


def _at_once(number: int, frame: Any) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"{SENTENCE}\n".encode())
    os._exit(128 + number)


def _raise(number: int, frame: Any) -> None:
    global _last
    _last = signal.Signals(number)
    raise Stopped


def _later(event: Any) -> None:
    """Some code cannot be left by an error, such as what cleans up after an object: be told again
    when it is done."""
    if event.exc_type is not None and issubclass(event.exc_type, Stopped):
        again = threading.Timer(0.01, os.kill, (os.getpid(), _last))
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(event)
