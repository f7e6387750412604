"""Seeds for programs: the catalogue's seed sets and what lint says of them, in JSON."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from weatherglass.catalog import SeedSet, pairings, seeds
from weatherglass.seedlab.findings import Lint

from .ask_question import MOST_LETTERS, JobOf
from .responses import MAY_WORK
from .seeds_browse import Browsed
from .seeds_lint import compared, looked_at, set_of
from .session import Here, Session

router = APIRouter()
IdOf = Annotated[str, Query(max_length=200, description="The id of a seed set.")]
SourceOf = Annotated[
    str, Query(max_length=200, description="A source by name; without it, the first.")
]
SetText = Annotated[
    str, Query(max_length=MOST_LETTERS, description="@ and the id of a set, or words.")
]


class SeedOut(BaseModel):
    """A seed set: its words in order, who used it, where they come from."""

    id: str
    concept: str
    words: list[str]
    study: str
    citation: str
    link: str
    sources: list[str]
    description: str
    flags: list[str]
    notes: str


class PairedOut(BaseModel):
    """A set that a study holds this one against, and how their words answer each other."""

    id: str
    match: str
    study: str
    place: str


class SeedWithPairs(SeedOut):
    """A seed set, and the sets it is held against."""

    against: list[PairedOut]


class FindingOut(BaseModel):
    """One number about a set, or about two."""

    check: str
    severity: str
    sets: list[str]
    words: list[str]
    value: float
    sentence: str
    place: str


class LintOut(BaseModel):
    """What lint found; `not_run` has checks by the reason why they were not run."""

    source: str
    fingerprint: str
    findings: list[FindingOut]
    not_run: dict[str, list[str]]


class ComparedOut(LintOut):
    """Two sets: the words they share, the cosine of their means, what lint found."""

    shared: list[str]
    similarity: float | None


@router.get("/api/seeds")
async def listed(browse: Browsed) -> list[SeedOut]:
    """The seed sets that a search finds."""
    return [SeedOut(**_out(one)) for one in browse.sets()]


@router.get("/api/seeds/set")
async def one_set(id: IdOf) -> SeedWithPairs:
    """One seed set."""
    against = [
        PairedOut(id=one.other(id), match=one.match, study=one.study.short, place=one.place)
        for one in pairings(id)
    ]
    return SeedWithPairs(**_out(seeds(id)), against=against)


@router.get("/api/seeds/lint", responses={**MAY_WORK})
async def linted(here: Here, set: SetText, source: SourceOf = "", job: JobOf = "") -> LintOut:
    """What to know of a set before anything is measured with it."""
    found = await looked_at(here, set_of(set, here.settings, "set"), None, source, job)
    return LintOut(**_found(here, source, found))


@router.get("/api/seeds/compare", responses={**MAY_WORK})
async def both(
    here: Here, one: SetText, other: SetText, source: SourceOf = "", job: JobOf = ""
) -> ComparedOut:
    """Two sets, held against each other."""
    first, second = (
        set_of(text, here.settings, called)
        for text, called in ((one, "first set"), (other, "second set"))
    )
    made = await compared(here, first, second, source, job)
    return ComparedOut(
        **_found(here, source, made.found), shared=made.shared, similarity=made.value("similarity")
    )


def _out(one: SeedSet) -> dict[str, Any]:
    return {
        "id": one.id,
        "concept": one.concept,
        "words": one.words,
        "study": one.study.key if one.study else "",
        "citation": one.study.citation if one.study else "",
        "link": one.link,
        "sources": one.sources,
        "description": one.description,
        "flags": one.flags,
        "notes": one.notes,
    }


def _found(here: Session, source: str, found: Lint) -> dict[str, Any]:
    return {
        "source": here.sources.chosen([source])[0].name,
        "fingerprint": str(found.source.get("fingerprint", "")),
        "findings": [
            FindingOut.model_validate(one, from_attributes=True) for one in found.findings
        ],
        "not_run": found.not_run,
    }
