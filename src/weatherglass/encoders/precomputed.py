"""``vectors:FILE``: sentences that were encoded elsewhere.

Any file that `Vectors` are read from will do; its "words" are the sentences. Parquet, HDF5 and
``.npz`` carry them as they are; text formats cannot, as they part words by spaces.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from weatherglass.vectors import Spec, Vectors, open_vectors

from .encoder import Encodings, inner_source
from .model_files import hash_parts


class Encoded:
    """Sentences that were encoded elsewhere.

    A sentence that the file does not have becomes a row of zeros, and is listed in `missing`.

    Examples
    --------
    >>> encoder = Encoded(Vectors.of(["This is Amy.", "This is John."], [[1, 0], [0, 1]]))
    >>> encoder.encode(["This is John.", "This is Paul."])
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    >>> encoder.missing
    ('This is Paul.',)
    """

    stored = True  # on disk already

    def __init__(self, source: str | os.PathLike[str] | Vectors, *, name: str = "") -> None:
        self._vectors = open_vectors(source)
        self.name = name or f"vectors:{self._vectors.source}"
        self.fingerprint = hash_parts("vectors", self._vectors.fingerprint)
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> tuple[str, ...]:
        """The sentences asked for so far that the file does not have."""
        return tuple(self._missing)

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """The rows of the file."""
        places = self._vectors.words.find(sentences)
        rows = np.zeros((len(sentences), self._vectors.dim), dtype=np.float32)
        rows[places >= 0] = self._vectors.matrix[places[places >= 0]]
        self._missing.update(
            (sentence, None) for sentence, at in zip(sentences, places, strict=True) if at < 0
        )
        return rows


def open_encoded(spec: Spec) -> Encoded:
    """Open ``vectors:FILE``; the options are those of the file's format."""
    return Encoded(inner_source(spec, []), name=spec.text)
