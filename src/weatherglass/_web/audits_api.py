"""Audits for programs: the list, what one found, what changed between two."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from .ask_question import JobOf
from .audits_answers import audited, changed
from .audits_folders import find_runs
from .responses import MAY_WORK
from .session import Here

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
async def runs(here: Here) -> list[RunOut]:
    """The audits in the folders of the server, the latest first."""
    found = await run_in_threadpool(find_runs, here.settings.folders)
    return [
        RunOut(
            name=one.name,
            suite=one.about.suite.id,
            sources=[source.name for source in one.about.sources],
            started=one.about.started,
            steps=one.counts,
            files=one.files(),
        )
        for one in found
    ]


@router.get("/api/audits/run", response_class=Response, responses={**_ALL, **MAY_WORK})
async def one(here: Here, run: Name = "", job: JobOf = "") -> Response:
    """What an audit found."""
    _, made = await audited(here, run, job)
    content = made.results.to_json().encode("utf-8", "replace")
    return Response(content, media_type="application/json")


@router.get("/api/audits/compare", responses={**MAY_WORK})
async def compare(here: Here, before: Name = "", after: Name = "", job: JobOf = "") -> ChangesOut:
    """What changed between two audits."""
    found = await changed(here, before, after, job)
    return ChangesOut(
        before=found.before.name,
        after=found.after.name,
        changes=[ChangeOut(**vars(one)) for one in found.changes],
    )
