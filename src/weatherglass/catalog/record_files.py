"""Files of records: tables in CSV, and records in YAML or JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weatherglass._files import printable_path, read_json, read_text, read_yaml
from weatherglass.errors import CatalogError, quote_safe

READERS = {".yaml": read_yaml, ".yml": read_yaml, ".json": read_json, ".jsonl": read_json}
"""How the documents of a file are read, by the end of its name."""


def read_mapping(path: Path, expected: str = "a mapping") -> dict[str, Any]:
    """Return the mapping that is the only document of a YAML file."""
    name = printable_path(path)
    documents = read_yaml(read_text(path), name)
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise CatalogError(f"{name}: {expected} was expected.")
    return documents[0]


def read_documents(path: Path) -> list[Any]:
    """Return all documents of a YAML or JSON file, or the values of a file in JSON Lines."""
    return READERS[path.suffix.lower()](read_text(path), printable_path(path))


def name_records(content: Any, stem: str) -> list[tuple[str, Any]]:
    """Return each record of a list, or of a mapping from id to record, with its id.

    The records of a list are numbered; a single one is called `stem`. Anything else has no records.

    >>> name_records(["p", "q"], "mine"), name_records(["p"], "mine")
    ([('mine-1', 'p'), ('mine-2', 'q')], [('mine', 'p')])
    """
    if isinstance(content, Mapping):
        return list(content.items())
    if not isinstance(content, list):
        return []
    if len(content) == 1:
        return [(stem, content[0])]
    return [(f"{stem}-{number}", record) for number, record in enumerate(content, 1)]


@dataclass(frozen=True)
class Table:
    """Rows of cells, all as long as the header, with their line numbers in the file."""

    name: str
    header: Sequence[str]
    lines: Sequence[int]
    rows: Sequence[Sequence[str]]

    def place(self, row: int) -> str:
        """Return the file and line of a row, for the beginning of a message."""
        return f"{self.name}, line {self.lines[row]}"

    def error(self, row: int, problem: str) -> CatalogError:
        """Return an error that names the line of a row."""
        return CatalogError(f"{self.place(row)}: {problem}")

    def unique_words(self) -> Iterator[tuple[int, str]]:
        """Yield each row's number and its first cell: a word, which no other row may repeat."""
        words: set[str] = set()
        for row, (word, *_) in enumerate(self.rows):
            if not word.strip():
                raise self.error(row, "word is empty; a word was expected.")
            if word in words:
                raise self.error(row, f"duplicate {quote_safe(word)}.")
            words.add(word)
            yield row, word


def read_header(path: Path) -> list[str]:
    """Return the names of a table's columns, as `read_table` finds them."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    lines = io.StringIO(read_text(path), newline="")
    (_, first), *_ = parse_rows(lines, delimiter, printable_path(path)) or [(1, [""])]
    return [column.strip() for column in first]


def read_table(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Table:
    """Read these columns of a table with a header line, in this order.

    Commas separate the columns, or tabs if the name ends in ``.tsv``. Blank lines are skipped. An
    optional column that the file does not have is empty in every row.
    """
    name = printable_path(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    lines = io.StringIO(read_text(path), newline="")
    (line, first), *rows = parse_rows(lines, delimiter, name) or [(1, [""])]
    header = [column.strip() for column in first]
    if not set(columns) <= set(header):
        raise CatalogError(
            f"{name}, line {line}: the header is {quote_safe(delimiter.join(header))}; "
            f"the columns {', '.join(columns)} were expected."
        )
    if not rows:
        raise CatalogError(f"{name}: has only a header; one word per line was expected.")
    table = make_table(name, header, rows)
    selected = [
        header.index(column) if column in header else -1 for column in (*columns, *optional)
    ]
    cells = [["" if k < 0 else row[k] for k in selected] for row in table.rows]
    return Table(name, (*columns, *optional), table.lines, cells)


def parse_rows(lines: Iterable[str], delimiter: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a CSV text that are not blank, with their line numbers."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        reason = str(error).replace("\t", "tab")
        raise CatalogError(f"{name}, line {reader.line_num}: not CSV ({reason}).") from None


def make_table(
    name: str, header: Sequence[str], rows: Sequence[tuple[int, list[str]]], hint: str = ""
) -> Table:
    """Build a table; a row that is not as long as the header is an error, which ends in `hint`."""
    table = Table(name, header, [line for line, _ in rows], [cells for _, cells in rows])
    for row, cells in enumerate(table.rows):
        if len(cells) != len(header):
            columns = "one column" if len(cells) == 1 else f"{len(cells)} columns"
            raise table.error(row, f"has {columns}; the first line has {len(header)}.{hint}")
    return table
