"""All rows of an embedding, a block at a time, so that what is mapped need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .vectors import Vectors

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

NOTHING = 1e-6  # of a unit vector; what float32 cannot tell from zero
STEP = 1 << 13


def slices(count: int) -> Iterator[slice]:
    """The blocks that `count` rows are cut into.

    >>> list(slices(10_000))
    [slice(0, 8192, None), slice(8192, 10000, None)]
    """
    return (slice(start, min(start + STEP, count)) for start in range(0, count, STEP))


def unit_rows(vectors: Vectors, rows: slice | Positions) -> Floats:
    """Some rows at unit length; zeros for those without direction.

    >>> unit_rows(Vectors.of(["far", "zero"], [[3, 4], [0, 0]]), slice(0, 2))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    made = np.array(vectors.matrix[rows], dtype=np.float64)
    with np.errstate(all="ignore"):
        norms = np.sqrt(np.einsum("ij,ij->i", made, made))
        made /= norms[:, None]
    made[~((norms > 0) & (norms < np.inf))] = 0
    return made
