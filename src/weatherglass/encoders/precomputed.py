"""``vectors:FILE``: sentences that were encoded elsewhere.

Any file of vectors works whose "words" are sentences. Parquet, HDF5 and ``.npz`` can hold them;
text formats cannot, because they separate words by spaces.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from weatherglass.vectors import Spec, Vectors, open_vectors

from .encoder import Encodings, inner_source
from .model_files import hash_parts


class PrecomputedEncoder:
    """Sentences that were encoded elsewhere.

    A sentence that is not in the file becomes a row of zeros, and is listed in `missing`.

    Examples
    --------
    >>> vectors = Vectors.of(["This is Amy.", "This is John."], [[1, 0], [0, 1]])
    >>> encoder = PrecomputedEncoder(vectors)
    >>> encoder.encode(["This is John.", "This is Paul."])
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    >>> encoder.missing
    ('This is Paul.',)
    """

    stored = True  # on disk already: no cache needed

    def __init__(self, source: str | os.PathLike[str] | Vectors, *, name: str = "") -> None:
        self._vectors = open_vectors(source)
        self.name = name or f"vectors:{self._vectors.source}"
        self.fingerprint = hash_parts("vectors", self._vectors.fingerprint)
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """The sentences requested so far that are not in the file."""
        return tuple(self._missing)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """Return the rows of the file."""
        positions = self._vectors.words.find(sentences)
        is_known = positions >= 0
        rows = np.zeros((len(sentences), self._vectors.dim), dtype=self._vectors.matrix.dtype)
        rows[is_known] = self._vectors.matrix[positions[is_known]]
        self._missing.update(
            (sentence, None)
            for sentence, known in zip(sentences, is_known, strict=True)
            if not known
        )
        return rows


def open_encoded(spec: Spec) -> PrecomputedEncoder:
    """Open ``vectors:FILE``; the options are those of the file's format."""
    return PrecomputedEncoder(inner_source(spec, []), name=spec.text)
