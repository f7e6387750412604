"""Discover for programs: the same searches, answered in JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import Response

from .ask_question import JobOf
from .discover_answers import opened_cell, searched
from .discover_question import Asked, Id
from .responses import MAY_WORK
from .session import Here

router = APIRouter()
_ALL: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "All that was found, as `weatherglass discover --format json` prints it.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


class Near(BaseModel):
    """A word near another, with their cosine."""

    word: str
    cosine: float


class CellOut(BaseModel):
    """One cell of a search."""

    group: str
    names: list[str]
    category: str
    label: str
    words: list[str]
    score: float
    p: float
    p_low: float
    p_high: float
    significant: bool
    neighbours: dict[str, list[Near]]


@router.get("/api/discover", response_class=Response, responses={**_ALL, **MAY_WORK})
async def search(here: Here, asked: Asked, job: JobOf = "") -> Response:
    """Search; 202 with the progress until it is done."""
    made = await searched(here, asked, job)
    return Response(made.to_json().encode("utf-8", "replace"), media_type="application/json")


@router.get("/api/discover/cell", responses={**MAY_WORK})
async def cell(
    here: Here, asked: Asked, group: Id = "", category: Id = "", job: JobOf = ""
) -> CellOut:
    """One cell with the neighbours of its words."""
    made = await opened_cell(here, asked, group, category, job)
    one = made.cell
    return CellOut(
        group=one.group,
        names=list(made.group.shown),
        category=one.category,
        label=made.category.label,
        words=list(one.words),
        score=one.score,
        p=one.p.value,
        p_low=one.p.low,
        p_high=one.p.high,
        significant=one.significant,
        neighbours={
            word: [Near(word=near, cosine=cosine) for near, cosine in some]
            for word, some in made.near.items()
        },
    )
