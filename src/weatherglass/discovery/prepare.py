"""Prepare a search: its options, the groups of names and the categories of words (steps 1 to 3)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count
from weatherglass.catalog import MAX_GROUPS, NameList, load_names
from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.vectors import Vectors, order_by_frequency

from . import names as naming
from .cleaning import Cleaning, name_weights, people_column, trace_cleaning
from .clusters import categorise, group, means
from .names import frequent_words
from .options import Options
from .result import Category, Group
from .rotations import Space

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Layout:
    """The groups and categories of a search.

    Attributes
    ----------
    names, words
        Names and words as the vocabulary spells them, words sorted by category.
    labels
        The index of each name's group.
    starts
        Where each category starts in `words`.
    prepared_on, positions
        The embedding that the layout was prepared on, and the rows of names and words in it.
    counts, columns
        How many names and words were used or left out, and what the columns of facts mean.
    missing, dropped
        Names that are not in the vocabulary, and names removed by cleaning.
    notes
        Sentences for the reader of the result.
    cleaning
        What cleaning did to the names, if the list states how many people have them.
    weights
        How often each name counts; None if once.
    """

    groups: tuple[Group, ...]
    categories: tuple[Category, ...]
    names: tuple[str, ...]
    labels: Positions
    words: tuple[str, ...]
    starts: Positions
    prepared_on: Vectors
    positions: tuple[Positions, Positions]
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    cleaning: Cleaning | None = None
    weights: NDArray[np.float64] | None = None

    def space(self, vectors: Vectors, options: Options) -> Space:
        """Return the layout's vectors in an embedding that has all of its names and words."""
        names, words = self.positions
        if vectors is not self.prepared_on:
            names, words = naming.place(vectors, self.names), vectors.words.find(self.words)
        assert (names >= 0).all(), "a name of the layout is not in the vocabulary"
        centres = means(vectors.unit_at(names), self.labels, len(self.groups), self.weights)
        return Space(
            centres, vectors.single_unit_at(words), self.starts, options.per_cell, options.voronoi
        )


def lay_out(
    vectors: Vectors,
    options: Options,
    also: Vectors | None = None,
    workers: int | None = None,
) -> Layout:
    """Cluster the names and the words of an embedding; with `also`, only those that both have."""
    # Imported before the threads start: concurrent first imports are not safe.
    import sklearn.svm  # noqa: F401
    from threadpoolctl import threadpool_limits

    name_list = load_names("ssa" if options.names == "auto" else options.names)
    column = group_column(name_list, options)
    people = people_column(name_list, options.weights)
    known = naming.find(vectors, name_list, column, people)
    selected, counts = _select_names(vectors, known, options)
    # All known names, not only the grouped ones: a name that cleaning drops is still not a word.
    excluded = np.union1d(known.positions, selected.positions)
    candidates = frequent_words(vectors, options.words, excluded, options.alphabet, also)
    if not len(candidates):
        raise CannotMeasure(
            f"{vectors.source} has no lower-case words of the letters a to z apart from names. "
            "For another script, use --alphabet any."
        )
    # One limit around both threads: the first to finish must not lift it for the other.
    with threadpool_limits(1), ThreadPoolExecutor(1) as pool:
        grouping = pool.submit(_group_names, vectors, selected, known.positions, options, also)
        categories, words, starts = categorise(
            vectors,
            candidates,
            options.categories,
            options.per_cell,
            options.rng,
            workers or cpu_count(),
        )
        names, groups, labels = grouping.result()
    is_auto = options.names == "auto"
    if not is_auto:
        counts["dropped"] = len(names.dropped)
    if also is not None:
        counts["only in one"] = len(selected.positions) - len(names.dropped) - len(names.positions)
    return Layout(
        groups,
        categories,
        tuple(vectors.words.at(names.positions)),
        labels,
        tuple(vectors.words.at(words)),
        starts,
        vectors,
        (names.positions, words),
        {
            "names": counts | {"used": len(names.positions)},
            "words": {"asked": options.words, "used": len(words)},
        },
        {
            column: {"label": name_list.labels[column], "unit": name_list.units[column]}
            for column in names.facts
        },
        () if is_auto else known.missing,
        names.dropped,
        (
            *name_list.notes,
            *_group_notes(name_list, column),
            *_notes(vectors, options, len(words), len(groups), also),
        ),
        None if is_auto else trace_cleaning(vectors, name_list, selected, names, people),
        name_weights(names, options.weights),
    )


def check_names(vectors: Vectors, options: Options) -> None:
    """Raise an error if too few names of the list can be used in an embedding."""
    name_list = load_names("ssa" if options.names == "auto" else options.names)
    column = group_column(name_list, options)
    known = naming.find(vectors, name_list, column, people_column(name_list, options.weights))
    if options.names != "auto":  # extracting names takes as long as the search itself
        _select_names(vectors, known, options)


def group_column(name_list: NameList, options: Options) -> str | None:
    """Return the text column that states the groups; None if the names are to be clustered."""
    columns, wanted = name_list.group_columns, options.group_by
    if wanted == "none" or options.names == "auto":
        return None
    if wanted != "auto":
        if wanted not in columns:
            has = f"It has {join_first(map(quote_safe, columns))}." if columns else "It has none."
            raise UsageError(
                f"{name_list.title} has no text column {quote_safe(wanted)} that divides the names "
                f"into 2 to {MAX_GROUPS} groups. {has}"
            )
        return wanted
    named = [column for column in columns if column.lower() == "group"]
    return next(iter(named), columns[0] if len(columns) == 1 else None)


def _group_notes(name_list: NameList, column: str | None) -> list[str]:
    """Say which text column states the groups, and which could."""
    others = [other for other in name_list.texts if other != column]
    usable = [other for other in others if other in name_list.group_columns]
    notes = []
    if column is not None:
        notes.append(
            f"The groups are the values of {quote_safe(column)}; the names were not clustered."
        )
    if usable:
        listed = join_first(map(quote_safe, usable))
        notes.append(f"Text columns that could state the groups: {listed}.")
    if rest := [other for other in others if other not in usable]:
        listed = join_first(map(quote_safe, rest))
        notes.append(f"Not used, because they state no groups of names: {listed}.")
    return notes


def _select_names(
    vectors: Vectors, known: naming.Names, options: Options
) -> tuple[naming.Names, dict[str, int]]:
    """Select the frequent names of a list, or extract names; returns them with their counts."""
    counts = {"listed": len(known.positions) + len(known.missing), "missing": len(known.missing)}
    _check_enough(vectors, known, options, counts)
    names = known
    if options.names == "auto":
        names = naming.extract(vectors, known, options.keep_names, options.rng, options.name_rank)
        counts = {"listed": len(names.positions)}
    elif options.name_rank is not None:
        rank = np.argsort(order_by_frequency(vectors))
        is_frequent = rank[known.positions] < options.name_rank
        counts["too rare"] = int((~is_frequent).sum())
        names = known.keep(is_frequent)
    if names.groups is not None:
        has_group = np.array([bool(value) for value in names.groups], bool)
        counts["without group"] = int((~has_group).sum())
        names = names.keep(has_group)
    if options.weights != "none" and names.people is not None:
        has_people = np.isfinite(names.people) & (names.people > 0)
        counts["without people"] = int((~has_people).sum())
        names = names.keep(has_people)
    _check_enough(vectors, names, options, counts)
    return names, counts


def _group_names(
    vectors: Vectors,
    names: naming.Names,
    known: Positions,
    options: Options,
    also: Vectors | None,
) -> tuple[naming.Names, tuple[Group, ...], Positions]:
    """Clean and cluster the names; returns them, the groups, and the group of each name."""
    if options.names != "auto":
        names = naming.clean(vectors, names, known, options.keep_names, options.rng)
    counts = {"dropped": len(names.dropped)}
    if also is not None:
        is_shared = naming.place(also, vectors.words.at(names.positions)) >= 0
        names = names.keep(is_shared, names.dropped)
        counts["only in one"] = int((~is_shared).sum())
    _check_enough(vectors, names, options, counts)
    weights = name_weights(names, options.weights)
    return names, *group(vectors, names, options.groups, options.rng, weights)


def _check_enough(
    vectors: Vectors, names: naming.Names, options: Options, counts: dict[str, int]
) -> None:
    """Raise `CannotMeasure` if there are fewer names than groups."""
    if names.groups is not None:
        if len(set(names.groups) - {""}) < 2:
            raise CannotMeasure(
                f"The names that can be used in {vectors.source} are of one group only. Give names "
                "of at least two groups (--names), or cluster them (--group-by none)."
            )
        return
    if len(names.positions) >= options.groups:
        return
    reasons = ", ".join(
        f"{counts[key]:,} {reason}" for key, reason in _REASONS.items() if counts.get(key)
    )
    raise CannotMeasure(
        f"Only {len(names.positions)} names can be used in {vectors.source}, too few for "
        f"{options.groups} groups{f' ({reasons})' if reasons else ''}. Ask for fewer groups, "
        "or give names that are in the vocabulary (--names)."
    )


_REASONS = {
    "missing": "are not in the vocabulary",
    "too rare": "are rarer than --name-rank allows",
    "dropped": "were removed by --keep-names",
    "only in one": "are in one embedding only",
    "without group": "have no group",
    "without people": "are those of no known number of people",
}


def _notes(
    vectors: Vectors, options: Options, words: int, groups: int, also: Vectors | None
) -> tuple[str, ...]:
    notes = []
    if words < options.words:
        which = f"{vectors.source} and {also.source} share" if also else f"{vectors.source} has"
        notes.append(
            f"{which} only {words:,} lower-case words, fewer than the {options.words:,} "
            "requested; all of them were used."
        )
    for source in filter(None, (vectors, also)):
        if len(source.unusable):
            notes.append(
                f"{len(source.unusable):,} rows of {source.source} have no direction (NaN, "
                "infinity or all zeros) and were left out."
            )
    if vectors.dim < groups:
        notes.append(
            f"The vectors have {vectors.dim} dimensions, fewer than the {groups} groups, "
            "so the centroids of the groups are linearly dependent."
        )
    return tuple(notes)
