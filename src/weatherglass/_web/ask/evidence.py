"""The jobs that collect the evidence of an answer: controls, other seed lists, lint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from weatherglass.catalog import SeedSet, Test, seed_sets
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import (
    SeedChoices,
    WeatResult,
    weat,
)
from weatherglass.seedlab import Lint, Multiverse, lint, multiverse

from ..session import Session
from ..sources import CONTROLS, SourceReference
from .answer import Answer, add_evidence, is_quick, measure_in_process, measure_influence


async def measure_controls(
    session: Session,
    answer: Answer,
    source: str,
    job: str = "",
    wait_seconds: float | None = None,
) -> WeatResult:
    """Run the test again on controlled vectors of one source."""

    def work(report: Callable[..., None]) -> WeatResult:
        options = answer.question.options | {"baseline": False, "workers": 1}
        if is_quick(answer.test):
            fitted = session.sources.find(source).controls(CONTROLS, report, session.jobs)
            result: WeatResult = weat(
                answer.vectors[source], answer.test, control=fitted, **options
            )
            return result
        references = session.sources.refer([source])
        return session.jobs.call(
            report, measure_in_process, references, answer.test, options, CONTROLS
        )[source]

    key = ("controls", source, answer.key)
    return await session.jobs.answer(
        key,
        "Measuring without frequency",
        work,
        is_long=True,
        job=job,
        wait_seconds=wait_seconds,
    )


async def run_multiverse(
    session: Session, answer: Answer, source: str, job: str = ""
) -> Multiverse:
    """Run the test with every documented choice of seed words, on one source."""

    def work(report: Callable[..., None]) -> Multiverse:
        (reference,) = session.sources.refer([source])
        options = answer.question.options
        return session.jobs.call(
            report, multiverse_in_process, reference, answer.test, options, cache=reference.cache
        )

    key = ("multiverse", source, answer.key)
    return await session.jobs.answer(key, "Trying other seed words", work, is_long=True, job=job)


def multiverse_in_process(
    report: Callable[..., None],
    reference: SourceReference,
    test: Test,
    options: Mapping[str, Any],
) -> Multiverse:
    """Run a multiverse, in a process."""
    return multiverse(reference.open(report), test, progress=report, **options)


async def count_seed_choices(
    session: Session,
    answer: Answer,
    source: str,
    job: str = "",
    wait_seconds: float | None = None,
) -> SeedChoices | None:
    """Run the test with every documented choice of whole seed sets, on one source."""
    result = answer.results[source]

    def work(report: Callable[..., None]) -> Multiverse:
        options = answer.question.options | {"samples": 0}
        if is_quick(answer.test):
            return multiverse(answer.vectors[source], answer.test, progress=report, **options)
        (reference,) = session.sources.refer([source])
        return session.jobs.call(
            report, multiverse_in_process, reference, answer.test, options, cache=reference.cache
        )

    key = ("seed choices", source, answer.key)
    what = "Trying published seed lists"
    tried = await session.jobs.answer(
        key, what, work, is_long=True, job=job, wait_seconds=wait_seconds
    )
    return tried.seed_choices(result.main_value) if result.main_value else None


async def complete_result(
    session: Session,
    answer: Answer,
    source: str,
    job: str = "",
    wait_seconds: float | None = None,
) -> WeatResult:
    """Return the result on one source with the evidence that takes longer to collect.

    That is what `add_evidence` collects, the frequency control, other published seed lists, and for
    large tests leave-one-out. What cannot be collected is left out, and the finding says so.
    """
    wait = wait_seconds
    if not answer.results[source].is_done:
        return answer.results[source]
    result = (await add_evidence(session, answer, job, wait)).results[source]
    influence = await measure_influence(session, answer, source, job, wait)
    result = replace(result, influence=tuple(influence))
    with suppress(CannotMeasure, UsageError):
        controlled = await measure_controls(session, answer, source, job, wait)
        result = replace(result, controls=controlled.controls)
    with suppress(CannotMeasure, UsageError):
        choices = await count_seed_choices(session, answer, source, job, wait)
        result = replace(result, seed_choices=choices)
    return result


async def lint_sets(session: Session, answer: Answer, job: str = "") -> tuple[Lint, Lint]:
    """Check the targets and the attributes with lint, on the first source."""

    def work(report: Callable[..., None]) -> tuple[Lint, Lint]:
        ids = _lint_ids(answer.test)
        sets = {
            side: SeedSet(id=ids[side], concept=_find_concept(word_set.words), words=word_set.words)
            for side, word_set in answer.test.sets.items()
        }
        first = next(iter(answer.vectors.values()))
        return (
            lint([sets["X"], sets["Y"]], source=first),
            lint([sets["A"], sets["B"]], source=first),
        )

    return await session.jobs.answer(("lint", answer.key), "Checking the words", work, job=job)


def _lint_ids(test: Test) -> dict[str, str]:
    """Return the ids of the sets for lint: their labels, with the letter where these repeat."""
    labels = {
        side: "".join(c for c in word_set.label if c.isprintable()).strip() or side
        for side, word_set in test.sets.items()
    }
    if len(set(labels.values())) == len(labels):
        return labels
    return {side: label if label == side else f"{side}: {label}" for side, label in labels.items()}


def _find_concept(words: tuple[str, ...]) -> str:
    """Return the concept of the seed set with the same words, if there is one."""
    concepts = (seed_set.concept for seed_set in seed_sets() if set(seed_set.words) == set(words))
    return next(concepts, "")
