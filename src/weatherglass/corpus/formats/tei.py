"""TEI XML: the text of books, and the metadata of their headers.

The parser is expat itself, fed block by block, so that files of any size are streamed. A file that
declares entities is refused: nested entities can expand until memory is full, and no text needs
them.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator
from xml.parsers import expat

from weatherglass._files import Input
from weatherglass.errors import BadContent, TooLarge

from .decoding import OddBytes
from .format import CorpusFormat, Document, Reading, check_size

_BLOCK_SIZE = 1 << 18
# Elements that start a new line; all others occur inside words and sentences.
_LINE_ELEMENTS = frozenset(
    (
        *("ab", "argument", "bibl", "byline", "castItem", "cell", "closer", "dateline", "div"),
        *("docAuthor", "docTitle", "epigraph", "figure", "floatingText", "head", "item", "l"),
        *("label", "lb", "lg", "list", "milestone", "opener", "p", "pb", "postscript", "quote"),
        *("row", "salute", "signed", "sp", "speaker", "stage", "table", "trailer"),
    )
)
_EMPTY_ELEMENTS = frozenset(("lb", "milestone", "pb"))  # no content: a single line break
_PARAGRAPH_ELEMENTS = frozenset(("ab", "head", "l", "p", "item", "stage"))
# Printed on the page, or describing it, but not part of the text.
_IGNORED_ELEMENTS = frozenset(("fw", "note", "figDesc"))
_REPLACED_READINGS = frozenset(("sic", "orig", "abbr"))  # <choice> has a better one next to them
_MAX_FIELDS = 100  # of a header: each document gets a copy
_MAX_FIELD_CHARACTERS = 1 << 20
_MAX_TAG_BYTES = 4 << 20
_LANGUAGE = "http://www.w3.org/XML/1998/namespace lang"
_DECLARED_ENCODING = re.compile(rb"<\?xml[^>]*encoding\s*=\s*[\"']([\w.-]+)")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")


def read_tei(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield a document for each ``<TEI>`` element, or for each paragraph."""
    builder = _Builder(str(source.path), reading.unit("file", "paragraphs") == "paragraphs")
    parser = expat.ParserCreate(encoding=reading.encoding, namespace_separator=" ")
    clean = _cleaner(source, reading.encoding)
    parser.buffer_text = True
    parser.StartElementHandler = builder.start_element
    parser.EndElementHandler = builder.end_element
    parser.CharacterDataHandler = builder.add_text
    parser.EntityDeclHandler = builder.refuse_entity
    try:
        with source.stream() as stream:
            parsed = 0
            while block := stream.read(_BLOCK_SIZE):
                block = clean(block)
                parser.Parse(block, False)
                parsed += len(block)
                # The parser begins a tag or comment that is not complete again with each block.
                if parsed - parser.CurrentByteIndex > _MAX_TAG_BYTES:
                    raise TooLarge(
                        f"{source.path} has a tag or comment of more than "
                        f"{_MAX_TAG_BYTES >> 20} MiB."
                    )
                yield from builder.take_documents()
            parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise BadContent(f"{source.path}: not well-formed XML ({error}).") from None
    yield from builder.take_documents()
    if not builder.has_tei:
        raise BadContent(f"{source.path} is XML without a <TEI> element: expected TEI.")


def _cleaner(source: Input, encoding: str | None) -> Callable[[bytes], bytes]:
    """Return a function that replaces odd bytes in UTF-8; other encodings are left to expat."""
    head = source.head.removeprefix(codecs.BOM_UTF8)
    declared = _DECLARED_ENCODING.match(head)
    is_utf_8 = declared is None or declared[1].lower() in (b"utf-8", b"utf8")
    if encoding is not None or not is_utf_8 or b"\0" in source.head[:4] or head[:2] in _UTF_16:
        return bytes
    source.odd_bytes = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    odd = OddBytes(source)
    return lambda block: odd.replace(decoder.decode(block)).encode()


class _Builder:
    """Builds documents from the events of the parser."""

    def __init__(self, where: str, by_paragraph: bool) -> None:
        self._where, self._by_paragraph = where, by_paragraph
        self._path: list[str] = []
        # How many elements of a name are open; searching the path would take quadratic time.
        self._open: Counter[str] = Counter()
        self._ignored_depth = 0  # nested elements that are not part of the text
        self._parts: list[str] = []
        self._size = 0
        self._complete: list[Document] = []
        self._header: dict[str, str] = {}
        self._field: str | None = None
        self._value: list[str] = []
        self._value_size = 0
        self._language = ""  # of the attribute xml:lang
        self.has_tei = False

    def take_documents(self) -> list[Document]:
        """Return the documents completed since the last call."""
        complete, self._complete = self._complete, []
        return complete

    def refuse_entity(self, name: str, *declaration: object) -> None:
        raise BadContent(
            f"{self._where} declares the XML entity {name!r}. Entities are not supported, because "
            "they can expand until memory is full: write the characters themselves."
        )

    def start_element(self, qualified: str, attributes: dict[str, str]) -> None:
        name = qualified.rpartition(" ")[2]
        if name in ("TEI", "TEI.2"):
            self.has_tei = True
            self._header = {}
            self._language = ""
        if name in ("TEI", "TEI.2", "text") and not self._open["text"]:
            self._language = attributes.get(_LANGUAGE, self._language)
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        self._open[name] += 1
        is_replaced = parent == "choice" and name in _REPLACED_READINGS
        if self._ignored_depth or name in _IGNORED_ELEMENTS or is_replaced:
            self._ignored_depth += 1
        elif self._open["teiHeader"]:
            self._read_header(name, parent, attributes)
        elif name in _LINE_ELEMENTS and attributes.get("break") != "no":
            self._break_line(name)

    def end_element(self, qualified: str) -> None:
        name = self._path.pop()
        self._open[name] -= 1
        if self._ignored_depth:
            self._ignored_depth -= 1
        elif self._field is not None and name == self._field:
            self._set_header(name, " ".join("".join(self._value).split()))
            self._field = None
        elif name in _LINE_ELEMENTS - _EMPTY_ELEMENTS:
            self._break_line(name)
        if name == "text" and not self._open["text"]:
            self._finish_document()

    def add_text(self, data: str) -> None:
        if self._field is not None:
            self._value_size += len(data)
            if self._value_size > _MAX_FIELD_CHARACTERS:
                raise TooLarge(
                    f"{self._where}: the header has a <{self._field}> of more than "
                    f"{_MAX_FIELD_CHARACTERS:,} characters."
                )
            self._value.append(data)
        elif not self._ignored_depth and self._open["text"]:
            self._size += len(data)
            check_size(self._size, self._where)
            self._parts.append(data)

    def _break_line(self, name: str) -> None:
        self._parts.append("\n")
        if self._by_paragraph and name in _PARAGRAPH_ELEMENTS:
            self._finish_document()

    def _finish_document(self) -> None:
        text = "".join(self._parts)
        self._parts, self._size = [], 0
        if text and not text.isspace():
            header = dict(self._header)
            if self._language:  # <langUsage> is more explicit
                header.setdefault("language", self._language)
            self._complete.append(Document(text.strip(), header))

    def _read_header(self, name: str, parent: str, attributes: dict[str, str]) -> None:
        """Record title, author, earliest year, language, and the keys that describe the text."""
        if self._open["textDesc"] and "key" in attributes:
            self._set_header(name, attributes["key"])
        elif name == "language" and "ident" in attributes:
            self._set_header(name, attributes["ident"])
        elif parent == "titleStmt" and name in ("title", "author"):
            self._field, self._value, self._value_size = name, [], 0
        elif name == "date" and self._open["sourceDesc"]:
            self._field, self._value_size = name, 0
            self._value = [attributes.get("when", ""), " "]

    def _set_header(self, name: str, value: str) -> None:
        if name == "date":
            years = [*_YEAR.findall(value), *filter(None, [self._header.get("year")])]
            if years:  # the first of several editions
                self._header["year"] = min(years)
        elif value and (len(self._header) < _MAX_FIELDS or name in self._header):
            self._header.setdefault(name, value)


TEI = CorpusFormat("tei", (".xml", ".tei"), read_tei, ("documents", "encoding"))
