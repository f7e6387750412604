"""Atomic writes: a file or folder appears complete or not at all; compressed if its name says so.

Data are first written to a hidden temporary file in the same folder, which is renamed at the end.
A process holds a lock on its temporary files, so that the next process that writes to the folder
can recognise and remove the files that a killed process left behind (`remove_leftovers`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotWrite

TEMPORARY_SUFFIX = ".weatherglass"
"""The end of the name of a temporary file; the name starts with a dot."""

COMPRESSED_SUFFIXES = (".gz", ".zst", ".xz")
_LOCK_NAME = ".lock"
_MAX_DELETIONS, _DELETION_PAUSE_SECONDS = 20, 0.05  # of a folder that somebody still writes to
_WRITE_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextlib.contextmanager
def temporary_file(folder: Path, name: str) -> Iterator[Path]:
    """Make an empty file in `folder`, and delete it at the end unless it was renamed."""

    def make() -> Path:
        descriptor, path = tempfile.mkstemp(
            dir=folder, prefix=_prefix(name), suffix=TEMPORARY_SUFFIX
        )
        os.close(descriptor)
        return Path(path)

    with _make_locked(folder, make) as temporary:
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_folder(folder: Path, name: str) -> Iterator[Path]:
    """Make an empty folder in `folder`, and delete it at the end unless it was renamed."""

    def make() -> Path:
        return Path(tempfile.mkdtemp(dir=folder, prefix=_prefix(name), suffix=TEMPORARY_SUFFIX))

    with _make_locked(folder, make) as temporary:
        try:
            yield temporary
        finally:
            _remove_folder(temporary)


def _remove_folder(folder: Path) -> None:
    """Delete a folder, also if a process that was killed just now still writes its last file."""
    for _ in range(_MAX_DELETIONS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return
        time.sleep(_DELETION_PAUSE_SECONDS)


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            if name[0] != "." or not name.endswith(TEMPORARY_SUFFIX):
                continue
            lock = _lock(folder / name, wait=False)  # None while its process is alive
            if lock is not None:
                _remove(folder / name)
                os.close(lock)


@contextlib.contextmanager
def lock_folder(folder: Path, command: str) -> Iterator[None]:
    """Let only one process run `command` in a folder, where the system and the disk have locks.

    The lock is released when the process ends, however it ends.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(open(folder / _LOCK_NAME, "wb"))
        except OSError as error:
            raise CannotWrite(f"{folder} cannot be written: {error.strerror}.") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotWrite(
                f"Another `weatherglass {command}` is running in {folder}. Wait until it ends, or "
                "choose another folder."
            ) from None
        except OSError:  # some network disks have no locks
            pass
        yield


def _prefix(name: str) -> str:
    return f".{name[:50]}."


@contextlib.contextmanager
def _make_locked(folder: Path, make: Callable[[], Path]) -> Iterator[Path]:
    """Make a temporary file or folder, and hold a lock on it."""
    remove_leftovers(folder)
    while True:
        temporary = make()
        lock = _lock(temporary, wait=True)
        # Another process may have removed it as a leftover before it was locked: then try again.
        if lock is None and temporary.exists():  # no locks on this system
            break
        if lock is not None and _is_same_file(temporary, lock):
            break
        if lock is not None:
            os.close(lock)
    try:
        yield temporary
    finally:
        if lock is not None:
            os.close(lock)


def _lock(path: Path, wait: bool) -> int | None:
    """Lock a file or folder, and return its descriptor; None if it cannot be locked."""
    try:
        import fcntl
    except ImportError:
        return None
    try:
        # A folder can only be opened for reading. Links are not followed: others may write here.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _is_same_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` at the end; on any error `path` stays as it was.

    If `path` is a link, the file it points to is replaced. A device or a pipe cannot be replaced:
    the complete content is copied into it.
    """
    with report_write_errors(path):
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        if _is_device(target):
            with temporary_file(Path(tempfile.gettempdir()), path.name) as temporary:
                yield temporary
                with open(temporary, "rb") as content, open(target, "wb") as device:
                    shutil.copyfileobj(content, device, 1 << 20)
            return
        with temporary_file(target.parent, target.name) as temporary:
            yield temporary
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)


def _is_device(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextlib.contextmanager
def report_write_errors(path: Path, *, reading: bool = False) -> Iterator[None]:
    """Turn operating system errors into `CannotWrite` errors that name `path`.

    With `reading`, files are read in the same block: only errors that reading cannot cause, such
    as a full disk, are turned.
    """
    try:
        yield
    except OSError as error:
        if reading and error.errno not in _WRITE_ERRORS:
            raise
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise CannotWrite(f"{path} cannot be written: {reason}.") from None


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes `path`; it is discarded if `path` exists by then."""
    with temporary_folder(path.parent, path.name) as temporary:
        yield temporary
        with contextlib.suppress(OSError):
            temporary.rename(path)


class ArrayFile:
    """A binary file that arrays are written to.

    `numpy.ndarray.tofile`, and `numpy.save` to a file object, bypass Python's file and do not check
    that the last bytes were written: on a full disk they leave a truncated file without an error.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        """Write bytes."""
        return self._file.write(data)

    def add(self, numbers: NDArray[Any]) -> None:
        """Write the raw numbers of an array."""
        self.write(np.ascontiguousarray(numbers).data)

    def save(self, numbers: NDArray[Any]) -> None:
        """Write an array in ``.npy`` format."""
        np.save(self, numbers, allow_pickle=False)


def write_array(path: Path, numbers: NDArray[Any]) -> None:
    """Write a file of the raw numbers of an array."""
    with open(path, "wb") as file:
        ArrayFile(file).add(numbers)


@contextlib.contextmanager
def open_compressed(path: Path) -> Iterator[IO[bytes]]:
    """Open a stream that writes `path` atomically, compressed according to its last suffix."""
    with atomic_write(path) as temporary, _open_compressor(temporary, path.suffix) as stream:
        yield stream


@contextlib.contextmanager
def _gzip_writer(path: Path) -> Iterator[IO[bytes]]:
    """Open a gzip file without name and time, so that the same content gives the same bytes."""
    import gzip

    with (
        open(path, "wb") as file,
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as stream,
    ):
        yield stream  # type: ignore[misc]


def _open_compressor(path: Path, suffix: str) -> Any:
    if suffix == ".gz":
        return _gzip_writer(path)
    if suffix == ".xz":
        import lzma

        return lzma.open(path, "wb", preset=3)
    if suffix == ".zst":
        import pyarrow as pa

        return pa.CompressedOutputStream(str(path), "zstd")
    return open(path, "wb", buffering=1 << 20)


def _umask() -> int:
    mask = os.umask(0)  # it can only be read by setting it
    os.umask(mask)
    return mask
