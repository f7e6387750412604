"""Run tasks on workers that may die: what is lost is run again, and nothing is left out unseen."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, TypeVar

from weatherglass.errors import WorkersLost, join_first

from .state import Kept, Shared
from .workers import Workers

R = TypeVar("R")
TRIES = 3
"""How often a task is tried whose worker died or took too long."""

_AHEAD = 2  # tasks in flight for each that a worker can do at once
_LOOK = 2.0  # seconds between two looks at whether the workers are still there
_NAMED = 10
_IN_VAIN = 20
"""So many tasks lost, and none done: it is not the tasks, and the rest is not tried."""


@dataclass
class _Try:
    """A task on its way."""

    index: int
    item: Any
    tries: int = 0
    since: float = 0.0
    reason: str = ""


def finished(
    call: Callable[..., R],
    items: Iterable[Any],
    workers: Workers,
    *,
    shared: Shared[Any] | None = None,
    at_once: int | None = None,
) -> Generator[tuple[int, R], None, None]:
    """The results of tasks as they finish, each with the number of its task.

    Parameters
    ----------
    call
        A function of a module. It is given an item, and before it the value of `shared` if there
        is one.
    items
        What the tasks are about, one each; they are taken when there is room.
    workers
        What `executor` gave.
    shared
        What all tasks need.
    at_once
        At most so many tasks in flight; by default twice as many as the workers can do at once, or
        as many if there is a time limit.

    Raises
    ------
    WorkersLost
        At the end, if there are tasks whose worker died or took too long again and again: all
        others are done then.
    WeatherglassError
        At once, if a task itself fails.
    """
    return _finished(call, enumerate(items), workers, shared, at_once)


def _finished(
    call: Callable[..., R],
    numbered: Iterator[tuple[int, Any]],
    workers: Workers,
    shared: Shared[Any] | None,
    at_once: int | None,
) -> Generator[tuple[int, R], None, None]:
    with workers.holding(shared) as submit:
        run = _Run(lambda item: submit(call, item), numbered, workers, at_once)
        try:
            yield from run.results()
        finally:
            run.stop()


class _Run:
    """Tasks under way. One that was lost is run again with the others, and after that alone: what
    kills its worker then takes no other task with it, and has all the memory there is."""

    def __init__(
        self,
        submit: Callable[[Any], Future[Any]],
        numbered: Iterator[tuple[int, Any]],
        workers: Workers,
        at_once: int | None,
    ) -> None:
        self._submit, self._workers, self._at_once = submit, workers, at_once
        self._fresh = numbered
        self._again: deque[_Try] = deque()
        self._alone: deque[_Try] = deque()
        self._running: dict[Future[Any], _Try] = {}
        self._lost: list[_Try] = []
        self._total = 0
        self._in_vain: int | None = 0  # tasks lost before the first that was done

    def results(self) -> Iterator[tuple[int, Any]]:
        while self._fill():
            for future in self._done():
                one = self._running.pop(future)
                error = _error(future)
                if error is None:
                    self._in_vain = None
                    yield one.index, future.result()
                elif reason := self._workers.lost(error):
                    self._put_back(one, reason)
                else:
                    raise error
            self._give_up_on_the_late()
        if self._lost:
            raise _lost(self._lost, self._total)

    def stop(self) -> None:
        for future in self._running:
            future.cancel()

    def _fill(self) -> bool:
        """Submit what there is room for; whether there is anything to wait for."""
        if self._in_vain is not None and self._in_vain > max(_IN_VAIN, TRIES * self._room()):
            self._lost += [*self._alone, *self._again, *self._running.values()]
            rest = [_Try(k, None, reason="no worker could do a task") for k, _ in self._fresh]
            self._total += len(rest)
            raise _lost(self._lost + rest, self._total)
        while len(self._running) < self._room() and (one := self._next()) is not None:
            one.since = time.monotonic()
            self._running[self._submit(one.item)] = one
        return bool(self._running)

    def _next(self) -> _Try | None:
        if self._again:
            return self._again.popleft()
        for index, item in islice(self._fresh, 1):
            self._total += 1
            return _Try(index, item)
        if self._alone and not self._running:
            return self._alone.popleft()
        return None

    def _room(self) -> int:
        if self._at_once is not None:
            return max(1, self._at_once)
        return max(1, self._workers.slots * (1 if self._workers.limit else _AHEAD))

    def _done(self) -> list[Future[Any]]:
        limit, patience = self._workers.limit, _LOOK
        if limit is not None:
            first = min(one.since for one in self._running.values())
            patience = min(patience, max(0.0, first + limit - time.monotonic()))
        done = wait(self._running, patience, FIRST_COMPLETED).done
        if not done:
            self._workers.check()
        return sorted(done, key=lambda future: self._running[future].index)

    def _give_up_on_the_late(self) -> None:
        limit, now = self._workers.limit, time.monotonic()
        if limit is None:
            return
        late = [f for f, one in self._running.items() if now - one.since > limit and not f.done()]
        for future in late:
            self._workers.give_up(future)
            self._put_back(self._running.pop(future), f"took more than {limit:g} seconds")

    def _put_back(self, one: _Try, reason: str) -> None:
        one.tries += 1
        one.reason = reason
        self._in_vain = None if self._in_vain is None else self._in_vain + 1
        if one.tries >= TRIES:
            self._lost.append(one)
        else:
            (self._again if one.tries == 1 else self._alone).append(one)


def _error(future: Future[Any]) -> BaseException | None:
    return CancelledError() if future.cancelled() else future.exception()


def _lost(lost: list[_Try], total: int) -> WorkersLost:
    lost = sorted(lost, key=lambda one: one.index)
    named = join_first((f"{one.index} ({one.reason})" for one in lost), _NAMED)
    return WorkersLost(
        f"{len(lost)} of {total} tasks could not be done: {named}. Perhaps the memory did "
        "not suffice: take fewer workers. What was finished is kept; in a Python script, call this "
        "below `if __name__ == '__main__':`.",
        tuple(one.index for one in lost),
    )


def run(
    call: Callable[..., R],
    items: Iterable[Any],
    workers: Workers,
    *,
    shared: Shared[Any] | None = None,
    kept: Kept[R] | None = None,
    at_once: int | None = None,
) -> Generator[R, None, None]:
    """The results of tasks in the order of `items`.

    Parameters
    ----------
    call, items, workers, shared, at_once
        As for `finished`.
    kept
        Where results are kept as they finish, and taken from if they are there.

    Examples
    --------
    >>> from weatherglass.tasks import executor
    >>> with executor(2, threads=True) as workers:
    ...     list(run(abs, [-3, 2, -1], workers))
    [3, 2, 1]
    """
    before = kept.found if kept is not None else frozenset()
    there: dict[int, R] = {}
    left = ((k, item) for k, item in enumerate(items) if k not in before)
    results = _finished(call, left, workers, shared, at_once)
    with contextlib.closing(results):
        for turn in count():
            if kept is not None and turn in before:
                yield kept.take(turn)
                continue
            while turn not in there:
                one = next(results, None)
                if one is None:
                    return
                if kept is not None:
                    kept.keep(*one)
                there[one[0]] = one[1]
            yield there.pop(turn)
