"""Clusters of words (categories) and of names (groups), with readable labels (section 3.2).

K-means gives the same result on any number of cores. Lloyd's algorithm is scikit-learn's, in one
thread and in float64: discovery at the paper's size (30,000 words, 300 dimensions) takes 1.04 times
the CPU time that it took with a compiled implementation of our own. The starting centres are drawn
here, because scikit-learn's draw may change with its version.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors, row_blocks

from .names import Names
from .result import Category, Group

Rows = NDArray[np.float32]
Labels = NDArray[np.intp]
Weights = NDArray[np.float64]

MAX_ROUNDS = 300
LABEL_WORDS = 3
EXAMPLE_NAMES = 5

RESTARTS, MAX_ROWS_TO_RESTART = 10, 10_000
"""K-means is run several times on few rows only: restarts hardly improve the result on many."""


def cluster(
    rows: Rows,
    count: int,
    what: str,
    rng: int,
    workers: int = 1,
    weights: Weights | None = None,
) -> NDArray[np.intp]:
    """Return the cluster of each row; cluster 0 is the largest.

    K-means++ as in the paper: the tightest clustering of ten starts, or one start for more than
    10,000 rows. A row of weight 3 counts like three equal rows.
    """
    from threadpoolctl import threadpool_limits

    distinct = _count_distinct(rows, count)
    if distinct < count:
        raise CannotMeasure(
            f"The {len(rows):,} {what} have only {distinct:,} distinct vectors, too few for "
            f"{count} clusters."
        )
    stream = np.random.default_rng(rng)
    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:  # no BLAS threads inside ours
        runs = [
            _lloyd(rows, _starts(rows, count, stream, pool, weights), weights)
            for _ in range(RESTARTS if len(rows) <= MAX_ROWS_TO_RESTART else 1)
        ]
    labels, _ = min(runs, key=lambda run: run[1])
    sizes = np.bincount(labels, weights, minlength=count)
    rank = np.empty(count, np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(rank[labels])


def _lloyd(rows: Rows, starts: Rows, weights: Weights | None = None) -> tuple[Labels, float]:
    """Run Lloyd's algorithm from the centres `starts` until no row changes its cluster.

    Returns the cluster of each row, and the sum of squared distances from the centres.
    """
    from sklearn.cluster import KMeans

    model = KMeans(
        len(starts), init=starts.astype(np.float64), n_init=1, tol=0, max_iter=MAX_ROUNDS
    ).fit(rows.astype(np.float64), sample_weight=weights)
    return model.labels_.astype(np.intp), float(model.inertia_)


def _count_distinct(rows: Rows, enough: int) -> int:
    """Count the distinct rows, or return a lower bound that is at least `enough`."""
    first = len(np.unique(rows[:, 0]))  # usually sufficient, and much faster than comparing rows
    if first >= enough:
        return first
    return len(np.unique(np.ascontiguousarray(rows + 0.0).view(f"V{rows[:1].nbytes}")))


def _starts(
    rows: Rows,
    count: int,
    stream: np.random.Generator,
    pool: Executor,
    weights: Weights | None = None,
) -> Rows:
    """Draw initial centres by greedy k-means++.

    Each centre is drawn with probability proportional to its squared distance from the nearest
    centre so far; of a few candidates, the one that leaves the smallest sum of squared distances is
    taken. For unit vectors the squared distance is 2 − 2 × the product. With weights, both the
    probabilities and the sums are weighted.
    """
    draws = 2 + int(np.log(count))
    if weights is None:
        mass: float | Weights = 1.0
        chosen = [int(stream.integers(len(rows)))]
    else:
        mass = weights / weights.sum()
        chosen = [int(stream.choice(len(rows), p=mass))]
    distance = np.maximum(1 - rows @ rows[chosen[0]], 0)  # half the squared distance
    for _ in range(1, count):
        sums = np.cumsum(distance * mass, dtype=np.float64)
        drawn = np.searchsorted(sums, stream.random(draws) * sums[-1], side="right")
        drawn = np.minimum(drawn, len(rows) - 1)
        updated = _updated_distances(rows, rows[drawn], distance, pool)
        best = int((updated * mass).sum(axis=1, dtype=np.float64).argmin())
        distance = updated[best]
        chosen.append(int(drawn[best]))
    return np.asarray(rows[chosen])


def _updated_distances(rows: Rows, drawn: Rows, distance: Rows, pool: Executor) -> Rows:
    """Return the distance of rows to their nearest centre if each candidate were added."""

    def block(part: slice) -> Rows:
        return np.asarray(np.clip(1 - drawn @ rows[part].T, 0, distance[part]))

    return np.concatenate(list(pool.map(block, row_blocks(len(rows)))), axis=1)


def means(
    rows: Rows | NDArray[np.float64],
    labels: NDArray[np.intp],
    count: int,
    weights: Weights | None = None,
) -> NDArray[np.float64]:
    """Return the mean row of each cluster."""
    if weights is None:
        return np.array([rows[labels == k].mean(axis=0, dtype=np.float64) for k in range(count)])
    parts = (labels == k for k in range(count))
    return np.array([np.average(rows[part], axis=0, weights=weights[part]) for part in parts])


def most_central(
    rows: Rows | NDArray[np.float64], count: int, weights: Weights | None = None
) -> list[int]:
    """Choose the rows whose average is closest to the mean of all rows, greedily (section 4).

    The first row has the largest product with the mean; each next one maximises the cosine of the
    average of the chosen rows with it. Returns positions.
    """
    rows = rows.astype(np.float64)
    mean = rows.mean(axis=0) if weights is None else np.average(rows, axis=0, weights=weights)
    product = rows @ mean
    total = np.zeros(rows.shape[1])
    chosen: list[int] = []
    for _ in range(min(count, len(rows))):
        # |total + row|² without forming the sums: all rows have norm 1.
        length = np.sqrt(np.maximum(total @ total + 2 * (rows @ total) + 1, 1e-12))
        cosine = (total @ mean + product) / length
        cosine[chosen] = -np.inf
        chosen.append(int(cosine.argmax()))
        total += rows[chosen[-1]]
    return chosen


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
    vectors: Vectors, names: Names, count: int, rng: int, weights: Weights | None = None
) -> tuple[tuple[Group, ...], NDArray[np.intp]]:
    """Cluster the names. Returns the groups, and the index of each name's group.

    Groups are ordered by their first fact, as the paper orders them by the share of women; without
    facts, by size. Groups that the list states are taken as they are, the largest first. With
    weights, clusters, facts and the names shown are those of people, not of names.
    """
    rows = vectors.single_unit_at(names.positions)
    titles: list[str] = []
    if names.groups is None:
        labels = cluster(rows, count, "names", rng, weights=weights)
    else:
        titles = [title for title, _ in Counter(names.groups).most_common()]
        labels = np.array([titles.index(title) for title in names.groups], np.intp)
        count = len(titles)
    facts = {
        column: _means(values, labels, count, weights) for column, values in names.facts.items()
    }
    first = next(iter(facts.values()), np.zeros(count)) if not titles else np.zeros(count)
    order = np.argsort(-np.nan_to_num(first, nan=-np.inf), kind="stable")
    groups: list[Group] = []
    for k in order.tolist():
        members = np.flatnonzero(labels == k)
        words = vectors.words.at(names.positions[members])
        part = None if weights is None else weights[members]
        examples = tuple(words[i] for i in most_central(rows[members], EXAMPLE_NAMES, part))
        known = {name: float(v[k]) for name, v in facts.items() if np.isfinite(v[k])}
        name = titles[k] if titles else f"G{len(groups) + 1}"
        people = None if names.people is None else float(np.nansum(names.people[members]))
        groups.append(Group(name, examples, len(words), tuple(words), known, people))
    return tuple(groups), np.argsort(order)[labels]


def _means(
    values: NDArray[np.float64],
    labels: NDArray[np.intp],
    count: int,
    weights: Weights | None = None,
) -> NDArray[np.float64]:
    """Return the mean of the known values of each group, NaN where none is known."""
    known = np.isfinite(values)
    mass = np.ones(len(values)) if weights is None else weights
    sums = np.bincount(labels[known], weights=mass[known] * values[known], minlength=count)
    total = np.bincount(labels[known], weights=mass[known], minlength=count)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), np.nan)
