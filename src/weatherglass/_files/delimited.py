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
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows(rows if raw_cells else (map(_safe_cell, row) for row in rows))
    return stream.getvalue()


def _safe_cell(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS):
        with contextlib.suppress(ValueError):
            float(cell)
            return cell  # a number that is formatted already
        return "'" + cell
    return cell
