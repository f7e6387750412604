"""What an encoder is: anything that turns sentences into rows and has a name and a fingerprint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Encodings = NDArray[np.floating[Any]]


@runtime_checkable
class Encoder(Protocol):
    """Turns sentences into vectors.

    An encoder may also have

    * ``prepare(sentences)``, called once with every sentence of a run before the first batch, so
      that only what they need is loaded;
    * ``missing``, the words that it met and does not know;
    * ``stored = True``, if its encodings lie on disk already and are not to be kept once more.

    Examples
    --------
    >>> class Lengths:
    ...     name, fingerprint = "lengths", "lengths-1"
    ...
    ...     def encode(self, sentences):
    ...         return np.array([[len(s), s.count(" ") + 1] for s in sentences], dtype=np.float32)
    >>> isinstance(Lengths(), Encoder)
    True
    """

    @property
    def name(self) -> str:
        """What was opened, as it was named."""
        ...

    @property
    def fingerprint(self) -> str:
        """A hash of everything that the encodings depend on: weights, vocabulary, pooling."""
        ...

    def encode(self, sentences: Sequence[str]) -> Encodings:
        """One row of float32 or float64 a sentence, in their order.

        A row of zeros says that nothing of the sentence is known to the encoder.
        """
        ...


@runtime_checkable
class WordEncoder(Encoder, Protocol):
    """An encoder that also gives the vector of a word inside a sentence."""

    def encode_words(self, sentences: Sequence[str], words: Sequence[str]) -> Encodings:
        """The row of ``words[i]`` as it stands in ``sentences[i]``: the mean over its tokens."""
        ...
