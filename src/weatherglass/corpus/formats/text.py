"""Plain text: a file is one document, or each of its lines or paragraphs is one."""

from __future__ import annotations

import codecs
import contextlib
import io
from collections.abc import Iterator

from weatherglass._files import Input, Stream
from weatherglass.errors import BadContent, UsageError, quote_safe

from ..document import MAX_DOCUMENT, Document, check_size
from .format import CorpusFormat, Reading

_BLOCK = 1 << 20
_MARKS = {  # UTF-32 before UTF-16, whose mark is the first half of its own
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def check_encoding(name: str) -> str:
    """The name of an encoding, if Python has it.

    >>> check_encoding("latin1")
    'latin1'
    """
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name).close()
    except (LookupError, ValueError):
        raise UsageError(
            f"There is no text encoding {quote_safe(name)}. Common ones are utf-8, latin-1, cp1252 and "
            "utf-16."
        ) from None
    return name


def lines(source: Input, encoding: str | None) -> Iterator[str]:
    """The lines of a file with their ends, which are not changed."""
    with _opened(source, encoding) as text:
        number = 0
        while line := text.readline(MAX_DOCUMENT + 1):
            number += 1
            check_size(len(line), f"{source.path}, line {number:,}")
            yield line


def blocks(source: Input, encoding: str | None) -> Iterator[str]:
    """The text of a file in blocks of no particular size."""
    with _opened(source, encoding) as text:
        while block := text.read(_BLOCK):
            yield block


@contextlib.contextmanager
def _opened(source: Input, encoding: str | None) -> Iterator[io.TextIOWrapper]:
    found = next((name for mark, name in _MARKS.items() if source.head.startswith(mark)), None)
    if encoding is None and found is None and b"\0" in source.head:
        raise BadContent(f"{source.path} holds NUL bytes: it is not text.")
    with (
        source.stream() as stream,
        io.BufferedReader(_Raw(stream), _BLOCK) as buffered,
        io.TextIOWrapper(buffered, encoding=encoding or found or "utf-8-sig", newline="") as text,
    ):
        try:
            yield text
        except UnicodeError as error:
            raise _not_text(source, text.encoding, error) from None


def _not_text(source: Input, encoding: str, error: UnicodeError) -> BadContent:
    """What to say of bytes that do not fit; the file is read again to find the place."""
    place = ""
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    with source.stream() as stream:
        try:
            while block := stream.read(_BLOCK):
                decoder.decode(block)
                line += block.count(b"\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as found:
            line += found.object[: found.start].count(b"\n")
            place = f", line {line:,}: byte 0x{found.object[found.start]:02x}"
        except UnicodeError:
            place = f": {error}; this"
    name = encoding.removesuffix("-sig").upper()
    return BadContent(
        f"{source.path}{place} is not {name}. Name the encoding that the file has: "
        f"{source.path.name}?encoding=latin-1."
    )


class _Raw(io.RawIOBase):
    """A stream of unpacked bytes as Python's text layer wants it."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


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


PLAIN_TEXT = CorpusFormat(
    "text", (".txt", ".text"), read, ("documents", "encoding"), lambda source, reading: ()
)
