"""Work outside the event loop: every question is a job, asked once and remembered.

A question that is asked again while it is being answered waits for the same job; an answer that is
known is given at once. A job that outlasts the patience of the page goes on with progress and a
cancel button.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from weatherglass._files import cpu_count
from weatherglass.errors import WeatherglassError

from .settings import Settings

T = TypeVar("T")
LONG_WORKERS = 2


class Cancelled(WeatherglassError):
    """The job was cancelled, or took too long."""


class Busy(WeatherglassError):
    """Too much is under way already."""


class UnknownJob(WeatherglassError):
    """No job has that id: the server was started anew, or it was long ago."""


class Working(Exception):  # no error: the answer takes a while
    """The answer is not there yet."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.what)
        self.job = job


@dataclass(eq=False)
class Job:
    """One piece of work.

    Work is a function of the job's `report`, which it calls with what is done and what there is in
    all, as often as it can: that is where a cancelled job ends.
    """

    key: Hashable
    what: str
    seconds: float
    is_long: bool = False
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    done: int = 0
    total: int = 0
    future: Future[Any] = field(default_factory=Future)
    began: float | None = None
    _stopped: str = ""
    _first: tuple[float, int, int] | None = None

    def report(self, done: int, total: int, now: str = "") -> None:
        """Say how far the work is; raises `Cancelled` where it shall end."""
        if self.began is not None and time.monotonic() - self.began > self.seconds:
            self.stop(f"This took more than {self.seconds:.0f} seconds, and was stopped.")
        if self._stopped:
            raise Cancelled(self._stopped)
        if total and (self._first is None or self._first[2] != total):
            self._first = time.monotonic(), done, total
        self.done, self.total = done, total
        self.what = now or self.what

    def stop(self, why: str) -> None:
        """Let nobody wait any longer; the work itself ends at its next report."""
        self._stopped = why
        with suppress(Exception):  # it may have ended just now
            self.future.set_exception(Cancelled(why))

    def run(self, work: Callable[..., Any]) -> None:
        """Do the work, in a thread of its own."""
        self.began = time.monotonic()
        try:
            self.report(0, 0)
            made = work(self.report)
        except BaseException as error:
            with suppress(Exception):
                self.future.set_exception(error)
        else:
            with suppress(Exception):
                self.future.set_result(made)

    @property
    def left(self) -> float | None:
        """Seconds that it will take at the speed so far; None while that cannot be said."""
        if self._first is None or self.is_over:
            return None
        start, first, total = self._first
        took, done = time.monotonic() - start, self.done - first
        return took * (total - self.done) / done if took > 1 and done > 0 else None

    @property
    def is_over(self) -> bool:
        """Whether there is an answer, or will be none."""
        return self.future.done()

    @property
    def has_failed(self) -> bool:
        """Whether there will be no answer."""
        return self.is_over and self.future.exception() is not None


class Jobs:
    """All jobs of a server."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._quick = ThreadPoolExecutor(max(2, cpu_count()), "ask")
        self._long = ThreadPoolExecutor(LONG_WORKERS, "job")
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._by_id: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()

    def start(
        self, key: Hashable, what: str, work: Callable[..., T], *, is_long: bool = False
    ) -> Job:
        """The job that answers a question: the one there is, or a new one.

        Parameters
        ----------
        key
            The whole question with the fingerprints of its sources: equal keys, equal answers.
        what
            What a person reads while it runs, such as ``"Measuring"``.
        work
            Called with `Job.report` in another thread.
        is_long
            Whether it may take more than a second or so; these do not stand in the way of others.

        Raises
        ------
        Busy
            Too much is under way.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                self._jobs.move_to_end(key)
                return job
            going = [one for one in self._jobs.values() if not one.is_over]
            longs = sum(one.is_long for one in going)
            if len(going) >= self.settings.waiting or (
                is_long and longs >= self.settings.long_jobs
            ):
                raise Busy("The server is busy with other questions; try again in a moment.")
            job = Job(key, what, self.settings.seconds, is_long)
            self._jobs[key] = self._by_id[job.id] = job
            self._forget()
        (self._long if is_long else self._quick).submit(job.run, work)
        return job

    async def answer(
        self,
        key: Hashable,
        what: str,
        work: Callable[..., T],
        *,
        is_long: bool = False,
        job: str = "",
        patience: float | None = None,
    ) -> T:
        """The answer to a question, if it is there within the patience of a page.

        Parameters are those of `start`, and `job`: the job that a page is waiting for, so that one
        which was cancelled is not begun anew.

        Raises
        ------
        Working
            It takes longer.
        Cancelled
            The job was cancelled, or took too long.
        """
        known = self._by_id.get(job)
        if known is not None and known.key == key and known.has_failed:
            self._drop(known)
            known.future.result()
        found = self.start(key, what, work, is_long=is_long)
        if not found.is_over:
            wait = self.settings.patience if patience is None else patience
            waiting = asyncio.wrap_future(_follow(found.future))
            await asyncio.wait([waiting], timeout=wait)
        if not found.is_over:
            if found.began and time.monotonic() - found.began > found.seconds:
                found.stop(f"This took more than {found.seconds:.0f} seconds, and was stopped.")
            raise Working(found)
        if found.has_failed:
            self._drop(found)
        made: T = found.future.result()
        return made

    def find(self, id: str) -> Job:
        """A job by its id."""
        if id not in self._by_id:
            raise UnknownJob("There is no such job; the server may have been started anew.")
        return self._by_id[id]

    def cancel(self, id: str) -> Job:
        """End a job; a finished one stays as it is."""
        job = self.find(id)
        if not job.is_over:
            job.stop("This was cancelled.")
            self._drop(job)
        return job

    def of(self, kind: str) -> list[Job]:
        """The jobs whose key begins with a word, without those that failed; the latest first."""
        with self._lock:
            known = [
                one
                for key, one in self._jobs.items()
                if isinstance(key, tuple) and key[:1] == (kind,) and not one.has_failed
            ]
        return known[::-1]

    def close(self) -> None:
        """End everything."""
        for job in list(self._by_id.values()):
            if not job.is_over:
                job.stop("The server was stopped.")
        for pool in (self._quick, self._long):
            pool.shutdown(wait=False, cancel_futures=True)

    def _drop(self, job: Job) -> None:
        """Let the same question be asked anew; the id still says what became of the job."""
        with self._lock:
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]

    def _forget(self) -> None:
        """Keep no more answers than were allowed, the latest ones."""
        spare = len(self._jobs) - self.settings.remembered
        for key in [key for key, one in self._jobs.items() if one.is_over][: max(0, spare)]:
            del self._jobs[key]
        for id in list(self._by_id)[: max(0, len(self._by_id) - 2 * self.settings.remembered)]:
            if self._by_id[id].is_over:
                del self._by_id[id]


def _follow(future: Future[Any]) -> Future[Any]:
    """A future that ends with another and cannot end it: a reader who leaves cancels nothing."""
    heard: Future[None] = Future()

    def tell(_: Future[Any]) -> None:
        with suppress(Exception):
            heard.set_result(None)

    future.add_done_callback(tell)
    return heard
