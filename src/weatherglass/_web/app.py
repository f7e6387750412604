"""The server: one app of all pages, behind one guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, FastAPI, Request
from fastapi import Path as InPath
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from weatherglass._version import __version__

from .ask import PAGE as ASK
from .audits import PAGE as AUDITS
from .discover import PAGE as DISCOVER
from .explore import PAGE as EXPLORE
from .guard import Guard
from .jobs import Jobs
from .rendering import MEDIA_TYPES, NAV, render, static_file
from .responses import (
    ERROR_RESPONSES,
    JOB_RESPONSES,
    Progress,
    add_error_handlers,
    describe_progress,
    html_response,
    template_kind,
    wants_page,
)
from .seeds import PAGE as SEEDS
from .session import CurrentSession, Session
from .settings import Settings
from .sources import Sources
from .upload import PAGE as UPLOAD
from .upload import Uploads

PAGES = (
    ASK,
    EXPLORE,
    DISCOVER,
    SEEDS,
    AUDITS,
    UPLOAD,
)
"""In the order of the top bar."""

frame = APIRouter()


def create_app(settings: Settings | None = None) -> ASGIApp:
    """The server as an ASGI app.

    Examples
    --------
    >>> type(create_app(Settings(sources=()))).__name__
    'Guard'
    """
    settings = settings or Settings()
    jobs = Jobs(settings)
    session = Session(settings, jobs, Sources(settings, jobs), Uploads(settings))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if settings.warm:
            jobs.start(("warm",), "Warming up", session.warm_up, is_long=True)
        yield
        jobs.close()
        session.uploads.close()

    app = FastAPI(
        title="Weatherglass",
        version=__version__,
        description="Reads the social bias in word embeddings and says how sure it is.",
        docs_url=None,
        redoc_url=None,
        responses=ERROR_RESPONSES,
        lifespan=lifespan,
    )
    app.state.session = session
    NAV[:] = [(page.name, page.path) for page in PAGES]
    for page in PAGES:
        app.include_router(page.router)
    app.include_router(frame)
    add_error_handlers(app)
    return Guard(app, settings)


@frame.get("/static/{name}", response_class=Response, responses={200: {"description": "A file."}})
async def static(name: str, request: Request) -> Response:
    """A script, a style sheet or a picture of the pages."""
    from starlette.concurrency import run_in_threadpool

    content = await run_in_threadpool(static_file, name)
    if content is None:
        raise HTTPException(404, "There is no such file.")
    kind = next((kind for end, kind in MEDIA_TYPES.items() if name.endswith(end)), "text/plain")
    # The address has a hash of the content, so that the file behind it never changes.
    keep = "private, max-age=31536000, immutable" if "v" in request.query_params else "no-cache"
    return Response(content, media_type=kind, headers={"Cache-Control": keep})


JobId = Annotated[str, InPath(description="The id of a job.", max_length=40)]


@frame.get("/jobs/{id}", responses={**JOB_RESPONSES})
async def job(id: JobId, here: CurrentSession) -> Progress:
    """How far a job is; once it is over, its question has the answer."""
    found = here.jobs.find(id)
    if found.has_failed:
        found.future.result()
    return describe_progress(found)


@frame.post(
    "/jobs/{id}/cancel",
    responses={
        **html_response("It is cancelled, or had already ended."),
        204: {"description": "It had already ended: the page that waits for it has the answer."},
    },
)
async def cancel(id: JobId, here: CurrentSession, request: Request) -> Response:
    """End a job."""
    found = here.jobs.cancel(id)
    if not wants_page(request):
        return JSONResponse(describe_progress(found).model_dump())
    part = template_kind(request)
    if part == "part" and not found.has_failed:
        return Response(status_code=204)
    return HTMLResponse(render(f"cancelled_{part}.html", job=found))


@frame.get("/favicon.ico", include_in_schema=False)
async def icon() -> Response:
    """Browsers ask for it unasked."""
    return RedirectResponse("/static/icon.svg")
