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

from ..ask import MOST_LETTERS, JobOf
from ..jobs import Working
from ..rendering import as_file, file_of, render
from ..responses import HTML, MAY_WORK, page_of, part_of, status_of, told_by
from ..session import Here, Page, Session
from .browse import (
    FEW,
    Browsed,
    compared,
    first_words,
    flags_of,
    gravest_first,
    in_words,
    looked_at,
    set_of,
)

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
async def seed_set_json(id: IdOf) -> SeedWithPairs:
    """One seed set."""
    against = [
        PairedOut(id=one.other(id), match=one.match, study=one.study.short, place=one.place)
        for one in pairings(id)
    ]
    return SeedWithPairs(**_out(seeds(id)), against=against)


@router.get("/api/seeds/lint", responses={**MAY_WORK})
async def lint_json(here: Here, set: SetText, source: SourceOf = "", job: JobOf = "") -> LintOut:
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


PAGE = Page("Seeds", "/seeds", router)
_FILES = {
    "yaml": "application/yaml",
    "json": "application/json",
    "csv": "text/csv",
    "txt": "text/plain; charset=utf-8",
}
MATCH = {
    "documented": "word by word",
    "parallel": "the lists run side by side",
    "none": "as a whole",
}
"""How the words of two sets answer each other."""


@router.get("/seeds", **HTML, responses=page_of("The page."))
async def page(here: Here, browse: Browsed) -> Response:
    """Browse the seed sets by concept, by study, or by where their words come from."""
    return HTMLResponse(render("seeds.html", page_path="/seeds", **_listed(browse)))


@router.get("/seeds/list", **HTML, responses=page_of("The list alone."))
async def listing(here: Here, browse: Browsed) -> Response:
    """The seed sets that a search finds, as part of a page."""
    return HTMLResponse(render("seeds_list.html", **_listed(browse)))


def _listed(browse: Browsed) -> dict[str, Any]:
    sets = browse.sets()
    return {
        "browse": browse,
        "groups": browse.groups(),
        "number": len(sets),
        "is_open": len(sets) <= FEW,
        "flags_of": flags_of,
        "first_words": first_words,
        "query": urlencode,
    }


@router.get("/seeds/set", **HTML, responses=page_of("The set."))
async def show_seed_set(here: Here, id: IdOf, source: SourceOf = "") -> Response:
    """One seed set: its words, who used it, where they come from."""
    one = seeds(id)
    known = seed_sources()
    told = {
        "one": one,
        "origins": [(name, in_words(name), known[name]) for name in one.sources],
        "against": [
            (pairing.other(id), MATCH[pairing.match], f"{pairing.study.short}, {pairing.place}")
            for pairing in pairings(id)
        ],
        "others": [other for other in seed_sets(concept=one.concept) if other.id != id],
        "choices": [other for other in seed_sets() if other.words and other.id != id],
    }
    return HTMLResponse(render("seeds_set.html", **_sources(here, source), **told))


def _sources(here: Session, source: str) -> dict[str, Any]:
    """What every page that chooses a source needs."""
    chosen = here.sources.chosen([source])
    return {
        "page_path": "/seeds",
        "sources": list(here.sources),
        "source": chosen[0].name if chosen else "",
        "query": urlencode,
    }


@router.get("/seeds/lint", **HTML, responses={**page_of("What lint says."), **MAY_WORK})
async def linted(
    here: Here, request: Request, id: IdOf, source: SourceOf = "", job: JobOf = ""
) -> Response:
    """What to know of a set before anything is measured with it."""
    found = await looked_at(here, seeds(id), None, source, job)
    shown = {"found": found, "findings": gravest_first(found), "many": False}
    back = f"/seeds/set?{urlencode({'id': id})}", id
    title = f"What to know of {id} before you use it"
    return part_of(request, "seeds_lint.html", title, back, **shown)


@router.get("/seeds/compare", **HTML, responses={**page_of("The comparison."), **MAY_WORK})
async def comparison(
    here: Here, one: SetText = "", other: SetText = "", source: SourceOf = "", job: JobOf = ""
) -> Response:
    """Hold two sets against each other: words they share, how alike they are, what lint says."""
    status = 200
    shown = _sources(here, source) | {
        "texts": {"one": one, "other": other},
        "choices": [some for some in seed_sets() if some.words],
    }
    try:
        if one.strip() and other.strip():
            shown |= await _compared(here, one, other, source, job)
    except Working as still:
        status = 202
        asked = urlencode({"one": one, "other": other, "source": source, "job": still.job.id})
        shown |= {"working": still.job, "again": f"/seeds/compared?{asked}"}
    except WeatherglassError as error:
        status, shown["told"] = status_of(error), told_by(error)
    return HTMLResponse(render("seeds_compare.html", **shown), status)


@router.get("/seeds/compared", **HTML, responses={**page_of("The comparison."), **MAY_WORK})
async def comparison_alone(
    here: Here, one: SetText, other: SetText, source: SourceOf = "", job: JobOf = ""
) -> Response:
    """The comparison of two sets, as part of a page."""
    shown = await _compared(here, one, other, source, job)
    return HTMLResponse(render("seeds_compared.html", **shown))


async def _compared(here: Session, one: str, other: str, source: str, job: str) -> dict[str, Any]:
    sets = [
        set_of(text, here.settings, called)
        for text, called in ((one, "first set"), (other, "second set"))
    ]
    made = await compared(here, sets[0], sets[1], source, job)
    return {
        "compared": made,
        "found": made.found,
        "findings": gravest_first(made.found),
        "many": True,
        "match": MATCH,
        "three": numbers.measure,
        "query": urlencode,
        "source": here.sources.chosen([source])[0].name,
        "typed": (_typed(sets[0], one), _typed(sets[1], other)),
    }


def _typed(one: SeedSet, text: str) -> str:
    """The set as Ask and Explore read it."""
    return text if one.id in ("first set", "second set") else f"@{one.id}"


@router.get(
    "/seeds/download.{kind}",
    response_class=Response,
    responses=file_of(_FILES.values()),
)
async def download(here: Here, id: IdOf, kind: Literal["yaml", "json", "csv", "txt"]) -> Response:
    """A set as a file to change and use as one's own; every word is in full."""
    one = seeds(id)
    if not one.words and kind in ("csv", "txt"):
        raise CatalogError(f"{id} has no words, so there is nothing to put into the file.")
    content = seeds_text([one], kind).encode()
    return Response(content, media_type=_FILES[kind], headers=as_file(id, kind))
