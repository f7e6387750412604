"""Plain text: a document is a file, a line or a paragraph."""

from __future__ import annotations

import codecs
import contextlib
import io
from collections.abc import Iterator

from weatherglass._files import Input, Stream
from weatherglass.errors import BadContent, UsageError, quote_safe

from .format import MAX_DOCUMENT_CHARACTERS, CorpusFormat, Document, Reading, check_size

_BLOCK_SIZE = 1 << 20
_BYTE_ORDER_MARKS = {  # UTF-32 first: its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


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
    with _open_text(source, encoding) as text:
        number = 0
        while line := text.readline(MAX_DOCUMENT_CHARACTERS + 1):
            number += 1
            check_size(len(line), f"{source.path}, line {number:,}")
            yield line


@contextlib.contextmanager
def _open_text(source: Input, encoding: str | None) -> Iterator[io.TextIOWrapper]:
    marks = _BYTE_ORDER_MARKS.items()
    marked = next((name for mark, name in marks if source.head.startswith(mark)), None)
    if encoding is None and marked is None and b"\0" in source.head:
        raise BadContent(f"{source.path} holds NUL bytes: it is not text.")
    chosen = encoding or marked or "utf-8-sig"
    with (
        source.stream() as stream,
        io.BufferedReader(_RawStream(stream), _BLOCK_SIZE) as buffered,
        io.TextIOWrapper(buffered, encoding=chosen, newline="") as text,
    ):
        try:
            yield text
        except UnicodeError as error:
            raise _wrong_encoding(source, text.encoding, error) from None


def _wrong_encoding(source: Input, encoding: str, error: UnicodeError) -> BadContent:
    """Return the error for bytes that cannot be decoded, reading the file again for the place."""
    place = ""
    decoder, line = codecs.getincrementaldecoder(encoding)(), 1
    with source.stream() as stream:
        try:
            while block := stream.read(_BLOCK_SIZE):
                decoder.decode(block)
                line += block.count(b"\n")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as failure:
            line += failure.object[: failure.start].count(b"\n")
            place = f", line {line:,}: byte 0x{failure.object[failure.start]:02x}"
        except UnicodeError:
            place = f": {error}; this"
    name = encoding.removesuffix("-sig").upper()
    return BadContent(
        f"{source.path}{place} is not {name}. Name the file's encoding: "
        f"{source.path.name}?encoding=latin-1."
    )


class _RawStream(io.RawIOBase):
    """A decompressed stream with the interface that Python's text layer needs."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


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
    with _open_text(source, encoding) as text:
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
