"""Clusters of words (categories) and of names (groups), with readable labels (section 3.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors

from .kmeans import cluster, most_central
from .names import Names
from .result import Category, Group

LABEL_WORDS = 3
EXAMPLE_NAMES = 5


def categorise(
    vectors: Vectors,
    words: NDArray[np.intp],
    count: int,
    per_cell: int,
    rng: int,
    workers: int = 1,
) -> tuple[tuple[Category, ...], NDArray[np.intp], NDArray[np.intp]]:
    """Cluster the words.

    Returns the categories, the words' positions sorted by category, and where each category starts.
    """
    rows = vectors.single_unit_at(words)
    labels = cluster(rows, count, "words", rng, workers)
    sizes = np.bincount(labels, minlength=count)
    if sizes.max() < per_cell:
        raise CannotMeasure(
            f"The largest of the {count} categories has {sizes.max()} words, but a cell needs "
            f"{per_cell}. Ask for fewer categories, more words or fewer words per cell."
        )
    order = np.argsort(labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    categories = []
    for j in range(count):
        members = order[starts[j] : starts[j + 1]]
        central = [
            vectors.words[int(words[members[i]])] for i in most_central(rows[members], LABEL_WORDS)
        ]
        categories.append(Category(f"C{j + 1}", ", ".join(central), len(members)))
    return tuple(categories), words[order], starts


def group(
    vectors: Vectors, names: Names, count: int, rng: int
) -> tuple[tuple[Group, ...], NDArray[np.intp]]:
    """Cluster the names. Returns the groups, and the index of each name's group.

    Groups are ordered by their first fact, as the paper orders them by the share of women; without
    facts, by size.
    """
    rows = vectors.single_unit_at(names.positions)
    labels = cluster(rows, count, "names", rng)
    facts = {column: _means(values, labels, count) for column, values in names.facts.items()}
    first = next(iter(facts.values()), np.zeros(count))
    order = np.argsort(-np.nan_to_num(first, nan=-np.inf), kind="stable")
    groups: list[Group] = []
    for k in order.tolist():
        members = np.flatnonzero(labels == k)
        words = vectors.words.at(names.positions[members])
        examples = tuple(words[i] for i in most_central(rows[members], EXAMPLE_NAMES))
        known = {name: float(v[k]) for name, v in facts.items() if np.isfinite(v[k])}
        groups.append(Group(f"G{len(groups) + 1}", examples, len(words), tuple(words), known))
    return tuple(groups), np.argsort(order)[labels]


def _means(
    values: NDArray[np.float64], labels: NDArray[np.intp], count: int
) -> NDArray[np.float64]:
    """Return the mean of the known values of each group, NaN where none is known."""
    known = np.isfinite(values)
    sums = np.bincount(labels[known], weights=values[known], minlength=count)
    counts = np.bincount(labels[known], minlength=count)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
