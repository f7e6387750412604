"""PCA of the half-differences of pairs: does one direction tell X from Y (section 5, PCA)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .models import Floats
from .similarity import NOTHING

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
