"""Explore: the neighbours of a word, words along an axis or on two, embeddings side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.catalog import seed_sets
from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.report import Size, domains_of, numbers, plot_axis, plot_map, plot_near, style

from ..ask import JobOf
from ..charts import PICTURE, Form, picture
from ..jobs import Working
from ..rendering import as_file, csv_text, file_of, render
from ..responses import HTML, MAY_WORK, page_of, status_of, told_by
from ..session import Here, Page, Session
from ..sources import prints
from ..word_sets import Typed, looked_up
from .question import (
    USUAL,
    CountOf,
    Look,
    LookedAt,
    Near,
    Placed,
    SourcesOf,
    Text,
    View,
    WordOf,
    near,
    placed,
)

router = APIRouter()


class NeighbourOut(BaseModel):
    """A word that is near, and its cosine."""

    word: str
    cosine: float


class NearOut(BaseModel):
    """The neighbours in one source, nearest first; `reason` says why there are none."""

    source: str
    word: str
    reason: str
    neighbours: list[NeighbourOut]


class PlaceOut(BaseModel):
    """A word and its cosine with each axis, in the order in which the axes were given."""

    word: str
    places: list[float]


class PlacedOut(BaseModel):
    """The words in one source; `missing` has the words that it lacks, by set."""

    source: str
    status: str
    reason: str
    words: list[PlaceOut]
    missing: dict[str, list[str]]


@router.get("/api/neighbours", responses={**MAY_WORK})
async def neighbours(
    here: Here, word: WordOf, source: SourcesOf = (), n: CountOf = USUAL, job: JobOf = ""
) -> list[NearOut]:
    """The nearest words by cosine, source by source."""
    look = Look(sources=source, word=word.strip(), n=n)
    return [
        NearOut(
            source=name,
            word=readable(one.spelled),
            reason=readable(one.reason),
            neighbours=[NeighbourOut(word=readable(a), cosine=b) for a, b in one.found],
        )
        for name, one in (await near(here, look, job)).items()
    ]


@router.get("/api/places", responses={**MAY_WORK})
async def places(
    here: Here,
    words: Text,
    a: Text,
    b: Text,
    c: Text = "",
    d: Text = "",
    source: SourcesOf = (),
    job: JobOf = "",
) -> list[PlacedOut]:
    """The cosine of words with the axis from B to A, and with that from D to C."""
    view: View = "map" if c.strip() or d.strip() else "axis"
    look = Look(view, source, words=words, a=a, b=b, c=c, d=d)
    made = await placed(here, look, job)
    out = []
    for name, some in made.results.items():
        reason = next((one.reason for one in some if one.status != "done"), "")
        done = name in made.done
        numbers = zip(*(one.by_word["X"] for one in some), strict=True) if done else ()
        listed = zip(some[0].words["X"], numbers, strict=True) if done else ()
        out.append(
            PlacedOut(
                source=name,
                status="done" if done else "not run",
                reason=readable(reason),
                words=[PlaceOut(word=readable(word), places=list(at)) for word, at in listed],
                missing={
                    side: [readable(word) for word in gone] for side, gone in made.missing(name)
                },
            )
        )
    return out


def readable(text: str) -> str:
    r"""Text that JSON can hold: bytes of a file that are no text become escapes.

    >>> print(readable("a\udcff"))
    a\udcff
    """
    return text.encode("utf-8", "backslashreplace").decode()


def near_csv(word: str, some: Mapping[str, Near]) -> str:
    """Neighbours: a line for each.

    >>> print(near_csv("sun", {"tiny": Near("sun", (("moon", 0.5),))}), end="")
    source,word,rank,neighbour,cosine
    tiny,sun,1,moon,0.5
    """
    return csv_text(
        ("source", "word", "rank", "neighbour", "cosine"),
        (
            (name, one.spelled or word, rank, neighbour, round(cosine, 6))
            for name, one in some.items()
            for rank, (neighbour, cosine) in enumerate(one.found, 1)
        ),
    )


def places_csv(made: Placed) -> str:
    """Words on axes: a line for each word, source and axis; a word that is missing has no place."""
    heads = ("source", "axis", "low_end", "high_end", "word", "cosine", "status")
    return csv_text(heads, _lines(made))


def _lines(made: Placed) -> Iterable[tuple[Any, ...]]:
    for source, results in made.results.items():
        for axis, (one, sides) in enumerate(zip(results, made.sides, strict=True), 1):
            about = (source, axis, *sides)
            words, values = one.words.get("X", ()), one.by_word.get("X", ())
            if one.status == "done":
                for word, value in zip(words, values, strict=True):
                    yield (*about, word, round(value, 6), "done")
            for word in one.missing.get("X", ()):
                yield (*about, word, "", "missing")
            if one.status != "done":
                yield (*about, "", "", f"not run: {one.reason}")


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
            "shade": lambda cosine, one: style.step(cosine, one.found[-1][1], one.found[0][1]),
        }
    made = await placed(here, look, job)
    return {"look": look, "placed": made, "link": _link(look), "three": numbers.measure}


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
async def download_table(here: Here, look: LookedAt, job: JobOf = "") -> Response:
    """What was found, as a table for programs; every word in full."""
    if look.view == "near":
        name, text = f"near-{look.word}", near_csv(look.word, await near(here, look, job))
    else:
        made = await placed(here, look, job)
        name, text = "-".join(made.labels.values()), places_csv(made)
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, media_type="text/csv", headers=as_file(name, "csv"))
