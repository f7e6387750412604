"""A file of names: one a line, or a table whose numeric columns are facts about them."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weatherglass._files import printable_path, read_text
from weatherglass.errors import CatalogError, join_first, quote_safe

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
    where = printable_path(path)
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
            f"{where}, line {line}: is {quote_safe(delimiter.join(header))}; "
            "a header such as name,births was expected."
        )
    twice = [name for name, times in Counter(filter(None, header)).items() if times > 1]
    if twice:
        raise CatalogError(f"{where}, line {line}: has the column {quote_safe(twice[0])} twice.")


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


WORDS = 4  # in one name, as in "Maria de los Angeles"
LENGTH = 100  # characters
SPELLINGS = "spellings"  # the column with other ways to write a name, and | between them
_UNKNOWN = {"", "na", "n/a", "nan", "none", "null"}  # as R and pandas write an empty cell
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_PROSE = re.compile(r"(?:[!?:]|[^\W\d_]{4}\.)$")  # how a sentence ends, and "Davis Jr." does not

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class NameFile:
    """What a file of names holds.

    `facts` has one value a name, None where it is not known; `ignored` names the columns that are
    no facts, and `notes` says what a reader of the file should know.
    """

    names: tuple[str, ...]
    facts: dict[str, Values] = field(default_factory=dict)
    spellings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_names(path: Path) -> NameFile:
    """Read a file of names; what is no such file is refused with the line that shows it."""
    table = read_table(path)
    names, columns = _split(table)
    _no_prose(table, names)
    written = columns.pop(SPELLINGS, [])
    facts, ignored = {}, []
    for column, cells in columns.items():
        values = _values(table, column, cells)
        if values is None:
            ignored.append(column or "(no name)")
        else:
            facts[column] = values
    kept = _each_once(table, names, facts)
    notes = []
    if len(kept) < len(names):
        notes.append(f"{len(names) - len(kept):,} lines repeat a name; each is used once.")
    if ignored:
        notes.append(
            f"Not used, because they hold no numbers: {join_first(map(quote_safe, ignored))}."
        )
    others = {names[row]: _others(written[row]) for row in kept if written}
    return NameFile(
        names=tuple(names[row] for row in kept),
        facts={column: tuple(values[row] for row in kept) for column, values in facts.items()},
        spellings={name: ways for name, ways in others.items() if ways},
        ignored=tuple(ignored),
        notes=tuple(notes),
    )


def _split(table: Table) -> tuple[list[str], dict[str, list[str]]]:
    """The names, and every other column under its name."""
    lower = [cell.lower() for cell in table.header]
    first = lower.index("name") if "name" in lower else 0
    names = [_name(table, row, cells[first]) for row, cells in enumerate(table.rows)]
    return names, {
        column: [cells[k].strip() for cells in table.rows]
        for k, column in enumerate(table.header)
        if k != first
    }


def _name(table: Table, row: int, cell: str) -> str:
    """A cell as a name, or what makes it none."""
    name = " ".join(cell.split())
    words = len(name.replace("_", " ").split())
    if words > WORDS:
        problem = f"has {words} words; one name a line was expected, of at most {WORDS} words."
    elif len(name) > LENGTH:
        problem = f"has {len(name):,} characters; one name a line was expected."
    elif not any(map(str.isalnum, name)):
        problem = f"has {quote_safe(name)} for a name; a letter or a digit was expected in it."
    elif _CONTROL.search(name):
        problem = f"has a control character in {quote_safe(name)}; a name was expected."
    elif "," in name or ";" in name:
        problem = (
            f"has {quote_safe(name)}; one name a line was expected, or a table with a header in a "
            "file that ends in .csv or .tsv."
        )
    else:
        return name
    raise table.error(row, problem)


def _no_prose(table: Table, names: Sequence[str]) -> None:
    """Refuse verse, and running text with one word a line."""
    ends = [row for row, name in enumerate(names) if _PROSE.search(name, len(name) - 5)]
    if len(ends) > max(2, len(names) / 10):
        raise table.error(
            ends[0],
            f"{quote_safe(names[ends[0]])} ends as a sentence does, and so do {len(ends) - 1:,} of the "
            f"other {len(names) - 1:,} lines; one name a line was expected.",
        )
    times = Counter(names)
    repeats = len(names) - len(times)
    if len(names) >= 20 and repeats > len(names) / 2:
        name, most = times.most_common(1)[0]
        raise CatalogError(
            f"{table.where}: {repeats:,} of {len(names):,} lines repeat a name, {quote_safe(name)} "
            f"{most:,} times; a list with each name once was expected."
        )


def _values(table: Table, column: str, cells: Sequence[str]) -> list[float | None] | None:
    """The numbers of a column; None if it is not one of numbers.

    Where most cells are numbers, one that is not is a slip and not a reason to drop them all.
    """
    values = [number(cell) for cell in cells]
    odd = [
        row
        for row, cell in enumerate(cells)
        if values[row] is None and cell.lower() not in _UNKNOWN
    ]
    numbers = len(values) - values.count(None)
    if not column or not numbers or len(odd) >= numbers:
        return None
    if odd:
        seen = quote_safe(cells[odd[0]])
        raise table.error(
            odd[0], f"{quote_safe(column)} is {seen}; a number or nothing was expected."
        )
    return values


def _each_once(
    table: Table, names: Sequence[str], facts: dict[str, list[float | None]]
) -> list[int]:
    """The rows of the names, each where it is first; a name with two sets of facts is an error."""
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        at = first.setdefault(name, row)
        for column, values in facts.items():
            if values[at] != values[row]:
                raise table.error(
                    row,
                    f"{quote_safe(name)} is also on line {table.lines[at]}, with another "
                    f"{quote_safe(column)}. Keep one.",
                )
    return list(first.values())


def _others(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(part.split()) for part in cell.split("|"))))
