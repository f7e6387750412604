"""Documents, and the interface of a corpus format.

The table of all formats is `weatherglass.corpus.open.FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from weatherglass._files import Input
from weatherglass._languages import COLUMNS
from weatherglass.errors import (
    BadContent,
    TooLarge,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)

MAX_DOCUMENT_CHARACTERS = 256 << 20  # a document is held in memory as a whole
DEFAULT_TEXT_COLUMN = "text"
_MAX_LISTED_COLUMNS = 20
_MAX_REPR_CHARACTERS = 40


class Document(NamedTuple):
    """A text and its metadata: a value for each column."""

    text: str
    meta: dict[str, str]

    @property
    def language(self) -> str:
        """The language that its metadata state, as they spell it; empty if they state none."""
        return next((self.meta[name] for name in COLUMNS if self.meta.get(name)), "")

    def __repr__(self) -> str:
        text = quote_safe(self.text, _MAX_REPR_CHARACTERS)
        names = (quote_safe(name, _MAX_REPR_CHARACTERS) for name in self.meta)
        columns = join_first(names, 3)
        return f"<Document {text}: {len(self.text):,} characters{'; ' if columns else ''}{columns}>"


def group_rows(rows: Iterable[Document], column: str, where: str) -> Iterator[list[Document]]:
    """Yield the rows of each document: neighbouring rows with the same value in `column`.

    Rows without a value are documents of their own.

    >>> rows = [Document(text, {"id": id}) for text, id in [("a b", "1"), ("c", "1"), ("d", "2")]]
    >>> [[row.text for row in document] for document in group_rows(rows, "id", "rows.csv")]
    [['a b', 'c'], ['d']]
    """
    together: list[Document] = []
    size = 0
    for row in rows:
        if together and (
            column not in row.meta or row.meta[column] != together[0].meta.get(column)
        ):
            yield together
            together, size = [], 0
        together.append(row)
        size += len(row.text)
        check_size(size, where)
    if together:
        yield together


def merge_rows(rows: Sequence[Document]) -> Document:
    """Return rows as one document, with the metadata of the first of them.

    >>> merge_rows([Document("a b", {"year": "1841"}), Document("c", {"year": "1842"})]).text
    'a b\\nc'
    """
    return rows[0] if len(rows) == 1 else Document("\n".join(r.text for r in rows), rows[0].meta)


def check_size(size: int, where: str) -> None:
    """Refuse a document that is too long to be held in memory."""
    if size > MAX_DOCUMENT_CHARACTERS:
        raise TooLarge(
            f"{where}: a document has more than {MAX_DOCUMENT_CHARACTERS >> 20} million "
            "characters. Split it: in plain text, use ?documents=lines or ?documents=paragraphs."
        )


@dataclass(frozen=True)
class Reading:
    """The user's options for reading a corpus.

    Its `repr` is part of a corpus's fingerprint: renaming the class or a field would make every
    training folder look as if its corpus had changed.

    Attributes
    ----------
    text
        The column that holds the text.
    documents
        What one document is: ``file``, ``lines`` or ``paragraphs``; in a table, a column.
    encoding
        The text encoding; UTF-8 if None.
    """

    text: str | None = None
    documents: str | None = None
    encoding: str | None = None

    def unit(self, *allowed: str) -> str:
        """Return what one document is, out of the `allowed` units; the first is the default."""
        if self.documents is not None and self.documents not in allowed:
            raise UsageError(
                f"documents={quote_safe(self.documents)} is not one of {', '.join(allowed)}."
            )
        return self.documents or allowed[0]


@dataclass(frozen=True, repr=False)
class CorpusFormat:
    """A file format of corpora.

    Attributes
    ----------
    name
        Its name in ``?format=``.
    suffixes
        The file name suffixes that it has.
    read
        Yields the documents of a file.
    options
        The options of `Reading` that it supports.
    header
        Returns the columns of a table, which are at its beginning.
    is_header_complete
        Whether later rows have no other columns.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Input, Reading], Iterator[Document]]
    options: tuple[str, ...]
    header: Callable[[Input, Reading], Sequence[str]] | None = None
    is_header_complete: bool = True

    def __repr__(self) -> str:
        return f"<CorpusFormat {self.name}>"


def text_column(columns: Collection[str], reading: Reading, path: Path) -> str:
    """Return the column that holds the text: the one that the user named, or ``text``.

    >>> text_column(["body", "year"], Reading(text="body"), Path("letters.csv"))
    'body'
    """
    for name in (reading.text or DEFAULT_TEXT_COLUMN, reading.documents):
        if name is not None and name not in columns:
            raise _missing_column(name, columns, reading, path)
    return reading.text or DEFAULT_TEXT_COLUMN


def _missing_column(
    name: str, columns: Collection[str], reading: Reading, path: Path
) -> UsageError | BadContent:
    listed = join_first(map(quote_safe, columns), _MAX_LISTED_COLUMNS) or "none"
    message = f"{path} has no column {quote_safe(name)}; its columns are {listed}."
    if name in (reading.text, reading.documents):
        return UsageError(message + did_you_mean(name, columns))
    return BadContent(f"{message} Say which column holds the text: {path.name}?text=COLUMN.")


def to_documents(rows: Iterable[Mapping[str, str | None]], column: str) -> Iterator[Document]:
    """Yield each row as a document; `Corpus` joins those that the user calls one document."""
    return (_row_to_document(row, column) for row in rows)


def _row_to_document(row: Mapping[str, str | None], column: str) -> Document:
    meta = {name: value for name, value in row.items() if value and name != column}
    return Document(row.get(column) or "", meta)
