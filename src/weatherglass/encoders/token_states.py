"""From one vector a token to one a sentence."""

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


def pool(states: Encodings, mask: NDArray[np.bool_], how: str) -> Encodings:
    """Pool over the tokens of each sentence.

    Parameters
    ----------
    states
        sentences × tokens × numbers, padded on the right.
    mask
        sentences × tokens, true where there is a token.
    how
        ``cls`` takes the first token (BERT's), ``last`` the last (GPT's); ``mean`` and ``max`` go
        over all tokens.

    Examples
    --------
    >>> states = np.array([[[1.0, 8.0], [3.0, 4.0], [9.0, 9.0]]])
    >>> mask = np.array([[True, True, False]])
    >>> [pool(states, mask, how).tolist() for how in POOLS]
    [[[1.0, 8.0]], [[2.0, 6.0]], [[3.0, 8.0]], [[3.0, 4.0]]]
    """
    pooled: Encodings
    inside = mask[:, :, None]
    if how == "cls":
        pooled = states[:, 0]
    elif how == "last":
        pooled = states[np.arange(len(states)), mask.sum(axis=1) - 1]
    elif how == "max":
        pooled = np.where(inside, states, -np.inf).max(axis=1)
    else:  # in float64: with many tokens, a float32 sum would depend on the padding's length
        pooled = np.where(inside, states, 0).sum(axis=1, dtype=np.float64) / inside.sum(axis=1)
    return pooled.astype(states.dtype, copy=False)


def load_tokenizer(path: Path) -> Any:
    """The tokenizer in a file, or in a folder's ``tokenizer.json``."""
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise SourceNotFound(
            f"There is no {file}: the model needs its tokenizer; say where it is with "
            "?tokenizer=FOLDER."
        )
    try:
        # The library takes minutes over deep nests, which Python's own reader refuses at once.
        json.loads(file.read_bytes())
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library has one error for everything
        raise BadContent(f"{file} is no tokenizer ({str(error)[:200]}).") from None
    tokenizer.no_padding()
    return tokenizer


def token_table(
    tokenizer: Any, sentences: Sequence[str], *, pad: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The numbers of the tokens, padded on the right, and where there are tokens."""
    cut = [one.ids for one in tokenizer.encode_batch([_clean(s) for s in sentences])]
    shape = len(cut), max((len(ids) for ids in cut), default=0)
    table, mask = np.full(shape, pad, dtype=np.int64), np.zeros(shape, dtype=bool)
    for i, ids in enumerate(cut):
        if not ids:
            raise EncoderError(f"The sentence {quote_safe(sentences[i])} has no tokens.")
        table[i, : len(ids)], mask[i, : len(ids)] = ids, True
    return table, mask


def _clean(sentence: str) -> str:
    """Without lone surrogates, which the library cannot take."""
    return sentence.encode("utf-8", "replace").decode()
