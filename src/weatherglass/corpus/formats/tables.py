"""CSV and TSV with a header line: a column of texts, and columns about them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import Any

from weatherglass._files import Input
from weatherglass.errors import BadContent, WeatherglassError, quote_safe

from ..document import MAX_DOCUMENT, Document
from .format import CorpusFormat, Reading, text_column, to_documents
from .text import lines


def _reader(delimiter: str) -> Callable[[Input, Reading], Iterator[Document]]:
    def read(source: Input, reading: Reading) -> Iterator[Document]:
        """Yield the rows."""
        rows = _delimited_rows(source, reading.encoding, delimiter)
        header = next(rows, [])
        column = text_column(header, reading, source.path)
        named = (dict(zip(header, row, strict=True)) for row in rows)
        yield from to_documents(named, column, reading, source.path)

    return read


def _columns(delimiter: str) -> Callable[[Input, Reading], list[str]]:
    def columns(source: Input, reading: Reading) -> list[str]:
        """The header without the column of texts."""
        header = next(_delimited_rows(source, reading.encoding, delimiter), [])
        text = text_column(header, reading, source.path)
        return [name for name in header if name != text]

    return columns


def _delimited_rows(source: Input, encoding: str | None, delimiter: str) -> Iterator[list[str]]:
    """The header, then each row that is not blank."""
    if csv.field_size_limit() < MAX_DOCUMENT:  # one number for the process; a text can be long
        csv.field_size_limit(MAX_DOCUMENT)
    reader = csv.reader(lines(source, encoding), delimiter=delimiter, strict=True)
    width = 0
    try:
        for row in reader:
            if not any(row):
                continue
            if not width:
                width = len(row)
                row = [name.strip() for name in row]
            elif len(row) != width:
                raise BadContent(
                    f"{source.path}, line {reader.line_num:,}: has {len(row)} columns; the header "
                    f"has {width}."
                )
            yield row
    except csv.Error as error:
        place = f"{source.path}, line {reader.line_num:,}"
        raise BadContent(f"{place}: not a table ({error}).") from None


_OPTIONS = ("text", "documents", "encoding")
CSV = CorpusFormat("csv", (".csv",), _reader(","), _OPTIONS, _columns(","))
TSV = CorpusFormat("tsv", (".tsv", ".tab"), _reader("\t"), _OPTIONS, _columns("\t"))


def read_json_lines(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield the objects. Values that are lists or objects are passed over."""
    rows = _json_rows(source, reading.encoding)
    first = next(rows, None)
    if first is None:
        return
    column = text_column(first, reading, source.path)

    def all_rows() -> Iterator[dict[str, str | None]]:
        yield first
        yield from rows

    yield from to_documents(all_rows(), column, reading, source.path)


def _json_rows(source: Input, encoding: str | None) -> Iterator[dict[str, str | None]]:
    for number, line in enumerate(lines(source, encoding), start=1):
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "nested too deep or a number too long")
            place = f"{source.path}, line {number:,}"
            raise BadContent(f"{place}: not JSON ({reason}); expected an object a line.") from None
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise BadContent(
                f"{source.path}, line {number:,}: a JSON {kind}; expected an object a line, such "
                'as {"text": "…", "year": 1840}.'
            )
        yield {_clean(name): _plain(one) for name, one in value.items()}


def _plain(value: Any) -> str | None:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _clean(text: str) -> str:
    """JSON can spell halves of characters, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


JSON_LINES = CorpusFormat(
    "jsonl", (".jsonl", ".ndjson"), read_json_lines, ("text", "documents", "encoding")
)


_STEP = 1 << 10


def read_parquet(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield the rows. Columns that are not text, numbers or dates are passed over."""
    if source.compression or not source.head.startswith(b"PAR1"):
        inside = f" inside {source.compression}; unpack it" if source.compression else ""
        raise BadContent(f"{source.path}: expected a Parquet file, not one{inside}.")
    column = reading.text or "text"
    yield from to_documents(_parquet_rows(source, reading), column, reading, source.path)


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


def _parquet_rows(source: Input, reading: Reading) -> Iterator[dict[str, str | None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pa.memory_map(str(source.path)) as mapped, pq.ParquetFile(mapped) as file:
            kinds = {field.name: field.type for field in file.schema_arrow}
            column = text_column(list(kinds), reading, source.path)
            wanted = [name for name, kind in kinds.items() if _is_plain(kind)]
            if column not in wanted:
                raise BadContent(
                    f"{source.path}: {quote_safe(column)} is {kinds[column]}, not text."
                )
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


PARQUET = CorpusFormat("parquet", (".parquet",), read_parquet, ("text", "documents"), columns)
