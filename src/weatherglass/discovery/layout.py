"""What is compared with what: groups of names and categories of words, for one embedding or two."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import load_names
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import Vectors, by_frequency

from . import names as naming
from .categories import categorise
from .cells import Space
from .clusters import means
from .groups import group
from .options import Options
from .record import Category, Group
from .vocabulary import frequent_words

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Layout:
    """Groups and categories. `names` and `words` have every name and word as the vocabulary spells
    them; `labels` has the number of each name's group, `starts` where each category starts."""

    groups: tuple[Group, ...]
    categories: tuple[Category, ...]
    names: tuple[str, ...]
    labels: Positions
    words: tuple[str, ...]
    starts: Positions
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def space(self, vectors: Vectors, options: Options) -> Space:
        """The layout on an embedding that has all of its names and words."""
        names = naming.place(vectors, self.names)
        assert (names >= 0).all(), "a name of the layout is not in the vocabulary"
        rows = vectors.unit_at(names)
        words = vectors.unit_at(vectors.words.find(self.words)).astype(np.float32)
        centres = means(rows, self.labels, len(self.groups))
        return Space(centres, words, self.starts, options.per_cell, options.voronoi)


def lay_out(vectors: Vectors, options: Options, also: Vectors | None = None) -> Layout:
    """Group the names and the words of an embedding; of those that `also` has too, if given."""
    # Both threads need these, and must not meet while they are being imported.
    import sklearn.cluster
    import sklearn.svm  # noqa: F401
    from threadpoolctl import threadpool_limits

    listed = load_names("ssa" if options.names == "auto" else options.names)
    known = naming.find(vectors, listed)
    found, counts = _found(vectors, known, options)
    # Not only the names that are grouped: one that cleaning takes away is still no word.
    every = np.union1d(known.positions, found.positions)
    candidates = frequent_words(vectors, options.words, every, options.alphabet, also)
    if not len(candidates):
        raise CannotMeasure(
            f"{vectors.source} has no words of the letters a to z in lower case beside the names. "
            "For another alphabet give --alphabet any."
        )
    # Each keeps to one core; the limit around both holds while one of them ends before the other.
    with threadpool_limits(1), ThreadPoolExecutor(1) as pool:
        grouping = pool.submit(_grouped, vectors, found, options, also)
        categories, words, starts = categorise(
            vectors, candidates, options.categories, options.per_cell, options.rng
        )
        names, groups, labels = grouping.result()
    if options.names != "auto":
        counts["dropped"] = len(names.dropped)
    return Layout(
        groups,
        categories,
        tuple(vectors.words[int(at)] for at in names.positions),
        labels,
        tuple(vectors.words[int(at)] for at in words),
        starts,
        {
            "names": counts | {"used": len(names.positions)},
            "words": {"asked": options.words, "used": len(words)},
        },
        {
            column: {"label": listed.labels[column], "unit": listed.units[column]}
            for column in names.facts
        },
        names.dropped,
        listed.notes + _notes(vectors, options, len(words)),
    )


def _found(
    vectors: Vectors, found: naming.Names, options: Options
) -> tuple[naming.Names, dict[str, int]]:
    """Of the names of a list those to use, or the vocabulary's own; and how many there were."""
    listed = len(found.positions) + found.missing
    counts = {"listed": listed, "missing": found.missing}
    if options.name_rank is not None:
        rank = np.argsort(by_frequency(vectors))
        near = rank[found.positions] < options.name_rank
        counts["too rare"] = int((~near).sum())
        found = found.keep(near)
    _check(vectors, found, options)
    if options.names == "auto":
        found = naming.extract(vectors, found, options.keep_names, options.rng)
        counts = {"listed": len(found.positions)}
    return found, counts


def _grouped(
    vectors: Vectors, names: naming.Names, options: Options, also: Vectors | None
) -> tuple[naming.Names, tuple[Group, ...], Positions]:
    """The names that are left after cleaning, their groups, and the group of each."""
    if options.names != "auto":
        names = naming.clean(vectors, names, options.keep_names, options.rng)
    if also is not None:
        there = naming.place(also, [vectors.words[int(at)] for at in names.positions]) >= 0
        names = names.keep(there, names.dropped)
    _check(vectors, names, options)
    return names, *group(vectors, names, options.groups, options.rng)


def _check(vectors: Vectors, names: naming.Names, options: Options) -> None:
    if len(names.positions) < options.groups:
        raise CannotMeasure(
            f"{len(names.positions)} names can be used in {vectors.source}, too few for "
            f"{options.groups} groups. Ask for fewer groups, or give names that the vocabulary has "
            "(--names)."
        )


def _notes(vectors: Vectors, options: Options, words: int) -> tuple[str, ...]:
    notes = []
    if words < options.words:
        notes.append(
            f"{vectors.source} has {words:,} words of lower-case letters, fewer than the "
            f"{options.words:,} asked for: all of them were used."
        )
    if len(vectors.unusable):
        notes.append(
            f"{len(vectors.unusable):,} rows of {vectors.source} have no direction (NaN, infinity "
            "or only zeros) and were left out."
        )
    if vectors.dim < options.groups:
        notes.append(
            f"The vectors have {vectors.dim} dimensions, fewer than there are groups "
            f"({options.groups}): the groups' centres cannot all point different ways."
        )
    return tuple(notes)
