"""Fingerprints: a hash of what is in a file, at the speed of reading it.

The file is cut into blocks of fixed size, each block gets an XXH3 digest (128 bits), and BLAKE2b of
all of them, with the length, is the fingerprint. Blocks can so be hashed by several threads, and by
a reader as they pass by. It tells contents apart; it is no protection against a forger.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import xxhash

BLOCK_SIZE = 4 << 20


def block_digest(block: bytes | memoryview) -> bytes:
    """The digest of one block."""
    return xxhash.xxh3_128_digest(block)


def combine_digests(digests: Iterable[bytes], size: int) -> str:
    """The fingerprint of a file from its blocks' digests, in order, and its length."""
    whole = hashlib.blake2b(size.to_bytes(8, "little"), digest_size=16)
    for digest in digests:
        whole.update(digest)
    return whole.hexdigest()


def file_fingerprint(path: Path, workers: int) -> str:
    """The fingerprint of a file."""
    size = path.stat().st_size

    def digest(start: int) -> bytes:
        with open(path, "rb") as file:  # buffered: a raw read may give less than was asked for
            file.seek(start)
            return block_digest(file.read(BLOCK_SIZE))

    with ThreadPoolExecutor(workers) as pool:
        return combine_digests(pool.map(digest, range(0, size, BLOCK_SIZE)), size)


def combine_fingerprints(fingerprints: Sequence[str]) -> str:
    """One fingerprint for a source that is several files."""
    if len(fingerprints) == 1:
        return fingerprints[0]
    return hashlib.blake2b("\n".join(fingerprints).encode(), digest_size=16).hexdigest()


def cpu_count() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
