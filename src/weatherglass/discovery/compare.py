"""The same names and words on two embeddings: which associations appear, vanish, stay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from weatherglass.measures import named
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
        that both have are used; with ``control="auto"`` frequency is taken out of both if it is
        strong in one.
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
    asked = Options(**options)
    workers = at_least("workers", workers, 1)
    found = []
    with executor(workers, cluster, threads=True) as team:
        (first, of_first), (second, of_second) = _controlled(before, after, asked, workers)
        layout = lay_out(first, asked, second, workers)
        for part, (vectors, done, source) in enumerate(
            ((first, of_first, named(before)), (second, of_second, named(after)))
        ):
            told = _half(progress, part)
            found.append(judge(vectors, done, source, layout, asked, team, resume, workers, told))
    return Comparison(before=found[0], after=found[1], changes=_changes(*found))


def _controlled(
    before: Vectors, after: Vectors, asked: Options, workers: int | None
) -> list[tuple[Vectors, Control]]:
    """Both without frequency or both with it, wherever that can be judged: else the difference
    between them might be the control's."""
    both = before, after
    made = [control(one, asked.control, workers=workers) for one in both]
    judged = all(done.r2_before is not None for _, done in made)
    if not judged or made[0][1].method == made[1][1].method:
        return made
    made = [control(one, "frequency", workers=workers) for one in both]
    return [(one, replace(done, asked=asked.control)) for one, done in made]


def _half(progress: Progress | None, part: int) -> Progress | None:
    """The progress of the first or second of two searches, as that of both."""
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, 2 * total)


def _changes(before: Discovery, after: Discovery) -> tuple[Change, ...]:
    there = {(cell.group, cell.category): cell for cell in after.cells}
    here = {(cell.group, cell.category): cell for cell in before.cells}
    changes = []
    for place in here | there:
        one, other = here.get(place), there.get(place)
        was, is_now = one is not None and one.significant, other is not None and other.significant
        if was or is_now:
            change = "stays" if was and is_now else "vanishes" if was else "appears"
            changes.append(Change(change, one, other))
    return tuple(changes)
