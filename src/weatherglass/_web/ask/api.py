"""The answer for programs and files: JSON, chart, CSV, YAML and a Python script."""

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
from weatherglass.findings import Evidence, Grade
from weatherglass.measures import WeatResult, choose_alternative
from weatherglass.report import add_source_line, plot_words
from weatherglass.significance import Interval, PValue

from ..rendering import (
    CHART_RESPONSES,
    FILE_WAIT_SECONDS,
    ChartFormat,
    chart_response,
    download_headers,
    file_responses,
)
from ..responses import JOB_RESPONSES, record_model
from ..session import CurrentSession, JobQuery
from ..sources import Source
from .answer import Answer, add_evidence, answer_question
from .explain import explain_p_value
from .question import MAX_MISSING, SIDES, QuestionQuery

router = APIRouter()
_MEDIA_TYPES = {"yaml": "application/yaml", "csv": "text/csv", "py": "text/x-python"}


# JSON


class SourceAnswer(BaseModel):
    """A source of the server; words and dim are known once it has been opened."""

    name: str
    words: int | None
    dim: int | None


PValueAnswer = record_model(PValue, fraction=str | None)
ResultAnswer = record_model(
    WeatResult,
    source=str,
    fingerprint=str,
    grade=Grade,
    finding=str,
    evidence=list[Evidence],
    not_collected=list[str],
    how_sure=str,
    interval=Interval | None,
    p=PValueAnswer | None,
    p_two_sided=PValueAnswer | None,
    p_rotation=PValueAnswer | None,
)
"""The result on one source with its finding: grade, sentence and evidence.

Without numbers if not run.
"""


class QuestionAnswer(BaseModel):
    """The answer to a question; `link` opens it in a browser."""

    test: str
    title: str
    labels: dict[str, str]
    alternative: str
    published_effect: float | None
    link: str
    results: list[ResultAnswer]  # type: ignore[valid-type]


@router.get("/api/sources")
async def sources_json(session: CurrentSession) -> list[SourceAnswer]:
    """The sources that the server offers."""
    return [
        SourceAnswer(
            name=source.name,
            words=len(source.vectors) if source.vectors is not None else None,
            dim=source.vectors.dim if source.vectors is not None else None,
        )
        for source in session.sources
    ]


@router.get("/api/ask", responses={**JOB_RESPONSES})
async def ask_json(
    session: CurrentSession, question: QuestionQuery, job: JobQuery = ""
) -> QuestionAnswer:
    """Answer a question."""
    answer = await answer_question(session, question, job)
    answer = await add_evidence(session, answer, job)
    published = answer.test.printed
    return QuestionAnswer(
        test=answer.test.id,
        title=answer.test.title,
        labels={side: word_set.label for side, word_set in answer.test.sets.items()},
        alternative=choose_alternative(answer.test, question.alternative)["alternative"],
        published_effect=published.effect if published else None,
        link=f"/?{question.query}",
        results=[_result_answer(name, result) for name, result in answer.results.items()],
    )


def _result_answer(name: str, result: WeatResult) -> BaseModel:
    finding = result.finding
    return ResultAnswer.model_validate(
        vars(result)
        | {
            "source": name,
            "fingerprint": str(result.source["fingerprint"]),
            "grade": finding.grade,
            "finding": finding.sentence,
            "evidence": list(finding.evidence),
            "not_collected": list(finding.not_collected),
            "how_sure": explain_p_value(result) if result.is_done else "",
            "interval": result.main_interval,
        }
    )


# Files


@router.get(
    "/ask/picture.{form}", response_class=Response, responses={**CHART_RESPONSES, **JOB_RESPONSES}
)
async def chart(
    session: CurrentSession, question: QuestionQuery, form: ChartFormat, job: JobQuery = ""
) -> Response:
    """The association of every target, source by source."""
    wait_seconds = FILE_WAIT_SECONDS if form == "svg" else None
    answer = await answer_question(session, question, job, wait_seconds)
    results = list(answer.done.values())

    def draw() -> Any:
        if not results:
            raise CannotMeasure("There is nothing to draw: the test was not run.")
        return add_source_line(plot_words(results), results)

    key = ("strips", answer.key)
    return await chart_response(session.jobs, key, draw, form, name=answer.test.id, job=job)


@router.get(
    "/ask/download.{kind}",
    response_class=Response,
    responses={**file_responses(_MEDIA_TYPES.values()), **JOB_RESPONSES},
)
async def download(
    session: CurrentSession,
    question: QuestionQuery,
    kind: Literal["yaml", "csv", "py"],
    job: JobQuery = "",
) -> Response:
    """The test as YAML, the numbers as CSV, or a Python script that computes them."""
    answer = await answer_question(session, question, job, FILE_WAIT_SECONDS)
    if kind == "yaml":
        content = yaml_text(answer.test, question.alternative)
    elif kind == "csv":
        answer = await add_evidence(session, answer, job, FILE_WAIT_SECONDS)
        content = answer.result_set().to_delimited(",")
    else:
        content = python_script(answer, session.sources, session.settings.is_local)
    return Response(
        content.encode("utf-8", "replace"),
        media_type=_MEDIA_TYPES[kind],
        headers=download_headers(answer.test.id, kind),
    )


def yaml_text(test: Test, alternative: str | None = None) -> str:
    r"""Write a test as a YAML file that `weatherglass.load_tests` reads.

    The study of a published test is part of it, so that its p-value stays the one-sided one.

    >>> print(yaml_text(Test(x=["no"], y=["on"], a=["1e5"], b=["\x1b"])), end="")
    id: "custom"
    title: "no vs on; 1e5 vs \\x1b"
    x: {label: "X", words: ["no"]}
    y: {label: "Y", words: ["on"]}
    a: {label: "A", words: ["1e5"]}
    b: {label: "B", words: ["\u001b"]}
    """
    lines = [f"id: {_quote_yaml(test.id)}", f"title: {_quote_yaml(test.title)}"]
    if test.study is not None and test.study.key:
        lines.append(f"study: {_quote_yaml(test.study.key)}")
    if alternative is not None:
        lines.append(f"alternative: {_quote_yaml(alternative)}")
    for side in SIDES:
        word_set = test.sets[side.upper()]
        words = ", ".join(map(_quote_yaml, word_set.words))
        lines.append(f"{side}: {{label: {_quote_yaml(word_set.label)}, words: [{words}]}}")
    return "\n".join(lines) + "\n"


def _quote_yaml(text: str) -> str:
    """Put text in double quotes, so that YAML reads no word as a number or a boolean."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)


def python_script(answer: Answer, sources: Iterable[Source], show_paths: bool = True) -> str:
    """Write a script that runs the same test and prints effect sizes, p-values and findings.

    Uploaded files are deleted with the session, and visitors from other machines are shown no
    paths: in both cases the reader has to put in the path of a copy.
    """
    question = answer.question
    options: dict[str, Any] = {"intervals": True, "influence": True}  # evidence of the finding
    if question.alternative is not None:
        options["alternative"] = question.alternative
    if question.max_missing != MAX_MISSING:
        options["max_missing"] = question.max_missing
    if question.allow_overlap:
        options["allow_overlap"] = True
    arguments = "".join(f", {name}={value!r}" for name, value in options.items())
    by_name = {source.name: source for source in sources}
    lines = "".join(f"    {_source_line(by_name[name], show_paths)}\n" for name in answer.results)
    return (
        "import weatherglass as wg\n\n"
        f"sources = [\n{lines}]\n"
        f"test = {_test_expression(answer)}\n"
        "for source in sources:\n"
        f"    result = wg.weat(wg.open_vectors(source), test{arguments})\n"
        '    if result.status == "done":\n'
        "        print(source, result.effect, result.p_two_sided.value, result.p.method)\n"
        "        print(result.finding)\n"
        "    else:\n"
        '        print(source, "not run:", result.reason)\n'
    )


def _test_expression(answer: Answer) -> str:
    if answer.question.test and not answer.dropped:
        return f"wg.test({answer.question.test!r})"
    sets = "".join(
        f"    {side}={{'label': {word_set.label!r}, 'words': {list(word_set.words)!r}}},\n"
        for side, word_set in zip(SIDES, answer.test.sets.values(), strict=True)
    )
    return f"wg.Test(\n{sets})"


def _source_line(source: Source, show_paths: bool) -> str:
    """A source as a line of the script; a path is absolute, so that it works in any folder."""
    path = Path(source.spec)
    try:
        is_file = path.exists()
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        return f"{source.spec!r},"
    if source.is_upload or not show_paths:
        return f"{source.name!r},  # put in the path of your own copy"
    return f"{str(path.resolve())!r},"
