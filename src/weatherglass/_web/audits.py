"""The page of audits: runs in the folders named at the start, one of them, or two compared."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Literal

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, Response

from weatherglass.auditing.folder import REPORT
from weatherglass.report import pictures

from . import audits_api
from .ask_question import JobOf
from .audits_answers import audited, changed, seen
from .audits_api import Name
from .audits_folders import FILES, find_run, find_runs
from .audits_tables import all_of, as_csv, listed
from .charts import PICTURE, Form, picture
from .files import as_file, file_of
from .rendering import render
from .responses import HTML, MAY_WORK, page_of
from .session import Here, Page

router = APIRouter()
router.include_router(audits_api.router)
PAGE = Page("Audits", "/audits", router)
MOST_ROWS = 300
File = Literal["results.json", "results.tsv", "results.parquet", "run.json", "report.html"]


@router.get("/audits", **HTML, responses=page_of("The page."))
async def page(here: Here) -> Response:
    """The audits in the folders of the server."""
    runs = await run_in_threadpool(find_runs, here.settings.folders)
    folders = [str(one) for one in here.settings.folders]
    shown = {"page_path": "/audits", "runs": runs, "folders": folders, "table": all_of(runs)}
    return HTMLResponse(render("audits.html", **shown))


@router.get("/audits/run", **HTML, responses={**page_of("One audit."), **MAY_WORK})
async def one(here: Here, run: Name = "", job: JobOf = "") -> Response:
    """One audit: what was measured, the strongest findings, every effect, the steps."""
    found, made = await seen(here, run, job)
    shown = {"page_path": "/audits", "run": found, "view": made, "files": found.files()}
    return HTMLResponse(render("audit.html", **shown))


@router.get("/audits/effects.{form}", responses={**PICTURE, **MAY_WORK}, response_class=Response)
async def effects(here: Here, form: Form, run: Name = "", job: JobOf = "") -> Response:
    """Every effect of an audit with its interval."""
    found, made = await audited(here, run, job)
    return await picture(
        here, ("effects", found.state), made.plot, form, name=f"effects-{found.name}", job=job
    )


@router.get("/audits/report", **HTML, responses=page_of("The report, as the audit wrote it."))
async def report(here: Here, run: Name = "") -> Response:
    """The report of an audit.

    It is a page of its own with styles and a script inside, which pages of the server may not
    have. So it is shown in a sandbox: it belongs to no site, can ask this server for nothing, and
    of scripts only the one that our reports are made with is run.
    """
    found = await run_in_threadpool(find_run, here.settings.folders, run)
    content = await run_in_threadpool(found.read, REPORT)
    policy = await run_in_threadpool(_policy)
    # A page in a sandbox cannot be alone in its group of windows: browsers refuse to show it.
    headers = {
        "Content-Security-Policy": policy,
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    return HTMLResponse(content, headers=headers)


@cache
def _policy() -> str:
    ours = "'none'"
    if pictures.can_draw():
        digest = hashlib.sha256(pictures.script().encode()).digest()
        ours = f"'sha256-{base64.b64encode(digest).decode()}'"
    return (
        f"sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src {ours}; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@router.get("/audits/file", response_class=Response, responses=file_of(FILES.values()))
async def download(here: Here, file: File = "results.tsv", run: Name = "") -> Response:
    """A file of an audit."""
    found = await run_in_threadpool(find_run, here.settings.folders, run)
    content = await run_in_threadpool(found.read, file)
    stem, _, ending = file.rpartition(".")
    headers = as_file(f"{found.name}-{stem}", ending)
    return Response(content, media_type=FILES[file], headers=headers)


@router.get("/audits/compare", **HTML, responses={**page_of("What changed."), **MAY_WORK})
async def compare(here: Here, before: Name = "", after: Name = "", job: JobOf = "") -> Response:
    """What changed between two audits."""
    runs = await run_in_threadpool(find_runs, here.settings.folders)
    found = await changed(here, before, after, job)
    shown = {
        "page_path": "/audits",
        "runs": runs,
        "found": found,
        "table": listed(found.both[:MOST_ROWS], found.several),
        "most": MOST_ROWS,
    }
    return HTMLResponse(render("audits_compare.html", **shown))


@router.get(
    "/audits/changes.csv",
    response_class=Response,
    responses={**file_of(["text/csv"]), **MAY_WORK},
)
async def changes_file(
    here: Here, before: Name = "", after: Name = "", job: JobOf = ""
) -> Response:
    """Every number that changed, as CSV."""
    found = await changed(here, before, after, job)
    content = as_csv(found.changes).encode("utf-8", "replace")
    return Response(content, media_type="text/csv", headers=as_file("changes", "csv"))
