"""Categories of words (section 3.2), each with a label that a person can read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors

from .clusters import cluster, most_central
from .record import Category

LABEL = 3


def categorise(
    vectors: Vectors,
    words: NDArray[np.intp],
    count: int,
    per_cell: int,
    rng: int,
    workers: int = 1,
) -> tuple[tuple[Category, ...], NDArray[np.intp], NDArray[np.intp]]:
    """Cluster the words. Gives the categories, the words' positions with those of one category
    together, and where each category starts."""
    rows = vectors.single_unit_at(words)
    labels = cluster(rows, count, "words", rng, workers)
    sizes = np.bincount(labels, minlength=count)
    if sizes.max() < per_cell:
        raise CannotMeasure(
            f"The largest of the {count} categories has {sizes.max()} words, and a cell needs "
            f"{per_cell}. Ask for fewer categories, more words or fewer words a cell."
        )
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    categories = []
    for j in range(count):
        members = order[starts[j] : starts[j + 1]]
        central = [
            vectors.words[int(words[members[i]])] for i in most_central(rows[members], LABEL)
        ]
        categories.append(Category(f"C{j + 1}", ", ".join(central), len(members)))
    return tuple(categories), words[order], starts
