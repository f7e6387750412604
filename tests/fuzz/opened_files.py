"""Which files of a folder are opened, by Python or by a compiled library, as Linux tells it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

_IN_OPEN, _IN_ISDIR = 0x20, 0x40000000
_IN_NONBLOCK = 0x800
_EVENT = struct.Struct("iIII")


@contextlib.contextmanager
def watch(folder: Path) -> Iterator[list[str]]:
    """Yield a list that holds, after the block, the names of the files that were opened."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "inotify_init1"):
        pytest.skip("needs inotify, which only Linux has")
    descriptor = libc.inotify_init1(_IN_NONBLOCK)
    opened: list[str] = []
    try:
        assert libc.inotify_add_watch(descriptor, os.fsencode(folder), _IN_OPEN) >= 0
        yield opened
        with contextlib.suppress(BlockingIOError):
            while raw := os.read(descriptor, 1 << 16):
                opened += _names(raw)
    finally:
        os.close(descriptor)


def _names(raw: bytes) -> Iterator[str]:
    while raw:
        _, mask, _, length = _EVENT.unpack_from(raw)
        name, raw = raw[_EVENT.size :][:length], raw[_EVENT.size + length :]
        if not mask & _IN_ISDIR:
            yield os.fsdecode(name.rstrip(b"\0"))
