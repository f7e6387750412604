"""CSV and TSV text that spreadsheets show and do not run."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterable
from typing import Any

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def delimited_text(
    rows: Iterable[Iterable[Any]], delimiter: str = ",", *, raw_cells: bool = False
) -> str:
    """Return rows as CSV or TSV.

    A spreadsheet runs a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage
    return, and words come from files that anybody may have written. Such texts get a leading
    apostrophe, which spreadsheets do not show, unless `raw_cells` is true. Numbers are unchanged.

    >>> print(delimited_text([["word", "effect"], ["=1+1", -0.5]]), end="")
    word,effect
    '=1+1,-0.5
    """
    cells = [[cell if raw_cells else _safe_cell(cell) for cell in row] for row in rows]
    # csv.writer does not quote a carriage return, but csv.reader ends the line at it.
    has_returns = any("\r" in cell for row in cells for cell in row if isinstance(cell, str))
    stream = io.StringIO()
    writer = csv.writer(
        stream,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if has_returns else csv.QUOTE_MINIMAL,
    )
    writer.writerows(cells)
    return stream.getvalue()


def _safe_cell(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
        with contextlib.suppress(ValueError):
            float(cell)
            return cell  # a number that is formatted already
        return "'" + cell
    return cell
