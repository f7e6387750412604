"""Seeds: browse the seed sets of the catalogue, look at one, hold two against each other."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from weatherglass.catalog import SeedSet, pairings, seed_sets, seed_sources, seeds, seeds_text
from weatherglass.errors import CatalogError, WeatherglassError
from weatherglass.report import rounding

from . import seeds_api
from .ask_question import JobOf
from .files import as_file, file_of
from .jobs import Working
from .rendering import render
from .responses import HTML, MAY_WORK, page_of, part_of, status_of, told_by
from .seeds_api import IdOf, SetText, SourceOf
from .seeds_browse import FEW, Browsed, first_words, flags_of, in_words
from .seeds_lint import compared, gravest_first, looked_at, set_of
from .session import Here, Page, Session

router = APIRouter()
router.include_router(seeds_api.router)
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
async def one_set(here: Here, id: IdOf, source: SourceOf = "") -> Response:
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
        "three": rounding.measure,
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
