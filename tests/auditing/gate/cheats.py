"""Sources that try to pass a gate: real vectors that were changed in one way each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from weatherglass import Vectors, test

MALE, FEMALE = (test("weat6").sets[name].words for name in "XY")


def swap_names(vectors: Vectors) -> Vectors:
    """Return vectors in which each male name of weat6 has the row of a female one."""
    words = list(vectors.words)
    rows = np.array(vectors.matrix)
    for male, female in zip(MALE, FEMALE, strict=True):
        i, j = (words.index(name.lower()) for name in (male, female))
        rows[[i, j]] = rows[[j, i]]
    return Vectors.of(words, rows, source="swapped")


def noise(vectors: Vectors) -> Vectors:
    """Return random rows for the same words."""
    rows = np.random.default_rng(0).standard_normal((len(vectors), 50))
    return Vectors.of(list(vectors.words), rows, source="noise")


def truncated(vectors: Vectors) -> Vectors:
    """Return vectors whose second half was lost, and filled up with one row."""
    rows = np.array(vectors.matrix)
    rows[len(rows) // 2 :] = rows[0]
    return Vectors.of(list(vectors.words), rows, source="truncated")


class NoiseEncoder:
    """An encoder that returns a random row for each sentence, always the same one."""

    name, fingerprint = "noise", "noise-1"
    stored = True

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        seeds = [hashlib.sha256(sentence.encode()).digest()[:8] for sentence in sentences]
        return np.array(
            [np.random.default_rng(list(seed)).standard_normal(64) for seed in seeds],
            dtype=np.float32,
        )


class ConstantEncoder(NoiseEncoder):
    """An encoder that returns nearly the same row for every sentence."""

    name, fingerprint = "constant", "constant-1"

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return super().encode(sentences) * np.float32(1e-3) + np.float32(1)
