"""Vectors with a planted difference, for the tests of the seed lab."""

from __future__ import annotations

import numpy as np
import pytest

from weatherglass import Vectors
from weatherglass.seedlab.models import Models

PAIRS = 12


def planted_vectors(seed: int, noise: float = 0.15, words: int = 400) -> Vectors:
    """Twelve pairs ``x0 y0``, ``x1 y1``, … that share a base and differ along the first axis.

    The words ``like_x0`` and ``like_y0`` are on the same sides; ``w0``, … are random.
    """
    rng = np.random.default_rng(seed)
    base = np.random.default_rng(0).normal(size=(PAIRS, 20)) / np.sqrt(20)
    side = np.zeros(20)
    side[0] = 0.8
    rows = {}
    for i in range(PAIRS):
        rows[f"x{i}"] = base[i] + side
        rows[f"y{i}"] = base[i] - side
    for i in range(3):
        rows[f"like_x{i}"] = 1.5 * side
        rows[f"like_y{i}"] = -1.5 * side
    others = np.random.default_rng(1).normal(size=(words, 20)) / np.sqrt(20)
    rows |= {f"w{i}": row for i, row in enumerate(others)}
    table = np.array(list(rows.values()))
    return Vectors.of(list(rows), table + noise / np.sqrt(20) * rng.normal(size=table.shape))


@pytest.fixture(scope="session")
def planted() -> Vectors:
    return planted_vectors(7)


@pytest.fixture(scope="session")
def samples() -> Models:
    """Six embeddings that differ in their noise only, as bootstraps do."""
    return Models("samples", planted_vectors(0), tuple(planted_vectors(k) for k in range(1, 7)))
