"""CSV and TSV with a header line: a column of texts, and columns about them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator

from weatherglass.errors import BadContent
from weatherglass.vectors.inputs import Input

from .columns import text_column, to_documents
from .decoding import lines
from .documents import MAX_DOCUMENT, Document
from .formats import CorpusFormat, Reading


def _reader(delimiter: str) -> Callable[[Input, Reading], Iterator[Document]]:
    def read(source: Input, reading: Reading) -> Iterator[Document]:
        """Yield the rows."""
        rows = _rows(source, reading.encoding, delimiter)
        header = next(rows, [])
        column = text_column(header, reading, source.path)
        named = (dict(zip(header, row, strict=True)) for row in rows)
        yield from to_documents(named, column, reading, source.path)

    return read


def _columns(delimiter: str) -> Callable[[Input, Reading], list[str]]:
    def columns(source: Input, reading: Reading) -> list[str]:
        """The header without the column of texts."""
        header = next(_rows(source, reading.encoding, delimiter), [])
        text = text_column(header, reading, source.path)
        return [name for name in header if name != text]

    return columns


def _rows(source: Input, encoding: str | None, delimiter: str) -> Iterator[list[str]]:
    """The header, then each row that is not blank."""
    if csv.field_size_limit() < MAX_DOCUMENT:  # one number for the process; a text can be long
        csv.field_size_limit(MAX_DOCUMENT)
    reader = csv.reader(lines(source, encoding), delimiter=delimiter, strict=True)
    width = 0
    try:
        for row in reader:
            if not any(row):
                continue
            if not width:
                width = len(row)
                row = [name.strip() for name in row]
            elif len(row) != width:
                raise BadContent(
                    f"{source.path}, line {reader.line_num:,}: has {len(row)} columns; the header "
                    f"has {width}."
                )
            yield row
    except csv.Error as error:
        place = f"{source.path}, line {reader.line_num:,}"
        raise BadContent(f"{place}: not a table ({error}).") from None


_OPTIONS = ("text", "documents", "encoding")
CSV = CorpusFormat("csv", (".csv",), _reader(","), _OPTIONS, _columns(","))
TSV = CorpusFormat("tsv", (".tsv", ".tab"), _reader("\t"), _OPTIONS, _columns("\t"))
