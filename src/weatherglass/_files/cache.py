"""The cache of parsed files, and the memory of which file has which fingerprint."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from weatherglass.errors import CannotWrite

from .atomic import atomic_write
from .fingerprint import BLOCK_SIZE

# Path, size, when the content and when the name or rights last changed, place on disk.
State = tuple[str, int, int, int, int]
# A file that was changed this short a time before it was read could change again within one tick
# of the file system's clock, unseen.
_RACY_NS = 2_000_000_000


def cache_dir() -> Path:
    """The platform's cache directory, or ``WEATHERGLASS_CACHE_DIR``."""
    chosen = os.environ.get("WEATHERGLASS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("weatherglass"))


def vectors_dir() -> Path:
    """Where parsed files are kept, one folder each."""
    return cache_dir() / "vectors"


@dataclass(frozen=True)
class Entry:
    """One parsed file in the cache."""

    folder: Path
    source: str
    rows: int
    dim: int
    size: int


def list_entries() -> Iterator[Entry]:
    """What the cache holds; folders that are not whole are passed over."""
    root = vectors_dir()
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if folder.name.startswith("."):  # still being written, or given up
            continue
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            meta = json.loads((folder / "meta.json").read_text())
            size = sum(file.stat().st_size for file in folder.iterdir())
            yield Entry(folder, str(meta["source"]), int(meta["rows"]), int(meta["dim"]), size)


def clear() -> int:
    """Delete the cache; returns the bytes freed."""
    freed = 0
    for name in ("vectors", "seen", "discovery", "shared"):
        folder = cache_dir() / name
        for file in folder.rglob("*"):
            with contextlib.suppress(OSError):  # another process may be clearing, too
                freed += file.stat().st_size if file.is_file() else 0
        shutil.rmtree(folder, ignore_errors=True)
    return freed


def find_fingerprint(files: Sequence[Path]) -> str | None:
    """The fingerprint that these files had, if none has changed since."""
    try:
        record = json.loads(_note(files).read_text())
        same = [tuple(one) for one in record["files"]] == file_state(files)
        same = same and record["block"] == BLOCK_SIZE
        return str(record["fingerprint"]) if same else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def save_fingerprint(files: Sequence[Path], fingerprint: str, state: list[State]) -> None:
    """Keep the fingerprint of files whose state was `state` before they were read."""
    now = time.time_ns()
    fresh = any(now - max(changed, renamed) < _RACY_NS for _, _, changed, renamed, _ in state)
    note = _note(files)
    with contextlib.suppress(OSError, CannotWrite):  # a cache that cannot be written is no cache
        if fresh or state != file_state(files):
            return
        note.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(note) as temporary:
            record = {"files": state, "block": BLOCK_SIZE, "fingerprint": fingerprint}
            temporary.write_text(json.dumps(record))


def file_state(files: Sequence[Path]) -> list[State]:
    """What changes when a file changes."""
    stats = [(path, path.stat()) for path in files]
    return [
        (str(path.resolve()), s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
        for path, s in stats
    ]


def _note(files: Sequence[Path]) -> Path:
    names = "\n".join(str(path.resolve()) for path in files)
    key = hashlib.blake2b(names.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return cache_dir() / "seen" / f"{key}.json"
