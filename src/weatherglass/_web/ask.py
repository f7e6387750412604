"""Ask: four word sets, one or more sources, an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import WeatherglassError

from . import ask_api, ask_boxes, ask_files, ask_more
from .ask_answers import Answer, answered
from .ask_boxes import Looking, Search, box_of
from .ask_files import as_python
from .ask_prose import METHODS, how_sure, says
from .ask_question import SIDES, Asked, JobOf, Question
from .catalogue_search import find_tests
from .jobs import Working
from .rendering import render
from .responses import MAY_WORK, page_of, status_of, told_by
from .session import Here, Page, Session

router = APIRouter()
for part in (ask_boxes, ask_more, ask_files, ask_api):
    router.include_router(part.router)
PAGE = Page("Ask", "/", router)
_MOVED: dict[int | str, dict[str, Any]] = {303: {"description": "The same question, shorter."}}


@router.get(
    "/",
    response_class=HTMLResponse,
    responses={**page_of("The page."), **MAY_WORK, **_MOVED},
)
async def page(
    here: Here,
    question: Asked,
    looking: Looking,
    request: Request,
    find_test: Search = "",
    job: JobOf = "",
) -> Response:
    """Ask a question, and read the answer. The address is the question."""
    is_searching = bool(find_test) or any(looking.values())
    is_asked = question.is_whole and not is_searching
    try:
        if is_asked:
            chosen = tuple(one.name for one in here.sources.chosen(question.sources))
            question = replace(question, sources=chosen)
            if not job and request.url.query != question.query:
                return RedirectResponse(f"/?{question.query}", 303)
            return HTMLResponse(await _written(here, await answered(here, question, job)))
        status, shown = 200, _form(here, question, looking, find_test)
        shown["chosen"] = {one.name for one in here.sources.chosen(question.sources)}
        if any(question.sets) and not is_searching:
            shown["needed"] = question.lacking
    except Working as still:
        status, shown = 202, _form(here, question, looking, find_test)
        shown |= {"working": still.job, "again": f"/ask/answer?{question.query}&job={still.job.id}"}
    except WeatherglassError as error:
        status, shown = status_of(error), _form(here, question, looking, find_test)
        shown["told"] = told_by(error)
    return HTMLResponse(render("ask.html", **shown), status)


@router.get(
    "/ask/answer",
    response_class=HTMLResponse,
    responses={**page_of("The answer alone."), **MAY_WORK},
)
async def answer(here: Here, question: Asked, job: JobOf = "") -> Response:
    """The answer to a question, as part of a page."""
    made = await answered(here, question, job)
    return HTMLResponse(render("ask_answer.html", **_view(here, made)))


async def _written(here: Session, answer: Answer) -> str:
    """The whole page of an answer, kept like the answer itself."""

    def work(report: Callable[..., None]) -> str:
        shown = _form(here, answer.question, dict.fromkeys(SIDES, ""), "")
        shown["chosen"] = set(answer.results)
        return render("ask.html", **shown | _view(here, answer))

    key = ("page", answer.key, tuple(one.name for one in here.sources))
    return await here.jobs.answer(key, "Writing", work)


def _form(here: Session, question: Question, looking: dict[str, str], tests: str) -> dict[str, Any]:
    """What a template needs to show the question."""
    try:
        whole = question.as_sets() if question.test and question.made(here.settings) else question
    except WeatherglassError:  # told where the answer would be
        whole = question
    return {
        "page_path": "/",
        "question": question,
        "sources": list(here.sources),
        "chosen": set(question.sources),
        "boxes": [box_of(here, whole, side, looking[side]) for side in SIDES],
        "tests": find_tests(tests),
        "find_test": tests,
    }


def _view(here: Session, answer: Answer) -> dict[str, Any]:
    """What a template needs to show an answer."""
    return {
        "answer": answer,
        "results": answer.results,
        "done": answer.done,
        "query": answer.question.query,
        "says": says,
        "how_sure": how_sure,
        "methods": METHODS,
        "script": as_python(answer, here.sources, here.settings.is_local),
    }
