"""Many waiting questions: answered together in a process, with the same answers as singly."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest

from weatherglass._web.ask.answer import MeasuredTest, answer_together
from weatherglass._web.ask.page import render_answer_page
from weatherglass._web.ask.question import Question
from weatherglass._web.jobs import MAX_TOGETHER, MIN_TOGETHER, Cancelled, Jobs, Together
from weatherglass._web.session import Session, SharedContext
from weatherglass._web.settings import Settings
from weatherglass._web.sources import Sources
from weatherglass._web.upload import Uploads
from weatherglass.errors import CannotMeasure
from weatherglass.vectors import open_vectors

from .conftest import open_client

SETS = ("rose lily tulip daisy", "wasp gnat moth flea", "kind good", "foul bad")


class Crowd:
    """Jobs whose threads are all busy until the gate opens, so that other jobs wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.jobs, self.gate, self.sizes = Jobs(Settings(), has_processes=False), Gate(), []
        monkeypatch.setattr(self.jobs, "call", self.call)
        self.gate.close(self.jobs)

    def call(self, report, function, context, questions, *, receive):
        """Call a function in this process, and note how many questions it gets."""
        self.sizes.append(len(questions))
        report(0, 0)
        for answer in function(report, context, questions):
            receive(answer)

    def ask(self, k, function, context="context"):
        together = Together(function, context, k, lambda answer: ("together", answer))
        return self.jobs.start(
            ("square", k), "Counting", lambda _: ("singly", k * k), together=together
        )


class Gate:
    def __init__(self) -> None:
        self.event, self.entered = threading.Event(), threading.Semaphore(0)

    def work(self, report):
        self.entered.release()
        assert self.event.wait(60)

    def close(self, jobs: Jobs) -> None:
        for k in range(jobs._n_quick):
            jobs.start(("busy", k), "Waiting", self.work)
        for _ in range(jobs._n_quick):
            assert self.entered.acquire(timeout=60)


@pytest.fixture
def crowd(monkeypatch):
    made = Crowd(monkeypatch)
    yield made
    made.gate.event.set()
    made.jobs.close()


def square(report, context, questions):
    return [CannotMeasure("Five has no square.") if k == 5 else k * k for k in questions]


def fail(report, context, questions):
    raise MemoryError


def fail_at_third(report, context, questions):
    yield from [k * k for k in questions[:2]]
    raise MemoryError


def test_waiting_questions_are_answered_together_each_with_its_own_answer_or_error(crowd):
    asked = [crowd.ask(k, square) for k in range(2 * MAX_TOGETHER)]
    crowd.gate.event.set()
    for k, job in enumerate(asked):
        if k == 5:
            with pytest.raises(CannotMeasure, match="Five has no square"):
                job.future.result(60)
        else:
            assert job.future.result(60)[1] == k * k
    assert sum(job.future.result()[0] == "together" for k, job in enumerate(asked) if k != 5) > 8
    assert max(crowd.sizes) <= MAX_TOGETHER
    assert min(crowd.sizes) >= MIN_TOGETHER


def test_few_waiting_questions_are_answered_in_threads(crowd):
    asked = [crowd.ask(k, square) for k in range(MIN_TOGETHER - 1)]
    crowd.gate.event.set()
    assert [job.future.result(60) for job in asked] == [("singly", k * k) for k in range(5)]


def test_questions_of_another_context_are_not_answered_with_them(crowd):
    asked = [crowd.ask(k, square, context=k % 3) for k in range(3 * (MIN_TOGETHER - 1))]
    crowd.gate.event.set()
    assert {job.future.result(60)[0] for job in asked} == {"singly"}


def test_where_the_process_fails_each_question_is_answered_singly(crowd):
    asked = [crowd.ask(k, fail) for k in range(MIN_TOGETHER)]
    crowd.gate.event.set()
    assert [job.future.result(60) for job in asked] == [("singly", k * k) for k in range(6)]


def test_answers_before_a_failure_are_kept_and_the_rest_answered_singly(crowd):
    asked = [crowd.ask(k, fail_at_third) for k in range(MIN_TOGETHER)]
    crowd.gate.event.set()
    kinds = [job.future.result(60)[0] for job in asked]
    assert kinds == ["together"] * 2 + ["singly"] * 4
    assert [job.future.result()[1] for job in asked] == [k * k for k in range(6)]


def test_an_answer_is_there_before_the_questions_after_it_are_answered(crowd):
    release = threading.Event()

    def answer(report, context, questions):
        yield questions[0]
        assert release.wait(60)
        yield from questions[1:]

    asked = [crowd.ask(k, answer) for k in range(MIN_TOGETHER)]
    crowd.gate.event.set()
    assert asked[0].future.result(60) == ("together", 0)
    assert not asked[1].is_over
    release.set()
    assert asked[5].future.result(60) == ("together", 5)


def test_a_cancelled_question_stays_cancelled_and_the_others_are_answered(crowd):
    asked = [crowd.ask(k, square) for k in range(10, 20)]
    crowd.jobs.cancel(asked[2].id)
    crowd.gate.event.set()
    for k, job in enumerate(asked, 10):
        if job is not asked[2]:
            assert job.future.result(60)[1] == k * k
    with pytest.raises(Cancelled, match=r"This was cancelled\."):
        asked[2].future.result()


def open_session(path: str) -> Session:
    settings = Settings(sources=())
    jobs = Jobs(settings, has_processes=False)
    session = Session(settings, jobs, Sources(settings, jobs), Uploads(settings))
    session.sources.add(path, vectors=open_vectors(path))
    return session


def test_pages_rendered_together_are_those_rendered_singly(tiny):
    session = open_session(tiny)
    context = SharedContext.of(session)
    asked = [
        MeasuredTest(question, question.build_test(session.settings))
        for drop in ("rose", "lily", "tulip")
        for question in [
            Question(("tiny.txt",), sets=(SETS[0].replace(drop, "").strip(), *SETS[1:]))
        ]
    ]
    ignore = lambda *progress: None  # noqa: E731
    answered = answer_together(ignore, context, [(test, render_answer_page) for test in asked])
    vectors = {"tiny.txt": session.sources.find("tiny.txt").vectors}
    for test, (results, pages) in zip(asked, answered, strict=True):
        alone = test.answer(ignore, vectors)
        assert results["tiny.txt"].effect == alone.results["tiny.txt"].effect
        assert results["tiny.txt"].influence == alone.results["tiny.txt"].influence
        expected = render_answer_page(session, alone)
        assert pages == alone.pages
        assert list(pages.values()) == [expected]


def test_a_server_with_uploads_answers_no_questions_together(tiny, tmp_path):
    session = open_session(tiny)
    session.sources.add(str(tmp_path / "own.txt"), "own.txt", is_upload=True)
    assert SharedContext.of(session) is None


@pytest.mark.slow
def test_many_readers_at_once_get_the_answers_that_each_would_get_alone(tiny, as_browser):
    words = SETS[0].split() + SETS[1].split()
    asked = []
    for pair in itertools.combinations(words, 2):
        others = " ".join(word for word in words if word not in pair)
        asked.append(urlencode({"x": " ".join(pair), "y": others, "a": SETS[2], "b": SETS[3]}))
    with open_client(Settings(sources=(tiny,), wait_seconds=600)) as client:
        client.get("/api/ask", params=dict(zip("xyab", SETS, strict=True)))
        jobs = client.app.app.state.session.jobs
        sizes, call, gate = [], jobs.call, Gate()

        def note_call(report, function, *arguments, **options):
            sizes.append(len(arguments[1]))
            return call(report, function, *arguments, **options)

        jobs.call = note_call
        gate.close(jobs)
        with ThreadPoolExecutor(len(asked)) as pool:
            read = lambda query: client.get(f"/?{query}", headers=as_browser())  # noqa: E731
            started = [pool.submit(read, query) for query in asked]
            for _ in range(6000):
                if len(jobs._waiting) == len(asked):
                    break
                time.sleep(0.01)
            gate.event.set()
            pages = [page.result() for page in started]
        assert {page.status_code for page in pages} == {200}
        assert max(sizes) >= MIN_TOGETHER
    with open_client(Settings(sources=(tiny,), wait_seconds=600)) as client:
        for query, page in zip(asked, pages, strict=True):
            alone = client.get(f"/?{query}", headers=as_browser())
            assert page.text == alone.text
