"""Input files: their first bytes, a stream of bytes, or blocks of complete lines.

Compressed files (gzip, zstd, xz, zip) are decompressed while they are read, never to disk, and only
up to `MAX_UNPACK_RATIO` times their size.
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
PADDING = 16  # bytes after a block that compiled loops may read, so that they need no end check
_HEAD_BYTES = 1 << 16

_COMPRESSION_OF_MAGIC = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}
_T = TypeVar("_T")
_R = TypeVar("_R")


@dataclass(eq=False)
class Input:
    """A file or folder that is read as a source.

    Attributes
    ----------
    path, size
        The file and its length on disk.
    total_size
        The length of all files that make up the source; `size` until they are known.
    options
        Options given after the question mark in the source's name.
    compression
        "gzip", "zstd", "xz", "zip" or None.
    head
        The first bytes, decompressed.
    bytes_read
        Bytes of the file on disk that have been read, for progress bars.
    digests
        Digests of the file's blocks by their start, collected while the blocks are read.
    cased
        Whether a reader that searched for words saw a capital letter A to Z in any word.
    odd_bytes
        How many bytes of a text were not UTF-8, and were read as Windows-1252.
    """

    path: Path
    options: dict[str, str] = field(default_factory=dict)
    size: int = 0
    total_size: int = 0
    compression: str | None = None
    head: bytes = b""
    bytes_read: int = 0
    digests: dict[int, bytes] = field(default_factory=dict)
    cased: bool = False
    odd_bytes: int = 0

    def __post_init__(self) -> None:
        if self.is_folder:
            return
        try:
            status = self.path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise BadContent(f"{self.path} is neither a file nor a folder: save it to a file.")
            self.size = self.total_size = status.st_size
            with open(self.path, "rb") as file:
                self.head = file.read(_HEAD_BYTES)
        except FileNotFoundError:
            raise SourceNotFound(f"There is no file or folder {self.path}.") from None
        except OSError as error:
            raise SourceNotFound(f"{self.path} cannot be read: {error.strerror}.") from None
        if not self.size:
            raise BadContent(f"{self.path} is empty: a file of vectors has at least one row.")
        for magic, compression in _COMPRESSION_OF_MAGIC.items():
            is_match = self.head.startswith(magic)
            if is_match and not (compression == "zip" and self._is_zip_format()):
                self.compression = compression
                with self.stream() as stream:
                    self.head = stream.read(_HEAD_BYTES)
                break

    @property
    def is_folder(self) -> bool:
        """Whether the path is a folder."""
        return self.path.is_dir()

    def _is_zip_format(self) -> bool:
        """Return whether a zip file is a format of its own (.npz, PyTorch), not compression."""
        return any(name.endswith((".npy", "data.pkl")) for name in self.members())

    def members(self) -> list[str]:
        """Return the names of the files inside a zip archive."""
        import zipfile

        try:
            with zipfile.ZipFile(self.path) as archive:
                names = [info.filename for info in archive.infolist() if not info.is_dir()]
        except Exception:  # zipfile raises many kinds of errors on damaged files
            raise BadContent(f"{self.path} is a damaged or cut-off zip file.") from None
        return [name for name in names if not name.startswith("__MACOSX/")]

    @contextlib.contextmanager
    def stream(self) -> Iterator[Stream]:
        """Open a stream of the decompressed bytes, from the start."""
        with contextlib.ExitStack() as opened:
            yield Stream(self, *_open_decompressed(self, opened))

    def lines(self, count: int) -> list[bytes]:
        """Return the first `count` lines, from which a reader finds the layout."""
        head = self.head
        if head.count(b"\n") < count and len(head) == _HEAD_BYTES:
            with self.stream() as stream:
                head = b""
                while head.count(b"\n") < count and len(head) < MAX_LINE_BYTES:
                    if not (more := stream.read(1 << 18)):
                        break
                    head += more
        if b"\n" not in head and len(head) >= MAX_LINE_BYTES:
            raise TooLarge(
                f"{self.path}: the first line is longer than {MAX_LINE_BYTES >> 20} MiB, "
                "so this is not a file of vectors with one row per line."
            )
        lines = head.split(b"\n")
        return lines[: min(count, max(1, len(lines) - 1))]

    def blocks(self, skip: int) -> Iterator[Callable[[], Block]]:
        """Yield functions that load the file from byte `skip` on, in blocks of complete lines."""
        if self.compression:
            yield from _stream_blocks(self, skip)
            return
        for start in range(0, self.size, fingerprint.BLOCK_SIZE):
            yield functools.partial(_load_block, self, start, skip)


@dataclass(frozen=True, eq=False)
class Block:
    """Complete lines: ``data[:size]`` ends in a newline; `PADDING` more bytes may be read.

    `data` of an uncompressed file is valid until the same thread loads its next block; it begins at
    byte `start` of the file. `start` is None where the data stay valid.
    """

    data: NDArray[np.uint8]
    size: int
    start: int | None = None


class Stream:
    """A stream of decompressed bytes; their number is limited, and damage is `BadContent`.

    `raw` is the file on disk, whose position tells how much of it has been decompressed.
    """

    def __init__(self, source: Input, file: IO[bytes], raw: IO[bytes]) -> None:
        self._source, self._file, self._raw, self.position = source, file, raw, 0
        self._limit = max_unpacked_size(source.size)

    def read(self, size: int) -> bytes:
        """Return `size` bytes, or fewer at the end."""
        parts: list[bytes] = []
        missing = size
        try:
            while missing and (part := self._file.read(missing)):
                parts.append(part)
                missing -= len(part)
        except Exception as error:  # each decompressor has its own exceptions
            kind = self._source.compression or "file"
            raise BadContent(
                f"{self._source.path}: the {kind} stream is damaged or cut off after "
                f"{self.position:,} decompressed bytes ({error})."
            ) from None
        self.position += size - missing
        if self._source.compression and self.position > self._limit:
            raise too_large_error(self._source.path, self._limit)
        self._source.bytes_read = min(self._source.size, self._raw.tell())
        return b"".join(parts)


def max_unpacked_size(size: int) -> int:
    """Return how many bytes a file of `size` bytes may decompress to."""
    return max(MIN_UNPACK_LIMIT, MAX_UNPACK_RATIO * size)


def too_large_error(path: Path, limit: int) -> TooLarge:
    """Return the error for a file that decompresses to more than its limit."""
    return TooLarge(
        f"{path} unpacks to more than {limit:,} bytes, the limit for its size on disk, which "
        "protects against files made to fill the memory. If you trust it, decompress it yourself, "
        "or save it in another format."
    )


def _open_decompressed(source: Input, opened: contextlib.ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """Return a stream of the decompressed bytes, and the file on disk that it reads.

    Both are closed with `opened`.
    """
    if source.compression == "zstd":
        import pyarrow as pa

        compressed: Any = opened.enter_context(pa.OSFile(str(source.path), "rb"))
        stream: Any = opened.enter_context(pa.CompressedInputStream(compressed, "zstd"))
        return stream, compressed
    raw = opened.enter_context(open(source.path, "rb"))  # noqa: SIM115
    if source.compression == "gzip":
        import gzip

        unpacked: IO[bytes] = gzip.open(raw)  # type: ignore[assignment]  # noqa: SIM115
        return opened.enter_context(unpacked), raw
    if source.compression == "xz":
        import lzma

        return opened.enter_context(lzma.open(raw)), raw
    if source.compression == "zip":
        import zipfile

        member = _choose_member(source)
        try:
            archive = opened.enter_context(zipfile.ZipFile(raw))
            return opened.enter_context(archive.open(member)), raw
        except Exception as error:  # zipfile raises many kinds of errors on damaged files
            raise BadContent(
                f"{source.path}: cannot decompress {quote_safe(member)} ({error})."
            ) from None
    return raw, raw


def _choose_member(source: Input) -> str:
    names, member = source.members(), source.options.get("member")
    if member is None and len(names) == 1:
        return names[0]
    if member in names:
        return member
    if not names:
        raise BadContent(f"{source.path} is a zip file that contains no files.")
    raise UsageError(
        f"{source.path} holds {len(names)} files ({join_first(map(quote_safe, names), 10)}): "
        f"choose one with {source.path.name}?member=NAME."
    )


_buffers = threading.local()


def _load_block(source: Input, start: int, skip: int) -> Block:
    """Load the lines that begin in ``[start, start + BLOCK_SIZE)`` of a file, from byte `skip` on.

    Each thread reads into one buffer of its own: allocating new memory would take longer than
    reading.
    """
    block = fingerprint.BLOCK_SIZE
    before = 1 if start else 0  # the byte before `start` tells whether a line begins there
    with open(source.path, "rb", buffering=0) as file:
        buffer, filled = _fill_buffer(file, start - before, block + before + (1 << 14))
        body = min(block + before, filled)
        digest = fingerprint.block_digest(memoryview(buffer)[before:body])
        end = buffer.find(b"\n", max(0, body - 1), filled)
        searched = 0
        while end < 0 and start - before + filled < source.size:
            if filled > block + MAX_LINE_BYTES:
                raise _line_too_long(source)
            if filled == searched:
                raise BadContent(f"{source.path} became shorter while it was being read.")
            searched = filled
            buffer, filled = _fill_buffer(file, start - before, 2 * filled)
            end = buffer.find(b"\n", searched, filled)
    source.digests[start] = digest
    source.bytes_read += body - before  # two threads may lose an update; only progress shows it
    if end < 0:  # the last line of the file has no newline
        buffer[filled] = 10
        end, filled = filled, filled + 1
    first = skip - start + before
    if skip < start:
        first = buffer.find(b"\n", 0, body) + 1 or body
    if first >= body:
        return Block(np.empty(0, dtype=np.uint8), 0)  # no line begins in this block
    data = np.frombuffer(buffer, dtype=np.uint8)[first:]
    return Block(data, end + 1 - first, start - before + first)


def _fill_buffer(file: IO[bytes], start: int, size: int) -> tuple[bytearray, int]:
    """Read `size` bytes from `start` into this thread's buffer; return it and how many came."""
    buffer: bytearray = getattr(_buffers, "buffer", bytearray())
    if len(buffer) < size + PADDING:
        buffer = _buffers.buffer = bytearray(size + PADDING)
    file.seek(start)
    filled = 0
    with memoryview(buffer) as view:
        while part := file.readinto(view[filled:size]):  # type: ignore[attr-defined]
            filled += part
    return buffer, filled


def _line_too_long(source: Input) -> TooLarge:
    return TooLarge(f"{source.path} has a line of more than {MAX_LINE_BYTES >> 20} MiB.")


def _stream_blocks(source: Input, skip: int) -> Iterator[Callable[[], Block]]:
    rest = b""  # the start of a line that ends in a later read
    with source.stream() as stream:
        stream.read(skip)
        while data := stream.read(fingerprint.BLOCK_SIZE):
            cut = data.rfind(b"\n") + 1
            if cut:
                yield functools.partial(_pad, rest + data[:cut])
                rest = data[cut:]
            else:
                rest += data
            if len(rest) > MAX_LINE_BYTES:
                raise _line_too_long(source)
    if rest:
        yield functools.partial(_pad, rest + b"\n")


def _pad(lines: bytes) -> Block:
    return Block(np.frombuffer(lines + bytes(PADDING), dtype=np.uint8), len(lines))


def map_in_order(
    function: Callable[[_T], _R], items: Iterable[_T], workers: int
) -> Generator[_R, None, None]:
    """Yield ``function(item)`` for each item, in order, computed by threads.

    At most ``2 * workers`` results are computed ahead, so that memory stays bounded.
    """
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
