"""An audit in progress: its steps run one after another, or in parallel on workers."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from weatherglass._files import write_text
from weatherglass._log import get_logger
from weatherglass.catalog import FactualTest, GroupsTest, Step, Suite, Test
from weatherglass.errors import CannotMeasure, SourceNotFound, WeatherglassError, WorkersLost
from weatherglass.measures import NOT_FOR_TABLES, Measurement
from weatherglass.report import AuditResult, audit_page
from weatherglass.tasks import Workers, as_completed
from weatherglass.vectors import Vectors, sample_vocabulary

from . import run_folder
from .sources import Source
from .steps import Payload, Task, chosen_tests, perform

_LOGGER = get_logger(__name__)


@dataclass(frozen=True, eq=False)
class WorkerTask:
    """A task as it is sent to a worker: small, because the worker opens the source itself.

    `vectors` holds the rows that the step needs, where the worker cannot open the source.
    """

    step: Step
    suite: Suite
    test: str
    name: str
    opens: str
    fingerprint: str
    rng: int
    vectors: Vectors | None = None
    cache: bool = True
    in_memory: bool = False

    @classmethod
    def of(cls, task: Task, fingerprint: str, rng: int) -> WorkerTask:
        """Return the worker's form of a task."""
        source = task.source
        return cls(
            task.step,
            task.suite,
            task.test,
            source.name,
            source.opens,
            fingerprint,
            rng,
            cache=source.cache,
            in_memory=source.memory is not None,
        )

    def with_rows(self, source: Source) -> WorkerTask | None:
        """Return the same task with the rows that it needs; None if it needs the whole source."""
        words = None if source.is_encoder or source.is_table else _needed_words(self)
        if words is None:
            return None
        sample = sample_vocabulary(source.vectors) if self.step.run in ("weat", "measure") else None
        return replace(self, vectors=source.vectors.subset(words, sample))


@dataclass(frozen=True, eq=False)
class Outcome:
    """A worker's answer: a result, or the reason why there is none.

    Neither is set if the worker cannot open the source, or opens another one under its name.
    `status` is ``skipped`` where the source does not have what the step measures.
    """

    payload: Payload | None = None
    reason: str = ""
    seconds: float = 0.0
    status: str = "failed"


def run_task(task: WorkerTask) -> Outcome:
    """Run a task in a worker. A step that fails must not take the others with it."""
    start = time.monotonic()
    status = "failed"
    try:
        payload, reason = _perform_here(task), ""
    except CannotMeasure as error:
        payload, reason, status = None, str(error), "skipped"
    except WeatherglassError as error:
        payload, reason = None, str(error)
    except Exception as error:
        payload, reason = None, f"unexpected {type(error).__name__}: {error}"
    return Outcome(payload, reason, round(time.monotonic() - start, 3), status)


def _perform_here(task: WorkerTask) -> Payload | None:
    if task.in_memory and task.vectors is None:
        return None
    source = _cached_source(task.name, task.opens, task.cache)
    if task.vectors is not None:
        source = Source(task.name, task.opens, rows=task.vectors)
    try:
        fingerprint = source.describe()["fingerprint"]
    except SourceNotFound:
        return None
    if fingerprint != task.fingerprint:
        return None
    return perform(
        Task(task.step, source, task.suite, task.test), task.rng, 1, lambda done, total: None
    )


def describe_source(source: tuple[str, str, bool]) -> dict[str, Any] | str:
    """Describe a source in a worker, given its name, what to open, and whether to use the cache.

    If that fails, return the reason. An object in memory has nothing to open here.
    """
    if not source[1]:
        return "in memory"
    try:
        return _cached_source(*source).describe_with_health()
    except WeatherglassError as error:
        return str(error)


@lru_cache(2)
def _cached_source(name: str, opens: str, cache: bool) -> Source:
    # The steps of a source mostly follow each other in a worker: keep it open between them.
    return Source(name, opens, cache=cache)


def _needed_words(task: WorkerTask) -> list[str] | None:
    """Every spelling that a step may look up; None if it needs the whole source."""
    from weatherglass.catalog import seeds
    from weatherglass.measures import spellings
    from weatherglass.seedlab import alternatives

    step = task.step
    if step.options.get("control", "none") != "none":
        return None
    sets: list[Any]
    if step.run in ("weat", "wefat"):
        kind = Test | GroupsTest if step.run == "weat" else FactualTest
        sets = [words for test in chosen_tests(step, kind) for words in test.sets.values()]
    elif step.run == "measure":
        sets = [seeds(id) for id in step.sets.values()]
    elif step.run == "multiverse" and set(step.options) <= {"samples", "share", "alpha"}:
        test = next(test for test in chosen_tests(step, Test) if test.id == task.test)
        sets = list(alternatives(test).sets())
    else:
        return None
    return list(spellings(sets))


Progress = Callable[[str, int, int], None]


class Run:
    """An audit in progress. Each step's result is saved as soon as it is done.

    Tasks are known by their number in `tasks`; ``about["steps"][number]`` is the task's record.
    """

    def __init__(
        self,
        folder: Path,
        about: dict[str, Any],
        tasks: list[Task],
        rng: int,
        budget: float | None,
        resume: bool,
        workers: int | None,
        team: Workers | None,
        progress: Progress | None,
    ) -> None:
        self._team = team
        self._folder, self._about, self._tasks = folder, about, tasks
        self._rng, self._budget, self._resume, self._workers = rng, budget, resume, workers
        self._progress = progress or (lambda title, done, total: None)
        self._start = time.monotonic()
        self._payloads: dict[int, Payload] = {}
        self._sources = {source["name"]: source for source in about["sources"]}
        self._about["steps"] = [_initial_record(task) for task in tasks]

    def run_all(self) -> None:
        """Run every task that the budget allows."""
        numbers = list(range(len(self._tasks)))
        for number in numbers if self._team is None else self._run_parallel(self._team):
            if self._check_budget(number):
                start = time.monotonic()
                self._progress(self._tasks[number].title, number, len(self._tasks))
                self._note(number, self._run_here(number), time.monotonic() - start)

    def _run_parallel(self, team: Workers) -> list[int]:
        """Let workers run the tasks; return the numbers of those that remain to be run here."""
        unseen = self._send(team, self._worker_tasks())
        with_rows: list[tuple[int, WorkerTask]] = []
        remaining: list[int] = []
        for number in unseen:
            task = self._with_rows(self._tasks[number])
            if task is None:
                remaining.append(number)
            else:
                with_rows.append((number, task))
        return sorted(remaining + self._send(team, with_rows))

    def _with_rows(self, task: Task) -> WorkerTask | None:
        try:
            return WorkerTask.of(task, self._fingerprint(task), self._rng).with_rows(task.source)
        except WeatherglassError:  # reported when the step is run here
            return None

    def _send(self, team: Workers, tasks: Iterable[tuple[int, WorkerTask]]) -> list[int]:
        """Send tasks to workers; return the numbers of those whose source they cannot open."""
        numbers: list[int] = []
        unseen: list[int] = []

        def within_budget() -> Iterator[WorkerTask]:
            for number, task in tasks:
                if self._check_budget(number):
                    numbers.append(number)
                    yield task

        try:
            for position, outcome in as_completed(run_task, within_budget(), team):
                number = numbers[position]
                done = sum(step["status"] == "done" for step in self._about["steps"])
                self._progress(self._tasks[number].title, done, len(self._tasks))
                if outcome.payload is None and not outcome.reason:
                    unseen.append(number)
                else:
                    self._note(number, self._save_outcome(number, outcome), outcome.seconds)
        except WorkersLost as error:
            for position in error.tasks:
                if position < len(numbers):
                    self._note(numbers[position], _not_done(str(error)), 0.0)
            if not error.tasks:
                raise
        return unseen

    def _worker_tasks(self) -> Iterator[tuple[int, WorkerTask]]:
        """The tasks for workers: all that are not saved yet, of sources that can be opened."""
        for number, task in enumerate(self._tasks):
            fingerprint = self._fingerprint(task)
            path = run_folder.step_file(self._folder, number, task)
            key = run_folder.step_key(task, fingerprint, self._rng)
            payload = run_folder.load_step(path, key) if self._resume else None
            if payload is not None:
                self._note(number, self._add(number, payload), 0.0)
            elif not fingerprint:
                reason = self._sources[task.source.name]["reason"]
                self._note(number, _not_done(reason), 0.0)
            else:
                yield number, WorkerTask.of(task, fingerprint, self._rng)

    def _save_outcome(self, number: int, outcome: Outcome) -> dict[str, Any]:
        if outcome.payload is None:
            return _not_done(outcome.reason, outcome.status)
        task = self._tasks[number]
        key = run_folder.step_key(task, self._fingerprint(task), self._rng)
        path = run_folder.step_file(self._folder, number, task)
        run_folder.save_step(path, outcome.payload, key)
        return self._add(number, outcome.payload)

    def _fingerprint(self, task: Task) -> str:
        return str(self._sources[task.source.name]["fingerprint"])

    def _check_budget(self, number: int) -> bool:
        """Return whether there is time for a task; if not, note the reason."""
        used_up = self._budget is not None and time.monotonic() - self._start > 60 * self._budget
        if used_up:
            reason = f"the {self._budget:g} minutes were used up"
            self._about["steps"][number] |= {"reason": reason}
        return not used_up

    def _note(self, number: int, outcome: dict[str, Any], seconds: float) -> None:
        step = self._about["steps"][number]
        step |= outcome | {"seconds": round(seconds, 3)}
        level = logging.INFO if step["status"] == "done" else logging.WARNING
        reason = f": {step['reason']}" if step["reason"] else ""
        place = f"{number + 1} of {len(self._tasks)}"
        _LOGGER.log(
            level,
            "step %s, %s on %s: %s%s (%.1f s)",
            place,
            step["title"],
            step["source"],
            step["status"],
            reason,
            seconds,
        )

    def _add(self, number: int, payload: Payload) -> dict[str, Any]:
        """Add a task's result to the audit's; return what its record says."""
        task = self._tasks[number]
        self._payloads[number] = task.source.label(payload)
        file = run_folder.step_file(self._folder, number, task).name
        # A step that measured nothing is not done; its file has the reason for each test. A source
        # without the words of a step did not fail at it: there was nothing to measure.
        status, reason = _nothing_measured(payload)
        return {"status": status, "reason": reason, "file": file}

    def _run_here(self, number: int) -> dict[str, Any]:
        task = self._tasks[number]
        path = run_folder.step_file(self._folder, number, task)

        def report(done: int, total: int) -> None:
            # Repeats the title while the step runs, so that a long one is seen to be alive.
            self._progress(task.title, number, len(self._tasks))

        if task.source.is_table and task.step.run == "discovery":
            return {"status": "skipped", "reason": NOT_FOR_TABLES}
        try:
            fingerprint = str(task.source.describe()["fingerprint"])
            key = run_folder.step_key(task, fingerprint, self._rng)
            saved = run_folder.load_step(path, key) if self._resume else None
            payload = saved
            if payload is None:
                payload = perform(task, self._rng, self._workers, report)
        except CannotMeasure as error:  # the source does not have what the step measures
            return _not_done(str(error), "skipped")
        except WeatherglassError as error:
            return _not_done(str(error))
        except Exception as error:  # a step that fails must not take the others with it
            return _not_done(f"unexpected {type(error).__name__}: {error}")
        if saved is None:
            # Not guarded: an audit that cannot save its results need not go on.
            run_folder.save_step(path, payload, key)
        return self._add(number, payload)

    def _load_skipped(self) -> None:
        """Load the steps that this run did not get to and that an earlier run has done."""
        for number, task in enumerate(self._tasks):
            if number not in self._payloads and (
                self._about["steps"][number]["status"] == "skipped"
            ):
                path = run_folder.step_file(self._folder, number, task)
                key = run_folder.step_key(task, self._fingerprint(task), self._rng)
                payload = run_folder.load_step(path, key)
                if payload is not None:
                    self._note(number, self._add(number, payload), 0.0)

    def finish(self) -> AuditResult:
        """Write all results and the report."""
        if self._resume:
            self._load_skipped()
        self._progress("Writing the report", len(self._tasks), len(self._tasks))
        self._about["seconds"] = round(time.monotonic() - self._start, 3)
        payloads = [payload for _, payload in sorted(self._payloads.items())]
        audited = run_folder.collect(self._about, payloads)
        run_folder.write_results(self._folder, audited.results)
        # The page last: it takes longest, and can be made again from the rest.
        write_text(self._folder / run_folder.RUN, json.dumps(self._about, indent=1) + "\n")
        write_text(self._folder / run_folder.REPORT, audit_page(audited))
        return audited


def _nothing_measured(payload: Payload) -> tuple[str, str]:
    """Return the status of a step, and why no test of it has a number.

    The reason is empty if a test has a number, or if the step runs no tests.
    """
    tests: tuple[Measurement, ...] = getattr(payload, "results", ())
    if not tests or any(result.is_done for result in tests):
        return "done", ""
    if all(result.reason.endswith(NOT_FOR_TABLES) for result in tests):
        return "skipped", NOT_FOR_TABLES
    first = f"({tests[0].test}: {tests[0].reason})"
    if all(any(result.missing.values()) for result in tests):
        which = f"all {len(tests)} tests" if len(tests) > 1 else "the test"
        return "skipped", f"the source lacks words of {which} {first}"
    return "failed", f"0 of {len(tests)} tests could be run {first}"


def _not_done(reason: str, status: str = "failed") -> dict[str, Any]:
    return {"status": status, "reason": reason}


def _initial_record(task: Task) -> dict[str, Any]:
    """The record of a task in ``run.json`` before it is run; see `run_folder.StepRecord`."""
    return {
        "title": task.title,
        "source": task.source.name,
        "kind": task.step.run,
        "status": "skipped",
        "reason": "the audit was interrupted before this step",
        "seconds": 0.0,
        "file": "",
    }
