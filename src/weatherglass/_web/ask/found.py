"""Who gets found: a retrieval audit of an encoder, or of the means of an embedding's vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from weatherglass.encoders import Cbow, open_encoder
from weatherglass.errors import UsageError, WeatherglassError, did_you_mean, quote_safe
from weatherglass.report import grade_badge, plot
from weatherglass.retrieval import Retrieval, retrieve

from ..jobs import Working
from ..rendering import CHART_RESPONSES, ChartFormat, chart_response, render
from ..responses import HTML_ROUTE, JOB_RESPONSES, error_status, error_text, html_response
from ..session import CurrentSession, JobQuery, Session
from ..sources import SourceReference

router = APIRouter()

OnQuery = Annotated[str, Query(max_length=500, description="An encoder or an embedding.")]
TopQuery = Annotated[
    float, Query(gt=0, lt=1, description="The share of each ranking that counts as selected.")
]


@router.get("/ask/found", **HTML_ROUTE, responses={**html_response("The page."), **JOB_RESPONSES})
async def page(
    session: CurrentSession,
    on: OnQuery = "",
    top: TopQuery = 0.1,
    job: JobQuery = "",
) -> Response:
    """Rank the catalogue's résumés, which differ only in a name, for its job descriptions."""
    values: dict[str, Any] = {
        "page_path": "/",
        "encoders": session.settings.encoders,
        "sources": list(session.sources),
        "on": on,
        "top": top,
    }
    status = 200
    try:
        if on:
            values |= _answer_values(await run_retrieval(session, on, top, job), on, top)
    except Working as working:
        status = 202
        values |= {"working": working.job, "again": _address("answer", on, top, working.job.id)}
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("ask_found.html", **values), status)


@router.get(
    "/ask/found/answer",
    **HTML_ROUTE,
    responses={**html_response("The result alone."), **JOB_RESPONSES},
)
async def answer_part(
    session: CurrentSession, on: OnQuery, top: TopQuery = 0.1, job: JobQuery = ""
) -> Response:
    """The result, as part of a page."""
    found = await run_retrieval(session, on, top, job)
    return HTMLResponse(render("ask_found_answer.html", **_answer_values(found, on, top)))


@router.get(
    "/ask/found.{form}", response_class=Response, responses={**CHART_RESPONSES, **JOB_RESPONSES}
)
async def chart(
    session: CurrentSession,
    form: ChartFormat,
    on: OnQuery,
    top: TopQuery = 0.1,
    job: JobQuery = "",
) -> Response:
    """The effects with their intervals, and the impact ratios."""
    found = await run_retrieval(session, on, top, job)
    key = ("found", found.source["fingerprint"], top)
    return await chart_response(session.jobs, key, lambda: plot(found), form, name="found", job=job)


async def run_retrieval(session: Session, on: str, top: float, job: str = "") -> Retrieval:
    """Run the audit in a process; `on` is an encoder of the settings, or an embedding."""
    if on in session.settings.encoders:
        target: str | SourceReference = on
        key: tuple[object, ...] = ("found", on, top)
    else:
        known = [*session.settings.encoders, *(source.name for source in session.sources)]
        if on not in known:
            hint = did_you_mean(on, known)
            raise UsageError(f"There is no encoder or embedding {quote_safe(on)} here.{hint}")
        await session.sources.open((on,), job)
        (target,) = session.sources.refer([on])
        key = ("found", target.fingerprint, top)

    def work(report: Callable[..., None]) -> Retrieval:
        return session.jobs.call(report, retrieve_in_process, target, top)

    return await session.jobs.answer(key, "Ranking documents", work, is_long=True, job=job)


def retrieve_in_process(
    report: Callable[..., None], target: str | SourceReference, top: float
) -> Retrieval:
    """Run the audit, in a process."""
    if isinstance(target, str):
        return retrieve(open_encoder(target), top=top, progress=report)
    encoder = Cbow(target.open(report), name=target.name)
    return retrieve(encoder, top=top, progress=report, cache=False)


def _answer_values(found: Retrieval, on: str, top: float) -> dict[str, Any]:
    results = [result for result in found.results if result.is_done]
    # The page begins with the first difference between groups, if there is one.
    leads = [r for grade in ("clear", "mixed") for r in results if r.finding.grade == grade]
    return {
        "found": found,
        "results": results,
        "lead": next(iter(leads), None),
        "grade_badge": grade_badge,
        "chart_query": _query(on, top),
        "strongest": sorted(found.by_query, key=lambda row: row.p)[:8],
    }


def _query(on: str, top: float) -> str:
    return urlencode({"on": on, "top": f"{top:g}"})


def _address(part: str, on: str, top: float, job: str) -> str:
    return f"/ask/found/{part}?{_query(on, top)}&job={job}"
