"""Facts: one number about the world per word, from a table in CSV."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path

from weatherglass.errors import CatalogError, quote_safe

from .record_files import Table, read_table


def load_facts(path: str | PathLike[str]) -> dict[str, float]:
    """Read a number per word from a CSV file.

    Parameters
    ----------
    path
        A file with a header line and at least the columns ``word`` and ``value``, separated by
        commas, or by tabs if the name ends in ``.tsv``.

    Returns
    -------
    dict
        Word to number, in the order of the file.

    Raises
    ------
    CatalogError
        With the line, if a column is missing, a word is a duplicate or a value is not a number.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "women.csv")
    ...     _ = file.write_text("word,value\\nnurse,90.1\\nplumber,0.7\\n", encoding="utf-8")
    ...     load_facts(file)
    {'nurse': 90.1, 'plumber': 0.7}
    """
    table = read_table(Path(path), ("word", "value"))
    facts: dict[str, float] = {}
    for row, word in table.unique_words():
        number = _read_number(table, row, 1)
        if number is None:
            raise table.error(row, "value is empty; a number was expected.")
        facts[word] = number
    return facts


def load_dated_facts(path: str | PathLike[str]) -> dict[str, dict[float, float]]:
    """Read numbers per word and year from a CSV file.

    Parameters
    ----------
    path
        A file as for `load_facts`, with the column ``year`` as well: a row for each word and year.

    Returns
    -------
    dict
        Word to year to number, in the order of the file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "women.csv")
    ...     _ = file.write_text("word,year,value\\nclerk,1900,7.5\\nclerk,1950,62.2\\n")
    ...     load_dated_facts(file)
    {'clerk': {1900.0: 7.5, 1950.0: 62.2}}
    """
    table = read_table(Path(path), ("word", "year", "value"))
    facts: dict[str, dict[float, float]] = {}
    for row, cells in enumerate(table.rows):
        word = cells[0].strip()
        year, number = (_read_number(table, row, column) for column in (1, 2))
        if not word or year is None or number is None:
            raise table.error(row, "a word, a year and a value were expected.")
        if year in facts.setdefault(word, {}):
            raise table.error(row, f"duplicate {quote_safe(word)} in {year:g}.")
        facts[word][year] = number
    return facts


def has_years(path: str | PathLike[str]) -> bool:
    """Return whether a table of facts has the column ``year``."""
    table = read_table(Path(path), ("word", "value"), ("year",))
    return any(year.strip() for _, _, year in table.rows)


def fact_in(facts: Mapping[float, float], year: float) -> float | None:
    """Return the fact of a word in a year, on the line between the years before and after it.

    None if the year is before the first or after the last one.

    >>> fact_in({1900.0: 10.0, 1920.0: 30.0}, 1905.0), fact_in({1900.0: 10.0}, 1899.0)
    (15.0, None)
    """
    years = sorted(facts)
    if not years or not years[0] <= year <= years[-1]:
        return None
    after = next(known for known in years if known >= year)
    if after == year:
        return facts[after]
    before = max(known for known in years if known < year)
    share = (year - before) / (after - before)
    return facts[before] + share * (facts[after] - facts[before])


def parse_number(cell: str) -> float | None:
    """Return the finite number in a cell; None if it is anything else.

    >>> parse_number("1e3"), parse_number("1_000"), parse_number("inf")
    (1000.0, None, None)
    """
    try:
        # Python reads 1_000 as a number; in a table it is more likely to be a typo.
        number = math.nan if "_" in cell else float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def compute_facts(path: Path, rule: str) -> dict[str, float]:
    """Compute facts from the figures of one of the catalogue's own tables."""
    return _RULES[rule](path)


def _weighted_mean(path: Path) -> dict[str, float]:
    """Return the percentage of women per label: the mean of its rows, weighted by the employed.

    An empty cell is a figure that was not published: that row does not count, and a label without
    a complete row is an error, never a zero.
    """
    table = read_table(path, ("label", "employed_thousands", "percent_women"))
    totals: dict[str, tuple[float, float]] = {}
    for row, (label, *_) in enumerate(table.rows):
        weight, percent = (_read_number(table, row, column) for column in (1, 2))
        total, women = totals.get(label, (0.0, 0.0))
        if weight is not None and percent is not None:
            total, women = total + weight, women + weight * percent
        totals[label] = (total, women)
    for label, (total, _) in totals.items():
        if total <= 0:
            raise CatalogError(f"{table.name}: no row for {quote_safe(label)} has both figures.")
    return {label: women / total for label, (total, women) in totals.items()}


def _share(path: Path) -> dict[str, float]:
    """Return the percentage of women per name, if there were as many women as men."""
    table = read_table(path, ("name", "percent_of_women", "percent_of_men"))
    shares: dict[str, float] = {}
    for row, (name, *_) in enumerate(table.rows):
        women, men = (_read_number(table, row, column) for column in (1, 2))
        if women is None or men is None or women + men <= 0:
            raise table.error(row, f"{quote_safe(name)} lacks a figure.")
        shares[name] = 100 * women / (women + men)
    return shares


_RULES: dict[str, Callable[[Path], dict[str, float]]] = {
    "weighted mean": _weighted_mean,
    "share": _share,
}


def _read_number(table: Table, row: int, column: int) -> float | None:
    """Return the number in a cell; None if the cell is empty."""
    cell = table.rows[row][column]
    if not cell.strip():
        return None
    number = parse_number(cell)
    if number is None:
        raise table.error(
            row,
            f"{table.header[column]} is {quote_safe(cell)}; a number such as 12.5 was expected.",
        )
    return number
