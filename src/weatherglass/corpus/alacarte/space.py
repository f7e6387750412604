"""One embedding space for a whole corpus, and the transform that takes contexts into it.

With z_c the vector of the word c, the mean context vector of a word w is

    u_w = Σ z_c / m_w    over the m_w words c at most `window` words from an occurrence of w,

and the transform A is the one that brings mean context vectors nearest to the words' own vectors,

    A = argmin Σ_w log(n_w) ‖z_w − A u_w‖²    over words that occur n_w times, at least 50.

A u_w over the contexts of one group of documents is then the group's own vector of w, however few
they are. See M. Khodak, N. Saunshi, Y. Liang, T. Ma, B. Stewart, S. Arora (2018). A la carte
embedding: cheap but effective induction of semantic feature vectors. ACL, 12-22.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors

from ..ppmi import Pairs, count_pairs, open_pairs, ppmi_vectors
from ..run_folder import Settings
from ..token_ids import TokenIds
from ..worker import model_rng

Floats = NDArray[np.float64]

MIN_COUNT_FOR_TRANSFORM = 50
"""Occurrences from which a word takes part in fitting the transform."""
_MIN_WORDS_PER_DIMENSION = 2
_BLOCK_ROWS = 4096


@dataclass(frozen=True, eq=False, repr=False)
class SharedSpace:
    """A corpus, vectors of its words, and the transform of context vectors.

    Attributes
    ----------
    corpus
        The documents as token ids.
    window
        How many words to each side are context.
    vectors
        The vectors; of words that are in no document too, if they were not trained on the corpus.
    rows, has_vector
        The vector of each word of the corpus, and whether it has one; zeros if not.
    contexts
        u_w, the mean context vector of each word of the corpus.
    transform
        A.
    fitted_words, fit
        The number of words that the transform was fitted to, and the median cosine of A u_w and
        z_w over them.
    """

    corpus: TokenIds
    window: int
    vectors: Vectors
    rows: NDArray[np.float32]
    has_vector: NDArray[np.bool_]
    contexts: NDArray[np.float32]
    transform: Floats
    fitted_words: int
    fit: float

    def __repr__(self) -> str:
        words, dim = self.rows.shape
        return f"<SharedSpace: {words:,} words × {dim}, transform fits {self.fit:.2f}>"

    def induced(self, positions: NDArray[np.intp]) -> Floats:
        """Return A u_w of some words, over all documents."""
        product: Floats = self.contexts[positions].astype(np.float64) @ self.transform.T
        return product

    def project(self, direction: Floats) -> Floats:
        """Return the product of A z_c and a direction, for each word c of the corpus."""
        product: Floats = self.rows @ (self.transform.T @ direction)
        return product


def share_space(
    corpus: TokenIds,
    folder: Path,
    *,
    dim: int = 100,
    window: int = 5,
    seed: int = 0,
    vectors: Vectors | None = None,
) -> SharedSpace:
    """Train vectors on a corpus, or take given ones, and fit the transform.

    Parameters
    ----------
    corpus
        The documents.
    folder
        For temporary files.
    dim, window, seed
        Of the vectors, which are trained by ``ppmi-svd``: the transform needs its co-occurrences
        anyway. `dim` and `seed` do not matter for vectors from elsewhere.
    vectors
        Vectors from elsewhere, which are not trained on the corpus.

    Raises
    ------
    CannotMeasure
        Too few words are frequent enough to fit the transform.
    """
    settings = Settings(method="ppmi-svd", dim=dim, window=window, seed=seed)
    count_pairs(corpus, window, folder)
    pairs = open_pairs(folder)
    if vectors is None:
        rows = ppmi_vectors(
            pairs,
            pairs.counts(),
            np.ones(len(corpus.words), dtype=np.bool_),
            dim=settings.dim,
            smoothing=settings.smoothing,
            shift=settings.shift,
            power=settings.power,
            rng=model_rng(settings.seed, "", None),
        )
        has_vector = np.any(rows, axis=1)
        words = [word for word, has in zip(corpus.words, has_vector, strict=True) if has]
        vectors = Vectors.of(words, rows[has_vector], counts=corpus.counts[has_vector])
    else:
        rows, has_vector = _take_rows(corpus, vectors)
    contexts = mean_contexts(pairs, rows, has_vector)
    transform, fitted_words, fit = fit_transform(rows, contexts, has_vector, corpus.counts)
    return SharedSpace(
        corpus,
        window,
        vectors,
        rows,
        has_vector,
        contexts,
        transform,
        fitted_words,
        fit,
    )


def _take_rows(corpus: TokenIds, vectors: Vectors) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return the rows of the corpus's words; zeros for words that have no usable vector."""
    positions = vectors.words.find(corpus.words)
    has_vector = (positions >= 0) & ~np.isin(positions, vectors.unusable)
    rows = np.zeros((len(corpus.words), vectors.dim), dtype=np.float32)
    rows[has_vector] = vectors.matrix[positions[has_vector]]
    return rows, has_vector


def mean_contexts(
    pairs: Pairs, rows: NDArray[np.float32], has_vector: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return u_w of each word; zeros for words around which no word has a vector."""
    from scipy.sparse import csr_array

    size = len(rows)
    starts = np.concatenate([[0], np.asarray(pairs.rows)])
    counts = pairs.counts().astype(np.float64)
    matrix = csr_array((counts, np.asarray(pairs.columns), starts), shape=(size, size))
    # Each pair is stored once, as (i, j) with i ≤ j, and each of the two is context of the other.
    sums = matrix @ rows + matrix.T @ rows
    shares = has_vector.astype(np.float64)
    total = matrix @ shares + matrix.T @ shares
    mean: NDArray[np.float32] = (sums / np.maximum(total, 1.0)[:, np.newaxis]).astype(np.float32)
    return mean


def fit_transform(
    rows: NDArray[np.float32],
    contexts: NDArray[np.float32],
    has_vector: NDArray[np.bool_],
    counts: NDArray[np.int64],
) -> tuple[Floats, int, float]:
    """Return A by weighted least squares, how many words it was fitted to, and how well it fits.

    If fewer words than twice the dimensions occur 50 times, rarer words take part too.

    Raises
    ------
    CannotMeasure
        There are fewer words than dimensions.
    """
    dim = rows.shape[1]
    is_usable = has_vector & np.any(contexts, axis=1) & (np.asarray(counts) > 1)
    chosen = np.flatnonzero(is_usable & (np.asarray(counts) >= MIN_COUNT_FOR_TRANSFORM))
    if len(chosen) < _MIN_WORDS_PER_DIMENSION * dim:
        # Words are ordered by count, so the most frequent ones come first.
        chosen = np.flatnonzero(is_usable)[: max(len(chosen), _MIN_WORDS_PER_DIMENSION * dim)]
    if len(chosen) < dim:
        raise CannotMeasure(
            f"The transform of contexts needs at least as many frequent words as the vectors have "
            f"dimensions, but there are {len(chosen):,} words and {dim} dimensions. Choose fewer "
            "dimensions (dim), a lower threshold (min-count), or add text."
        )
    weights = np.log(counts[chosen].astype(np.float64))
    gram, cross = np.zeros((dim, dim)), np.zeros((dim, dim))
    for start in range(0, len(chosen), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        u = contexts[chosen[block]].astype(np.float64)
        weighted = u * weights[block, np.newaxis]
        gram += weighted.T @ u
        cross += weighted.T @ rows[chosen[block]]
    transform: Floats = np.linalg.lstsq(gram, cross, rcond=None)[0].T.astype(np.float64)
    fit = float(np.median(_cosines(contexts[chosen] @ transform.T, rows[chosen])))
    return transform, len(chosen), fit


def _cosines(first: NDArray[np.float64], second: NDArray[np.float32]) -> Floats:
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    cosines: Floats = np.einsum("ij,ij->i", first, second) / np.where(lengths > 0, lengths, 1.0)
    return cosines
