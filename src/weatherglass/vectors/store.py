"""The parsed copy of a source: a folder of arrays that opens by memory-mapping.

::

    matrix   float32 or float64    ends     where each word ends
    words    the words' bytes      hashes   sorted hashes, and
    counts   of each word, or      order    the words they belong to
             empty                 unusable rows without direction
    ranks    row numbers in the source, or empty if no duplicate word was dropped
    meta.json  checksums, also of itself
    seen.json  the state of the files when their checksums were last verified

Verifying checksums means reading everything, which takes too long for every opening. So they are
verified only if the size, inode, modification time or change time of a file is not what it was the
last time. Programs can set the modification time back, but not the change time.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import (
    ArrayFile,
    FingerprintStream,
    atomic_write,
    cpu_count,
    file_fingerprint,
    seal,
    unseal,
    write_array,
)
from weatherglass.errors import BadContent, CannotWrite

from .formats import Chunk, Counts, Rows, concatenate_counts, has_capitals
from .history import clean_history
from .vectors import Vectors, unusable_rows
from .vocabulary import Vocabulary

VERSION = 6  # of the layout and of the parsers; a copy of another version is not used
_DTYPES: dict[str, Any] = {
    "words": np.uint8,
    "ends": np.uint64,
    "hashes": np.uint64,
    "order": np.uint32,
    "unusable": np.int64,
    "counts": np.int64,
    "ranks": np.int64,
}


_MATRIX_DTYPES: dict[str, Any] = {"float32": np.float32, "float64": np.float64}
_FILES = ("matrix", *_DTYPES)


class Damaged(Exception):
    """The folder is not as `build` wrote it."""


def build(folder: Path, chunks: Iterable[Chunk], meta: dict[str, Any]) -> None:
    """Write the chunks of a source into an empty folder; `meta` names source and fingerprint."""
    blobs: list[NDArray[np.uint8]] = []
    ends: list[NDArray[np.uint64]] = []
    unusable: list[NDArray[np.int64]] = []
    counts_of_chunks: list[Counts | None] = []
    rows, dim, size = 0, 0, 0
    dtype = np.dtype(np.float32)
    stream = FingerprintStream()  # so that the largest file is not read again for its checksum
    with open(folder / "matrix", "wb") as file:
        matrix = ArrayFile(file)
        for chunk in chunks:
            dim, dtype = chunk.rows.shape[1], chunk.rows.dtype
            blobs.append(chunk.blob)
            ends.append(chunk.ends + np.uint64(size))
            unusable.append(unusable_rows(chunk.rows) + rows)
            counts_of_chunks.append(chunk.counts)
            numbers = np.ascontiguousarray(chunk.rows)
            matrix.add(numbers)
            stream.update(numbers.data)
            rows += len(chunk.ends)
            size += chunk.blob.size
    if not rows:
        raise BadContent(f"{meta['source']} has no rows.")
    vocabulary, keep = Vocabulary.build(np.concatenate(blobs), np.concatenate(ends))
    bad, counts = np.concatenate(unusable), concatenate_counts(counts_of_chunks)
    if keep is not None:
        _keep_rows(folder / "matrix", dtype, rows, dim, keep)
        bad = np.flatnonzero(np.isin(keep, bad)).astype(np.int64)
        counts = None if counts is None else counts[keep]
    for name, array in _arrays(vocabulary, bad, counts, keep).items():
        write_array(folder / name, array)
    digests = {name: _digest(folder / name) for name in _DTYPES}
    digests["matrix"] = stream.fingerprint() if keep is None else _digest(folder / "matrix")
    meta = meta | {
        "version": VERSION,
        "rows": len(vocabulary),
        "dim": dim,
        "dtype": dtype.name,
        "duplicates": rows - len(vocabulary),
        "cased": has_capitals(vocabulary.blob, vocabulary.ends),
        "digests": digests,
    }
    (folder / "meta.json").write_text(seal(meta, indent=1))
    (folder / "seen.json").write_text(json.dumps(_state(folder)))


def _digest(path: Path) -> str:
    return file_fingerprint(path, cpu_count())


def _state(folder: Path) -> list[list[int]]:
    """Return what changes when a file is written, but not when the folder is renamed."""
    stats = [(folder / name).stat() for name in _FILES]
    return [[s.st_size, s.st_mtime_ns, s.st_ctime_ns, s.st_ino] for s in stats]


def _verify(folder: Path, digests: dict[str, str]) -> None:
    """Raise `Damaged` if the checksum of a changed file is wrong."""
    state = _state(folder)
    with contextlib.suppress(OSError, ValueError):
        if json.loads((folder / "seen.json").read_text()) == state:
            return
    for name in _FILES:
        if _digest(folder / name) != digests[name]:
            raise Damaged(f"{name} has changed")
    # If this cannot be written, the checksums are verified again the next time.
    with contextlib.suppress(CannotWrite), atomic_write(folder / "seen.json") as temporary:
        temporary.write_text(json.dumps(state))


def _arrays(
    vocabulary: Vocabulary,
    unusable: NDArray[np.int64],
    counts: Counts | None,
    ranks: NDArray[np.intp] | None,
) -> dict[str, NDArray[Any]]:
    empty = np.empty(0, dtype=np.int64)
    return {
        "words": vocabulary.blob,
        "ends": vocabulary.ends,
        "hashes": vocabulary.hashes,
        "order": vocabulary.order,
        "unusable": unusable,
        "counts": empty if counts is None else counts,
        "ranks": empty if ranks is None else ranks.astype(np.int64),
    }


def _keep_rows(
    path: Path, dtype: np.dtype[Any], rows: int, dim: int, keep: NDArray[np.intp]
) -> None:
    """Remove the rows of duplicate words, in place."""
    matrix = np.memmap(path, dtype=dtype, mode="r+", shape=(rows, dim))
    for start in range(0, len(keep), step := 1 << 14):
        part = keep[start : start + step]
        matrix[start : start + len(part)] = matrix[part]
    matrix.flush()
    del matrix
    with open(path, "r+b") as file:
        file.truncate(len(keep) * dim * dtype.itemsize)


def open_store(folder: Path, source: str) -> Vectors:
    """Open a folder that `build` wrote; raise `Damaged` if it is not as it was written."""
    try:
        meta = unseal((folder / "meta.json").read_text())
        if meta["version"] != VERSION:
            raise Damaged("another version")
        _verify(folder, meta["digests"])
        arrays = {name: _memory_map(folder / name, dtype) for name, dtype in _DTYPES.items()}
        dtype = _MATRIX_DTYPES[meta["dtype"]]
        matrix: Rows = _memory_map(folder / "matrix", dtype).reshape(meta["rows"], meta["dim"])
        words = Vocabulary(arrays["words"], arrays["ends"], arrays["hashes"], arrays["order"])
        counts = arrays["counts"] if arrays["counts"].size else None
        ranks = arrays["ranks"] if arrays["ranks"].size else None
        if (
            len(words) != len(matrix)
            or len(words.order) != len(words)
            or any(array is not None and len(array) != len(words) for array in (counts, ranks))
        ):
            raise Damaged("its parts do not fit together")
        return Vectors(
            words=words,
            matrix=matrix,
            source=source,
            fingerprint=meta["fingerprint"],
            cased=meta["cased"],
            duplicates=meta["duplicates"],
            unusable=arrays["unusable"],
            counts=counts,
            ranks=ranks,
            history=clean_history(meta.get("history", ())),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Damaged(str(error)) from None


def _memory_map(path: Path, dtype: Any) -> NDArray[Any]:
    if not path.stat().st_size:
        return np.empty(0, dtype=dtype)
    return np.asarray(np.memmap(path, dtype=dtype, mode="r"))
