"""The cache directory: parsed files, and an index of the fingerprints of files seen before."""

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
from .sealed import seal, unseal

# Path, size, time of the last change of the content and of the inode, inode number.
State = tuple[str, int, int, int, int]
# A file changed this shortly before it was read could change again within one tick of the file
# system's clock, and its state would stay the same.
_RACY_NS = 2_000_000_000


def cache_dir() -> Path:
    """Return ``WEATHERGLASS_CACHE_DIR``, or the platform's cache directory."""
    chosen = os.environ.get("WEATHERGLASS_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("weatherglass"))


def vectors_dir(root: Path | None = None) -> Path:
    """Return the folder that holds parsed files, one folder each, in a cache folder."""
    return (root or cache_dir()) / "vectors"


@dataclass(frozen=True)
class Entry:
    """A parsed file in the cache."""

    folder: Path
    source: str
    rows: int
    dim: int
    size: int


def list_entries() -> Iterator[Entry]:
    """Yield the parsed files in the cache; incomplete folders are skipped."""
    root = vectors_dir()
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if folder.name.startswith("."):  # temporary: being written, or left by a killed process
            continue
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            meta = json.loads((folder / "meta.json").read_text())
            size = sum(file.stat().st_size for file in folder.iterdir())
            yield Entry(folder, str(meta["source"]), int(meta["rows"]), int(meta["dim"]), size)


def clear(source: str | None = None) -> int:
    """Delete the cache, or the parsed copies of one source; return the number of bytes freed."""
    if source is not None:
        return sum(delete_folder(e.folder) for e in list_entries() if e.source == source)
    names = ("vectors", "seen", "discovery", "searches", "shared", "endpoints", "layouts")
    return sum(delete_folder(cache_dir() / name) for name in names)


def delete_folder(folder: Path) -> int:
    """Delete a folder of the cache, and return the number of bytes freed."""
    freed = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # another process may be clearing the cache, too
            freed += file.stat().st_size if file.is_file() else 0
    shutil.rmtree(folder, ignore_errors=True)
    return freed


def find_fingerprint(files: Sequence[Path]) -> str | None:
    """Return the saved fingerprint of these files, or None if any of them has changed since."""
    try:
        record = unseal(_index_file(files).read_text())
        is_same = [tuple(state) for state in record["files"]] == file_state(files)
        is_same = is_same and record["block"] == BLOCK_SIZE
        return str(record["fingerprint"]) if is_same else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def save_fingerprint(files: Sequence[Path], fingerprint: str, state: list[State]) -> None:
    """Save the fingerprint of files whose state was `state` before they were read."""
    now = time.time_ns()
    is_racy = any(now - max(mtime, ctime) < _RACY_NS for _, _, mtime, ctime, _ in state)
    path = _index_file(files)
    with contextlib.suppress(OSError, CannotWrite):  # without a writable cache, do without it
        if is_racy or state != file_state(files):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as temporary:
            record = {"files": state, "block": BLOCK_SIZE, "fingerprint": fingerprint}
            temporary.write_text(seal(record))


def file_state(files: Sequence[Path]) -> list[State]:
    """Return what changes whenever one of the files changes."""
    stats = [(path, path.stat()) for path in files]
    return [
        (str(path.resolve()), s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino)
        for path, s in stats
    ]


def _index_file(files: Sequence[Path]) -> Path:
    names = "\n".join(str(path.resolve()) for path in files)
    key = hashlib.blake2b(names.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return cache_dir() / "seen" / f"{key}.json"
