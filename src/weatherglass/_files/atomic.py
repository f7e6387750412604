"""Files that appear whole or not at all, packed if their name says so.

What is being written stands under a passing name, beside its place and hidden. What a run that was
killed has left is removed by the next one that writes in the same folder: see `passing`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotWrite

TEMPORARY_SUFFIX = ".weatherglass"
"""The end of a passing name; its start is a dot."""

_LOCK = ".lock"


@contextlib.contextmanager
def temporary_file(folder: Path, name: str) -> Iterator[Path]:
    """An empty file in `folder` that goes at the end, if it was not renamed by then."""

    def make() -> Path:
        descriptor, made = tempfile.mkstemp(
            dir=folder, prefix=_start(name), suffix=TEMPORARY_SUFFIX
        )
        os.close(descriptor)
        return Path(made)

    with _held(folder, make) as temporary:
        try:
            yield temporary
        finally:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def temporary_folder(folder: Path, name: str) -> Iterator[Path]:
    """An empty folder in `folder` that goes at the end, if it was not renamed by then."""

    def make() -> Path:
        return Path(tempfile.mkdtemp(dir=folder, prefix=_start(name), suffix=TEMPORARY_SUFFIX))

    with _held(folder, make) as temporary:
        try:
            yield temporary
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what runs that were killed have left in a folder."""
    with contextlib.suppress(OSError):
        names = [
            name
            for name in os.listdir(folder)
            if name[0] == "." and name.endswith(TEMPORARY_SUFFIX)
        ]
        for name in names:
            lock = _lock(folder / name, wait=False)
            if lock is not None:
                _remove(folder / name)
                os.close(lock)


@contextlib.contextmanager
def lock_folder(folder: Path, command: str) -> Iterator[None]:
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
    remove_leftovers(folder)
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


COMPRESSED_SUFFIXES = (".gz", ".zst", ".xz")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` at the end, and vanishes on any error.

    Where `path` is a link, the file is written that it names. A device or a pipe is not replaced:
    it gets what was written when that is whole.
    """
    with report_write_errors(path):
        place = Path(os.path.realpath(path)) if path.is_symlink() else path
        if _takes_bytes(place):
            with temporary_file(Path(tempfile.gettempdir()), path.name) as temporary:
                yield temporary
                with open(temporary, "rb") as made, open(place, "wb") as there:
                    shutil.copyfileobj(made, there, 1 << 20)
            return
        with temporary_file(place.parent, place.name) as temporary:
            yield temporary
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(place)


def _takes_bytes(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextlib.contextmanager
def report_write_errors(path: Path, *, reading: bool = False) -> Iterator[None]:
    """Say of an error of the system which file or folder could not be written.

    Where something is read as well (`reading`), only errors that must be of writing.
    """
    try:
        yield
    except OSError as error:
        if reading and error.errno not in _NO_ROOM:
            raise
        why = os.strerror(error.errno) if error.errno else str(error)
        raise CannotWrite(f"{path} cannot be written: {why}.") from None


def write_text(path: Path, text: str) -> None:
    """Write a text as a file that is never seen half-written."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """As `atomic_write`, for a folder. Where `path` exists by then, the new folder is given up."""
    with temporary_folder(path.parent, path.name) as temporary:
        yield temporary
        with contextlib.suppress(OSError):
            temporary.rename(path)


class ArrayFile:
    """A file that takes arrays.

    `numpy.ndarray.tofile`, and `numpy.save` to a file, write past Python and do not look whether
    the last bytes went out: where the disk is full the file is cut off, and nobody is told.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, some: Any) -> int:
        """Write bytes."""
        return self._file.write(some)

    def add(self, numbers: NDArray[Any]) -> None:
        """Write the numbers of an array, and nothing else."""
        self.write(np.ascontiguousarray(numbers).data)

    def save(self, numbers: NDArray[Any]) -> None:
        """Write an array as ``.npy``."""
        np.save(self, numbers, allow_pickle=False)


def write_array(path: Path, numbers: NDArray[Any]) -> None:
    """Write the numbers of an array to a file, and nothing else."""
    with open(path, "wb") as file:
        ArrayFile(file).add(numbers)


@contextlib.contextmanager
def open_compressed(path: Path) -> Iterator[IO[bytes]]:
    """A stream into `path`, packed as its last suffix says."""
    with atomic_write(path) as temporary, _packer(temporary, path.suffix) as stream:
        yield stream


def _packer(path: Path, suffix: str) -> Any:
    if suffix == ".gz":
        import gzip

        return gzip.open(path, "wb", compresslevel=6)
    if suffix == ".xz":
        import lzma

        return lzma.open(path, "wb", preset=3)
    if suffix == ".zst":
        import pyarrow as pa

        return pa.CompressedOutputStream(str(path), "zstd")
    return open(path, "wb", buffering=1 << 20)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
