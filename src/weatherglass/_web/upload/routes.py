"""The page that takes files: vectors that become a source, a corpus that can be trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, Response

from weatherglass.errors import UsageError, WeatherglassError
from weatherglass.vectors import Vectors, open_vectors

from ..ask import JobQuery
from ..jobs import Cancelled
from ..rendering import render
from ..responses import HTML_ROUTE, JOB_RESPONSES, html_response, render_part
from ..session import CurrentSession, Page, Session
from ..sources import Source, hide_path
from .store import Kind, Upload, cached_copies

if TYPE_CHECKING:
    from weatherglass.corpus import Corpus

MAX_FREQUENT_WORDS = 10
TRAINED = "trained"


async def validate_upload(here: Session, id: str, job: str = "") -> Upload:
    """A file, once the readers have looked at all of it; it says itself if it is of no use."""
    one = here.uploads.find(id)
    if one.status != "received":
        return one

    def work(report: Callable[..., None]) -> Upload:
        if one.status != "received":
            return one
        try:
            if one.kind == "vectors":
                one.source = _add_source(here, str(one.path), one.name, report).name
            else:
                from weatherglass.corpus import summarise

                one.summary = summarise(
                    open_upload_corpus(one), top=MAX_FREQUENT_WORDS, progress=report
                )
        except Cancelled:
            here.uploads.refuse(one, "Reading it was cancelled.")
            raise
        except WeatherglassError as error:
            here.uploads.refuse(one, _upload_error(one, error))
        return one

    what = f"Reading {one.name}"
    return await here.jobs.answer(("upload", id), what, work, is_long=True, job=job)


def _add_source(here: Session, spec: str, name: str, report: Callable[..., None]) -> Source:
    """Let vectors be asked on all pages."""
    before = cached_copies()
    vectors: Vectors = open_vectors(spec, progress=report)
    # The parsed copy goes with the session, as the file does; what is mapped stays readable.
    here.uploads.forget_later(
        {one for one in cached_copies() - before if one.name.startswith(vectors.fingerprint)}
    )
    return here.sources.add(spec, name, vectors, is_sent=True)


def open_upload_corpus(one: Upload) -> Corpus:
    """A file as a corpus."""
    from weatherglass.corpus import open_corpus

    return open_corpus(one.path, text=one.column or None)


def _upload_error(one: Upload, error: Exception) -> str:
    """A sentence that names the file as its sender does."""
    told = hide_path(str(error), str(one.path), one.name)
    return told.replace(f"{one.name}?text=COLUMN", "name it above")


async def train_on_upload(
    here: Session, id: str, dim: int, window: int, min_count: int, job: str = ""
) -> str:
    """Train vectors on a corpus that was sent; the name of the source that they become."""
    one = await validate_upload(here, id, job)
    if one.summary is None:
        raise UsageError(one.problem or f"{one.name} is a file of vectors, not a corpus.")

    def work(report: Callable[..., None]) -> str:

        def tell(what: str, done: int, total: int) -> None:
            report(done, total, {"reading": "Reading the corpus"}.get(what, "Training vectors"))

        made = f"{TRAINED}-{dim}-{window}-{min_count}"
        name = f"{one.name.partition('.')[0]} {dim}d"
        assert one.summary is not None
        out = here.uploads.make_room(one, made, 4 * dim * one.summary.types)
        try:
            train_json(
                open_upload_corpus(one),
                out,
                method="ppmi-svd",
                dim=dim,
                window=window,
                min_count=min_count,
                bootstrap=0,
                workers=1,
                progress=tell,
            )
            return _add_source(here, str(out / "full.parquet"), name, report).name
        except Cancelled:
            here.uploads.drop_made(one, made)
            raise
        except WeatherglassError as error:
            here.uploads.drop_made(one, made)
            error.args = (_upload_error(one, error),)
            raise

    key = ("train", id, dim, window, min_count)
    return await here.jobs.answer(key, "Reading the corpus", work, is_long=True, job=job)


router = APIRouter()
PAGE = Page("Upload", "/upload", router)
UploadId = Annotated[str, Query(max_length=40, description="The id of an upload.")]
DimQuery = Annotated[int, Query(ge=2, le=500, description="Numbers a vector.")]
WindowQuery = Annotated[int, Query(ge=1, le=50, description="Words to each side that are context.")]
MinCountQuery = Annotated[int, Query(ge=1, le=1000, description="How often a word must occur.")]
_BACK = ("/upload", "All files")
_BODY: dict[str, Any] = {
    "requestBody": {
        "description": "The file as it is.",
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class UploadOut(BaseModel):
    """A file that was sent: ``received``, ``ready`` or ``refused`` with the problem.

    Vectors that are ready are the source with this name; of a corpus there are its counts.
    """

    id: str
    name: str
    kind: Kind
    size: int
    status: str
    problem: str
    source: str
    documents: int | None = None
    tokens: int | None = None
    types: int | None = None


class TrainedOut(BaseModel):
    """The source that vectors trained on a corpus have become."""

    source: str


def _describe_upload(one: Upload) -> UploadOut:
    about = one.summary
    return UploadOut(
        id=one.id,
        name=one.name,
        kind=one.kind,
        size=one.size,
        status=one.status,
        problem=one.problem,
        source=one.source,
        documents=about.documents if about else None,
        tokens=about.tokens if about else None,
        types=about.types if about else None,
    )


@router.get("/upload", **HTML_ROUTE, responses=html_response("The page."))
async def page(here: CurrentSession) -> Response:
    """Send a file to this session, and see what became of those before."""
    shown = {"page_path": "/upload", "uploads": list(here.uploads), "most": here.settings.upload}
    return HTMLResponse(render("upload.html", **shown))


@router.put("/upload/{kind}/{name}", status_code=201, openapi_extra=_BODY)
async def receive(
    here: CurrentSession,
    request: Request,
    kind: Annotated[Kind, InPath(description="What the file is.")],
    name: Annotated[str, InPath(max_length=500, description="What the file is called.")],
    text: Annotated[
        str, Query(max_length=200, description="The column of a corpus that holds the text.")
    ] = "",
) -> UploadOut:
    """Send a file as the body of the request. It is looked at when it is asked for by its id."""
    try:
        return _describe_upload(await here.uploads.receive(name, kind, request.stream(), text))
    except ClientDisconnect:
        raise HTTPException(400, "The file did not come whole.") from None


@router.get(
    "/upload/file",
    **HTML_ROUTE,
    responses={**html_response("A file that was sent."), **JOB_RESPONSES},
)
async def file_part(
    here: CurrentSession, request: Request, id: UploadId = "", job: JobQuery = ""
) -> Response:
    """What became of a file that was sent."""
    one = await validate_upload(here, id, job)
    return render_part(request, "upload_file_part.html", "A file that was sent", _BACK, one=one)


@router.get(
    "/upload/train", **HTML_ROUTE, responses={**html_response("It is trained."), **JOB_RESPONSES}
)
async def train_part(
    here: CurrentSession,
    request: Request,
    id: UploadId = "",
    dim: DimQuery = 100,
    window: WindowQuery = 5,
    min_count: MinCountQuery = 10,
    job: JobQuery = "",
) -> Response:
    """Train vectors on a corpus that was sent, and let them be asked."""
    source = await train_on_upload(here, id, dim, window, min_count, job)
    return render_part(request, "upload_trained_part.html", "Trained", _BACK, source=source)


@router.get("/api/uploads")
async def list_json(here: CurrentSession) -> list[UploadOut]:
    """The files that were sent to this session, the latest first."""
    return [_describe_upload(one) for one in here.uploads]


@router.get("/api/uploads/file", responses={**JOB_RESPONSES})
async def file_json(here: CurrentSession, id: UploadId = "", job: JobQuery = "") -> UploadOut:
    """What became of a file; 202 while it is being read."""
    return _describe_upload(await validate_upload(here, id, job))


@router.get("/api/uploads/train", responses={**JOB_RESPONSES})
async def train_json(
    here: CurrentSession,
    id: UploadId = "",
    dim: DimQuery = 100,
    window: WindowQuery = 5,
    min_count: MinCountQuery = 10,
    job: JobQuery = "",
) -> TrainedOut:
    """Train vectors on a corpus that was sent; 202 until it is done."""
    return TrainedOut(source=await train_on_upload(here, id, dim, window, min_count, job))
