"""The source of a measurement: whatever people have becomes vectors or an association table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from os import PathLike
from typing import Any, Protocol

from numpy.typing import ArrayLike

from weatherglass.errors import UsageError, quote_safe
from weatherglass.vectors import (
    Case,
    Vectors,
    VectorsObject,
    open_vectors,
    parse_spec,
    vectors_of,
)

from .association_table import AssociationTable, Embedding, need_vectors
from .table_files import TABLE_SCHEME, open_table
from .word_sets import Words, spellings


class Encodes(Protocol):
    """An encoder, or a model with an ``encode`` method such as a ``SentenceTransformer``."""

    def encode(self, sentences: Any, /) -> Any:
        """Return one row per sentence."""
        ...


Source = (
    str
    | PathLike[str]
    | Vectors
    | AssociationTable
    | VectorsObject
    | Encodes
    | Callable[[list[str]], ArrayLike]
)
"""Whatever a measurement accepts; `weatherglass.as_source` describes each kind."""


def open_embedding(
    source: Source,
    sets: Iterable[Words] | None = None,
    case: Case = "auto",
    *,
    sample: bool = False,
    whole: bool = False,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Embedding:
    """Return the vectors or the table of a source.

    Parameters
    ----------
    source
        Any source.
    sets
        The word sets that are needed: of a file only their rows are read, and an encoder encodes
        only their words. None for the whole source, which an encoder does not have.
    case
        How words are looked up.
    sample
        Also read a sample of the rows of a file, for a baseline.
    whole
        Read a whole file in any case; only an encoder, which has no whole, encodes the sets.
    workers, progress
        Threads that read a file, and what is called with the number of bytes read and their total.
    """
    if isinstance(source, Vectors | AssociationTable):
        return source
    if isinstance(source, str | PathLike):
        spec = parse_spec(str(source))
        if spec.scheme == TABLE_SCHEME:
            return open_table(spec)
        if spec.scheme is None or not _is_encoder(spec.scheme):
            words = None if sets is None or whole else spellings(sets)
            has_sample = sample and words is not None
            return open_vectors(
                source, words=words, sample=has_sample, workers=workers, progress=progress
            )
    elif not isinstance(source, type):
        vectors = vectors_of(source)
        if vectors is not None:
            return vectors
    # Encoders are a layer above measures, so they are looked up when one is met.
    encoders: Any = import_module("weatherglass.encoders")
    opened = encoders.as_source(source)
    if isinstance(opened, Vectors | AssociationTable):
        return opened
    if sets is None:
        raise UsageError(
            f"{quote_safe(opened.name)} encodes sentences and has no vocabulary; this needs a "
            "whole embedding of words."
        )
    listed = dict.fromkeys(word for word_set in sets for word in word_set.words)
    asked = [word.lower() for word in listed] if case == "lower" else list(listed)
    encoded: Vectors = encoders.encode_words(opened, asked)
    return encoded


def _is_encoder(scheme: str) -> bool:
    encoders: Any = import_module("weatherglass.encoders")
    return scheme in encoders.schemes()


def need_whole(source: Source, what: str) -> Vectors:
    """Return the vectors of a whole source; refuse encoders and tables.

    `what` begins the message: ``A discovery``.
    """
    return need_vectors(open_embedding(source), what)
