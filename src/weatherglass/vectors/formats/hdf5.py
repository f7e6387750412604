"""HDF5, as in work on sentence bias: one data set a word, or a matrix and a list of words."""

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


def _h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise MissingExtra("HDF5", "formats") from None
    return h5py


def matches(source: Input) -> bool:
    """HDF5, by its first bytes."""
    return not source.compression and source.head.startswith(b"\x89HDF\r\n\x1a\n")


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    h5py = _h5py()
    try:
        with h5py.File(source.path, "r") as file:
            if _MATRIX in file and _WORDS in file:
                words = _flat_words(_load(source, file[_WORDS]))
                matrix = _load(source, file[_MATRIX])
            else:
                words, matrix = _one_a_word(source, file, h5py)
    except SourceError:
        raise
    except Exception as error:  # damage shows itself in many ways
        reason = str(error).split("\n")[0][:200]
        raise BadContent(f"{source.path} is a damaged or foreign HDF5 file ({reason}).") from None
    return iter_chunks(source, words, matrix, wanted)


def _load(source: Input, data: Any) -> Any:
    """A data set, unless it says that it is far larger than the file it stands in."""
    limit = max_unpacked_size(source.size)
    if data.nbytes > limit:
        raise too_large_error(source.path, limit)
    return data[()]


def _flat_words(value: Any) -> list[bytes]:
    text = value if isinstance(value, bytes) else to_bytes(str(value))
    return text.removesuffix(b"\n").split(b"\n")


def _one_a_word(source: Input, file: Any, h5py: Any) -> tuple[list[bytes], Any]:
    found: dict[bytes, Any] = {}

    def visit(name: str, item: Any) -> None:
        # A word with a slash became a group inside a group: its whole name is the word.
        if isinstance(item, h5py.Dataset):
            found[to_bytes(name)] = np.ravel(_load(source, item))

    file.visititems(visit)
    widths = {len(row) for row in found.values()}
    if len(widths) != 1:
        seen = sorted(widths)[:5] or "no"
        raise BadContent(f"{source.path}: its data sets have {seen} numbers, expected one width.")
    return list(found), np.array(list(found.values()))


def write(vectors: Vectors, path: Path) -> None:
    """Write a matrix and a list of words."""
    h5py = _h5py()
    words = join_words(vectors)
    with atomic_write(path) as temporary:
        try:
            with h5py.File(temporary, "w", locking=False) as file:  # `atomic_write` has it locked
                file.create_dataset(_MATRIX, data=vectors.matrix)
                file.create_dataset(_WORDS, data=np.bytes_(words))
        except RuntimeError as error:  # what it makes of a disk that is full
            said = re.search(r"error message = '([^']+)'", str(error))
            raise OSError(said[1] if said else str(error)) from None


FORMAT = Format(name="HDF5", matches=matches, read=read, suffixes=(".h5", ".hdf5"), write=write)
