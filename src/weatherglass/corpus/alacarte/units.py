"""Documents as token ids with their values in some columns: what is compared and permuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure, quote_safe

from ..corpus import Corpus, has_text
from ..formats import Document, merge_rows
from ..groups import Grouping
from ..metadata import check_column, missing_column
from ..named import COLUMN, NamedCorpora
from ..token_ids import TokenIds, TokenIdWriter, open_array, open_token_ids
from ..tokenizer import Tokenizer

Integers = NDArray[np.int64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False, repr=False)
class Units:
    """The documents of a corpus, each divided by its values in the columns that are compared.

    Attributes
    ----------
    corpus
        The parts of documents as token ids, without rare words.
    sizes
        The number of words of each part, rare words included.
    documents
        The number of the document of each part; documents are the units of permutation.
    values
        For each part its values in the columns; a column without a value is left out.
    notes
        How many texts were left out, in sentences.
    folder
        The folder of the token ids, for other temporary files too.
    """

    corpus: TokenIds
    sizes: Integers
    documents: Integers
    values: list[dict[str, str]]
    notes: tuple[str, ...]
    folder: Path

    def __repr__(self) -> str:
        return f"<Units: {len(self.values):,} parts of documents, {self.sizes.sum():,} words>"


class _Part(NamedTuple):
    document: int
    text: str
    values: dict[str, str]


def read_units(
    corpus: Corpus,
    columns: Sequence[str],
    grouping: Grouping,
    folder: Path,
    *,
    tokenizer: Tokenizer,
    min_count: int,
    progress: Progress | None = None,
) -> Units:
    """Read a corpus, and keep the token ids and the values in some columns.

    Parameters
    ----------
    corpus
        The corpus.
    columns
        The columns; that of `grouping`, or those of a formula.
    grouping
        The column that divides documents, with its bins; and the conditions that texts must meet.
        Its choice of groups is ignored, as texts of other groups belong to the shared space too.
    folder
        Where to write token ids.
    tokenizer, min_count
        What a word is, and how often it must occur in all texts.
    progress
        Called with the number of bytes read and the number of bytes in total.

    Raises
    ------
    UsageError
        No document has a value in one of the columns.
    CannotMeasure
        No text meets the conditions, or no word is frequent enough.
    """
    for column in columns:
        if not (column == COLUMN and isinstance(corpus, NamedCorpora)):
            check_column(corpus, column)
    writer = TokenIdWriter(folder, tokenizer, keep_raw=True)
    documents: list[int] = []
    values: list[dict[str, str]] = []
    notes: list[str] = []
    for part in _read_parts(corpus, columns, grouping, notes, progress):
        writer.add(Document(part.text, {}), "", part.document)
        documents.append(part.document)
        values.append(part.values)
    if not values:
        conditions = " and ".join(quote_safe(str(condition)) for condition in grouping.where)
        raise CannotMeasure(f"No document of {corpus.source} meets {conditions}.")
    for column in columns:
        if not any(column in row for row in values):
            raise missing_column(corpus.source, column, columns)
    writer.finish("", min_count, corpus.source)
    token_folder = writer.folder("")
    sizes = np.diff(open_array(token_folder / "raw-ends", np.int64), prepend=0)
    return Units(
        open_token_ids(token_folder),
        sizes,
        np.array(documents, dtype=np.int64),
        values,
        tuple(notes),
        token_folder,
    )


def _read_parts(
    corpus: Corpus,
    columns: Sequence[str],
    grouping: Grouping,
    notes: list[str],
    progress: Progress | None,
) -> Iterator[_Part]:
    """Yield the parts of each document, and add to the notes at the end."""
    if grouping.by is not None:
        everything = Grouping(grouping.by, grouping.bins, (), grouping.where)
        grouped = everything.apply(corpus)
        for part in grouped.parts(progress):
            yield _Part(part.document, part.text, {grouping.by: part.group})
        notes += grouped.notes()
        return
    for number, rows in enumerate(corpus.document_rows(progress)):
        parts: dict[tuple[str | None, ...], list[Document]] = {}
        for row in filter(has_text, rows):
            if all(condition.holds(row.meta) for condition in grouping.where):
                key = tuple(row.meta.get(column) for column in columns)
                parts.setdefault(key, []).append(row)
        for key, together in parts.items():
            known = zip(columns, key, strict=True)
            values = {column: value for column, value in known if value is not None}
            yield _Part(number, merge_rows(together).text, values)
