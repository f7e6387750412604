"""Files and folders under a passing name, which a killed run cannot leave behind for long.

Each is held by a lock that the system lets go when its process ends, however it ends. So whoever
makes one can tell what others are still writing from what nobody will finish, and removes the
latter. Where the system has no such locks (Windows, some network disks) nothing is removed; in the
cache, `weatherglass cache clear` does it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from weatherglass.errors import CannotWrite

MARK = ".weatherglass"
"""The end of a passing name; its start is a dot."""

_LOCK = ".lock"


@contextlib.contextmanager
def passing_file(folder: Path, name: str) -> Iterator[Path]:
    """An empty file in `folder` that goes at the end, if it was not renamed by then."""

    def make() -> Path:
        descriptor, made = tempfile.mkstemp(dir=folder, prefix=_start(name), suffix=MARK)
        os.close(descriptor)
        return Path(made)

    with _held(folder, make) as temporary:
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def passing_folder(folder: Path, name: str) -> Iterator[Path]:
    """An empty folder in `folder` that goes at the end, if it was not renamed by then."""

    def make() -> Path:
        return Path(tempfile.mkdtemp(dir=folder, prefix=_start(name), suffix=MARK))

    with _held(folder, make) as temporary:
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove what runs that were killed have left in a folder."""
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(folder) if name[0] == "." and name.endswith(MARK)]
        for name in names:
            lock = _lock(folder / name, wait=False)
            if lock is not None:
                _remove(folder / name)
                os.close(lock)


@contextlib.contextmanager
def one_at_a_time(folder: Path, command: str) -> Iterator[None]:
    """Hold a folder, where the system has locks that die with their process."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(open(folder / _LOCK, "wb"))
        except OSError as error:
            raise CannotWrite(f"{folder} cannot be written: {error.strerror}.") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotWrite(
                f"Another `weatherglass {command}` is at work in {folder}. Wait until it ends, or "
                "give another folder."
            ) from None
        yield


def _start(name: str) -> str:
    return f".{name[:50]}."


@contextlib.contextmanager
def _held(folder: Path, make: Callable[[], Path]) -> Iterator[Path]:
    sweep(folder)
    while True:
        made = make()
        lock = _lock(made, wait=True)
        # Another process may have taken it for a leftover before it was locked.
        if lock is None and made.exists():
            break
        if lock is not None and _is(made, lock):
            break
        if lock is not None:
            os.close(lock)
    try:
        yield made
    finally:
        if lock is not None:
            os.close(lock)


def _lock(path: Path, wait: bool) -> int | None:
    """Lock a file or folder; nothing if that cannot be had."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        # A folder can only be opened to be read. What others put here as a link is not followed.
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(opened)
        return None
    return opened


def _is(path: Path, opened: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(opened))
    except OSError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()
