"""HDF5: one data set per word, as in work on sentence bias, or a matrix and a list of words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weatherglass._files import (
    ROW_BYTES,
    Input,
    atomic_write,
    check_data_sets,
    check_memory,
    check_table,
    import_h5py,
    open_hdf5,
)
from weatherglass.errors import BadContent, UsageError, join_first, quote_safe

from ..vocabulary import to_bytes
from .format import Chunk, Format, WantedWords
from .wordlist import iter_chunks, join_words

if TYPE_CHECKING:
    from ..vectors import Vectors

_MATRIX, _WORDS = "embedding", "words_flatten"


def matches(source: Input) -> bool:
    """Recognise HDF5 by its first bytes."""
    return not source.compression and source.head.startswith(b"\x89HDF\r\n\x1a\n")


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    with open_hdf5(source.path) as file:
        names = _choose_data_sets(source, file)
        if names is not None:
            words, matrix = _read_matrix(source, file, *names)
        else:
            words, matrix = _read_data_sets(source, file)
    return iter_chunks(source, words, matrix, wanted)


def _choose_data_sets(source: Input, file: Any) -> tuple[str, str] | None:
    """Return the names of the word list and the matrix; None if there is a data set per word."""
    words, matrix = source.options.get("words"), source.options.get("vector")
    if (words is None) != (matrix is None):
        raise UsageError("HDF5 needs both options: ?words=NAME&vector=NAME.")
    if words is not None and matrix is not None:
        for name in (words, matrix):
            if name not in file:
                raise UsageError(
                    f"{source.path} has no data set {quote_safe(name)}; it has "
                    f"{join_first(map(quote_safe, file), 10) or 'none'}."
                )
        return words, matrix
    return (_WORDS, _MATRIX) if _MATRIX in file and _WORDS in file else None


def describe(source: Input) -> dict[str, str]:
    """Return which data sets are read as words and as vectors."""
    with open_hdf5(source.path) as file:
        names = _choose_data_sets(source, file)
    if names is None:
        return {"words from": "names of the data sets", "vectors from": "one data set per word"}
    return {
        "words from": f"data set {quote_safe(names[0])}",
        "vectors from": f"data set {quote_safe(names[1])}",
    }


def _read_matrix(source: Input, file: Any, words: str, matrix: str) -> tuple[list[bytes], Any]:
    table = file[matrix]
    _check_numbers(source, matrix, table)
    if len(table.shape) != 2:
        raise BadContent(
            f"{source.path}: {quote_safe(matrix)} has shape {table.shape}, expected rows and "
            "columns."
        )
    row_bytes = table.dtype.itemsize * table.shape[1]
    check_table(source.path, source.total_size, table.shape[0], row_bytes, in_memory=True)
    check_data_sets(source.path, source.total_size, [file[words], table])
    return _read_word_list(source, file[words]), table[()]


def _check_numbers(source: Input, name: str, data: Any) -> None:
    if data.dtype.kind not in "fiu":
        raise BadContent(
            f"{source.path}: the data set {quote_safe(name)} contains {data.dtype}, expected "
            "numbers."
        )


def _read_word_list(source: Input, data: Any) -> list[bytes]:
    """Return the words: one text with a word per line, or an array of texts."""
    if data.dtype.kind not in "SO" or (data.dtype.kind == "O" and _string_type(data) is None):
        raise BadContent(
            f"{source.path}: {quote_safe(data.name)} contains {data.dtype}, expected words."
        )
    value = data[()]
    if data.shape:
        return [word if isinstance(word, bytes) else to_bytes(str(word)) for word in value.ravel()]
    text = value if isinstance(value, bytes) else to_bytes(str(value))
    check_memory(source.path, len(text) + ROW_BYTES * text.count(b"\n"))
    return text.removesuffix(b"\n").split(b"\n")


def _string_type(data: Any) -> Any:
    return import_h5py().check_string_dtype(data.dtype)


def _read_data_sets(source: Input, file: Any) -> tuple[list[bytes], Any]:
    """Read one data set per word; their sizes and types are known before any is read."""
    h5py = import_h5py()
    data_sets: dict[str, Any] = {}

    def visit(name: str, item: Any) -> None:
        # A word with a slash became a data set inside a group: its full name is the word.
        if isinstance(item, h5py.Dataset):
            data_sets[name] = item

    file.visititems(visit)
    for name, item in data_sets.items():
        _check_numbers(source, name, item)
        if item.shape is None or max(item.shape, default=1) != item.size:
            raise BadContent(
                f"{source.path}: the data set {quote_safe(name)} has shape {item.shape}; expected "
                "one row of numbers for each word. If it is a matrix, name it and its word list: "
                f"{source.path.name}?vector=NAME&words=NAME."
            )
    widths = {item.size for item in data_sets.values()}
    if len(widths) != 1:
        lengths = sorted(widths)[:5] or "no"
        raise BadContent(
            f"{source.path}: its data sets have {lengths} numbers, expected the same number in all."
        )
    _refuse_mixture(source, data_sets)
    check_data_sets(source.path, source.total_size, data_sets.values())
    row_bytes = widths.pop() * 8
    check_table(source.path, source.total_size, len(data_sets), row_bytes, in_memory=True)
    rows = np.array([np.ravel(item[()]) for item in data_sets.values()])
    return list(map(to_bytes, data_sets)), rows


def _refuse_mixture(source: Input, data_sets: dict[str, Any]) -> None:
    """Refuse integers beside floats: they are ids or counts, not the vector of a word."""
    integers = [name for name, item in data_sets.items() if item.dtype.kind in "iu"]
    if integers and len(integers) < len(data_sets):
        raise BadContent(
            f"{source.path}: the data sets {join_first(map(quote_safe, integers))} contain "
            "integers and the others do not, so that not all are vectors of words. Remove them, "
            f"or name a matrix and its word list: {source.path.name}?vector=NAME&words=NAME."
        )


def write(vectors: Vectors, path: Path) -> None:
    """Write a matrix and a list of words."""
    h5py = import_h5py()
    words = join_words(vectors)
    with atomic_write(path) as temporary:
        try:
            with h5py.File(temporary, "w", locking=False) as file:  # `atomic_write` locks it
                file.create_dataset(_MATRIX, data=vectors.matrix)
                file.create_dataset(_WORDS, data=np.bytes_(words))
        except RuntimeError as error:  # h5py raises it when the disk is full
            match = re.search(r"error message = '([^']+)'", str(error))
            raise OSError(match[1] if match else str(error)) from None


FORMAT = Format(
    name="HDF5",
    options=("words", "vector"),
    matches=matches,
    read=read,
    describe=describe,
    suffixes=(".h5", ".hdf5"),
    write=write,
)
