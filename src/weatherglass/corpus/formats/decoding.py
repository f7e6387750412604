"""Bytes to text: a file's encoding is the one named, that of its byte order mark, or UTF-8.

A byte that is not UTF-8 in a file whose encoding was not named is read as Windows-1252, the most
common other encoding of Western texts (it contains Latin-1), and counted in `Input.odd_bytes`. So a
folder may mix files of both encodings, and a single odd byte does not stop it. A file with so many
of them that it must be something else, such as Cyrillic or Japanese, is refused.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from weatherglass._files import Input, Stream
from weatherglass.errors import BadContent

_BLOCK_SIZE = 1 << 20
_BYTE_ORDER_MARKS = {  # UTF-32 first: its little-endian mark begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# In Western languages few letters have accents; in others nearly all bytes are odd.
_MAX_ODD_SHARE, _MIN_ODD_BYTES = 0.25, 100
_ODD = re.compile("[\udc80-\udcff]")
_WINDOWS = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


@dataclass(eq=False)
class OddBytes:
    """Replaces the odd bytes of a file, which decoding marks as lone surrogates."""

    source: Input
    characters: int = 0

    def replace(self, text: str) -> str:
        """Return the text with odd bytes read as Windows-1252, and count them.

        Raises
        ------
        BadContent
            There are too many of them.
        """
        self.characters += len(text)
        if text.isascii() or _ODD.search(text) is None:
            return text
        self.source.odd_bytes += len(_ODD.findall(text))
        odd = self.source.odd_bytes
        if odd > _MIN_ODD_BYTES and odd > _MAX_ODD_SHARE * self.characters:
            raise BadContent(
                f"{self.source.path} is not UTF-8: {odd:,} of its first {self.characters:,} "
                "characters are other bytes. Name the file's encoding: "
                f"{self.source.path.name}?encoding=latin-1."
            )
        return text.translate(_WINDOWS)


class DecodedText:
    """A text file that is open for reading."""

    def __init__(self, text: io.TextIOWrapper, odd: OddBytes | None) -> None:
        self._text, self._odd = text, odd
        self.encoding = text.encoding

    def read(self, size: int) -> str:
        """Return the next characters; empty at the end."""
        text = self._text.read(size)
        return text if self._odd is None else self._odd.replace(text)

    def readline(self, size: int) -> str:
        """Return the next line with its end, or as much of it as `size` allows."""
        text = self._text.readline(size)
        return text if self._odd is None else self._odd.replace(text)


@contextlib.contextmanager
def open_text(source: Input, encoding: str | None) -> Iterator[DecodedText]:
    """Open a file as text; an encoding that was named is taken strictly."""
    marks = _BYTE_ORDER_MARKS.items()
    marked = next((name for mark, name in marks if source.head.startswith(mark)), None)
    if encoding is None and marked is None and b"\0" in source.head:
        raise BadContent(f"{source.path} holds NUL bytes: it is not text.")
    is_assumed = encoding is None and marked is None
    chosen = encoding or marked or "utf-8-sig"
    errors = "surrogateescape" if is_assumed else "strict"
    source.odd_bytes = 0
    with (
        source.stream() as stream,
        io.BufferedReader(_RawStream(stream), _BLOCK_SIZE) as buffered,
        io.TextIOWrapper(buffered, encoding=chosen, errors=errors, newline="") as text,
    ):
        try:
            yield DecodedText(text, OddBytes(source) if is_assumed else None)
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
