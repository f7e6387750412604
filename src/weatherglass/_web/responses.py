"""Responses other than an answer: errors and unfinished jobs, as JSON or as a page.

Routes raise, and the handlers here write the response: errors of the library and `HTTPException`
become ``{"error": sentence}``, or a page for a browser; `Working` becomes 202 with the progress.
"""

from __future__ import annotations

import dataclasses
import logging
from typing import Any, get_type_hints

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, create_model
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
from .rendering import hide_commands, render
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
_WORKING_HEADINGS = {"/audits/start": "The audit is running"}
_MESSAGES = {
    400: "The request cannot be read.",
    404: "There is no such page.",
    405: "This page does not support that method.",
}
_LOG = logging.getLogger("weatherglass.web")


# What OpenAPI says about responses


class Problem(BaseModel):
    """Why there is no answer."""

    error: str


class Progress(BaseModel):
    """A job in progress: ask again, or cancel it."""

    job: str
    what: str
    done: int
    total: int
    left: float | None = Field(None, description="Estimated seconds left, if known.")


def _json_or_html(status: int, description: str) -> dict[str, Any]:
    # Not as FastAPI's `model`: that would be listed under the one media type of the route.
    name = Progress.__name__ if status == 202 else Problem.__name__
    return {
        "description": description,
        "content": {
            "application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}},
            "text/html": {"schema": {"type": "string"}},
        },
    }


ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    status: _json_or_html(status, description)
    for status, description in {
        400: "The request cannot be read.",
        401: "The server requires a token.",
        403: "The request was sent from a page of another site.",
        404: "There is no such page, source, test, set or job.",
        405: "The page does not support this method.",
        408: "The rest of the request did not arrive.",
        413: "The request is too large.",
        421: "The Host header does not name this server.",
        422: "The question cannot be answered; the sentence gives the reason.",
        429: "The server is busy with other questions.",
        500: "Internal error.",
        503: "An optional package is not installed.",
    }.items()
}
"""The errors that every route may return; `responses` of the whole app."""

HTML_ROUTE: dict[str, Any] = {"response_class": HTMLResponse}
"""Arguments for the decorator of a route that returns a page."""

JOB_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: _json_or_html(202, "The job is not finished: ask again with `job`, or cancel it."),
    409: _json_or_html(409, "The job was cancelled, or exceeded its time limit."),
}
"""The `responses` of a route that starts a job, in addition to its own."""

REDIRECT_RESPONSES: dict[int | str, dict[str, Any]] = {
    303: {"description": "The same question with a shorter address."}
}


def html_response(description: str) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that returns a page.

    >>> sorted(html_response("The page.")[200]["content"])
    ['text/html']
    """
    content = {"text/html": {"schema": {"type": "string"}}}
    return {200: {"description": description, "content": content}}


def record_model(record: type[Any], **changes: Any) -> type[BaseModel]:
    """Return the pydantic model of a result record, so that a route can return the whole record.

    It has the fields of the record, a dataclass or a pydantic model; `changes` are the types of
    fields that the answer has in addition, or with another type.

    >>> from weatherglass.significance import PValue
    >>> list(record_model(PValue, fraction=str | None).model_fields)[-2:]
    ['partitions', 'fraction']
    """
    hints = get_type_hints(record, include_extras=True)
    if issubclass(record, BaseModel):
        names = list(record.model_fields)
    else:
        names = [field.name for field in dataclasses.fields(record)]
    fields: dict[str, Any] = {name: (hints[name], ...) for name in names}
    fields |= {name: (hint, ...) for name, hint in changes.items()}
    return create_model(
        f"{record.__name__}Answer",
        __config__=ConfigDict(from_attributes=True),
        __doc__=(record.__doc__ or "").partition("\n")[0],
        **fields,
    )


# Pages and parts of pages


def wants_page(request: Request) -> bool:
    """Whether the client is a browser, not a program."""
    headers = request.headers
    return "text/html" in headers.get("accept", "") or "hx-request" in headers  # htmx accepts any


def template_kind(request: Request) -> str:
    """``"part"`` if a script asks for part of a page, otherwise ``"page"``."""
    return "part" if request.headers.get("hx-request") else "page"


def page_path(address: str) -> str:
    """Return the path of the page in the top bar that an address belongs to.

    >>> page_path("/seeds/set?id=x"), page_path("/ask/lint?test=weat6"), page_path("/?test=weat6")
    ('/library', '/ask', '/ask')
    """
    first = address.partition("?")[0].strip("/").partition("/")[0]
    # Seed sets are part of the Library.
    return "/library" if first == "seeds" else f"/{first or 'ask'}"


def render_part(
    request: Request, template: str, title: str, back: tuple[str, str], **values: Any
) -> Response:
    """Return part of a page: alone for a script, as a whole page for a browser without scripts.

    `back` is the address and the name of the page that it belongs to.
    """
    if template_kind(request) == "part":
        return HTMLResponse(render(template, **values))
    frame = {"part": template, "title": title, "back": back, "page_path": page_path(back[0])}
    return HTMLResponse(render("part_page.html", **frame, **values))


def error_response(request: Request, status: int, message: str) -> Response:
    """Return an error as JSON or as a page."""
    if not wants_page(request):
        return JSONResponse({"error": message}, status)
    template = f"error_{template_kind(request)}.html"
    return HTMLResponse(
        render(template, error=message, title="Not found" if status == 404 else "No answer"), status
    )


def describe_progress(job: Job) -> Progress:
    """Return the progress of a job."""
    return Progress(job=job.id, what=job.what, done=job.done, total=job.total, left=job.left)


def error_status(error: WeatherglassError) -> int:
    """Return the HTTP status of an error of the library."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 422)


def error_text(error: Exception) -> str:
    """Return the message of an error for a page: without command lines, bytes as escapes."""
    return escape_surrogates(hide_commands(str(error)))


def escape_surrogates(text: str) -> str:
    r"""Replace bytes of a file that are not text by escapes, so that JSON can hold them.

    >>> print(escape_surrogates("a\udcff"))
    a\udcff
    """
    return text.encode("utf-8", "backslashreplace").decode()


def retry_url(request: Request, job: Job) -> str:
    """Return the address at which to ask the same question again."""
    url = request.url.include_query_params(job=job.id)
    return f"{url.path}?{url.query}"


def add_error_handlers(app: FastAPI) -> None:
    """Add the handlers to an app, and their schemas to its OpenAPI document."""
    original_openapi = app.openapi

    def openapi() -> dict[str, Any]:
        document = original_openapi()
        schemas = document.setdefault("components", {}).setdefault("schemas", {})
        for model in (Problem, Progress):
            schemas[model.__name__] = model.model_json_schema()
        return document

    app.openapi = openapi  # type: ignore[method-assign]

    @app.exception_handler(WeatherglassError)
    async def library_error(request: Request, error: WeatherglassError) -> Response:
        # A script waiting for a job made no mistake: the cancellation is its answer.
        was_waiting = isinstance(error, Cancelled) and "hx-request" in request.headers
        status = 200 if was_waiting else error_status(error)
        response = error_response(request, status, error_text(error))
        if isinstance(error, Busy):
            response.headers["Retry-After"] = "5"
        return response

    @app.exception_handler(Working)
    async def job_in_progress(request: Request, error: Working) -> Response:
        if not wants_page(request):
            return JSONResponse(describe_progress(error.job).model_dump(), 202)
        values = {
            "job": error.job,
            "again": retry_url(request, error.job),
            "page_path": page_path(request.url.path),
            "heading": _WORKING_HEADINGS.get(request.url.path, "Working"),
        }
        return HTMLResponse(render(f"working_{template_kind(request)}.html", **values), 202)

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        is_default = error.detail in ("Not Found", "Method Not Allowed", "Bad Request")
        message = _MESSAGES.get(error.status_code, "") if is_default else ""
        response = error_response(request, error.status_code, message or error.detail)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def invalid_parameter(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        value = first.get("input")
        given = f" (given {quote_safe(value)})" if isinstance(value, str) else ""
        return error_response(request, 422, f"{where}: {first['msg']}{given}.")

    @app.exception_handler(Exception)
    async def internal_error(request: Request, error: Exception) -> Response:
        _LOG.error("%s %s", request.method, request.url.path, exc_info=error)
        return error_response(
            request, 500, "Internal error: the terminal of the server has the details."
        )
