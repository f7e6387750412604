"""Vectors by factoring the positive pointwise mutual information of words and contexts.

With C(w, c) the times that c stands at most `window` words from w,

    PMI(w, c) = log( P(w, c) / (P(w) Pα(c)) ),    Pα(c) = C(c)^α / Σ C(c)^α,

every cell is lowered by log k (the shift) and negative ones become 0. The matrix M is taken apart
into U Σ Vᵀ, of which the largest `dim` singular values are kept, and the vectors are U Σ^p. See
O. Levy, Y. Goldberg, I. Dagan (2015). Improving distributional similarity with lessons learned
from word embeddings. TACL 3, 211-225; their advice for this method is what the defaults are:
α = 0.75, k = 1, p = 0.5.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from .cooccurrence import Pairs
from .lanczos import Rows, leading_components
from .token_ids import Integers


def ppmi_vectors(
    pairs: Pairs,
    counts: Integers,
    kept: NDArray[np.bool_],
    *,
    dim: int,
    smoothing: float,
    shift: float,
    power: float,
    rng: Generator,
) -> NDArray[np.float32]:
    """A row for each word; zeros for words that are not kept, or have no cell above 0.

    Parameters
    ----------
    pairs, counts
        Pairs of words, and how often each occurs.
    kept
        Which words take part, as words and as contexts.
    dim, smoothing, shift, power
        The number of components, α, k and p.
    rng
        Where the iteration that finds the components starts; it ends at the same ones.
    """
    matrix, transposed = ppmi_matrix(pairs, counts, kept, smoothing, shift)
    components, values = leading_components(matrix, transposed, dim, rng)
    rows = components * values**power
    table = np.zeros((len(kept), dim), dtype=np.float32)
    table[:, : rows.shape[1]] = _signed(rows)
    return table


def ppmi_matrix(
    pairs: Pairs, counts: Integers, kept: NDArray[np.bool_], smoothing: float, shift: float
) -> tuple[Rows, Rows]:
    """M and Mᵀ, without their zeros."""
    from .kernels import keep_pairs, positive

    counts = counts.copy()
    contexts = keep_pairs(pairs.rows, pairs.columns, counts, kept).astype(np.float64)
    raised = np.where(contexts > 0, contexts**smoothing, 0)
    with np.errstate(divide="ignore"):
        logs = np.log(counts)
        # Infinity less infinity is no number, and no number is above 0.
        own = np.log(contexts) + math.log(shift)
        other = np.log(raised / max(raised.sum(), 1.0))
    cells = (pairs.rows, pairs.columns, logs)
    return Rows(*positive(*cells, own, other)), Rows(*positive(*cells, other, own))


def _signed(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """A component and its negative are the same; the largest number is made positive."""
    largest = np.abs(rows).argmax(axis=0)
    signs = np.sign(rows[largest, np.arange(rows.shape[1])])
    signed: NDArray[np.float32] = rows * np.where(signs < 0, -1, 1).astype(np.float32)
    return signed
