"""Lists of names with facts about the people who bear them: the catalogue's, or a user's own."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from os import PathLike
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from weatherglass._files import printable_path, read_text, read_yaml
from weatherglass.errors import UnknownEntry, did_you_mean, quote_safe

from .name_files import Values, read_names
from .provenance import DATA, Record
from .validation import complaint

_FOLDER = DATA / "names"


class Column(Record):
    """What a column of facts says of a name: a count of people, a share from 0 to 1, or a year."""

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
    """Names, and what is known of the people who bear them.

    Attributes
    ----------
    id, title
        What results call the list; for a file, its name.
    names
        The names, each once, in the order of the list; the catalogue's have the most frequent
        first.
    facts
        For each column of numbers, one value a name; None where it is not known.
    labels, units
        For each of these columns, what to print over it, and what its numbers are: ``"people"``,
        ``"share"`` (from 0 to 1), ``"year"``, or nothing where it is not known.
    spellings
        Other ways to write some of the names, most likely first.
    source
        Where the list comes from, in a line.
    ignored
        The columns of a file that hold no numbers.
    notes
        What a reader of the file should know: columns that are not used, names that were there
        twice.
    """

    id: str
    title: str
    names: tuple[str, ...]
    facts: dict[str, Values] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    spellings: dict[str, tuple[str, ...]] = field(default_factory=dict)
    source: str = ""
    ignored: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)


def load_names(which: str | PathLike[str]) -> NameList:
    """A list of names, from the catalogue or from a file.

    Parameters
    ----------
    which
        ``"ssa"`` (US first names), ``"surnames"`` (US surnames), or a UTF-8 file. A file has one
        name a line, or it is a table with a header: commas, semicolons or tabs between the columns
        in a file that ends in ``.csv``, tabs in ``.tsv``. The names stand in the column called
        ``name``, or else in the first; a column ``spellings`` has other ways to write a name, with
        ``|`` between them; every other column of numbers is a fact, and empty cells are not known.
        Blank lines, and lines that start with ``#``, are skipped. A name has at most four words,
        with spaces or underscores between them. A file that is called like a list of the catalogue
        is ``"./ssa"``.

    Raises
    ------
    UnknownEntry
        If there is no such list and no such file.
    CatalogError
        With the line, if the file is no list of names, or has a name twice with other facts.

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
        return _of_catalogue(which)
    path = Path(which)
    if (
        isinstance(which, str)
        and not path.suffix
        and path.name == which
        and not os.path.exists(path)
    ):
        known = " and ".join(name_lists())
        raise UnknownEntry(
            f"There is no list of names {quote_safe(which)}, and no such file."
            f"{did_you_mean(which, name_lists())} The catalogue has {known}."
        )
    found = read_names(path)
    return NameList(
        id=path.name,
        title=path.name,
        names=found.names,
        facts=found.facts,
        labels={column: column for column in found.facts},
        units=dict.fromkeys(found.facts, ""),
        spellings=found.spellings,
        source=printable_path(path),
        ignored=found.ignored,
        notes=found.notes,
    )


@functools.cache
def name_lists() -> Mapping[str, NameSource]:
    """The name lists of the catalogue by id, with where they come from.

    >>> [(name, one.title, one.at_least) for name, one in name_lists().items()]
    [('ssa', 'US first names', 1000), ('surnames', 'US surnames', 1000)]
    """
    path = _FOLDER / "lists.yaml"
    (records,) = read_yaml(read_text(path), path.name)
    made = {}
    for name, record in records.items():
        try:
            made[name] = NameSource.model_validate(record)
        except ValidationError as error:
            raise complaint(error, f"name list {name}", NameSource.model_fields) from None
    return made


@functools.cache
def _of_catalogue(name: str) -> NameList:
    source = name_lists()[name]
    found = read_names(_FOLDER / f"{name}.csv")
    return NameList(
        id=name,
        title=source.title,
        names=found.names,
        facts=found.facts,
        labels={column: about.label for column, about in source.columns.items()},
        units={column: about.unit for column, about in source.columns.items()},
        spellings=found.spellings,
        source=f"{source.source}; {source.years}, at least {source.at_least:,} {source.people}",
    )
