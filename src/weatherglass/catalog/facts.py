"""Facts: one number of the world per word, from a table in CSV."""

from __future__ import annotations

import math
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from weatherglass._files import printable_path, read_csv_rows
from weatherglass.errors import CatalogError, quote_safe


def load_facts(path: str | PathLike[str]) -> dict[str, float]:
    """Read a number per word from a CSV file.

    Parameters
    ----------
    path
        A file with a header line and at least the columns ``word`` and ``value``; commas between
        the columns, tabs if the name ends in ``.tsv``.

    Returns
    -------
    dict
        Word to number, in the order of the file.

    Raises
    ------
    CatalogError
        With the line, if a column is missing, a word comes twice or a value is not a number.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "women.csv")
    ...     _ = file.write_text("word,value\\nnurse,90.1\\nplumber,0.7\\n", encoding="utf-8")
    ...     load_facts(file)
    {'nurse': 90.1, 'plumber': 0.7}
    """
    path = Path(path)
    where = printable_path(path)
    facts: dict[str, float] = {}
    for line, (word, value) in read_csv_rows(path, ("word", "value")):
        number = _number(value, f"{where}, line {line}: value")
        if number is None:
            raise CatalogError(f"{where}, line {line}: value is empty; a number was expected.")
        if not word.strip():
            raise CatalogError(f"{where}, line {line}: word is empty; a word was expected.")
        if word in facts:
            raise CatalogError(
                f"{where}, line {line}: {quote_safe(word)} is there twice. Keep one."
            )
        facts[word] = number
    if not facts:
        raise CatalogError(f"{where}: has no line after the header; one word a line was expected.")
    return facts


def computed_facts(path: Path, rule: str) -> dict[str, float]:
    """Facts that are worked out from the figures of one of the catalogue's own tables."""
    return _RULES[rule](path)


def _weighted_mean(path: Path) -> dict[str, float]:
    """Percentage of women per label, over all rows that carry it, weighted by the number employed.

    An empty cell is a figure that was not published: that row counts for nothing, and a label
    with no complete row is an error, never a zero.
    """
    where = printable_path(path)
    totals: dict[str, tuple[float, float]] = {}
    columns = ("label", "employed_thousands", "percent_women")
    for line, (label, employed, percent) in read_csv_rows(path, columns):
        weight = _number(employed, f"{where}, line {line}: {columns[1]}")
        value = _number(percent, f"{where}, line {line}: {columns[2]}")
        total, women = totals.get(label, (0.0, 0.0))
        if weight is not None and value is not None:
            total, women = total + weight, women + weight * value
        totals[label] = (total, women)
    for label, (total, _) in totals.items():
        if total <= 0:
            raise CatalogError(f"{where}: no row for {quote_safe(label)} has both figures.")
    return {label: women / total for label, (total, women) in totals.items()}


def _share(path: Path) -> dict[str, float]:
    """Percentage of women among those who bear a name, were there as many women as men."""
    where = printable_path(path)
    shares: dict[str, float] = {}
    columns = ("name", "percent_of_women", "percent_of_men")
    for line, (name, of_women, of_men) in read_csv_rows(path, columns):
        women = _number(of_women, f"{where}, line {line}: {columns[1]}")
        men = _number(of_men, f"{where}, line {line}: {columns[2]}")
        if women is None or men is None or women + men <= 0:
            raise CatalogError(f"{where}, line {line}: {quote_safe(name)} lacks a figure.")
        shares[name] = 100 * women / (women + men)
    return shares


_RULES: dict[str, Callable[[Path], dict[str, float]]] = {
    "weighted mean": _weighted_mean,
    "share": _share,
}


def _number(text: str, where: str) -> float | None:
    """The number in a cell; None if the cell is empty."""
    if not text.strip():
        return None
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise CatalogError(f"{where} is {quote_safe(text)}; a number such as 12.5 was expected.")
    return number
