"""Files that appear whole or not at all, packed if their name says so."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from weatherglass.errors import CannotWrite

PACKINGS = (".gz", ".zst", ".xz")


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary name beside `path` that becomes `path` at the end, and vanishes on any error."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}.") from None
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text as a file that is never seen half-written."""
    with whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """As `whole`, for a folder. Where `path` exists by then, the new folder is given up."""
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:50]}."))
    try:
        yield temporary
        with contextlib.suppress(OSError):
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def open_packed(path: Path) -> Iterator[IO[bytes]]:
    """A stream into `path`, packed as its last suffix says."""
    with whole(path) as temporary, _packer(temporary, path.suffix) as stream:
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
