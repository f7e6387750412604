"""Answers to questions: the measure on each source, single words dropped, other seed words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from weatherglass.catalog import SeedSet, Test, seed_sets
from weatherglass.errors import CannotMeasure
from weatherglass.measures import Results, WeatResult
from weatherglass.measures.influence import Influence
from weatherglass.measures.weat import weat
from weatherglass.seedlab.findings import Lint
from weatherglass.seedlab.lint import lint
from weatherglass.seedlab.multiverse import multiverse
from weatherglass.seedlab.multiverse_record import Multiverse
from weatherglass.vectors import Vectors

from .ask_question import Question
from .session import Session
from .sources import prints

QUICK = 52
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


async def answered(
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
        ("ask", question, prints(vectors)),
        "Measuring",
        work,
        is_long=targets > QUICK,
        job=job,
        patience=patience,
    )


async def dropped(here: Session, answer: Answer, on: str, job: str = "") -> list[Influence]:
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


async def other_words(here: Session, answer: Answer, on: str, job: str = "") -> Multiverse:
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


async def looked_at(here: Session, answer: Answer, job: str = "") -> tuple[Lint, Lint]:
    """What lint says of the targets and of the attributes, on the first source."""

    def work(report: Callable[..., None]) -> tuple[Lint, Lint]:
        ids = _ids(answer.test)
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


def _ids(test: Test) -> dict[str, str]:
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
