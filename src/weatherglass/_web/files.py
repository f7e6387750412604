"""Answers that a browser keeps as files: their names, how they are described, tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

FILE_PATIENCE = 30.0
"""Seconds that a file is waited for: what came instead would be kept as the file."""


def file_of(kinds: Iterable[str]) -> dict[int | str, dict[str, Any]]:
    """The `responses` entry of a route that gives a file of one of some kinds.

    >>> file_of(["text/csv"])[200]["content"]
    {'text/csv': {'schema': {'type': 'string'}}}
    """
    objects = ("application/json", "application/yaml")
    content = {
        kind.partition(";")[0]: {"schema": {} if kind in objects else {"type": "string"}}
        for kind in kinds
    }
    return {200: {"description": "The file.", "content": content}}


def csv_text(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table as CSV.

    >>> print(csv_text(["word", "p"], [("sun, moon", 0.5), ("x", None)]), end="")
    word,p
    "sun, moon",0.5
    x,
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return stream.getvalue()


def as_file(name: str, ending: str, is_file: bool = True) -> dict[str, str]:
    """The header that lets a browser keep an answer as a file.

    >>> as_file("weat 6", "csv")["Content-Disposition"]
    "attachment; filename*=UTF-8''weat%206.csv"
    """
    if not is_file:
        return {}
    plain = "".join(c if c.isalnum() or c in " -_.@" else "-" for c in name)[:80].strip(" .")
    return {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(plain or 'file')}.{ending}"
    }
