"""Work outside the event loop: each question is a job, run once and remembered.

A question that is asked again while its job runs waits for the same job; a known answer is returned
at once. A job that takes longer than a page waits goes on with a progress bar and a cancel button.

Quick work runs in threads. Whatever parses a file or runs long is passed to `Jobs.call`, which runs
it in a process of its own: a cancelled job, or one over its limits, is killed there at once. Where
many quick questions of one kind wait, a process answers several of them together (`Together`), so
that all processors are used: in threads, only one of them would run at a time.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from weatherglass._files import cpu_count
from weatherglass.errors import WeatherglassError
from weatherglass.tasks import IsolatedCalls, ProcessDied

from .settings import LONG_WORKERS, Settings

T = TypeVar("T")
PRELOAD = ("weatherglass._web.preload",)


MIN_TOGETHER, MAX_TOGETHER = 6, 64
"""How many waiting questions are worth a process, and how many it answers at most."""

CROWD_WAITS = 3
"""How many times `wait_seconds` a question waits in addition while so many others wait."""


class Cancelled(WeatherglassError):
    """The job was cancelled, or exceeded its time limit."""


class Busy(WeatherglassError):
    """Too many jobs are under way."""


class UnknownJob(WeatherglassError):
    """No job has this id: the server was restarted, or the job has been forgotten."""


@dataclass(frozen=True, eq=False)
class Together:
    """How a question can be answered in a process, together with others of its kind.

    Parameters
    ----------
    function
        A generator, called in a process with the `report` of `Jobs.call`, the `context` and the
        questions; yields for each question an answer or an error.
    context
        What the questions have in common: those with equal contexts are answered together.
    question
        What the function needs to know about this question.
    complete
        Called with an answer of the function; returns the result of the job.
    """

    function: Callable[..., Iterable[Any]]
    context: Hashable
    question: Any
    complete: Callable[[Any], Any]


class Working(Exception):  # not an error: the route answers 202 with the progress
    """The job has not finished yet."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.what)
        self.job = job


@dataclass(eq=False)
class Job:
    """A function that runs in another thread, with its progress and its result.

    The function is called with the job's `report` and calls it with the steps done and the steps in
    total as often as it can: a cancelled job ends at its next report.
    """

    key: Hashable
    what: str
    seconds: float
    is_long: bool = False
    together: Together | None = None
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    done: int = 0
    total: int = 0
    future: Future[Any] = field(default_factory=Future)
    started: float | None = None
    _stop_reason: str = ""
    _first_report: tuple[float, int, int] | None = None

    def report(self, done: int, total: int, now: str = "") -> None:
        """Record the progress; raise `Cancelled` if the job was stopped or is out of time."""
        if self.is_overdue:
            self.stop(self.timeout_message)
        if self._stop_reason:
            raise Cancelled(self._stop_reason)
        # A new total is a new phase of the work, with a speed of its own.
        if total and (self._first_report is None or self._first_report[2] != total):
            self._first_report = time.monotonic(), done, total
        self.done, self.total = done, total
        self.what = now or self.what

    def stop(self, reason: str) -> None:
        """Fail the job at once; the function itself ends at its next report."""
        self._stop_reason = reason
        with suppress(Exception):  # the job may have finished just now
            self.future.set_exception(Cancelled(reason))

    def run(self, work: Callable[..., Any]) -> None:
        """Call the function and keep its result; to be run in a worker thread."""
        self.started = time.monotonic()
        try:
            if not self.is_long:  # the work of a long job begins with a report, and cleans up
                self.report(0, 0)
            result = work(self.report)
        except BaseException as error:
            self.end(error)
        else:
            self.end(result)

    def end(self, result: Any) -> None:
        """Keep the result, or the error that the function raised."""
        with suppress(Exception):  # the job may have been stopped just now
            if isinstance(result, BaseException):
                self.future.set_exception(result)
            else:
                self.future.set_result(result)

    @property
    def left(self) -> float | None:
        """Estimated seconds left at the speed so far; None while there is no estimate."""
        if self._first_report is None or self.is_over:
            return None
        start, first, total = self._first_report
        elapsed, done = time.monotonic() - start, self.done - first
        return elapsed * (total - self.done) / done if elapsed > 1 and done > 0 else None

    @property
    def is_over(self) -> bool:
        """Whether the job has finished, failed or was cancelled."""
        return self.future.done()

    @property
    def has_failed(self) -> bool:
        """Whether the job ended without a result."""
        return self.is_over and self.future.exception() is not None

    @property
    def is_overdue(self) -> bool:
        """Whether the job has run longer than its time limit."""
        return self.started is not None and time.monotonic() - self.started > self.seconds

    @property
    def timeout_message(self) -> str:
        """The reason given when the time limit is exceeded."""
        return f"This took longer than {self.seconds:.0f} seconds and was cancelled."


class Jobs:
    """All jobs of a server; the processes of its jobs have jobs without processes."""

    def __init__(self, settings: Settings, *, has_processes: bool = True) -> None:
        self.settings = settings
        self._calls: IsolatedCalls | None = None
        if has_processes:
            self._calls = IsolatedCalls(
                max_bytes=settings.job_bytes(), max_seconds=settings.job_seconds, preload=PRELOAD
            )
        self._n_quick = max(2, cpu_count())
        self._quick = ThreadPoolExecutor(self._n_quick, "ask")
        self._long = ThreadPoolExecutor(LONG_WORKERS, "job")
        self._background = ThreadPoolExecutor(1, "background")
        self._waiting: OrderedDict[Job, Callable[..., Any]] = OrderedDict()
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._by_id: OrderedDict[str, Job] = OrderedDict()
        self._running: set[Job] = set()
        self._running_long: set[Job] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def start(
        self,
        key: Hashable,
        what: str,
        work: Callable[..., T],
        *,
        is_long: bool = False,
        is_background: bool = False,
        together: Together | None = None,
    ) -> Job:
        """Return the job of a question, starting it if there is none.

        Parameters
        ----------
        key
            The whole question with the fingerprints of its sources; equal keys have equal answers.
        what
            What the page shows while it runs, such as ``"Measuring"``.
        work
            Called with `Job.report` in another thread.
        is_long
            Whether it may take more than about a second. Long jobs have their own workers, so that
            quick ones need not wait for them.
        is_background
            Whether nobody asked for it yet. Such jobs run one after another, on a worker of their
            own, so that no other job waits for them.
        together
            How a quick job can be done together with others, where many wait; the same result.

        Raises
        ------
        Busy
            Too many jobs are under way.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is not None:
                self._jobs.move_to_end(key)
                return job
            if self._is_closed:
                raise Busy("The server is being stopped.")
            if len(self._running) >= self.settings.max_jobs or (
                is_long and len(self._running_long) >= self.settings.max_long_jobs
            ):
                raise Busy("The server is busy with other questions; try again in a moment.")
            job = Job(key, what, self.settings.job_seconds, is_long, together)
            self._jobs[key] = self._by_id[job.id] = job
            self._running.add(job)
            if is_long:
                self._running_long.add(job)
            job.future.add_done_callback(partial(self._count_out, job))
            self._forget()
            pool = self._background if is_background else self._long if is_long else self._quick
            if together is not None:
                self._waiting[job] = work
            pool.submit(self._run, job, work)
        return job

    def _run(self, job: Job, work: Callable[..., Any]) -> None:
        """Run a job in a worker thread, together with others of its kind if many are waiting."""
        if job.together is None:
            job.run(work)
            return
        taken = self._take_waiting(job, job.together)
        if len(taken) >= MIN_TOGETHER:
            self._run_together(taken)
        else:
            for job, work in taken.items():
                job.run(work)

    def _take_waiting(self, first: Job, kind: Together) -> dict[Job, Callable[..., Any]]:
        """Return what is to be done with a job; nothing if another thread has taken it already."""
        with self._lock:
            if first not in self._waiting:
                return {}
            alike = [
                job
                for job in self._waiting
                if job.together is not None and job.together.context == kind.context
            ]
            # Equal parts, so that no thread is idle while another has much to do.
            size = min(MAX_TOGETHER, max(MIN_TOGETHER, len(alike) // self._n_quick))
            chosen = alike[:size] if len(alike) >= MIN_TOGETHER else [first]
            return {job: self._waiting.pop(job) for job in chosen}

    def _run_together(self, taken: Mapping[Job, Callable[..., Any]]) -> None:
        """Do jobs together, in a process, or one after another if that fails."""
        kinds = [job.together for job in taken if job.together is not None]
        for job in taken:
            job.started = time.monotonic()

        def report(done: int, total: int, now: str = "") -> None:
            for job in taken:
                with suppress(Cancelled):
                    job.report(done, total, now)
            if all(job.is_over for job in taken):
                raise Cancelled("All of these jobs were cancelled.")

        waiting = iter(zip(taken, kinds, strict=True))

        def receive(answer: Any) -> None:
            job, kind = next(waiting)
            job.end(answer if isinstance(answer, Exception) else kind.complete(answer))

        questions = [kind.question for kind in kinds]
        with suppress(Exception):  # whichever is the reason, the others do not fail with it
            self.call(report, kinds[0].function, kinds[0].context, questions, receive=receive)
        for job, work in taken.items():
            if not job.is_over:
                job.run(work)

    async def answer(
        self,
        key: Hashable,
        what: str,
        work: Callable[..., T],
        *,
        is_long: bool = False,
        job: str = "",
        wait_seconds: float | None = None,
        together: Together | None = None,
    ) -> T:
        """Return the answer to a question, if its job finishes within `wait_seconds`.

        The other parameters are those of `start`, and `job`: the id of the job that a page is
        waiting for, so that a cancelled job is not started again.

        Raises
        ------
        Working
            The job needs more time.
        Cancelled
            The job was cancelled, or exceeded its time limit.
        """
        awaited = self._by_id.get(job)
        if awaited is not None and awaited.key == key and awaited.has_failed:
            self._drop(awaited)
            awaited.future.result()
        current = self.start(key, what, work, is_long=is_long, together=together)
        if not current.is_over:
            timeout = self.settings.wait_seconds if wait_seconds is None else wait_seconds
            end = asyncio.wrap_future(_follow(current.future))
            await asyncio.wait([end], timeout=timeout)
            if together is not None and len(self._waiting) >= MIN_TOGETHER:
                # Rendering a page that waits takes as long as answering the question.
                await asyncio.wait([end], timeout=CROWD_WAITS * timeout)
        if not current.is_over:
            if current.is_overdue:
                current.stop(current.timeout_message)
            raise Working(current)
        if current.has_failed:
            self._drop(current)
        result: T = current.future.result()
        return result

    def call(
        self,
        report: Callable[..., None],
        function: Callable[..., T],
        *arguments: Any,
        check: Callable[[], None] | None = None,
        cache: Path | None = None,
        receive: Callable[[Any], None] | None = None,
    ) -> T:
        """Return ``function(report, *arguments)``, called in a process that can be killed.

        To be called from the work of a long job, with the `report` of that job: the process is
        killed when the job is cancelled. The other parameters are those of `IsolatedCalls.call`.
        """
        if self._calls is None:
            raise ProcessDied("A process of a job cannot start others.")
        return self._calls.call(
            report, function, *arguments, check=check, cache=cache, receive=receive
        )

    def start_processes(self) -> None:
        """Prepare for the first `call`, so that it need not wait for imports."""
        if self._calls is not None:
            self._calls.start()

    def find(self, id: str) -> Job:
        """Return a job by its id."""
        if id not in self._by_id:
            raise UnknownJob("There is no such job; the server may have been restarted.")
        return self._by_id[id]

    def cancel(self, id: str) -> Job:
        """Cancel a job; a finished job stays as it is."""
        job = self.find(id)
        if not job.is_over:
            job.stop("This was cancelled.")
            self._drop(job)
        return job

    def of_kind(self, kind: str) -> list[Job]:
        """Return the jobs whose key begins with `kind`, except failed ones; the latest first."""
        with self._lock:
            jobs = [
                job
                for key, job in self._jobs.items()
                if isinstance(key, tuple) and key[:1] == (kind,) and not job.has_failed
            ]
        return jobs[::-1]

    def close(self) -> None:
        """Cancel all jobs, kill their processes and end the worker threads."""
        with self._lock:
            self._is_closed = True
            jobs = list(self._by_id.values())
        for job in jobs:
            if not job.is_over:
                job.stop("The server was stopped.")
        if self._calls is not None:
            self._calls.close()
        for pool in (self._quick, self._long, self._background):
            pool.shutdown(wait=False, cancel_futures=True)

    def _count_out(self, job: Job, _: Future[Any]) -> None:
        """Count a job no longer as running."""
        self._running.discard(job)
        self._running_long.discard(job)

    def _drop(self, job: Job) -> None:
        """Let the same question start a new job; the id still leads to the old one."""
        with self._lock:
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]

    def _forget(self) -> None:
        """Forget the oldest answers where there are more than `max_answers`."""
        excess = len(self._jobs) - self.settings.max_answers
        if excess > 0:
            over = (key for key, job in self._jobs.items() if job.is_over)
            for key in list(islice(over, excess)):
                del self._jobs[key]
        # Ids are kept for longer: a page may still ask how its job ended.
        excess = len(self._by_id) - 2 * self.settings.max_answers
        if excess > 0:
            for id in list(islice(self._by_id, excess)):
                if self._by_id[id].is_over:
                    del self._by_id[id]


def _follow(future: Future[Any]) -> Future[None]:
    """Return a future that ends with `future`; cancelling it, as a reader leaves, has no effect."""
    end: Future[None] = Future()

    def finish(_: Future[Any]) -> None:
        with suppress(Exception):
            end.set_result(None)

    future.add_done_callback(finish)
    return end
