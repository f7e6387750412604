"""HDF5: one data set per word, as in work on sentence bias, or a matrix and a list of words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weatherglass._files import Input, atomic_write, max_unpacked_size, too_large_error
from weatherglass.errors import BadContent, MissingExtra, SourceError

from ..vocabulary import to_bytes
from .format import Chunk, Format, WantedWords
from .wordlist import iter_chunks, join_words

if TYPE_CHECKING:
    from ..vectors import Vectors

_MATRIX, _WORDS = "embedding", "words_flatten"


def _import_h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise MissingExtra("HDF5", "formats") from None
    return h5py


def matches(source: Input) -> bool:
    """Recognise HDF5 by its first bytes."""
    return not source.compression and source.head.startswith(b"\x89HDF\r\n\x1a\n")


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    h5py = _import_h5py()
    try:
        with h5py.File(source.path, "r") as file:
            if _MATRIX in file and _WORDS in file:
                words = _split_words(_load(source, file[_WORDS]))
                matrix = _load(source, file[_MATRIX])
            else:
                words, matrix = _read_data_sets(source, file, h5py)
    except SourceError:
        raise
    except Exception as error:  # a damaged file can raise almost anything
        reason = str(error).split("\n")[0][:200]
        raise BadContent(f"{source.path} is a damaged or foreign HDF5 file ({reason}).") from None
    return iter_chunks(source, words, matrix, wanted)


def _load(source: Input, data: Any) -> Any:
    """Load a data set, unless it claims to be far larger than its file."""
    limit = max_unpacked_size(source.size)
    if data.nbytes > limit:
        raise too_large_error(source.path, limit)
    return data[()]


def _split_words(value: Any) -> list[bytes]:
    text = value if isinstance(value, bytes) else to_bytes(str(value))
    return text.removesuffix(b"\n").split(b"\n")


def _read_data_sets(source: Input, file: Any, h5py: Any) -> tuple[list[bytes], Any]:
    rows: dict[bytes, Any] = {}

    def visit(name: str, item: Any) -> None:
        # A word with a slash became a data set inside a group: its full name is the word.
        if isinstance(item, h5py.Dataset):
            rows[to_bytes(name)] = np.ravel(_load(source, item))

    file.visititems(visit)
    widths = {len(row) for row in rows.values()}
    if len(widths) != 1:
        lengths = sorted(widths)[:5] or "no"
        raise BadContent(
            f"{source.path}: its data sets have {lengths} numbers, expected the same number in all."
        )
    return list(rows), np.array(list(rows.values()))


def write(vectors: Vectors, path: Path) -> None:
    """Write a matrix and a list of words."""
    h5py = _import_h5py()
    words = join_words(vectors)
    with atomic_write(path) as temporary:
        try:
            with h5py.File(temporary, "w", locking=False) as file:  # `atomic_write` locks it
                file.create_dataset(_MATRIX, data=vectors.matrix)
                file.create_dataset(_WORDS, data=np.bytes_(words))
        except RuntimeError as error:  # h5py raises it when the disk is full
            match = re.search(r"error message = '([^']+)'", str(error))
            raise OSError(match[1] if match else str(error)) from None


FORMAT = Format(name="HDF5", matches=matches, read=read, suffixes=(".h5", ".hdf5"), write=write)
