"""JSON Lines: an object a line, with a text and what is known about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from weatherglass.errors import BadContent
from weatherglass.vectors.inputs import Input

from .columns import text_column, to_documents
from .decoding import lines
from .documents import Document
from .formats import CorpusFormat, Reading


def read(source: Input, reading: Reading) -> Iterator[Document]:
    """Yield the objects. Values that are lists or objects are passed over."""
    rows = _rows(source, reading.encoding)
    first = next(rows, None)
    if first is None:
        return
    column = text_column(first, reading, source.path)

    def all_rows() -> Iterator[dict[str, str | None]]:
        yield first
        yield from rows

    yield from to_documents(all_rows(), column, reading, source.path)


def _rows(source: Input, encoding: str | None) -> Iterator[dict[str, str | None]]:
    for number, line in enumerate(lines(source, encoding), start=1):
        if line.isspace():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "nested too deep or a number too long")
            place = f"{source.path}, line {number:,}"
            raise BadContent(f"{place}: not JSON ({reason}); expected an object a line.") from None
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise BadContent(
                f"{source.path}, line {number:,}: a JSON {kind}; expected an object a line, such "
                'as {"text": "…", "year": 1840}.'
            )
        yield {_clean(name): _plain(one) for name, one in value.items()}


def _plain(value: Any) -> str | None:
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _clean(text: str) -> str:
    """JSON can spell halves of characters, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


FORMAT = CorpusFormat("jsonl", (".jsonl", ".ndjson"), read, ("text", "documents", "encoding"))
