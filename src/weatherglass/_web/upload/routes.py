"""The routes of the Upload page: vectors that become a source, a corpus to train vectors on."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, Response

from weatherglass.errors import CannotWrite, UsageError, WeatherglassError
from weatherglass.vectors import open_parsed

from ..jobs import Cancelled
from ..rendering import render
from ..responses import HTML_ROUTE, JOB_RESPONSES, html_response, render_part
from ..session import CurrentSession, JobQuery, Page, Session
from ..sources import Source, hide_path, read_vectors
from .corpora import (
    UNIT_TITLES,
    CorpusOptions,
    DocumentUnit,
    small_corpus_warning,
    summarise_corpus,
    train_on_corpus,
)
from .store import Kind, Upload

T = TypeVar("T")
router = APIRouter()
PAGE = Page("Upload", "/upload", router)

UploadId = Annotated[str, Query(max_length=40, description="The id of an upload.")]
DimQuery = Annotated[int, Query(ge=2, le=500, description="Dimensions of the vectors.")]
WindowQuery = Annotated[int, Query(ge=1, le=50, description="Context words on each side.")]
MinCountQuery = Annotated[int, Query(ge=1, le=1000, description="Minimum count of a word.")]
DocumentsQuery = Annotated[
    DocumentUnit, Query(description="What a document is in plain text; the file decides if empty.")
]
DEFAULT_DIM = 100
_BACK = ("/upload", "All files")
_FILE_BODY: dict[str, Any] = {
    "requestBody": {
        "description": "The content of the file.",
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


# The page


@router.get("/upload", **HTML_ROUTE, responses=html_response("The page."))
async def page(session: CurrentSession) -> Response:
    """Upload a file, and see the files of this session."""
    values = {
        "page_path": "/upload",
        "uploads": list(session.uploads),
        "max_bytes": session.settings.max_upload_bytes,
        "units": UNIT_TITLES,
        "corpus_warning": corpus_warning,
    }
    return HTMLResponse(render("upload.html", **values))


@router.get(
    "/upload/file",
    **HTML_ROUTE,
    responses={**html_response("An uploaded file."), **JOB_RESPONSES},
)
async def file_part(
    session: CurrentSession, request: Request, id: UploadId = "", job: JobQuery = ""
) -> Response:
    """An uploaded file: the source or the corpus that it is, or why it was refused."""
    upload = await validate_upload(session, id, job)
    values = {"upload": upload, "units": UNIT_TITLES, "corpus_warning": corpus_warning}
    return render_part(request, "upload_file_part.html", "Uploaded file", _BACK, **values)


@router.get(
    "/upload/train",
    **HTML_ROUTE,
    responses={**html_response("The vectors are trained."), **JOB_RESPONSES},
)
async def train_part(
    session: CurrentSession,
    request: Request,
    id: UploadId = "",
    dim: DimQuery = DEFAULT_DIM,
    window: WindowQuery = 5,
    min_count: MinCountQuery = 10,
    documents: DocumentsQuery = "",
    job: JobQuery = "",
) -> Response:
    """Train vectors on an uploaded corpus and offer them as a source."""
    source = await train_on_upload(session, id, dim, window, min_count, documents, job)
    values = {"source": source.name, "warning": source.warning}
    return render_part(request, "upload_trained_part.html", "Trained vectors", _BACK, **values)


# JSON


class UploadAnswer(BaseModel):
    """An uploaded file: ``received``, ``ready``, or ``refused`` with the problem.

    `source` is the name of the source that vectors have become. A corpus has its counts, the `unit`
    that is a document, and a `warning` if it is small.
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
    unit: str = ""
    warning: str = ""


class TrainedAnswer(BaseModel):
    """The name of the source that trained vectors have become.

    `warning` says that the corpus is too small, if it is.
    """

    source: str
    warning: str = ""


def _describe_upload(upload: Upload) -> UploadAnswer:
    counts = vars(upload.summary) if upload.summary else {}
    # Only the fields of the model: where the file is stored is nobody's business.
    values = (
        counts
        | vars(upload)
        | {
            "status": upload.status,
            "warning": corpus_warning(upload),
        }
    )
    return UploadAnswer(**{name: values.get(name) for name in UploadAnswer.model_fields})


@router.put("/upload/{kind}/{name}", status_code=201, openapi_extra=_FILE_BODY)
async def receive(
    session: CurrentSession,
    request: Request,
    kind: Annotated[Kind, PathParameter(description="What the file contains.")],
    name: Annotated[str, PathParameter(max_length=500, description="The name of the file.")],
    text: Annotated[
        str, Query(max_length=200, description="The column of a corpus that holds the text.")
    ] = "",
    documents: DocumentsQuery = "",
) -> UploadAnswer:
    """Upload a file as the body of the request. It is read when you query it by its id."""
    try:
        upload = await session.uploads.receive(name, kind, request.stream(), text, documents)
    except ClientDisconnect:
        raise HTTPException(400, "The upload was interrupted.") from None
    return _describe_upload(upload)


@router.get("/api/uploads")
async def list_json(session: CurrentSession) -> list[UploadAnswer]:
    """The files uploaded in this session, the latest first."""
    return [_describe_upload(upload) for upload in session.uploads]


@router.get("/api/uploads/file", responses={**JOB_RESPONSES})
async def file_json(session: CurrentSession, id: UploadId = "", job: JobQuery = "") -> UploadAnswer:
    """An uploaded file; 202 while it is being read."""
    return _describe_upload(await validate_upload(session, id, job))


@router.get("/api/uploads/train", responses={**JOB_RESPONSES})
async def train_json(
    session: CurrentSession,
    id: UploadId = "",
    dim: DimQuery = DEFAULT_DIM,
    window: WindowQuery = 5,
    min_count: MinCountQuery = 10,
    documents: DocumentsQuery = "",
    job: JobQuery = "",
) -> TrainedAnswer:
    """Train vectors on an uploaded corpus; 202 until they are ready."""
    source = await train_on_upload(session, id, dim, window, min_count, documents, job)
    return TrainedAnswer(source=source.name, warning=source.warning)


# Jobs


async def validate_upload(session: Session, id: str, job: str = "") -> Upload:
    """Read an uploaded file completely; one that cannot be read is refused, with the reason."""
    upload = session.uploads.find(id)
    if upload.status != "received":
        return upload

    def work(report: Callable[..., None]) -> Upload:
        with upload.lock:  # an earlier job may still be ending
            if upload.status == "received":
                _read_upload(session, upload, report)
        return upload

    key, what = ("upload", id), f"Reading {upload.name}"
    return await session.jobs.answer(key, what, work, is_long=True, job=job)


def _read_upload(session: Session, upload: Upload, report: Callable[..., None]) -> None:
    try:
        if upload.kind == "vectors":
            upload.source = _add_source(session, upload, upload.path, upload.name, report).name
        else:
            options = CorpusOptions(upload.column, upload.unit)
            upload.summary, upload.unit = _call(session, upload, report, summarise_corpus, options)
    except Cancelled:
        session.uploads.refuse(upload, "Reading the file was cancelled.")
        raise
    except WeatherglassError as error:
        session.uploads.refuse(upload, _upload_error(upload, error))


async def train_on_upload(
    session: Session,
    id: str,
    dim: int,
    window: int,
    min_count: int,
    documents: DocumentUnit = "",
    job: str = "",
) -> Source:
    """Train vectors on an uploaded corpus; return the source that they become."""
    upload = await validate_upload(session, id, job)
    summary = upload.summary
    if summary is None:
        raise UsageError(upload.problem or f"{upload.name} is a file of vectors, not a corpus.")

    unit = documents or upload.unit

    def work(report: Callable[..., None]) -> Source:
        # A folder of its own for each job: a cancelled one deletes its folder when it ends, which
        # may be after the same training was started again.
        folder_name = f"trained-{secrets.token_hex(4)}"
        source_name = f"{upload.name.partition('.')[0]} {dim}d"
        out = session.uploads.reserve(upload, folder_name, 4 * dim * summary.types)
        try:
            options = CorpusOptions(upload.column, unit)
            numbers = {"dim": dim, "window": window, "min_count": min_count}
            _call(session, upload, report, train_on_corpus, options, out, numbers)
            source = _add_source(session, upload, out / "full.parquet", source_name, report)
            n_words = len(source.vectors or ())
            source.warning = small_corpus_warning(n_words, summary.tokens, dim)
            return source
        except BaseException as error:
            session.uploads.release(upload, folder_name)
            if isinstance(error, WeatherglassError) and not isinstance(error, Cancelled):
                error.args = (_upload_error(upload, error),)
            raise

    key = ("train", id, dim, window, min_count, unit)
    return await session.jobs.answer(key, "Reading the corpus", work, is_long=True, job=job)


def _add_source(
    session: Session, upload: Upload, path: Path, name: str, report: Callable[..., None]
) -> Source:
    """Parse vectors in a process, open the parsed copy and offer it on all pages."""
    spec, cache = str(path), upload.cache
    check = session.uploads.watch(upload)
    fingerprint = session.jobs.call(report, read_vectors, spec, check=check, cache=cache)
    session.uploads.count_copies(upload)
    vectors = open_parsed(spec, fingerprint, cache)
    if vectors is None:
        raise CannotWrite("There is no room on the disk for the parsed copy of this file.")
    return session.sources.add(spec, name, vectors, is_upload=True, cache=cache)


def _call(
    session: Session,
    upload: Upload,
    report: Callable[..., None],
    function: Callable[..., T],
    *arguments: Any,
) -> T:
    """Call a function on a corpus, in a process."""
    check = session.uploads.watch(upload)
    path = str(upload.path)
    return session.jobs.call(report, function, path, *arguments, check=check, cache=upload.cache)


def corpus_warning(upload: Upload, dim: int = DEFAULT_DIM) -> str:
    """Say that an uploaded corpus is too small to train on; empty if it is not, or is none."""
    summary = upload.summary
    if summary is None:
        return ""
    return small_corpus_warning(summary.frequent_types, summary.tokens, dim)


def _upload_error(upload: Upload, error: Exception) -> str:
    """Return the message of an error, with the name that the sender gave to the file."""
    message = hide_path(str(error), str(upload.path), upload.name)
    message = message.replace(f"{upload.path.parent}{os.sep}", "")  # of files made from it
    return message.replace(f"{upload.name}?text=COLUMN", "name it above")
