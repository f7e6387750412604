"""From one vector a token to one a sentence."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .protocol import Encodings

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
