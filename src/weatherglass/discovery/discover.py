"""`discover` and `discover_both`: unsupervised bias enumeration (Swinger et al. 2019)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count, map_in_order
from weatherglass.errors import UsageError
from weatherglass.measures import Source, describe_source, need_whole
from weatherglass.significance import sampled_rotation_p
from weatherglass.tasks import Workers, executor
from weatherglass.vectors import Control, Vectors, control

from .options import Options, at_least
from .placebo import run_placebos
from .prepare import Layout, lay_out
from .result import Category, Cell, Change, Comparison, Discovery, Group, Indirect, Proxy
from .rotations import Chosen, Floats, Null, Space, Tally, choose, run, verdicts

Progress = Callable[[int, int], None]


def discover(
    source: Source,
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
    source
        A whole embedding: any source of word vectors (see `as_source`).
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
        ``name_rank``, ``voronoi``, ``alphabet``, ``stop_early``, ``placebo``, ``weights``.

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
    the false discovery rate under this null. It says nothing about other words: groups of arbitrary
    words are aligned with categories, too. ``placebo=3`` repeats the search with random ordinary
    words in place of the names, as many and as frequent, and counts the significant cells.

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
    vectors = need_whole(source, "A discovery")
    with executor(workers, cluster, threads=True) as team:
        controlled, applied = control(vectors, search.control, workers=workers)
        layout = lay_out(controlled, search, workers=workers)
        about = describe_source(vectors)
        report = partial(_part_of, progress, 1 + search.placebo)
        found = judge(controlled, applied, about, layout, search, team, resume, workers, report(0))
        placebos = run_placebos(
            controlled,
            layout,
            search,
            team,
            resume=resume,
            workers=workers,
            progress=lambda number: report(1 + number),
        )
        return replace(found, placebos=placebos)


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
        proxies = measure_indirect_bias(null, chosen, significant, *about, workers)
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
        cleaning=layout.cleaning,
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


def discover_both(
    before: Source,
    after: Source,
    *,
    resume: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Comparison:
    """Run one discovery on two embeddings, with the groups and categories of the first.

    Parameters
    ----------
    before, after
        Two whole embeddings: of two corpora, or before and after debiasing. Only names and words
        that both have are used. With ``control="auto"``, both are controlled for frequency if
        one of them needs it.
    resume, workers, cluster, progress, **options
        As for `discover`.

    Returns
    -------
    Comparison
        A cell that is significant in one of the two appears or vanishes, in both it stays; a cell
        that has too few words in one of them counts as not significant there.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> few = vectors.subset(vectors.words[:8000])
    >>> plain = wg.debias(few, [["she", "he"], ["woman", "man"]])
    >>> both = wg.discover_both(few, plain, groups=2, categories=3, words=300, rotations=49,
    ...                         control="none")
    >>> len(both.before.groups), len(both.after.groups), len(both.of("vanishes"))
    (2, 2, 0)
    """
    search = Options(**options)
    if search.placebo:
        raise UsageError("Placebo searches are for one embedding; run `discover` on each.")
    workers = at_least("workers", workers, 1)
    both = need_whole(before, "A discovery"), need_whole(after, "A discovery")
    discoveries = []
    with executor(workers, cluster, threads=True) as team:
        controlled = _control_both(*both, search, workers)
        layout = lay_out(controlled[0][0], search, controlled[1][0], workers)
        for part, source in enumerate(both):
            vectors, applied = controlled[part]
            report = _part_of(progress, 2, part)
            discoveries.append(
                judge(
                    vectors,
                    applied,
                    describe_source(source),
                    layout,
                    search,
                    team,
                    resume,
                    workers,
                    report,
                )
            )
    first, second = discoveries
    return Comparison(before=first, after=second, changes=_changes(first, second))


def _control_both(
    before: Vectors, after: Vectors, options: Options, workers: int | None
) -> list[tuple[Vectors, Control]]:
    """Control both embeddings for frequency, or neither, wherever frequencies are known.

    If only one of them were controlled, a difference between them might come from the control.
    """
    both = before, after
    controlled = [control(vectors, options.control, workers=workers) for vectors in both]
    is_known = all(applied.r2_before is not None for _, applied in controlled)
    if (
        options.control != "auto"
        or not is_known
        or controlled[0][1].method == controlled[1][1].method
    ):
        return controlled
    controlled = [control(vectors, "frequency", workers=workers) for vectors in both]
    return [(vectors, replace(applied, asked=options.control)) for vectors, applied in controlled]


def _part_of(progress: Progress | None, parts: int, part: int) -> Progress | None:
    """Turn the progress of one of several searches into the progress of all."""
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, parts * total)


def _changes(before: Discovery, after: Discovery) -> tuple[Change, ...]:
    """List the cells that are significant in at least one of the two discoveries."""
    old = {(cell.group, cell.category): cell for cell in before.cells}
    new = {(cell.group, cell.category): cell for cell in after.cells}
    changes = []
    for place in old | new:
        first, second = old.get(place), new.get(place)
        was = first is not None and first.significant
        is_now = second is not None and second.significant
        if was or is_now:
            change = "stays" if was and is_now else "vanishes" if was else "appears"
            changes.append(Change(change, first, second))
    return tuple(changes)


# Indirect bias: associations that survive when the names are removed (section 4.2).

MAX_PROXIES = 10
CHANCE_ROTATIONS = 8
_EPSILON = 1e-12
_CHANCE_STREAM = 1 << 40  # a random stream beyond the batches of any search


def measure_indirect_bias(
    null: Null,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
    workers: int | None = None,
) -> Indirect:
    """Measure indirect bias and find the strongest proxies.

    Over all four-tuples of significant cells in two groups i < i' and two categories j < j', the
    result holds the share for which (Āᵢⱼ − Āᵢ'ⱼ)·(Āᵢⱼ' − Āᵢ'ⱼ') > 0 (eq. 1).
    """
    tuples, positive = _four_tuples(null.space, chosen, significant)
    proxies = _proxies(null.space, chosen, significant, words, groups, categories)
    proxies.sort(key=lambda proxy: -proxy.cosine)
    strongest = tuple(proxies[:MAX_PROXIES])
    if not tuples:
        return Indirect(0, None, strongest)
    return Indirect(
        tuples, positive / tuples, strongest, _share_by_chance(null, significant, workers)
    )


def _share_by_chance(
    null: Null, significant: NDArray[np.bool_], workers: int | None
) -> float | None:
    """Return the mean share over a few random rotations, with the words of each cell chosen anew.

    A group's words are chosen along its centroid in every category, so their differences tend to
    have the same sign even where names and words are unrelated. This is the share to compare with.
    """
    rotated = null.rotated(_CHANCE_STREAM, CHANCE_ROTATIONS)
    words = null.space.words.astype(np.float64)  # converted once for all rotations

    def share(r: int) -> float:
        space = dataclasses.replace(
            null.space, centres=rotated[:, :, r].T.astype(np.float64), words=words
        )
        chosen = choose(space)
        tuples, positive = _four_tuples(space, chosen, significant & np.isfinite(chosen.scores))
        return positive / tuples if tuples else np.nan

    shares = np.array(list(map_in_order(share, range(CHANCE_ROTATIONS), workers or cpu_count())))
    return float(np.nanmean(shares)) if np.isfinite(shares).any() else None


def _four_tuples(space: Space, chosen: Chosen, cells: NDArray[np.bool_]) -> tuple[int, int]:
    """Count the four-tuples of the given cells, and those that satisfy eq. 1."""
    tuples = positive = 0
    for _, _, shared, difference in _group_pairs(space, chosen, cells):
        above = np.triu_indices(len(shared), 1)
        tuples += len(above[0])
        positive += int(((difference @ difference.T)[above] > 0).sum())
    return tuples, positive


def _group_pairs(
    space: Space, chosen: Chosen, cells: NDArray[np.bool_]
) -> Iterator[tuple[int, int, NDArray[np.intp], Floats]]:
    """Yield groups i < i' with at least two shared categories, those categories, and Āᵢⱼ − Āᵢ'ⱼ."""
    means = np.zeros((*cells.shape, space.words.shape[1]))
    means[cells] = space.words[chosen.positions[cells]].mean(axis=1, dtype=np.float64)
    for i, k in combinations(range(len(space.centres)), 2):
        shared = np.flatnonzero(cells[i] & cells[k])
        if len(shared) > 1:
            yield i, k, shared, means[i, shared] - means[k, shared]


def _proxies(
    space: Space,
    chosen: Chosen,
    significant: NDArray[np.bool_],
    words: Sequence[str],
    groups: Sequence[Group],
    categories: Sequence[Category],
) -> list[Proxy]:
    """Find proxies: for two groups and a category significant for both, the best-aligned word pair.

    The pair is the one whose difference has the largest cosine with the difference of the groups'
    centroids.
    """
    proxies: list[Proxy] = []
    for i, k, shared, difference in _group_pairs(space, chosen, significant):
        direction = space.centres[i] - space.centres[k]
        direction /= max(float(np.linalg.norm(direction)), _EPSILON)
        first_at, second_at = chosen.positions[i, shared], chosen.positions[k, shared]
        first, second = (space.words[at].astype(np.float64) for at in (first_at, second_at))
        cosine = _cosines(first, second, direction)
        a, b = np.divmod(cosine.reshape(len(shared), -1).argmax(axis=1), cosine.shape[2])
        rows = np.arange(len(shared))
        # In how many of the other categories does the pair's difference point the same way?
        agrees = difference @ (first[rows, a] - second[rows, b]).T > 0
        agreeing = agrees.sum(axis=0) - agrees.diagonal()
        for row, j in enumerate(shared.tolist()):
            proxies.append(
                Proxy(
                    (groups[i].id, groups[k].id),
                    categories[j].id,
                    (words[first_at[row, a[row]]], words[second_at[row, b[row]]]),
                    float(cosine[row, a[row], b[row]]),
                    int(agreeing[row]),
                    len(shared) - 1,
                )
            )
    return proxies


def _cosines(first: Floats, second: Floats, direction: Floats) -> Floats:
    """Return the cosine of first − second with a unit vector, for all pairs of each category.

    The axes are category, first word, second word. The cosine of a word with itself is 0.
    """
    square = (first * first).sum(axis=2)[:, :, None] + (second * second).sum(axis=2)[:, None]
    square -= 2 * (first @ second.transpose(0, 2, 1))
    product = (first @ direction)[:, :, None] - (second @ direction)[:, None]
    return np.where(square > _EPSILON, product / np.sqrt(np.maximum(square, _EPSILON)), 0.0)
