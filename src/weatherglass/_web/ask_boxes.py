"""The four boxes of a question: searching the catalogue, and words looked up as they are typed."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.responses import HTMLResponse, Response

from weatherglass.errors import WeatherglassError

from .ask_question import SIDES, Asked, Four, JobOf, Question, Side
from .catalogue_search import find_sets, find_tests
from .rendering import render
from .responses import MAY_WORK, page_of
from .session import Here, Session
from .typed import Typed, written_out
from .word_lookup import looked_up

router = APIRouter(default_response_class=HTMLResponse)
Search = Annotated[str, Query(max_length=100, description="What to look for.")]


async def _looking(
    find_x: Search = "", find_y: Search = "", find_a: Search = "", find_b: Search = ""
) -> dict[str, str]:
    return dict(zip(SIDES, (find_x, find_y, find_a, find_b), strict=True))


Looking = Annotated[dict[str, str], Depends(_looking)]
"""What is looked for in the catalogue, box by box."""


def box_of(here: Session, question: Question, side: str, looking: str = "") -> dict[str, Any]:
    """What a template needs to show one of the four boxes."""
    try:
        typed = question.read(side, here.settings)
    except WeatherglassError:  # told where the words are shown
        typed = Typed()
    at = SIDES.index(side)
    return {
        "side": side,
        "text": question.sets[at],
        "name": question.names[at],
        "typed": typed,
        "find": looking,
        "found": [(one, picked(question, side, one.name)) for one in find_sets(looking)],
    }


def picked(question: Question, side: str, name: str) -> str:
    """A question, as the end of an address, with a set of the catalogue in one of its boxes.

    >>> picked(Question(), "a", "weat6.A")
    'a=%40weat6.A'
    """
    at, whole = SIDES.index(side), question.as_sets()
    made = replace(whole, sets=_with(whole.sets, at, f"@{name}"), names=_with(whole.names, at, ""))
    return made.query


def _with(some: Four, at: int, text: str) -> Four:
    x, y, a, b = (text if k == at else one for k, one in enumerate(some))
    return x, y, a, b


@router.get("/ask/tests", responses=page_of("Links to tests."))
async def published(question: Asked, find_test: Search = "") -> Response:
    """Tests of the catalogue that a search finds, as links for the sources chosen."""
    return HTMLResponse(render("ask_tests.html", tests=find_tests(find_test), question=question))


@router.get("/ask/find", responses=page_of("Sets to pick."))
async def find(here: Here, question: Asked, looking: Looking, side: Side = "x") -> Response:
    """Sets of the catalogue that a search finds, for one of the four boxes."""
    box = box_of(here, question, side, looking[side])
    return HTMLResponse(render("ask_found.html", box=box))


@router.get("/ask/set", responses=page_of("One of the four boxes."))
async def one_set(
    here: Here,
    question: Asked,
    side: Side = "x",
    write_out: Annotated[bool, Query(description="Words in place of references.")] = False,
) -> Response:
    """One of the four boxes anew, with a set that was picked."""
    box = box_of(here, question, side)
    if write_out:
        typed = question.read(side, here.settings)
        box |= {"text": written_out(typed.words), "name": typed.label}
    return HTMLResponse(render("ask_set.html", box=box, is_new=True))


@router.get("/ask/words", responses={**page_of("The words of a set."), **MAY_WORK})
async def words(here: Here, question: Asked, side: Side = "x", job: JobOf = "") -> Response:
    """What is in one of the four boxes: words missing, provenance, what lint says."""
    typed = question.read(side, here.settings)
    if not typed.words:
        return HTMLResponse("")
    found = await looked_up(here, question.sources, typed, job)
    return HTMLResponse(render("ask_words.html", typed=typed, found=found, side=side))
