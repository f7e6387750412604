"""Tokenize sentences, and pool the states of their tokens to one row per sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import BadContent, EncoderError, SourceNotFound, quote_safe

from .encoder import Encodings

Pool = Literal["cls", "mean", "max", "last"]
POOLS: tuple[Pool, ...] = ("cls", "mean", "max", "last")


def pool(states: Encodings, mask: NDArray[np.bool_], pooling: str) -> Encodings:
    """Return one row per sentence, pooled over its tokens.

    Parameters
    ----------
    states
        sentences × tokens × numbers, padded on the right.
    mask
        sentences × tokens, true where there is a token, false for padding.
    pooling
        ``cls`` is the first token (as in BERT), ``last`` the last one (as in GPT); ``mean`` and
        ``max`` are over all tokens.

    Examples
    --------
    >>> states = np.array([[[1.0, 8.0], [3.0, 4.0], [9.0, 9.0]]])
    >>> mask = np.array([[True, True, False]])
    >>> [pool(states, mask, pooling).tolist() for pooling in POOLS]
    [[[1.0, 8.0]], [[2.0, 6.0]], [[3.0, 8.0]], [[3.0, 4.0]]]
    """
    pooled: Encodings
    is_token = mask[:, :, None]
    if pooling == "cls":
        pooled = states[:, 0]
    elif pooling == "last":
        pooled = states[np.arange(len(states)), mask.sum(axis=1) - 1]
    elif pooling == "max":
        pooled = np.where(is_token, states, -np.inf).max(axis=1)
    else:  # in float64: with many tokens, a float32 sum depends on the length of the padding
        pooled = np.where(is_token, states, 0).sum(axis=1, dtype=np.float64) / is_token.sum(axis=1)
    return pooled.astype(states.dtype, copy=False)


def load_tokenizer(path: Path) -> Any:
    """Load a tokenizer from a file, or from the ``tokenizer.json`` of a folder."""
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise SourceNotFound(
            f"There is no {file}, the tokenizer that the model needs: name its folder with "
            "?tokenizer=FOLDER."
        )
    try:
        # The library takes minutes for deeply nested JSON, which Python's parser refuses at once.
        json.loads(file.read_bytes())
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises a bare Exception
        raise BadContent(f"{file} is not a tokenizer ({str(error)[:200]}).") from None
    tokenizer.no_padding()
    return tokenizer


def token_table(
    tokenizer: Any, sentences: Sequence[str], *, pad: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the ids of the tokens, padded on the right, and a mask of where tokens are."""
    texts = [_replace_surrogates(sentence) for sentence in sentences]
    tokenized = [tokens.ids for tokens in tokenizer.encode_batch(texts)]
    shape = len(tokenized), max((len(ids) for ids in tokenized), default=0)
    table, mask = np.full(shape, pad, dtype=np.int64), np.zeros(shape, dtype=bool)
    for i, ids in enumerate(tokenized):
        if not ids:
            raise EncoderError(f"The sentence {quote_safe(sentences[i])} has no tokens.")
        table[i, : len(ids)], mask[i, : len(ids)] = ids, True
    return table, mask


def _replace_surrogates(sentence: str) -> str:
    """Replace lone surrogates, which the library does not accept."""
    return sentence.encode("utf-8", "replace").decode()
