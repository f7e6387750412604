"""What a corpus format is to the rest of the package. The table of all formats is in `opening`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from weatherglass.errors import UsageError, shown
from weatherglass.vectors.inputs import Input

from .documents import Document


@dataclass(frozen=True)
class Reading:
    """What the user said of a corpus.

    Attributes
    ----------
    text
        The column that holds the text.
    documents
        What one document is: ``file``, ``lines`` or ``paragraphs``; in a table, a column.
    encoding
        How letters are written as bytes; UTF-8 without it.
    """

    text: str | None = None
    documents: str | None = None
    encoding: str | None = None

    def unit(self, *known: str) -> str:
        """What one document is, where there are only so many ways; the first is the usual one."""
        if self.documents is not None and self.documents not in known:
            raise UsageError(f"documents={shown(self.documents)} is not one of {', '.join(known)}.")
        return self.documents or known[0]


@dataclass(frozen=True)
class CorpusFormat:
    """One format.

    Attributes
    ----------
    name
        What ``?format=`` calls it.
    suffixes
        How its files' names end.
    read
        Yields the documents of a file.
    options
        Which of the options of `Reading` it knows.
    columns
        Gives the columns besides the text, where a file names them all at its beginning.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Input, Reading], Iterator[Document]]
    options: tuple[str, ...]
    columns: Callable[[Input, Reading], Sequence[str]] | None = None
