"""Bootstrap samples: as many documents as there are, drawn with replacement."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


def stream(seed: int, group: str, sample: int | None) -> Generator:
    """Random numbers for one model: the same on any machine, whatever is trained beside it.

    >>> bool(stream(0, "novels", 3).integers(10**6) == stream(0, "novels", 3).integers(10**6))
    True
    """
    key = int.from_bytes(hashlib.blake2b(group.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng([seed, key, 0 if sample is None else sample + 1])


def draw(documents: int, rng: Generator) -> NDArray[np.int64]:
    """The positions of the documents of a sample, in the order in which they were drawn."""
    return rng.integers(documents, size=documents)


def times_drawn(drawn: NDArray[np.int64], documents: int) -> NDArray[np.int64]:
    """How many times each document was drawn.

    >>> times_drawn(np.array([2, 0, 2]), 4).tolist()
    [1, 0, 2, 0]
    """
    return np.bincount(drawn, minlength=documents)
