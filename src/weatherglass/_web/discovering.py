"""The page that searches: a discovery as a job, its table to browse, one cell at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.discovery import Comparison
from weatherglass.errors import WeatherglassError
from weatherglass.report.discovery import figures as figures_of

from . import discovered, discovering_api
from .answers import MAY_WORK, page_of, status_of, told_by
from .charts import PICTURE, Form, as_file, picture
from .jobs import Working
from .question import JobOf
from .rendering import render
from .search import MOST, Asked, Id, Search
from .searching import Found, opened_cell, searched
from .session import Here, Page, Session

router = APIRouter()
router.include_router(discovering_api.router)
PAGE = Page("Discover", "/discover", router)
_PART: dict[str, Any] = {"response_class": HTMLResponse}
_MOVED: dict[int | str, dict[str, Any]] = {303: {"description": "The same search, shorter."}}
_FILES = {"json": "application/json", "csv": "text/csv", "html": "text/html"}


@router.get("/discover", **_PART, responses={**page_of("The page."), **MAY_WORK, **_MOVED})
async def page(here: Here, search: Asked, request: Request, job: JobOf = "") -> Response:
    """Ask for a search, and read what it found. The address is the search."""
    if search.source and not job and request.url.query != search.query:
        return RedirectResponse(f"/discover?{search.query}", 303)
    status, shown = 200, _form(here, search)
    try:
        if search.source:
            shown |= _view(await searched(here, search, job), search)
    except Working as still:
        status = 202
        again = f"/discover/found?{search.query}&job={still.job.id}"
        shown |= {"working": still.job, "again": again}
    except WeatherglassError as error:
        status, shown["told"] = status_of(error), told_by(error)
    return HTMLResponse(render("discover.html", **shown), status)


def _form(here: Session, search: Search) -> dict[str, Any]:
    known = [one.key for one in here.jobs.of("discover") if isinstance(one.key, tuple)]
    return {
        "page_path": "/discover",
        "search": search,
        "sources": list(here.sources),
        "most": MOST,
        "earlier": [key[1] for key in known if key[1] != search],
    }


def _view(found: Found, search: Search) -> dict[str, Any]:
    """What a template needs to show what was found."""
    if isinstance(found, Comparison):
        return {
            "found": found.before,
            "search": search,
            "figures": discovered.figures(found),
            "changes": discovered.changes_table(found),
            "groups": discovered.names_table(found.before),
        }
    return {
        "found": found,
        "search": search,
        "figures": figures_of(found),
        "lead": discovered.searched(found),
        "cells": discovered.cells_table(found, search),
        "groups": discovered.names_table(found),
    }


@router.get("/discover/found", **_PART, responses={**page_of("What was found."), **MAY_WORK})
async def part(here: Here, search: Asked, job: JobOf = "") -> Response:
    """What was found, as part of a page."""
    made = await searched(here, search, job)
    return HTMLResponse(render("discover_found.html", **_view(made, search)))


@router.get("/discover/cell", **_PART, responses={**page_of("One cell."), **MAY_WORK})
async def cell(
    here: Here, search: Asked, request: Request, group: Id = "", category: Id = "", job: JobOf = ""
) -> Response:
    """One cell: its words, score and p-value, and what lies near its words."""
    opened = await opened_cell(here, search, group, category, job)
    form = "part" if request.headers.get("hx-request") else "page"
    shown = {"opened": opened, "search": search, "page_path": "/discover"}
    return HTMLResponse(render(f"discover_cell_{form}.html", **shown))


@router.get("/discover/picture.{form}", responses={**PICTURE, **MAY_WORK}, response_class=Response)
async def drawn(here: Here, search: Asked, form: Form, job: JobOf = "") -> Response:
    """The strongest categories of a discovery; of a comparison, the scores before and after."""
    from weatherglass.report.change_plot import plot_change
    from weatherglass.report.discovery_plot import plot_discovery

    found = await searched(here, search, job)

    def draw() -> Any:
        if isinstance(found, Comparison):
            return plot_change(found)
        return plot_discovery(found, show_slurs=True)  # masked where it is written

    return await picture(here, ("found", search.query), draw, form, name="discovery", job=job)


@router.get(
    "/discover/download.{kind}",
    response_class=Response,
    responses={
        **MAY_WORK,
        200: {
            "description": "The file.",
            "content": {kind: {"schema": {"type": "string"}} for kind in _FILES.values()},
        },
    },
)
async def download(
    here: Here, search: Asked, kind: Literal["json", "csv", "html"], job: JobOf = ""
) -> Response:
    """All that was found as JSON, the cells as CSV, or the report's page."""
    found = await searched(here, search, job)

    def work(report: Callable[..., None]) -> bytes:
        made = {"json": _json, "csv": _csv, "html": _html}[kind](found)
        return made.encode("utf-8", "replace")

    key = ("found file", kind, search.query)
    content = await here.jobs.answer(key, "Writing", work, job=job)
    name = "-".join(("discovery", *search.sources))
    return Response(content, media_type=_FILES[kind], headers=as_file(name, kind))


def _json(found: Found) -> str:
    return found.to_json() + "\n"


def _csv(found: Found) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    rows = found.to_rows()
    writer.writerow(rows[0] if rows else ())
    for row in rows:
        cells = (", ".join(one) if isinstance(one, list) else one for one in row.values())
        writer.writerow("" if one is None else one for one in cells)
    return stream.getvalue()


def _html(found: Found) -> str:
    from weatherglass.report import comparison_page, discovery_page

    if isinstance(found, Comparison):
        return comparison_page(found)
    return discovery_page(found)
