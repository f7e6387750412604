"""Set similarity: the cosine of the mean vectors of two seed sets (section 8, Set Similarity)."""

from __future__ import annotations

import numpy as np

from .models import Floats

NOTHING = 1e-12  # of unit vectors and their means; below it there is no direction


def set_similarity(x: Floats, y: Floats) -> float | None:
    """cos(mean X, mean Y) of two sets of unit vectors; None where a mean has no direction.

    Antoniak and Mimno (2021) find that sets which are too similar explain little variance.

    Examples
    --------
    >>> set_similarity(np.array([[1.0, 0.0]]), np.array([[0.6, 0.8]]))
    0.6
    >>> set_similarity(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[0.6, 0.8]])) is None
    True
    """
    if not len(x) or not len(y):
        return None
    mean_x, mean_y = x.mean(axis=0), y.mean(axis=0)
    lengths = float(np.linalg.norm(mean_x)), float(np.linalg.norm(mean_y))
    if min(lengths) < NOTHING:
        return None
    return float(np.clip(mean_x @ mean_y / (lengths[0] * lengths[1]), -1, 1))
