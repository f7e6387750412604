"""Fingerprints: hashes of file contents, computed at the speed of reading.

A file is cut into blocks of fixed size, each block is hashed with XXH3 (128 bits), and BLAKE2b of
the length and all block digests is the fingerprint. So several threads can hash one file, and a
reader can hash blocks as it reads them. A fingerprint tells contents apart; it is not made to
withstand deliberate forgery.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import xxhash

BLOCK_SIZE = 4 << 20  # bytes; the fingerprint depends on it


def block_digest(block: bytes | memoryview) -> bytes:
    """Return the digest of one block."""
    return xxhash.xxh3_128_digest(block)


def combine_digests(digests: Iterable[bytes], size: int) -> str:
    """Return the fingerprint of a file of `size` bytes from its block digests, in order."""
    fingerprint = hashlib.blake2b(size.to_bytes(8, "little"), digest_size=16)
    for digest in digests:
        fingerprint.update(digest)
    return fingerprint.hexdigest()


def file_fingerprint(path: Path, workers: int) -> str:
    """Return the fingerprint of a file, hashed by `workers` threads."""
    size = path.stat().st_size

    def digest(start: int) -> bytes:
        with open(path, "rb") as file:  # buffered, because a raw read may return too few bytes
            file.seek(start)
            return block_digest(file.read(BLOCK_SIZE))

    with ThreadPoolExecutor(workers) as pool:
        return combine_digests(pool.map(digest, range(0, size, BLOCK_SIZE)), size)


class FingerprintStream:
    """Computes the fingerprint of a file from its bytes, as they are written.

    >>> stream = FingerprintStream()
    >>> stream.update(b"ro")
    >>> stream.update(b"se")
    >>> stream.fingerprint() == combine_digests([block_digest(b"rose")], 4)
    True
    """

    def __init__(self) -> None:
        self._digests: list[bytes] = []
        self._block, self._filled = xxhash.xxh3_128(), 0
        self._block_size = BLOCK_SIZE

    def update(self, data: bytes | memoryview) -> None:
        """Add bytes at the end."""
        if not memoryview(data).nbytes:
            return
        view = memoryview(data).cast("B")
        while len(view):
            part = view[: self._block_size - self._filled]
            self._block.update(part)
            self._filled += len(part)
            view = view[len(part) :]
            if self._filled == self._block_size:
                self._digests.append(self._block.digest())
                self._block, self._filled = xxhash.xxh3_128(), 0

    def fingerprint(self) -> str:
        """Return the fingerprint of all bytes so far."""
        size = self._block_size * len(self._digests) + self._filled
        last = [self._block.digest()] if self._filled else []
        return combine_digests([*self._digests, *last], size)


def combine_fingerprints(fingerprints: Sequence[str]) -> str:
    """Return one fingerprint for a source that consists of several files."""
    if len(fingerprints) == 1:
        return fingerprints[0]
    return hashlib.blake2b("\n".join(fingerprints).encode(), digest_size=16).hexdigest()


def cpu_count() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
