"""The server: one app with all pages, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import APIRouter, FastAPI, Request
from fastapi import Path as PathParameter
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from weatherglass._version import __version__

from .ask import PAGE as ASK
from .audits import PAGE as AUDITS
from .crowd import PAGE as CROWD
from .discover import PAGE as DISCOVER
from .discover import start_opening_search
from .explore import PAGE as EXPLORE
from .guard import SLURS_COOKIE, Guard
from .jobs import Jobs
from .library import PAGE as LIBRARY
from .map import PAGE as MAP
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
from .seeds import router as seeds_router
from .session import CurrentSession, Session
from .settings import Settings
from .sources import Sources
from .upload import PAGE as UPLOAD
from .upload import Uploads

PAGES = (ASK, EXPLORE, MAP, DISCOVER, LIBRARY, AUDITS, UPLOAD)
"""In the order of the top bar; the page of a crowd study follows, if there is one."""

router = APIRouter()


def create_app(settings: Settings | None = None) -> Guard:
    """Return the server as an ASGI app.

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
        if settings.warm_up:
            jobs.start(("warm up",), "Warming up", session.warm_up)
            start_opening_search(session)
        yield
        session.close()

    app = FastAPI(
        title="Weatherglass",
        version=__version__,
        description="Measures social bias in word embeddings and says how sure it is.",
        docs_url=None,
        redoc_url=None,
        responses=ERROR_RESPONSES,
        lifespan=lifespan,
    )
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.state.session = session
    pages = (*PAGES, CROWD) if settings.study is not None else PAGES
    NAV[:] = [(page.name, page.path) for page in pages]
    for page in pages:
        app.include_router(page.router)
    app.include_router(seeds_router)
    app.include_router(router)
    add_error_handlers(app)
    return Guard(app, settings, jobs.close, session.close)


@router.get("/static/{name}", response_class=Response, responses={200: {"description": "A file."}})
async def static(name: str, request: Request) -> Response:
    """A script, a style sheet or an image of the pages."""
    content = await run_in_threadpool(static_file, name)
    if content is None:
        raise HTTPException(404, "There is no such file.")
    media_type = next(
        (kind for suffix, kind in MEDIA_TYPES.items() if name.endswith(suffix)), "text/plain"
    )
    # With a hash of the content in the address, the file behind it never changes.
    is_hashed = "v" in request.query_params
    caching = "private, max-age=31536000, immutable" if is_hashed else "no-cache"
    return Response(content, media_type=media_type, headers={"Cache-Control": caching})


JobPath = Annotated[str, PathParameter(description="The id of a job.", max_length=40)]


@router.get("/jobs/{id}", responses={**JOB_RESPONSES})
async def job(id: JobPath, session: CurrentSession) -> Progress:
    """The progress of a job; ask its question again once it has finished."""
    job = session.jobs.find(id)
    if job.has_failed:
        job.future.result()  # raises the error of the job
    return describe_progress(job)


@router.post(
    "/jobs/{id}/cancel",
    responses={
        **html_response("The job is cancelled, or had already finished."),
        204: {"description": "The job had already finished; the waiting page has the answer."},
    },
)
async def cancel(id: JobPath, session: CurrentSession, request: Request) -> Response:
    """Cancel a job."""
    job = session.jobs.cancel(id)
    if not wants_page(request):
        return JSONResponse(describe_progress(job).model_dump())
    kind = template_kind(request)
    if kind == "part" and not job.has_failed:
        return Response(status_code=204)
    return HTMLResponse(render(f"cancelled_{kind}.html", job=job))


@router.post(
    "/settings",
    status_code=303,
    response_class=Response,
    responses={303: {"description": "Home, with the new setting."}},
)
async def settings_form(request: Request) -> Response:
    """Keep the settings of a reader without scripts until the browser is closed."""
    fields = parse_qs((await request.body()).decode("utf-8", "replace"))
    response = RedirectResponse("/", 303)
    is_on = "slurs" in fields
    response.set_cookie(SLURS_COOKIE, "yes" if is_on else "no", samesite="lax")
    return response


@router.get("/api", include_in_schema=False)
async def api_page(request: Request) -> Response:
    """The routes for programs, as a page that needs nothing from other hosts."""
    document = request.app.openapi()
    paths = {path: methods for path, methods in document["paths"].items() if "/api/" in path}
    return HTMLResponse(render("api.html", page_path="/api", paths=paths))


@router.get("/docs", include_in_schema=False)
async def docs() -> Response:
    """Where other servers have their documentation."""
    return RedirectResponse("/api")


@router.get("/favicon.ico", include_in_schema=False)
async def icon() -> Response:
    """The icon that browsers request from every site."""
    return RedirectResponse("/static/icon.svg")
