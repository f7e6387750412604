"""Tables with a column of texts and columns of metadata: CSV, TSV, JSON Lines and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from weatherglass._files import (
    Input,
    check_levels,
    decoded_size,
    has_shared_prefixes,
    max_unpacked_size,
    parquet_sizes,
    too_large_error,
)
from weatherglass.errors import BadContent, TooLarge, WeatherglassError, quote_safe

from .format import (
    DEFAULT_TEXT_COLUMN,
    MAX_DOCUMENT_CHARACTERS,
    CorpusFormat,
    Document,
    Reading,
    text_column,
    to_documents,
)
from .text import read_lines

_TABLE_OPTIONS = ("text", "documents", "encoding")
_PARQUET_BATCH_ROWS = 1 << 10
_PARQUET_BATCH_BYTES = 64 << 20
_MAX_FIELD_LINES = 1 << 20  # of CSV, inside quotation marks
# Values of a line of JSON, in memory about 70 bytes each; commas in a long text count as well.
_MAX_JSON_VALUES = 4 << 20


def _delimited_reader(delimiter: str) -> Callable[[Input, Reading], Iterator[Document]]:
    def read(source: Input, reading: Reading) -> Iterator[Document]:
        """Yield each row as a document."""
        rows = _delimited_rows(source, reading.encoding, delimiter)
        header = next(rows, [])
        column = text_column(header, reading, source.path)
        named_rows = (dict(zip(header, row, strict=True)) for row in rows)
        yield from to_documents(named_rows, column)

    return read


def _delimited_header(delimiter: str) -> Callable[[Input, Reading], list[str]]:
    def header(source: Input, reading: Reading) -> list[str]:
        return next(_delimited_rows(source, reading.encoding, delimiter), [])

    return header


def _delimited_rows(source: Input, encoding: str | None, delimiter: str) -> Iterator[list[str]]:
    """Yield the header, then each row that is not blank."""
    # The limit is global to the process, and its default is shorter than many texts.
    if csv.field_size_limit() < MAX_DOCUMENT_CHARACTERS:
        csv.field_size_limit(MAX_DOCUMENT_CHARACTERS)
    width, line_of_row = 0, 0

    def lines() -> Iterator[str]:
        for number, line in enumerate(read_lines(source, encoding)):
            if number - line_of_row > _MAX_FIELD_LINES:
                raise TooLarge(
                    f"{source.path}, line {line_of_row + 1:,}: a field of more than "
                    f"{_MAX_FIELD_LINES:,} lines. A quotation mark may not be closed."
                )
            yield line

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            line_of_row = reader.line_num
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


CSV = CorpusFormat("csv", (".csv",), _delimited_reader(","), _TABLE_OPTIONS, _delimited_header(","))
TSV = CorpusFormat(
    "tsv", (".tsv", ".tab"), _delimited_reader("\t"), _TABLE_OPTIONS, _delimited_header("\t")
)


def read_json_lines(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield each object as a document, without values that are lists or objects."""
    rows = _json_rows(source, reading.encoding)
    first = next(rows, None)
    if first is None:
        return
    column = text_column(first, reading, source.path)

    def all_rows() -> Iterator[dict[str, str | None]]:
        yield first
        yield from rows

    yield from to_documents(all_rows(), column)


def _json_header(source: Input, reading: Reading) -> list[str]:
    """Return the keys of the first object."""
    return list(next(_json_rows(source, reading.encoding), {}))


def _json_rows(source: Input, encoding: str | None) -> Iterator[dict[str, str | None]]:
    for number, line in enumerate(read_lines(source, encoding), start=1):
        if line.isspace():
            continue
        place = f"{source.path}, line {number:,}"
        if len(line) > _MAX_JSON_VALUES and sum(map(line.count, "[{,")) > _MAX_JSON_VALUES:
            raise TooLarge(f"{place}: an object with more than {_MAX_JSON_VALUES:,} values.")
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "nested too deeply or a number is too long")
            raise BadContent(
                f"{place}: not JSON ({reason}); expected one object per line."
            ) from None
        if not isinstance(row, dict):
            raise BadContent(
                f"{place}: a JSON {type(row).__name__}; expected one object per line, such as "
                '{"text": "…", "year": 1840}.'
            )
        yield {_replace_surrogates(name): _json_to_text(value) for name, value in row.items()}


def _json_to_text(value: Any) -> str | None:
    if isinstance(value, str):
        return _replace_surrogates(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which JSON can escape but no UTF-8 file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


JSON_LINES = CorpusFormat(
    "jsonl",
    (".jsonl", ".ndjson"),
    read_json_lines,
    _TABLE_OPTIONS,
    _json_header,
    is_header_complete=False,
)


def read_parquet(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield each row as a document, without columns that are not text, numbers or dates."""
    if source.compression:
        raise BadContent(
            f"{source.path}: a Parquet file cannot be read inside {source.compression}; "
            "decompress it."
        )
    if not source.head.startswith(b"PAR1"):
        raise BadContent(f"{source.path}: expected a Parquet file; this is something else.")
    column = reading.text or DEFAULT_TEXT_COLUMN
    yield from to_documents(_parquet_rows(source, reading), column)


def _parquet_header(source: Input, reading: Reading) -> list[str]:
    """Return the columns that can be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(source.path)
    except (pa.ArrowException, OSError, ValueError):
        return []  # reading the file reports what is wrong with it
    return [field.name for field in schema if _is_scalar(field.type)]


def _parquet_rows(source: Input, reading: Reading) -> Iterator[dict[str, str | None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pa.OSFile(str(source.path)) as raw, pq.ParquetFile(raw) as file:
            types = {field.name: field.type for field in file.schema_arrow}
            column = text_column(list(types), reading, source.path)
            names = [name for name, type_ in types.items() if _is_scalar(type_)]
            if column not in names:
                raise BadContent(
                    f"{source.path}: {quote_safe(column)} is {types[column]}, not text."
                )
            texts = [name for name in names if _is_text(types[name])]
            check_levels(raw, file.metadata)
            shared = [name for name in texts if has_shared_prefixes(file.metadata, name)]
            with open(source.path, "rb") as pages:
                unpacked = parquet_sizes(pages, file.metadata, names)[1]
        if unpacked > (limit := max_unpacked_size(source.size)):
            raise too_large_error(source.path, limit)
        # As a dictionary, a text that is repeated a million times takes memory only once. Texts
        # that share prefixes cannot be read so; any of them may be as long as all together.
        dictionaries = [name for name in texts if name not in shared]
        rows = _PARQUET_BATCH_BYTES // (unpacked + 1) if shared else _PARQUET_BATCH_ROWS
        rows = min(max(1, rows), _PARQUET_BATCH_ROWS)
        with (
            pa.OSFile(str(source.path)) as raw,
            pq.ParquetFile(raw, read_dictionary=dictionaries) as file,
        ):
            if column in shared:  # refuse before the first of millions of words is counted
                batches = file.iter_batches(rows, columns=[column])
                for size in accumulate(decoded_size(batch.column(column)) for batch in batches):
                    if size > limit:
                        raise too_large_error(source.path, limit)
            size = 0
            for batch in file.iter_batches(rows, columns=names):
                size += decoded_size(batch.column(column)) if column in texts else 0
                in_batch = sum(decoded_size(batch.column(name)) for name in texts)
                if size > limit or in_batch > max(limit, _PARQUET_BATCH_BYTES):
                    raise too_large_error(source.path, limit)
                columns = {name: _cast_to_text(batch.column(name)) for name in names}
                yield from pa.table(columns).to_pylist()
    except WeatherglassError:
        raise
    except Exception as error:  # pyarrow raises many types for a damaged file
        reason = str(error).split("\n")[0][:200]
        raise BadContent(f"{source.path} is a damaged or cut-off table ({reason}).") from None


def _is_text(type_: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    return bool(types.is_string(type_) or types.is_large_string(type_))


def _is_scalar(type_: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    predicates = (
        *(types.is_string, types.is_large_string, types.is_boolean),
        *(types.is_integer, types.is_floating, types.is_date, types.is_timestamp),
    )
    return any(is_type(type_) for is_type in predicates)


def _cast_to_text(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.large_string())


PARQUET = CorpusFormat(
    "parquet", (".parquet",), read_parquet, ("text", "documents"), _parquet_header
)
