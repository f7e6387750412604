"""Prepare a search: its options, the groups of names and the categories of words (steps 1 to 3)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from operator import index
from os import PathLike, fspath
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count
from weatherglass.catalog import load_names
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import Vectors, order_by_frequency, parse_single_control

from . import names as naming
from .clusters import categorise, group, means
from .names import Alphabet, frequent_words
from .result import Category, Group
from .rotations import Space


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a search; the defaults are the paper's values.

    Attributes
    ----------
    names
        A list of the catalogue (``ssa``, ``surnames``), a file, or ``auto``: names extracted from
        the embedding itself, by similarity to those of ``ssa``.
    groups, categories, words, per_cell
        n, m, M and t of the paper.
    rotations, alpha
        R, and the false discovery rate.
    rng
        The random seed.
    keep_names
        Share of the names that cleaning keeps.
    control
        The control of the vectors to search, as in `weatherglass.control`: ``auto`` controls for
        word frequency if it is strong; ``none`` is the method as published.
    name_rank
        Use only names among this many most frequent tokens.
    voronoi
        Allow a word only in the cell of its nearest group.
    alphabet
        ``english`` for words of a to z, as in the paper, or ``any`` for all scripts.
    stop_early
        Stop as soon as no cell's verdict can change.
    placebo
        How many times to repeat the search with random ordinary words in place of the names.
    """

    names: str = "ssa"
    groups: int = 12
    categories: int = 64
    words: int = 30_000
    per_cell: int = 3
    rotations: int = 10_000
    alpha: float = 0.05
    rng: int = 0
    keep_names: float = 0.8
    control: str = "auto"
    name_rank: int | None = None
    voronoi: bool = True
    alphabet: Alphabet = "english"
    stop_early: bool = True
    placebo: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.names, (str, PathLike)):
            raise UsageError(f"names is {self.names!r}; expected the name of a list, or a file.")
        object.__setattr__(self, "names", fspath(self.names))
        for name, minimum in _MINIMUM.items():
            optional = name == "name_rank"
            object.__setattr__(self, name, at_least(name, getattr(self, name), minimum, optional))
        for name in ("alpha", "keep_names"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or not 0 < value <= 1:
                raise UsageError(f"{name} is {value!r}; it must be greater than 0 and at most 1.")
            object.__setattr__(self, name, float(value))
        if self.alpha == 1:
            raise UsageError("alpha is 1; it must be less than 1.")
        for name in ("voronoi", "stop_early"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        object.__setattr__(self, "control", parse_single_control(self.control))
        if self.alphabet not in get_args(Alphabet):
            expected = ", ".join(get_args(Alphabet))
            raise UsageError(f"alphabet is {self.alphabet!r}; it must be one of {expected}.")


def at_least(name: str, value: Any, minimum: int, optional: bool = True) -> Any:
    """Check that an option is an integer of at least `minimum`, and return it as an `int`.

    None is returned unchanged where the option is optional.
    """
    if value is None and optional:
        return None
    try:
        number = index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; expected an integer.") from None
    if number < minimum:
        raise UsageError(f"{name} is {number}; it must be at least {minimum}.")
    return number


_MINIMUM = {
    "groups": 2,
    "categories": 1,
    "words": 1,
    "per_cell": 1,
    "rotations": 1,
    "rng": 0,
    "placebo": 0,
    "name_rank": 1,
}


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

    def space(self, vectors: Vectors, options: Options) -> Space:
        """Return the layout's vectors in an embedding that has all of its names and words."""
        names, words = self.positions
        if vectors is not self.prepared_on:
            names, words = naming.place(vectors, self.names), vectors.words.find(self.words)
        assert (names >= 0).all(), "a name of the layout is not in the vocabulary"
        centres = means(vectors.unit_at(names), self.labels, len(self.groups))
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
    known = naming.find(vectors, name_list)
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
        name_list.notes + _notes(vectors, options, len(words), also),
    )


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
    return names, *group(vectors, names, options.groups, options.rng)


def _check_enough(
    vectors: Vectors, names: naming.Names, options: Options, counts: dict[str, int]
) -> None:
    """Raise `CannotMeasure` if there are fewer names than groups."""
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
}


def _notes(vectors: Vectors, options: Options, words: int, also: Vectors | None) -> tuple[str, ...]:
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
    if vectors.dim < options.groups:
        notes.append(
            f"The vectors have {vectors.dim} dimensions, fewer than the {options.groups} groups, "
            "so the centroids of the groups are linearly dependent."
        )
    return tuple(notes)
