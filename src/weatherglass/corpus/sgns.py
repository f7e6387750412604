"""Vectors by skip-gram with negative sampling, through gensim.

With one thread a model and every random number from its seed, the same seed gives the same
vectors; models are trained side by side in processes instead.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import MissingExtra

from .token_ids import Integers, Numbered

_LONGEST = 10_000  # gensim passes over what is further on in a text than that


def sgns_vectors(
    corpus: Numbered,
    order: Integers,
    counts: Integers,
    kept: NDArray[np.bool_],
    *,
    dim: int,
    window: int,
    epochs: int,
    negative: int,
    sample: float,
    seed: int,
) -> NDArray[np.float32]:
    """A row for each word; zeros for words that are not kept.

    Parameters
    ----------
    corpus, order
        The documents, and which of them to train on in which order.
    counts, kept
        How often each word occurs in these, and which words take part.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise MissingExtra("Training with skip-gram (method sgns)", "train") from None
    texts = _Texts(corpus, order, kept)
    model: Any = Word2Vec(
        vector_size=dim,
        window=window,
        min_count=1,
        sg=1,
        hs=0,
        negative=negative,
        sample=sample,
        seed=seed,
        workers=1,
        hashfxn=_hash,
    )
    frequencies = {corpus.words[i]: int(counts[i]) for i in np.flatnonzero(kept).tolist()}
    model.build_vocab_from_freq(frequencies)
    model.train(
        texts,
        total_examples=sum(1 for _ in texts.spans()),
        total_words=sum(frequencies.values()),
        epochs=epochs,
    )
    table = np.zeros((len(corpus.words), dim), dtype=np.float32)
    for i in np.flatnonzero(kept).tolist():
        table[i] = model.wv[corpus.words[i]]
    return table


class _Texts:
    """Documents as lists of words, again and again, as gensim wants them."""

    def __init__(self, corpus: Numbered, order: Integers, kept: NDArray[np.bool_]) -> None:
        self._corpus, self._order, self._kept = corpus, order, kept
        self._words = np.array(corpus.words, dtype=object)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Where the documents are in the tokens; long ones in pieces."""
        ends = self._corpus.ends
        for d in self._order.tolist():
            start, end = int(ends[d - 1]) if d else 0, int(ends[d])
            for at in range(start, end, _LONGEST):
                yield at, min(at + _LONGEST, end)

    def __iter__(self) -> Iterator[list[str]]:
        for start, end in self.spans():
            tokens = self._corpus.tokens[start:end]
            yield self._words[tokens[self._kept[tokens]]].tolist()


def _hash(text: str) -> int:
    """Python's own hash of a text changes from one run to the next."""
    return zlib.crc32(text.encode())
