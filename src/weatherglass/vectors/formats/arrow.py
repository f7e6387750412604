"""Parquet and Arrow tables: a column of words, and a column of vectors or one column per dimension.

An integer column named ``count`` says how often each word occurs in the training text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input, atomic_write
from weatherglass.errors import BadContent, join_first, quote_safe

from .format import Chunk, Counts, Format, WantedWords
from .wordlist import iter_chunks

if TYPE_CHECKING:
    from ..vectors import Vectors

_BATCH_ROWS = 1 << 14
_COUNT = "count"


def matches(source: Input) -> bool:
    """Recognise Parquet and Arrow by their first bytes."""
    return not source.compression and source.head.startswith((b"PAR1", b"ARROW1"))


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    widths = set()
    for batch in _batches(source.path, None):
        words, numbers = _words(source.path, batch), _numbers(source.path, batch)
        widths.add(numbers.shape[1])
        if len(widths) > 1:
            raise _ragged_error(source.path, widths)
        yield from iter_chunks(source, words, numbers, wanted, _counts(source.path, batch))


def first_text_column(path: Path) -> list[bytes]:
    """Return the words of a table that serves as a word list."""
    return [word for batch in _batches(path, _is_text) for word in _words(path, batch)]


def _batches(path: Path, is_needed: Callable[[Any], bool] | None) -> Iterator[Any]:
    """Yield the record batches of a table, of Parquet only the columns whose type is needed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pa.memory_map(str(path)) as mapped:
            if mapped.read(4) == b"PAR1":
                with pq.ParquetFile(mapped, pre_buffer=False) as file:
                    columns = is_needed and [f.name for f in file.schema_arrow if is_needed(f.type)]
                    yield from filter(len, file.iter_batches(_BATCH_ROWS, columns=columns))
                return
            reader = pa.ipc.open_file(mapped)
            for i in range(reader.num_record_batches):
                batch = reader.get_batch(i)
                # Otherwise a damaged file could be read beyond its end, or a name not be text.
                batch.validate(full=True)
                assert isinstance(batch.schema.names, list)
                yield from filter(len, [batch])
    except Exception as error:  # a damaged file can raise almost anything
        reason = str(error).split("\n")[0][:200]
        raise BadContent(f"{path} is a damaged or cut-off table ({reason}).") from None


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    checks = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(check(kind) for check in checks)


def _words(path: Path, batch: Any) -> list[bytes]:
    import pyarrow as pa

    for column in batch.columns:
        if _is_text(column.type):
            if pa.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            if column.null_count:
                raise BadContent(f"{path}: {column.null_count:,} rows have no word.")
            return list(column.cast(pa.large_binary()).to_pylist())
    raise BadContent(f"{path} has no column of words, only {_column_names(batch)}.")


def _numbers(path: Path, batch: Any) -> NDArray[Any]:
    import pyarrow.compute as pc
    from pyarrow import types

    for column in batch.columns:
        kind = column.type
        if types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind):
            flat = column.flatten()
            lengths = set(pc.unique(pc.list_value_length(column)).to_pylist())
            if flat.null_count or len(lengths) > 1 or not any(lengths):
                raise _ragged_error(path, lengths)
            return _to_numpy(path, flat).reshape(len(column), -1)
    columns = [
        _to_numpy(path, column)
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
        if types.is_floating(column.type) or (types.is_integer(column.type) and name != _COUNT)
    ]
    if not columns:
        raise BadContent(f"{path} has no column of vectors, only {_column_names(batch)}.")
    return np.column_stack(columns)


def _counts(path: Path, batch: Any) -> Counts | None:
    import pyarrow as pa

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if name == _COUNT and pa.types.is_integer(column.type):
            try:
                counts: Counts = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
            except pa.ArrowInvalid:
                raise BadContent(f"{path}: the count of a word is 2^63 or more.") from None
            if column.null_count or (counts < 0).any():
                raise BadContent(f"{path}: the count of a word is missing or negative.")
            return counts
    return None


def _to_numpy(path: Path, column: Any) -> NDArray[Any]:
    from pyarrow import types

    if types.is_floating(column.type) or types.is_integer(column.type):
        numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return numbers
    raise BadContent(f"{path}: its vectors contain {column.type}, expected numbers.")


def _column_names(batch: Any) -> str:
    return join_first(map(quote_safe, batch.schema.names), 10)


def _ragged_error(path: Path, lengths: set[Any]) -> BadContent:
    widths = join_first("no" if n is None else str(n) for n in sorted(lengths, key=str))
    return BadContent(
        f"{path}: its vectors have {widths} numbers, expected the same number in all and no gaps."
    )


def write(vectors: Vectors, path: Path) -> None:
    """Write columns ``word``, ``vector`` and, if there are counts, ``count``.

    If a word is not UTF-8, the column of words is binary.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = pa.array(list(vectors.words.iter_raw()), pa.binary())
    with contextlib.suppress(pa.ArrowInvalid):
        words = words.cast(pa.string())
    flat = pa.array(np.ascontiguousarray(vectors.matrix).ravel())
    rows = pa.FixedSizeListArray.from_arrays(flat, vectors.dim)
    columns = {"word": words, "vector": rows}
    if vectors.counts is not None:
        columns[_COUNT] = pa.array(np.asarray(vectors.counts))
    table = pa.table(columns)
    with atomic_write(path) as temporary:
        if path.suffix == ".parquet":
            pq.write_table(table, temporary, compression="zstd")
        else:
            with pa.ipc.new_file(str(temporary), table.schema) as writer:
                writer.write_table(table, max_chunksize=_BATCH_ROWS)


FORMAT = Format(
    name="Arrow or Parquet",
    matches=matches,
    read=read,
    suffixes=(".parquet", ".arrow"),
    write=write,
)
