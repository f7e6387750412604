"""TEI XML: the text of books, and what their headers say of them.

The parser is expat itself, fed block by block, so that a file of any size streams by. A file that
declares entities is refused: they can be made to fill the memory, and no text needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from weatherglass._files import Input
from weatherglass.errors import BadContent

from ..document import Document, check_size
from .format import CorpusFormat, Reading

_BLOCK = 1 << 18
# Elements that end a line; all others stand inside words and sentences.
_BREAKS = frozenset(
    (
        *("ab", "argument", "bibl", "byline", "castItem", "cell", "closer", "dateline", "div"),
        *("docAuthor", "docTitle", "epigraph", "figure", "floatingText", "head", "item", "l"),
        *("label", "lb", "lg", "list", "milestone", "opener", "p", "pb", "postscript", "quote"),
        *("row", "salute", "signed", "sp", "speaker", "stage", "table", "trailer"),
    )
)
_POINTS = frozenset(("lb", "milestone", "pb"))  # without content: they break once
_PARAGRAPHS = frozenset(("ab", "head", "l", "p", "item", "stage"))
# Printed on the page, or about it, but not part of the text.
_APART = frozenset(("fw", "note", "figDesc"))
_REPLACED = frozenset(("sic", "orig", "abbr"))  # inside <choice>, where a better reading stands
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")


def read(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield a document for each ``<TEI>`` element, or for each paragraph."""
    builder = _Builder(str(source.path), reading.unit("file", "paragraphs") == "paragraphs")
    parser = expat.ParserCreate(encoding=reading.encoding, namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.text
    parser.EntityDeclHandler = builder.entity
    try:
        with source.stream() as stream:
            while block := stream.read(_BLOCK):
                parser.Parse(block, False)
                yield from builder.take()
            parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise BadContent(f"{source.path}: not well-formed XML ({error}).") from None
    yield from builder.take()
    if not builder.seen:
        raise BadContent(f"{source.path} is XML without a <TEI> element: expected TEI.")


class _Builder:
    """Gathers documents from what the parser sees."""

    def __init__(self, where: str, paragraphs: bool) -> None:
        self._where, self._paragraphs = where, paragraphs
        self._path: list[str] = []
        self._apart = 0  # how deep inside what is not part of the text
        self._parts: list[str] = []
        self._size = 0
        self._done: list[Document] = []
        self._header: dict[str, str] = {}
        self._field: str | None = None
        self._value: list[str] = []
        self.seen = False

    def take(self) -> list[Document]:
        """The documents that are complete."""
        done, self._done = self._done, []
        return done

    def entity(self, name: str, *declared: object) -> None:
        raise BadContent(
            f"{self._where} declares the XML entity {name!r}. Entities are not read, as they can "
            "be made to fill the memory: write the characters themselves."
        )

    def start(self, full: str, attributes: dict[str, str]) -> None:
        name = full.rpartition(" ")[2]
        if name in ("TEI", "TEI.2"):
            self.seen = True
            self._header = {}
        inside = self._path[-1] if self._path else ""
        self._path.append(name)
        if self._apart or name in _APART or (inside == "choice" and name in _REPLACED):
            self._apart += 1
        elif "teiHeader" in self._path:
            self._note(name, inside, attributes)
        elif name in _BREAKS and attributes.get("break") != "no":
            self._break(name)

    def end(self, full: str) -> None:
        name = self._path.pop()
        if self._apart:
            self._apart -= 1
        elif self._field is not None and name == self._field:
            self._keep(name, " ".join("".join(self._value).split()))
            self._field = None
        elif name in _BREAKS - _POINTS:
            self._break(name)
        if name == "text" and "text" not in self._path:
            self._finish()

    def text(self, data: str) -> None:
        if self._field is not None:
            self._value.append(data)
        elif not self._apart and "text" in self._path:
            self._size += len(data)
            check_size(self._size, self._where)
            self._parts.append(data)

    def _break(self, name: str) -> None:
        self._parts.append("\n")
        if self._paragraphs and name in _PARAGRAPHS:
            self._finish()

    def _finish(self) -> None:
        text = "".join(self._parts)
        self._parts, self._size = [], 0
        if text and not text.isspace():
            self._done.append(Document(text.strip(), dict(self._header)))

    def _note(self, name: str, inside: str, attributes: dict[str, str]) -> None:
        """What the header says: title, author, earliest year, language, and keys of the text."""
        if "textDesc" in self._path and "key" in attributes:
            self._keep(name, attributes["key"])
        elif name == "language" and "ident" in attributes:
            self._keep(name, attributes["ident"])
        elif inside == "titleStmt" and name in ("title", "author"):
            self._field, self._value = name, []
        elif name == "date" and "sourceDesc" in self._path:
            self._field, self._value = name, [attributes.get("when", ""), " "]

    def _keep(self, name: str, value: str) -> None:
        if name == "date":
            years = [*_YEAR.findall(value), *filter(None, [self._header.get("year")])]
            if years:  # of several editions the first
                self._header["year"] = min(years)
        elif value:
            self._header.setdefault(name, value)


TEI = CorpusFormat("tei", (".xml", ".tei"), read, ("documents", "encoding"))
