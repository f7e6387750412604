"""Lists of names and facts about the people who bear them: the catalogue's, or a user's file.

A file has one name per line, or is a table whose numeric columns are facts. A file that is
something else, such as running text, is refused with the line that shows it.
"""

from __future__ import annotations

import functools
import io
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Literal

from weatherglass._files import printable_path, read_text
from weatherglass.errors import CatalogError, UnknownEntry, did_you_mean, quote_safe

from ..facts import parse_number
from ..provenance import DATA, Record
from ..record_files import Table, make_table, parse_rows, read_mapping
from ..validation import validate

MAX_LINES = 1_000_000  # more than any vocabulary has names
MAX_WORDS = 4  # of a name, as in "Maria de los Angeles"
MAX_CHARACTERS = 100  # of a name
MAX_GROUPS = 100  # of names that a text column can state

PEOPLE_COLUMNS = ("people", "births", "count", "population")
"""Headers of a file's column that counts the people with a name, likeliest first."""

_FOLDER = DATA / "names"
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t", ".tab": "\t"}
_SPELLINGS = "spellings"  # the column with other spellings of a name, separated by |
_MISSING = {"", "na", "n/a", "nan", "none", "null"}  # as R and pandas write an empty cell
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SENTENCE_END = re.compile(r"(?:[!?:]|[^\W\d_]{4}\.)$")  # which "Davis Jr." is not

Values = tuple[float | None, ...]


class Column(Record):
    """A column of facts: a number of people, a share from 0 to 1, or a year."""

    label: str
    unit: Literal["people", "share", "year"]


class NameSource(Record):
    """Where a name list of the catalogue comes from, and how it was derived."""

    title: str
    people: str
    years: str
    at_least: int
    source: str
    licence: str
    url: str
    method: str
    derived: date
    columns: dict[str, Column]


@dataclass(frozen=True)
class NameList:
    """Names, and facts about the people who bear them.

    Attributes
    ----------
    id, title
        What results call the list; for a file, its name.
    names
        The names without duplicates, in the order of the list; those of the catalogue are ordered
        by frequency.
    facts
        For each numeric column, a value per name; None if it is not known.
    labels, units
        For each of these columns, its label, and the unit of its numbers: ``"people"``,
        ``"share"`` (from 0 to 1), ``"year"``, or empty if it is not known.
    spellings
        Other spellings of some of the names, most likely first.
    source
        The source of the list in one line.
    texts
        For each text column of a file, a value per name, by which names can be grouped; empty if it
        is not known, or if lines that repeat the name disagree.
    ignored
        The columns of a file that are neither numeric nor text with a header.
    notes
        What a reader of the file should know: columns that are not used, repeated names.
    """

    id: str
    title: str
    names: tuple[str, ...]
    facts: dict[str, Values] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    spellings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = ""
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The text columns that divide the names into groups: 2 to 100, not each name its own."""
        return tuple(
            column
            for column, values in self.texts.items()
            if 2 <= len(set(filter(None, values))) <= min(MAX_GROUPS, len(self.names) - 1)
        )

    @property
    def people_column(self) -> str | None:
        """The column that counts the people with a name: by its unit, or in a file by its header.

        >>> load_names("ssa").people_column, load_names("surnames").people_column
        ('births', 'count')
        """
        stated = [column for column in self.facts if self.units.get(column) == "people"]
        headers = {column.lower(): column for column in self.facts}
        named = [headers[column] for column in PEOPLE_COLUMNS if column in headers]
        return next(iter([*stated, *named]), None)


def load_names(which: str | PathLike[str]) -> NameList:
    """Load a list of names from the catalogue or from a file.

    Parameters
    ----------
    which
        ``"ssa"`` (US first names), ``"surnames"`` (US surnames), or a UTF-8 file. A file has one
        name per line, or is a table with a header: its columns are separated by commas, semicolons
        or tabs if its name ends in ``.csv``, by tabs if it ends in ``.tsv``. The names are in the
        column ``name``, or else in the first one; the column ``spellings`` has other spellings of a
        name, separated by ``|``; every other numeric column is a fact, a text column can be used as
        groups, and empty cells are missing values. Blank lines, and lines that start with ``#``,
        are skipped. A name has at most four words, separated by spaces or underscores. To use a
        file with the same name as a list of the catalogue, write ``"./ssa"``.

    Raises
    ------
    UnknownEntry
        If there is no such list and no such file.
    CatalogError
        With the line, if the file is not a list of names, or has a name twice with different facts.

    Examples
    --------
    >>> names = load_names("ssa")
    >>> len(names), names.names[:3]
    (9511, ('Michael', 'James', 'John'))
    >>> linda = names.names.index("Linda")
    >>> names.labels["share_female"], names.facts["share_female"][linda]
    ('female', 0.997)
    """
    if isinstance(which, str) and which in name_lists():
        return _load_catalogue_list(which)
    path = Path(which)
    looks_like_id = isinstance(which, str) and not path.suffix and path.name == which
    if looks_like_id and not os.path.exists(path):
        raise UnknownEntry(
            f"There is no list of names {quote_safe(str(which))}, and no such file."
            f"{did_you_mean(str(which), name_lists())} The catalogue has "
            f"{' and '.join(name_lists())}."
        )
    return _read_names(path)


@functools.cache
def name_lists() -> Mapping[str, NameSource]:
    """Return the sources of the catalogue's name lists, by id.

    >>> [(id, source.title, source.at_least) for id, source in name_lists().items()]
    [('ssa', 'US first names', 1000), ('surnames', 'US surnames', 1000)]
    """
    return {
        id: validate(NameSource, record, f"name list {id}")
        for id, record in read_mapping(_FOLDER / "lists.yaml").items()
    }


@functools.cache
def _load_catalogue_list(id: str) -> NameList:
    source = name_lists()[id]
    names = _read_names(_FOLDER / f"{id}.csv")
    return NameList(
        id=id,
        title=source.title,
        names=names.names,
        facts=names.facts,
        labels={name: column.label for name, column in source.columns.items()},
        units={name: column.unit for name, column in source.columns.items()},
        spellings=names.spellings,
        source=f"{source.source}; {source.years}, at least {source.at_least:,} {source.people}",
    )


def _read_names(path: Path) -> NameList:
    table = _read_name_table(path)
    names, columns = _split_columns(table)
    _refuse_prose(table, names)
    spellings = columns.pop(_SPELLINGS, [])
    facts, ignored, texts = {}, [], {}
    for column, cells in columns.items():
        values = _parse_column(table, column, cells)
        if values is not None:
            facts[column] = values
        elif column:
            texts[column] = ["" if cell.lower() in _MISSING else cell for cell in cells]
        else:
            ignored.append("(no name)")
    rows = _first_rows(table, names, facts)
    notes = []
    if len(rows) < len(names):
        notes.append(f"{len(names) - len(rows):,} lines repeat a name; each is used once.")
    if ignored:
        notes.append("Not used, because it has no header: a column.")
    spellings_of = {names[row]: _split_spellings(spellings[row]) for row in rows if spellings}
    return NameList(
        id=path.name,
        title=path.name,
        names=tuple(names[row] for row in rows),
        facts={column: tuple(values[row] for row in rows) for column, values in facts.items()},
        labels={column: column for column in facts},
        units=dict.fromkeys(facts, ""),
        spellings={name: others for name, others in spellings_of.items() if others},
        source=printable_path(path),
        texts={column: _agreed_values(names, rows, cells) for column, cells in texts.items()},
        ignored=tuple(ignored),
        notes=tuple(notes),
    )


def _read_name_table(path: Path) -> Table:
    """Read the rows of a file of names; a plain list has one column, called name."""
    file = printable_path(path)
    if os.path.isdir(path):
        raise CatalogError(f"{file}: is a folder; a file with one name per line was expected.")
    text = read_text(path)
    if "\0" in text:
        raise CatalogError(f"{file}: is not text; a file with one name per line was expected.")
    if (count := text.count("\n")) > MAX_LINES:
        raise CatalogError(
            f"{file}: has {count:,} lines; at most {MAX_LINES:,} names were expected."
        )
    delimiter = _find_delimiter(path.suffix.lower(), text)
    if delimiter:
        rows = parse_rows(_lines(text), delimiter, file)
    else:
        rows = [(n, [line.strip()]) for n, line in enumerate(_lines(text), 1) if line.strip()]
    header = [cell.strip() for cell in rows[0][1]] if rows else []
    if len(header) == 1:
        # A single column needs no header: all that it could say is that these are names.
        rows = rows[1:] if header[0].lower() == "name" else rows
        header = ["name"]
    elif header:
        _check_header(file, rows[0][0], header, delimiter)
        rows = rows[1:]
    if not rows:
        raise CatalogError(f"{file}: has no names; one name per line was expected.")
    return make_table(file, header, rows, " One name per line was expected, or a table.")


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text, with comments blanked so that line numbers stay right."""
    for line in io.StringIO(text, newline=None):
        yield "\n" if line.lstrip().startswith("#") else line


def _find_delimiter(suffix: str, text: str) -> str:
    """Return the delimiter of a table; empty for a list of one name per line.

    A file without the name of a table is one if its first line has a column called name.
    """
    first = next((line for line in _lines(text) if line.strip()), "")
    if suffix in _DELIMITERS:
        delimiters = _DELIMITERS[suffix]
        return next((mark for mark in delimiters if mark in first), delimiters[0])
    for mark in ",;\t":
        cells = [cell.strip(' "\n').lower() for cell in first.split(mark)]
        if len(cells) > 1 and "name" in cells:
            return mark
    return ""


def _check_header(file: str, line: int, header: Sequence[str], delimiter: str) -> None:
    has_name = "name" in map(str.lower, header)
    if not has_name and any(parse_number(cell) is not None for cell in header):
        raise CatalogError(
            f"{file}, line {line}: is {quote_safe(delimiter.join(header))}; "
            "a header such as name,births was expected."
        )
    repeated = [column for column, count in Counter(filter(None, header)).items() if count > 1]
    if repeated:
        raise CatalogError(f"{file}, line {line}: duplicate column {quote_safe(repeated[0])}.")


def _split_columns(table: Table) -> tuple[list[str], dict[str, list[str]]]:
    """Return the names, and every other column by its name."""
    lower = [cell.lower() for cell in table.header]
    name_column = lower.index("name") if "name" in lower else 0
    names = [_check_name(table, row, cells[name_column]) for row, cells in enumerate(table.rows)]
    return names, {
        column: [cells[k].strip() for cells in table.rows]
        for k, column in enumerate(table.header)
        if k != name_column
    }


def _check_name(table: Table, row: int, cell: str) -> str:
    """Return the name in a cell, with single spaces; raise if it is not a name."""
    name = " ".join(cell.split())
    words = len(name.replace("_", " ").split())
    if words > MAX_WORDS:
        problem = f"has {words} words; one name of at most {MAX_WORDS} words was expected."
    elif len(name) > MAX_CHARACTERS:
        problem = f"has {len(name):,} characters; one name per line was expected."
    elif not any(map(str.isalnum, name)):
        problem = f"has {quote_safe(name)} as a name; a name has a letter or a digit."
    elif _CONTROL.search(name):
        problem = f"has a control character in {quote_safe(name)}; a name was expected."
    elif "," in name or ";" in name:
        problem = (
            f"has {quote_safe(name)}; one name per line was expected, or a table with a header in "
            "a file that ends in .csv or .tsv."
        )
    else:
        return name
    raise table.error(row, problem)


def _refuse_prose(table: Table, names: Sequence[str]) -> None:
    """Refuse verse, and running text with one word per line."""
    ends = [row for row, name in enumerate(names) if _SENTENCE_END.search(name, len(name) - 5)]
    if len(ends) > max(2, len(names) / 10):
        raise table.error(
            ends[0],
            f"{quote_safe(names[ends[0]])} ends like a sentence, and so do {len(ends) - 1:,} of "
            f"the other {len(names) - 1:,} lines; one name per line was expected.",
        )
    counts = Counter(names)
    repeats = len(names) - len(counts)
    if len(names) >= 20 and repeats > len(names) / 2:
        name, count = counts.most_common(1)[0]
        raise CatalogError(
            f"{table.name}: {repeats:,} of {len(names):,} lines repeat a name, {quote_safe(name)} "
            f"{count:,} times; a list without repeats was expected."
        )


def _parse_column(table: Table, column: str, cells: Sequence[str]) -> list[float | None] | None:
    """Return the numbers of a column; None if the column is not numeric.

    If most cells are numbers, a cell that is not is a typo, not a reason to ignore the column.
    """
    values = [parse_number(cell) for cell in cells]
    odd = [
        row
        for row, cell in enumerate(cells)
        if values[row] is None and cell.lower() not in _MISSING
    ]
    numbers = len(values) - values.count(None)
    if not column or not numbers or len(odd) >= numbers:
        return None
    if odd:
        cell = quote_safe(cells[odd[0]])
        raise table.error(
            odd[0], f"{quote_safe(column)} is {cell}; a number or an empty cell was expected."
        )
    return values


def _first_rows(
    table: Table, names: Sequence[str], facts: dict[str, list[float | None]]
) -> list[int]:
    """Return the first row of each name; a name with different facts is an error."""
    first_rows: dict[str, int] = {}
    for row, name in enumerate(names):
        first = first_rows.setdefault(name, row)
        for column, values in facts.items():
            if values[first] != values[row]:
                raise table.error(
                    row,
                    f"{quote_safe(name)} is also on line {table.lines[first]}, with a different "
                    f"{quote_safe(column)}. Keep one.",
                )
    return list(first_rows.values())


def _agreed_values(
    names: Sequence[str], rows: Sequence[int], cells: Sequence[str]
) -> tuple[str, ...]:
    """Return the text of each name; empty where lines that repeat the name disagree."""
    values: dict[str, set[str]] = {}
    for name, cell in zip(names, cells, strict=True):
        values.setdefault(name, set()).add(" ".join(cell.split()))
    return tuple(min(known) if len(known := values[names[row]]) == 1 else "" for row in rows)


def _split_spellings(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(part.split()) for part in cell.split("|"))))
