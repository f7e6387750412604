"""A question: the whole of it stands in the address of its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query

from weatherglass.catalog import SeedSet, Test, seed_sets
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import Influence, Results, WeatResult, association_test, weat
from weatherglass.report import ALPHA, claim, numbers
from weatherglass.seedlab import Lint, Multiverse, lint, multiverse
from weatherglass.vectors import Vectors

from ..session import Session
from ..settings import Settings
from ..sources import fingerprints
from ..word_sets import WordSetInput, read_set

SIDES = ("x", "y", "a", "b")
MAX_SET_CHARACTERS = 10_000
Alternative = Literal["greater", "less", "two-sided"]
Side = Literal["x", "y", "a", "b"]
SetTexts = tuple[str, str, str, str]


@dataclass(frozen=True)
class Question:
    """What is asked: of which sources, a test of the catalogue or four sets, and how.

    Examples
    --------
    >>> mine = Question(sources=("default",), sets=("a b", "c d", "e", "f"))
    >>> mine.query
    'source=default&x=a+b&y=c+d&a=e&b=f'
    >>> mine.made(Settings()).y.words
    ('c', 'd')
    """

    sources: tuple[str, ...] = ()
    test: str = ""
    sets: SetTexts = ("", "", "", "")
    names: SetTexts = ("", "", "", "")
    alternative: Alternative = "greater"
    missing: float = 0.2

    @property
    def is_whole(self) -> bool:
        """Whether there is enough to ask."""
        return bool(self.test) or all(one.strip() for one in self.sets)

    @property
    def lacking(self) -> list[str]:
        """The sets that have no words yet."""
        return [side.upper() for side, text in self.by_side(self.sets).items() if not text.strip()]

    @property
    def query(self) -> str:
        """The question as the end of an address, nothing in it that goes without saying."""
        parts: list[tuple[str, str]] = [("source", one) for one in self.sources]
        if self.test:
            parts.append(("test", self.test))
        else:
            parts += [(side, text) for side, text in self.by_side(self.sets).items() if text]
            named = self.by_side(self.names).items()
            parts += [(f"{side}_name", name) for side, name in named if name]
        if self.alternative != "greater":
            parts.append(("alternative", self.alternative))
        if self.missing != 0.2:
            parts.append(("missing", f"{self.missing:g}"))
        return urlencode(parts)

    @staticmethod
    def by_side(some: SetTexts) -> dict[str, str]:
        """Four things under the letters of the sides."""
        return dict(zip(SIDES, some, strict=True))

    def read(self, side: str, settings: Settings) -> WordSetInput:
        """One of the sets."""
        at = SIDES.index(side)
        return read_set(self.sets[at], settings, self.names[at])

    def made(self, settings: Settings) -> Test:
        """The test that is asked.

        Raises
        ------
        UsageError
            It is no association test of words, or a set has no words.
        """
        return _build_test(self, settings)

    def as_sets(self) -> Question:
        """The same with the test's sets in the four boxes, so that they can be changed."""
        if not self.test:
            return self
        x, y, a, b = (f"@{self.test}.{side.upper()}" for side in SIDES)
        return replace(self, test="", sets=(x, y, a, b))


@lru_cache(1024)
def _build_test(question: Question, settings: Settings) -> Test:
    if question.test:
        entry = association_test(question.test)
        if entry.level != "word":
            raise UsageError(f"{entry.id} is a test of sentences: run `weatherglass seat`.")
        return entry
    sets: dict[str, Any] = {}
    for side in SIDES:
        typed = question.read(side, settings)
        if not typed.words:
            raise UsageError(f"The set {side.upper()} has no words; all four sets need some.")
        sets[side] = {"label": typed.label or side.upper(), "words": typed.words}
    return Test(**sets)


Words = Annotated[
    str, Query(max_length=MAX_SET_CHARACTERS, description="Words, or @ and a set's id.")
]
Name = Annotated[str, Query(max_length=60, description="What the set stands for.")]


async def _read_question(
    source: Annotated[
        tuple[Annotated[str, Query(max_length=200)], ...],
        Query(max_length=50, description="Sources by name; without one, the first."),
    ] = (),
    test: Annotated[
        str, Query(max_length=100, description="A test of the catalogue.", examples=["weat6"])
    ] = "",
    x: Words = "",
    y: Words = "",
    a: Words = "",
    b: Words = "",
    x_name: Name = "",
    y_name: Name = "",
    a_name: Name = "",
    b_name: Name = "",
    alternative: Annotated[Alternative, Query(description="Which tail.")] = "greater",
    missing: Annotated[float, Query(ge=0, le=1, description="Most words missing.")] = 0.2,
) -> Question:
    sources = tuple(dict.fromkeys(filter(None, source)))
    sets: SetTexts = ("", "", "", "") if test else (x, y, a, b)
    names: SetTexts = ("", "", "", "") if test else (x_name, y_name, a_name, b_name)
    return Question(sources, test.strip(), sets, names, alternative, missing)


QuestionQuery = Annotated[Question, Depends(_read_question)]
"""The question of an address, as an argument of a route."""

JobQuery = Annotated[str, Query(max_length=40, description="The job that is waited for.")]


MAX_QUICK_TARGETS = 52
"""Targets that are counted in about a second; more have a lane of their own."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What came out, source by source; `vectors` are what it was measured on."""

    question: Question
    test: Test
    results: Mapping[str, WeatResult]
    vectors: Mapping[str, Vectors]

    @property
    def key(self) -> tuple[object, ...]:
        """What tells this answer from others."""
        return (self.question, *(one.fingerprint for one in self.vectors.values()))

    @property
    def done(self) -> dict[str, WeatResult]:
        """The results that have numbers."""
        return {name: one for name, one in self.results.items() if one.status == "done"}

    def all(self) -> Results:
        """The results as a set."""
        return Results.of(self.results.values())


async def answer_question(
    here: Session, question: Question, job: str = "", patience: float | None = None
) -> Answer:
    """The answer to a question; a file is worth more patience than a page."""
    test = question.made(here.settings)
    vectors = await here.sources.opened(question.sources, job, patience)
    question = replace(question, sources=tuple(vectors))

    def work(report: Callable[..., None]) -> Answer:
        made = {}
        for done, (name, one) in enumerate(vectors.items()):
            report(done, len(vectors))
            made[name] = weat(
                one,
                test,
                alternative=question.alternative,
                max_missing=question.missing,
                intervals=True,
                workers=1,
            )
        return Answer(question, test, made, vectors)

    targets = len(test.x.words) + len(test.y.words)
    return await here.jobs.answer(
        ("ask", question, fingerprints(vectors)),
        "Measuring",
        work,
        is_long=targets > MAX_QUICK_TARGETS,
        job=job,
        patience=patience,
    )


async def measure_influence(
    here: Session, answer: Answer, on: str, job: str = ""
) -> list[Influence]:
    """What dropping each single word does on a source, the word that matters most first."""
    whole = answer.results[on]
    if whole.status != "done":
        raise CannotMeasure(f"The test was not run on {on}: {whole.reason}.")

    def work(report: Callable[..., None]) -> list[Influence]:
        alternative, missing = answer.question.alternative, answer.question.missing
        found = weat(
            answer.vectors[on],
            answer.test,
            alternative=alternative,
            max_missing=missing,
            influence=True,
        )
        return list(found.influence)

    key = ("dropped", on, answer.key)
    return await here.jobs.answer(key, "Dropping one word at a time", work, is_long=True, job=job)


async def run_multiverse(here: Session, answer: Answer, on: str, job: str = "") -> Multiverse:
    """The same test with every documented choice of seed words, on a source."""

    def work(report: Callable[..., None]) -> Multiverse:
        return multiverse(
            answer.vectors[on],
            answer.test,
            alternative=answer.question.alternative,
            max_missing=answer.question.missing,
            progress=report,
        )

    key = ("multiverse", on, answer.key)
    return await here.jobs.answer(key, "Trying other seed words", work, is_long=True, job=job)


async def lint_sets(here: Session, answer: Answer, job: str = "") -> tuple[Lint, Lint]:
    """What lint says of the targets and of the attributes, on the first source."""

    def work(report: Callable[..., None]) -> tuple[Lint, Lint]:
        ids = _lint_ids(answer.test)
        sets = {
            name: SeedSet(id=ids[name], concept=_concept(one.words), words=one.words)
            for name, one in answer.test.sets.items()
        }
        first = next(iter(answer.vectors.values()))
        return (
            lint([sets["X"], sets["Y"]], source=first),
            lint([sets["A"], sets["B"]], source=first),
        )

    return await here.jobs.answer(("lint", answer.key), "Looking at the words", work, job=job)


def _lint_ids(test: Test) -> dict[str, str]:
    """What lint calls the sets: their labels, if they can be told apart by them."""
    labels = {
        name: "".join(c for c in one.label if c.isprintable()).strip() or name
        for name, one in test.sets.items()
    }
    if len(set(labels.values())) == len(labels):
        return labels
    return {name: label if label == name else f"{name}: {label}" for name, label in labels.items()}


def _concept(words: tuple[str, ...]) -> str:
    """What the words stand for, where they are those of a seed set."""
    same = (one.concept for one in seed_sets() if set(one.words) == set(words))
    return next(same, "")


_TAILS = {
    "greater": "an effect at least as large",
    "less": "an effect at least as low",
    "two-sided": "an effect at least as far from 0",
}


def state_result(one: WeatResult) -> str:
    """What a result says, as far as it is sure.

    >>> import weatherglass as wg
    >>> state_result(wg.weat(wg.open_vectors("default"), "weat6"))
    'Male names are nearer to career words, and female names to family words.'
    """
    assert one.p is not None
    told = claim(one)
    if one.p.value <= ALPHA:
        return told
    return f"{told.rstrip('.')}; but this may well be chance."


def explain_p_value(one: WeatResult) -> str:
    """The p-value as a share of the ways in which the targets can be sorted.

    >>> import weatherglass as wg
    >>> explain_p_value(wg.weat(wg.open_vectors("default"), "weat9"))[:59]
    'Of all 924 ways to sort the 12 targets into two sets, only '
    """
    p = one.p
    assert p is not None
    tail, targets = _TAILS[p.alternative], one.n["X"] + one.n["Y"]
    if p.count is not None and p.partitions is not None and p.alternative != "two-sided":
        only = "only " if p.value <= ALPHA else ""
        gives = "gives" if p.count == 1 else "give"
        return (
            f"Of all {p.partitions:,} ways to sort the {targets} targets into two sets, "
            f"{only}{p.count:,} {gives} {tail}."
        )
    found = {"tilted": "computed, not drawn", "bracket": "certain to lie between two ends"}
    how = f", {found[p.method]}" if p.method in found else ""
    share = numbers.p_equation(p.value)
    return (
        f"Among all ways to sort the {targets} targets into two sets, {tail} has the share "
        f"{share}{how}."
    )


P_METHODS = {
    "exact": "exact: every way to sort the targets was counted",
    "tilted": "tilted inversion: the tail was integrated, and its error is known",
    "bracket": "certified bracket: the true value lies between two ends",
    "sample": "sampled",
    "normal": "normal fit to a sample",
}
