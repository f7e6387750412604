"""The words of each cell, and its score (section 3, step 3 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Space:
    """What the search goes over.

    Attributes
    ----------
    centres
        X̄ᵢ, the mean unit vector of each group of names, one a row.
    words
        The unit vectors of all words, those of one category together.
    starts
        Where each category starts in `words`, and the end of the last.
    per_cell
        t, how many words a cell has.
    voronoi
        Whether a word may stand only in the cell of the group it is nearest to.
    """

    centres: Floats
    words: NDArray[np.float32] | Floats
    starts: NDArray[np.intp]
    per_cell: int
    voronoi: bool = True

    @property
    def categories(self) -> int:
        """m, the number of categories."""
        return len(self.starts) - 1

    def category(self, j: int) -> NDArray[np.float32] | Floats:
        """The rows of one category."""
        return self.words[self.starts[j] : self.starts[j + 1]]


@dataclass(frozen=True, eq=False)
class Chosen:
    """For each group and category the chosen words' positions in `Space.words` and the score;
    a cell that has too few words has score -infinity and positions -1."""

    positions: NDArray[np.intp]
    scores: Floats


def choose(space: Space) -> Chosen:
    """The t words of each cell that maximise (X̄ᵢ − μ)·(w̄ − Āⱼ), and σᵢⱼ, their mean.

    The paper's σᵢⱼ has Ā without an index; it is read as Āⱼ, the mean of the category, which is
    what the words were chosen by and what makes the sum over the groups the generalised WEAT.
    """
    n, m, t = len(space.centres), space.categories, space.per_cell
    positions = np.full((n, m, t), -1, np.intp)
    scores = np.full((n, m), -np.inf)
    apart = space.centres - space.centres.mean(axis=0)
    for j in range(m):
        rows = space.category(j).astype(np.float64, copy=False)
        gain = rows @ apart.T
        nearest = gain.argmax(axis=1)  # the mean of the centres makes no difference
        gain -= gain.mean(axis=0)
        for i in range(n):
            inside = np.flatnonzero(nearest == i) if space.voronoi else np.arange(len(rows))
            if len(inside) >= t:
                best = inside[np.argsort(-gain[inside, i], kind="stable")[:t]]
                positions[i, j] = best + space.starts[j]
                scores[i, j] = gain[best, i].mean()
    return Chosen(positions, scores)
