"""What a corpus format is to the rest of the package. The table of all formats is in `opening`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weatherglass._files import Input
from weatherglass.errors import BadContent, UsageError, did_you_mean, join_first, quote_safe

from ..document import Document, join_documents


@dataclass(frozen=True)
class Reading:
    """What the user said of a corpus.

    Attributes
    ----------
    text
        The column that holds the text.
    documents
        What one document is: ``file``, ``lines`` or ``paragraphs``; in a table, a column.
    encoding
        How letters are written as bytes; UTF-8 without it.
    """

    text: str | None = None
    documents: str | None = None
    encoding: str | None = None

    def unit(self, *known: str) -> str:
        """What one document is, where there are only so many ways; the first is the usual one."""
        if self.documents is not None and self.documents not in known:
            raise UsageError(
                f"documents={quote_safe(self.documents)} is not one of {', '.join(known)}."
            )
        return self.documents or known[0]


@dataclass(frozen=True)
class CorpusFormat:
    """One format.

    Attributes
    ----------
    name
        What ``?format=`` calls it.
    suffixes
        How its files' names end.
    read
        Yields the documents of a file.
    options
        Which of the options of `Reading` it knows.
    columns
        Gives the columns besides the text, where a file names them all at its beginning.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Input, Reading], Iterator[Document]]
    options: tuple[str, ...]
    columns: Callable[[Input, Reading], Sequence[str]] | None = None


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
    listed = join_first(map(quote_safe, columns), _SHOWN) or "none"
    there = f"{path} has no column {quote_safe(name)}; its columns are {listed}."
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
    return join_documents(documents, reading.documents, str(path))


def _document(row: Mapping[str, str | None], column: str) -> Document:
    meta = {name: value for name, value in row.items() if value and name != column}
    return Document(row.get(column) or "", meta)
