"""`as_source`: turn whatever people have into a source."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, quote_safe
from weatherglass.measures import TABLE_SCHEME, AssociationTable, Source, open_table
from weatherglass.vectors import Vectors, open_vectors, parse_spec, vectors_of

from ..cbow import Cbow
from ..encode import encode_all
from ..encoder import Encoder, names_vectors, open_encoder, schemes
from .live import LiveEncoder

KINDS = (
    "a name, path or spec (such as 'default', 'vectors.txt' or 'st:NAME'), Vectors, an "
    "AssociationTable, an encoder, a dict from words to rows, (words, matrix), KeyedVectors of "
    "gensim, a table of pandas, polars or Arrow, a tensor or nn.Embedding with its vocabulary as "
    "(words, tensor), (model, tokenizer) of Hugging Face, a SentenceTransformer, or a function "
    "from sentences to rows"
)


def as_source(source: Source, *, name: str = "") -> Vectors | AssociationTable | Encoder:
    """Turn whatever you have into a source: vectors, an association table or an encoder.

    Every function that takes a source calls this. Call it yourself to give an object in memory a
    name, or to hash a large one only once.

    Parameters
    ----------
    source
        A name, path or spec; `Vectors`; an `AssociationTable`; an encoder; a mapping from words to
        rows; a pair of words and rows, where the words may be a list, a mapping from words to row
        numbers or a tokenizer, and the rows an array, a tensor or an ``nn.Embedding``; a model and
        a tokenizer of Hugging Face, for its input embeddings; `KeyedVectors` of gensim; a table of
        pandas, polars or Arrow; a ``SentenceTransformer``; or a function from a list of sentences
        to rows.
    name
        What results call an object in memory; by default the name of its class or function.

    Returns
    -------
    Vectors, AssociationTable or Encoder
        With a fingerprint of the content.

    Raises
    ------
    UsageError
        It is none of these.

    Examples
    --------
    >>> import weatherglass as wg
    >>> wg.as_source({"north": [0, 2], "east": [3, 0]}, name="compass")
    <Vectors compass: 2 words × 2>
    >>> wg.as_source("default")
    <Vectors default: 400,000 words × 50>
    >>> wg.as_source(3)
    Traceback (most recent call last):
    ...
    weatherglass.errors.UsageError: int is not a source: give a name, path or spec (such as \
'default', 'vectors.txt' or 'st:NAME'), Vectors, an AssociationTable, an encoder, a dict from \
words to rows, (words, matrix), KeyedVectors of gensim, a table of pandas, polars or Arrow, a \
tensor or nn.Embedding with its vocabulary as (words, tensor), (model, tokenizer) of Hugging \
Face, a SentenceTransformer, or a function from sentences to rows.
    """
    if isinstance(source, str | PathLike):
        return _open_named(source)
    if isinstance(source, Vectors):
        return replace(source, source=name) if name else source
    if isinstance(source, AssociationTable):
        return source.named(name) if name else source
    if not isinstance(source, type):
        vectors = vectors_of(source, name)
        if vectors is not None:
            return vectors
        if isinstance(source, Encoder):
            return source
        _refuse_without_words(source)
        if hasattr(source, "encode") or callable(source):
            return LiveEncoder(source, name)
    raise UsageError(f"{type(source).__name__} is not a source: give {KINDS}.")


def _open_named(source: str | PathLike[str]) -> Vectors | AssociationTable | Encoder:
    spec = parse_spec(str(source))
    if spec.scheme == TABLE_SCHEME:
        return open_table(spec)
    if spec.scheme is not None and spec.scheme in schemes():
        return open_encoder(str(source))
    return open_vectors(source)


def _refuse_without_words(value: Any) -> None:
    """Refuse rows without their words, with the way to give both; some are functions as well."""
    kind = type(value).__name__
    if callable(getattr(value, "get_input_embeddings", None)):
        raise UsageError(f"{kind} has no words: give it with its tokenizer, (model, tokenizer).")
    is_rows = hasattr(value, "weight") or hasattr(value, "__array__")
    is_module = hasattr(value, "state_dict") and not hasattr(value, "encode")
    if is_rows or is_module or isinstance(value, list | tuple):
        raise UsageError(
            f"{kind} has rows without words: give both as a pair, (words, rows), or give {KINDS}."
            if is_rows
            else f"{kind} is not a source: give {KINDS}."
        )


def source_encoder(source: Source, *, cache: bool = True) -> Encoder:
    """Return a source as an encoder; word vectors encode a sentence as the mean of its words.

    With `cache` false, what an encoder that is opened by its name returns is not kept on disk.
    """
    if isinstance(source, str | PathLike):
        text = os.fspath(source)
        if parse_spec(text).scheme != TABLE_SCHEME:
            # By its name, only the rows that sentences need are read, and workers can open it.
            return open_encoder(f"cbow:{text}" if names_vectors(text) else text, cache=cache)
    opened = as_source(source)
    if isinstance(opened, Vectors):
        return Cbow(opened)
    if isinstance(opened, AssociationTable):
        raise UsageError(f"{opened.source} is an association table, which encodes no sentences.")
    return opened


def encode_words(
    encoder: Encoder, words: Iterable[str], *, batch_size: int | None = None, cache: bool = True
) -> Vectors:
    """Encode words, each on its own, as vectors that have only these words.

    The options are those of `encode_all`.
    """
    listed = list(dict.fromkeys(words))
    rows = encode_all(encoder, listed, missing="nan", batch_size=batch_size, cache=cache)
    known = np.flatnonzero(np.isfinite(rows).all(axis=1))
    if not len(known):
        raise CannotMeasure(f"{quote_safe(encoder.name)} encodes none of the {len(listed)} words.")
    vectors = Vectors.of([listed[k] for k in known], rows[known], source=encoder.name)
    return replace(vectors, fingerprint=encoder.fingerprint, part=True, ranks=None)
