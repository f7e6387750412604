"""Jobs: run once, remembered, cancelled, limited."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from weatherglass._web.jobs import Busy, Cancelled, Jobs, UnknownJob, Working
from weatherglass._web.settings import Settings
from weatherglass.errors import CannotMeasure


@pytest.fixture
def new_jobs():
    jobs = []

    def make(**options):
        jobs.append(Jobs(Settings(**options)))
        return jobs[-1]

    yield make
    for job in jobs:
        job.close()


def waiting_on(event):
    def work(report):
        for _ in range(2000):
            report(1, 2)
            if event.wait(0.01):
                return "done"
        return "late"

    return work


def test_equal_questions_run_one_job_and_its_answer_is_remembered(new_jobs):
    jobs, calls = new_jobs(), []

    def work(report):
        time.sleep(0.05)
        calls.append(1)
        return 7

    async def ask():
        return await asyncio.gather(*(jobs.answer("key", "Counting", work) for _ in range(50)))

    assert asyncio.run(ask()) == [7] * 50
    assert asyncio.run(ask()) == [7] * 50
    assert calls == [1]


def test_an_answer_that_takes_longer_than_a_page_waits_becomes_a_job(new_jobs):
    jobs, gate = new_jobs(wait_seconds=0.05), threading.Event()

    async def ask():
        with pytest.raises(Working) as still:
            await jobs.answer("key", "Counting", waiting_on(gate))
        job = still.value.job
        assert jobs.find(job.id) is job
        gate.set()
        while not job.is_over:
            await asyncio.sleep(0.01)
        assert (job.done, job.total) == (1, 2)
        return await jobs.answer("key", "Counting", waiting_on(gate), job=job.id)

    assert asyncio.run(ask()) == "done"


def test_a_cancelled_job_is_only_started_again_by_a_new_question(new_jobs):
    jobs, gate = new_jobs(wait_seconds=0.05), threading.Event()

    async def ask():
        with pytest.raises(Working) as still:
            await jobs.answer("key", "Counting", waiting_on(gate), is_long=True)
        id = still.value.job.id
        jobs.cancel(id)
        assert jobs.find(id).has_failed
        with pytest.raises(Cancelled):  # the page that waited hears of it
            await jobs.answer("key", "Counting", waiting_on(gate), is_long=True, job=id)
        gate.set()
        return await jobs.answer("key", "Counting", waiting_on(gate), is_long=True, wait_seconds=5)

    assert asyncio.run(ask()) == "done"


def test_a_reader_who_leaves_does_not_cancel_the_job(new_jobs):
    jobs, gate = new_jobs(), threading.Event()

    async def ask():
        reader = asyncio.create_task(
            jobs.answer("key", "Counting", waiting_on(gate), wait_seconds=5)
        )
        await asyncio.sleep(0.05)
        reader.cancel()
        gate.set()
        return await jobs.answer("key", "Counting", waiting_on(gate), wait_seconds=5)

    assert asyncio.run(ask()) == "done"


def test_an_error_is_raised_and_not_remembered(new_jobs):
    jobs, answers = new_jobs(), iter([CannotMeasure("no"), 3])

    def work(report):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ask():
        with pytest.raises(CannotMeasure):
            await jobs.answer("key", "Counting", work)
        return await jobs.answer("key", "Counting", work)

    assert asyncio.run(ask()) == 3


def test_a_job_over_its_time_limit_is_cancelled(new_jobs):
    jobs, gate = new_jobs(job_seconds=0.05), threading.Event()

    async def ask():
        with pytest.raises(Cancelled, match="longer than 0 seconds"):
            await jobs.answer("key", "Counting", waiting_on(gate), wait_seconds=5)

    asyncio.run(ask())


def test_long_jobs_over_the_limit_are_refused(new_jobs):
    jobs, gate = new_jobs(max_long_jobs=2), threading.Event()
    for key in "ab":
        jobs.start(key, "Counting", waiting_on(gate), is_long=True)
    with pytest.raises(Busy):
        jobs.start("c", "Counting", waiting_on(gate), is_long=True)
    assert jobs.start("a", "Counting", waiting_on(gate), is_long=True).what == "Counting"
    jobs.start("quick", "Counting", lambda report: 1)
    gate.set()


def test_only_the_latest_answers_are_remembered(new_jobs):
    jobs, calls = new_jobs(max_answers=3), []

    async def ask(key):
        return await jobs.answer(key, "Counting", lambda report: calls.append(key))

    for key in "abcdea":
        asyncio.run(ask(key))
    assert calls == [*"abcdea"]
    asyncio.run(ask("e"))
    assert calls == [*"abcdea"]


def test_an_unknown_job_id_raises_an_error(new_jobs):
    with pytest.raises(UnknownJob, match="no such job"):
        new_jobs().find("x")
