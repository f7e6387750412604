"""The rows of a file of names: a plain list, or a table with a header."""

from __future__ import annotations

import csv
import io
import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weatherglass.catalog.textfiles import name_of, read_text
from weatherglass.errors import CatalogError, shown

MOST = 1_000_000  # lines; more than any vocabulary has names
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t", ".tab": "\t"}


@dataclass(frozen=True)
class Table:
    """Rows of cells, each with its line in the file; a plain list has one column, called name."""

    where: str
    header: Sequence[str]
    lines: Sequence[int]
    rows: Sequence[Sequence[str]]

    def error(self, row: int, problem: str) -> CatalogError:
        """An error that names the line of a row."""
        return CatalogError(f"{self.where}, line {self.lines[row]}: {problem}")


def read_table(path: Path) -> Table:
    """Read the rows of a file of names, each as long as the header."""
    where = name_of(path)
    if os.path.isdir(path):
        raise CatalogError(f"{where}: is a folder; a file with one name a line was expected.")
    text = read_text(path)
    if "\0" in text:
        raise CatalogError(f"{where}: is not text; a file with one name a line was expected.")
    if (count := text.count("\n")) > MOST:
        raise CatalogError(f"{where}: has {count:,} lines; at most {MOST:,} names were expected.")
    delimiter = _delimiter(path.suffix.lower(), text)
    if delimiter:
        rows = _delimited(where, text, delimiter)
    else:
        rows = [(n, [line.strip()]) for n, line in enumerate(_lines(text), 1) if line.strip()]
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    if len(header) == 1:
        # One column needs no header: all it could say is that these are names.
        rows = rows[1:] if header[0].lower() == "name" else rows
        header = ["name"]
    elif header:
        _check_header(where, rows[0][0], header, delimiter)
        rows = rows[1:]
    if not rows:
        raise CatalogError(f"{where}: has no names; one name a line was expected.")
    table = Table(where, header, [line for line, _ in rows], [cells for _, cells in rows])
    for row, cells in enumerate(table.rows):
        if len(cells) != len(header):
            columns = "one column" if len(cells) == 1 else f"{len(cells)} columns"
            raise table.error(
                row,
                f"has {columns}; the first line has {len(header)}. One name a line was expected, "
                "or a table.",
            )
    return table


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, comments blanked so that line numbers stay right."""
    for line in io.StringIO(text, newline=None):
        yield "\n" if line.lstrip().startswith("#") else line


def _delimiter(suffix: str, text: str) -> str:
    """What stands between the columns; empty for a list of one name a line.

    A file that is not called a table is one if its first line has a column called name.
    """
    first = next((line for line in _lines(text) if line.strip()), "")
    if suffix in _DELIMITERS:
        marks = _DELIMITERS[suffix]
        return next((mark for mark in marks if mark in first), marks[0])
    for mark in ",;\t":
        cells = [cell.strip(' "\n').lower() for cell in first.split(mark)]
        if len(cells) > 1 and "name" in cells:
            return mark
    return ""


def _delimited(where: str, text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        reason = str(error).replace("\t", "tab")
        raise CatalogError(f"{where}, line {reader.line_num}: not CSV ({reason}).") from None


def _check_header(where: str, line: int, header: Sequence[str], delimiter: str) -> None:
    named = "name" in map(str.lower, header)
    if not named and any(number(cell) is not None for cell in header):
        raise CatalogError(
            f"{where}, line {line}: is {shown(delimiter.join(header))}; "
            "a header such as name,births was expected."
        )
    twice = [name for name, times in Counter(filter(None, header)).items() if times > 1]
    if twice:
        raise CatalogError(f"{where}, line {line}: has the column {shown(twice[0])} twice.")


def number(cell: str) -> float | None:
    """The number in a cell; None if it is anything else.

    >>> number("1e3"), number("1_000"), number("inf")
    (1000.0, None, None)
    """
    try:
        value = math.nan if "_" in cell else float(cell)
    except ValueError:
        value = math.nan
    return value if math.isfinite(value) else None
