"""Files of association tables: CSV, TSV, Parquet and Arrow, wide or long; ``table:FILE``."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from weatherglass._files import (
    atomic_write,
    check_memory,
    delimited_text,
    max_parsed_size,
    printable_path,
    read_text,
    write_text,
)
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    TooLarge,
    UsageError,
    join_first,
    quote_safe,
)
from weatherglass.vectors import Spec, arrow_table, check_options, is_frame, read_arrow_file

from .association_table import AssociationTable

TABLE_SCHEME = "table"
LONG = ("target", "attribute", "value")
OPTIONS = ("rows", *LONG, "trial")
MAX_TEXT_CELLS = 4_000_000
"""Cells of an Arrow table that become objects of Python: about 6 s of processor time and 0.2 GB."""

_DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
_ARROW_SUFFIXES = (".parquet", ".arrow", ".feather")
_ROW_NAMES = ("target", "targets", "word", "words", "row", "rows")
_FORMULA_STARTS = ("=", "+", "-", "@")

_LONG_BYTES = 16
"""What a value of a long table counts for, where the size of its wide form is limited."""

Column = Sequence[Any]


def open_table(spec: Spec) -> AssociationTable:
    """Open ``table:FILE?rows=COLUMN``, or a long form with ``target``, ``attribute``, ``value``."""
    check_options(spec, OPTIONS)
    if not spec.rest:
        raise UsageError(f"{quote_safe(spec.text)} names no file: write table:FILE.")
    return read_table(spec.rest, spec.options, spec.text)


def read_table(
    path: str | PathLike[str], columns: Mapping[str, str], name: str = ""
) -> AssociationTable:
    """Read a file; `columns` are the options of `AssociationTable.from_frame`."""
    file = Path(path)
    if not file.is_file():
        raise SourceNotFound(f"There is no file {quote_safe(str(path), 1000)}.")
    source = name or str(path)
    suffix = file.suffix.lower()
    if suffix in _DELIMITERS:
        return _build(_read_delimited(file, _DELIMITERS[suffix]), source, columns)
    if suffix in _ARROW_SUFFIXES:
        return _build(_arrow_columns(read_arrow_file(file), source), source, columns)
    known = ", ".join((*_DELIMITERS, *_ARROW_SUFFIXES))
    raise UsageError(f"{quote_safe(str(path))} is no table: its name must end in one of {known}.")


def table_from_frame(frame: Any, name: str, columns: Mapping[str, str]) -> AssociationTable:
    """Return the association table in a data frame."""
    if not is_frame(frame):
        raise UsageError(
            f"{type(frame).__name__} is no table of pandas, polars or Arrow; give the numbers as "
            "AssociationTable(values, rows=targets, columns=attributes)."
        )
    return _build(_arrow_columns(arrow_table(frame), name), name, columns)


def write_table(table: AssociationTable, path: str | PathLike[str]) -> None:
    """Write a wide table; numbers in text have all their digits."""
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix in _DELIMITERS:
        write_text(file, format_table(table, _DELIMITERS[suffix]))
    elif suffix in _ARROW_SUFFIXES:
        import pyarrow as pa

        if "target" in table.columns:
            raise UsageError("A column is called 'target': write the table as CSV.")
        content: dict[str, Any] = {"target": list(table.rows)}
        content |= {word: table.values[:, k] for k, word in enumerate(table.columns)}
        with atomic_write(file) as temporary:
            _write_arrow(pa.table(content), temporary, suffix)
    else:
        known = ", ".join((*_DELIMITERS, *_ARROW_SUFFIXES))
        raise UsageError(f"The name of a table must end in one of {known}, not {suffix!r}.")


def format_table(table: AssociationTable, delimiter: str = ",") -> str:
    """Return a wide table as CSV or TSV, with all digits."""
    rows: list[list[Any]] = [["target", *table.columns]]
    for word, values in zip(table.rows, table.values.tolist(), strict=True):
        rows.append([word, *("" if math.isnan(value) else repr(value) for value in values)])
    return delimited_text(rows, delimiter)


def _write_arrow(table: Any, path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
        return
    import pyarrow as pa

    with pa.OSFile(str(path), "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def _read_delimited(path: Path, delimiter: str) -> dict[str, Column]:
    """Return the columns of a CSV file as text."""
    name = printable_path(path)
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise BadContent(f"{name}, line {reader.line_num}: not CSV ({error}).") from None
    if not lines:
        raise BadContent(f"{name} is empty.")
    header = [_plain(cell.strip()) for cell in lines[0][1]]
    duplicate, times = Counter(header).most_common(1)[0]
    if times > 1:
        raise BadContent(f"{name} has several columns called {quote_safe(duplicate)}.")
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise BadContent(
                f"{name}, line {line}: {len(row)} cells, but the header has {len(header)}."
            )
    return {
        column: [_plain(row[k].strip()) for _, row in lines[1:]] for k, column in enumerate(header)
    }


def _plain(cell: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from running it."""
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA_STARTS) else cell


def _arrow_columns(table: Any, name: str) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    from pyarrow import types

    are_numbers = [
        (types.is_integer(column.type) or types.is_floating(column.type)) and not column.null_count
        for column in table.columns
    ]
    if (texts := table.num_rows * are_numbers.count(False)) > MAX_TEXT_CELLS:
        raise TooLarge(
            f"{name} has {texts:,} cells of text, or of columns in which values are missing; at "
            f"most {MAX_TEXT_CELLS:,} can be read. Average the trials of each pair first, or leave "
            "out columns."
        )
    for column_name, column, is_number in zip(
        table.schema.names, table.columns, are_numbers, strict=True
    ):
        if is_number:
            columns[column_name] = column.to_numpy()  # a list would take ten times the memory
            continue
        listed = column.to_pylist()
        columns[column_name] = [
            cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell for cell in listed
        ]
    return columns


def _build(table: Mapping[str, Column], name: str, options: Mapping[str, str]) -> AssociationTable:
    unknown = next((option for option in options if option not in OPTIONS), None)
    if unknown is not None:
        raise UsageError(
            f"A table has no option {quote_safe(unknown)}. It takes {', '.join(OPTIONS)}."
        )
    for option, column in options.items():
        if column not in table:
            raise UsageError(
                f"{name} has no column {quote_safe(column)} ({option}=); its columns are "
                f"{join_first(map(quote_safe, table), 10)}."
            )
    chosen = {option: options.get(option, option) for option in LONG}
    is_long = "rows" not in options and all(column in table for column in chosen.values())
    if not is_long and any(option in options for option in LONG):
        missing = next(option for option, column in chosen.items() if column not in table)
        raise UsageError(f"The long form of {name} needs a column {missing}: name it {missing}=.")
    return _build_long(table, name, chosen) if is_long else _build_wide(table, name, options)


def _build_long(
    table: Mapping[str, Column], name: str, chosen: Mapping[str, str]
) -> AssociationTable:
    """Average the values of each pair, so that the unit of a test stays the word."""
    targets, attributes = (
        _words(table[chosen[option]], name, chosen[option]) for option in ("target", "attribute")
    )
    values = _numbers(table[chosen["value"]], name, chosen["value"])
    rows = {word: k for k, word in enumerate(dict.fromkeys(targets))}
    columns = {word: k for k, word in enumerate(dict.fromkeys(attributes))}
    _check_size(name, len(rows), len(columns), len(targets))
    sums, counts = np.zeros((len(rows), len(columns))), np.zeros((len(rows), len(columns)))
    known = ~np.isnan(values)
    at = (
        np.array([rows[word] for word in targets], dtype=np.intp)[known],
        np.array([columns[word] for word in attributes], dtype=np.intp)[known],
    )
    np.add.at(sums, at, values[known])
    np.add.at(counts, at, 1.0)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    return AssociationTable(means, rows, columns, source=name)


def _check_size(name: str, rows: int, columns: int, values: int) -> None:
    """Refuse a long table whose wide form is far larger than itself, or than the memory."""
    size = 3 * 8 * rows * columns  # sums, counts and means
    if size > max_parsed_size(_LONG_BYTES * values):
        raise TooLarge(
            f"{name}: {values:,} values are too few for {rows:,} targets and {columns:,} "
            "attributes: nearly all pairs would have no value. Leave out the other words."
        )
    check_memory(Path(name), size)


def _build_wide(
    table: Mapping[str, Column], name: str, options: Mapping[str, str]
) -> AssociationTable:
    rows = options.get("rows") or _find_row_column(table, name)
    columns = [column for column in table if column != rows]
    if not columns:
        raise BadContent(f"{name} has no columns of numbers.")
    targets = _words(table[rows], name, rows)
    values = np.column_stack([_numbers(table[column], name, column) for column in columns])
    try:
        return AssociationTable(values, targets, columns, source=name)
    except BadContent as error:
        raise BadContent(f"{name}: {error}") from None


def _find_row_column(table: Mapping[str, Column], name: str) -> str:
    """Return the column of targets: the first if it has words, or else one with such a name."""
    first = next(iter(table), None)
    if first is not None and not all(map(_is_number, table[first])):
        return first
    named = next((column for column in table if column.lower() in _ROW_NAMES), None)
    if named is None:
        raise BadContent(f"{name} has no column of targets; name it with ?rows=COLUMN.")
    return named


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return cell is None or cell == ""
    return True


def _words(cells: Column, name: str, column: str) -> list[str]:
    wrong = next((k for k, cell in enumerate(cells, 1) if not str(cell or "").strip()), None)
    if wrong is not None or len(cells) == 0:
        where = f"row {wrong} of" if len(cells) else "the"
        raise BadContent(f"{name}: {where} column {quote_safe(column)} has no word.")
    return [str(cell) for cell in cells]


def _numbers(cells: Column, name: str, column: str) -> Any:
    if isinstance(cells, np.ndarray):
        return cells.astype(np.float64)
    numbers = np.full(len(cells), math.nan)
    for k, cell in enumerate(cells):
        if cell is None or (isinstance(cell, str) and cell.strip().lower() in ("", "na", "nan")):
            continue
        try:
            numbers[k] = float(cell)
        except (TypeError, ValueError):
            raise BadContent(
                f"{name}: column {quote_safe(column)} has {quote_safe(str(cell))} in row {k + 1}, "
                "expected a number. If the table has other columns than targets and attributes, "
                "leave them out."
            ) from None
    return numbers
