"""Parquet and Arrow tables: a column of words and a column of vectors, or one column a number."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weatherglass.errors import BadContent

from .chunks import Chunk, Wanted
from .formats import Format
from .inputs import Input
from .wordlists import pair_up
from .writing import whole

if TYPE_CHECKING:
    from .vectors import Vectors


def matches(source: Input) -> bool:
    """Parquet or Arrow, by its first bytes."""
    return not source.packing and source.head.startswith((b"PAR1", b"ARROW1"))


def read(source: Input, wanted: Wanted | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    table = _table(source.path)
    words = _text_column(source.path, table)
    return pair_up(source, words, _numbers(source.path, table), wanted)


def first_text_column(path: Path) -> list[bytes]:
    """The words in a table that serves as a vocabulary."""
    return _text_column(path, _table(path))


def _table(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open(path, "rb") as file:
            parquet = file.read(4) == b"PAR1"
        if parquet:
            return pq.read_table(path, memory_map=True)
        with pa.memory_map(str(path)) as mapped:
            return pa.ipc.open_file(mapped).read_all()
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).split("\n")[0]
        raise BadContent(f"{path} is a damaged or cut-off table ({reason}).") from None


def _text_column(path: Path, table: Any) -> list[bytes]:
    import pyarrow as pa
    from pyarrow import types

    for column in table.columns:
        kind = column.type
        if types.is_dictionary(kind):
            kind = kind.value_type
        if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind):
            if column.null_count:
                raise BadContent(f"{path}: {column.null_count:,} rows have no word.")
            return list(column.cast(pa.large_binary()).to_pylist())
    raise BadContent(f"{path} has no column of words: {', '.join(table.column_names)}.")


def _numbers(path: Path, table: Any) -> Any:
    import pyarrow as pa
    from pyarrow import types

    for column in table.columns:
        if types.is_fixed_size_list(column.type) or types.is_list(column.type):
            whole_column = column.combine_chunks()
            flat = whole_column.flatten()
            width = len(flat) // max(1, len(column))
            lengths = set(pa.compute.unique(pa.compute.list_value_length(column)).to_pylist())
            if column.null_count or flat.null_count or lengths != {width}:
                raise BadContent(
                    f"{path}: its vectors have {_some(lengths)} numbers, expected one width."
                )
            return flat.to_numpy(zero_copy_only=False).reshape(-1, width)
    columns = [
        column.to_numpy()
        for column in table.columns
        if types.is_floating(column.type) or types.is_integer(column.type)
    ]
    if not columns:
        raise BadContent(f"{path} has no column of vectors: {', '.join(table.column_names)}.")
    return np.column_stack(columns)


def _some(lengths: set[Any]) -> str:
    return ", ".join(sorted(map(str, lengths))[:5])


def write(vectors: Vectors, path: Path) -> None:
    """Write columns ``word`` and ``vector``; words that are not UTF-8 make the column binary."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = pa.array(list(vectors.words.iter_raw()), pa.binary())
    with contextlib.suppress(pa.ArrowInvalid):
        words = words.cast(pa.string())
    flat = pa.array(np.ascontiguousarray(vectors.matrix).ravel())
    rows = pa.FixedSizeListArray.from_arrays(flat, vectors.dim)
    table = pa.table({"word": words, "vector": rows})
    with whole(path) as temporary:
        if path.suffix == ".parquet":
            pq.write_table(table, temporary, compression="zstd")
        else:
            with pa.ipc.new_file(str(temporary), table.schema) as writer:
                writer.write_table(table)


FORMAT = Format(
    name="Arrow or Parquet",
    matches=matches,
    read=read,
    suffixes=(".parquet", ".arrow"),
    write=write,
)
