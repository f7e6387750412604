"""A document: a text and what is known about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weatherglass.errors import TooLarge

MAX_DOCUMENT = 256 << 20  # characters; a document is held in memory whole


class Document(NamedTuple):
    """A text and what is known about it: column, value."""

    text: str
    meta: dict[str, str]


def join_documents(documents: Iterable[Document], column: str, where: str) -> Iterator[Document]:
    """Neighbouring documents with the same value in `column`, as one; it has the first one's meta.

    Those without a value stand alone.

    >>> rows = [Document(text, {"id": id}) for text, id in [("a b", "1"), ("c", "1"), ("d", "2")]]
    >>> [one.text for one in join_documents(rows, "id", "rows.csv")]
    ['a b\\nc', 'd']
    """
    texts: list[str] = []
    meta: dict[str, str] = {}
    size = 0
    for text, about in documents:
        if texts and (column not in about or about[column] != meta.get(column)):
            yield Document("\n".join(texts), meta)
            texts, size = [], 0
        if not texts:
            meta = about
        texts.append(text)
        size += len(text)
        check_size(size, where)
    if texts:
        yield Document("\n".join(texts), meta)


def check_size(size: int, where: str) -> None:
    """Refuse a document that is too long to be held in memory."""
    if size > MAX_DOCUMENT:
        raise TooLarge(
            f"{where}: a document of more than {MAX_DOCUMENT >> 20} million characters. Cut it up: "
            "in plain text, ?documents=lines or ?documents=paragraphs does so."
        )
