"""The routes of the Audits page: the list of audits, one audit, the comparison of two."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
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
from weatherglass.catalog import Test, tests
from weatherglass.errors import SourceNotFound, quote_safe
from weatherglass.findings import FindingChange
from weatherglass.report import (
    SLOPE_WIDTHS,
    element,
    grade_badge,
    join,
    lay_out_slopes,
    model_title,
    numbers,
    sentence_markup,
    short_names,
    table,
)
from weatherglass.report import page as report_page_parts

from ..rendering import (
    CHART_RESPONSES,
    ChartFormat,
    chart_response,
    csv_text,
    download_headers,
    file_responses,
    format_signed,
    render,
)
from ..responses import HTML_ROUTE, JOB_RESPONSES, html_response
from ..session import CurrentSession, JobQuery, Page, SourceQuery
from ..sources import is_inside
from .runs import FILE_TYPES, Run, compare_runs, find_run, find_runs, open_run, render_run
from .start import SuiteName, run_audit, suite_titles

router = APIRouter()
PAGE = Page("Audits", "/audits", router)

MAX_ROWS = 300
RunQuery = Annotated[
    str, Query(max_length=1000, description="The name of an audit, as in the list.")
]
FileName = Literal["results.json", "results.tsv", "results.parquet", "run.json", "report.html"]
_P_VALUES = ("p", "p_rotation", "p_holm", "pearson_p")
_NUMBER_NAMES = {
    "effect": "effect size",
    "p_rotation": "rotation p",
    "p_holm": "p, Holm-corrected",
    "pearson": "Pearson's r",
    "pearson_p": "p of Pearson's r",
    "spearman": "Spearman's ρ",
}


# The list


@router.get("/audits", **HTML_ROUTE, responses=html_response("The page."))
async def list_page(session: CurrentSession) -> Response:
    """The audits in the folders of the server."""
    runs = await run_in_threadpool(find_runs, session.folders)
    values = {
        "page_path": "/audits",
        "runs": runs,
        "folders": [str(folder) for folder in session.folders],
        "table": runs_table(runs),
        "sources": list(session.sources),
        "suites": suite_titles(),
    }
    return HTMLResponse(render("audits.html", **values))


def runs_table(runs: Sequence[Run]) -> Markup:
    """List runs as a table of links."""
    rows = []
    for run in runs:
        address = f"/audits/run?{urlencode({'run': run.name})}"
        names = short_names([source.name for source in run.record.sources])
        titles = [model_title(dict(source)) or names[source.name] for source in run.record.sources]
        steps = ", ".join(f"{count:,} {status}" for status, count in run.counts.items())
        sources = (element("bdi", sentence_markup(title)) for title in titles)
        rows.append(
            (
                element("a", element("bdi", sentence_markup(run.name)), href=address),
                element("span", join(*sources, separator=", ")),
                sentence_markup(run.record.suite.id),
                sentence_markup(run.started),
                sentence_markup(steps),
            )
        )
    heads = ("Audit", "Sources", "Suite", "Started (UTC)", "Steps")
    return table("Audits", heads, rows)


# A new audit


@router.get(
    "/audits/start",
    **HTML_ROUTE,
    responses={**html_response("The audit is finished."), **JOB_RESPONSES},
)
async def start_page(
    session: CurrentSession,
    source: SourceQuery = "",
    suite: SuiteName = "quick",
    job: JobQuery = "",
) -> Response:
    """Audit a source with a suite, and link to the report."""
    name = await run_audit(session, source, suite, job)
    runs = await run_in_threadpool(find_runs, session.folders)
    run = next((run for run in runs if run.folder.name == name), None)
    if run is None:
        raise SourceNotFound(f"The audit {quote_safe(name)} was deleted.")
    values = {
        "page_path": "/audits",
        "run": run.name,
        "other": next((other.name for other in runs if other is not run), ""),
        "is_temporary": not is_inside(run.folder, session.settings.folders),
    }
    return HTMLResponse(render("audit_started.html", **values))


# One audit


@router.get("/audits/run", **HTML_ROUTE, responses={**html_response("One audit."), **JOB_RESPONSES})
async def run_page(session: CurrentSession, run: RunQuery = "", job: JobQuery = "") -> Response:
    """One audit: what was measured, the findings, every effect size, the steps."""
    opened, sections = await render_run(session, run, job)
    values = {
        "page_path": "/audits",
        "run": opened,
        "sections": sections,
        "files": opened.files(),
    }
    return HTMLResponse(render("audit.html", **values))


@router.get(
    "/audits/effects.{form}",
    response_class=Response,
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
)
async def effects_chart(
    session: CurrentSession, form: ChartFormat, run: RunQuery = "", job: JobQuery = ""
) -> Response:
    """Every effect size of an audit with its interval."""
    opened, result = await open_run(session, run, job)
    key, name = ("effects", opened.state), f"effects-{opened.name}"
    return await chart_response(session.jobs, key, result.plot, form, name=name, job=job)


@router.get(
    "/audits/report", **HTML_ROUTE, responses=html_response("The report, as the audit wrote it.")
)
async def report_page(session: CurrentSession, run: RunQuery = "") -> Response:
    """The report of an audit, in a sandbox.

    A report has inline styles and a script, which pages of the server may not have. In the sandbox
    it has no origin and can request nothing from this server, and the only script that runs is the
    one that our own reports contain.
    """
    found = await run_in_threadpool(find_run, session.folders, run)
    content = await run_in_threadpool(found.read, REPORT)
    headers = {
        "Content-Security-Policy": await run_in_threadpool(_report_policy),
        # Browsers refuse to show a sandboxed page that isolates itself from other windows.
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    return HTMLResponse(content, headers=headers)


@cache
def _report_policy() -> str:
    digest = hashlib.sha256(report_page_parts.report_script().encode()).digest()
    allowed_script = f"'sha256-{base64.b64encode(digest).decode()}'"
    return (
        "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src {allowed_script}; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


@router.get("/audits/file", response_class=Response, responses=file_responses(FILE_TYPES.values()))
async def download(
    session: CurrentSession, file: FileName = "results.tsv", run: RunQuery = ""
) -> Response:
    """A file of an audit."""
    found = await run_in_threadpool(find_run, session.folders, run)
    content = await run_in_threadpool(found.read, file)
    stem, _, suffix = file.rpartition(".")
    headers = download_headers(f"{found.name}-{stem}", suffix)
    return Response(content, media_type=FILE_TYPES[file], headers=headers)


# Two audits


@router.get(
    "/audits/compare",
    **HTML_ROUTE,
    responses={**html_response("The comparison."), **JOB_RESPONSES},
)
async def compare_page(
    session: CurrentSession, before: RunQuery = "", after: RunQuery = "", job: JobQuery = ""
) -> Response:
    """The numbers that changed between two audits."""
    runs = await run_in_threadpool(find_runs, session.folders)
    comparison = await compare_runs(session, before, after, job)
    values = {
        "page_path": "/audits",
        "runs": runs,
        "comparison": comparison,
        "slopes": {
            kind: lay_out_slopes(comparison.compared, width, comparison.has_many_sources)
            for kind, width in SLOPE_WIDTHS.items()
        },
        "findings_table": findings_table(
            comparison.compared[:MAX_ROWS], comparison.has_many_sources
        ),
        "table": changes_table(
            comparison.changed[:MAX_ROWS],
            comparison.has_many_sources,
            {
                change.finding.result.test: change.finding.result.title
                for change in comparison.findings
            },
        ),
        "max_rows": MAX_ROWS,
    }
    return HTMLResponse(render("audits_compare.html", **values))


def findings_table(changes: Sequence[FindingChange], show_source: bool) -> Markup:
    """List the findings of both audits as a table: titles, numbers, and the difference."""
    rows = []
    for change in changes:
        before, after = change.before, change.after
        assert before is not None  # a change with a difference has both
        assert after is not None
        result, values = change.finding.result, change.values
        address = f"/?{urlencode({'test': result.test})}"
        is_known = result.test in _catalogue_tests()
        title = sentence_markup(result.title)
        is_own_scale = result.section == "measures"
        measure = element("small", str(result.row()["measure"])) if is_own_scale else ""
        rows.append(
            (
                join(element("a", title, href=address) if is_known else title, measure),
                *([element("bdi", sentence_markup(result.source_name))] if show_source else []),
                *(numbers.effect(value or 0.0) for value in values),
                format_signed(change.delta) if change.delta else "0",
                "" if change.p is None else numbers.p_value(change.p),
                join(grade_badge(before), " → ", grade_badge(after)),
                sentence_markup(change.label),
            )
        )
    heads = (
        "Test",
        *(["Source"] if show_source else []),
        "Before",
        "After",
        "Difference",
        "p of the difference",
        "Grade",
        "Finding",
    )
    first = 2 if show_source else 1
    return table("Findings in both audits", heads, rows, numbers=range(first, first + 4))


@cache
def _catalogue_tests() -> frozenset[str]:
    """The tests that the Ask page can open by their id."""
    return frozenset(test.id for test in tests() if isinstance(test, Test))


def changes_table(
    changes: Sequence[Change], show_source: bool, titles: Mapping[str, str]
) -> Markup:
    """List changes of single numbers as a table; `titles` are those of the tests by id."""
    rows = [
        (
            sentence_markup(titles.get(change.test, change.test)),
            *([element("bdi", sentence_markup(change.source))] if show_source else []),
            sentence_markup(change.measure),
            sentence_markup(_NUMBER_NAMES.get(change.number, change.number)),
            *map(sentence_markup, format_change(change)),
        )
        for change in changes
    ]
    heads = ("Test", *(["Source"] if show_source else []), "Measure", "Number", "Before", "After")
    last = len(heads) - 1
    return table("Changes", heads, rows, numbers=(last - 1, last))


def format_change(change: Change) -> tuple[str, str]:
    """Format both numbers as on other pages, with more digits where rounding hides the change.

    >>> format_change(Change("", "weat", "weat6", "effect", 1.7078, 1.7112))
    ('1.708', '1.711')
    >>> format_change(Change("", "weat", "weat6", "p", 0.0123, 0.5))
    ('0.012', '0.50')
    """
    values = (change.before, change.after)
    if not all(isinstance(value, float) for value in values):
        before, after = map(str, values)
        return before, after
    formats: list[Callable[[Any], str]] = [
        numbers.p_value if change.number in _P_VALUES else numbers.effect,
        *(f"{{:.{digits}g}}".format for digits in (4, 6, 17)),
    ]
    for to_text in formats:
        before, after = map(to_text, values)
        if before != after:
            break
    return before, after


@router.get(
    "/audits/changes.csv",
    response_class=Response,
    responses={**file_responses(["text/csv"]), **JOB_RESPONSES},
)
async def changes_file(
    session: CurrentSession, before: RunQuery = "", after: RunQuery = "", job: JobQuery = ""
) -> Response:
    """Every number that changed, as CSV."""
    comparison = await compare_runs(session, before, after, job)
    rows = (asdict(change).values() for change in comparison.changes)
    content = csv_text(Change.__dataclass_fields__, rows).encode("utf-8", "replace")
    return Response(content, media_type="text/csv", headers=download_headers("changes", "csv"))


# JSON

_RESULTS_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Every test and measure, as in the `results.json` of an audit.",
        "content": {"application/json": {"schema": {}}},
    }
}


class RunAnswer(BaseModel):
    """An audit in a folder of the server; `steps` counts the steps by status."""

    name: str
    suite: str
    sources: list[str]
    started: str
    steps: dict[str, int]
    files: list[str]


class ChangesAnswer(BaseModel):
    """Every number that differs between two audits; null where an audit does not have it.

    `summary` says how many findings appeared, vanished or reversed.
    """

    before: str
    after: str
    summary: str
    changes: tuple[Change, ...]


@router.get("/api/audits")
async def list_json(session: CurrentSession) -> list[RunAnswer]:
    """The audits in the folders of the server, the latest first."""
    return [
        RunAnswer(
            name=run.name,
            suite=run.record.suite.id,
            sources=[source.name for source in run.record.sources],
            started=run.record.started,
            steps=run.counts,
            files=run.files(),
        )
        for run in await run_in_threadpool(find_runs, session.folders)
    ]


class StartedAnswer(BaseModel):
    """The name of a finished audit in the list."""

    run: str


@router.get("/api/audits/start", responses={**JOB_RESPONSES})
async def start_json(
    session: CurrentSession,
    source: SourceQuery = "",
    suite: SuiteName = "quick",
    job: JobQuery = "",
) -> StartedAnswer:
    """Audit a source with a suite; 202 until it is finished."""
    return StartedAnswer(run=await run_audit(session, source, suite, job))


@router.get(
    "/api/audits/run", response_class=Response, responses={**_RESULTS_RESPONSES, **JOB_RESPONSES}
)
async def run_json(session: CurrentSession, run: RunQuery = "", job: JobQuery = "") -> Response:
    """The results of an audit."""
    _, result = await open_run(session, run, job)
    content = result.results.to_json().encode("utf-8", "replace")
    return Response(content, media_type="application/json")


@router.get("/api/audits/compare", responses={**JOB_RESPONSES})
async def compare_json(
    session: CurrentSession, before: RunQuery = "", after: RunQuery = "", job: JobQuery = ""
) -> ChangesAnswer:
    """The numbers that changed between two audits."""
    comparison = await compare_runs(session, before, after, job)
    return ChangesAnswer(
        before=comparison.before.name,
        after=comparison.after.name,
        summary=comparison.summary,
        changes=comparison.changes,
    )
