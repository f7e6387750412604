"""The question that an address asks, and the jobs that answer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import quote_plus

from fastapi import Depends, Query

from weatherglass.catalog import Test
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import CannotMeasure, UsageError, quote_safe
from weatherglass.measures import (
    Influence,
    Results,
    WeatResult,
    weat,
)
from weatherglass.vectors import Vectors, fit_control

from ..session import Session, SourcesQuery
from ..settings import Settings
from ..sources import SourceReference, fingerprints, open_all
from ..word_sets import (
    MAX_SET_CHARACTERS,
    SetQuery,
    WordSetInput,
    read_set,
    write_on_one_line,
)

SIDES = ("x", "y", "a", "b")
MAX_MISSING = 0.2
MAX_QUICK_TARGETS = 52
"""Targets whose partitions are counted in about a second; larger tests are long jobs."""

MAX_DROP = 50
"""How many of the most influential words can be left out."""

MIN_WORDS_LEFT = {"X": 2, "Y": 2, "A": 1, "B": 1}
"""Words that stay in each set, however influential."""

Alternative = Literal["greater", "less", "two-sided"]
Side = Literal["x", "y", "a", "b"]
SetTexts = tuple[str, str, str, str]


# The question


@dataclass(frozen=True)
class Question:
    """A test of the catalogue or four typed sets, the sources to ask, and the options.

    Examples
    --------
    >>> question = Question(sources=("default",), sets=("a b", "c d", "e", "f"))
    >>> question.query
    'source=default&x=a+b&y=c+d&a=e&b=f'
    >>> question.build_test(Settings()).y.words
    ('c', 'd')
    """

    sources: tuple[str, ...] = ()
    test: str = ""
    sets: SetTexts = ("", "", "", "")
    names: SetTexts = ("", "", "", "")
    alternative: Alternative | None = None
    max_missing: float = MAX_MISSING
    allow_overlap: bool = False
    drop: int = 0
    """How many of the most influential words are left out."""

    @property
    def is_complete(self) -> bool:
        """Whether there is a test, or words in all four sets."""
        return bool(self.test) or all(text.strip() for text in self.sets)

    @property
    def empty_sets(self) -> list[str]:
        """The sets that have no words yet."""
        return [side.upper() for side, text in self.by_side(self.sets).items() if not text.strip()]

    @property
    def query(self) -> str:
        """The question as the query of an address, without what has its default value."""
        parts: list[tuple[str, str]] = [("source", source) for source in self.sources]
        if self.test:
            parts.append(("test", self.test))
        else:
            parts += [(side, text) for side, text in self.by_side(self.sets).items() if text]
            names = self.by_side(self.names).items()
            parts += [(f"{side}_name", name) for side, name in names if name]
        if self.alternative is not None:
            parts.append(("alternative", self.alternative))
        if self.max_missing != MAX_MISSING:
            parts.append(("missing", f"{self.max_missing:g}"))
        if self.allow_overlap:
            parts.append(("overlap", "true"))
        if self.drop:
            parts.append(("drop", str(self.drop)))
        return "&".join(f"{key}={_quote(value)}" for key, value in parts)

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `weatherglass.weat` and `weatherglass.multiverse`."""
        return {
            "alternative": self.alternative,
            "max_missing": self.max_missing,
            "allow_overlap": self.allow_overlap,
        }

    @staticmethod
    def by_side(texts: SetTexts) -> dict[str, str]:
        """Return four texts under the letters of their sets."""
        return dict(zip(SIDES, texts, strict=True))

    def read(self, side: str, settings: Settings) -> WordSetInput:
        """Read the set of a side."""
        index = SIDES.index(side)
        return read_set(self.sets[index], settings, self.names[index])

    def build_test(self, settings: Settings) -> Test:
        """Return the test to run.

        Raises
        ------
        UsageError
            It is not an association test of words, or a set has no words.
        """
        return _build_test(self, settings)

    def with_sets(self) -> Question:
        """Return the same question with the sets of its test written into the four boxes."""
        if not self.test:
            return self
        x, y, a, b = (f"@{self.test}.{side.upper()}" for side in SIDES)
        return replace(self, test="", sets=(x, y, a, b))


# A page has a link for each word, and all of them repeat the other sets.
_quote = lru_cache(4096)(quote_plus)


@lru_cache(1024)
def _build_test(question: Question, settings: Settings) -> Test:
    if question.test:
        # Only ids of the catalogue: a visitor must not name files of this machine.
        entry = catalogue_test(question.test)
        if not isinstance(entry, Test) or entry.level != "word":
            kind = "sentences" if isinstance(entry, Test) else "facts"
            raise UsageError(f"{entry.id} is a test of {kind}; this page runs tests of words.")
        return entry
    sets: dict[str, Any] = {}
    for side in SIDES:
        word_set = question.read(side, settings)
        if not word_set.words:
            raise UsageError(f"Set {side.upper()} has no words; all four sets need words.")
        sets[side] = {"label": word_set.label or side.upper(), "words": word_set.words}
    for first, second, kind in (("x", "y", "target"), ("a", "b", "attribute")):
        shared = set(sets[first]["words"]) & set(sets[second]["words"])
        for word in sets[first]["words"]:
            if word in shared:
                raise UsageError(
                    f"{quote_safe(word)} is in both {kind} sets; remove it from one of them."
                )
    return Test(**sets)


NameQuery = Annotated[str, Query(max_length=60, description="What the set stands for.")]
AddedQuery = Annotated[
    str, Query(max_length=MAX_SET_CHARACTERS, description="Words to add to the set.")
]


async def _read_question(
    source: SourcesQuery = (),
    test: Annotated[
        str, Query(max_length=100, description="A test of the catalogue.", examples=["weat6"])
    ] = "",
    x: SetQuery = "",
    y: SetQuery = "",
    a: SetQuery = "",
    b: SetQuery = "",
    x_name: NameQuery = "",
    y_name: NameQuery = "",
    a_name: NameQuery = "",
    b_name: NameQuery = "",
    add_x: AddedQuery = "",
    add_y: AddedQuery = "",
    add_a: AddedQuery = "",
    add_b: AddedQuery = "",
    alternative: Annotated[
        Alternative | Literal[""],
        Query(
            description="A direction that is declared before the answer is known; without one, "
            "findings are two-sided."
        ),
    ] = "",
    missing: Annotated[
        float, Query(ge=0, le=1, description="The largest share of a set that may be missing.")
    ] = MAX_MISSING,
    overlap: Annotated[
        bool, Query(description="Whether a word may be both target and attribute.")
    ] = False,
    drop: Annotated[
        int,
        Query(ge=0, le=MAX_DROP, description="Leave out so many of the most influential words."),
    ] = 0,
) -> Question:
    sources = tuple(dict.fromkeys(filter(None, source)))
    sets: SetTexts = ("", "", "", "")
    names: SetTexts = ("", "", "", "")
    test = test.strip()
    if not test:
        sets = (
            write_on_one_line(x, add_x),
            write_on_one_line(y, add_y),
            write_on_one_line(a, add_a),
            write_on_one_line(b, add_b),
        )
        names = (x_name, y_name, a_name, b_name)
        # The form of a published test that was not changed asks that test.
        if (same := _find_test_of_sets(sets)) and not any(names):
            test, sets = same, ("", "", "", "")
    return Question(sources, test, sets, names, alternative or None, missing, overlap, drop)


def _find_test_of_sets(sets: SetTexts) -> str:
    """Return the test whose four sets these are, in their order; empty if there is none.

    >>> _find_test_of_sets(("@weat6.X", "@weat6.Y", "@weat6.A", "@weat6.B"))
    'weat6'
    """
    test = sets[0].strip().removeprefix("@").removesuffix(".X")
    expected = tuple(f"@{test}.{side.upper()}" for side in SIDES)
    return test if test and tuple(text.strip() for text in sets) == expected else ""


QuestionQuery = Annotated[Question, Depends(_read_question)]
"""The question of an address, as an argument of a route."""


# The jobs


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


async def answer_question(
    session: Session, question: Question, job: str = "", wait_seconds: float | None = None
) -> Answer:
    """Run the test of a question on its sources.

    A quick test is run without the evidence that takes twenty times as long as the effect and its
    p-value: `add_evidence` collects it once the page is shown.
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

    def work(report: Callable[..., None]) -> Answer:
        options = question.options | {"workers": 1}
        if is_quick(test):
            options |= {"baseline": False, "influence": True}
            results = measure_sources(report, vectors, test, options)
        else:
            options |= {"intervals": True}
            references = session.sources.refer(vectors)
            results = session.jobs.call(report, measure_in_process, references, test, options)
        return Answer(question, test, results, vectors, dropped=dropped)

    return await session.jobs.answer(
        ("ask", question, fingerprints(vectors)),
        "Measuring",
        work,
        is_long=not is_quick(test),
        job=job,
        wait_seconds=wait_seconds,
    )


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

    >>> drop_words(catalogue_test("weat6"), [("X", "john")]).x.words[0]
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
