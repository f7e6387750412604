"""Seeds: browse the seed sets of the catalogue, look at one, hold two against each other."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import HTMLResponse, Response

from weatherglass.catalog import SeedSet, pairings, seed_sets, seed_sources, seeds, seeds_text
from weatherglass.errors import CatalogError, WeatherglassError
from weatherglass.report import numbers
from weatherglass.seedlab import Lint

from ..ask import MAX_SET_CHARACTERS, JobQuery
from ..jobs import Working
from ..rendering import download_headers, file_responses, render
from ..responses import (
    HTML_ROUTE,
    JOB_RESPONSES,
    error_status,
    error_text,
    html_response,
    render_part,
)
from ..session import CurrentSession, Page, Session
from .browse import (
    MAX_OPEN_SETS,
    FilterQuery,
    compare_sets,
    first_words,
    flags_of,
    format_origin,
    lint_sets,
    read_seed_set,
    sort_findings,
)

router = APIRouter()
SetIdQuery = Annotated[str, Query(max_length=200, description="The id of a seed set.")]
SourceQuery = Annotated[
    str, Query(max_length=200, description="A source by name; without it, the first.")
]
SetQuery = Annotated[
    str, Query(max_length=MAX_SET_CHARACTERS, description="@ and the id of a set, or words.")
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
async def list_json(browse: FilterQuery) -> list[SeedOut]:
    """The seed sets that a search finds."""
    return [SeedOut(**_set_values(one)) for one in browse.sets()]


@router.get("/api/seeds/set")
async def set_json(id: SetIdQuery) -> SeedWithPairs:
    """One seed set."""
    against = [
        PairedOut(id=one.other(id), match=one.match, study=one.study.short, place=one.place)
        for one in pairings(id)
    ]
    return SeedWithPairs(**_set_values(seeds(id)), against=against)


@router.get("/api/seeds/lint", responses={**JOB_RESPONSES})
async def lint_json(
    here: CurrentSession, set: SetQuery, source: SourceQuery = "", job: JobQuery = ""
) -> LintOut:
    """What to know of a set before anything is measured with it."""
    found = await lint_sets(here, read_seed_set(set, here.settings, "set"), None, source, job)
    return LintOut(**_lint_values(here, source, found))


@router.get("/api/seeds/compare", responses={**JOB_RESPONSES})
async def compare_json(
    here: CurrentSession,
    one: SetQuery,
    other: SetQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> ComparedOut:
    """Two sets, held against each other."""
    first, second = (
        read_seed_set(text, here.settings, called)
        for text, called in ((one, "first set"), (other, "second set"))
    )
    made = await compare_sets(here, first, second, source, job)
    return ComparedOut(
        **_lint_values(here, source, made.found),
        shared=made.shared,
        similarity=made.value("similarity"),
    )


def _set_values(one: SeedSet) -> dict[str, Any]:
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


def _lint_values(here: Session, source: str, found: Lint) -> dict[str, Any]:
    return {
        "source": here.sources.chosen([source])[0].name,
        "fingerprint": str(found.source.get("fingerprint", "")),
        "findings": [
            FindingOut.model_validate(one, from_attributes=True) for one in found.findings
        ],
        "not_run": found.not_run,
    }


PAGE = Page("Seeds", "/seeds", router)
_FILES = {
    "yaml": "application/yaml",
    "json": "application/json",
    "csv": "text/csv",
    "txt": "text/plain; charset=utf-8",
}
MATCH_DESCRIPTIONS = {
    "documented": "word by word",
    "parallel": "the lists run side by side",
    "none": "as a whole",
}
"""How the words of two sets answer each other."""


@router.get("/seeds", **HTML_ROUTE, responses=html_response("The page."))
async def page(here: CurrentSession, browse: FilterQuery) -> Response:
    """Browse the seed sets by concept, by study, or by where their words come from."""
    return HTMLResponse(render("seeds.html", page_path="/seeds", **_list_values(browse)))


@router.get("/seeds/list", **HTML_ROUTE, responses=html_response("The list alone."))
async def list_part(here: CurrentSession, browse: FilterQuery) -> Response:
    """The seed sets that a search finds, as part of a page."""
    return HTMLResponse(render("seeds_list.html", **_list_values(browse)))


def _list_values(browse: FilterQuery) -> dict[str, Any]:
    sets = browse.sets()
    return {
        "browse": browse,
        "groups": browse.groups(),
        "number": len(sets),
        "is_open": len(sets) <= MAX_OPEN_SETS,
        "flags_of": flags_of,
        "first_words": first_words,
        "query": urlencode,
    }


@router.get("/seeds/set", **HTML_ROUTE, responses=html_response("The set."))
async def set_page(here: CurrentSession, id: SetIdQuery, source: SourceQuery = "") -> Response:
    """One seed set: its words, who used it, where they come from."""
    one = seeds(id)
    known = seed_sources()
    told = {
        "one": one,
        "origins": [(name, format_origin(name), known[name]) for name in one.sources],
        "against": [
            (
                pairing.other(id),
                MATCH_DESCRIPTIONS[pairing.match],
                f"{pairing.study.short}, {pairing.place}",
            )
            for pairing in pairings(id)
        ],
        "others": [other for other in seed_sets(concept=one.concept) if other.id != id],
        "choices": [other for other in seed_sets() if other.words and other.id != id],
    }
    return HTMLResponse(render("seeds_set.html", **_source_values(here, source), **told))


def _source_values(here: Session, source: str) -> dict[str, Any]:
    """What every page that chooses a source needs."""
    chosen = here.sources.chosen([source])
    return {
        "page_path": "/seeds",
        "sources": list(here.sources),
        "source": chosen[0].name if chosen else "",
        "query": urlencode,
    }


@router.get(
    "/seeds/lint", **HTML_ROUTE, responses={**html_response("What lint says."), **JOB_RESPONSES}
)
async def lint_part(
    here: CurrentSession,
    request: Request,
    id: SetIdQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """What to know of a set before anything is measured with it."""
    found = await lint_sets(here, seeds(id), None, source, job)
    shown = {"found": found, "findings": sort_findings(found), "many": False}
    back = f"/seeds/set?{urlencode({'id': id})}", id
    title = f"What to know of {id} before you use it"
    return render_part(request, "seeds_lint.html", title, back, **shown)


@router.get(
    "/seeds/compare", **HTML_ROUTE, responses={**html_response("The comparison."), **JOB_RESPONSES}
)
async def compare_page(
    here: CurrentSession,
    one: SetQuery = "",
    other: SetQuery = "",
    source: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """Hold two sets against each other: words they share, how alike they are, what lint says."""
    status = 200
    shown = _source_values(here, source) | {
        "texts": {"one": one, "other": other},
        "choices": [some for some in seed_sets() if some.words],
    }
    try:
        if one.strip() and other.strip():
            shown |= await _comparison_values(here, one, other, source, job)
    except Working as still:
        status = 202
        asked = urlencode({"one": one, "other": other, "source": source, "job": still.job.id})
        shown |= {"working": still.job, "again": f"/seeds/compared?{asked}"}
    except WeatherglassError as error:
        status, shown["told"] = error_status(error), error_text(error)
    return HTMLResponse(render("seeds_compare.html", **shown), status)


@router.get(
    "/seeds/compared", **HTML_ROUTE, responses={**html_response("The comparison."), **JOB_RESPONSES}
)
async def compare_part(
    here: CurrentSession,
    one: SetQuery,
    other: SetQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The comparison of two sets, as part of a page."""
    shown = await _comparison_values(here, one, other, source, job)
    return HTMLResponse(render("seeds_compared.html", **shown))


async def _comparison_values(
    here: Session, one: str, other: str, source: str, job: str
) -> dict[str, Any]:
    sets = [
        read_seed_set(text, here.settings, called)
        for text, called in ((one, "first set"), (other, "second set"))
    ]
    made = await compare_sets(here, sets[0], sets[1], source, job)
    return {
        "compared": made,
        "found": made.found,
        "findings": sort_findings(made.found),
        "many": True,
        "match": MATCH_DESCRIPTIONS,
        "three": numbers.measure,
        "query": urlencode,
        "source": here.sources.chosen([source])[0].name,
        "typed": (_as_typed(sets[0], one), _as_typed(sets[1], other)),
    }


def _as_typed(one: SeedSet, text: str) -> str:
    """The set as Ask and Explore read it."""
    return text if one.id in ("first set", "second set") else f"@{one.id}"


@router.get(
    "/seeds/download.{kind}",
    response_class=Response,
    responses=file_responses(_FILES.values()),
)
async def download(
    here: CurrentSession, id: SetIdQuery, kind: Literal["yaml", "json", "csv", "txt"]
) -> Response:
    """A set as a file to change and use as one's own; every word is in full."""
    one = seeds(id)
    if not one.words and kind in ("csv", "txt"):
        raise CatalogError(f"{id} has no words, so there is nothing to put into the file.")
    content = seeds_text([one], kind).encode()
    return Response(content, media_type=_FILES[kind], headers=download_headers(id, kind))
