"""The jobs that answer a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weatherglass.catalog import Test
from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.measures import Influence, Results, WeatResult, weat
from weatherglass.tasks import single_threaded_blas
from weatherglass.vectors import Vectors, fit_control

from ..jobs import Together
from ..session import Session, SharedContext
from ..sources import SourceReference, fingerprints, open_all
from .question import Question

MAX_QUICK_TARGETS = 52
"""Targets whose partitions are counted in about a second; larger tests are long jobs."""

MIN_WORDS_LEFT = {"X": 2, "Y": 2, "A": 1, "B": 1}
"""Words that stay in each set, however influential."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The results of a question, source by source; `vectors` are what they were measured on."""

    question: Question
    test: Test
    results: Mapping[str, WeatResult]
    vectors: Mapping[str, Vectors]
    pages: dict[tuple[str, ...], str] = field(default_factory=dict, repr=False)
    """The page with this answer, by the names of the sources that it lists."""

    complete: dict[str, WeatResult] = field(default_factory=dict, repr=False)
    """The results with all evidence, by source, once it has been collected."""

    dropped: tuple[tuple[str, str], ...] = ()
    """The most influential words that were left out, each with its set."""

    @property
    def key(self) -> tuple[object, ...]:
        """What distinguishes this answer from others, for the key of a job."""
        return (self.question, *(vectors.fingerprint for vectors in self.vectors.values()))

    @property
    def done(self) -> dict[str, WeatResult]:
        """The results that have numbers."""
        return {name: result for name, result in self.results.items() if result.status == "done"}

    def result_set(self) -> Results:
        """Return all results as a result set."""
        return Results.of(self.results.values())


Render = Callable[[Session, Answer], str]
"""A function at module level that renders the page of an answer and remembers it in `pages`."""


async def answer_question(
    session: Session,
    question: Question,
    job: str = "",
    wait_seconds: float | None = None,
    render: Render | None = None,
) -> Answer:
    """Run the test of a question on its sources.

    A quick test is run without the evidence that takes twenty times as long as the effect and its
    p-value: `add_evidence` collects it once the page is shown. Where many questions wait, several
    are answered together in a process, and their pages rendered there by `render`.
    """
    test = question.build_test(session.settings)
    vectors = await session.sources.open(question.sources, job, wait_seconds)
    question = replace(question, sources=tuple(vectors))
    dropped: tuple[tuple[str, str], ...] = ()
    if question.drop:
        whole = replace(question, drop=0)
        answer = await answer_question(session, whole, job, wait_seconds)
        dropped = await _choose_dropped(session, answer, question.drop, job)
        test = drop_words(test, dropped)

    measured = MeasuredTest(question, test, dropped)
    key = ("ask", question, fingerprints(vectors))
    if is_quick(test):
        return await session.jobs.answer(
            key,
            "Measuring",
            lambda report: measured.answer(report, vectors),
            job=job,
            wait_seconds=wait_seconds,
            together=_with_others(session, measured, vectors, render),
        )

    def work(report: Callable[..., None]) -> Answer:
        options = question.options | {"workers": 1, "intervals": True}
        references = session.sources.refer(vectors)
        results = session.jobs.call(report, measure_in_process, references, test, options)
        return Answer(question, test, results, vectors, dropped=dropped)

    return await session.jobs.answer(
        key, "Measuring", work, is_long=True, job=job, wait_seconds=wait_seconds
    )


@dataclass(frozen=True)
class MeasuredTest:
    """A question with its test, from which the most influential words may have been dropped."""

    question: Question
    test: Test
    dropped: tuple[tuple[str, str], ...] = ()

    def answer(self, report: Callable[..., None], vectors: Mapping[str, Vectors]) -> Answer:
        """Run a quick test."""
        options = self.question.options | {"workers": 1, "baseline": False, "influence": True}
        results = measure_sources(report, vectors, self.test, options)
        return Answer(self.question, self.test, results, vectors, dropped=self.dropped)


def _with_others(
    session: Session,
    measured: MeasuredTest,
    vectors: Mapping[str, Vectors],
    render: Render | None,
) -> Together | None:
    """Return how a question is answered in a process with others; not where there are uploads."""
    context = SharedContext.of(session)
    if context is None:
        return None

    def complete(part: tuple[Mapping[str, WeatResult], dict[tuple[str, ...], str]]) -> Answer:
        results, pages = part
        question, test, dropped = measured.question, measured.test, measured.dropped
        return Answer(question, test, results, vectors, pages, dropped=dropped)

    return Together(answer_together, context, (measured, render), complete)


def answer_together(
    report: Callable[..., None],
    context: SharedContext,
    questions: Sequence[tuple[MeasuredTest, Render | None]],
) -> Iterator[Any]:
    """Answer questions in a process: yield the results and pages of each, or the error."""
    session = context.open(report)
    with single_threaded_blas():  # other processes need the other processors
        for done, (measured, render) in enumerate(questions):
            report(done, len(questions))
            try:
                sources = map(session.sources.find, measured.question.sources)
                vectors = {source.name: source.vectors for source in sources if source.vectors}
                answer = measured.answer(lambda done, total: None, vectors)
                if render is not None:
                    render(session, answer)
                part: Any = answer.results, answer.pages
            except WeatherglassError as error:
                part = error
            yield part


async def _choose_dropped(
    session: Session, answer: Answer, count: int, job: str
) -> tuple[tuple[str, str], ...]:
    """Return the most influential words of the first source that has a result."""
    source = next(iter(answer.done), None)
    if source is None:
        return ()
    left = dict(answer.results[source].n)
    dropped: list[tuple[str, str]] = []
    for row in await measure_influence(session, answer, source, job):
        if len(dropped) < count and left[row.set] > MIN_WORDS_LEFT[row.set]:
            left[row.set] -= 1
            dropped.append((row.set, row.word))
    return tuple(dropped)


def drop_words(test: Test, dropped: Sequence[tuple[str, str]]) -> Test:
    """Return a test without words, each named with its set as the source spells it.

    >>> from weatherglass.catalog import test
    >>> drop_words(test("weat6"), [("X", "john")]).x.words[0]
    'Paul'
    """
    lost = {(side, word.casefold()) for side, word in dropped}
    sets = {
        side.lower(): {
            "label": word_set.label,
            "words": [word for word in word_set.words if (side, word.casefold()) not in lost],
        }
        for side, word_set in test.sets.items()
    }
    return Test(**sets)


async def add_evidence(
    session: Session, answer: Answer, job: str = "", wait_seconds: float | None = None
) -> Answer:
    """Return an answer with all intervals, leave-one-out, the baseline and anisotropy."""
    if not is_quick(answer.test):
        return answer

    def work(report: Callable[..., None]) -> Answer:
        options = answer.question.options | {"intervals": True, "influence": True, "workers": 1}
        results = measure_sources(report, answer.vectors, answer.test, options)
        return replace(answer, results=results, pages={}, complete={})

    key = ("evidence", answer.key)
    what = "Collecting evidence"
    return await session.jobs.answer(key, what, work, job=job, wait_seconds=wait_seconds)


def is_quick(test: Test) -> bool:
    """Whether a test takes about a second at most, so that it can run in a thread."""
    return len(test.x.words) + len(test.y.words) <= MAX_QUICK_TARGETS


def measure_sources(
    report: Callable[..., None],
    vectors: Mapping[str, Vectors],
    test: Test,
    options: Mapping[str, Any],
) -> dict[str, WeatResult]:
    """Run a test on sources, one after another."""
    results = {}
    for done, (name, source) in enumerate(vectors.items()):
        report(done, len(vectors))
        results[name] = weat(source, test, **options)
    return results


def measure_in_process(
    report: Callable[..., None],
    references: Sequence[SourceReference],
    test: Test,
    options: Mapping[str, Any],
    controls: Sequence[str] = (),
) -> dict[str, WeatResult]:
    """Run a test on sources, in a process; with controls, these are fitted to the first source."""
    vectors = open_all(references, report)
    if controls:
        first = next(iter(vectors.values()))
        fitted = [fit_control(first, name, strict=False) for name in controls]
        options = {**options, "control": fitted}
    return measure_sources(report, vectors, test, options)


async def measure_influence(
    session: Session,
    answer: Answer,
    source: str,
    job: str = "",
    wait_seconds: float | None = None,
) -> list[Influence]:
    """Leave out each word in turn, on one source; the most influential word comes first."""
    result = answer.results[source]
    if result.status != "done":
        raise CannotMeasure(f"The test was not run on {source}: {result.reason}.")
    if is_quick(answer.test):
        return list(result.influence)

    def work(report: Callable[..., None]) -> list[Influence]:
        options = answer.question.options | {"influence": True, "baseline": False}
        references = session.sources.refer([source])
        repeated = session.jobs.call(report, measure_in_process, references, answer.test, options)
        return list(repeated[source].influence)

    key = ("influence", source, answer.key)
    return await session.jobs.answer(
        key,
        "Leaving out one word at a time",
        work,
        is_long=True,
        job=job,
        wait_seconds=wait_seconds,
    )
