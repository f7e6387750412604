"""`import_crowd_answers`: from files of answers to a `CrowdResult`."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.significance import benjamini_hochberg

from .answers import Submission, duplicates_removed, read_answers
from .guessing import hits_by_guessing, plurality_by_guessing, poisson_binomial, upper_tail
from .krippendorff import MISSING, Alpha, Level, alpha_over_workers
from .result import CellVotes, CrowdResult, Rating
from .screening import WorkerAnswers, cell_ratings, count_majority, group_by_worker, screen
from .study import RATINGS, CrowdStudy, Item, Task

MIN_RATING, MAX_RATING = 1, len(RATINGS)


def import_crowd_answers(
    answers: str | Path | Submission | Iterable[str | Path | Submission],
    study: CrowdStudy | str | Path,
    *,
    bootstraps: int = 2000,
    rng: int = 0,
) -> CrowdResult:
    """Evaluate the answers of crowd workers to the tasks of a discovery.

    Parameters
    ----------
    answers
        Files that the task pages saved or the lab mode wrote (JSON, JSON Lines), tables of survey
        tools (CSV, TSV), exports of Label Studio (JSON), or `Submission` records.
    study
        The study, or the folder that `export_crowd_study` wrote.
    bootstraps
        Bootstrap samples of workers for the intervals of Krippendorff's α.
    rng
        Random seed of the bootstrap.

    Returns
    -------
    CrowdResult
        Screened workers, votes and ratings of the cells, agreement, and the paper's tables.

    Notes
    -----
    Null hypothesis of the p-values: workers guess. A guess is right with probability 1/c, whether
    or not groups may be used more than once, so the number of workers who agree about a cell is
    Poisson-binomial over 1/c. The p-value over all answers takes the design into account: if groups
    may be used once only, the hits of a worker in a task are the fixed points of a random
    permutation. P-values are corrected over the cells by Benjamini and Hochberg's method.

    References
    ----------
    .. [1] N. Swinger et al. (2019). What are the biases in my word embedding? AIES 2019.

    Examples
    --------
    >>> import weatherglass as wg
    >>> discovery = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                         rotations=99, name_rank=10_000, control="none", alpha=0.2)
    >>> study = wg.export_crowd_study(discovery, tests=2)
    >>> result = wg.import_crowd_answers(wg.simulate_crowd(study, {"perfect": 5}), study)
    >>> print(result)
    crowd: source 'default', workers 5, cells 6, agreed 6, rated 0, p 4.857e-15, alpha 1
    For 6 of 6 cells (100%) people most often chose the group of the discovery; guessing
    would give 21%.
    """
    if bootstraps < 0:
        raise UsageError(f"bootstraps is {bootstraps}; it must be at least 0.")
    opened = study if isinstance(study, CrowdStudy) else CrowdStudy.load(study)
    is_single = isinstance(answers, str | Path | Submission)
    collected = read_answers([answers] if is_single else answers, opened)  # type: ignore[list-item, arg-type]
    kept, left_out = _usable(collected.submissions, opened)
    workers, invalid = group_by_worker(kept, opened)
    if invalid:
        left_out["answers that name no option"] = invalid
    reports = screen(workers, opened)
    counted = [w for w, report in zip(workers, reports, strict=True) if not report.reason]
    if not workers:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        raise CannotMeasure(f"No answers can be used: {reasons or 'there are none'}.")
    cells = _rated(_votes(counted, opened), counted, opened)
    majority = count_majority(counted, opened)
    hits = sum(cell.agreeing for cell in cells)
    generator = np.random.default_rng(rng)
    return CrowdResult(
        study=opened.id,
        significant=opened.significant,
        tests=len(opened.of_kind("match")),
        cells=cells,
        workers=tuple(
            dataclasses.replace(report, with_majority=majority.get(report.worker, 0))
            for report in reports
        ),
        hits=hits,
        answers=sum(cell.workers for cell in cells),
        p=upper_tail(_all_guesses(counted, opened), hits)
        if any(c.workers for c in cells)
        else None,
        alpha=_alpha(counted, opened, "match", "nominal", bootstraps, generator),
        alpha_ratings=_alpha(counted, opened, "rate", "ordinal", bootstraps, generator),
        left_out=left_out,
        one_to_one=opened.options.one_to_one,
        offensive=opened.options.offensive,
        notes=(*opened.notes, *collected.notes),
        source={"name": opened.source},
    )


def _usable(
    submissions: Sequence[Submission], study: CrowdStudy
) -> tuple[list[Submission], dict[str, int]]:
    """Return the submissions to this study, each once; and how many were left out, by reason."""
    own = [s for s in submissions if s.study == study.id and study.task(s.task) is not None]
    coded = [submission for submission in own if submission.has_right_code]
    kept = list(duplicates_removed(coded))
    counts = {
        "of another study": len(submissions) - len(own),
        "changed after the code was shown": len(own) - len(coded),
        "by a worker who had answered the task before": len(coded) - len(kept),
    }
    return kept, {reason: count for reason, count in counts.items() if count}


def _votes(workers: Sequence[WorkerAnswers], study: CrowdStudy) -> list[CellVotes]:
    cells = []
    for task in study.of_kind("match"):
        chosen = [worker.answers[task.id] for worker in workers if task.id in worker.answers]
        cells += [_count_votes(task, item, chosen) for item in task.cells]
    answered = [k for k, cell in enumerate(cells) if cell.p is not None]
    corrected = benjamini_hochberg([cells[k].p.value for k in answered])  # type: ignore[union-attr]
    for k, p in zip(answered, corrected, strict=True):
        cells[k] = dataclasses.replace(cells[k], p_corrected=float(p))
    return cells


def _count_votes(task: Task, item: Item, chosen: Sequence[dict[str, str]]) -> CellVotes:
    counts = Counter(answers[item.id] for answers in chosen if item.id in answers)
    votes = dict(sorted(counts.items(), key=lambda pair: (-pair[1], task.options.index(pair[0]))))
    workers, agreeing = sum(votes.values()), votes.get(item.group, 0)
    others = max((count for group, count in votes.items() if group != item.group), default=0)
    c = len(task.options)
    return CellVotes(
        item.id,
        task.id,
        item.group,
        item.category,
        item.words,
        c,
        votes,
        workers,
        agreeing,
        agreeing > others,
        upper_tail(poisson_binomial(np.full(workers, 1 / c)), agreeing) if workers else None,
        None,
        plurality_by_guessing(workers, c),
    )


def _rated(
    cells: Sequence[CellVotes], workers: Sequence[WorkerAnswers], study: CrowdStudy
) -> tuple[CellVotes, ...]:
    ratings = [cell_ratings(worker, study) for worker in workers]
    rated = []
    for cell in cells:
        item = cell.item.replace("match", "rate")
        values = [chosen[item] for chosen in ratings if item in chosen]
        rating = rate(values, study.options.offensive) if values else None
        rated.append(dataclasses.replace(cell, rating=rating))
    return tuple(rated)


def rate(values: Sequence[int], offensive: float) -> Rating:
    """Return the mean of ratings with a 95 % interval.

    The interval is Student's t, within the scale. Where all ratings are the same, t would have no
    width: then up to 1 - 0.025^(1/n) of all people may rate otherwise, as far away as the scale
    allows.

    >>> rating = rate([4, 5, 6, 7, 5], 4.0)
    >>> f"{rating.mean:.1f} ({rating.low:.1f} to {rating.high:.1f})"
    '5.4 (4.0 to 6.8)'
    >>> rate([1] * 13, 4.0).high < 2.6
    True
    """
    from scipy.special import stdtrit

    number, mean = len(values), float(np.mean(values))
    if number < 2:
        return Rating(mean, None, None, number, mean >= offensive)
    deviation = float(np.std(values, ddof=1))
    if deviation > 0:
        half = float(stdtrit(number - 1, 0.975)) * deviation / math.sqrt(number)
        low, high = mean - half, mean + half
    else:
        others = 1 - 0.025 ** (1 / number)
        low, high = mean - others * (mean - MIN_RATING), mean + others * (MAX_RATING - mean)
    return Rating(mean, max(low, MIN_RATING), min(high, MAX_RATING), number, mean >= offensive)


def _all_guesses(workers: Sequence[WorkerAnswers], study: CrowdStudy) -> NDArray[np.float64]:
    """Return the distribution of the hits of all workers in all matching tasks, by guessing."""
    choices, answered = [], []
    for worker in workers:
        for task, chosen in worker.of_kind(study, "match"):
            choices.append(len(task.options))
            answered.append(sum(item.id in chosen for item in task.cells))
    return hits_by_guessing(choices, answered, study.options.one_to_one)


def _alpha(
    workers: Sequence[WorkerAnswers],
    study: CrowdStudy,
    kind: str,
    level: Level,
    bootstraps: int,
    rng: np.random.Generator,
) -> Alpha | None:
    """Return Krippendorff's α over the cells of all tasks of a kind; None without answers."""
    tasks = [task for task in study.tasks if task.kind == kind]
    options = {
        option: k for k, option in enumerate(dict.fromkeys(o for t in tasks for o in t.options))
    }
    items = [item.id for task in tasks for item in task.cells]
    rows = []
    for worker in workers:
        chosen = {
            item: o for _, answers in worker.of_kind(study, kind) for item, o in answers.items()
        }
        row = [options[chosen[item]] if item in chosen else MISSING for item in items]
        if any(code != MISSING for code in row):
            rows.append(row)
    return alpha_over_workers(rows, level, rng, bootstraps) if rows else None
