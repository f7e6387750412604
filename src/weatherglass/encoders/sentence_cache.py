"""Encodings on disk, by (encoder fingerprint, sentence), so that nothing is encoded twice.

A folder for each encoder holds shards that are written once, whole, and never changed: ``.npz``
files with the hashes of some sentences and their rows. What was flushed is there after any kind of
end; several processes may write at once; a damaged shard is passed over, and its sentences are
encoded again. A run that ends well leaves one shard in place of its pieces.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weatherglass._files import atomic_write, cache_dir
from weatherglass.errors import CannotWrite

from .encoder import Encodings

VERSION = 1
_KEY = 16
_FLUSH_SECONDS = 2.0  # the most that a killed run loses, with one batch
_FLUSH_BYTES = 64 << 20
_MERGE_BYTES = 256 << 20


def encodings_dir() -> Path:
    """Where encodings are kept, one folder for each encoder."""
    return cache_dir() / "encodings"


@dataclass(frozen=True)
class Entry:
    """The encodings of one encoder in the cache."""

    folder: Path
    encoder: str
    size: int


def entries() -> Iterator[Entry]:
    """What the cache holds, one entry for each encoder."""
    root = encodings_dir()
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            about = json.loads((folder / "about.json").read_text())
            size = sum(file.stat().st_size for file in folder.iterdir())
            yield Entry(folder, str(about["encoder"]), size)


def clear() -> int:
    """Delete all encodings; returns the bytes freed."""
    freed = 0
    for file in encodings_dir().rglob("*"):
        with contextlib.suppress(OSError):  # another process may be clearing, too
            freed += file.stat().st_size if file.is_file() else 0
    shutil.rmtree(encodings_dir(), ignore_errors=True)
    return freed


def sentence_key(sentence: str) -> bytes:
    """The hash by which a sentence is found again."""
    return hashlib.blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=_KEY).digest()


class Memory:
    """The encodings of one encoder that are kept on disk.

    Parameters
    ----------
    fingerprint
        The encoder's.
    name
        The encoder's, for people who look into the folder.
    """

    def __init__(self, fingerprint: str, name: str = "") -> None:
        key = hashlib.blake2b(fingerprint.encode("utf-8", "surrogatepass"), digest_size=16)
        self.folder = encodings_dir() / f"{key.hexdigest()}-{VERSION}"
        self._about = {"encoder": name, "fingerprint": fingerprint}
        self._pending: dict[str, Encodings] = {}
        self._bytes = 0
        self._flushed = time.monotonic()
        self._pieces: list[tuple[Path, dict[str, Encodings]]] = []

    def load(self, sentences: Iterable[str]) -> dict[str, Encodings]:
        """The rows of those sentences that are kept, all of one width."""
        wanted = {sentence_key(sentence): sentence for sentence in sentences}
        found: dict[str, Encodings] = {}
        width = None
        try:
            shards = sorted(self.folder.glob("*.npz")) if wanted else []
        except OSError:
            return found
        for path in shards:
            keys, rows = _read(path, wanted)
            if not len(rows) or (width is not None and rows.shape[1] != width):
                continue
            width = rows.shape[1]
            for key, row in zip(keys, rows, strict=True):
                found.setdefault(wanted[key], row)
        return found

    def add(self, rows: Mapping[str, Encodings]) -> None:
        """Keep rows; they are on disk within seconds, or at the next `flush`."""
        self._pending.update(rows)
        self._bytes += sum(row.nbytes for row in rows.values())
        late = time.monotonic() - self._flushed > _FLUSH_SECONDS
        if late or self._bytes > _FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what is not yet on disk. A cache that cannot be written is no cache."""
        if self._pending:
            path = self._write(self._pending)
            if path is not None:
                self._pieces.append((path, self._pending))
        self._pending, self._bytes = {}, 0
        self._flushed = time.monotonic()

    def merge(self) -> None:
        """Put one shard in the place of the pieces that this run has written."""
        self.flush()
        rows = {key: row for _, piece in self._pieces for key, row in piece.items()}
        small = sum(row.nbytes for row in rows.values()) <= _MERGE_BYTES
        if len(self._pieces) > 1 and small and self._write(rows) is not None:
            for path, _ in self._pieces:
                with contextlib.suppress(OSError):
                    path.unlink()
        self._pieces = []

    def _write(self, rows: Mapping[str, Encodings]) -> Path | None:
        path = self.folder / f"{uuid.uuid4().hex}.npz"
        keys = np.frombuffer(b"".join(map(sentence_key, rows)), dtype=np.uint8)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            about = self.folder / "about.json"
            if not about.exists():
                with atomic_write(about) as temporary:
                    temporary.write_text(json.dumps(self._about))
            with atomic_write(path) as temporary, open(temporary, "wb") as file:
                np.savez(file, keys=keys.reshape(-1, _KEY), rows=np.stack(list(rows.values())))
                file.flush()
                os.fsync(file.fileno())
        except (OSError, CannotWrite):
            return None
        return path


def _read(path: Path, wanted: Mapping[bytes, str]) -> tuple[Sequence[bytes], Encodings]:
    """The wanted rows of a shard; none if it is damaged or has gone."""
    nothing: tuple[list[bytes], Encodings] = ([], np.empty((0, 0)))
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as shard:
            raw = shard["keys"].tobytes()
            keys = [raw[at : at + _KEY] for at in range(0, len(raw), _KEY)]
            at = [i for i, key in enumerate(keys) if key in wanted]
            if not at:
                return nothing
            rows = shard["rows"]
    except Exception:  # damage shows itself in many ways
        return nothing
    if rows.ndim != 2 or len(rows) != len(keys) or rows.dtype.kind != "f":
        return nothing
    return [keys[i] for i in at], rows[at]
