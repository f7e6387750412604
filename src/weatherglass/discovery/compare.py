"""`discover_both`: one search on two embeddings; which associations appear, vanish or stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weatherglass.measures import describe_source
from weatherglass.tasks import executor
from weatherglass.vectors import Control, Vectors, control

from .discover import Progress, judge
from .prepare import Options, at_least, lay_out
from .result import Change, Comparison, Discovery


def discover_both(
    before: Vectors,
    after: Vectors,
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
    workers = at_least("workers", workers, 1)
    discoveries = []
    with executor(workers, cluster, threads=True) as team:
        controlled = _control_both(before, after, search, workers)
        layout = lay_out(controlled[0][0], search, controlled[1][0], workers)
        for part, source in enumerate((before, after)):
            vectors, applied = controlled[part]
            report = _half_of(progress, part)
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
    if not is_known or controlled[0][1].method == controlled[1][1].method:
        return controlled
    controlled = [control(vectors, "frequency", workers=workers) for vectors in both]
    return [(vectors, replace(applied, asked=options.control)) for vectors, applied in controlled]


def _half_of(progress: Progress | None, part: int) -> Progress | None:
    """Turn the progress of the first or second of two searches into the progress of both."""
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, 2 * total)


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
