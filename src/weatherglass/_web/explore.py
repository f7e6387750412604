"""Explore: the neighbours of a word, words along an axis or on two, embeddings side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.catalog import seed_sets
from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.report import rounding, shades
from weatherglass.report.near_plot import plot_near
from weatherglass.report.places import Size, domains_of, plot_axis, plot_map

from . import explore_api
from .ask_question import JobOf
from .charts import PICTURE, Form, picture
from .explore_answers import Near, Placed, near, placed
from .explore_files import near_csv, places_csv
from .explore_question import Look, LookedAt, View
from .files import as_file, file_of
from .jobs import Working
from .rendering import render
from .responses import HTML, MAY_WORK, page_of, status_of, told_by
from .session import Here, Page, Session
from .sources import prints
from .typed import Typed
from .word_lookup import looked_up

router = APIRouter()
router.include_router(explore_api.router)
PAGE = Page("Explore", "/explore", router)
_VIEWS: dict[View, str] = {
    "near": "Nearest words",
    "axis": "Along an axis",
    "map": "On two axes",
}
_MOVED: dict[int | str, dict[str, Any]] = {303: {"description": "The same, shorter."}}


@router.get("/explore", **HTML, responses={**page_of("The page."), **MAY_WORK, **_MOVED})
async def page(here: Here, look: LookedAt, request: Request, job: JobOf = "") -> Response:
    """Look around in an embedding. The address is what is looked at."""
    if look.is_whole and not job and request.url.query != look.query:
        return RedirectResponse(f"/explore?{look.query}", 303)
    status, shown = 200, _form(here, look)
    try:
        shown["chosen"] = {one.name for one in here.sources.chosen(look.sources)}
        if look.is_whole:
            shown |= await _found(here, look, job)
    except Working as still:
        status = 202
        again = f"/explore/found?{look.query}&job={still.job.id}"
        shown |= {"working": still.job, "again": again}
    except WeatherglassError as error:
        status, shown["told"] = status_of(error), told_by(error)
    return HTMLResponse(render("explore.html", **shown), status)


def _form(here: Session, look: Look) -> dict[str, Any]:
    return {
        "page_path": "/explore",
        "look": look,
        "sources": list(here.sources),
        "chosen": set(look.sources),
        "typed": {name: _typed(here, look, name) for name in ("words", "a", "b", "c", "d")},
        "sets": [one for one in seed_sets() if one.words] if look.axes else [],
        "tabs": [
            (view, told, Look(view=view, sources=look.sources).query)
            for view, told in _VIEWS.items()
        ],
    }


def _typed(here: Session, look: Look, name: str) -> Typed:
    try:
        return look.read(name, here.settings)
    except WeatherglassError:  # told where the words are shown
        return Typed()


async def _found(here: Session, look: Look, job: str) -> dict[str, Any]:
    """What a template needs to show what was found."""
    if look.view == "near":
        some = await near(here, look, job)
        lists = [{word for word, _ in one.found} for one in some.values() if one.found]
        shared = set.intersection(*lists) if len(lists) > 1 else set()
        first = next((one for one in some.values() if one.found), Near())
        common = [word for word, _ in first.found if word in shared]
        return {
            "look": look,
            "near": some,
            "common": common,
            "link": _link(look),
            "shade": lambda cosine, one: shades.step(cosine, one.found[-1][1], one.found[0][1]),
        }
    made = await placed(here, look, job)
    return {"look": look, "placed": made, "link": _link(look), "three": rounding.measure}


def _link(look: Look) -> Any:
    """Gives the address of a word's neighbours; empty where no address can hold the word."""

    def made(word: str) -> str:
        try:
            query = Look(sources=look.sources, word=word.replace("_", " ")).query
        except UnicodeEncodeError:  # bytes of a file that are no text
            return ""
        return f"/explore?{query}" if 0 < len(word) <= 100 else ""

    return made


@router.get("/explore/found", **HTML, responses={**page_of("What was found."), **MAY_WORK})
async def found(here: Here, look: LookedAt, job: JobOf = "") -> Response:
    """What was found, as part of a page."""
    return HTMLResponse(render("explore_found.html", **await _found(here, look, job)))


@router.get("/explore/words", **HTML, responses={**page_of("The words of a set."), **MAY_WORK})
async def words(
    here: Here,
    look: LookedAt,
    which: Annotated[
        Literal["words", "a", "b", "c", "d"], Query(description="Which set.")
    ] = "words",
    job: JobOf = "",
) -> Response:
    """Which words of a set the sources lack, and where the set comes from."""
    typed = look.read(which, here.settings)
    if not typed.words:
        return HTMLResponse("")
    looked = await looked_up(here, look.sources, typed, job)
    return HTMLResponse(render("words_found.html", typed=typed, found=looked))


@router.get("/explore/picture.{form}", responses={**PICTURE, **MAY_WORK}, response_class=Response)
async def drawn(
    here: Here,
    look: LookedAt,
    form: Form,
    size: Annotated[Size, Query(description="For a screen, or for a phone.")] = "large",
    on: Annotated[str, Query(max_length=200, description="Of two axes: on which source.")] = "",
    job: JobOf = "",
) -> Response:
    """The picture of what was found; of words on two axes, one for each source."""
    if look.view == "near":
        return await _bars(here, look, form, job)
    made = await placed(here, look, job)
    if on:
        on = here.sources.find(on).name
    if on and on not in made.results:
        made = await placed(here, replace(look, sources=(on,)), job)
    key = ("explore", made.key, look.view, size, on)
    name = "-".join(part for part in (*made.labels.values(), on) if part)

    def draw() -> Any:
        return _axes(made, on, size)

    return await picture(here, key, draw, form, name=name, job=job)


def _axes(made: Placed, on: str, size: Size) -> Any:
    done = made.done
    chosen = on or next(iter(done), "")
    if chosen not in done:
        raise CannotMeasure("There is nothing to draw: no word could be placed.")
    if made.look.view == "axis":
        return plot_axis({name: one for name, (one,) in done.items()}, made.sides[0], size=size)
    ends = domains_of([(one, other) for one, other in done.values()])
    across, up = done[chosen]
    return plot_map(across, up, made.sides, size=size, domains=ends)


async def _bars(here: Session, look: Look, form: Form, job: str) -> Response:
    some = await near(here, look, job)

    def draw() -> Any:
        done = {name: one.found for name, one in some.items() if one.found}
        if not done:
            raise CannotMeasure("There is nothing to draw: no source has this word.")
        return plot_near(done)

    opened = await here.sources.opened(look.sources, job)
    key = ("bars", look.word, look.n, *prints(opened))
    return await picture(here, key, draw, form, name=f"near-{look.word}", job=job)


@router.get(
    "/explore/numbers.csv", response_class=Response, responses={**file_of(["text/csv"]), **MAY_WORK}
)
async def numbers(here: Here, look: LookedAt, job: JobOf = "") -> Response:
    """What was found, as a table for programs; every word in full."""
    if look.view == "near":
        name, text = f"near-{look.word}", near_csv(look.word, await near(here, look, job))
    else:
        made = await placed(here, look, job)
        name, text = "-".join(made.labels.values()), places_csv(made)
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, media_type="text/csv", headers=as_file(name, "csv"))
