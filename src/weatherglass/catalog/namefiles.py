"""A file of names: one a line, or a table whose numeric columns are facts about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weatherglass.catalog.nametables import Table, number, read_table
from weatherglass.errors import CatalogError, few, shown

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
        notes.append(f"Not used, because they hold no numbers: {few(map(shown, ignored))}.")
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
        problem = f"has {shown(name)} for a name; a letter or a digit was expected in it."
    elif _CONTROL.search(name):
        problem = f"has a control character in {shown(name)}; a name was expected."
    elif "," in name or ";" in name:
        problem = (
            f"has {shown(name)}; one name a line was expected, or a table with a header in a "
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
            f"{shown(names[ends[0]])} ends as a sentence does, and so do {len(ends) - 1:,} of the "
            f"other {len(names) - 1:,} lines; one name a line was expected.",
        )
    times = Counter(names)
    repeats = len(names) - len(times)
    if len(names) >= 20 and repeats > len(names) / 2:
        name, most = times.most_common(1)[0]
        raise CatalogError(
            f"{table.where}: {repeats:,} of {len(names):,} lines repeat a name, {shown(name)} "
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
        seen = shown(cells[odd[0]])
        raise table.error(odd[0], f"{shown(column)} is {seen}; a number or nothing was expected.")
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
                    f"{shown(name)} is also on line {table.lines[at]}, with another "
                    f"{shown(column)}. Keep one.",
                )
    return list(first.values())


def _others(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(part.split()) for part in cell.split("|"))))
