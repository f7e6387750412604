"""The routes of the Library: one search over seed sets, tests, norms and uploads."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from pydantic import BaseModel
from starlette.responses import HTMLResponse, Response

from ..rendering import render
from ..responses import HTML_ROUTE, html_response
from ..seeds import FilterQuery, SeedFilter, find_flags, first_words, seed_title
from ..session import CurrentSession, Page, Session
from .cards import TEST_GROUPS, find_norms_cards, find_test_cards, find_upload_cards

router = APIRouter()
PAGE = Page("Library", "/library", router)

N_CONCEPTS = 12
"""How many concepts the overview names: those with the most seed sets."""

MAX_OPEN_CARDS = 24
"""With more cards than these, their groups are collapsed."""

KINDS = {"": "All", "seeds": "Seed sets", "tests": "Tests", "norms": "Norms", "uploads": "Uploads"}
"""The tabs of the page; seed sets have an address of their own."""

LibraryKind = Literal["", "tests", "norms", "uploads"]
KindQuery = Annotated[LibraryKind, Query(description="Only this kind; everything if empty.")]
FindQuery = Annotated[str, Query(max_length=100, description="The text to search for.")]


# Pages


@router.get("/library", **HTML_ROUTE, responses=html_response("The page."))
async def page(session: CurrentSession, kind: KindQuery = "", find: FindQuery = "") -> Response:
    """Search seed sets, published tests, norms and uploads."""
    values = _values(session, kind, SeedFilter(find.strip()))
    return HTMLResponse(render("library.html", **values))


@router.get("/library/list", **HTML_ROUTE, responses=html_response("The cards alone."))
async def list_part(
    session: CurrentSession, kind: KindQuery = "", find: FindQuery = ""
) -> Response:
    """The cards, as part of a page."""
    values = _values(session, kind, SeedFilter(find.strip()))
    return _render_list(values, library_address(kind, find.strip()))


@router.get("/seeds", **HTML_ROUTE, responses=html_response("The page."))
async def seeds_page(session: CurrentSession, seed_filter: FilterQuery) -> Response:
    """Browse the seed sets by concept, by study, or by the origin of their words."""
    return HTMLResponse(render("library.html", **_values(session, "seeds", seed_filter)))


@router.get("/seeds/list", **HTML_ROUTE, responses=html_response("The list alone."))
async def seeds_part(session: CurrentSession, seed_filter: FilterQuery) -> Response:
    """The list of seed sets, as part of a page."""
    query = seed_filter.query
    values = _values(session, "seeds", seed_filter)
    return _render_list(values, f"/seeds?{query}" if query else "/seeds")


def _render_list(values: dict[str, Any], address: str) -> Response:
    """Return the list; the address of the page follows the search, so that it can be sent."""
    return HTMLResponse(render("library_list.html", **values), headers={"HX-Replace-Url": address})


def _values(session: Session, kind: str, seed_filter: SeedFilter) -> dict[str, Any]:
    """Return what the page shows: the cards of its tab, and how many the other tabs have."""
    find = seed_filter.find
    sets = seed_filter.sets()
    tests = find_test_cards(find)
    norms, uploads = find_norms_cards(find), find_upload_cards(session, find)
    counts = {
        "seeds": len(sets),
        "tests": len(tests),
        "norms": len(norms),
        "uploads": len(uploads),
    }
    chosen = [kind] if kind else [name for name in counts if counts[name] or not find]
    return {
        "page_path": "/library",
        "kind": kind,
        "chosen": chosen,
        "tabs": _tabs(kind, find, counts | {"": sum(counts.values())}),
        "is_open": sum(counts[name] for name in chosen) <= MAX_OPEN_CARDS,
        "filter": seed_filter,
        "groups": seed_filter.groups() if "seeds" in chosen else [],
        "n_sets": len(sets),
        "concepts": Counter(seed_set.concept for seed_set in sets).most_common(N_CONCEPTS),
        "test_groups": [
            (title, description, members)
            for group, (title, description) in TEST_GROUPS.items()
            if (members := [card for card in tests if card.group == group])
        ],
        "norms": norms,
        "uploads": uploads,
        "counts": counts,
        "sources": list(session.sources),
        "find_flags": find_flags,
        "first_words": first_words,
        "title": seed_title,
        "query": urlencode,
    }


def _tabs(kind: str, find: str, counts: dict[str, int]) -> list[tuple[str, str, int, bool]]:
    """Return title, address, number of cards, and whether it is chosen, for each tab."""
    return [
        (title, library_address(name, find), counts[name], name == kind)
        for name, title in KINDS.items()
    ]


def library_address(kind: str, find: str) -> str:
    """Return the address of a tab with a search.

    >>> library_address("tests", "career"), library_address("seeds", ""), library_address("", "")
    ('/library?kind=tests&find=career', '/seeds', '/library')
    """
    path = "/seeds" if kind == "seeds" else "/library"
    fields = {"kind": "" if kind == "seeds" else kind, "find": find}
    query = urlencode({name: value for name, value in fields.items() if value})
    return f"{path}?{query}" if query else path


# JSON


class LibraryEntry(BaseModel):
    """An entry of the Library; `address` is the page that uses it."""

    kind: Literal["seeds", "tests", "norms", "uploads"]
    id: str
    title: str
    doi: str = ""
    address: str = ""


@router.get("/api/library")
async def list_json(
    session: CurrentSession, kind: KindQuery = "", find: FindQuery = ""
) -> list[LibraryEntry]:
    """The seed sets, tests, norms and uploads that match a search."""
    entries = [
        LibraryEntry(
            kind="seeds",
            id=seed_set.id,
            title=seed_title(seed_set),
            doi=seed_set.study.doi if seed_set.study else "",
            address=f"/seeds/set?{urlencode({'id': seed_set.id})}",
        )
        for seed_set in SeedFilter(find.strip()).sets()
    ]
    entries += [
        LibraryEntry(
            kind="tests",
            id=card.entry.id,
            title=card.entry.title,
            doi=card.study.doi if card.study else "",
            address=card.question[0],
        )
        for card in find_test_cards(find)
    ]
    entries += [
        LibraryEntry(
            kind="norms",
            id=card.id,
            title=card.norms.title,
            doi=card.study.doi,
            address="/ask/quality",
        )
        for card in find_norms_cards(find)
    ]
    entries += [
        LibraryEntry(
            kind="uploads",
            id=card.id,
            title=card.name,
            address=f"/?{urlencode({'source': card.source})}" if card.source else "/upload",
        )
        for card in find_upload_cards(session, find)
    ]
    return [entry for entry in entries if not kind or entry.kind == kind]
