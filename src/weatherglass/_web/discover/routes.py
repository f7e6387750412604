"""The page that searches: a discovery as a job, its table to browse, one cell at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.discovery import Comparison
from weatherglass.errors import WeatherglassError
from weatherglass.report import figures as figures_of

from ..ask import JobOf
from ..charts import PICTURE, Form, picture
from ..jobs import Working
from ..rendering import as_file, csv_text, file_of, render
from ..responses import HTML, MAY_WORK, page_of, part_of, status_of, told_by
from ..session import Here, Page, Session
from . import tables
from .question import MOST, Asked, Id, Search
from .tables import Found, opened_cell, run_search

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


@router.get("/api/discover", response_class=Response, responses={**_ALL, **MAY_WORK})
async def search(here: Here, asked: Asked, job: JobOf = "") -> Response:
    """Search; 202 with the progress until it is done."""
    made = await run_search(here, asked, job)
    return Response(made.to_json().encode("utf-8", "replace"), media_type="application/json")


@router.get("/api/discover/cell", responses={**MAY_WORK})
async def cell_json(
    here: Here, asked: Asked, group: Id = "", category: Id = "", job: JobOf = ""
) -> CellOut:
    """One cell with the neighbours of its words."""
    made = await opened_cell(here, asked, group, category, job)
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


@router.get("/discover", **HTML, responses={**page_of("The page."), **MAY_WORK, **_MOVED})
async def page(here: Here, search: Asked, request: Request, job: JobOf = "") -> Response:
    """Ask for a search, and read what it found. The address is the search."""
    if search.source and not job and request.url.query != search.query:
        return RedirectResponse(f"/discover?{search.query}", 303)
    status, shown = 200, _form(here, search)
    try:
        if search.source:
            shown |= _view(await run_search(here, search, job), search)
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
            "figures": tables.figures(found),
            "changes": tables.changes_table(found),
            "groups": tables.names_table(found.before),
        }
    return {
        "found": found,
        "search": search,
        "figures": figures_of(found),
        "lead": tables.searched(found),
        "cells": tables.linked_cells_table(found, search),
        "groups": tables.names_table(found),
    }


@router.get("/discover/found", **HTML, responses={**page_of("What was found."), **MAY_WORK})
async def part(here: Here, search: Asked, job: JobOf = "") -> Response:
    """What was found, as part of a page."""
    made = await run_search(here, search, job)
    return HTMLResponse(render("discover_found.html", **_view(made, search)))


@router.get("/discover/cell", **HTML, responses={**page_of("One cell."), **MAY_WORK})
async def cell(
    here: Here, search: Asked, request: Request, group: Id = "", category: Id = "", job: JobOf = ""
) -> Response:
    """One cell: its words, score and p-value, and what lies near its words."""
    opened = await opened_cell(here, search, group, category, job)
    back = f"/discover?{search.query}", "The whole table"
    return part_of(request, "discover_cell_part.html", "One cell of a search", back, opened=opened)


@router.get("/discover/picture.{form}", responses={**PICTURE, **MAY_WORK}, response_class=Response)
async def drawn(here: Here, search: Asked, form: Form, job: JobOf = "") -> Response:
    """The strongest categories of a discovery; of a comparison, the scores before and after."""
    from weatherglass.report import plot_change, plot_discovery

    found = await run_search(here, search, job)

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
        **file_of(_FILES.values()),
    },
)
async def download(
    here: Here, search: Asked, kind: Literal["json", "csv", "html"], job: JobOf = ""
) -> Response:
    """All that was found as JSON, the cells as CSV, or the report's page."""
    found = await run_search(here, search, job)

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
    rows = found.to_rows()
    return csv_text(
        rows[0] if rows else (),
        ([", ".join(x) if isinstance(x, list) else x for x in row.values()] for row in rows),
    )


def _html(found: Found) -> str:
    from weatherglass.report import comparison_page, discovery_page

    if isinstance(found, Comparison):
        return comparison_page(found)
    return discovery_page(found)
