"""The page that searches: a discovery as a job, its table to browse, one cell at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.discovery import Comparison
from weatherglass.errors import WeatherglassError
from weatherglass.report import summary_figures as figures_of

from ..ask import JobQuery
from ..charts import CHART_RESPONSES, ChartFormat, chart_response
from ..jobs import Working
from ..rendering import csv_text, download_headers, file_responses, render
from ..responses import (
    HTML_ROUTE,
    JOB_RESPONSES,
    error_status,
    error_text,
    html_response,
    render_part,
)
from ..session import CurrentSession, Page, Session
from . import tables
from .question import MAX_VALUES, CellId, Search, SearchQuery
from .tables import SearchResult, open_cell, run_search

router = APIRouter()
_ALL: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "All that was found, as `weatherglass discover --format json` prints it.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


class Near(BaseModel):
    """A word near another, with their cosine."""

    word: str
    cosine: float


class CellOut(BaseModel):
    """One cell of a search."""

    group: str
    names: list[str]
    category: str
    label: str
    words: list[str]
    score: float
    p: float
    p_low: float
    p_high: float
    significant: bool
    neighbours: dict[str, list[Near]]


@router.get("/api/discover", response_class=Response, responses={**_ALL, **JOB_RESPONSES})
async def search_json(here: CurrentSession, asked: SearchQuery, job: JobQuery = "") -> Response:
    """Search; 202 with the progress until it is done."""
    made = await run_search(here, asked, job)
    return Response(made.to_json().encode("utf-8", "replace"), media_type="application/json")


@router.get("/api/discover/cell", responses={**JOB_RESPONSES})
async def cell_json(
    here: CurrentSession,
    asked: SearchQuery,
    group: CellId = "",
    category: CellId = "",
    job: JobQuery = "",
) -> CellOut:
    """One cell with the neighbours of its words."""
    made = await open_cell(here, asked, group, category, job)
    one = made.cell
    return CellOut(
        group=one.group,
        names=list(made.group.shown),
        category=one.category,
        label=made.category.label,
        words=list(one.words),
        score=one.score,
        p=one.p.value,
        p_low=one.p.low,
        p_high=one.p.high,
        significant=one.significant,
        neighbours={
            word: [Near(word=near, cosine=cosine) for near, cosine in some]
            for word, some in made.near.items()
        },
    )


PAGE = Page("Discover", "/discover", router)
_MOVED: dict[int | str, dict[str, Any]] = {303: {"description": "The same search, shorter."}}
_FILES = {"json": "application/json", "csv": "text/csv", "html": "text/html"}


@router.get(
    "/discover", **HTML_ROUTE, responses={**html_response("The page."), **JOB_RESPONSES, **_MOVED}
)
async def page(
    here: CurrentSession, search: SearchQuery, request: Request, job: JobQuery = ""
) -> Response:
    """Ask for a search, and read what it found. The address is the search."""
    if search.source and not job and request.url.query != search.query:
        return RedirectResponse(f"/discover?{search.query}", 303)
    status, shown = 200, _form_values(here, search)
    try:
        if search.source:
            shown |= _answer_values(await run_search(here, search, job), search)
    except Working as still:
        status = 202
        again = f"/discover/found?{search.query}&job={still.job.id}"
        shown |= {"working": still.job, "again": again}
    except WeatherglassError as error:
        status, shown["told"] = error_status(error), error_text(error)
    return HTMLResponse(render("discover.html", **shown), status)


def _form_values(here: Session, search: Search) -> dict[str, Any]:
    known = [one.key for one in here.jobs.of("discover") if isinstance(one.key, tuple)]
    return {
        "page_path": "/discover",
        "search": search,
        "sources": list(here.sources),
        "most": MAX_VALUES,
        "earlier": [key[1] for key in known if key[1] != search],
    }


def _answer_values(found: SearchResult, search: Search) -> dict[str, Any]:
    """What a template needs to show what was found."""
    if isinstance(found, Comparison):
        return {
            "found": found.before,
            "search": search,
            "figures": tables.figures(found),
            "changes": tables.changes_table(found),
            "groups": tables.names_table(found.before),
        }
    return {
        "found": found,
        "search": search,
        "figures": figures_of(found),
        "lead": tables.describe_search(found),
        "cells": tables.linked_cells_table(found, search),
        "groups": tables.names_table(found),
    }


@router.get(
    "/discover/found", **HTML_ROUTE, responses={**html_response("What was found."), **JOB_RESPONSES}
)
async def answer_part(here: CurrentSession, search: SearchQuery, job: JobQuery = "") -> Response:
    """What was found, as part of a page."""
    made = await run_search(here, search, job)
    return HTMLResponse(render("discover_found.html", **_answer_values(made, search)))


@router.get(
    "/discover/cell", **HTML_ROUTE, responses={**html_response("One cell."), **JOB_RESPONSES}
)
async def cell_part(
    here: CurrentSession,
    search: SearchQuery,
    request: Request,
    group: CellId = "",
    category: CellId = "",
    job: JobQuery = "",
) -> Response:
    """One cell: its words, score and p-value, and what lies near its words."""
    opened = await open_cell(here, search, group, category, job)
    back = f"/discover?{search.query}", "The whole table"
    return render_part(
        request, "discover_cell_part.html", "One cell of a search", back, opened=opened
    )


@router.get(
    "/discover/picture.{form}",
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
    response_class=Response,
)
async def chart(
    here: CurrentSession, search: SearchQuery, form: ChartFormat, job: JobQuery = ""
) -> Response:
    """The strongest categories of a discovery; of a comparison, the scores before and after."""
    from weatherglass.report import plot_change, plot_discovery

    found = await run_search(here, search, job)

    def draw() -> Any:
        if isinstance(found, Comparison):
            return plot_change(found)
        return plot_discovery(found, show_slurs=True)  # masked where it is written

    return await chart_response(
        here, ("found", search.query), draw, form, name="discovery", job=job
    )


@router.get(
    "/discover/download.{kind}",
    response_class=Response,
    responses={
        **JOB_RESPONSES,
        **file_responses(_FILES.values()),
    },
)
async def download(
    here: CurrentSession,
    search: SearchQuery,
    kind: Literal["json", "csv", "html"],
    job: JobQuery = "",
) -> Response:
    """All that was found as JSON, the cells as CSV, or the report's page."""
    found = await run_search(here, search, job)

    def work(report: Callable[..., None]) -> bytes:
        made = {"json": _json, "csv": _csv, "html": _html}[kind](found)
        return made.encode("utf-8", "replace")

    key = ("found file", kind, search.query)
    content = await here.jobs.answer(key, "Writing", work, job=job)
    name = "-".join(("discovery", *search.sources))
    return Response(content, media_type=_FILES[kind], headers=download_headers(name, kind))


def _json(found: SearchResult) -> str:
    return found.to_json() + "\n"


def _csv(found: SearchResult) -> str:
    rows = found.to_rows()
    return csv_text(
        rows[0] if rows else (),
        ([", ".join(x) if isinstance(x, list) else x for x in row.values()] for row in rows),
    )


def _html(found: SearchResult) -> str:
    from weatherglass.report import comparison_page, discovery_page

    if isinstance(found, Comparison):
        return comparison_page(found)
    return discovery_page(found)
