"""Screening: whose answers count, and why those of others do not.

No rule looks at whether a worker agrees with the discovery in the matching tasks: that would give
the agreement that is to be measured. The exam asks about names, attention checks and times about
care, and copies are recognised by answers that hardly anybody else gave.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .answers import Submission, option_of
from .guessing import hits_by_guessing, poisson_binomial, upper_tail
from .order import presented_order
from .study import CrowdStudy, Task

REASONS = {
    "no exam": "matched without the exam",
    "failed exam": "failed the exam",
    "attention": "failed half of the attention checks or more",
    "too fast": "answered too fast",
    "one group": "chose one group in most answers",
    "page order": "answered in the order of the page",
    "copy": "gave the same unusual answers as another worker",
}
MAX_FAILED_CHECKS = 0.5
MAX_GROUP_SHARE = 0.5
MAX_CARELESS_P = 1e-4
"""Of one group in most answers, and of the order of the page, if the worker guesses."""
MIN_SAME, MIN_UNUSUAL = 12, 4
"""Answers that two workers must share to be copies, and how many of them nobody expects."""
MIN_RATINGS, EXTREME_DEVIATIONS = 5, 3.0

Answers = dict[str, str]


@dataclass(frozen=True)
class Worker:
    """A worker: what was answered, the checks, and whether the answers count.

    Attributes
    ----------
    worker
        The worker's id.
    exam, exam_p
        The share of the exam's names that were sorted correctly, and the chance that guessing gives
        as many; None without an exam.
    hits, matched, guessing_p
        How many matching items were answered as the discovery has them, of how many, and the exact
        p-value against guessing. It plays no part in the screening.
    checks_failed, checks
        Failed attention checks, and all that were shown.
    seconds_per_item
        Mean time of an answer; None if unknown.
    group_share
        The share of the most chosen group among all matching answers.
    mean_rating
        The worker's mean rating; None without ratings.
    reasons
        Why the answers do not count: keys of `REASONS`; empty if they do.
    remarks
        What is unusual without being a reason to leave the worker out.
    copy_of
        The worker with the same answers, of a copy.
    with_majority
        How many matching answers are the most chosen one of the other counted workers, for which
        the paper paid a bonus.
    """

    worker: str
    exam: float | None
    exam_p: float | None
    hits: int
    matched: int
    guessing_p: float | None
    checks_failed: int
    checks: int
    seconds_per_item: float | None
    group_share: float | None
    mean_rating: float | None
    reasons: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    copy_of: str = ""
    with_majority: int = 0

    @property
    def reason(self) -> str:
        """The first reason, by which workers are counted; empty if the answers count."""
        return self.reasons[0] if self.reasons else ""


@dataclass(frozen=True)
class WorkerAnswers:
    """The answers of a worker by task, and the submissions that they are from."""

    id: str
    submissions: tuple[Submission, ...]
    answers: Mapping[str, Answers]

    def of_kind(self, study: CrowdStudy, kind: str) -> list[tuple[Task, Answers]]:
        """The tasks of a kind that the worker answered, with the answers to cells and names."""
        tasks = ((study.task(id), chosen) for id, chosen in self.answers.items())
        return [(task, chosen) for task, chosen in tasks if task is not None and task.kind == kind]


def group_by_worker(
    submissions: Iterable[Submission], study: CrowdStudy
) -> tuple[list[WorkerAnswers], int]:
    """Return the answers of each worker, and the number of answers that name no option."""
    by_worker: dict[str, list[Submission]] = defaultdict(list)
    for submission in submissions:
        by_worker[submission.worker.strip()].append(submission)
    workers, invalid = [], 0
    for id, listed in by_worker.items():
        answers: dict[str, Answers] = {}
        for submission in listed:
            task = study.task(submission.task)
            if task is None:
                continue
            items = {item.id for item in task.items}
            chosen = {
                item: option_of(task, answer, study)
                for item, answer in submission.answers.items()
                if item in items
            }
            known = {item: option for item, option in chosen.items() if option is not None}
            invalid += len(submission.answers) - len(known)
            answers[task.id] = known
        workers.append(WorkerAnswers(id, tuple(listed), answers))
    return workers, invalid


def screen(workers: Sequence[WorkerAnswers], study: CrowdStudy) -> list[Worker]:
    """Return what is known of each worker, and whether the answers count."""
    copies = _find_copies(workers, study)
    means = {worker.id: _mean_rating(worker, study) for worker in workers}
    return [_report(worker, study, copies.get(worker.id, ""), means) for worker in workers]


def _report(
    worker: WorkerAnswers, study: CrowdStudy, copy_of: str, means: Mapping[str, float | None]
) -> Worker:
    exam, exam_p = _exam(worker, study)
    failed, checks = _attention(worker, study)
    seconds = _seconds_per_item(worker)
    matching = [
        (task, {item.id: chosen[item.id] for item in task.cells if item.id in chosen})
        for task, chosen in worker.of_kind(study, "match")
    ]
    keys = {item.id: item.group for task, _ in matching for item in task.cells}
    chosen = {item: option for _, answers in matching for item, option in answers.items()}
    hits = sum(keys[item] == option for item, option in chosen.items())
    counts = Counter(chosen.values())
    share = max(counts.values()) / len(chosen) if chosen else None
    guessing = hits_by_guessing(
        [len(task.options) for task, _ in matching],
        [len(answers) for _, answers in matching],
        study.options.one_to_one,
    )
    reasons = {
        "failed exam": exam is not None and exam <= study.options.pass_share,
        "no exam": exam is None and bool(chosen) and bool(study.of_kind("exam")),
        "attention": checks > 0 and failed / checks >= MAX_FAILED_CHECKS,
        "too fast": seconds is not None and seconds < study.options.min_seconds,
        "one group": (share or 0) > MAX_GROUP_SHARE and _group_p(matching) < MAX_CARELESS_P,
        "page order": _order_p(worker, matching, study) < MAX_CARELESS_P,
        "copy": bool(copy_of),
    }
    return Worker(
        worker.id,
        exam,
        exam_p,
        hits,
        len(chosen),
        upper_tail(guessing, hits).value if chosen else None,
        failed,
        checks,
        seconds,
        share,
        means[worker.id],
        tuple(reason for reason, applies in reasons.items() if applies),
        tuple(_remarks(worker, study, means)),
        copy_of,
    )


def _exam(worker: WorkerAnswers, study: CrowdStudy) -> tuple[float | None, float | None]:
    """The share of correct names, those without an answer as wrong; and its p-value."""
    for task, chosen in worker.of_kind(study, "exam"):
        correct = sum(chosen.get(item.id) == item.group for item in task.items)
        # Names of a group repeat, so that the exam is never one-to-one.
        guessing = hits_by_guessing([len(task.options)], [len(task.items)], one_to_one=False)
        return correct / len(task.items), upper_tail(guessing, correct).value
    return None, None


def _attention(worker: WorkerAnswers, study: CrowdStudy) -> tuple[int, int]:
    failed = shown = 0
    for id, chosen in worker.answers.items():
        task = study.task(id)
        for item in task.items if task is not None else ():
            if item.check:
                shown += 1
                failed += chosen.get(item.id) != item.check
    return failed, shown


def _seconds_per_item(worker: WorkerAnswers) -> float | None:
    timed = [(s.seconds, len(s.answers)) for s in worker.submissions if s.seconds is not None]
    items = sum(count for _, count in timed)
    return math.fsum(seconds for seconds, _ in timed) / items if items else None


def _group_p(matching: Sequence[tuple[Task, Answers]]) -> float:
    """The chance that guessing chooses any group as often as the worker chose the favourite."""
    chosen = Counter(option for _, answers in matching for option in answers.values())
    group, count = chosen.most_common(1)[0]
    groups = {option for task, _ in matching for option in task.options}
    choices = [
        1 / len(task.options)
        for task, answers in matching
        if group in task.options
        for _ in answers
    ]
    return len(groups) * upper_tail(poisson_binomial(choices), count).value


def _order_p(
    worker: WorkerAnswers, matching: Sequence[tuple[Task, Answers]], study: CrowdStudy
) -> float:
    """The chance that the k-th item is answered with the k-th option so often; 1 if unknown.

    Only the pages have an order that is known: their answers have a code.
    """
    coded = {submission.task for submission in worker.submissions if submission.code}
    hits, choices, answered = 0, [], []
    for task, chosen in matching:
        if task.id not in coded or not chosen:
            continue
        seed = study.options.rng
        items = presented_order(seed, worker.id, task.id, [item.id for item in task.items])
        options = presented_order(seed, worker.id, task.id, task.options)
        hits += sum(
            chosen.get(item) == option for item, option in zip(items, options, strict=False)
        )
        choices.append(len(task.options))
        answered.append(len(chosen))
    if not choices:
        return 1.0
    return upper_tail(hits_by_guessing(choices, answered, study.options.one_to_one), hits).value


def _mean_rating(worker: WorkerAnswers, study: CrowdStudy) -> float | None:
    ratings = list(cell_ratings(worker, study).values())
    return float(np.mean(ratings)) if ratings else None


def cell_ratings(worker: WorkerAnswers, study: CrowdStudy) -> dict[str, int]:
    """The ratings of a worker by item, without attention checks."""
    return {
        item.id: int(chosen[item.id])
        for task, chosen in worker.of_kind(study, "rate")
        for item in task.cells
        if item.id in chosen
    }


def _remarks(
    worker: WorkerAnswers, study: CrowdStudy, means: Mapping[str, float | None]
) -> list[str]:
    """Ratings that are all the same, or far from those of others; people may mean them."""
    ratings = list(cell_ratings(worker, study).values())
    if len(ratings) < MIN_RATINGS:
        return []
    remarks = []
    if len(set(ratings)) == 1:
        remarks.append(f"rated everything {ratings[0]}")
    others = [mean for id, mean in means.items() if mean is not None and id != worker.id]
    if len(others) >= MIN_RATINGS:
        centre = float(np.median(others))
        spread = 1.4826 * float(np.median(np.abs(np.array(others) - centre)))
        own = means[worker.id]
        if own is not None and abs(own - centre) > EXTREME_DEVIATIONS * max(spread, 0.25):
            side = "higher" if own > centre else "lower"
            remarks.append(f"rates much {side} than others")
    return remarks


def count_majority(workers: Sequence[WorkerAnswers], study: CrowdStudy) -> dict[str, int]:
    """Return how many matching answers of each worker are the most chosen one of the others.

    A tie among the others counts for each of the tied groups.
    """
    chosen: dict[str, Counter[str]] = defaultdict(Counter)
    by_worker = {
        worker.id: {
            item.id: answers[item.id]
            for task, answers in worker.of_kind(study, "match")
            for item in task.cells
            if item.id in answers
        }
        for worker in workers
    }
    for answers in by_worker.values():
        for item, option in answers.items():
            chosen[item][option] += 1
    totals = dict.fromkeys(by_worker, 0)
    for id, answers in by_worker.items():
        for item, option in answers.items():
            others = chosen[item] - Counter([option])
            totals[id] += bool(others) and others[option] == max(others.values())
    return totals


def _find_copies(workers: Sequence[WorkerAnswers], study: CrowdStudy) -> dict[str, str]:
    """Return the workers whose answers are those of an earlier one, including unusual ones."""
    keys = {item.id: item.check or item.group for _, item in study.items()}
    flat = {
        worker.id: {
            item: option
            for kind in ("exam", "match")
            for _, answers in worker.of_kind(study, kind)
            for item, option in answers.items()
        }
        for worker in workers
    }
    chosen: dict[str, Counter[str]] = defaultdict(Counter)
    for answers in flat.values():
        for item, option in answers.items():
            chosen[item][option] += 1
    usual = {item: counts.most_common(1)[0][0] for item, counts in chosen.items()}
    copies: dict[str, str] = {}
    ids = list(flat)
    for k, later in enumerate(ids):
        for earlier in ids[:k]:
            shared = flat[later].keys() & flat[earlier].keys()
            if len(shared) < MIN_SAME or earlier in copies:
                continue
            if any(flat[later][item] != flat[earlier][item] for item in shared):
                continue
            unusual = sum(flat[later][item] not in (keys[item], usual[item]) for item in shared)
            if unusual >= MIN_UNUSUAL:
                copies[later] = earlier
                break
    return copies
