"""The contexts of target words in each document, projected on the direction of a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .space import SharedSpace

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class ContextScores:
    """Cells of documents and target words that occur in them.

    Attributes
    ----------
    documents, words
        The document and the target word of each cell, as positions.
    occurrences, contexts
        How often the word occurs there, and how many words around it have a vector.
    scores
        The mean over these contexts of the association of the word's vector:
        q · Σ A z_c / (m ‖A u_w‖), so that over all documents a word has its association s(w, A, B)
        by its contexts.
    pooled
        That association of each target word, over all documents.
    """

    documents: Integers
    words: NDArray[np.int32]
    occurrences: Integers
    contexts: Integers
    scores: Floats
    pooled: Floats

    def __repr__(self) -> str:
        return (
            f"<ContextScores: {len(self.pooled):,} words, {self.occurrences.sum():,} occurrences, "
            f"{self.contexts.sum():,} contexts>"
        )


def score_contexts(space: SharedSpace, targets: Sequence[int], direction: Floats) -> ContextScores:
    """Return the association of target words with a direction, in each document.

    Parameters
    ----------
    space
        The corpus, its vectors and the transform.
    targets
        The positions of target words in the corpus's vocabulary.
    direction
        q, the mean of the unit vectors of A minus that of B.
    """
    from .kernels import count_cells, sum_contexts

    corpus = space.corpus
    positions = np.array(targets, dtype=np.intp)
    target = np.full(len(corpus.words), -1, dtype=np.int32)
    target[positions] = np.arange(len(positions), dtype=np.int32)
    tokens, ends = np.asarray(corpus.tokens), np.asarray(corpus.ends)
    cells = count_cells(tokens, ends, target, len(positions))
    documents, words, occurrences, contexts, sums = sum_contexts(
        tokens,
        ends,
        space.window,
        target,
        len(positions),
        space.project(direction),
        space.has_vector,
        cells,
    )
    induced = space.induced(positions)
    lengths = np.linalg.norm(induced, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    has_context = contexts > 0
    documents, words = documents[has_context], words[has_context]
    occurrences, contexts = occurrences[has_context], contexts[has_context]
    scores = sums[has_context] / contexts / lengths[words]
    return ContextScores(
        documents, words, occurrences, contexts, scores, induced @ direction / lengths
    )
