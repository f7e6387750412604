"""Plain text: a document is a file, a line or a paragraph."""

from __future__ import annotations

import io
from collections.abc import Iterator

from weatherglass._files import Input
from weatherglass.errors import UsageError, quote_safe

from .decoding import open_text
from .format import MAX_DOCUMENT_CHARACTERS, CorpusFormat, Document, Reading, check_size

_BLOCK_SIZE = 1 << 20


def check_encoding(name: str) -> str:
    """Return the name of a text encoding; refuse one that Python does not know.

    >>> check_encoding("latin1")
    'latin1'
    """
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name).close()
    except (LookupError, ValueError):
        raise UsageError(
            f"There is no text encoding {quote_safe(name)}. Common ones are utf-8, latin-1, cp1252 "
            "and utf-16."
        ) from None
    return name


def read_lines(source: Input, encoding: str | None) -> Iterator[str]:
    """Yield the lines of a file with their line ends unchanged."""
    with open_text(source, encoding) as text:
        number = 0
        while line := text.readline(MAX_DOCUMENT_CHARACTERS + 1):
            number += 1
            check_size(len(line), f"{source.path}, line {number:,}")
            yield line


def read_plain_text(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield the documents of a file."""
    unit = reading.unit("file", "lines", "paragraphs")
    if unit == "lines":
        for line in read_lines(source, reading.encoding):
            yield Document(line.rstrip("\r\n"), {})
    elif unit == "paragraphs":
        yield from (Document(text, {}) for text in _read_paragraphs(source, reading.encoding))
    else:
        yield Document(_read_whole(source, reading.encoding), {})


def _read_whole(source: Input, encoding: str | None) -> str:
    blocks, size = [], 0
    with open_text(source, encoding) as text:
        while block := text.read(_BLOCK_SIZE):
            size += len(block)
            check_size(size, str(source.path))
            blocks.append(block)
    return "".join(blocks)


def _read_paragraphs(source: Input, encoding: str | None) -> Iterator[str]:
    """Yield the text between blank lines."""
    lines: list[str] = []
    size = 0
    for line in read_lines(source, encoding):
        if line.isspace():
            yield "".join(lines)
            lines, size = [], 0
        else:
            size += len(line)
            check_size(size, str(source.path))
            lines.append(line)
    yield "".join(lines)


PLAIN_TEXT = CorpusFormat(
    "text",
    (".txt", ".text"),
    read_plain_text,
    ("documents", "encoding"),
    lambda source, reading: (),
)
