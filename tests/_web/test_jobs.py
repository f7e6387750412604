"""Work outside the event loop: asked once, remembered, cancelled, limited."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from weatherglass._web.jobs import Busy, Cancelled, Jobs, UnknownJob, Working
from weatherglass._web.settings import Settings
from weatherglass.errors import CannotMeasure


@pytest.fixture
def made():
    jobs = []

    def make(**options):
        jobs.append(Jobs(Settings(**options)))
        return jobs[-1]

    yield make
    for one in jobs:
        one.close()


def waiting_on(event):
    def work(report):
        for _ in range(2000):
            report(1, 2)
            if event.wait(0.01):
                return "done"
        return "late"

    return work


def test_equal_questions_are_computed_once_and_remembered(made):
    jobs, calls = made(), []

    def work(report):
        time.sleep(0.05)
        calls.append(1)
        return 7

    async def ask():
        return await asyncio.gather(*(jobs.answer("key", "Counting", work) for _ in range(50)))

    assert asyncio.run(ask()) == [7] * 50
    assert asyncio.run(ask()) == [7] * 50
    assert calls == [1]


def test_what_takes_longer_than_a_page_waits_becomes_a_job(made):
    jobs, gate = made(wait_seconds=0.05), threading.Event()

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


def test_a_cancelled_job_ends_and_is_only_begun_anew_by_a_new_question(made):
    jobs, gate = made(wait_seconds=0.05), threading.Event()

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


def test_a_reader_who_leaves_cancels_nothing(made):
    jobs, gate = made(), threading.Event()

    async def ask():
        reader = asyncio.create_task(jobs.answer("key", "Counting", waiting_on(gate), wait_seconds=5))
        await asyncio.sleep(0.05)
        reader.cancel()
        gate.set()
        return await jobs.answer("key", "Counting", waiting_on(gate), wait_seconds=5)

    assert asyncio.run(ask()) == "done"


def test_an_error_is_told_and_not_remembered(made):
    jobs, answers = made(), iter([CannotMeasure("no"), 3])

    def work(report):
        given = next(answers)
        if isinstance(given, Exception):
            raise given
        return given

    async def ask():
        with pytest.raises(CannotMeasure):
            await jobs.answer("key", "Counting", work)
        return await jobs.answer("key", "Counting", work)

    assert asyncio.run(ask()) == 3


def test_a_job_that_takes_too_long_is_stopped(made):
    jobs, gate = made(job_seconds=0.05), threading.Event()

    async def ask():
        with pytest.raises(Cancelled, match="more than 0 seconds"):
            await jobs.answer("key", "Counting", waiting_on(gate), wait_seconds=5)

    asyncio.run(ask())


def test_no_more_than_so_many_long_jobs(made):
    jobs, gate = made(max_long_jobs=2), threading.Event()
    for key in "ab":
        jobs.start(key, "Counting", waiting_on(gate), is_long=True)
    with pytest.raises(Busy):
        jobs.start("c", "Counting", waiting_on(gate), is_long=True)
    assert jobs.start("a", "Counting", waiting_on(gate), is_long=True).what == "Counting"
    jobs.start("quick", "Counting", lambda report: 1)
    gate.set()


def test_only_the_latest_answers_are_kept(made):
    jobs, calls = made(max_answers=3), []

    async def ask(key):
        return await jobs.answer(key, "Counting", lambda report: calls.append(key))

    for key in "abcdea":
        asyncio.run(ask(key))
    assert calls == [*"abcdea"]
    asyncio.run(ask("e"))
    assert calls == [*"abcdea"]


def test_an_unknown_job_is_told_in_a_sentence(made):
    with pytest.raises(UnknownJob, match="no such job"):
        made().find("x")
