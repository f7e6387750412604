"""Metadata of documents: a table with a row for each file, and the check of a column's name.

The table is given as in ``letters?about=letters.csv``.
"""

from __future__ import annotations

from collections.abc import Iterable
from os.path import isfile
from pathlib import Path

from weatherglass._files import Input
from weatherglass.corpus.formats import text
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)

from .corpus import Corpus, CorpusFile
from .formats import CorpusFormat, Reading, text_column

_FILE_COLUMN = "file"
_TEXT_UNITS = ("file", "lines", "paragraphs")
# How much of a corpus is read to find its columns, where no header lists them.
_MAX_DOCUMENTS = 1000
_MAX_CHARACTERS = 1 << 20
_MAX_FILES = 100
_MAX_LISTED_COLUMNS = 20

FileMetadata = dict[str, dict[str, str]]


def read_file_metadata(path: Path, form: CorpusFormat | None) -> FileMetadata:
    """Return the metadata of each file that a table names, in the table's order."""
    if not isfile(path):
        raise SourceNotFound(f"There is no file {quote_safe(str(path), 1000)} for about=.")
    if form is None or "text" not in form.options:
        raise UsageError(f"{path} is not a table; about= takes CSV, TSV, JSON Lines or Parquet.")
    metadata: FileMetadata = {}
    # The readers of tables return the text column and the others: here the file names are the text.
    for name, columns in form.read(Input(path), Reading(text=_FILE_COLUMN)):
        if name in metadata:
            raise BadContent(f"{path} has a duplicate row for the file {quote_safe(name)}.")
        metadata[name] = columns
    return metadata


def metadata_columns(metadata: FileMetadata) -> list[str]:
    """Return the columns that have a value, in the order of their first value.

    >>> metadata_columns({"1.txt": {"writer": "Ann"}, "2.txt": {"writer": "Bea", "year": "1841"}})
    ['writer', 'year']
    """
    return list(dict.fromkeys(name for columns in metadata.values() for name in columns))


def joining_column(documents: str | None, metadata: FileMetadata, table: Path) -> str | None:
    """Return the column of the table that ``documents=`` names, by which files are joined.

    Return None if ``documents=`` says what one document is inside a file.
    """
    columns = metadata_columns(metadata)
    if documents is None or documents in columns:
        return documents
    suggestion = did_you_mean(documents, columns)
    if suggestion and documents not in _TEXT_UNITS:
        raise UsageError(f"{table} has no column {quote_safe(documents)}." + suggestion)
    return None


def select_files(
    files: tuple[CorpusFile, ...], metadata: FileMetadata, table: Path, column: str | None
) -> tuple[tuple[CorpusFile, ...], tuple[str, ...]]:
    """Return the files that the table names, in its order, and the names of the other files.

    Files with the same value in `column` follow the first of them.
    """
    by_name = {file.name: file for file in files}
    missing = [name for name in metadata if name not in by_name]
    if missing:
        raise BadContent(
            f"{table} names files that do not exist: {join_first(map(quote_safe, missing))}."
            + did_you_mean(missing[0], by_name)
        )
    unnamed = (file.name for file in files if file.name not in metadata and file.path != table)
    names = metadata if column is None else _sort_by_value(metadata, column)
    return tuple(by_name[name] for name in names), tuple(unnamed)


def _sort_by_value(metadata: FileMetadata, column: str) -> list[str]:
    """Return the file names so that equal values are neighbours, each at its first occurrence."""
    first_position: dict[str, int] = {}
    positions = {
        name: first_position.setdefault(columns[column], position)
        if column in columns
        else position
        for position, (name, columns) in enumerate(metadata.items())
    }
    return sorted(positions, key=positions.__getitem__)


def check_column(corpus: Corpus, column: str) -> None:
    """Refuse a column that a corpus does not have.

    The headers of tables list all columns. Where there is no header, the first documents are read;
    later ones may have more columns, so only a name that looks like a typo is refused.

    Raises
    ------
    UsageError
        There is no such column.
    """
    columns, is_complete = _find_columns(corpus)
    if column not in columns and (is_complete or did_you_mean(column, columns)):
        raise missing_column(corpus.source, column, columns)


def missing_column(source: str, column: str, columns: Iterable[str]) -> UsageError:
    """Return the error for a column that no document has."""
    names = list(dict.fromkeys(columns))
    listed = join_first(map(quote_safe, names), _MAX_LISTED_COLUMNS) or "none"
    return UsageError(
        f"No document of {source} has a value for {quote_safe(column)}; the columns are {listed}."
        + did_you_mean(column, names)
    )


def _find_columns(corpus: Corpus) -> tuple[list[str], bool]:
    """Return the known columns, and whether these are certainly all."""
    if not corpus.files:
        documents = corpus.in_memory
        return list(dict.fromkeys(name for document in documents for name in document.meta)), True
    columns: dict[str, None] = {}
    is_complete = len(corpus.files) <= _MAX_FILES
    for file in corpus.files[:_MAX_FILES]:
        if not file.path.stat().st_size:
            continue
        if file.form.header is None or not file.form.is_header_complete:
            is_complete = False
            continue
        header = file.form.header(Input(file.path, corpus.options), corpus.reading)
        text_of_row = text_column(header, corpus.reading, file.path) if header else ""
        columns |= dict.fromkeys(name for name in header if name != text_of_row)
    if len(corpus.files) > 1 or any(file.form is text.PLAIN_TEXT for file in corpus.files):
        columns |= dict.fromkeys(("file", "folder"))
    columns |= dict.fromkeys(metadata_columns(corpus.file_metadata))
    if not is_complete:
        columns |= dict.fromkeys(_columns_of_documents(corpus))
    return list(columns), is_complete


def _columns_of_documents(corpus: Corpus) -> dict[str, None]:
    """Return the columns of the first documents."""
    columns: dict[str, None] = {}
    characters = 0
    for count, document in enumerate(corpus.documents(), 1):
        columns |= dict.fromkeys(document.meta)
        characters += len(document.text)
        if count == _MAX_DOCUMENTS or characters > _MAX_CHARACTERS:
            break
    return columns
