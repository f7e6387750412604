"""Placebo searches: the same search with random ordinary words in place of the names.

A cell is significant if a random rotation of the names seldom gives such a score. Embeddings are
not isotropic, so that groups of arbitrary words are aligned with categories too. How many cells
such words have says how much of a count is about names.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count
from weatherglass.catalog import load_names
from weatherglass.errors import CannotMeasure
from weatherglass.tasks import Workers
from weatherglass.vectors import Vectors, order_by_frequency

from . import names as naming
from .clusters import categorise, group, means
from .options import Options
from .prepare import Layout, group_column
from .result import Placebo
from .rotations import Null, Space, choose, run, verdicts

Positions = NDArray[np.intp]
Progress = Callable[[int, int], None]

WINDOW = 100
"""A word is drawn from this many free words on either side of the rank of a name."""

_STREAM = (0, 2)  # a random stream apart from those of the rotations and of the cleaning
_GROUPS_STREAM = (0, 3)


def run_placebos(
    vectors: Vectors,
    layout: Layout,
    options: Options,
    team: Workers,
    *,
    resume: bool = False,
    workers: int | None = None,
    progress: Callable[[int], Progress | None] = lambda number: None,
) -> tuple[Placebo, ...]:
    """Run `options.placebo` searches, each with other words; `progress` takes their number."""
    if not options.placebo:
        return ()
    names = naming.find(vectors, load_names(_list_of_names(options)))
    excluded = np.union1d(names.positions, layout.positions[0])
    draws = draw_words(vectors, layout.positions[0], excluded, options)
    # Groups that the list states have their sizes, not the words' similarity.
    is_stated = group_column(load_names(_list_of_names(options)), options) is not None
    stream = np.random.default_rng(np.random.SeedSequence(options.rng, spawn_key=_GROUPS_STREAM))
    weights = _by_frequency(vectors, layout)
    return tuple(
        _search(
            vectors,
            drawn,
            excluded,
            options,
            team,
            resume,
            workers,
            progress(number),
            stream.permutation(layout.labels) if is_stated else None,
            weights,
        )
        for number, drawn in enumerate(draws)
    )


def _by_frequency(vectors: Vectors, layout: Layout) -> NDArray[np.float64] | None:
    """Return the weights of the names, the most frequent name first, as drawn words are sorted."""
    if layout.weights is None:
        return None
    rank = np.argsort(order_by_frequency(vectors))
    return np.asarray(layout.weights[np.argsort(rank[layout.positions[0]], kind="stable")])


def _list_of_names(options: Options) -> str:
    return "ssa" if options.names == "auto" else options.names


def draw_words(
    vectors: Vectors, names: Positions, excluded: Positions, options: Options
) -> list[Positions]:
    """Draw ordinary words as frequent as the names, a set for each placebo; no word twice.

    Parameters
    ----------
    names
        The names of the search, which give number and frequency.
    excluded
        Words that are not drawn: all known names.
    """
    # In the order of frequency, so that a place in this list stands for a rank.
    words = naming.frequent_words(vectors, len(vectors), excluded, options.alphabet)
    needed = options.placebo * len(names)
    if len(words) < needed + options.categories * options.per_cell:
        raise CannotMeasure(
            f"{vectors.source} has {len(words):,} words that are not names, too few for "
            f"{options.placebo} placebo searches with {len(names):,} words each. Ask for fewer "
            "placebo searches."
        )
    rank = np.argsort(order_by_frequency(vectors))
    places = np.searchsorted(rank[words], rank[names])
    stream = np.random.default_rng(np.random.SeedSequence(options.rng, spawn_key=_STREAM))
    is_free = np.ones(len(words), bool)
    draws = []
    for _ in range(options.placebo):
        drawn = []
        for place in stream.permutation(places).tolist():
            chosen = int(stream.choice(_free_near(is_free, place)))
            is_free[chosen] = False
            drawn.append(chosen)
        draws.append(words[np.sort(drawn)])
    return draws


def _free_near(is_free: NDArray[np.bool_], place: int) -> Positions:
    """Return the free places around one; the window grows until there is one."""
    window = WINDOW
    while True:
        start = max(0, place - window)
        free = np.flatnonzero(is_free[start : place + window])
        if len(free):
            return np.asarray(free + start)
        window *= 2


def _search(
    vectors: Vectors,
    drawn: Positions,
    excluded: Positions,
    options: Options,
    team: Workers,
    resume: bool,
    workers: int | None,
    progress: Progress | None,
    stated: Positions | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Placebo:
    """Search with words in place of names; they are not words of the categories.

    The words are clustered into groups, unless `stated` has the group of each. `weights` are those
    of names as frequent.
    """
    from threadpoolctl import threadpool_limits

    not_words = np.union1d(excluded, drawn)
    candidates = naming.frequent_words(vectors, options.words, not_words, options.alphabet)
    _, words, starts = categorise(
        vectors,
        candidates,
        options.categories,
        options.per_cell,
        options.rng,
        workers or cpu_count(),
    )
    with threadpool_limits(1):
        titles = None if stated is None else tuple(map(str, stated.tolist()))
        entries = naming.Names(drawn, {}, groups=titles)
        groups, labels = group(vectors, entries, options.groups, options.rng, weights)
        centres = means(vectors.unit_at(drawn), labels, len(groups), weights)
        rows = vectors.single_unit_at(words)
        space = Space(centres, rows, starts, options.per_cell, options.voronoi)
        chosen = choose(space)
    tally = run(
        Null(space, chosen.scores, options.rng),
        options.rotations,
        team,
        alpha=options.alpha,
        stop_early=options.stop_early,
        resume=resume,
        progress=progress,
    )
    significant, rotations = verdicts(tally, options.rotations, options.alpha)
    is_cell = np.isfinite(chosen.scores)
    p_values = (tally.counts + 1) / (tally.done + 1)
    return Placebo(
        names=len(drawn),
        examples=tuple(word for entry in groups for word in entry.shown[:1]),
        cells=int(is_cell.sum()),
        significant=int((significant & is_cell).sum()),
        threshold=float(p_values[significant].max(initial=0.0)),
        rotations=rotations.done,
    )
