"""Rows of a table as documents: which column is the text, and which rows belong together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from weatherglass.errors import BadContent, UsageError, did_you_mean, few, shown

from .documents import Document, joined
from .formats import Reading

TEXT = "text"
_SHOWN = 20


def text_column(columns: Collection[str], reading: Reading, path: Path) -> str:
    """The column that holds the text: the one that was named, or ``text``.

    >>> text_column(["body", "year"], Reading(text="body"), Path("letters.csv"))
    'body'
    """
    for name in (reading.text or TEXT, reading.documents):
        if name is not None and name not in columns:
            raise _missing(name, columns, reading, path)
    return reading.text or TEXT


def _missing(
    name: str, columns: Collection[str], reading: Reading, path: Path
) -> UsageError | BadContent:
    listed = few(map(shown, columns), _SHOWN) or "none"
    there = f"{path} has no column {shown(name)}; its columns are {listed}."
    if name in (reading.text, reading.documents):
        return UsageError(there + did_you_mean(name, columns))
    return BadContent(f"{there} Say which holds the text: {path.name}?text=COLUMN.")


def to_documents(
    rows: Iterable[Mapping[str, str | None]], column: str, reading: Reading, path: Path
) -> Iterator[Document]:
    """Rows as documents; neighbouring rows are one document where the reader asked for that."""
    documents = (_document(row, column) for row in rows)
    if reading.documents is None:
        return documents
    return joined(documents, reading.documents, str(path))


def _document(row: Mapping[str, str | None], column: str) -> Document:
    meta = {name: value for name, value in row.items() if value and name != column}
    return Document(row.get(column) or "", meta)
