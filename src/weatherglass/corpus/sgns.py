"""Vectors by skip-gram with negative sampling, trained by gensim.

Each model is trained in one thread, with all random numbers from its seed, so that the same seed
gives the same vectors. Models are trained in parallel processes instead.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import MissingExtra

from .token_ids import Integers, TokenIds

_MAX_TEXT_WORDS = 10_000  # gensim ignores the words of a text beyond that


def sgns_vectors(
    corpus: TokenIds,
    order: Integers,
    counts: Integers,
    is_frequent: NDArray[np.bool_],
    *,
    dim: int,
    window: int,
    epochs: int,
    negative: int,
    sample: float,
    seed: int,
) -> NDArray[np.float32]:
    """Return a row for each word; zeros for words that are too rare.

    Parameters
    ----------
    corpus, order
        The documents, and the positions of those to train on, in order.
    counts, is_frequent
        The count of each word in these, and which words take part.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise MissingExtra("Training with skip-gram (method sgns)", "train") from None
    texts = _Texts(corpus, order, is_frequent)
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
        hashfxn=_stable_hash,
    )
    frequencies = {corpus.words[i]: int(counts[i]) for i in np.flatnonzero(is_frequent).tolist()}
    model.build_vocab_from_freq(frequencies)
    model.train(
        texts,
        total_examples=sum(1 for _ in texts.spans()),
        total_words=sum(frequencies.values()),
        epochs=epochs,
    )
    table = np.zeros((len(corpus.words), dim), dtype=np.float32)
    for i in np.flatnonzero(is_frequent).tolist():
        table[i] = model.wv[corpus.words[i]]
    return table


class _Texts:
    """Documents as lists of words, in the re-iterable form that gensim needs."""

    def __init__(self, corpus: TokenIds, order: Integers, is_frequent: NDArray[np.bool_]) -> None:
        self._corpus, self._order, self._is_frequent = corpus, order, is_frequent
        self._words = np.array(corpus.words, dtype=object)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each document in the tokens; long ones in pieces."""
        ends = self._corpus.ends
        for d in self._order.tolist():
            start, end = int(ends[d - 1]) if d else 0, int(ends[d])
            for first in range(start, end, _MAX_TEXT_WORDS):
                yield first, min(first + _MAX_TEXT_WORDS, end)

    def __iter__(self) -> Iterator[list[str]]:
        for start, end in self.spans():
            tokens = self._corpus.tokens[start:end]
            yield self._words[tokens[self._is_frequent[tokens]]].tolist()


def _stable_hash(text: str) -> int:
    """Return a hash that is the same in every process, unlike Python's own."""
    return zlib.crc32(text.encode())
