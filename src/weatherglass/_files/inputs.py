"""A file as the readers see it: its first bytes, its stream, its blocks of whole lines.

Packed files (gzip, zstd, xz, zip) are unpacked as they are read, never to disk, and only up to
`MAX_UNPACK_RATIO` times their size.
"""

from __future__ import annotations

import contextlib
import functools
import stat
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    TooLarge,
    UsageError,
    join_first,
    quote_safe,
)

from . import fingerprint

MAX_LINE_BYTES = 8 << 20
MAX_UNPACK_RATIO = 200
MIN_UNPACK_LIMIT = 64 << 20
PADDING = 16

_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}
_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(eq=False)
class Input:
    """One file or folder that vectors are read from.

    Attributes
    ----------
    path, size
        The file and its length on disk.
    options
        What stood behind the question mark in the source's name.
    packing
        "gzip", "zstd", "xz", "zip" or None.
    head
        The first bytes, unpacked.
    done
        Bytes of the file on disk that have been read; for progress bars.
    digests
        Digests of the file's blocks, gathered while they pass by.
    cased
        Whether a reader that looked for some words saw a capital letter A to Z in any.
    """

    path: Path
    options: dict[str, str] = field(default_factory=dict)
    size: int = 0
    packing: str | None = None
    head: bytes = b""
    done: int = 0
    digests: dict[int, bytes] = field(default_factory=dict)
    cased: bool = False

    def __post_init__(self) -> None:
        if self.is_folder:
            return
        try:
            status = self.path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise BadContent(f"{self.path} is neither a file nor a folder: save it to a file.")
            self.size = status.st_size
            with open(self.path, "rb") as file:
                self.head = file.read(1 << 16)
        except FileNotFoundError:
            raise SourceNotFound(f"There is no file or folder {self.path}.") from None
        except OSError as error:
            raise SourceNotFound(f"{self.path} cannot be read: {error.strerror}.") from None
        if not self.size:
            raise BadContent(f"{self.path} is empty: a file of vectors has at least one row.")
        for magic, packing in _MAGIC.items():
            if self.head.startswith(magic) and not (packing == "zip" and self._is_archive()):
                self.packing = packing
                with self.stream() as stream:
                    self.head = stream.read(1 << 16)
                break

    @property
    def is_folder(self) -> bool:
        return self.path.is_dir()

    def _is_archive(self) -> bool:
        """Zip files that are a format of their own (.npz, PyTorch's) are not unpacked."""
        return any(name.endswith((".npy", "data.pkl")) for name in self.members())

    def members(self) -> list[str]:
        """The files inside a zip archive."""
        import zipfile

        try:
            with zipfile.ZipFile(self.path) as archive:
                names = [info.filename for info in archive.infolist() if not info.is_dir()]
        except Exception:  # zipfile lets out whatever went wrong
            raise BadContent(f"{self.path} is a damaged or cut-off zip file.") from None
        return [name for name in names if not name.startswith("__MACOSX/")]

    @contextlib.contextmanager
    def stream(self) -> Iterator[Stream]:
        """The unpacked bytes from the start."""
        with contextlib.closing(_open_packed(self)) as file:
            yield Stream(self, file)

    def lines(self, count: int) -> list[bytes]:
        """The first lines, for finding out the layout."""
        head = self.head
        if head.count(b"\n") < count and len(head) == 1 << 16:
            with self.stream() as stream:
                head = b""
                while head.count(b"\n") < count and len(head) < MAX_LINE_BYTES:
                    if not (more := stream.read(1 << 18)):
                        break
                    head += more
        if b"\n" not in head and len(head) >= MAX_LINE_BYTES:
            raise TooLarge(
                f"{self.path}: the first line is longer than {MAX_LINE_BYTES >> 20} MiB, "
                "so this is not a file of vectors with one row a line."
            )
        lines = head.split(b"\n")
        return lines[: min(count, max(1, len(lines) - 1))]

    def blocks(self, skip: int) -> Iterator[Callable[[], Block]]:
        """The file from byte `skip` on, as blocks of whole lines that are loaded when called."""
        if self.packing:
            yield from _stream_blocks(self, skip)
            return
        for start in range(0, self.size, fingerprint.BLOCK_SIZE):
            yield functools.partial(_load_block, self, start, skip)


@dataclass(frozen=True, eq=False)
class Block:
    """Whole lines: ``data[:size]`` ends in a newline, and `PADDING` more bytes may be read."""

    data: NDArray[np.uint8]
    size: int


class Stream:
    """Reads unpacked bytes, guards the unpacked size, and speaks of damage in plain words."""

    def __init__(self, source: Input, file: IO[bytes]) -> None:
        self._source, self._file, self.position = source, file, 0
        self._limit = max_unpacked_size(source.size)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        parts: list[bytes] = []
        missing = size
        try:
            while missing and (part := self._file.read(missing)):
                parts.append(part)
                missing -= len(part)
        except Exception as error:  # each of the unpackers has errors of its own
            kind = self._source.packing or "file"
            raise BadContent(
                f"{self._source.path}: the {kind} stream is damaged or cut off after "
                f"{self.position:,} unpacked bytes ({error})."
            ) from None
        self.position += size - missing
        if self._source.packing and self.position > self._limit:
            raise too_large_error(self._source.path, self._limit)
        self._source.done = min(self._source.size, self.position)
        return b"".join(parts)


def max_unpacked_size(size: int) -> int:
    """How many bytes a file of `size` bytes may unpack to."""
    return max(MIN_UNPACK_LIMIT, MAX_UNPACK_RATIO * size)


def too_large_error(path: Path, limit: int) -> TooLarge:
    """What to say of a file that unpacks to more than its limit."""
    return TooLarge(
        f"{path} unpacks to more than {limit:,} bytes, the most that is allowed for its size on "
        "disk, against files that are made to fill the memory. Unpack it yourself if you trust it."
    )


def _open_packed(source: Input) -> IO[bytes]:
    if source.packing == "gzip":
        import gzip

        return gzip.open(source.path)  # type: ignore[return-value]
    if source.packing == "xz":
        import lzma

        return lzma.open(source.path)
    if source.packing == "zstd":
        import pyarrow as pa

        stream: Any = pa.input_stream(str(source.path), compression="zstd")
        return stream  # type: ignore[no-any-return]
    if source.packing == "zip":
        import zipfile

        member = _choose_member(source)
        try:
            with zipfile.ZipFile(source.path) as archive:  # the member keeps the file open
                return archive.open(member)
        except Exception as error:  # zipfile lets out whatever went wrong
            raise BadContent(
                f"{source.path}: cannot unpack {quote_safe(member)} ({error})."
            ) from None
    return open(source.path, "rb")


def _choose_member(source: Input) -> str:
    names, asked = source.members(), source.options.get("member")
    if asked is None and len(names) == 1:
        return names[0]
    if asked in names:
        return asked
    if not names:
        raise BadContent(f"{source.path} is a zip file without files in it.")
    raise UsageError(
        f"{source.path} holds {len(names)} files ({join_first(map(quote_safe, names), 10)}): "
        f"say which with {source.path.name}?member=NAME."
    )


_buffers = threading.local()


def _load_block(source: Input, start: int, skip: int) -> Block:
    """The lines that begin in ``[start, start + BLOCK)`` of a plain file, from byte `skip` on.

    Each thread reads into one buffer of its own, again and again: fresh memory would cost more
    than the reading.
    """
    block = fingerprint.BLOCK_SIZE
    before = 1 if start else 0  # one byte more, to see whether a line begins at `start`
    with open(source.path, "rb", buffering=0) as file:
        buffer, have = _fill(file, start - before, block + before + (1 << 14))
        body = min(block + before, have)
        digest = fingerprint.block_digest(memoryview(buffer)[before:body])
        end = buffer.find(b"\n", max(0, body - 1), have)
        seen = 0
        while end < 0 and start - before + have < source.size:
            if have > block + MAX_LINE_BYTES:
                raise TooLarge(f"{source.path} has a line of more than {MAX_LINE_BYTES >> 20} MiB.")
            if have == seen:
                raise BadContent(f"{source.path} became shorter while it was being read.")
            seen = have
            buffer, have = _fill(file, start - before, 2 * have)
            end = buffer.find(b"\n", seen, have)
    source.digests[start] = digest
    source.done += body - before  # two threads may lose a block here: a progress bar can bear it
    if end < 0:  # the last line of the file has no newline
        buffer[have] = 10
        end, have = have, have + 1
    first = skip - start + before
    if skip < start:
        first = buffer.find(b"\n", 0, body) + 1 or body
    if first >= body:
        return Block(np.empty(0, dtype=np.uint8), 0)  # no line begins here
    return Block(np.frombuffer(buffer, dtype=np.uint8)[first:], end + 1 - first)


def _fill(file: IO[bytes], start: int, size: int) -> tuple[bytearray, int]:
    buffer: bytearray = getattr(_buffers, "buffer", bytearray())
    if len(buffer) < size + PADDING:
        buffer = _buffers.buffer = bytearray(size + PADDING)
    file.seek(start)
    have = 0
    with memoryview(buffer) as view:
        while part := file.readinto(view[have:size]):  # type: ignore[attr-defined]
            have += part
    return buffer, have


def _stream_blocks(source: Input, skip: int) -> Iterator[Callable[[], Block]]:
    rest = b""
    with source.stream() as stream:
        stream.read(skip)
        while fresh := stream.read(fingerprint.BLOCK_SIZE):
            cut = fresh.rfind(b"\n") + 1
            if cut:
                yield functools.partial(_padded, rest + fresh[:cut])
                rest = fresh[cut:]
            else:
                rest += fresh
            if len(rest) > MAX_LINE_BYTES:
                raise TooLarge(f"{source.path} has a line of more than {MAX_LINE_BYTES >> 20} MiB.")
    if rest:
        yield functools.partial(_padded, rest + b"\n")


def _padded(lines: bytes) -> Block:
    return Block(np.frombuffer(lines + bytes(PADDING), dtype=np.uint8), len(lines))


def map_in_order(
    function: Callable[[_T], _R], items: Iterable[_T], workers: int
) -> Generator[_R, None, None]:
    """Results of `function` in the order of `items`, computed by threads, few at a time."""
    pool = ThreadPoolExecutor(workers)
    window: deque[Future[_R]] = deque()
    try:
        for item in items:
            window.append(pool.submit(function, item))
            if len(window) > 2 * workers:
                yield window.popleft().result()
        while window:
            yield window.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
