"""SpaCy's vectors folder: ``vocab/vectors``, ``key2row`` and ``strings.json``, without spaCy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import Input, check_memory
from weatherglass.errors import BadContent, MissingExtra

from ..vocabulary import pack_words, to_bytes
from .format import Chunk, Format, WantedWords
from .numpy import load_matrix
from .wordlist import iter_chunks

_HASH_SEED = 1  # of the hash that identifies a string in spaCy
_OBJECT_BYTES = 64  # memory that a byte of JSON or msgpack can take as an object
_FILES = ("vectors", "key2row", "strings.json")


def _find_folder(source: Input) -> Path | None:
    """Return the folder itself, its ``vocab``, or that of the only pipeline inside it."""
    if not source.is_folder:
        return None
    nested = [path for path in sorted(source.path.glob("*/vocab")) if path.is_dir()]
    folders: list[Path] = [
        source.path,
        source.path / "vocab",
        *(nested if len(nested) == 1 else ()),
    ]
    for folder in folders:
        if all((folder / name).is_file() for name in _FILES):
            return folder
    return None


def files(source: Input) -> Sequence[Path]:
    """Return the files of the matrix, the rows and the strings."""
    folder = _find_folder(source)
    assert folder is not None
    return [folder / name for name in _FILES]


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows. Words may share a row: spaCy merges rare words with similar ones."""
    from .kernels import murmur64

    matrix_file, rows_file, strings_file = files(source)
    matrix = load_matrix(matrix_file)
    row_of = _read_key_to_row(rows_file, len(matrix))
    strings = _read_strings(strings_file)
    keys = np.empty(len(strings), dtype=np.uint64)
    murmur64(*pack_words(strings), np.uint64(_HASH_SEED), keys)
    word_of = {key: word for key, word in zip(keys.tolist(), strings, strict=True) if key in row_of}
    words = [word_of[key] for key in row_of if key in word_of]
    rows = np.array([row for key, row in row_of.items() if key in word_of], dtype=np.intp)
    if not words:
        raise BadContent(f"{source.path}: none of its vectors has a string in {strings_file.name}.")
    return iter_chunks(source, words, _ReorderedRows(matrix, rows), wanted)  # type: ignore[arg-type]


def _read_strings(path: Path) -> list[bytes]:
    check_memory(path, _OBJECT_BYTES * path.stat().st_size)
    try:
        strings: Any = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        strings = None
    if not isinstance(strings, list) or not all(isinstance(text, str) for text in strings):
        raise BadContent(f"{path} is not a list of strings.")
    return list(map(to_bytes, strings))


def _read_key_to_row(path: Path, rows: int) -> dict[int, int]:
    try:
        import msgpack
    except ImportError:
        raise MissingExtra("SpaCy's vectors folder", "formats") from None
    size = path.stat().st_size
    check_memory(path, _OBJECT_BYTES * size)
    try:
        # A map of integers to integers: nothing nested, which could take far more memory.
        content: Any = msgpack.unpackb(
            path.read_bytes(),
            strict_map_key=False,
            max_map_len=size // 2,
            max_array_len=0,
            max_str_len=0,
            max_bin_len=0,
            max_ext_len=0,
        )
        if not all(type(number) is int for pair in content.items() for number in pair):
            raise ValueError("not integers")
        row_of: dict[int, int] = content
    except Exception:  # a damaged file can raise almost anything
        raise BadContent(f"{path} is a damaged or cut-off map of words to rows.") from None
    if any(not -1 <= row < rows for row in row_of.values()):
        raise BadContent(f"{path} names rows that the matrix of {rows:,} rows does not have.")
    return {key: row for key, row in row_of.items() if row >= 0}


class _ReorderedRows:
    """Rows of a matrix in another order, read when they are sliced."""

    def __init__(self, matrix: Any, rows: Any) -> None:
        self._matrix, self._rows = matrix, rows
        self.shape, self.ndim, self.dtype = (len(rows), matrix.shape[1]), 2, matrix.dtype

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._matrix[self._rows[index]]


FORMAT = Format(
    name="spaCy folder",
    matches=lambda source: _find_folder(source) is not None,
    read=read,
    files=files,
)
