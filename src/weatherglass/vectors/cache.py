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

from .writing import whole

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


def entries() -> Iterator[Entry]:
    """What the cache holds; folders that are not whole are passed over."""
    root = vectors_dir()
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            meta = json.loads((folder / "meta.json").read_text())
            size = sum(file.stat().st_size for file in folder.iterdir())
            yield Entry(folder, str(meta["source"]), int(meta["rows"]), int(meta["dim"]), size)


def clear() -> int:
    """Delete the cache; returns the bytes freed."""
    freed = 0
    for name in ("vectors", "seen"):
        folder = cache_dir() / name
        if folder.is_dir():
            freed += sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            shutil.rmtree(folder)
    return freed


def remembered(files: Sequence[Path]) -> str | None:
    """The fingerprint that these files had, if none has changed since."""
    try:
        record = json.loads(_note(files).read_text())
        return str(record["fingerprint"]) if record["files"] == file_state(files) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(files: Sequence[Path], fingerprint: str, state: list[list[object]]) -> None:
    """Keep the fingerprint of files whose state was `state` before they were read."""
    if any(time.time_ns() - int(str(one[2])) < _RACY_NS for one in state) or state != file_state(
        files
    ):
        return
    note = _note(files)
    with contextlib.suppress(OSError):  # a cache that cannot be written is no cache
        note.parent.mkdir(parents=True, exist_ok=True)
        with whole(note) as temporary:
            temporary.write_text(json.dumps({"files": state, "fingerprint": fingerprint}))


def file_state(files: Sequence[Path]) -> list[list[object]]:
    """What changes when a file changes: size, times, place on disk."""
    stats = [(path, path.stat()) for path in files]
    return [
        [str(path.resolve()), s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino]
        for path, s in stats
    ]


def _note(files: Sequence[Path]) -> Path:
    names = "\n".join(str(path.resolve()) for path in files)
    key = hashlib.blake2b(names.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
    return cache_dir() / "seen" / f"{key}.json"
