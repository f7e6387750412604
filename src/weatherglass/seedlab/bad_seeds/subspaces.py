"""Set similarity: the cosine of the mean vectors of two seed sets (section 8, Set Similarity)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weatherglass.measures import NO_SPREAD, effect, spread
from weatherglass.vectors import Vectors, unit_rows

from ..models import Floats, Positions, check_whole

NOTHING = 1e-12  # of unit vectors and their means; below it there is no direction


def set_similarity(x: Floats, y: Floats) -> float | None:
    """cos(mean X, mean Y) of two sets of unit vectors; None where a mean has no direction.

    Antoniak and Mimno (2021) find that sets which are too similar explain little variance.

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
    if min(lengths) < NOTHING:
        return None
    return float(np.clip(mean_x @ mean_y / (lengths[0] * lengths[1]), -1, 1))


_CELLS = 1 << 22  # cosines that are held at once
_TIE = 1e-12


def coherences(
    vectors: Vectors,
    axes: Floats,
    sets: Sequence[tuple[Positions, Positions]],
    among: Positions | None = None,
) -> Floats:
    """Coherence of pairs of seed sets, each along an axis of its own.

    Coherence(X, Y) = \\|R̄_X - R̄_Y\\|, where R̄ is the mean rank of a set's words when all words of
    the vocabulary are ranked by their cosine with the axis. It is divided by the largest value that
    sets of these sizes can have, so that it is 1 where X has the one end of the vocabulary to
    itself and Y the other, and 0 where their mean ranks are the same.

    Parameters
    ----------
    vectors
        The embedding.
    axes
        A row for each pair of sets.
    sets
        The positions of the words of X and of Y, for each pair.
    among
        The positions of the words that are ranked; all that have a direction by default.

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
    check_whole(vectors)
    ranked = np.delete(np.arange(len(vectors)), vectors.unusable) if among is None else among
    own = [
        vectors.unit_at(np.concatenate(both)) @ axis for both, axis in zip(sets, axes, strict=True)
    ]
    twice = [np.ones(len(some)) for some in own]  # of each rank, which begin at 1
    step = max(1, _CELLS // max(1, len(axes)))
    for start in range(0, len(ranked), step):
        cosines = axes @ unit_rows(vectors, ranked[start : start + step]).T
        cosines.sort(axis=1)
        for at, line in enumerate(cosines):
            # The words below, and those below or equal: half of both is the rank, shared by ties.
            twice[at] += np.searchsorted(line, own[at] - _TIE, side="left")
            twice[at] += np.searchsorted(line, own[at] + _TIE, side="right")
    return np.array(
        [
            _apart(ranks[: len(x)] / 2, ranks[len(x) :] / 2, len(ranked))
            for ranks, (x, _) in zip(twice, sets, strict=True)
        ]
    )


def _apart(x: Floats, y: Floats, words: int) -> float:
    """The distance of the mean ranks of two sets over the largest that there can be."""
    most = words - (len(x) + len(y)) / 2
    return float(min(1.0, abs(x.mean() - y.mean()) / most)) if most > 0 else 0.0


MOST = 10  # components that results keep, as in figure 3


@dataclass(frozen=True, eq=False)
class Components:
    """The principal components of the differences within pairs.

    Attributes
    ----------
    axes
        Orthonormal rows, the strongest first; the words of X lie on the positive side.
    explained
        The share of the variance along each.
    """

    axes: Floats
    explained: tuple[float, ...]


def pair_components(x: Floats, y: Floats) -> Components | None:
    """The principal components of pairs of unit vectors.

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
        As many as there are pairs or dimensions; None where no pair has two different vectors.

    Notes
    -----
    With n pairs the first component explains at least 1 / n, and one pair alone explains all.

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.

    Examples
    --------
    >>> x, y = np.array([[1.0, 0.0], [0.8, 0.6]]), np.array([[-1.0, 0.0], [0.8, -0.6]])
    >>> found = pair_components(x, y)
    >>> abs(found.axes.round(3)), np.round(found.explained, 3)
    (array([[1., 0.],
           [0., 1.]]), array([0.735, 0.265]))
    """
    halves = (x - y) / 2
    if not len(halves) or np.abs(halves).max() < NOTHING:
        return None
    _, strengths, axes = np.linalg.svd(halves, full_matrices=False)
    axes *= np.where(axes @ halves.sum(axis=0) < 0, -1.0, 1.0)[:, None]
    return Components(axes, tuple((strengths**2 / np.sum(strengths**2)).tolist()))


def explained_variance(x: Floats, y: Floats) -> NDArray[np.float64]:
    """The shares of the first ten components, for many lists of pairs at once.

    Parameters
    ----------
    x, y
        Of shape (..., pairs, dimensions).

    Returns
    -------
    array
        Of shape (..., components); zeros where all pairs are of equal vectors.

    Examples
    --------
    >>> x, y = np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([[[-1.0, 0.0], [0.0, -1.0]]])
    >>> explained_variance(x, y)
    array([[0.5, 0.5]])
    """
    variances = np.linalg.svd((x - y) / 2, compute_uv=False) ** 2
    total = variances.sum(axis=-1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(
        variances, total, out=np.zeros_like(variances), where=total > NOTHING**2
    )
    return shares[..., :MOST]


GOOD, BAD = ("good",), ("bad",)  # the attributes of section 6


def associations(w: Floats, a: Floats, b: Floats) -> Floats:
    """s(w, A, B) of each row of `w`: its mean cosine with A less that with B."""
    values: Floats = w @ (a.mean(axis=0) - b.mean(axis=0))
    return values


def weat_statistic(x: Floats, y: Floats) -> float:
    """s(X, Y, A, B) = Σ s(x, A, B) - Σ s(y, A, B), from the associations of X and of Y.

    As section 5 has it, whatever the sizes. Of sets of unequal sizes the larger has the more say;
    the effect does not depend on size.

    >>> round(weat_statistic(np.array([0.5, 0.25]), np.array([0.25])), 2)
    0.5
    """
    return float(x.sum() - y.sum())


def weat_effect(x: Floats, y: Floats) -> float | None:
    """The difference of the means over the standard deviation of all associations.

    None where a set has one word only, or all words have the same association.

    >>> round(weat_effect(np.array([1.0, 0.0]), np.array([0.0, -1.0])), 2)
    1.22
    """
    if min(len(x), len(y)) < 2 or spread(x, y, 1) <= NO_SPREAD:
        return None
    return effect(x, y, 1)


def weat_axis(x: Floats, y: Floats) -> Floats | None:
    """The WEAT subspace: the difference of the set means, at unit length; None where it is 0."""
    if not len(x) or not len(y):
        return None
    difference = x.mean(axis=0) - y.mean(axis=0)
    length = float(np.linalg.norm(difference))
    return None if length < NOTHING else difference / length
