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
from weatherglass.report import (
    Size,
    axis_domains,
    numbers,
    plot_axis,
    plot_map,
    plot_neighbours,
    style,
)

from ..ask import JobQuery
from ..charts import CHART_RESPONSES, ChartFormat, chart_response
from ..jobs import Working
from ..rendering import csv_text, download_headers, file_responses, render
from ..responses import HTML_ROUTE, JOB_RESPONSES, error_status, error_text, html_response
from ..session import CurrentSession, Page, Session
from ..sources import fingerprints
from ..word_sets import WordSetInput, look_up_words
from .question import (
    DEFAULT_NEIGHBOURS,
    CountQuery,
    Exploration,
    ExplorationQuery,
    Near,
    Placement,
    SetQuery,
    SourcesQuery,
    View,
    WordQuery,
    find_neighbours,
    place_words,
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
    words_part: list[PlaceOut]
    missing: dict[str, list[str]]


@router.get("/api/neighbours", responses={**JOB_RESPONSES})
async def neighbours(
    here: CurrentSession,
    word: WordQuery,
    source: SourcesQuery = (),
    n: CountQuery = DEFAULT_NEIGHBOURS,
    job: JobQuery = "",
) -> list[NearOut]:
    """The nearest words by cosine, source by source."""
    look = Exploration(sources=source, word=word.strip(), n=n)
    return [
        NearOut(
            source=name,
            word=escape_surrogates(one.spelled),
            reason=escape_surrogates(one.reason),
            neighbours=[NeighbourOut(word=escape_surrogates(a), cosine=b) for a, b in one.found],
        )
        for name, one in (await find_neighbours(here, look, job)).items()
    ]


@router.get("/api/places", responses={**JOB_RESPONSES})
async def places(
    here: CurrentSession,
    words: SetQuery,
    a: SetQuery,
    b: SetQuery,
    c: SetQuery = "",
    d: SetQuery = "",
    source: SourcesQuery = (),
    job: JobQuery = "",
) -> list[PlacedOut]:
    """The cosine of words with the axis from B to A, and with that from D to C."""
    view: View = "map" if c.strip() or d.strip() else "axis"
    look = Exploration(view, source, words=words, a=a, b=b, c=c, d=d)
    made = await place_words(here, look, job)
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
                reason=escape_surrogates(reason),
                words=[
                    PlaceOut(word=escape_surrogates(word), places=list(at)) for word, at in listed
                ],
                missing={
                    side: [escape_surrogates(word) for word in gone]
                    for side, gone in made.missing(name)
                },
            )
        )
    return out


def escape_surrogates(text: str) -> str:
    r"""Text that JSON can hold: bytes of a file that are no text become escapes.

    >>> print(escape_surrogates("a\udcff"))
    a\udcff
    """
    return text.encode("utf-8", "backslashreplace").decode()


def neighbours_csv(word: str, some: Mapping[str, Near]) -> str:
    """Neighbours: a line for each.

    >>> print(neighbours_csv("sun", {"tiny": Near("sun", (("moon", 0.5),))}), end="")
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


def places_csv(made: Placement) -> str:
    """Words on axes: a line for each word, source and axis; a word that is missing has no place."""
    heads = ("source", "axis", "low_end", "high_end", "word", "cosine", "status")
    return csv_text(heads, _position_rows(made))


def _position_rows(made: Placement) -> Iterable[tuple[Any, ...]]:
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


@router.get(
    "/explore", **HTML_ROUTE, responses={**html_response("The page."), **JOB_RESPONSES, **_MOVED}
)
async def page(
    here: CurrentSession, look: ExplorationQuery, request: Request, job: JobQuery = ""
) -> Response:
    """Look around in an embedding. The address is what is looked at."""
    if look.is_whole and not job and request.url.query != look.query:
        return RedirectResponse(f"/explore?{look.query}", 303)
    status, shown = 200, _form_values(here, look)
    try:
        shown["chosen"] = {one.name for one in here.sources.chosen(look.sources)}
        if look.is_whole:
            shown |= await _answer_values(here, look, job)
    except Working as still:
        status = 202
        again = f"/explore/found?{look.query}&job={still.job.id}"
        shown |= {"working": still.job, "again": again}
    except WeatherglassError as error:
        status, shown["told"] = error_status(error), error_text(error)
    return HTMLResponse(render("explore.html", **shown), status)


def _form_values(here: Session, look: Exploration) -> dict[str, Any]:
    return {
        "page_path": "/explore",
        "look": look,
        "sources": list(here.sources),
        "chosen": set(look.sources),
        "typed": {name: _read_or_empty(here, look, name) for name in ("words", "a", "b", "c", "d")},
        "sets": [one for one in seed_sets() if one.words] if look.axes else [],
        "tabs": [
            (view, told, Exploration(view=view, sources=look.sources).query)
            for view, told in _VIEWS.items()
        ],
    }


def _read_or_empty(here: Session, look: Exploration, name: str) -> WordSetInput:
    try:
        return look.read(name, here.settings)
    except WeatherglassError:  # told where the words are shown
        return WordSetInput()


async def _answer_values(here: Session, look: Exploration, job: str) -> dict[str, Any]:
    """What a template needs to show what was found."""
    if look.view == "near":
        some = await find_neighbours(here, look, job)
        lists = [{word for word, _ in one.found} for one in some.values() if one.found]
        shared = set.intersection(*lists) if len(lists) > 1 else set()
        first = next((one for one in some.values() if one.found), Near())
        common = [word for word, _ in first.found if word in shared]
        return {
            "look": look,
            "near": some,
            "common": common,
            "link": _neighbours_link(look),
            "shade": lambda cosine, one: style.step(cosine, one.found[-1][1], one.found[0][1]),
        }
    made = await place_words(here, look, job)
    return {"look": look, "placed": made, "link": _neighbours_link(look), "three": numbers.measure}


def _neighbours_link(look: Exploration) -> Any:
    """Gives the address of a word's neighbours; empty where no address can hold the word."""

    def made(word: str) -> str:
        try:
            query = Exploration(sources=look.sources, word=word.replace("_", " ")).query
        except UnicodeEncodeError:  # bytes of a file that are no text
            return ""
        return f"/explore?{query}" if 0 < len(word) <= 100 else ""

    return made


@router.get(
    "/explore/found", **HTML_ROUTE, responses={**html_response("What was found."), **JOB_RESPONSES}
)
async def answer_part(here: CurrentSession, look: ExplorationQuery, job: JobQuery = "") -> Response:
    """What was found, as part of a page."""
    return HTMLResponse(render("explore_found.html", **await _answer_values(here, look, job)))


@router.get(
    "/explore/words",
    **HTML_ROUTE,
    responses={**html_response("The words of a set."), **JOB_RESPONSES},
)
async def words_part(
    here: CurrentSession,
    look: ExplorationQuery,
    which: Annotated[
        Literal["words", "a", "b", "c", "d"], Query(description="Which set.")
    ] = "words",
    job: JobQuery = "",
) -> Response:
    """Which words of a set the sources lack, and where the set comes from."""
    typed = look.read(which, here.settings)
    if not typed.words:
        return HTMLResponse("")
    looked = await look_up_words(here, look.sources, typed, job)
    return HTMLResponse(render("words_found.html", typed=typed, found=looked))


@router.get(
    "/explore/picture.{form}",
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
    response_class=Response,
)
async def chart(
    here: CurrentSession,
    look: ExplorationQuery,
    form: ChartFormat,
    size: Annotated[Size, Query(description="For a screen, or for a phone.")] = "large",
    on: Annotated[str, Query(max_length=200, description="Of two axes: on which source.")] = "",
    job: JobQuery = "",
) -> Response:
    """The picture of what was found; of words on two axes, one for each source."""
    if look.view == "near":
        return await _neighbours_chart(here, look, form, job)
    made = await place_words(here, look, job)
    if on:
        on = here.sources.find(on).name
    if on and on not in made.results:
        made = await place_words(here, replace(look, sources=(on,)), job)
    key = ("explore", made.key, look.view, size, on)
    name = "-".join(part for part in (*made.labels.values(), on) if part)

    def draw() -> Any:
        return _draw_positions(made, on, size)

    return await chart_response(here, key, draw, form, name=name, job=job)


def _draw_positions(made: Placement, on: str, size: Size) -> Any:
    done = made.done
    chosen = on or next(iter(done), "")
    if chosen not in done:
        raise CannotMeasure("There is nothing to draw: no word could be placed.")
    if made.look.view == "axis":
        return plot_axis({name: one for name, (one,) in done.items()}, made.sides[0], size=size)
    ends = axis_domains([(one, other) for one, other in done.values()])
    across, up = done[chosen]
    return plot_map(across, up, made.sides, size=size, domains=ends)


async def _neighbours_chart(
    here: Session, look: Exploration, form: ChartFormat, job: str
) -> Response:
    some = await find_neighbours(here, look, job)

    def draw() -> Any:
        done = {name: one.found for name, one in some.items() if one.found}
        if not done:
            raise CannotMeasure("There is nothing to draw: no source has this word.")
        return plot_neighbours(done)

    opened = await here.sources.opened(look.sources, job)
    key = ("bars", look.word, look.n, *fingerprints(opened))
    return await chart_response(here, key, draw, form, name=f"near-{look.word}", job=job)


@router.get(
    "/explore/numbers.csv",
    response_class=Response,
    responses={**file_responses(["text/csv"]), **JOB_RESPONSES},
)
async def download(here: CurrentSession, look: ExplorationQuery, job: JobQuery = "") -> Response:
    """What was found, as a table for programs; every word in full."""
    if look.view == "near":
        name, text = (
            f"near-{look.word}",
            neighbours_csv(look.word, await find_neighbours(here, look, job)),
        )
    else:
        made = await place_words(here, look, job)
        name, text = "-".join(made.labels.values()), places_csv(made)
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, media_type="text/csv", headers=download_headers(name, "csv"))
