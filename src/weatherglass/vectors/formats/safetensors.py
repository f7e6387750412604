"""Safetensors with a word list in another file, and model2vec folders, which have the same layout.

A file is a length, a JSON header and raw numbers, so that it can be memory-mapped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input
from weatherglass.errors import BadContent, UsageError, join_first, quote_safe

from .format import Chunk, Format, WantedWords
from .wordlist import find_word_list, iter_chunks, read_words, write_with_words

if TYPE_CHECKING:
    from ..vectors import Vectors

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1", "U8": "u1"}
_TABLE_NAMES = ("embeddings", "embedding.weight", "vectors")
_MAX_HEADER_BYTES = 100 << 20  # as in the reference implementation


def _tensor_file(source: Input) -> Path | None:
    if source.is_folder:
        path = source.path / "model.safetensors"
        return path if path.is_file() else None
    head = source.head
    return (
        source.path
        if not source.compression and head[8:9] == b"{" and head[6:8] == b"\0\0"
        else None
    )


def files(source: Input) -> Sequence[Path]:
    """Return the file of tensors and the word list."""
    path = _tensor_file(source)
    assert path is not None
    return [path, find_word_list(source, path)]


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    path, words = files(source)
    return iter_chunks(source, read_words(words), _load(path, source.options.get("tensor")), wanted)


def _load(path: Path, tensor: str | None) -> NDArray[Any]:
    header, start = _read_header(path)
    tables = {name: entry for name, entry in header.items() if _is_table(entry)}
    name = tensor or next((n for n in _TABLE_NAMES if n in tables), None)
    if name is None and len(tables) == 1:
        name = next(iter(tables))
    if name not in tables:
        listed = join_first(map(quote_safe, tables), 10) or "none"
        raise UsageError(
            f"{path} has these tables: {listed}; choose one with {path.name}?tensor=NAME."
        )
    entry = tables[name]
    try:
        shape = tuple(int(n) for n in entry["shape"])
        first, last = (int(n) for n in entry["data_offsets"])
        dtype = np.dtype(_DTYPES[entry["dtype"]])
        if not 0 <= first <= last or min(shape) < 1:
            raise ValueError("offsets")
        if last - first != shape[0] * shape[1] * dtype.itemsize:
            raise ValueError("size")
        table = np.memmap(path, dtype=dtype, mode="r", offset=start + first, shape=shape)
    except (KeyError, ValueError, TypeError, OverflowError, OSError, MemoryError):
        raise BadContent(
            f"{path}: the table {quote_safe(name)} does not match its header, or the file is cut "
            "off."
        ) from None
    return _Bfloat16Table(table) if entry["dtype"] == "BF16" else table  # type: ignore[return-value]


def _is_table(entry: Any) -> bool:
    shape = entry.get("shape") if isinstance(entry, dict) else None
    return isinstance(shape, list) and len(shape) == 2


class _Bfloat16Table:
    """A table of BF16 numbers (the upper half of a float32), converted when it is sliced."""

    def __init__(self, halves: NDArray[np.uint16]) -> None:
        self._halves = halves
        self.shape, self.ndim, self.dtype = halves.shape, 2, np.dtype(np.float32)

    def __len__(self) -> int:
        return len(self._halves)

    def __getitem__(self, index: Any) -> Any:
        return (self._halves[index].astype(np.uint32) << 16).view(np.float32)


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        raw = file.read(length) if length <= _MAX_HEADER_BYTES else b""
    try:
        header = json.loads(raw)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or len(raw) != length:
        raise BadContent(f"{path} is a damaged or cut-off safetensors file.")
    return header, 8 + length


def write(vectors: Vectors, path: Path) -> None:
    """Write a table ``embeddings``, and the words to a file ``.safetensors.vocab``."""
    is_double = vectors.matrix.dtype == np.float64
    entry = {
        "dtype": "F64" if is_double else "F32",
        "shape": list(vectors.matrix.shape),
        "data_offsets": [0, vectors.matrix.nbytes],
    }
    header = json.dumps({"embeddings": entry}).encode()
    header += b" " * (-len(header) % 8)
    with write_with_words(vectors, path) as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.write(np.ascontiguousarray(vectors.matrix, dtype="<f8" if is_double else "<f4").data)


FORMAT = Format(
    name="safetensors",
    options=("vocab", "tensor"),
    matches=lambda source: _tensor_file(source) is not None,
    read=read,
    files=files,
    suffixes=(".safetensors",),
    write=write,
)
