"""The routes of the Explore page: neighbours of a word, words along an axis or on two."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.catalog import seed_sets
from weatherglass.errors import CannotMeasure, WeatherglassError
from weatherglass.report import (
    Size,
    add_source_line,
    axis_domains,
    numbers,
    plot_axis,
    plot_map,
    plot_neighbours,
    style,
)

from ..jobs import Working
from ..rendering import (
    CHART_RESPONSES,
    ChartFormat,
    chart_response,
    csv_text,
    download_headers,
    file_responses,
    render,
)
from ..responses import (
    HTML_ROUTE,
    JOB_RESPONSES,
    REDIRECT_RESPONSES,
    error_status,
    error_text,
    html_response,
)
from ..session import CurrentSession, JobQuery, Page, Session, SourceQuery, SourcesQuery
from ..sources import fingerprints
from ..word_sets import SetQuery, WordSetInput, look_up_words
from . import analogy_routes
from .question import (
    DEFAULT_NEIGHBOURS,
    CountQuery,
    Exploration,
    ExplorationQuery,
    Neighbours,
    Placement,
    SourcePositions,
    View,
    WordQuery,
    find_neighbours,
    place_words,
)

router = APIRouter()
router.include_router(analogy_routes.router)
PAGE = Page("Explore", "/explore", router)

_VIEWS: dict[View, str] = {
    "near": "Nearest words",
    "axis": "Along an axis",
    "map": "On two axes",
}


# The page


@router.get(
    "/explore",
    **HTML_ROUTE,
    responses={**html_response("The page."), **JOB_RESPONSES, **REDIRECT_RESPONSES},
)
async def page(
    session: CurrentSession, exploration: ExplorationQuery, request: Request, job: JobQuery = ""
) -> Response:
    """Explore an embedding. The address contains the whole question."""
    if exploration.is_complete and not job and request.url.query != exploration.query:
        return RedirectResponse(f"/explore?{exploration.query}", 303)
    status, values = 200, _form_values(session, exploration)
    try:
        chosen = session.sources.choose(exploration.sources)
        values["chosen"] = {source.name for source in chosen}
        if exploration.is_complete:
            values |= await _answer_values(session, exploration, job)
    except Working as working:
        status = 202
        again = f"/explore/found?{exploration.query}&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("explore.html", **values), status)


@router.get(
    "/explore/found",
    **HTML_ROUTE,
    responses={**html_response("The answer alone."), **JOB_RESPONSES},
)
async def answer_part(
    session: CurrentSession, exploration: ExplorationQuery, job: JobQuery = ""
) -> Response:
    """The answer, as part of a page."""
    values = await _answer_values(session, exploration, job)
    return HTMLResponse(render("explore_answer.html", **values))


def _form_values(session: Session, exploration: Exploration) -> dict[str, Any]:
    """Return the values with which a template shows the question."""
    return {
        "page_path": "/explore",
        "exploration": exploration,
        "sources": list(session.sources),
        "chosen": set(exploration.sources),
        "word_sets": {
            name: _read_or_empty(session, exploration, name)
            for name in ("words", "a", "b", "c", "d")
        },
        "catalog": [seed_set for seed_set in seed_sets() if seed_set.words]
        if exploration.axes
        else [],
        "tabs": [
            (view, title, Exploration(view=view, sources=exploration.sources).query)
            for view, title in _VIEWS.items()
        ],
        "more_tabs": analogy_routes.tabs(exploration.sources),
    }


def _read_or_empty(session: Session, exploration: Exploration, name: str) -> WordSetInput:
    try:
        return exploration.read(name, session.settings)
    except WeatherglassError:  # shown below the box, where the words are looked up
        return WordSetInput()


async def _answer_values(session: Session, exploration: Exploration, job: str) -> dict[str, Any]:
    """Return the values with which a template shows the answer."""
    values = {"exploration": exploration, "link": _neighbours_link(exploration)}
    if exploration.view == "near":
        lists = await find_neighbours(session, exploration, job)
        return values | {"lists": lists, "common": _common_neighbours(lists), "shade": _shade}
    placement = await place_words(session, exploration, job)
    return values | {"placement": placement, "format_cosine": numbers.measure}


def _common_neighbours(lists: Iterable[Neighbours]) -> list[str]:
    """Return the neighbours that all embeddings agree on, where there are several."""
    words = [[near.word for near in entry.neighbours] for entry in lists if entry.neighbours]
    if len(words) < 2:
        return []
    common = set(words[0]).intersection(*words[1:])
    return [word for word in words[0] if word in common]


def _shade(cosine: float, entry: Neighbours) -> int:
    return style.step(cosine, entry.neighbours[-1].cosine, entry.neighbours[0].cosine)


def _neighbours_link(exploration: Exploration) -> Callable[[str], str]:
    """Return a function that gives the address of a word's neighbours.

    The address is empty if it cannot hold the word.
    """

    def link(word: str) -> str:
        try:
            query = Exploration(sources=exploration.sources, word=word.replace("_", " ")).query
        except UnicodeEncodeError:  # bytes of a file that are not text
            return ""
        return f"/explore?{query}" if 0 < len(word) <= 100 else ""

    return link


@router.get(
    "/explore/words",
    **HTML_ROUTE,
    responses={**html_response("The words of a set."), **JOB_RESPONSES},
)
async def words_part(
    session: CurrentSession,
    exploration: ExplorationQuery,
    which: Annotated[
        Literal["words", "a", "b", "c", "d"], Query(description="Which set.")
    ] = "words",
    job: JobQuery = "",
) -> Response:
    """The words of a set that the sources lack, and its provenance."""
    word_set = exploration.read(which, session.settings)
    if not word_set.words:
        return HTMLResponse("")
    lookup = await look_up_words(session, exploration.sources, word_set, job)
    return HTMLResponse(render("words_lookup.html", word_set=word_set, lookup=lookup))


# JSON


@router.get("/api/neighbours", responses={**JOB_RESPONSES})
async def neighbours_json(
    session: CurrentSession,
    word: WordQuery,
    source: SourcesQuery = (),
    n: CountQuery = DEFAULT_NEIGHBOURS,
    job: JobQuery = "",
) -> list[Neighbours]:
    """The nearest words by cosine similarity, source by source."""
    exploration = Exploration(sources=source, word=word.strip(), n=n)
    return await find_neighbours(session, exploration, job)


@router.get("/api/places", responses={**JOB_RESPONSES})
async def places_json(
    session: CurrentSession,
    words: SetQuery,
    a: SetQuery,
    b: SetQuery,
    c: SetQuery = "",
    d: SetQuery = "",
    source: SourcesQuery = (),
    job: JobQuery = "",
) -> list[SourcePositions]:
    """The cosine of words with the axis from B to A, and with the axis from D to C."""
    view: View = "map" if c.strip() or d.strip() else "axis"
    exploration = Exploration(view, source, words=words, a=a, b=b, c=c, d=d)
    return (await place_words(session, exploration, job)).to_records()


# Charts


@router.get(
    "/explore/picture.{form}",
    response_class=Response,
    responses={**CHART_RESPONSES, **JOB_RESPONSES},
)
async def chart(
    session: CurrentSession,
    exploration: ExplorationQuery,
    form: ChartFormat,
    size: Annotated[Size, Query(description="For a large screen, or for a phone.")] = "large",
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The chart of the answer; for words on two axes, that of one source."""
    if exploration.view == "near":
        return await _neighbours_chart(session, exploration, form, job)
    placement = await place_words(session, exploration, job)
    if on:
        on = session.sources.find(on).name
    if on and on not in placement.results:
        placement = await place_words(session, replace(exploration, sources=(on,)), job)
    key = ("explore", placement.key, exploration.view, size, on)
    name = "-".join(part for part in (*placement.labels.values(), on) if part)

    def draw() -> Any:
        chart = _draw_placement(placement, on, size)
        drawn = [placement.done[on]] if on else placement.done.values()
        return add_source_line(chart, [result for results in drawn for result in results])

    return await chart_response(session.jobs, key, draw, form, name=name, job=job)


def _draw_placement(placement: Placement, source: str, size: Size) -> Any:
    done = placement.done
    chosen = source or next(iter(done), "")
    if chosen not in done:
        raise CannotMeasure("There is nothing to draw: no word could be placed.")
    if placement.exploration.view == "axis":
        single = {name: result for name, (result,) in done.items()}
        return plot_axis(single, placement.ends[0], size=size)
    # The same scales for every source, so that their charts can be compared.
    domains = axis_domains([(across, up) for across, up in done.values()])
    across, up = done[chosen]
    return plot_map(across, up, placement.ends, size=size, domains=domains)


async def _neighbours_chart(
    session: Session, exploration: Exploration, form: ChartFormat, job: str
) -> Response:
    lists = await find_neighbours(session, exploration, job)

    def draw() -> Any:
        bars = {
            entry.source: tuple((near.word, near.cosine) for near in entry.neighbours)
            for entry in lists
            if entry.neighbours
        }
        if not bars:
            raise CannotMeasure("There is nothing to draw: no embedding has this word.")
        return plot_neighbours(bars)

    vectors = await session.sources.open(exploration.sources, job)
    key = ("neighbours", exploration.word, exploration.n, *fingerprints(vectors))
    name = f"near-{exploration.word}"
    return await chart_response(session.jobs, key, draw, form, name=name, job=job)


# CSV


@router.get(
    "/explore/numbers.csv",
    response_class=Response,
    responses={**file_responses(["text/csv"]), **JOB_RESPONSES},
)
async def download(
    session: CurrentSession, exploration: ExplorationQuery, job: JobQuery = ""
) -> Response:
    """The answer as CSV, with every word in full."""
    if exploration.view == "near":
        lists = await find_neighbours(session, exploration, job)
        name, text = f"near-{exploration.word}", neighbours_csv(exploration.word, lists)
    else:
        placement = await place_words(session, exploration, job)
        name, text = "-".join(placement.labels.values()), positions_csv(placement)
    content = text.encode("utf-8", "backslashreplace")
    return Response(content, media_type="text/csv", headers=download_headers(name, "csv"))


def neighbours_csv(word: str, lists: Iterable[Neighbours]) -> str:
    """Write neighbours as CSV, one per line.

    >>> from weatherglass._web.explore.question import Neighbour
    >>> print(neighbours_csv("sun", [Neighbours("tiny", "sun", "", (Neighbour("moon", 0.5),))]))
    source,word,rank,neighbour,cosine
    tiny,sun,1,moon,0.5
    <BLANKLINE>
    """
    return csv_text(
        ("source", "word", "rank", "neighbour", "cosine"),
        (
            (entry.source, entry.word or word, rank, near.word, round(near.cosine, 6))
            for entry in lists
            for rank, near in enumerate(entry.neighbours, 1)
        ),
    )


def positions_csv(placement: Placement) -> str:
    """Write words on axes as CSV, one line per word, source and axis; missing words included."""
    heads = ("source", "axis", "low_end", "high_end", "word", "cosine", "status")
    return csv_text(heads, _position_rows(placement))


def _position_rows(placement: Placement) -> Iterable[tuple[Any, ...]]:
    for source, results in placement.results.items():
        for axis, (result, ends) in enumerate(zip(results, placement.ends, strict=True), 1):
            start = (source, axis, *ends)
            words, cosines = result.words.get("X", ()), result.by_word.get("X", ())
            if result.status == "done":
                for word, cosine in zip(words, cosines, strict=True):
                    yield (*start, word, round(cosine, 6), "done")
            for word in result.missing.get("X", ()):
                yield (*start, word, "", "missing")
            if result.status != "done":
                yield (*start, "", "", f"not run: {result.reason}")
