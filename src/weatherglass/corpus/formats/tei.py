"""TEI XML: the text of books, and the metadata of their headers.

The parser is expat itself, fed block by block, so that files of any size are streamed. A file that
declares entities is refused: nested entities can expand until memory is full, and no text needs
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from weatherglass._files import Input
from weatherglass.errors import BadContent

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
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")


def read_tei(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield a document for each ``<TEI>`` element, or for each paragraph."""
    builder = _Builder(str(source.path), reading.unit("file", "paragraphs") == "paragraphs")
    parser = expat.ParserCreate(encoding=reading.encoding, namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start_element
    parser.EndElementHandler = builder.end_element
    parser.CharacterDataHandler = builder.add_text
    parser.EntityDeclHandler = builder.refuse_entity
    try:
        with source.stream() as stream:
            while block := stream.read(_BLOCK_SIZE):
                parser.Parse(block, False)
                yield from builder.take_documents()
            parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise BadContent(f"{source.path}: not well-formed XML ({error}).") from None
    yield from builder.take_documents()
    if not builder.has_tei:
        raise BadContent(f"{source.path} is XML without a <TEI> element: expected TEI.")


class _Builder:
    """Builds documents from the events of the parser."""

    def __init__(self, where: str, by_paragraph: bool) -> None:
        self._where, self._by_paragraph = where, by_paragraph
        self._path: list[str] = []
        self._ignored_depth = 0  # nested elements that are not part of the text
        self._parts: list[str] = []
        self._size = 0
        self._complete: list[Document] = []
        self._header: dict[str, str] = {}
        self._field: str | None = None
        self._value: list[str] = []
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
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        is_replaced = parent == "choice" and name in _REPLACED_READINGS
        if self._ignored_depth or name in _IGNORED_ELEMENTS or is_replaced:
            self._ignored_depth += 1
        elif "teiHeader" in self._path:
            self._read_header(name, parent, attributes)
        elif name in _LINE_ELEMENTS and attributes.get("break") != "no":
            self._break_line(name)

    def end_element(self, qualified: str) -> None:
        name = self._path.pop()
        if self._ignored_depth:
            self._ignored_depth -= 1
        elif self._field is not None and name == self._field:
            self._set_header(name, " ".join("".join(self._value).split()))
            self._field = None
        elif name in _LINE_ELEMENTS - _EMPTY_ELEMENTS:
            self._break_line(name)
        if name == "text" and "text" not in self._path:
            self._finish_document()

    def add_text(self, data: str) -> None:
        if self._field is not None:
            self._value.append(data)
        elif not self._ignored_depth and "text" in self._path:
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
            self._complete.append(Document(text.strip(), dict(self._header)))

    def _read_header(self, name: str, parent: str, attributes: dict[str, str]) -> None:
        """Record title, author, earliest year, language, and the keys that describe the text."""
        if "textDesc" in self._path and "key" in attributes:
            self._set_header(name, attributes["key"])
        elif name == "language" and "ident" in attributes:
            self._set_header(name, attributes["ident"])
        elif parent == "titleStmt" and name in ("title", "author"):
            self._field, self._value = name, []
        elif name == "date" and "sourceDesc" in self._path:
            self._field, self._value = name, [attributes.get("when", ""), " "]

    def _set_header(self, name: str, value: str) -> None:
        if name == "date":
            years = [*_YEAR.findall(value), *filter(None, [self._header.get("year")])]
            if years:  # the first of several editions
                self._header["year"] = min(years)
        elif value:
            self._header.setdefault(name, value)


TEI = CorpusFormat("tei", (".xml", ".tei"), read_tei, ("documents", "encoding"))
