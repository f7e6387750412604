"""Coherence: how far apart two seed sets lie in the bias subspace (section 6, Coherence)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weatherglass.vectors import Vectors
from weatherglass.vectors.blocks import unit_rows

from .models import Floats, Positions, check_whole

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
