"""Simulated workers, to plan a study: how many workers find how much agreement?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.random import Generator

from weatherglass.errors import UsageError, did_you_mean

from .answers import Submission
from .order import completion_code, presented_order
from .study import CrowdStudy, Item, Task

_START = datetime(2020, 1, 1, tzinfo=UTC)
_MEAN_SECONDS, _FAST_SECONDS = 6.0, 0.3
_GOOD_SHARE = 0.7
"""How often a good worker knows the stereotype of a cell, or the group of a name."""
_CELL_DEVIATION, _RATER_DEVIATION = 1.5, 1.2


def simulate_crowd(
    study: CrowdStudy,
    workers: Mapping[str, int],
    *,
    agreement: float = 0.7,
    ratings: float = 4.0,
    rng: int = 0,
) -> list[Submission]:
    """Return the answers of simulated workers to all tasks of a study.

    Parameters
    ----------
    study
        The study.
    workers
        How many workers of each kind. ``perfect``: always as the discovery has it. ``good``: know
        70 % of the names and 70 % of the stereotypes of their society, otherwise guess.
        ``guessing``: know the names, and guess in matching tasks. ``ignorant``: guess in the exam,
        too. ``careless``: answer in the order of the page, fast, without reading the attention
        checks. ``biased``: know the names, but choose one group in most cells, and rate everything
        7. ``duplicate``: all hand in the answers of the same good worker, under other ids.
    agreement
        The share of cells for which the stereotype of the simulated society is the group of the
        discovery; for the others it is another group, the same for all good workers.
    ratings
        The mean of the cells' ratings, which vary with standard deviation 1.5 between cells and 1.2
        between workers.
    rng
        Random seed.

    Returns
    -------
    list of Submission
        One for each worker and task.

    Examples
    --------
    >>> import weatherglass as wg
    >>> discovery = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                         rotations=99, name_rank=10_000, control="none", alpha=0.2)
    >>> study = wg.export_crowd_study(discovery, tests=2)
    >>> answers = simulate_crowd(study, {"perfect": 2, "guessing": 1})
    >>> len(answers), sorted({submission.task for submission in answers})
    (9, ['exam', 'match-01', 'match-02'])
    """
    for kind, number in workers.items():
        if kind not in KINDS:
            hint = did_you_mean(kind, KINDS) or f" Kinds are {', '.join(KINDS)}."
            raise UsageError(f"{kind!r} is no kind of worker.{hint}")
        if number < 0:
            raise UsageError(f"{number} workers of the kind {kind} cannot be simulated.")
    if not 0 <= agreement <= 1 or not 1 <= ratings <= 7:
        raise UsageError("agreement must be from 0 to 1, and ratings from 1 to 7.")
    society = _simulate_society(study, agreement, ratings)
    submissions: list[Submission] = []
    names = [(kind, k) for kind, number in workers.items() for k in range(number)]
    for place, (kind, k) in enumerate(names):
        worker = f"{kind}-{k + 1:02}"
        # A generator of their own, so that rating tasks do not change the other answers.
        generator = np.random.default_rng([rng, place])
        answer = KINDS[kind](study, society, worker, generator)
        # Duplicates must be the same also where repeated groups are replaced.
        filler = np.random.default_rng([rng, 78]) if kind == "duplicate" else generator
        submissions += _submit_all(study, worker, place, answer, filler, kind == "careless")
    return submissions


def _submit_all(
    study: CrowdStudy,
    worker: str,
    place: int,
    answer: Callable[[Task, Item], str],
    rng: Generator,
    is_fast: bool,
) -> list[Submission]:
    submissions = []
    for number, task in enumerate(study.tasks):
        order = presented_order(
            study.options.rng, worker, task.id, [item.id for item in task.items]
        )
        items = {item.id: item for item in task.items}
        answers = {id: answer(task, items[id]) for id in order}
        if study.options.one_to_one and task.kind == "match":
            answers = _without_repeats(task, answers, rng)
        mean = _FAST_SECONDS if is_fast else _MEAN_SECONDS
        seconds = len(order) * mean * float(rng.uniform(0.7, 1.3))
        started = _START + timedelta(hours=place, minutes=10 * number)
        code = completion_code(study.id, task.id, worker, answers)
        submissions.append(
            Submission(
                study.id, task.id, worker, answers, round(seconds, 1), started.isoformat(), code
            )
        )
    return submissions


def _without_repeats(task: Task, answers: dict[str, str], rng: Generator) -> dict[str, str]:
    """Keep the first use of each group, and fill the other cells with the unused ones at random."""
    cells = [item.id for item in task.cells]
    used: set[str] = set()
    open_cells = []
    for id in cells:
        if answers[id] in used:
            open_cells.append(id)
        used.add(answers[id])
    unused = [option for option in task.options if option not in used]
    mixed = [unused[k] for k in rng.permutation(len(unused))]
    return answers | dict(zip(open_cells, mixed, strict=True))


Answer = Callable[[Task, Item], str]


@dataclass(frozen=True)
class _Society:
    """The stereotypes that workers share: the group of each cell, and its mean rating."""

    groups: Mapping[str, str]
    ratings: Mapping[str, float]


def _simulate_society(study: CrowdStudy, agreement: float, ratings: float) -> _Society:
    """Draw the stereotypes by the seed of the study, so that further answers fit the first."""
    rng = np.random.default_rng([study.options.rng, 5])
    groups, means = {}, {}
    for task in study.of_kind("match"):
        for item in task.cells:
            others = [option for option in task.options if option != item.group]
            other = others[int(rng.integers(len(others)))]
            groups[item.id] = item.group if rng.random() < agreement else other
            means[item.id.replace("match", "rate")] = rng.normal(ratings, _CELL_DEVIATION)
    return _Society(groups, means)


def _guess(task: Task, rng: Generator) -> str:
    return task.options[int(rng.integers(len(task.options)))]


def _rating(mean: float, rng: Generator) -> str:
    return str(int(np.clip(round(rng.normal(mean, _RATER_DEVIATION)), 1, 7)))


def _knowing(
    match_share: float, exam_share: float, follows: str = "society"
) -> Callable[..., Answer]:
    """A worker who reads, and knows these shares of stereotypes and names; guesses otherwise."""

    def kind(study: CrowdStudy, society: _Society, worker: str, rng: Generator) -> Answer:
        def answer(task: Task, item: Item) -> str:
            if item.check:
                return item.check
            if task.kind == "rate":
                return _rating(society.ratings[item.id], rng)
            share = exam_share if task.kind == "exam" else match_share
            if rng.random() >= share:
                return _guess(task, rng)
            is_follower = task.kind == "match" and follows == "society"
            return society.groups[item.id] if is_follower else item.group

        return answer

    return kind


def _careless(study: CrowdStudy, society: _Society, worker: str, rng: Generator) -> Answer:
    """The k-th item gets the k-th option."""

    def answer(task: Task, item: Item) -> str:
        seed = study.options.rng
        items = presented_order(seed, worker, task.id, [entry.id for entry in task.items])
        options = presented_order(seed, worker, task.id, task.options)
        return options[items.index(item.id) % len(options)]

    return answer


def _biased(study: CrowdStudy, society: _Society, worker: str, rng: Generator) -> Answer:
    """The group that occurs in most tasks, wherever it is an option."""
    tasks = study.of_kind("match")
    favourite = max(
        (group.id for group in study.groups),
        key=lambda id: sum(len(task.cells) for task in tasks if id in task.options),
    )

    def answer(task: Task, item: Item) -> str:
        if item.check:
            return item.check
        if task.kind == "rate":
            return "7"
        if task.kind == "exam" or favourite not in task.options:
            return item.group
        return favourite

    return answer


def _duplicate(study: CrowdStudy, society: _Society, worker: str, rng: Generator) -> Answer:
    """The answers of a good worker who is the same for all duplicates."""
    same = np.random.default_rng([study.options.rng, 77])
    good = _knowing(_GOOD_SHARE, _GOOD_SHARE)(study, society, worker, same)
    answers = {item.id: good(task, item) for task, item in study.items()}
    return lambda task, item: answers[item.id]


KINDS: dict[str, Callable[..., Answer]] = {
    "perfect": _knowing(1.0, 1.0, "discovery"),
    "good": _knowing(_GOOD_SHARE, _GOOD_SHARE),
    "guessing": _knowing(0.0, 1.0),
    "ignorant": _knowing(0.0, 0.0),
    "careless": _careless,
    "biased": _biased,
    "duplicate": _duplicate,
}
"""The kinds of simulated workers."""
