"""Which words of a seed set belong there, as an embedding sees it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .models import Floats, Positions
from .similarity import NOTHING
from .space import Space, nearest

LEAST_WORDS = 3
AS_FREQUENT = 200  # words that stand for what an arbitrary one of that frequency would give
NEIGHBOURS = 10
AMONG = 50_000  # the most frequent words, among which neighbours are looked for
NEAR = 0.05  # the share of these that counts as near to a set
_SAMPLED = 2000  # of these, from which that distance is found


@dataclass(frozen=True, eq=False)
class Belonging:
    """How well each word of a set fits the others.

    Attributes
    ----------
    at
        The positions of the words.
    rest
        Unit rows: the mean direction of all other words of the set.
    cosine
        The cosine of each word with that.
    z
        The same as a distance from the set's mean, in standard deviations.
    better
        The share of equally frequent words that are nearer to the rest of the set.
    """

    at: Positions
    rest: Floats
    cosine: Floats
    z: Floats
    better: Floats


def belonging(space: Space, at: Positions) -> Belonging:
    """How well each word of a set fits the others, with that word left out of them."""
    rows = space.rows(at)
    rest = rows.sum(axis=0) - rows
    rest /= np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), NOTHING)
    cosine = np.einsum("ij,ij->i", rows, rest)
    spread = float(cosine.std())
    z = (cosine - cosine.mean()) / spread if spread > NOTHING else np.zeros(len(at))
    own = np.zeros(len(space.vectors), dtype=bool)
    own[at] = True
    better = np.zeros(len(at))
    for k, position in enumerate(at.tolist()):
        others = space.as_frequent(position, AS_FREQUENT)
        others = others[~own[others]]
        if len(others):
            better[k] = np.mean(space.rows(others) @ rest[k] > cosine[k])
    return Belonging(at, rest, cosine, z, better)


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """The nearest words of the words of all sets.

    `row` says in which row of `found` and `cosines` a word is. `sample` has the unit rows of words
    that stand for the vocabulary.
    """

    row: dict[int, int]
    found: Positions
    cosines: NDArray[np.float32]
    sample: NDArray[np.float32]

    @classmethod
    def of(cls, space: Space) -> Neighbourhood:
        """Look for the neighbours of all words of a space."""
        at = np.array(sorted(set(space.at.values())), dtype=np.intp)
        found, cosines = nearest(space, at, NEIGHBOURS, AMONG)
        frequent = space.by_frequency[:AMONG]
        sample = space.rows(frequent[:: max(1, len(frequent) // _SAMPLED)])
        return cls({int(p): k for k, p in enumerate(at)}, found, cosines, sample.astype(np.float32))


def kindred(space: Space, near: Neighbourhood, fit: Belonging) -> NDArray[np.int64]:
    """For each word of a set, how many of its neighbours are near to the rest of the set.

    Near are the 5 % of the vocabulary with the largest cosine, and the set's own words.
    """
    cosines = fit.rest.astype(np.float32) @ near.sample.T
    top = max(1, round(NEAR * cosines.shape[1]))
    limit = np.partition(cosines, -top, axis=1)[:, -top]
    neighbours = near.found[[near.row[int(at)] for at in fit.at]]
    rows = space.rows(neighbours.reshape(-1)).reshape(*neighbours.shape, -1)
    close = np.einsum("ikj,ij->ik", rows, fit.rest) >= limit[:, None]
    count: NDArray[np.int64] = (close | np.isin(neighbours, fit.at)).sum(axis=1)
    return count
