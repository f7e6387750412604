"""A task of an audit as a worker gets it: names and options, and no vectors.

A worker opens the source by its name; its parsed copy in the cache is mapped into memory. Where the
worker sees no such source, or another one, it says so, and is sent the rows that the step needs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from weatherglass.catalog import FactualTest, Test
from weatherglass.catalog.suites import Step, Suite
from weatherglass.errors import SourceNotFound, WeatherglassError
from weatherglass.vectors import Vectors

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
    from weatherglass.seedlab.alternatives import alternatives

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
