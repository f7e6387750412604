"""Ctrl-C and other signals: a sentence and an exit code at any moment, never a traceback.

SIGINT (Ctrl-C), SIGTERM and SIGHUP (the terminal was closed) all interrupt a command in the same
way: files that are being written are removed, finished files stay, and the exit code is 128 plus
the number of the signal: 130, 143, 129. (A server whose terminal is closed ends with 143.) A signal
that the caller has told us to ignore, as `nohup` does, is ignored.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

SENTENCE = "weatherglass: interrupted; no partial files were left."
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_last_signal = signal.SIGINT


class Interrupted(KeyboardInterrupt):
    """A signal has interrupted the command."""


def exit_code() -> int:
    """Return the exit code of a command that was interrupted."""
    return 128 + _last_signal


def exit_at_once() -> None:
    """From now on, exit at once on a signal.

    This is right outside of `raise_interrupted`, while modules are imported and when Python ends:
    nothing is being written then, and an exception would become a traceback.
    """
    for number in _handled():
        signal.signal(number, _exit)
    sys.unraisablehook = _repeat_if_lost


@contextlib.contextmanager
def raise_interrupted() -> Iterator[None]:
    """Within the block, raise `Interrupted` on a signal."""
    previous = {number: signal.signal(number, _raise) for number in _handled()}
    try:
        yield
    except BaseException as error:
        if _is_caused_by_signal(error):
            raise Interrupted from None
        raise
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def suppress_shutdown_tracebacks() -> None:
    """Suppress the tracebacks of libraries that were interrupted and fail while Python ends."""
    sys.unraisablehook = lambda event: None
    threading.excepthook = lambda event: None


def hangup_as_terminate() -> None:
    """Treat SIGHUP as SIGTERM, on which a server shuts down."""
    number = getattr(signal, "SIGHUP", None)
    if number in _handled():
        signal.signal(number, lambda *_: signal.raise_signal(signal.SIGTERM))


def _handled() -> list[signal.Signals]:
    """The signals that interrupt; only the main thread may set handlers."""
    if threading.current_thread() is not threading.main_thread():
        return []
    # None: a handler that was not set from Python and that could not be restored.
    return [n for n in _SIGNALS if signal.getsignal(n) not in (signal.SIG_IGN, None)]


def _is_caused_by_signal(error: BaseException | None) -> bool:
    """Return whether an error is `Interrupted`, or was raised while that was handled.

    Python 3.11 turns any error in `__set_name__`, which runs when a class is defined, into a
    RuntimeError; libraries convert errors as well.
    """
    while error is not None and not isinstance(error, Interrupted):
        error = error.__cause__ or error.__context__
    return error is not None


def _exit(number: int, frame: Any) -> None:
    with contextlib.suppress(OSError):
        os.write(2, f"{SENTENCE}\n".encode())
    os._exit(128 + number)


def _raise(number: int, frame: Any) -> None:
    global _last_signal
    _last_signal = signal.Signals(number)
    raise Interrupted


def _repeat_if_lost(event: Any) -> None:
    """Send the signal again if `Interrupted` was lost in code that no error can leave.

    Such as a destructor: Python would print the error and go on.
    """
    if event.exc_type is not None and issubclass(event.exc_type, Interrupted):
        timer = threading.Timer(0.01, os.kill, (os.getpid(), _last_signal))
        timer.daemon = True
        timer.start()
    else:
        sys.__unraisablehook__(event)
