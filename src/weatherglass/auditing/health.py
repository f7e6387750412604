"""Two numbers that show a broken source: equal vectors, and vectors that all point one way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.encoders import Encoder, encode_all
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors, row_blocks, unit_rows

_MAX_COMPARED = 2000  # rows whose mean cosine is computed; a sample that is the same in every run
_DIGITS = 10  # of a projection; equal rows differ only in rounding
_SENTENCES_PER_SET = 12

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Health:
    """How many vectors of a source are copies of each other, and how similar they are.

    Attributes
    ----------
    duplicates
        The share of vectors with the same direction as another one.
    alike
        The mean cosine similarity of two vectors.
    """

    duplicates: float
    alike: float


def vector_health(vectors: Vectors) -> Health:
    """Measure the rows of word vectors; rows without a direction are left out."""
    direction = np.random.default_rng(0).standard_normal(vectors.dim)
    usable = np.ones(len(vectors), dtype=bool)
    usable[vectors.unusable] = False
    if usable.sum() < 2:
        raise CannotMeasure(f"{vectors.source} has fewer than two usable vectors.")
    # Rows are compared by their projection on one random direction: equal rows have equal ones,
    # and different rows practically never do. That is one pass over the file.
    projections = np.concatenate(
        [unit_rows(vectors, block) @ direction for block in row_blocks(len(vectors))]
    )[usable]
    positions = np.flatnonzero(usable)
    if len(positions) > _MAX_COMPARED:
        positions = np.random.default_rng(0).choice(positions, _MAX_COMPARED, replace=False)
    return Health(_duplicate_share(projections), _mean_cosine(unit_rows(vectors, positions)))


def health_sentences() -> list[str]:
    """Return two dozen sentences, about a different word each."""
    from weatherglass.catalog import test

    sets = test("sent-weat1").sets
    texts: list[str] = []
    for name in "XY":
        # The sentences of one word are near-copies: take the first of each word.
        first = dict(reversed(list(zip(sets[name].origins, sets[name].words, strict=True))))
        texts += list(reversed(first.values()))[:_SENTENCES_PER_SET]
    return texts


def encoder_health(encoder: Encoder, batch_size: int | None = None) -> Health:
    """Measure the encodings of `health_sentences`."""
    texts = health_sentences()
    rows = encode_all(encoder, texts, batch_size=batch_size, missing="nan").astype(np.float64)
    rows = rows[np.isfinite(rows).all(axis=1)]
    lengths = np.linalg.norm(rows, axis=1)
    rows = rows[lengths > 0] / lengths[lengths > 0, None]
    if len(rows) < 2:
        raise CannotMeasure(f"{encoder.name} encodes fewer than two of {len(texts)} sentences.")
    direction = np.random.default_rng(0).standard_normal(rows.shape[1])
    return Health(_duplicate_share(rows @ direction), _mean_cosine(rows))


def _duplicate_share(projections: Floats) -> float:
    _, counts = np.unique(np.round(projections, _DIGITS), return_counts=True)
    return float(counts[counts > 1].sum() / len(projections))


def _mean_cosine(units: Floats) -> float:
    """Return the mean over all pairs of different rows, from the length of the rows' sum."""
    n = len(units)
    total = units.sum(axis=0)
    return float((total @ total - n) / (n * (n - 1)))
