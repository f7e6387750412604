"""The page of audits: runs in the folders named at the start, one of them, or two compared."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from markupsafe import Markup
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from weatherglass.auditing import REPORT, Change
from weatherglass.report import element, join, numbers, page, sentence_markup, short_names, table

from ..ask import JobQuery
from ..charts import CHART_RESPONSES, ChartFormat, chart_response
from ..rendering import csv_text, download_headers, file_responses, render
from ..responses import HTML_ROUTE, JOB_RESPONSES, html_response
from ..session import CurrentSession, Page
from .runs import FILE_TYPES, Run, compare_runs, find_run, find_runs, open_run, render_run

_PS = ("p", "p_rotation", "p_holm", "pearson_p")
_NUMBERS = {
    "p_rotation": "p, random rotations",
    "p_holm": "p, Holm's correction",
    "pearson": "Pearson's r",
    "pearson_p": "p of Pearson's r",
    "spearman": "Spearman's ρ",
}


def runs_table(runs: Sequence[Run]) -> Markup:
    """Runs as a table of links."""
    rows = []
    for run in runs:
        at = f"/audits/run?{urlencode({'run': run.name})}"
        names = short_names([one.name for one in run.about.sources]).values()
        steps = ", ".join(f"{count:,} {status}" for status, count in run.counts.items())
        rows.append(
            (
                element("a", element("bdi", sentence_markup(run.name)), href=at),
                element(
                    "span",
                    join(
                        *(element("bdi", sentence_markup(name)) for name in names), separator=", "
                    ),
                ),
                sentence_markup(run.about.suite.id),
                sentence_markup(run.when),
                sentence_markup(steps),
            )
        )
    heads = ("Audit", "Sources", "Suite", "When (UTC)", "Steps")
    return table("Audits", heads, rows)


def changes_table(some: Sequence[Change], several: bool) -> Markup:
    """Changes as a table."""
    rows = [
        (
            sentence_markup(one.test),
            *([element("bdi", sentence_markup(one.source))] if several else []),
            sentence_markup(one.measure),
            sentence_markup(_NUMBERS.get(one.number, one.number)),
            *map(sentence_markup, format_change(one)),
        )
        for one in some
    ]
    heads = ("Test", *(["Source"] if several else []), "Measure", "Number", "Before", "After")
    last = len(heads) - 1
    return table("Changes", heads, rows, numbers=(last - 1, last))


def format_change(one: Change) -> tuple[str, str]:
    """Both numbers as pages write them; with more digits where these hide the change.

    >>> format_change(Change("", "weat", "weat6", "effect", 1.7078, 1.7112))
    ('1.708', '1.711')
    >>> format_change(Change("", "weat", "weat6", "p", 0.0123, 0.5))
    ('0.012', '0.50')
    """
    pair = (one.before, one.after)
    if not all(isinstance(value, float) for value in pair):
        before, after = map(str, pair)
        return before, after
    forms: list[Callable[[Any], str]] = [
        numbers.p_value if one.number in _PS else numbers.effect,
        *(f"{{:.{digits}g}}".format for digits in (4, 6, 17)),
    ]
    for form in forms:
        before, after = map(form, pair)
        if before != after:
            break
    return before, after


def changes_csv(some: Sequence[Change]) -> str:
    """Changes as CSV."""
    return csv_text(Change.__dataclass_fields__, (asdict(one).values() for one in some))


router = APIRouter()
Name = Annotated[str, Query(max_length=1000, description="An audit, as the list calls it.")]
_ALL: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Every test and measure, as `results.json` of an audit has them.",
        "content": {"application/json": {"schema": {}}},
    }
}


class RunOut(BaseModel):
    """An audit in a folder of the server."""

    name: str
    suite: str
    sources: list[str]
    started: str
    steps: dict[str, int]
    files: list[str]


class ChangeOut(BaseModel):
    """One number in two audits; null where one of them does not have it."""

    source: str
    measure: str
    test: str
    number: str
    before: float | int | str | None
    after: float | int | str | None


class ChangesOut(BaseModel):
    """Every number that differs between two audits."""

    before: str
    after: str
    changes: list[ChangeOut]


@router.get("/api/audits")
async def list_json(here: CurrentSession) -> list[RunOut]:
    """The audits in the folders of the server, the latest first."""
    found = await run_in_threadpool(find_runs, here.settings.folders)
    return [
        RunOut(
            name=audit_json.name,
            suite=audit_json.about.suite.id,
            sources=[source.name for source in audit_json.about.sources],
            started=audit_json.about.started,
            steps=audit_json.counts,
            files=audit_json.files(),
        )
        for audit_json in found
    ]


@router.get("/api/audits/run", response_class=Response, responses={**_ALL, **JOB_RESPONSES})
async def run_json(here: CurrentSession, run: Name = "", job: JobQuery = "") -> Response:
    """What an audit found."""
    _, made = await open_run(here, run, job)
    content = made.results.to_json().encode("utf-8", "replace")
    return Response(content, media_type="application/json")


@router.get("/api/audits/compare", responses={**JOB_RESPONSES})
async def compare_json(
    here: CurrentSession, before: Name = "", after: Name = "", job: JobQuery = ""
) -> ChangesOut:
    """What changed between two audits."""
    found = await compare_runs(here, before, after, job)
    return ChangesOut(
        before=found.before.name,
        after=found.after.name,
        changes=[ChangeOut(**vars(audit_json)) for audit_json in found.changes],
    )


PAGE = Page("Audits", "/audits", router)
MAX_ROWS = 300
File = Literal["results.json", "results.tsv", "results.parquet", "run.json", "report.html"]


@router.get("/audits", **HTML_ROUTE, responses=html_response("The page."))
async def list_page(here: CurrentSession) -> Response:
    """The audits in the folders of the server."""
    runs = await run_in_threadpool(find_runs, here.settings.folders)
    folders = [str(show_audit) for show_audit in here.settings.folders]
    shown = {"page_path": "/audits", "runs": runs, "folders": folders, "table": runs_table(runs)}
    return HTMLResponse(render("audits.html", **shown))


@router.get("/audits/run", **HTML_ROUTE, responses={**html_response("One audit."), **JOB_RESPONSES})
async def run_page(here: CurrentSession, run: Name = "", job: JobQuery = "") -> Response:
    """One audit: what was measured, the strongest findings, every effect, the steps."""
    found, made = await render_run(here, run, job)
    shown = {"page_path": "/audits", "run": found, "view": made, "files": found.files()}
    return HTMLResponse(render("audit.html", **shown))


@router.get(
    "/audits/effects.{form}",
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
    response_class=Response,
)
async def effects_chart(
    here: CurrentSession, form: ChartFormat, run: Name = "", job: JobQuery = ""
) -> Response:
    """Every effect of an audit with its interval."""
    found, made = await open_run(here, run, job)
    return await chart_response(
        here, ("effects", found.state), made.plot, form, name=f"effects-{found.name}", job=job
    )


@router.get(
    "/audits/report", **HTML_ROUTE, responses=html_response("The report, as the audit wrote it.")
)
async def report_page(here: CurrentSession, run: Name = "") -> Response:
    """The report of an audit.

    It is a page of its own with styles and a script inside, which pages of the server may not
    have. So it is shown in a sandbox: it belongs to no site, can ask this server for nothing, and
    of scripts only the one that our reports are made with is run.
    """
    found = await run_in_threadpool(find_run, here.settings.folders, run)
    content = await run_in_threadpool(found.read, REPORT)
    policy = await run_in_threadpool(_report_policy)
    # A page in a sandbox cannot be alone in its group of windows: browsers refuse to show it.
    headers = {
        "Content-Security-Policy": policy,
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    return HTMLResponse(content, headers=headers)


@cache
def _report_policy() -> str:
    ours = "'none'"
    if page.can_draw():
        digest = hashlib.sha256(page.chart_script().encode()).digest()
        ours = f"'sha256-{base64.b64encode(digest).decode()}'"
    return (
        f"sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src {ours}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@router.get("/audits/file", response_class=Response, responses=file_responses(FILE_TYPES.values()))
async def download(here: CurrentSession, file: File = "results.tsv", run: Name = "") -> Response:
    """A file of an audit."""
    found = await run_in_threadpool(find_run, here.settings.folders, run)
    content = await run_in_threadpool(found.read, file)
    stem, _, ending = file.rpartition(".")
    headers = download_headers(f"{found.name}-{stem}", ending)
    return Response(content, media_type=FILE_TYPES[file], headers=headers)


@router.get(
    "/audits/compare", **HTML_ROUTE, responses={**html_response("What changed."), **JOB_RESPONSES}
)
async def compare_page(
    here: CurrentSession, before: Name = "", after: Name = "", job: JobQuery = ""
) -> Response:
    """What changed between two audits."""
    runs = await run_in_threadpool(find_runs, here.settings.folders)
    found = await compare_runs(here, before, after, job)
    shown = {
        "page_path": "/audits",
        "runs": runs,
        "found": found,
        "table": changes_table(found.both[:MAX_ROWS], found.several),
        "most": MAX_ROWS,
    }
    return HTMLResponse(render("audits_compare.html", **shown))


@router.get(
    "/audits/changes.csv",
    response_class=Response,
    responses={**file_responses(["text/csv"]), **JOB_RESPONSES},
)
async def changes_file(
    here: CurrentSession, before: Name = "", after: Name = "", job: JobQuery = ""
) -> Response:
    """Every number that changed, as CSV."""
    found = await compare_runs(here, before, after, job)
    content = changes_csv(found.changes).encode("utf-8", "replace")
    return Response(content, media_type="text/csv", headers=download_headers("changes", "csv"))
