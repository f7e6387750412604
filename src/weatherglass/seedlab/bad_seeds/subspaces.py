"""The quantities of Bad Seeds, sections 5, 6 and 8, for two seed sets as rows of unit vectors.

Bias subspaces by WEAT and by PCA (section 5), explained variance, WEAT statistic and coherence
(section 6), set similarity (section 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.measures import MIN_SPREAD, effect, spread
from weatherglass.vectors import Vectors, unit_rows

from ..models import Floats, Positions, require_whole

EPSILON = 1e-12  # a mean of unit vectors that is shorter has no direction


def set_similarity(x: Floats, y: Floats) -> float | None:
    """Return cos(mean X, mean Y) of two sets of unit vectors; None if a mean has no direction.

    Section 8, Set Similarity: sets that are too similar explain little variance (figure 5).

    Examples
    --------
    >>> set_similarity(np.array([[1.0, 0.0]]), np.array([[0.6, 0.8]]))
    0.6
    >>> set_similarity(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[0.6, 0.8]])) is None
    True
    """
    if not len(x) or not len(y):
        return None
    mean_x, mean_y = x.mean(axis=0), y.mean(axis=0)
    lengths = float(np.linalg.norm(mean_x)), float(np.linalg.norm(mean_y))
    if min(lengths) < EPSILON:
        return None
    return float(np.clip(mean_x @ mean_y / (lengths[0] * lengths[1]), -1, 1))


MAX_CELLS = 1 << 22  # cosines held in memory at once
TIE_TOLERANCE = 1e-12  # cosines that differ by less share their rank


def coherences(
    vectors: Vectors,
    axes: Floats,
    sets: Sequence[tuple[Positions, Positions]],
    among: Positions | None = None,
) -> Floats:
    """Return the coherence of pairs of seed sets, each along its own axis (section 6, Coherence).

    Coherence(X, Y) = \\|R̄_X - R̄_Y\\|, where R̄ is the mean rank of a set's words when all words of
    the vocabulary are ranked by their cosine with the axis. It is divided by the largest value that
    sets of these sizes can have, so it is 1 if X occupies one end of the vocabulary and Y the
    other, and 0 if their mean ranks are equal.

    Parameters
    ----------
    vectors
        The embedding.
    axes
        A row for each pair of sets.
    sets
        The positions of the words of X and of Y, for each pair.
    among
        The positions of the words to rank; all usable words by default.

    Returns
    -------
    array
        A number from 0 to 1 for each pair. Cosines within 1e-12 of each other share their ranks.

    Examples
    --------
    >>> vectors = Vectors.of("a b c d".split(), [[1, 0], [2, 1], [-1, 2], [-1, 0]])
    >>> ends, middle = (np.array([0]), np.array([3])), (np.array([0, 3]), np.array([1, 2]))
    >>> coherences(vectors, np.array([[1.0, 0.0]] * 2), [ends, middle])
    array([1., 0.])
    """
    require_whole(vectors)
    ranked = np.delete(np.arange(len(vectors)), vectors.unusable) if among is None else among
    seed_cosines = [
        vectors.unit_at(np.concatenate(pair)) @ axis for pair, axis in zip(sets, axes, strict=True)
    ]
    doubled_ranks = [np.ones(len(cosines)) for cosines in seed_cosines]  # ranks begin at 1
    step = max(1, MAX_CELLS // max(1, len(axes)))
    for start in range(0, len(ranked), step):
        block = axes @ unit_rows(vectors, ranked[start : start + step]).T
        block.sort(axis=1)
        for k, line in enumerate(block):
            # Words below plus words below or equal is twice the mid-rank, which ties share.
            below = np.searchsorted(line, seed_cosines[k] - TIE_TOLERANCE, side="left")
            up_to = np.searchsorted(line, seed_cosines[k] + TIE_TOLERANCE, side="right")
            doubled_ranks[k] += below
            doubled_ranks[k] += up_to
    return np.array(
        [
            _normalised_distance(doubled[: len(x)] / 2, doubled[len(x) :] / 2, len(ranked))
            for doubled, (x, _) in zip(doubled_ranks, sets, strict=True)
        ]
    )


def _normalised_distance(x_ranks: Floats, y_ranks: Floats, words: int) -> float:
    """Return the distance of two mean ranks over its maximum for sets of these sizes."""
    maximum = words - (len(x_ranks) + len(y_ranks)) / 2
    if maximum <= 0:
        return 0.0
    return float(min(1.0, abs(x_ranks.mean() - y_ranks.mean()) / maximum))


MAX_COMPONENTS = 10  # that results keep, as many as figure 3 shows


@dataclass(frozen=True, eq=False)
class Components:
    """The principal components of the differences within pairs of words.

    Attributes
    ----------
    axes
        Orthonormal rows, in order of variance; the words of X are on the positive side.
    explained
        The share of the variance along each.
    """

    axes: Floats
    explained: tuple[float, ...]


def pair_components(x: Floats, y: Floats) -> Components | None:
    """Return the principal components of pairs of unit vectors (section 5, PCA).

    For each pair (x_i, y_i) with mean μ_i, the half vectors x_i - μ_i and y_i - μ_i are rows of the
    matrix. They are each other's negatives, (x_i - y_i) / 2 and (y_i - x_i) / 2, so the rows have
    mean 0, and one of the two for each pair gives the same components and shares.

    Parameters
    ----------
    x, y
        The rows of the first and the second word of each pair.

    Returns
    -------
    Components or None
        As many as there are pairs or dimensions; None if no pair has two different vectors.

    Notes
    -----
    With n pairs the first component explains at least 1 / n, and a single pair explains all.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.

    Examples
    --------
    >>> x, y = np.array([[1.0, 0.0], [0.8, 0.6]]), np.array([[-1.0, 0.0], [0.8, -0.6]])
    >>> components = pair_components(x, y)
    >>> abs(components.axes.round(3)), np.round(components.explained, 3)
    (array([[1., 0.],
           [0., 1.]]), array([0.735, 0.265]))
    """
    halves = (x - y) / 2
    if not len(halves) or np.abs(halves).max() < EPSILON:
        return None
    _, strengths, axes = np.linalg.svd(halves, full_matrices=False)
    axes *= np.where(axes @ halves.sum(axis=0) < 0, -1.0, 1.0)[:, None]
    return Components(axes, tuple((strengths**2 / np.sum(strengths**2)).tolist()))


def explained_variance(x: Floats, y: Floats) -> NDArray[np.float64]:
    """Return the variance shares of the first ten components, for many lists of pairs at once.

    Parameters
    ----------
    x, y
        Of shape (..., pairs, dimensions).

    Returns
    -------
    array
        Of shape (..., components); zeros if the two vectors of every pair are equal.

    Examples
    --------
    >>> x, y = np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[[-1.0, 0.0], [0.0, -1.0]]])
    >>> explained_variance(x, y)
    array([[0.5, 0.5]])
    """
    variances = np.linalg.svd((x - y) / 2, compute_uv=False) ** 2
    total = variances.sum(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(
        variances, total, out=np.zeros_like(variances), where=total > EPSILON**2
    )
    return shares[..., :MAX_COMPONENTS]


GOOD, BAD = ("good",), ("bad",)  # the attributes A and B of section 6


def weat_statistic(x: Floats, y: Floats) -> float:
    """Return s(X, Y, A, B) = Σ s(x, A, B) - Σ s(y, A, B), from the associations of X and of Y.

    The formula of section 5, for any sizes. With unequal sizes the larger set weighs more; the
    effect size does not depend on size.

    >>> round(weat_statistic(np.array([0.5, 0.25]), np.array([0.25])), 2)
    0.5
    """
    return float(x.sum() - y.sum())


def weat_effect(x: Floats, y: Floats) -> float | None:
    """Return the difference of the means over the standard deviation of all associations.

    None if a set has only one word, or if all associations are equal.

    >>> round(weat_effect(np.array([1.0, 0.0]), np.array([0.0, -1.0])), 2)
    1.22
    """
    if min(len(x), len(y)) < 2 or spread(x, y, 1) <= MIN_SPREAD:
        return None
    return effect(x, y, 1)


def weat_axis(x: Floats, y: Floats) -> Floats | None:
    """Return the WEAT subspace (section 5): the difference of the set means, at unit length.

    None if the means are equal.
    """
    if not len(x) or not len(y):
        return None
    difference = x.mean(axis=0) - y.mean(axis=0)
    length = float(np.linalg.norm(difference))
    return None if length < EPSILON else difference / length
