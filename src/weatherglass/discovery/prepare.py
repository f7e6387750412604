"""What is compared with what: groups of names and categories of words, for one embedding or two."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from operator import index
from os import PathLike, fspath
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import processors
from weatherglass.catalog import load_names
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.vectors import ControlMethod, Vectors, by_frequency

from . import names as naming
from .categories import categorise, group
from .kmeans import means
from .names import Alphabet, frequent_words
from .result import Category, Group
from .rotations import Space


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to search; the paper's values are the defaults.

    Attributes
    ----------
    names
        A list of the catalogue (``ssa``, ``surnames``), a file, or ``auto``: tokens that the
        embedding itself uses as it uses the names of ``ssa``.
    groups, categories, words, per_cell
        n, m, M and t of the paper.
    rotations, alpha
        R, and the false discovery rate.
    rng
        The seed of everything that is drawn at random.
    keep_names
        The share of names that cleaning keeps.
    control
        Whether to take word frequency out first; ``none`` is the paper as published.
    name_rank
        Use only names among so many most frequent tokens.
    voronoi
        Let a word stand only in the cell of the group it is nearest to.
    alphabet
        ``english`` for words of a to z, as in the paper, or ``any`` for all letters.
    stop_early
        Stop when no cell's verdict can change any more.
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
    control: ControlMethod = "auto"
    name_rank: int | None = None
    voronoi: bool = True
    alphabet: Alphabet = "english"
    stop_early: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.names, (str, PathLike)):
            raise UsageError(f"names is {self.names!r}; a list's name or a file was expected.")
        object.__setattr__(self, "names", fspath(self.names))
        for name, least in _LEAST.items():
            optional = name == "name_rank"
            object.__setattr__(self, name, at_least(name, getattr(self, name), least, optional))
        for name in ("alpha", "keep_names"):
            value = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or not 0 < value <= 1:
                raise UsageError(f"{name} is {value!r}; it must be a share from 0 to 1.")
            object.__setattr__(self, name, float(value))
        if self.alpha == 1:
            raise UsageError("alpha is 1; it must lie between 0 and 1.")
        for name in ("voronoi", "stop_early"):
            object.__setattr__(self, name, bool(getattr(self, name)))
        for name, known in _CHOICES.items():
            if getattr(self, name) not in get_args(known):
                expected = ", ".join(get_args(known))
                raise UsageError(
                    f"{name} is {getattr(self, name)!r}; it must be one of {expected}."
                )


def at_least(name: str, value: Any, least: int, optional: bool = True) -> Any:
    """A whole number that is large enough, as a plain `int`; None where it may be left out."""
    if value is None and optional:
        return None
    try:
        number = index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; a whole number was expected.") from None
    if number < least:
        raise UsageError(f"{name} is {number}; it must be at least {least}.")
    return number


_CHOICES: dict[str, Any] = {"control": ControlMethod, "alphabet": Alphabet}
_LEAST = {
    "groups": 2,
    "categories": 1,
    "words": 1,
    "per_cell": 1,
    "rotations": 1,
    "rng": 0,
    "name_rank": 1,
}


Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Layout:
    """Groups and categories. `names` and `words` have every name and word as the vocabulary spells
    them, `places` where they are in the embedding that was `laid_on`; `labels` has the number of
    each name's group, `starts` where each category starts."""

    groups: tuple[Group, ...]
    categories: tuple[Category, ...]
    names: tuple[str, ...]
    labels: Positions
    words: tuple[str, ...]
    starts: Positions
    laid_on: Vectors
    places: tuple[Positions, Positions]
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def space(self, vectors: Vectors, options: Options) -> Space:
        """The layout on an embedding that has all of its names and words."""
        names, places = self.places
        if vectors is not self.laid_on:
            names, places = naming.place(vectors, self.names), vectors.words.find(self.words)
        assert (names >= 0).all(), "a name of the layout is not in the vocabulary"
        rows = vectors.unit_at(names)
        words = vectors.single_unit_at(places)
        centres = means(rows, self.labels, len(self.groups))
        return Space(centres, words, self.starts, options.per_cell, options.voronoi)


def lay_out(
    vectors: Vectors,
    options: Options,
    also: Vectors | None = None,
    workers: int | None = None,
) -> Layout:
    """Group the names and the words of an embedding; of those that `also` has too, if given."""
    # Imported here, because the thread that needs it is one of two.
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
    # The limit around both holds while one of them ends before the other.
    with threadpool_limits(1), ThreadPoolExecutor(1) as pool:
        grouping = pool.submit(_grouped, vectors, found, known.positions, options, also)
        categories, words, starts = categorise(
            vectors,
            candidates,
            options.categories,
            options.per_cell,
            options.rng,
            workers or processors(),
        )
        names, groups, labels = grouping.result()
    auto = options.names == "auto"
    if not auto:
        counts["dropped"] = len(names.dropped)
    if also is not None:
        counts["only in one"] = len(found.positions) - len(names.dropped) - len(names.positions)
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
            column: {"label": listed.labels[column], "unit": listed.units[column]}
            for column in names.facts
        },
        () if auto else known.missing,
        names.dropped,
        listed.notes + _notes(vectors, options, len(words), also),
    )


def _found(
    vectors: Vectors, found: naming.Names, options: Options
) -> tuple[naming.Names, dict[str, int]]:
    """Of the names of a list those to use, or the vocabulary's own; and how many there were."""
    counts = {"listed": len(found.positions) + len(found.missing), "missing": len(found.missing)}
    _check(vectors, found, options, counts)
    if options.names == "auto":
        found = naming.extract(vectors, found, options.keep_names, options.rng, options.name_rank)
        counts = {"listed": len(found.positions)}
    elif options.name_rank is not None:
        rank = np.argsort(by_frequency(vectors))
        near = rank[found.positions] < options.name_rank
        counts["too rare"] = int((~near).sum())
        found = found.keep(near)
    _check(vectors, found, options, counts)
    return found, counts


def _grouped(
    vectors: Vectors,
    names: naming.Names,
    known: Positions,
    options: Options,
    also: Vectors | None,
) -> tuple[naming.Names, tuple[Group, ...], Positions]:
    """The names that are left after cleaning, their groups, and the group of each."""
    if options.names != "auto":
        names = naming.clean(vectors, names, known, options.keep_names, options.rng)
    counts = {"dropped": len(names.dropped)}
    if also is not None:
        there = naming.place(also, vectors.words.at(names.positions)) >= 0
        names = names.keep(there, names.dropped)
        counts["only in one"] = int((~there).sum())
    _check(vectors, names, options, counts)
    return names, *group(vectors, names, options.groups, options.rng)


def _check(vectors: Vectors, names: naming.Names, options: Options, counts: dict[str, int]) -> None:
    if len(names.positions) >= options.groups:
        return
    gone = ", ".join(f"{counts[what]:,} {why}" for what, why in _GONE.items() if counts.get(what))
    raise CannotMeasure(
        f"{len(names.positions)} names can be used in {vectors.source}, too few for "
        f"{options.groups} groups{f' ({gone})' if gone else ''}. Ask for fewer groups, "
        "or give names that the vocabulary has (--names)."
    )


_GONE = {
    "missing": "are not in the vocabulary",
    "too rare": "are rarer than --name-rank allows",
    "dropped": "were cleaned away by --keep-names",
    "only in one": "are in one embedding only",
}


def _notes(vectors: Vectors, options: Options, words: int, also: Vectors | None) -> tuple[str, ...]:
    notes = []
    if words < options.words:
        which = f"{vectors.source} and {also.source} share" if also else f"{vectors.source} has"
        notes.append(
            f"{which} {words:,} words of lower-case letters, fewer than the {options.words:,} "
            "asked for: all of them were used."
        )
    for one in filter(None, (vectors, also)):
        if len(one.unusable):
            notes.append(
                f"{len(one.unusable):,} rows of {one.source} have no direction (NaN, infinity or "
                "only zeros) and were left out."
            )
    if vectors.dim < options.groups:
        notes.append(
            f"The vectors have {vectors.dim} dimensions, fewer than there are groups "
            f"({options.groups}): the groups' centres cannot all point different ways."
        )
    return tuple(notes)
