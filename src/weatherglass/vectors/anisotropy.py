"""Anisotropy controls: remove the mean of the unit vectors, or their main axes, or whiten them.

The vectors of an embedding do not point in all directions alike: they share a mean, and a few
principal components hold much of their variance. Two sets of words can then be associated because
of a direction that most words share. Each control is a map of unit vectors that is followed by
normalisation. "All-but-the-top" is from J. Mu, P. Viswanath (2018), All-but-the-top: simple and
effective postprocessing for word representations, ICLR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from weatherglass._files import map_in_order

from .vectors import Floats, Positions, row_blocks

MAX_FITTED_WORDS = 60_000  # mean and covariance are those of the most frequent words
# Relative to the mean variance of an axis. Whitening raises smaller variances to this: otherwise
# axes that hold only rounding errors would be blown up to the size of the others.
MIN_VARIANCE = 1e-4

Rows = Callable[[Positions], Floats]
"""A function that returns the unit rows at positions, zeros for rows without direction."""


class RowMap:
    """A map of unit rows, which may depend on the word of a row."""

    def apply(self, rows: Floats, positions: Positions) -> Floats:
        """Return the mapped rows, not normalised."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class LinearMap(RowMap):
    """v ↦ (v - mean) · matrix; the matrix is None where only the mean is removed."""

    mean: Floats
    matrix: Floats | None = None

    def apply(self, rows: Floats, positions: Positions) -> Floats:
        centred = rows - self.mean
        return centred if self.matrix is None else centred @ self.matrix


def fit_centering(rows: Rows, order: Positions, workers: int) -> LinearMap:
    """Fit ``center``: the mean of the unit rows is removed."""
    return LinearMap(_moments(rows, order, workers)[0])


def fit_top(rows: Rows, order: Positions, workers: int, components: int) -> LinearMap:
    """Fit ``top:K``: the mean and the first K principal components are removed."""
    mean, covariance = _moments(rows, order, workers)
    top = np.linalg.eigh(covariance)[1][:, -components:]
    return LinearMap(mean, np.eye(len(mean)) - top @ top.T)


def fit_whitening(rows: Rows, order: Positions, workers: int) -> LinearMap:
    """Fit ``whiten``: the mean is removed and the covariance mapped to the identity, by Σ^(-1/2).

    Variances below 1/10,000 of their mean are raised to that.
    """
    mean, covariance = _moments(rows, order, workers)
    variances, axes = np.linalg.eigh(covariance)
    floor = max(MIN_VARIANCE * float(variances.mean()), np.finfo(float).tiny)
    return LinearMap(mean, (axes / np.sqrt(np.maximum(variances, floor))) @ axes.T)


def _moments(rows: Rows, order: Positions, workers: int) -> tuple[Floats, Floats]:
    """Return the mean and the covariance of the most frequent words' rows, all weighted alike."""
    fitted = order[:MAX_FITTED_WORDS]

    def sums(block: slice) -> tuple[Floats, Floats]:
        units = rows(fitted[block])
        return units.sum(axis=0), units.T @ units

    total: Floats
    squares: Floats
    # Added up in the order of the blocks, which threads do not change.
    blocks = map_in_order(sums, list(row_blocks(len(fitted))), workers)
    total, squares = next(blocks)
    for block_total, block_squares in blocks:
        total, squares = total + block_total, squares + block_squares
    mean = total / len(fitted)
    return mean, squares / len(fitted) - np.outer(mean, mean)


def powers_of_covariance(covariance: Floats, *powers: float) -> list[Floats]:
    """Return symmetric powers of a covariance; axes without variance stay without it.

    >>> [power.tolist() for power in powers_of_covariance(np.diag([4.0, 0.0]), 0.5, -0.5)]
    [[[2.0, 0.0], [0.0, 0.0]], [[0.5, 0.0], [0.0, 0.0]]]
    """
    variances, axes = np.linalg.eigh(covariance)
    is_real = variances > max(1e-9 * float(variances[-1]), np.finfo(float).tiny)
    axes, variances = axes[:, is_real], variances[is_real]
    return [(axes * variances**power) @ axes.T for power in powers]
