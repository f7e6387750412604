"""The bias subspace: the directions in which the words of given sets differ (Bolukbasi 2016)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe

from .lookup import Case, check_sets, find_set_positions
from .vectors import EPSILON, Floats, Vectors


@dataclass(frozen=True, eq=False)
class Subspace:
    """The bias subspace B of word sets.

    Attributes
    ----------
    axes
        Orthonormal rows that span B, in decreasing order of explained variance. The first words of
        the sets are on the positive side.
    explained
        The share of the variance within the sets along each axis.
    sets
        The sets used, as positions in the vocabulary.
    requested
        The number of sets given.
    missing
        Words of the sets that are not in the vocabulary, or have no direction.
    """

    axes: Floats
    explained: tuple[float, ...]
    sets: tuple[tuple[int, ...], ...]
    requested: int
    missing: tuple[str, ...]

    def within(self, rows: Floats) -> Floats:
        """Return the projection of each row onto B: w_B in the paper."""
        projections: Floats = rows @ self.axes.T @ self.axes
        return projections


def bias_subspace(
    vectors: Vectors,
    pairs: Iterable[Sequence[str]],
    *,
    components: int = 1,
    case: Case = "auto",
) -> Subspace:
    """Find the directions in which the words of each pair differ.

    Parameters
    ----------
    vectors
        The embedding.
    pairs
        Pairs of words that differ in one respect, or sets of more than two.
    components
        The number of directions (k in the paper).
    case
        ``auto`` falls back to lower case if the vocabulary has no capitals; ``keep``; ``lower``.

    Raises
    ------
    CannotMeasure
        No pair is in the vocabulary, or the pairs do not span so many directions.

    Notes
    -----
    With the means μ_i of the sets D_i of unit vectors, B is spanned by the first k singular vectors
    of C = Σ_i Σ_{w in D_i} (w - μ_i)ᵀ(w - μ_i) / \\|D_i\\| (step 1 in section 6 of [1]_).

    References
    ----------
    .. [1] T. Bolukbasi, K.-W. Chang, J. Zou, V. Saligrama, A. Kalai (2016). Man is to computer
       programmer as woman is to homemaker? Debiasing word embeddings. NIPS.

    Examples
    --------
    >>> vectors = Vectors.of(["he", "she", "it"], [[-3, 4], [3, 4], [0, 1]])
    >>> subspace = bias_subspace(vectors, [["she", "he"]])
    >>> subspace.axes.round(6), subspace.explained
    (array([[1., 0.]]), (1.0,))
    """
    sets = check_sets(pairs, "pairs")
    if isinstance(components, bool) or not isinstance(components, int) or components < 1:
        raise UsageError(f"components is {components!r}; a whole number from 1 was expected.")
    found = find_set_positions(vectors, sets, case)
    if not found.sets:
        missing = join_first(map(quote_safe, found.missing))
        raise CannotMeasure(
            f"None of the {len(sets)} pairs has two usable words in {vectors.source}"
            + (f" (missing: {missing})." if missing else ".")
        )
    deviations = [_deviations(vectors.unit_at(np.array(positions))) for positions in found.sets]
    # The right singular vectors of the stacked deviations are the eigenvectors of C.
    _, strengths, axes = np.linalg.svd(np.concatenate(deviations), full_matrices=False)
    _check_components(strengths, components, vectors.source)
    axes = axes[:components]
    firsts = np.sum([rows[0] for rows in deviations], axis=0)
    axes *= np.where(axes @ firsts < 0, -1.0, 1.0)[:, None]
    variance = strengths**2 / np.sum(strengths**2)
    return Subspace(
        axes=axes,
        explained=tuple(variance[:components].tolist()),
        sets=found.sets,
        requested=found.requested,
        missing=found.missing,
    )


def _deviations(rows: Floats) -> Floats:
    """Return the unit rows of a set minus their mean, scaled so that all sets weigh the same."""
    deviations: Floats = (rows - rows.mean(axis=0)) / np.sqrt(len(rows))
    return deviations


def _check_components(strengths: Floats, components: int, source: str) -> None:
    """Raise `CannotMeasure` unless the strongest subspace of that many dimensions is unique."""
    rank = int(np.sum(strengths > EPSILON * max(1.0, strengths[0])))
    if not rank:
        raise CannotMeasure(
            f"The words of each pair have the same direction in {source}, so they define no axis. "
            "Give pairs of words that differ."
        )
    spanned = "1 direction" if rank == 1 else f"{rank} directions"
    if components > rank:
        raise CannotMeasure(
            f"The pairs span {spanned} in {source}, but you asked for {components} components. "
            "Give more pairs, or ask for fewer components."
        )
    if components < rank and strengths[components - 1] - strengths[components] < EPSILON:
        raise CannotMeasure(
            f"The pairs differ as much in direction {components + 1} as in direction {components}, "
            "so the choice between them is arbitrary. Ask for more or fewer components."
        )
