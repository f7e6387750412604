"""Train the models of a run that are left, in parallel: of groups, samples and permuted parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from weatherglass._files import cpu_count
from weatherglass.tasks import Workers, as_completed, physical_memory

from . import worker
from .model_files import label_of
from .run_folder import Run, Settings
from .worker import Job, PermutedJob

Progress = Callable[[str, int, int], None]
Announce = Callable[[str], None]

# Tokens of all models together; fewer are trained in the time in which a process starts.
_MIN_TOKENS_FOR_PROCESSES = 2_000_000


def train_models(
    run: Run,
    settings: Settings,
    folders: dict[str, Path],
    team: Workers,
    max_parallel: int | None,
    progress: Progress | None,
    cost: Cost,
) -> None:
    """Train the models that are left, at most `max_parallel` at once, fewer if memory is low."""
    models = run.record["models"]
    unfinished = {
        name: folder.resolve() for name, folder in folders.items() if _waiting_models(run, name)
    }

    report = _Counter(run, "training", models, progress)
    report()
    if settings.method == "ppmi-svd":
        groups = [(folder, settings.window) for folder in unfinished.values()]
        for _ in as_completed(worker.count_group_pairs, groups, team):
            pass
    jobs = {
        label: Job(folder, name, sample, run.path(label).resolve(), run.key(label), settings)
        for name, folder in unfinished.items()
        for label, sample in _waiting_models(run, name)
    }
    if max_parallel is not None and unfinished:
        needed = max(worker.estimate_memory(folder, settings) for folder in unfinished.values())
        max_parallel = min(max_parallel, physical_memory() // 2 // max(1, needed))
    labels = list(jobs)
    cost.start(max_parallel)
    for number, _ in as_completed(worker.train_model, jobs.values(), team, at_once=max_parallel):
        models[labels[number]] = "done"
        run.save()
        cost.finish(labels[number])
        report()


def train_permuted(
    run: Run,
    settings: Settings,
    folders: dict[str, Path],
    team: Workers,
    max_parallel: int | None,
    progress: Progress | None,
    cost: Cost,
) -> None:
    """Train the permuted models that are left, as `train_models` does the others."""
    requested = run.permuted()
    states = run.record["permuted"]
    report = _Counter(run, "training on permuted documents", requested, progress)
    jobs = {
        label: PermutedJob(
            folders[permuted.first].resolve().with_name("words.json"),
            (folders[permuted.first].resolve(), folders[permuted.second].resolve()),
            permuted,
            run.path(label).resolve(),
            run.key(label),
            settings,
        )
        for label, permuted in requested.items()
        if states[label] == "waiting"
    }
    if not jobs:
        return
    report()
    if max_parallel is not None:
        pairs = {job.folders for job in jobs.values()}
        needed = max(worker.estimate_permuted_memory(pair, settings) for pair in pairs)
        max_parallel = min(max_parallel, physical_memory() // 2 // max(1, needed))
    labels = list(jobs)
    cost.start(max_parallel)
    for number, _ in as_completed(worker.train_permuted, jobs.values(), team, at_once=max_parallel):
        states[labels[number]] = "done"
        run.save()
        cost.finish(labels[number])
        report()


class Cost:
    """Announces, when the first model is trained, how many there are and about how long it takes.

    Parameters
    ----------
    run
        The run, as planned.
    announce
        Called with a sentence if training will take longer than `MIN_SECONDS`; None for silence.
    clock
        Returns the time in seconds.
    dates
        How many permutations of dates are left, each of which trains a model of every group.
    """

    def __init__(
        self,
        run: Run,
        announce: Announce | None,
        clock: Callable[[], float] = time.monotonic,
        dates: int = 0,
    ) -> None:
        self._run, self._announce, self._clock = run, announce, clock
        groups = {
            about["folder"]: about["tokens"]
            for about in run.record["groups"].values()
            if "folder" in about
        }
        models, permuted = run.record["models"], run.record["permuted"]
        # A model takes about as long as its texts are.
        self._weights = {
            label: groups[label.rpartition("/")[0]]
            for label, state in models.items()
            if state == "waiting"
        } | {
            label: run.record["groups"][(about.first, about.second)[about.side]]["tokens"]
            for label, about in run.permuted().items()
            if permuted.get(label) == "waiting"
        }
        self._weights |= {
            f"dates/{number}/{folder}": tokens
            for number in range(dates)
            for folder, tokens in groups.items()
        }
        self._started, self._workers = 0.0, 1

    def start(self, workers: int | None) -> None:
        """Note the time at which training starts, on so many workers; None for a cluster."""
        self._started = self._clock()
        self._workers = workers or 0

    def finish(self, label: str) -> None:
        """Note that a model is trained; announce the cost of the run if it is the first."""
        announce, self._announce = self._announce, None
        if announce is None or not self._workers:
            return
        seconds = self._clock() - self._started
        rate = seconds / max(1, self._weights[label])
        total = rate * sum(self._weights.values()) / min(self._workers, len(self._weights))
        if total < MIN_SECONDS:
            return
        count, options = len(self._weights), self._run.record["options"]
        groups = sum("folder" in about for about in self._run.record["groups"].values())
        of_groups = f" of {groups:,} groups" if groups > 1 else ""
        workers = "1 worker" if self._workers == 1 else f"{self._workers} workers"
        announce(
            f"{count:,} models{of_groups} to train ({options['method']}, {workers}): about "
            f"{format_duration(total)}, judging by the first one"
        )


MIN_SECONDS = 10.0
"""Shorter training is not announced."""


def format_duration(seconds: float) -> str:
    """Format a duration roughly.

    >>> format_duration(14), format_duration(130), format_duration(4000)
    ('10 seconds', '2 minutes', '1.1 hours')
    """
    if seconds < 90:
        return f"{max(10, round(seconds / 10) * 10)} seconds"
    return f"{round(seconds / 60)} minutes" if seconds < 3600 else f"{seconds / 3600:.1f} hours"


@dataclass(frozen=True)
class _Counter:
    """Reports how many of some models are done."""

    run: Run
    stage: str
    labels: Collection[str]
    progress: Progress | None

    def __call__(self) -> None:
        if self.progress is not None:
            states = self.run.record["models"] | self.run.record["permuted"]
            done = sum(states[label] == "done" for label in self.labels)
            self.progress(self.stage, done, len(self.labels))


def _waiting_models(run: Run, group: str) -> list[tuple[str, int | None]]:
    """Return the label and the sample of each model of a group that is not trained yet."""
    folder = run.record["groups"][group]["folder"]
    samples = (None, *range(run.record["bootstrap"]))
    labels = [(label_of(folder, sample), sample) for sample in samples]
    models = run.record["models"]
    return [(label, sample) for label, sample in labels if models.get(label) == "waiting"]


def choose_workers(run: Run, dates: int = 0) -> int:
    """Return the number of processes that are worth the time in which they start.

    `dates` is how often dates are permuted.
    """
    record = run.record
    groups = record["groups"].values()
    tokens = sum(group["tokens"] for group in groups) * (1 + run.record["bootstrap"] + dates)
    tokens += sum(
        record["groups"][(permuted.first, permuted.second)[permuted.side]]["tokens"]
        for permuted in run.permuted().values()
    )
    return cpu_count() if tokens > _MIN_TOKENS_FOR_PROCESSES else 1
