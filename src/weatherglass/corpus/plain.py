"""Plain text: a file is one document, or each of its lines or paragraphs is one."""

from __future__ import annotations

from collections.abc import Iterator

from weatherglass.vectors.inputs import Input

from .decoding import blocks, lines
from .documents import Document, check_size
from .formats import CorpusFormat, Reading


def read(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield the documents of a file."""
    unit = reading.unit("file", "lines", "paragraphs")
    if unit == "lines":
        for line in lines(source, reading.encoding):
            yield Document(line.rstrip("\r\n"), {})
    elif unit == "paragraphs":
        yield from (Document(text, {}) for text in _paragraphs(source, reading.encoding))
    else:
        yield Document(_whole(source, reading.encoding), {})


def _whole(source: Input, encoding: str | None) -> str:
    parts, size = [], 0
    for block in blocks(source, encoding):
        size += len(block)
        check_size(size, str(source.path))
        parts.append(block)
    return "".join(parts)


def _paragraphs(source: Input, encoding: str | None) -> Iterator[str]:
    """What stands between blank lines."""
    part: list[str] = []
    size = 0
    for line in lines(source, encoding):
        if line.isspace():
            yield "".join(part)
            part, size = [], 0
        else:
            size += len(line)
            check_size(size, str(source.path))
            part.append(line)
    yield "".join(part)


FORMAT = CorpusFormat(
    "text", (".txt", ".text"), read, ("documents", "encoding"), lambda source, reading: ()
)
