"""Run tasks on workers that may die: lost tasks are retried, and none is dropped silently."""

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

from .state import Checkpoint, Shared
from .workers import Workers

R = TypeVar("R")
MAX_ATTEMPTS = 3
"""Attempts at a task whose worker died or exceeded the time limit."""

_IN_FLIGHT_PER_SLOT = 2
_CHECK_SECONDS = 2.0  # between two checks that the workers are still there
_MAX_NAMED = 10  # lost tasks that a message names
_MAX_LOST_BEFORE_SUCCESS = 20
"""If more tasks than this are lost and none has succeeded, the workers are at fault: give up."""


@dataclass
class _Attempt:
    """A task in flight or waiting for a retry."""

    index: int
    item: Any
    attempts: int = 0
    started: float = 0.0
    reason: str = ""


def as_completed(
    call: Callable[..., R],
    items: Iterable[Any],
    workers: Workers,
    *,
    shared: Shared[Any] | None = None,
    at_once: int | None = None,
) -> Generator[tuple[int, R], None, None]:
    """Yield the results of tasks as they complete, each with the index of its task.

    Parameters
    ----------
    call
        A function at module level. It is called with an item, preceded by the value of `shared` if
        there is one.
    items
        One item per task, read when there is room for another task.
    workers
        The workers, from `executor`.
    shared
        State that all tasks need.
    at_once
        Maximum number of tasks in flight. The default is twice the number that the workers run at
        once, or exactly that number with a time limit.

    Raises
    ------
    WorkersLost
        At the end, after all other tasks, if the worker of a task died or exceeded the time limit
        on every attempt.
    WeatherglassError
        Immediately, if a task itself fails.
    """
    return _as_completed(call, enumerate(items), workers, shared, at_once)


def _as_completed(
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
    """Tasks in progress.

    A lost task is retried with the others, and after that alone: then a task that kills its worker
    takes no other task with it, and has all the memory of the machine.
    """

    def __init__(
        self,
        submit: Callable[[Any], Future[Any]],
        numbered: Iterator[tuple[int, Any]],
        workers: Workers,
        at_once: int | None,
    ) -> None:
        self._submit, self._workers, self._at_once = submit, workers, at_once
        self._new = numbered
        self._retries: deque[_Attempt] = deque()
        self._alone: deque[_Attempt] = deque()
        self._running: dict[Future[Any], _Attempt] = {}
        self._lost: list[_Attempt] = []
        self._total = 0
        self._lost_before_success: int | None = 0  # None after the first success

    def results(self) -> Iterator[tuple[int, Any]]:
        while self._fill():
            for future in self._wait():
                attempt = self._running.pop(future)
                error = _error(future)
                if error is None:
                    self._lost_before_success = None
                    yield attempt.index, future.result()
                elif reason := self._workers.lost(error):
                    self._retry(attempt, reason)
                else:
                    raise error
            self._cancel_timed_out()
        if self._lost:
            raise _workers_lost(self._lost, self._total)

    def stop(self) -> None:
        for future in self._running:
            future.cancel()

    def _fill(self) -> bool:
        """Submit tasks while there is room. Returns whether there is anything to wait for."""
        lost = self._lost_before_success
        if lost is not None and lost > max(_MAX_LOST_BEFORE_SUCCESS, MAX_ATTEMPTS * self._room()):
            self._lost += [*self._alone, *self._retries, *self._running.values()]
            rest = [_Attempt(k, None, reason="no worker completed a task") for k, _ in self._new]
            self._total += len(rest)
            raise _workers_lost(self._lost + rest, self._total)
        while len(self._running) < self._room() and (attempt := self._next()) is not None:
            attempt.started = time.monotonic()
            self._running[self._submit(attempt.item)] = attempt
        return bool(self._running)

    def _next(self) -> _Attempt | None:
        if self._retries:
            return self._retries.popleft()
        for index, item in islice(self._new, 1):
            self._total += 1
            return _Attempt(index, item)
        if self._alone and not self._running:
            return self._alone.popleft()
        return None

    def _room(self) -> int:
        if self._at_once is not None:
            return max(1, self._at_once)
        return max(1, self._workers.slots * (1 if self._workers.limit else _IN_FLIGHT_PER_SLOT))

    def _wait(self) -> list[Future[Any]]:
        """Wait for a task to complete, for the next time limit, or for the next check."""
        limit, timeout = self._workers.limit, _CHECK_SECONDS
        if limit is not None:
            oldest = min(attempt.started for attempt in self._running.values())
            timeout = min(timeout, max(0.0, oldest + limit - time.monotonic()))
        completed = wait(self._running, timeout, FIRST_COMPLETED).done
        if not completed:
            self._workers.check()
        return sorted(completed, key=lambda future: self._running[future].index)

    def _cancel_timed_out(self) -> None:
        limit, now = self._workers.limit, time.monotonic()
        if limit is None:
            return
        timed_out = [
            future
            for future, attempt in self._running.items()
            if now - attempt.started > limit and not future.done()
        ]
        for future in timed_out:
            self._workers.cancel(future)
            self._retry(self._running.pop(future), f"took more than {limit:g} seconds")

    def _retry(self, attempt: _Attempt, reason: str) -> None:
        attempt.attempts += 1
        attempt.reason = reason
        if self._lost_before_success is not None:
            self._lost_before_success += 1
        if attempt.attempts >= MAX_ATTEMPTS:
            self._lost.append(attempt)
        else:
            (self._retries if attempt.attempts == 1 else self._alone).append(attempt)


def _error(future: Future[Any]) -> BaseException | None:
    return CancelledError() if future.cancelled() else future.exception()


def _workers_lost(lost: list[_Attempt], total: int) -> WorkersLost:
    lost = sorted(lost, key=lambda attempt: attempt.index)
    named = join_first((f"{attempt.index} ({attempt.reason})" for attempt in lost), _MAX_NAMED)
    return WorkersLost(
        f"{len(lost)} of {total} tasks failed: {named}. A worker may have run out of memory; try "
        "fewer workers. Completed tasks are kept. In a Python script, call this below "
        "`if __name__ == '__main__':`.",
        tuple(attempt.index for attempt in lost),
    )


def run(
    call: Callable[..., R],
    items: Iterable[Any],
    workers: Workers,
    *,
    shared: Shared[Any] | None = None,
    checkpoint: Checkpoint[R] | None = None,
    at_once: int | None = None,
) -> Generator[R, None, None]:
    """Yield the results of tasks in the order of `items`.

    Parameters
    ----------
    call, items, workers, shared, at_once
        As for `as_completed`.
    checkpoint
        Where results are saved as they complete, and read from if they are already there.

    Examples
    --------
    >>> from weatherglass.tasks import executor
    >>> with executor(2, threads=True) as workers:
    ...     list(run(abs, [-3, 2, -1], workers))
    [3, 2, 1]
    """
    saved = checkpoint.found if checkpoint is not None else frozenset()
    waiting: dict[int, R] = {}  # completed before their turn
    left = ((k, item) for k, item in enumerate(items) if k not in saved)
    results = _as_completed(call, left, workers, shared, at_once)
    with contextlib.closing(results):
        for turn in count():
            if checkpoint is not None and turn in saved:
                yield checkpoint.load(turn)
                continue
            while turn not in waiting:
                completed = next(results, None)
                if completed is None:
                    return
                index, result = completed
                if checkpoint is not None:
                    checkpoint.save(index, result)
                waiting[index] = result
            yield waiting.pop(turn)
