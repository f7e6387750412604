"""The cache of encoded sentences, keyed by encoder fingerprint and sentence.

Each encoder has a folder of immutable shards: ``.npz`` files with the hashes of sentences and their
rows, written atomically. Flushed shards survive a crash, several processes may write at once, and a
damaged shard is skipped: its sentences are encoded again. A run that completes merges its shards
into one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weatherglass._files import atomic_write, cache_dir, delete_folder
from weatherglass.errors import CannotWrite

from .encoder import Encodings

VERSION = 1
_KEY_BYTES = 16
_FLUSH_SECONDS = 2.0  # a killed run loses at most this much work, plus a batch
_FLUSH_BYTES = 64 << 20
_MERGE_BYTES = 256 << 20


def encodings_dir() -> Path:
    """Return the folder of the cache; each encoder has a folder in it."""
    return cache_dir() / "encodings"


@dataclass(frozen=True)
class Entry:
    """The cached encodings of an encoder."""

    folder: Path
    encoder: str
    size: int


def entries() -> Iterator[Entry]:
    """Yield the entries of the cache, one per encoder."""
    root = encodings_dir()
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
            manifest = json.loads((folder / "about.json").read_text())
            size = sum(file.stat().st_size for file in folder.iterdir())
            yield Entry(folder, str(manifest["encoder"]), size)


def clear(name: str | None = None) -> int:
    """Delete all encodings, or those of one encoder by name; returns the bytes freed."""
    folders = [encodings_dir()]
    if name is not None:
        folders = [entry.folder for entry in entries() if entry.encoder == name]
    return sum(map(delete_folder, folders))


def sentence_key(sentence: str) -> bytes:
    """Return the hash of a sentence, the key of the cache."""
    return hashlib.blake2b(
        sentence.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES
    ).digest()


class SentenceCache:
    """The cached encodings of an encoder.

    Parameters
    ----------
    fingerprint
        The fingerprint of the encoder.
    name
        The name of the encoder, for people who look into the folder.
    """

    def __init__(self, fingerprint: str, name: str = "") -> None:
        key = hashlib.blake2b(fingerprint.encode("utf-8", "surrogatepass"), digest_size=16)
        self.folder = encodings_dir() / f"{key.hexdigest()}-{VERSION}"
        self._manifest = {"encoder": name, "fingerprint": fingerprint}
        self._pending: dict[str, Encodings] = {}
        self._bytes = 0
        self._flushed = time.monotonic()
        self._shards: list[tuple[Path, dict[str, Encodings]]] = []

    def load(self, sentences: Iterable[str]) -> dict[str, Encodings]:
        """Return the cached rows of sentences, all of the same width."""
        wanted = {sentence_key(sentence): sentence for sentence in sentences}
        cached: dict[str, Encodings] = {}
        width = None
        try:
            shards = sorted(self.folder.glob("*.npz")) if wanted else []
        except OSError:
            return cached
        for path in shards:
            keys, rows = _read_shard(path, wanted)
            if not len(rows) or (width is not None and rows.shape[1] != width):
                continue
            width = rows.shape[1]
            for key, row in zip(keys, rows, strict=True):
                cached.setdefault(wanted[key], row)
        return cached

    def add(self, rows: Mapping[str, Encodings]) -> None:
        """Add rows; they are written within seconds, or at the next `flush`."""
        self._pending.update(rows)
        self._bytes += sum(row.nbytes for row in rows.values())
        is_due = time.monotonic() - self._flushed > _FLUSH_SECONDS
        if is_due or self._bytes > _FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write pending rows. If the cache cannot be written, they are dropped silently."""
        if self._pending:
            path = self._write(self._pending)
            if path is not None:
                self._shards.append((path, self._pending))
        self._pending, self._bytes = {}, 0
        self._flushed = time.monotonic()

    def merge(self) -> None:
        """Replace the shards that this run has written by a single shard."""
        self.flush()
        rows = {key: row for _, shard in self._shards for key, row in shard.items()}
        is_small = sum(row.nbytes for row in rows.values()) <= _MERGE_BYTES
        if len(self._shards) > 1 and is_small and self._write(rows) is not None:
            for path, _ in self._shards:
                with contextlib.suppress(OSError):
                    path.unlink()
        self._shards = []

    def _write(self, rows: Mapping[str, Encodings]) -> Path | None:
        path = self.folder / f"{uuid.uuid4().hex}.npz"
        keys = np.frombuffer(b"".join(map(sentence_key, rows)), dtype=np.uint8)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            manifest = self.folder / "about.json"
            if not manifest.exists():
                with atomic_write(manifest) as temporary:
                    temporary.write_text(json.dumps(self._manifest))
            with atomic_write(path) as temporary, open(temporary, "wb") as file:
                np.savez(
                    file, keys=keys.reshape(-1, _KEY_BYTES), rows=np.stack(list(rows.values()))
                )
                file.flush()
                os.fsync(file.fileno())
        except (OSError, CannotWrite):
            return None
        return path


def _read_shard(path: Path, wanted: Mapping[bytes, str]) -> tuple[Sequence[bytes], Encodings]:
    """Return the wanted rows of a shard; none if it is damaged or deleted."""
    empty: tuple[list[bytes], Encodings] = ([], np.empty((0, 0)))
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as shard:
            raw = shard["keys"].tobytes()
            keys = [raw[at : at + _KEY_BYTES] for at in range(0, len(raw), _KEY_BYTES)]
            at = [i for i, key in enumerate(keys) if key in wanted]
            if not at:
                return empty
            rows = shard["rows"]
    except Exception:  # numpy and zipfile raise various errors for a damaged file
        return empty
    if rows.ndim != 2 or len(rows) != len(keys) or rows.dtype.kind != "f":
        return empty
    return [keys[i] for i in at], rows[at]
