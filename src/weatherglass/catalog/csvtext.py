"""CSV with a header line, every failure a plain sentence."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from weatherglass.catalog.textfiles import name_of, read_text
from weatherglass.errors import CatalogError, shown


def rows(
    path: Path, columns: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The wanted columns of each line that is not blank, with its line number.

    Commas stand between the columns, tabs if the name ends in ``.tsv``. A column of `optional`
    that the file does not have is empty in every line.
    """
    where = name_of(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if not set(columns) <= set(header):
            wanted = ", ".join(columns)
            raise CatalogError(
                f"{where}, line 1: the header is {shown(delimiter.join(header))}; "
                f"the columns {wanted} were expected."
            )
        places = [header.index(name) if name in header else -1 for name in (*columns, *optional)]
        for row in reader:
            if not any(row):
                continue
            if len(row) != len(header):
                raise CatalogError(
                    f"{where}, line {reader.line_num}: has {len(row)} columns; "
                    f"the header has {len(header)}."
                )
            yield reader.line_num, tuple("" if place < 0 else row[place] for place in places)
    except csv.Error as error:
        raise CatalogError(f"{where}, line {reader.line_num}: not CSV ({error}).") from None
