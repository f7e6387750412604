"""The routes of two more views of Explore: word analogies, and pairs of words in a plane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.report import Size, plot_plane

from ..jobs import Working
from ..rendering import (
    CHART_RESPONSES,
    ChartFormat,
    chart_response,
    csv_text,
    download_headers,
    file_responses,
    render,
)
from ..responses import (
    HTML_ROUTE,
    JOB_RESPONSES,
    REDIRECT_RESPONSES,
    error_status,
    error_text,
    html_response,
)
from ..session import CurrentSession, JobQuery, Session, SourceQuery
from .analogies import AnalogyQuery, PlaneQuery, SourceAnswers, answer_analogy, place_pairs

router = APIRouter()

VIEWS = {"/explore/analogy": "Analogies", "/explore/plane": "Pairs in a plane"}


# The pages


def tabs(sources: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Return the path, the title and the query of each view."""
    query = urlencode([("source", source) for source in sources])
    return [(path, title, query) for path, title in VIEWS.items()]


async def _page(
    session: Session,
    question: Any,
    path: str,
    answer: Callable[..., Any],
    request: Request,
    job: str,
) -> Response:
    """Return a page with the question and, if it is complete, the answer."""
    if question.is_complete and not job and request.url.query != question.query:
        return RedirectResponse(f"{path}?{question.query}", 303)
    status = 200
    values: dict[str, Any] = {
        "page_path": "/explore",
        "view_path": path,
        "question": question,
        "sources": list(session.sources),
        "chosen": set(question.sources),
        "tabs": tabs(question.sources),
        "first_tabs": urlencode([("source", source) for source in question.sources]),
    }
    try:
        values["chosen"] = {source.name for source in session.sources.choose(question.sources)}
        if question.is_complete:
            values["answers"] = await answer(session, question, job)
    except Working as working:
        status = 202
        again = f"{path}/found?{question.query}&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("explore_pairs.html", **values), status)


@router.get(
    "/explore/analogy",
    **HTML_ROUTE,
    responses={**html_response("The page."), **JOB_RESPONSES, **REDIRECT_RESPONSES},
)
async def analogy_page(
    session: CurrentSession, question: AnalogyQuery, request: Request, job: JobQuery = ""
) -> Response:
    """A is to b as c is to …: the address contains the question."""
    return await _page(session, question, "/explore/analogy", answer_analogy, request, job)


@router.get(
    "/explore/analogy/found",
    **HTML_ROUTE,
    responses={**html_response("The answer alone."), **JOB_RESPONSES},
)
async def analogy_part(
    session: CurrentSession, question: AnalogyQuery, job: JobQuery = ""
) -> Response:
    """The answers to an analogy, as part of a page."""
    answers = await answer_analogy(session, question, job)
    path = "/explore/analogy"
    return HTMLResponse(
        render("explore_pairs_answer.html", question=question, answers=answers, view_path=path)
    )


@router.get(
    "/explore/plane",
    **HTML_ROUTE,
    responses={**html_response("The page."), **JOB_RESPONSES, **REDIRECT_RESPONSES},
)
async def plane_page(
    session: CurrentSession, question: PlaneQuery, request: Request, job: JobQuery = ""
) -> Response:
    """Pairs of words on two principal components: the address contains the pairs."""
    return await _page(session, question, "/explore/plane", place_pairs, request, job)


@router.get(
    "/explore/plane/found",
    **HTML_ROUTE,
    responses={**html_response("The answer alone."), **JOB_RESPONSES},
)
async def plane_part(session: CurrentSession, question: PlaneQuery, job: JobQuery = "") -> Response:
    """Pairs of words in a plane, as part of a page."""
    answers = await place_pairs(session, question, job)
    path = "/explore/plane"
    return HTMLResponse(
        render("explore_pairs_answer.html", question=question, answers=answers, view_path=path)
    )


@router.get(
    "/explore/plane/picture.{form}",
    response_class=Response,
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
)
async def plane_chart(
    session: CurrentSession,
    question: PlaneQuery,
    form: ChartFormat,
    size: Annotated[Size, Query(description="For a large screen, or for a phone.")] = "large",
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The chart of the pairs in one source."""
    planes = await place_pairs(session, question, job)
    name = session.sources.find(on).name if on else next(iter(planes))
    if name not in planes or isinstance(planes[name], str):
        raise CannotMeasure("There is nothing to draw: the pairs are not in this embedding.")

    def draw() -> Any:
        return plot_plane(planes[name], size=size)

    fingerprint = planes[name].source["fingerprint"]
    key = ("plane", tuple(question.read()), fingerprint, size)
    return await chart_response(session.jobs, key, draw, form, name=f"pairs-{name}", job=job)


# JSON and CSV


@router.get("/api/analogy", responses={**JOB_RESPONSES})
async def analogy_json(
    session: CurrentSession, question: AnalogyQuery, job: JobQuery = ""
) -> list[SourceAnswers]:
    """The answers to "a is to b as c is to …", source by source."""
    return await answer_analogy(session, question, job)


@router.get(
    "/explore/analogy/numbers.csv",
    response_class=Response,
    responses={**file_responses(["text/csv"]), **JOB_RESPONSES},
)
async def analogy_csv(
    session: CurrentSession, question: AnalogyQuery, job: JobQuery = ""
) -> Response:
    """The answers to an analogy as CSV."""
    answers = await answer_analogy(session, question, job)
    inputs = "allowed" if question.inputs else "excluded"
    if not question.c:
        names = ("source", "a", "b", "rank", "x", "y", "cosine", "unrestricted")
        pairs = [
            (entry.source, *entry.inputs, rank, x, y, round(score, 6), own)
            for entry in answers
            for rank, (x, y, score, own) in enumerate(entry.pairs, 1)
        ]
        return _csv("analogies", csv_text(names, pairs))
    heads = ("source", "a", "b", "c", "rule", "inputs", "rank", "word", "score", "is_input")
    rows = [
        (entry.source, *entry.inputs, entry.rule, inputs, rank, word, round(score, 6), is_input)
        for entry in answers
        for rank, (word, score, is_input) in enumerate(entry.answers, 1)
    ]
    return _csv("analogy", csv_text(heads, rows))


@router.get(
    "/explore/plane/numbers.csv",
    response_class=Response,
    responses={**file_responses(["text/csv"]), **JOB_RESPONSES},
)
async def plane_csv(session: CurrentSession, question: PlaneQuery, job: JobQuery = "") -> Response:
    """The coordinates of the words as CSV."""
    planes = await place_pairs(session, question, job)
    rows = [
        (name, row["pair"], row["word"], round(row["x"], 6), round(row["y"], 6))
        for name, plane in planes.items()
        if not isinstance(plane, str)
        for row in plane.to_rows()
    ]
    return _csv("pairs", csv_text(("source", "pair", "word", "x", "y"), rows))


def _csv(name: str, text: str) -> Response:
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, media_type="text/csv", headers=download_headers(name, "csv"))
