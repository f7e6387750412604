"""Ask for programs: the same questions, answered in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from weatherglass.catalog import Test
from weatherglass.errors import CannotMeasure
from weatherglass.measures import WeatResult
from weatherglass.report import draw_strips, group_by_test
from weatherglass.significance import PValue

from ..charts import CHART_RESPONSES, ChartFormat, chart_response
from ..rendering import FILE_WAIT_SECONDS, download_headers, file_responses
from ..responses import JOB_RESPONSES
from ..session import CurrentSession
from ..sources import Source
from .question import (
    SIDES,
    Answer,
    JobQuery,
    QuestionQuery,
    answer_question,
    explain_p_value,
    state_result,
)

router: APIRouter = APIRouter()


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
    state_result: str
    explain_p_value: str
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
async def sources(here: CurrentSession) -> list[SourceOut]:
    """The sources that can be asked."""
    return [
        SourceOut(
            name=one.name,
            words=len(one.vectors) if one.vectors is not None else None,
            dim=one.vectors.dim if one.vectors is not None else None,
        )
        for one in here.sources
    ]


@router.get("/api/ask", responses={**JOB_RESPONSES})
async def ask(here: CurrentSession, question: QuestionQuery, job: JobQuery = "") -> AnswerOut:
    """The answer to a question."""
    made = await answer_question(here, question, job)
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
        says=state_result(one) if is_done else "",
        how_sure=explain_p_value(one) if is_done else "",
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


downloads: APIRouter = APIRouter(default_response_class=Response)
_KINDS = {"yaml": "application/yaml", "csv": "text/csv", "py": "text/x-python"}


@downloads.get("/ask/picture.{form}", responses={**CHART_RESPONSES, **JOB_RESPONSES})
async def word_strips(
    here: CurrentSession, question: QuestionQuery, form: ChartFormat, job: JobQuery = ""
) -> Response:
    """The association of every target, source by source."""
    made = await answer_question(here, question, job, FILE_WAIT_SECONDS if form == "svg" else None)
    names = {one.source["name"]: name for name, one in made.done.items()}

    def draw() -> Any:
        if not names:
            raise CannotMeasure("There is nothing to draw: the test was not run.")
        return draw_strips(group_by_test(made.done.values())[0], names)

    return await chart_response(here, ("strips", made.key), draw, form, name=made.test.id, job=job)


@downloads.get(
    "/ask/download.{kind}",
    responses={**file_responses(_KINDS.values()), **JOB_RESPONSES},
)
async def download(
    here: CurrentSession,
    question: QuestionQuery,
    kind: Literal["yaml", "csv", "py"],
    job: JobQuery = "",
) -> Response:
    """The test as YAML, the numbers as CSV, or a Python script that repeats them."""
    made = await answer_question(here, question, job, FILE_WAIT_SECONDS)
    if kind == "yaml":
        content = as_yaml(made.test)
    elif kind == "csv":
        content = made.all().to_delimited(",")
    else:
        content = as_python(made, here.sources, here.settings.is_local)
    headers = download_headers(made.test.id, kind)
    return Response(content.encode("utf-8", "replace"), media_type=_KINDS[kind], headers=headers)


def as_yaml(test: Test) -> str:
    r"""A test as a file that `weatherglass.load_tests` reads.

    >>> print(as_yaml(Test(x=["no"], y=["on"], a=["1e5"], b=["\x1b"])), end="")
    id: "custom"
    title: "X vs Y, A vs B"
    x: {label: "X", words: ["no"]}
    y: {label: "Y", words: ["on"]}
    a: {label: "A", words: ["1e5"]}
    b: {label: "B", words: ["\u001b"]}
    """
    lines = [f"id: {_quoted(test.id)}", f"title: {_quoted(test.title)}"]
    for side in SIDES:
        one = test.sets[side.upper()]
        words = ", ".join(map(_quoted, one.words))
        lines.append(f"{side}: {{label: {_quoted(one.label)}, words: [{words}]}}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Text in double quotes: then no word is anything but text."""
    plain = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain)


def as_python(answer: Answer, sources: Iterable[Source], shows_paths: bool = True) -> str:
    """A script that measures the same, and prints effect and p-value.

    A file that was sent to the page goes with it, and where files lie is shown to nobody on
    another machine: there the reader puts in the path of a copy.
    """
    question = answer.question
    options: dict[str, Any] = {}
    if question.alternative != "greater":
        options["alternative"] = question.alternative
    if question.missing != 0.2:
        options["max_missing"] = question.missing
    given = "".join(f", {name}={value!r}" for name, value in options.items())
    known = {one.name: one for one in sources}
    lines = "".join(f"    {_line(known[name], shows_paths)}\n" for name in answer.results)
    return (
        "import weatherglass as wg\n\n"
        f"sources = [\n{lines}]\n"
        f"test = {_test(answer)}\n"
        "for source in sources:\n"
        f"    result = wg.weat(wg.open_vectors(source), test{given})\n"
        '    if result.status == "done":\n'
        "        print(source, result.effect, result.p.value, result.p.method)\n"
        "    else:\n"
        '        print(source, "not run:", result.reason)\n'
    )


def _test(answer: Answer) -> str:
    if answer.question.test:
        return f"wg.test({answer.question.test!r})"
    sets = "".join(
        f"    {side}={{'label': {one.label!r}, 'words': {list(one.words)!r}}},\n"
        for side, one in zip(SIDES, answer.test.sets.values(), strict=True)
    )
    return f"wg.Test(\n{sets})"


def _line(source: Source, shows_paths: bool) -> str:
    """A source, under a name that means the same in any folder."""
    path = Path(source.spec)
    try:
        is_file = path.exists()
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        return f"{source.spec!r},"
    if source.is_sent or not shows_paths:
        return f"{source.name!r},  # put in the path of your own copy"
    return f"{str(path.resolve())!r},"
