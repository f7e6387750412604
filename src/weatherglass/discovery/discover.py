"""`discover`: unsupervised bias enumeration (Swinger et al. 2019)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from weatherglass.measures import describe_source
from weatherglass.significance import sampled_rotation_p
from weatherglass.tasks import Workers, executor
from weatherglass.vectors import Control, Vectors, control

from .indirect import indirect
from .prepare import Layout, Options, at_least, lay_out
from .result import Cell, Discovery
from .rotations import Chosen, Null, Tally, choose, run, verdicts

Progress = Callable[[int, int], None]


def discover(
    vectors: Vectors,
    *,
    resume: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Discovery:
    """Find associations between groups of names and words, with no hypothesis given in advance.

    Parameters
    ----------
    vectors
        A whole embedding.
    resume
        Continue from the checkpoint of an interrupted run of the same search.
    workers
        Number of threads; by default one per processor. The result does not depend on it.
    cluster
        Run the rotations on a Dask cluster: the address of its scheduler, such as
        ``tcp://host:8786``, or ``local``. Names and words are sent once to each worker.
    progress
        Called with the number of rotations done and the total.
    **options
        The fields of `weatherglass.discovery.Options`: ``names``, ``groups``, ``categories``,
        ``words``, ``per_cell``, ``rotations``, ``alpha``, ``rng``, ``keep_names``, ``control``,
        ``name_rank``, ``voronoi``, ``alphabet``, ``stop_early``.

    Returns
    -------
    Discovery

    Notes
    -----
    Names are cleaned and clustered into groups, frequent lower-case words into categories. For
    each group i and category j the words that maximise (X̄ᵢ − μ)·(w̄ − Āⱼ) are chosen, and their
    score is compared with the scores after random rotations of the names. The null hypothesis is
    that names and words are aligned by chance. The p-value is (count + 1) / (rotations + 1), where
    count includes ties, and the Benjamini–Hochberg procedure over all groups × categories bounds
    the false discovery rate.

    References
    ----------
    .. [1] N. Swinger, M. De-Arteaga, N. T. Heffernan IV, M. D. M. Leiserson, A. T. Kalai (2019).
       What are the biases in my word embedding? AIES.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                     rotations=99)
    >>> len(found.groups), len(found.categories), found.control.method
    (4, 8, 'frequency')
    """
    search = Options(**options)
    workers = at_least("workers", workers, 1)
    with executor(workers, cluster, threads=True) as team:
        controlled, applied = control(vectors, search.control, workers=workers)
        layout = lay_out(controlled, search, workers=workers)
        source = describe_source(vectors)
        return judge(controlled, applied, source, layout, search, team, resume, workers, progress)


def judge(
    vectors: Vectors,
    controlled: Control,
    source: dict[str, Any],
    layout: Layout,
    options: Options,
    team: Workers,
    resume: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Discovery:
    """Choose the words of each cell of a layout, and test each cell against random rotations."""
    from threadpoolctl import threadpool_limits

    space = layout.space(vectors, options)
    with threadpool_limits(1):  # many small products are slower on several cores
        chosen = choose(space)
    null = Null(space, chosen.scores, options.rng)
    tally = run(
        null,
        options.rotations,
        team,
        alpha=options.alpha,
        stop_early=options.stop_early,
        resume=resume,
        progress=progress,
    )
    significant, rotations = verdicts(tally, options.rotations, options.alpha)
    cells = _cells(layout, chosen, tally, significant)
    about = layout.words, layout.groups, layout.categories
    with threadpool_limits(1):
        proxies = indirect(null, chosen, significant, *about, workers)
    totals = np.where(significant, chosen.scores, 0).sum(axis=0)
    order = [j for j in np.argsort(-totals, kind="stable").tolist() if significant[:, j].any()]
    return Discovery(
        groups=layout.groups,
        categories=layout.categories,
        cells=cells,
        order=tuple(layout.categories[j].id for j in order),
        alpha=options.alpha,
        threshold=max((cell.p.value for cell in cells if cell.significant), default=0.0),
        control=controlled,
        rotations=rotations,
        indirect=proxies,
        columns=layout.columns,
        names=layout.counts["names"],
        words=layout.counts["words"],
        missing=layout.missing,
        dropped=layout.dropped,
        notes=layout.notes,
        source=source,
        options=dataclasses.asdict(options),
    )


def _cells(layout: Layout, chosen: Chosen, tally: Tally, significant: Any) -> tuple[Cell, ...]:
    """Return the cells that have enough words, by category."""
    cells = []
    for j, category in enumerate(layout.categories):
        for i, group in enumerate(layout.groups):
            if np.isfinite(chosen.scores[i, j]):
                cells.append(
                    Cell(
                        group.id,
                        category.id,
                        tuple(layout.words[at] for at in chosen.positions[i, j]),
                        float(chosen.scores[i, j]),
                        sampled_rotation_p(int(tally.counts[i, j]), tally.done),
                        bool(significant[i, j]),
                    )
                )
    return tuple(cells)
