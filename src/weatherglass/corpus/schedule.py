"""Train the models of a run that are left, in parallel: of groups, samples and permuted parts."""

from __future__ import annotations

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

# Tokens of all models together; fewer are trained in the time in which a process starts.
_MIN_TOKENS_FOR_PROCESSES = 2_000_000


def train_models(
    run: Run,
    settings: Settings,
    folders: dict[str, Path],
    team: Workers,
    max_parallel: int | None,
    progress: Progress | None,
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
    for number, _ in as_completed(worker.train_model, jobs.values(), team, at_once=max_parallel):
        models[labels[number]] = "done"
        run.save()
        report()


def train_permuted(
    run: Run,
    settings: Settings,
    folders: dict[str, Path],
    team: Workers,
    max_parallel: int | None,
    progress: Progress | None,
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
    for number, _ in as_completed(worker.train_permuted, jobs.values(), team, at_once=max_parallel):
        states[labels[number]] = "done"
        run.save()
        report()


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


def choose_workers(run: Run) -> int:
    """Return the number of processes that are worth the time in which they start."""
    record = run.record
    groups = record["groups"].values()
    tokens = sum(group["tokens"] for group in groups) * (1 + run.record["bootstrap"])
    tokens += sum(
        record["groups"][(permuted.first, permuted.second)[permuted.side]]["tokens"]
        for permuted in run.permuted().values()
    )
    return cpu_count() if tokens > _MIN_TOKENS_FOR_PROCESSES else 1
