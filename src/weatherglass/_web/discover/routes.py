"""The routes of the Discover page: a search, its table, and one cell at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.discovery import Cell, Change, Comparison, Discovery
from weatherglass.errors import WeatherglassError
from weatherglass.report import (
    CHANGE_MARKS,
    cell_statistics,
    element,
    format_p_interval,
    groups_table,
    label_markup,
    prose,
    style,
    summary_figures,
    table,
    word_list,
)
from weatherglass.significance import PValue, format_p

from ..explore import Neighbour
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
    record_model,
    render_part,
)
from ..session import CurrentSession, JobQuery, Page, Session
from .ask_link import build_question
from .heat_map import View, ViewQuery, describe_names, table_values
from .question import (
    MAX_VALUES,
    CellId,
    OpenedCell,
    Search,
    SearchQuery,
    SearchResult,
    find_opening_search,
    list_searches,
    open_cell,
    run_search,
)

router = APIRouter()
PAGE = Page("Discover", "/discover", router)

_MEDIA_TYPES = {"json": "application/json", "csv": "text/csv", "html": "text/html"}
_JSON_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The whole result, as `weatherglass discover --format json` prints it.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


# The page


@router.get(
    "/discover",
    **HTML_ROUTE,
    responses={**html_response("The page."), **JOB_RESPONSES, **REDIRECT_RESPONSES},
)
async def page(
    session: CurrentSession,
    search: SearchQuery,
    view: ViewQuery,
    request: Request,
    job: JobQuery = "",
) -> Response:
    """Start a search and read its result. The address contains the whole search.

    Without a search, the page opens with that of the bundled embedding, if the server started it.
    """
    address = view.address(search)
    if search.source and not job and f"/discover?{request.url.query}" != address:
        return RedirectResponse(address, 303)
    if not search.source:
        search = find_opening_search(session) or search
    status, values = 200, _form_values(session, search)
    try:
        if search.source:
            values |= _answer_values(await run_search(session, search, job), search, view)
    except Working as working:
        status = 202
        again = view.address(search).replace("/discover?", "/discover/found?", 1)
        again += f"&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("discover.html", **values), status)


@router.get(
    "/discover/found",
    **HTML_ROUTE,
    responses={**html_response("The result alone."), **JOB_RESPONSES},
)
async def answer_part(
    session: CurrentSession, search: SearchQuery, view: ViewQuery, job: JobQuery = ""
) -> Response:
    """The result of a search, as part of a page."""
    result = await run_search(session, search, job)
    values = _answer_values(result, search, view) | {"titles": _source_titles(session)}
    return HTMLResponse(render("discover_answer.html", **values))


@router.get(
    "/discover/cell", **HTML_ROUTE, responses={**html_response("One cell."), **JOB_RESPONSES}
)
async def cell_part(
    session: CurrentSession,
    search: SearchQuery,
    request: Request,
    group: CellId = "",
    category: CellId = "",
    job: JobQuery = "",
) -> Response:
    """One cell: its words, score and p-value, and the neighbours of its words."""
    opened = await open_cell(session, search, group, category, job)
    back = f"/discover?{search.query}", "Back to the table"
    question = build_question(opened.discovery, opened.cell, search.source)
    values = {
        "opened": opened,
        "about": describe_names(opened.group, opened.discovery),
        "sentence": prose.association_sentence(opened.discovery, opened.cell),
        "question": question,
        "p": _format_cell_p(opened.cell.p),
        "others_table": _others_table(opened),
    }
    return render_part(request, "discover_cell_part.html", "One cell of a search", back, **values)


def _form_values(session: Session, search: Search) -> dict[str, Any]:
    """Return the values with which a template shows the form."""
    return {
        "page_path": "/discover",
        "search": search,
        "titles": _source_titles(session),
        "sources": list(session.sources),
        "max_values": MAX_VALUES,
        "earlier": [entry for entry in list_searches(session) if entry != search],
    }


def _source_titles(session: Session) -> dict[str, str]:
    """Return what people call each source, by its short name."""
    return {source.name: source.short_title for source in session.sources}


def _answer_values(result: SearchResult, search: Search, view: View) -> dict[str, Any]:
    """Return the values with which a template shows the result."""
    comparison, discovery = result.comparison, result.reference
    if comparison is not None:
        return {
            "discovery": discovery,
            "search": search,
            "figures": count_changes(comparison),
            "changes": changes_table(comparison),
            "groups": names_table(discovery),
        }
    return {
        "discovery": discovery,
        "search": search,
        "figures": summary_figures(discovery),
        "description": prose.describe_search(discovery),
        "sentences": [
            (cell, prose.association_sentence(discovery, cell))
            for cell in prose.strongest_cells(discovery, hidden=view.hide)
        ],
        **({"placebo": prose.describe_placebo(discovery)} if discovery.placebos else {}),
        "with_placebo": replace(search, placebo=1).query,
        "cells": linked_cells_table(discovery, search, view),
        "groups": names_table(discovery),
    }


# Tables


def linked_cells_table(discovery: Discovery, search: Search, view: View | None = None) -> Markup:
    """The heat map of groups and categories, each cell a link to its details."""
    values = table_values(discovery, search, view or View())
    return Markup(
        render(
            "discover_table.html",
            search=search,
            details=cell_statistics,
            steps=style.STEPS,
            **values,
        )
    )


def names_table(discovery: Discovery) -> Markup:
    """The groups with a few of their names; a script sets the bars under shares."""
    return groups_table(discovery, inline_styles=False)


def count_changes(comparison: Comparison) -> list[tuple[str, str]]:
    """The number of cells that appear, vanish and stay, for the top of the page."""
    texts = {"appears": "cells appear", "vanishes": "cells vanish", "stays": "cells stay"}
    return [
        (f"{CHANGE_MARKS[kind]} {len(comparison.of(kind)):,}", text) for kind, text in texts.items()
    ]


def changes_table(comparison: Comparison) -> Markup:
    """The cells that appear, vanish and stay between two sources, highest scores first."""
    labels = {
        category.id: label_markup(category.label) for category in comparison.before.categories
    }
    groups = {group.id: group for group in comparison.before.groups}
    rows = []
    for kind, mark in CHANGE_MARKS.items():
        for change in comparison.of(kind):
            cell = _either_cell(change)
            rows.append(
                (
                    element("span", labels[cell.category]),
                    describe_names(groups[cell.group], comparison.before),
                    element("span", element("b", mark), " ", kind),
                    *_words_and_p(change.before),
                    *_words_and_p(change.after),
                )
            )
    heads = ("Category", "Group", "Change", "Words before", "p", "Words after", "p")
    return table("Changes", heads, rows, numbers=(4, 6))


def _either_cell(change: Change) -> Cell:
    cell = change.before or change.after
    assert cell is not None  # a change has at least one of the two
    return cell


def _words_and_p(cell: Cell | None) -> tuple[Markup, str]:
    if cell is None:
        return Markup("–"), "–"
    return _cell_words(cell), format_p(cell.p.value)


def _cell_words(cell: Cell) -> Markup:
    """The words as one element, which a narrow screen does not break apart."""
    return element("span", word_list(cell.words))


def _format_cell_p(p: PValue) -> str:
    """The p-value, with the uncertainty of a finite number of rotations."""
    if p.low > 0:
        return format_p_interval(p)
    return f"{format_p(p.value)} (at most {format_p(p.high)})"


def _others_table(opened: OpenedCell) -> Markup:
    """The same category in the other groups."""
    groups = {group.id: group for group in opened.discovery.groups}
    rows = [
        (
            describe_names(groups[cell.group], opened.discovery),
            _cell_words(cell),
            f"{cell.score:.3f}",
            format_p(cell.p.value),
            "significant" if cell.significant else "not significant",
        )
        for cell in sorted(opened.others, key=lambda cell: -cell.score)
    ]
    heads = ("Group", "Words", "Score", "p", "")
    return table("Other groups", heads, rows, numbers=(2, 3))


# JSON

CellAnswer = record_model(
    Cell,
    names=tuple[str, ...],
    label=str,
    p=float,
    p_low=float,
    p_high=float,
    neighbours=dict[str, list[Neighbour]],
)


@router.get(
    "/api/discover", response_class=Response, responses={**_JSON_RESPONSES, **JOB_RESPONSES}
)
async def search_json(session: CurrentSession, search: SearchQuery, job: JobQuery = "") -> Response:
    """Run a search; 202 with the progress until it is done."""
    result = await run_search(session, search, job)
    return Response(result.to_json().encode("utf-8", "replace"), media_type="application/json")


@router.get("/api/discover/cell", response_model=CellAnswer, responses={**JOB_RESPONSES})
async def cell_json(
    session: CurrentSession,
    search: SearchQuery,
    group: CellId = "",
    category: CellId = "",
    job: JobQuery = "",
) -> Any:
    """One cell with the neighbours of its words."""
    opened = await open_cell(session, search, group, category, job)
    p = opened.cell.p
    return vars(opened.cell) | {
        "names": opened.group.shown,
        "label": opened.category.label,
        "p": p.value,
        "p_low": p.low,
        "p_high": p.high,
        "neighbours": opened.neighbours,
    }


# Chart and files


@router.get(
    "/discover/picture.{form}",
    response_class=Response,
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
)
async def chart(
    session: CurrentSession, search: SearchQuery, form: ChartFormat, job: JobQuery = ""
) -> Response:
    """The strongest categories of a discovery; of a comparison, the scores before and after."""
    from weatherglass.report import add_source_line, plot_change, plot_discovery

    result = await run_search(session, search, job)

    def draw() -> Any:
        if result.comparison is not None:
            return add_source_line(plot_change(result.comparison), [result.comparison])
        # Slurs are masked when the chart is written.
        chart = plot_discovery(result.reference, show_slurs=True)
        return add_source_line(chart, [result.reference])

    key = ("discover", search.query)
    return await chart_response(session.jobs, key, draw, form, name="discovery", job=job)


@router.get(
    "/discover/cleaning.{form}",
    response_class=Response,
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
)
async def cleaning_chart(
    session: CurrentSession, search: SearchQuery, form: ChartFormat, job: JobQuery = ""
) -> Response:
    """The names that cleaning kept and dropped, by their frequency."""
    from weatherglass.report import plot_cleaning

    result = await run_search(session, search, job)

    def draw() -> Any:
        return plot_cleaning(result.reference, show_slurs=True)  # masked when the chart is written

    key = ("discover cleaning", search.query)
    return await chart_response(session.jobs, key, draw, form, name="cleaning", job=job)


@router.get(
    "/discover/download.{kind}",
    response_class=Response,
    responses={**JOB_RESPONSES, **file_responses(_MEDIA_TYPES.values())},
)
async def download(
    session: CurrentSession,
    search: SearchQuery,
    kind: Literal["json", "csv", "html"],
    job: JobQuery = "",
) -> Response:
    """The whole result as JSON, the cells as CSV, or the report as one HTML page."""
    result = await run_search(session, search, job)

    def work(report: Callable[..., None]) -> bytes:
        write = {"json": _write_json, "csv": _write_csv, "html": _write_html}[kind]
        return write(result).encode("utf-8", "replace")

    key = ("discover file", kind, search.query)
    content = await session.jobs.answer(key, "Writing the file", work, job=job)
    name = "-".join(("discovery", *search.sources))
    return Response(content, media_type=_MEDIA_TYPES[kind], headers=download_headers(name, kind))


def _write_json(result: SearchResult) -> str:
    return result.to_json() + "\n"


def _write_csv(result: SearchResult) -> str:
    rows = result.to_rows()
    return csv_text(
        rows[0] if rows else (),
        (
            [", ".join(value) if isinstance(value, list) else value for value in row.values()]
            for row in rows
        ),
    )


def _write_html(result: SearchResult) -> str:
    from weatherglass.report import comparison_page, discovery_page

    if result.comparison is not None:
        return comparison_page(result.comparison)
    return discovery_page(result.reference)
