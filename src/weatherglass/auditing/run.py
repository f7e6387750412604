"""An audit under way: steps one after another, or side by side on workers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from weatherglass._files import write_text
from weatherglass.catalog import FactualTest, Step, Suite, Test
from weatherglass.errors import SourceNotFound, WeatherglassError, WorkersLost
from weatherglass.report import Audited, audit_page
from weatherglass.tasks import Workers, finished
from weatherglass.vectors import Vectors

from . import run_folder as files
from .run_folder import gathered
from .sources import Source
from .steps import Payload, Task, chosen_tests, perform


@dataclass(frozen=True, eq=False)
class Order:
    """A task for a worker."""

    step: Step
    suite: Suite
    test: str
    name: str
    opens: str
    fingerprint: str
    rng: int
    vectors: Vectors | None = None

    @classmethod
    def of(cls, task: Task, fingerprint: str, rng: int) -> Order:
        """The order for a task."""
        source = task.source
        return cls(task.step, task.suite, task.test, source.name, source.opens, fingerprint, rng)

    def with_rows(self, source: Source) -> Order | None:
        """The same with the rows that it needs; none if it needs all."""
        words = _needed(self)
        return None if words is None else replace(self, vectors=source.vectors.subset(words))


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of an order: findings, or why there are none. A worker that does not see the source
    gives neither."""

    found: Payload | None = None
    reason: str = ""
    seconds: float = 0.0


def carried_out(order: Order) -> Outcome:
    """Do a task, in a worker. A step that breaks must not take the others with it."""
    start = time.monotonic()
    try:
        found, reason = _found(order), ""
    except WeatherglassError as error:
        found, reason = None, str(error)
    except Exception as error:
        found, reason = None, f"unexpected {type(error).__name__}: {error}"
    return Outcome(found, reason, round(time.monotonic() - start, 3))


def _found(order: Order) -> Payload | None:
    source = _opened(order.name, order.opens)
    if order.vectors is not None:
        source = Source(order.name, order.opens, given=order.vectors)
    try:
        seen = source.described()["fingerprint"]
    except SourceNotFound:
        return None
    if seen != order.fingerprint:
        return None
    task = Task(order.step, source, order.suite, order.test)
    return perform(task, order.rng, 1, lambda done, total: None)


def described(source: tuple[str, str]) -> dict[str, Any] | str:
    """What a worker sees of a source, by name and what it opens; or why it cannot be opened."""
    try:
        return _opened(*source).described()
    except WeatherglassError as error:
        return str(error)


@lru_cache(2)
def _opened(name: str, opens: str) -> Source:
    """The steps of a source mostly come one after another: what it needed is still there."""
    return Source(name, opens)


def _needed(order: Order) -> list[str] | None:
    """Every spelling that a step may look up; None if it needs the whole of the source."""
    from weatherglass.catalog import seeds
    from weatherglass.measures import spellings
    from weatherglass.seedlab import alternatives

    step = order.step
    if step.options.get("control", "none") != "none":
        return None
    sets: list[Any]
    if step.run in ("weat", "wefat"):
        kind = Test if step.run == "weat" else FactualTest
        sets = [one for test in chosen_tests(step, kind) for one in test.sets.values()]
    elif step.run == "measure":
        sets = [seeds(id) for id in step.sets.values()]
    elif step.run == "multiverse" and set(step.options) <= {"samples", "share", "alpha"}:
        sets = list(
            alternatives(
                next(one for one in chosen_tests(step, Test) if one.id == order.test)
            ).sets()
        )
    else:
        return None
    return list(spellings(sets))


Progress = Callable[[str, int, int], None]


class Run:
    """An audit under way. What is done is kept, whatever happens next."""

    def __init__(
        self,
        folder: Path,
        about: dict[str, Any],
        todo: list[Task],
        rng: int,
        budget: float | None,
        resume: bool,
        workers: int | None,
        team: Workers | None,
        progress: Progress | None,
    ) -> None:
        self._team = team
        self._folder, self._about, self._todo = folder, about, todo
        self._rng, self._budget, self._resume, self._workers = rng, budget, resume, workers
        self._progress = progress or (lambda title, done, total: None)
        self._start = time.monotonic()
        self._found: dict[int, Payload] = {}
        self._sources = {one["name"]: one for one in about["sources"]}
        self._about["steps"] = [_entry(task) for task in todo]

    def all(self) -> None:
        """Do every task that there is time for."""
        every = list(range(len(self._todo)))
        for number in every if self._team is None else self._side_by_side(self._team):
            if self._in_time(number):
                start = time.monotonic()
                self._progress(self._todo[number].title, number, len(self._todo))
                self._note(number, self._one(number), time.monotonic() - start)

    def _side_by_side(self, team: Workers) -> list[int]:
        """Let workers do the tasks; gives the numbers of those that are left to do here."""
        unseen = self._given_out(team, self._orders(range(len(self._todo))))
        sent: list[tuple[int, Order]] = []
        left: list[int] = []
        for number in unseen:
            order = self._with_rows(self._todo[number])
            if order is None:
                left.append(number)
            else:
                sent.append((number, order))
        return sorted(left + self._given_out(team, sent))

    def _with_rows(self, task: Task) -> Order | None:
        try:
            return Order.of(task, self._fingerprint(task), self._rng).with_rows(task.source)
        except WeatherglassError:  # which is told when the step is done here
            return None

    def _given_out(self, team: Workers, orders: Iterable[tuple[int, Order]]) -> list[int]:
        """Give tasks to workers; gives the numbers of those whose source they do not see."""
        numbers: list[int] = []
        unseen: list[int] = []

        def items() -> Iterator[Order]:
            for number, order in orders:
                if self._in_time(number):
                    numbers.append(number)
                    yield order

        try:
            for at, outcome in finished(carried_out, items(), team):
                number = numbers[at]
                done = sum(one["status"] == "done" for one in self._about["steps"])
                self._progress(self._todo[number].title, done, len(self._todo))
                if outcome.found is None and not outcome.reason:
                    unseen.append(number)
                else:
                    self._note(number, self._settled(number, outcome), outcome.seconds)
        except WorkersLost as error:
            for at in error.tasks:
                if at < len(numbers):
                    self._note(numbers[at], {"status": "failed", "reason": str(error)}, 0.0)
            if not error.tasks:
                raise
        return unseen

    def _orders(self, numbers: Iterable[int]) -> Iterator[tuple[int, Order]]:
        """What workers are to do: all that is not kept, of sources that can be opened."""
        for number in numbers:
            task = self._todo[number]
            fingerprint = self._fingerprint(task)
            path = files.step_file(self._folder, number, task)
            key = files.key(task, fingerprint, self._rng)
            found = files.kept(path, key) if self._resume else None
            if found is not None:
                self._note(number, self._done(number, found), 0.0)
            elif not fingerprint:
                reason = self._sources[task.source.name]["reason"]
                self._note(number, {"status": "failed", "reason": reason}, 0.0)
            else:
                yield number, Order.of(task, fingerprint, self._rng)

    def _settled(self, number: int, outcome: Outcome) -> dict[str, Any]:
        if outcome.found is None:
            return {"status": "failed", "reason": outcome.reason}
        task = self._todo[number]
        key = files.key(task, self._fingerprint(task), self._rng)
        files.keep(files.step_file(self._folder, number, task), outcome.found, key)
        return self._done(number, outcome.found)

    def _fingerprint(self, task: Task) -> str:
        return str(self._sources[task.source.name]["fingerprint"])

    def _in_time(self, number: int) -> bool:
        late = self._budget is not None and time.monotonic() - self._start > 60 * self._budget
        if late:
            reason = f"the {self._budget:g} minutes were used up"
            self._about["steps"][number] |= {"reason": reason}
        return not late

    def _note(self, number: int, told: dict[str, Any], seconds: float) -> None:
        self._about["steps"][number] |= told | {"seconds": round(seconds, 3)}

    def _done(self, number: int, found: Payload) -> dict[str, Any]:
        task = self._todo[number]
        self._found[number] = task.source.labelled(found)
        file = files.step_file(self._folder, number, task).name
        return {"status": "done", "reason": "", "file": file}

    def _one(self, number: int) -> dict[str, Any]:
        task = self._todo[number]
        path = files.step_file(self._folder, number, task)
        try:
            fingerprint = str(task.source.described()["fingerprint"])
            key = files.key(task, fingerprint, self._rng)
            before = files.kept(path, key) if self._resume else None
            told = self._told(task, number)
            found = perform(task, self._rng, self._workers, told) if before is None else before
        except WeatherglassError as error:
            return {"status": "failed", "reason": str(error)}
        except Exception as error:  # a step that breaks must not take the others with it
            return {"status": "failed", "reason": f"unexpected {type(error).__name__}: {error}"}
        if before is None:
            files.keep(path, found, key)  # where nothing can be kept, there is no use in going on
        return self._done(number, found)

    def _told(self, task: Task, number: int) -> Callable[[int, int], None]:
        """Tell of a step again while it is under way, so that a long one is seen."""
        return lambda done, total: self._progress(task.title, number, len(self._todo))

    def _take_up(self) -> None:
        """Steps that were not come to, and that an earlier run has done, are done."""
        for number, task in enumerate(self._todo):
            if self._about["steps"][number]["status"] == "skipped":
                path = files.step_file(self._folder, number, task)
                found = files.kept(path, files.key(task, self._fingerprint(task), self._rng))
                if found is not None:
                    self._note(number, self._done(number, found), 0.0)

    def finish(self) -> Audited:
        """Write all that was found, and the report."""
        if self._resume:
            self._take_up()
        self._progress("Writing the report", len(self._todo), len(self._todo))
        self._about["seconds"] = round(time.monotonic() - self._start, 3)
        audited = gathered(self._about, [found for _, found in sorted(self._found.items())])
        files.write_results(self._folder, audited.results)
        # The page last: it takes longest, and can be made anew from the rest.
        write_text(self._folder / files.RUN, json.dumps(self._about, indent=1) + "\n")
        write_text(self._folder / files.REPORT, audit_page(audited))
        return audited


def _entry(task: Task) -> dict[str, Any]:
    return {
        "title": task.title,
        "source": task.source.name,
        "kind": task.step.run,
        "status": "skipped",
        "reason": "the audit was stopped before",
        "seconds": 0.0,
        "file": "",
    }
