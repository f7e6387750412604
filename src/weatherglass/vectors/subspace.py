"""The bias subspace: the directions in which the words of some sets differ (Bolukbasi 2016)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe

from .lookup import Case, check_sets, find_set_positions
from .vectors import EPSILON, Floats, Vectors


@dataclass(frozen=True, eq=False)
class Subspace:
    """The bias subspace B of some word sets.

    Attributes
    ----------
    axes
        Orthonormal rows that span B, the strongest first. The first words of the sets lie on the
        positive side.
    explained
        The share of the variance within the sets that lies along each axis.
    sets
        The sets that were used, as positions in the vocabulary.
    asked
        How many sets were given.
    missing
        Words of the sets that are not in the vocabulary, or have no direction.
    """

    axes: Floats
    explained: tuple[float, ...]
    sets: tuple[tuple[int, ...], ...]
    asked: int
    missing: tuple[str, ...]

    def within(self, rows: Floats) -> Floats:
        """The part of each row that lies in B: w_B in the paper."""
        made: Floats = rows @ self.axes.T @ self.axes
        return made


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
        Pairs of words that differ in one thing, or sets of more than two.
    components
        How many directions (k in the paper).
    case
        ``auto`` falls back to lower case where the vocabulary has no capitals; ``keep``; ``lower``.

    Raises
    ------
    CannotMeasure
        No pair is in the vocabulary, or those that are do not span so many directions.

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
    >>> found = bias_subspace(vectors, [["she", "he"]])
    >>> found.axes.round(6), found.explained
    (array([[1., 0.]]), (1.0,))
    """
    sets = check_sets(pairs, "pairs")
    if isinstance(components, bool) or not isinstance(components, int) or components < 1:
        raise UsageError(f"components is {components!r}; a whole number from 1 was expected.")
    found = find_set_positions(vectors, sets, case)
    if not found.at:
        some = join_first(map(quote_safe, found.missing))
        raise CannotMeasure(
            f"No pair of the {len(sets)} given has two words with a direction in {vectors.source}"
            + (f" (missing: {some})." if some else ".")
        )
    deviations = [_deviations(vectors.unit_at(np.array(one))) for one in found.at]
    # The right singular vectors of the stacked deviations are the eigenvectors of C.
    _, strengths, axes = np.linalg.svd(np.concatenate(deviations), full_matrices=False)
    _check(strengths, components, vectors.source)
    axes = axes[:components]
    firsts = np.sum([one[0] for one in deviations], axis=0)
    axes *= np.where(axes @ firsts < 0, -1.0, 1.0)[:, None]
    variance = strengths**2 / np.sum(strengths**2)
    return Subspace(
        axes=axes,
        explained=tuple(variance[:components].tolist()),
        sets=found.at,
        asked=found.asked,
        missing=found.missing,
    )


def _deviations(rows: Floats) -> Floats:
    """The unit rows of a set less their mean, scaled so that each set counts once."""
    made: Floats = (rows - rows.mean(axis=0)) / np.sqrt(len(rows))
    return made


def _check(strengths: Floats, components: int, source: str) -> None:
    """Raise `CannotMeasure` unless just one subspace of that many dimensions is the strongest."""
    rank = int(np.sum(strengths > EPSILON * max(1.0, strengths[0])))
    if not rank:
        raise CannotMeasure(
            f"The words of each pair have the same direction in {source}, so no axis lies between "
            "them. Give pairs of words that differ."
        )
    spanned = "1 direction" if rank == 1 else f"{rank} directions"
    if components > rank:
        raise CannotMeasure(
            f"The pairs span {spanned} in {source}, and {components} components were asked for. "
            "Give more pairs, or ask for fewer components."
        )
    if components < rank and strengths[components - 1] - strengths[components] < EPSILON:
        raise CannotMeasure(
            f"The differences within the pairs are as strong in direction {components + 1} as in "
            f"direction {components}, so which to take is open. Ask for more or fewer components."
        )
