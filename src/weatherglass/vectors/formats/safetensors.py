"""Safetensors with a word list in another file, and model2vec folders, which have the same layout.

A file is a length, a JSON header and raw numbers. It is read as strictly as the reference
implementation reads it (``Metadata::validate`` in safetensors 0.6).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input
from weatherglass.errors import BadContent, UsageError, join_first, quote_safe

from .file_table import FileTable
from .format import HISTORY, Chunk, Format, WantedWords, encode_history
from .wordlist import find_word_list, iter_chunks, read_words, write_with_words

if TYPE_CHECKING:
    from ..vectors import Vectors

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1", "U8": "u1"}
_BITS = {  # of a number of each type; types that cannot be vectors may be in the same file
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 64),
    **dict.fromkeys(("F32", "I32", "U32"), 32),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 16),
    **dict.fromkeys(("I8", "U8", "BOOL", "F8_E5M2", "F8_E4M3", "F8_E8M0"), 8),
    **dict.fromkeys(("F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    "F4": 4,
}
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
    table = _load(path, source.options.get("tensor"))
    return iter_chunks(source, read_words(words, len(table)), table, wanted)


def describe(source: Input) -> dict[str, str]:
    """Return the tensor and the word list."""
    path, words = files(source)
    name, _, _ = _choose_tensor(path, source.options.get("tensor"))
    return {"words from": words.name, "vectors from": f"tensor {quote_safe(name)}"}


def _load(path: Path, tensor: str | None) -> NDArray[Any]:
    name, entry, start = _choose_tensor(path, tensor)
    if entry.dtype not in _DTYPES or min(entry.shape) < 1:
        raise _mismatch(path, name)
    shape = (entry.shape[0], entry.shape[1])
    table = FileTable(path, start + entry.first, shape, np.dtype(_DTYPES[entry.dtype]))
    return _Bfloat16Table(table) if entry.dtype == "BF16" else table  # type: ignore[return-value]


def _choose_tensor(path: Path, tensor: str | None) -> tuple[str, _Tensor, int]:
    """Return the name of the tensor to read, the tensor, and where the data begins."""
    header, start = _read_header(path)
    tensors = _check_tensors(path, header, path.stat().st_size - start)
    tables = {name: entry for name, entry in tensors.items() if len(entry.shape) == 2}
    name = tensor or next((n for n in _TABLE_NAMES if n in tables), None)
    if name is None and len(tables) == 1:
        name = next(iter(tables))
    if name not in tables:
        listed = join_first(map(quote_safe, tables), 10) or "none"
        raise UsageError(
            f"{path} has these tables: {listed}; choose one with {path.name}?tensor=NAME."
        )
    return name, tables[name], start


@dataclass(frozen=True)
class _Tensor:
    """A tensor of the header: its bytes are from `first` to `last` after the header."""

    dtype: str
    shape: tuple[int, ...]
    first: int
    last: int


def _check_tensors(path: Path, header: dict[str, Any], size: int) -> dict[str, _Tensor]:
    """Return the tensors, if the header is as strict as the reference implementation demands.

    Shapes and offsets are integers, each tensor has exactly the bytes of its shape, and the tensors
    fill the `size` bytes after the header without gaps or overlaps.
    """
    tensors = {
        name: _parse_tensor(path, name, entry)
        for name, entry in header.items()
        if name != "__metadata__"
    }
    end = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].first, item[1].last)):
        if tensor.first != end:
            raise _mismatch(path, name)
        end = tensor.last
    if end != size:
        raise BadContent(
            f"{path}: the data does not match its header, which describes {end:,} bytes where the "
            f"file has {size:,}. It may be cut off."
        )
    return tensors


def _parse_tensor(path: Path, name: str, entry: Any) -> _Tensor:
    try:
        dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
        first, last = offsets
        is_valid = (
            isinstance(shape, list)
            and isinstance(offsets, list)
            and all(type(n) is int and 0 <= n < 1 << 63 for n in (*shape, first, last))
            and 8 * (last - first) == math.prod(shape) * _BITS[dtype]
        )
    except (KeyError, ValueError, TypeError):
        is_valid = False
    if not is_valid:
        raise _mismatch(path, name)
    return _Tensor(dtype, tuple(shape), first, last)


def _mismatch(path: Path, name: str) -> BadContent:
    return BadContent(
        f"{path}: the tensor {quote_safe(name)} does not match its header, or the file is cut off."
    )


class _Bfloat16Table:
    """A table of BF16 numbers (the upper half of a float32), converted when it is sliced."""

    def __init__(self, halves: FileTable) -> None:
        self._halves = halves
        self.shape, self.ndim, self.dtype = halves.shape, 2, np.dtype(np.float32)

    def __len__(self) -> int:
        return len(self._halves)

    def __getitem__(self, index: Any) -> Any:
        return (self._halves[index].astype(np.uint32) << 16).view(np.float32)


def _read_header(path: Path) -> tuple[dict[str, Any], int]:
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        is_possible = length <= min(_MAX_HEADER_BYTES, path.stat().st_size)
        raw = file.read(length) if is_possible else b""
    try:
        header = json.loads(raw, object_pairs_hook=_refuse_duplicates)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or len(raw) != length:
        raise BadContent(
            f"{path} is a damaged or cut-off safetensors file: it does not begin with a header in "
            "JSON that names each tensor once."
        )
    return header, 8 + length


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(entries := dict(pairs)) != len(pairs):
        raise ValueError("duplicate key")
    return entries


def write(vectors: Vectors, path: Path) -> None:
    """Write a table ``embeddings``, and the words to a file ``.safetensors.vocab``."""
    is_double = vectors.matrix.dtype == np.float64
    entry = {
        "dtype": "F64" if is_double else "F32",
        "shape": list(vectors.matrix.shape),
        "data_offsets": [0, vectors.matrix.nbytes],
    }
    history = encode_history(vectors).decode()
    metadata = {"__metadata__": {HISTORY: history}} if history else {}
    header = json.dumps({**metadata, "embeddings": entry}).encode()
    header += b" " * (-len(header) % 8)
    with write_with_words(vectors, path) as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.write(np.ascontiguousarray(vectors.matrix, dtype="<f8" if is_double else "<f4").data)


def read_history(source: Input) -> bytes | None:
    """Return the history in the metadata."""
    path = _tensor_file(source)
    assert path is not None
    metadata = _read_header(path)[0].get("__metadata__")
    text = metadata.get(HISTORY) if isinstance(metadata, dict) else None
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else None


FORMAT = Format(
    name="safetensors",
    options=("vocab", "tensor"),
    matches=lambda source: _tensor_file(source) is not None,
    read=read,
    files=files,
    describe=describe,
    suffixes=(".safetensors",),
    write=write,
    history=read_history,
)
