"""Parquet: a column of texts, and columns about them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from weatherglass.errors import BadContent, WeatherglassError, shown
from weatherglass.vectors.inputs import Input

from .columns import text_column, to_documents
from .documents import Document
from .formats import CorpusFormat, Reading

_STEP = 1 << 10


def read(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield the rows. Columns that are not text, numbers or dates are passed over."""
    if source.packing or not source.head.startswith(b"PAR1"):
        inside = f" inside {source.packing}; unpack it" if source.packing else ""
        raise BadContent(f"{source.path}: expected a Parquet file, not one{inside}.")
    column = reading.text or "text"
    yield from to_documents(_rows(source, reading), column, reading, source.path)


def columns(source: Input, reading: Reading) -> list[str]:
    """The columns that can be read, without that of texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(source.path)
    except (pa.ArrowException, OSError, ValueError):
        return []  # what is wrong with it is told when it is read
    text = reading.text or "text"
    return [field.name for field in schema if field.name != text and _is_plain(field.type)]


def _rows(source: Input, reading: Reading) -> Iterator[dict[str, str | None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pa.memory_map(str(source.path)) as mapped, pq.ParquetFile(mapped) as file:
            kinds = {field.name: field.type for field in file.schema_arrow}
            column = text_column(list(kinds), reading, source.path)
            wanted = [name for name, kind in kinds.items() if _is_plain(kind)]
            if column not in wanted:
                raise BadContent(f"{source.path}: {shown(column)} is {kinds[column]}, not text.")
            for batch in file.iter_batches(_STEP, columns=wanted):
                texts = {name: _as_text(batch.column(name)) for name in wanted}
                yield from pa.table(texts).to_pylist()
    except WeatherglassError:
        raise
    except Exception as error:  # damage shows itself in many ways
        reason = str(error).split("\n")[0][:200]
        raise BadContent(f"{source.path} is a damaged or cut-off table ({reason}).") from None


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    tests = (
        *(types.is_string, types.is_large_string, types.is_boolean),
        *(types.is_integer, types.is_floating, types.is_date, types.is_timestamp),
    )
    return any(test(kind) for test in tests)


def _as_text(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.large_string())


FORMAT = CorpusFormat("parquet", (".parquet",), read, ("text", "documents"), columns)
