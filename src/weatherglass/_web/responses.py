"""What is said when there is no answer (yet): one sentence, as JSON or as a page.

A route raises, and says nothing itself. Errors of the library and `HTTPException` become
``{"error": sentence}``, or a page where a browser asked; `Working` becomes 202 with the progress.
"""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response

from weatherglass.errors import (
    MissingExtra,
    SourceNotFound,
    UnknownEntry,
    WeatherglassError,
    quote_safe,
)

from .jobs import Busy, Cancelled, Job, UnknownJob, Working
from .rendering import render
from .upload import UnknownUpload

_STATUS: tuple[tuple[type[WeatherglassError], int], ...] = (
    (UnknownEntry, 404),
    (SourceNotFound, 404),
    (UnknownJob, 404),
    (UnknownUpload, 404),
    (Cancelled, 409),
    (Busy, 429),
    (MissingExtra, 503),
)
_MESSAGES = {
    400: "The request cannot be read.",
    404: "There is no such page.",
    405: "That cannot be done to this page.",
}
_LOG = logging.getLogger("weatherglass.web")


class Problem(BaseModel):
    """Why there is no answer."""

    error: str


class Progress(BaseModel):
    """A job that is under way: ask again, or cancel it."""

    job: str
    what: str
    done: int
    total: int
    left: float | None = Field(None, description="Seconds that it will take, as far as is known.")


def _json_or_html(status: int, told: str) -> dict[str, Any]:
    # Not as a `model`: that would be put under the one media type of the route.
    name = Progress.__name__ if status == 202 else Problem.__name__
    return {
        "description": told,
        "content": {
            "application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}},
            "text/html": {"schema": {"type": "string"}},
        },
    }


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: _json_or_html(status, told)
    for status, told in {
        400: "The request cannot be read.",
        401: "The server asks for a token.",
        403: "It was sent from a page of another site.",
        404: "There is no such page, source, test, set or job.",
        405: "The page has no such method.",
        408: "Nothing more of the request came.",
        413: "The request is too long.",
        421: "The Host header does not name this server.",
        422: "What was asked does not allow an answer; the sentence says why.",
        429: "The server is busy with other questions.",
        500: "The server made a mistake.",
        503: "An optional package is not installed.",
    }.items()
}
"""What every route may answer besides its own; `responses` of the whole app."""

HTML_ROUTE: dict[str, Any] = {"response_class": HTMLResponse}
"""What the decorator of a route that gives a page is given."""

JOB_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: _json_or_html(202, "The answer takes a while: ask again with `job`, or cancel it."),
    409: _json_or_html(409, "The job was cancelled, or took too long."),
}
"""What a route that computes may also answer."""


def html_response(told: str) -> dict[int | str, dict[str, Any]]:
    """The `responses` entry of a route that gives a page.

    >>> sorted(html_response("The page.")[200]["content"])
    ['text/html']
    """
    return {200: {"description": told, "content": {"text/html": {"schema": {"type": "string"}}}}}


def wants_page(request: Request) -> bool:
    """Whether a person's browser asks, and not a program."""
    headers = request.headers
    return "text/html" in headers.get("accept", "") or "hx-request" in headers  # htmx takes any


def template_kind(request: Request) -> str:
    """Whether a script asks for a part of a page, or a person for the page."""
    return "part" if request.headers.get("hx-request") else "page"


def page_path(address: str) -> str:
    """The page of the top bar that an address belongs to.

    >>> page_path("/seeds/set?id=x"), page_path("/ask/lint?test=weat6"), page_path("/?test=weat6")
    ('/seeds', '/', '/')
    """
    first = address.partition("?")[0].strip("/").partition("/")[0]
    return "/" if first == "ask" else f"/{first}"


def render_part(
    request: Request, template: str, title: str, back: tuple[str, str], **values: Any
) -> Response:
    """A part of a page: alone for a script, inside the frame for a browser without scripts.

    `back` is the address and the name of the page that it belongs to.
    """
    if template_kind(request) == "part":
        return HTMLResponse(render(template, **values))
    about = {"part": template, "title": title, "back": back, "page_path": page_path(back[0])}
    return HTMLResponse(render("part_page.html", **about, **values))


def error_response(request: Request, status: int, told: str) -> Response:
    """A sentence in place of an answer."""
    if not wants_page(request):
        return JSONResponse({"error": told}, status)
    return HTMLResponse(
        render(f"problem_{template_kind(request)}.html", told=told, status=status), status
    )


def describe_progress(job: Job) -> Progress:
    """How far a job is."""
    return Progress(job=job.id, what=job.what, done=job.done, total=job.total, left=job.left)


def error_status(error: WeatherglassError) -> int:
    """The HTTP status of an error of the library."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 422)


def error_text(error: Exception) -> str:
    """The sentence of an error, without what no browser can show."""
    return str(error).encode("utf-8", "backslashreplace").decode()


def retry_url(request: Request, job: Job) -> str:
    """The address at which the same question is asked again."""
    url = request.url.include_query_params(job=job.id)
    return f"{url.path}?{url.query}"


def add_error_handlers(app: FastAPI) -> None:
    """Let an app answer with these, and its API document say so."""
    plain = app.openapi

    def document() -> dict[str, Any]:
        made = plain()
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        for model in (Problem, Progress):
            schemas[model.__name__] = model.model_json_schema()
        return made

    app.openapi = document  # type: ignore[method-assign]

    @app.exception_handler(WeatherglassError)
    async def failed(request: Request, error: WeatherglassError) -> Response:
        # A script that was waiting for the job asked rightly: the end of the job is its answer.
        was_waiting = isinstance(error, Cancelled) and "hx-request" in request.headers
        status = 200 if was_waiting else error_status(error)
        answer = error_response(request, status, error_text(error))
        if isinstance(error, Busy):
            answer.headers["Retry-After"] = "5"
        return answer

    @app.exception_handler(Working)
    async def working(request: Request, error: Working) -> Response:
        if not wants_page(request):
            return JSONResponse(describe_progress(error.job).model_dump(), 202)
        shown = {
            "job": error.job,
            "again": retry_url(request, error.job),
            "page_path": page_path(request.url.path),
        }
        return HTMLResponse(render(f"working_{template_kind(request)}.html", **shown), 202)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        usual = error.detail in ("Not Found", "Method Not Allowed", "Bad Request")
        told = _MESSAGES.get(error.status_code, "") if usual else ""
        answer = error_response(request, error.status_code, told or error.detail)
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        seen = first.get("input")
        given = f" (given {quote_safe(seen)})" if isinstance(seen, str) else ""
        return error_response(request, 422, f"{where}: {first['msg']}{given}.")

    @app.exception_handler(Exception)
    async def mistaken(request: Request, error: Exception) -> Response:
        _LOG.error("%s %s", request.method, request.url.path, exc_info=error)
        return error_response(request, 500, "The server made a mistake; its terminal says more.")
