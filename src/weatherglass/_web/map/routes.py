"""The routes of the Map page: the page, the explanation of a word, and data for the script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.catalog import seed_sets
from weatherglass.errors import UsageError, WeatherglassError
from weatherglass.report import numbers

from ..explore import Exploration, JsonText, WordQuery, find_neighbours
from ..jobs import Busy, Cancelled
from ..rendering import file_responses, format_signed, render
from ..responses import (
    HTML_ROUTE,
    JOB_RESPONSES,
    REDIRECT_RESPONSES,
    error_status,
    error_text,
    html_response,
    render_part,
)
from ..session import CurrentSession, JobQuery, Page, Session, SourceQuery
from ..word_sets import SetQuery, WordSetInput
from .drawing import HALF, MARGIN, NARROW, WIDE, draw_map
from .neighbourhoods import NEIGHBOURS, find_or_place
from .projection import SCALE
from .question import (
    MAX_MAPS,
    AxisExplanation,
    CloudWords,
    Layout,
    MapQuery,
    MapQuestion,
    draw_source,
    explain_word,
    find_axes_cloud,
    find_cloud,
    label_set,
    list_cloud_words,
    open_sources,
    read_groups,
)

router = APIRouter()
PAGE = Page("Map", "/map", router)

_LAYOUTS: dict[Layout, str] = {
    "components": "Principal components",
    "neighbourhoods": "Neighbourhoods (UMAP)",
    "axes": "Two axes",
}
MAX_NEIGHBOURS = 12
_SETS = ("x", "y", "words", "a", "b", "c", "d")
_BINARY = "application/octet-stream"


# The page


@router.get(
    "/map",
    **HTML_ROUTE,
    responses={**html_response("The page."), **JOB_RESPONSES, **REDIRECT_RESPONSES},
)
async def page(
    session: CurrentSession, question: MapQuery, request: Request, job: JobQuery = ""
) -> Response:
    """The frequent words of an embedding in a plane. The address contains the whole question."""
    if not job and request.url.query != question.query:
        path = f"/map?{question.query}" if question.query else "/map"
        return RedirectResponse(path, 303)
    status, values = 200, _form_values(session, question)
    try:
        values |= await _map_values(session, question, job)
        values |= await _word_values(session, question, job)
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("map.html", **values), status)


def _form_values(session: Session, question: MapQuestion) -> dict[str, Any]:
    """Return the values with which the template shows the question."""
    chosen = set(question.sources) or {source.name for source in list(session.sources)[:1]}
    return {
        "page_path": "/map",
        "question": question,
        "sources": list(session.sources),
        "chosen": chosen,
        "max_maps": MAX_MAPS,
        "word_sets": {name: _read_or_empty(session, question, name) for name in _SETS},
        "catalog": [seed_set for seed_set in seed_sets() if seed_set.words],
        "layouts": [
            (layout, title, replace(question, layout=layout).query)
            for layout, title in _LAYOUTS.items()
        ],
        "link": word_link(question),
        "format_cosine": numbers.measure,
    }


def _read_or_empty(session: Session, question: MapQuestion, name: str) -> WordSetInput:
    try:
        return question.read(name, session.settings)
    except WeatherglassError:  # shown above the form, as the reason why there is no map
        return WordSetInput()


def word_link(question: MapQuestion) -> Callable[[str], str]:
    """Return a function that gives the address at which a word is explained.

    The address is empty if it cannot hold the word.
    """

    def link(word: str) -> str:
        try:
            query = replace(question, word=word).query
        except UnicodeEncodeError:  # bytes of a file that are not text
            return ""
        return f"/map?{query}" if 0 < len(word.strip()) <= 100 else ""

    return link


async def _map_values(session: Session, question: MapQuestion, job: str) -> dict[str, Any]:
    """Return the values with which the template shows the maps."""
    groups = read_groups(question, session.settings)
    vectors = await open_sources(session, question, job)
    maps = [
        await draw_source(session, question, source, groups, job) for source in vectors.values()
    ]
    labels = {name: label_set(question.read(name, session.settings)) for name in "abcd"}
    sizes = (WIDE if len(maps) == 1 else HALF, NARROW)
    is_known = all(question.layout in each.bounds for each in maps)
    layout: Layout = question.layout if is_known else "components"
    return {
        "groups": groups,
        "layout": layout,
        "n_neighbours": NEIGHBOURS,
        "maps": [(each, [draw_map(each, layout, size) for size in sizes]) for each in maps],
        "labels": labels,
        "scale": SCALE,
        "margin": MARGIN,
        # The whole question, so that the script need not know the defaults.
        "axes_query": replace(question, sources=(), layout="components", word="").query,
    }


async def _word_values(session: Session, question: MapQuestion, job: str) -> dict[str, Any]:
    """Return the values with which a template explains the chosen word; none without a word."""
    if not question.word:
        return {}
    vectors = await open_sources(session, question, job)
    exploration = Exploration(sources=tuple(vectors), word=question.word, n=MAX_NEIGHBOURS)
    explanations, reasons = {}, {}
    for name, source in vectors.items():
        try:
            explanations[name] = await explain_word(session, question, source, job)
        except (Busy, Cancelled):
            raise
        except WeatherglassError as error:
            reasons[name] = error_text(error)
    return {
        "question": question,
        "neighbours": await find_neighbours(session, exploration, job),
        "explanations": explanations,
        "reasons": reasons,
        "link": word_link(question),
        "format_signed": format_signed,
        "bar": _bar,
    }


def _bar(value: float, explanation: AxisExplanation) -> float:
    """Return the length of a bar as a share of the longest bar of an explanation."""
    longest = max((abs(each.value) for each in explanation.contributions), default=0.0)
    return value / longest if longest else 0.0


@router.get(
    "/map/word",
    **HTML_ROUTE,
    responses={**html_response("The explanation of a word."), **JOB_RESPONSES},
)
async def word_part(
    session: CurrentSession, question: MapQuery, request: Request, job: JobQuery = ""
) -> Response:
    """The neighbours of a word, and what each seed word contributes to its position."""
    if not question.word:
        raise UsageError("Choose a word to see its neighbours.")
    values = await _word_values(session, question, job)
    back = (f"/map?{question.query}", "Back to the map")
    return render_part(request, "map_word.html", "A word on the map", back, **values)


# For the script and for programs


@router.get("/api/map/words", responses={**JOB_RESPONSES})
async def words_json(
    session: CurrentSession, source: SourceQuery = "", job: JobQuery = ""
) -> CloudWords:
    """The most frequent words of a source, up to 50,000, in the order of their positions."""
    ((_, vectors),) = (await session.sources.open([source], job)).items()
    return await list_cloud_words(session, vectors, job)


@router.get(
    "/api/map/positions",
    response_class=Response,
    responses={**file_responses([_BINARY]), **JOB_RESPONSES},
)
async def positions(
    session: CurrentSession,
    question: MapQuery,
    job: JobQuery = "",
) -> Response:
    """The positions of the most frequent words of the first source: x and y of each.

    They are little-endian 16-bit integers in units of 2 / 32767. The layout `neighbourhoods` is
    computed in the background once for each source, which takes minutes: ask again until then.
    """
    names = question.sources[:1]
    ((_, vectors),) = (await session.sources.open(names, job)).items()
    cloud = await find_cloud(session, vectors, job)
    if question.layout == "components":
        return Response(cloud.encoded, media_type=_BINARY)
    if question.layout == "neighbourhoods":
        near = await find_or_place(session, vectors, cloud.positions, job)
        return Response(near.encoded, media_type=_BINARY)
    axes = await find_axes_cloud(session, question, vectors, cloud, job)
    return Response(axes.encoded, media_type=_BINARY)


@dataclass(frozen=True)
class SeedContribution:
    """What a seed word adds to a coordinate; `end` is the end of the axis that it belongs to."""

    seed: JsonText
    end: JsonText
    cosine: float
    value: float


@dataclass(frozen=True)
class AxisContributions:
    """The coordinate of a word on an axis, which is the sum of the contributions."""

    low: JsonText
    high: JsonText
    coordinate: float
    contributions: tuple[SeedContribution, ...]


@router.get("/api/map/contributions", responses={**JOB_RESPONSES})
async def contributions_json(
    session: CurrentSession,
    word: WordQuery,
    a: SetQuery,
    b: SetQuery,
    c: SetQuery,
    d: SetQuery,
    source: SourceQuery = "",
    job: JobQuery = "",
) -> list[AxisContributions]:
    """What each seed word contributes to the position of a word on the axes B to A and D to C.

    A contribution is the cosine of the word with the seed, divided by the size of the set and the
    length of the axis, negative for B and D.
    """
    question = MapQuestion(tuple(filter(None, [source])), "axes", "", "", "", a, b, c, d, word)
    ((_, vectors),) = (await session.sources.open([source], job)).items()
    explanations = await explain_word(session, question, vectors, job)
    if not explanations:
        raise UsageError("This embedding does not have the word.")
    return [
        AxisContributions(
            each.low,
            each.high,
            each.coordinate,
            tuple(
                SeedContribution(
                    seed.seed, each.high if seed.is_high else each.low, seed.cosine, seed.value
                )
                for seed in each.contributions
            ),
        )
        for each in explanations
    ]
