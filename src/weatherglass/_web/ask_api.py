"""Ask for programs: the same questions, answered in JSON."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from weatherglass.measures import WeatResult
from weatherglass.significance import PValue

from .ask_answers import answered
from .ask_prose import how_sure, says
from .ask_question import Asked, JobOf
from .responses import MAY_WORK
from .session import Here

router = APIRouter()


class SourceOut(BaseModel):
    """A source that can be asked; words and dim are known once it has been opened."""

    name: str
    words: int | None
    dim: int | None


class POut(BaseModel):
    """A p-value: its method, the ends it lies between, and how it was counted."""

    value: float
    low: float
    high: float
    method: str
    fraction: str | None


class IntervalOut(BaseModel):
    """An interval of the effect over words drawn anew."""

    low: float
    high: float
    method: str
    confidence: float


class ResultOut(BaseModel):
    """What came out on one source; without numbers where the test was not run."""

    source: str
    fingerprint: str
    status: str
    reason: str
    says: str
    how_sure: str
    effect: float | None
    interval: IntervalOut | None
    p: POut | None
    p_rotation: POut | None
    words: dict[str, list[str]]
    missing: dict[str, list[str]]
    associations: dict[str, list[float]]


class AnswerOut(BaseModel):
    """The answer to a question; `link` opens it in a browser."""

    test: str
    title: str
    labels: dict[str, str]
    alternative: str
    published_effect: float | None
    link: str
    results: list[ResultOut]


@router.get("/api/sources")
async def sources(here: Here) -> list[SourceOut]:
    """The sources that can be asked."""
    return [
        SourceOut(
            name=one.name,
            words=len(one.vectors) if one.vectors is not None else None,
            dim=one.vectors.dim if one.vectors is not None else None,
        )
        for one in here.sources
    ]


@router.get("/api/ask", responses={**MAY_WORK})
async def ask(here: Here, question: Asked, job: JobOf = "") -> AnswerOut:
    """The answer to a question."""
    made = await answered(here, question, job)
    printed = made.test.printed
    return AnswerOut(
        test=made.test.id,
        title=made.test.title,
        labels={name: one.label for name, one in made.test.sets.items()},
        alternative=question.alternative,
        published_effect=printed.effect if printed else None,
        link=f"/?{question.query}",
        results=[_result(name, one) for name, one in made.results.items()],
    )


def _result(name: str, one: WeatResult) -> ResultOut:
    is_done = one.status == "done"
    first = one.intervals[0] if one.intervals else None
    return ResultOut(
        source=name,
        fingerprint=str(one.source["fingerprint"]),
        status=one.status,
        reason=one.reason,
        says=says(one) if is_done else "",
        how_sure=how_sure(one) if is_done else "",
        effect=one.effect,
        interval=first and IntervalOut.model_validate(first, from_attributes=True),
        p=_p(one.p),
        p_rotation=_p(one.p_rotation),
        words={side: list(some) for side, some in one.words.items()},
        missing={side: list(some) for side, some in one.missing.items()},
        associations={side: list(some) for side, some in one.associations.items()},
    )


def _p(one: PValue | None) -> POut | None:
    return None if one is None else POut.model_validate(one, from_attributes=True)
