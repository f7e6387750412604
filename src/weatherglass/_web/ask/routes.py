"""Ask: four word sets, one or more sources, an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

import markupsafe
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import WeatherglassError
from weatherglass.measures import Results
from weatherglass.report import Audited, Markup, choices, plot_multiverses, source_of
from weatherglass.seedlab import Multiverse

from ..charts import PICTURE, Form, figure, picture
from ..jobs import Working
from ..rendering import render
from ..responses import MAY_WORK, page_of, part_of, status_of, told_by
from ..session import Here, Page, Session
from ..word_sets import Typed, find_sets, find_tests, looked_up, written_out
from . import api
from .api import as_python
from .question import (
    METHODS,
    SIDES,
    Answer,
    Asked,
    Four,
    JobOf,
    Question,
    Side,
    answered,
    dropped,
    how_sure,
    looked_at,
    other_words,
    says,
)

fragments = APIRouter(default_response_class=HTMLResponse)
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


@fragments.get("/ask/tests", responses=page_of("Links to tests."))
async def published(question: Asked, find_test: Search = "") -> Response:
    """Tests of the catalogue that a search finds, as links for the sources chosen."""
    return HTMLResponse(render("ask_tests.html", tests=find_tests(find_test), question=question))


@fragments.get("/ask/find", responses=page_of("Sets to pick."))
async def find(here: Here, question: Asked, looking: Looking, side: Side = "x") -> Response:
    """Sets of the catalogue that a search finds, for one of the four boxes."""
    box = box_of(here, question, side, looking[side])
    return HTMLResponse(render("ask_found.html", box=box))


@fragments.get("/ask/set", responses=page_of("One of the four boxes."))
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


@fragments.get("/ask/words", responses={**page_of("The words of a set."), **MAY_WORK})
async def words(here: Here, question: Asked, side: Side = "x", job: JobOf = "") -> Response:
    """What is in one of the four boxes: words missing, provenance, what lint says."""
    typed = question.read(side, here.settings)
    if not typed.words:
        return HTMLResponse("")
    found = await looked_up(here, question.sources, typed, job)
    return HTMLResponse(render("ask_words.html", typed=typed, found=found, side=side))


On = Annotated[str, Query(max_length=200, description="A source by name; without it, the first.")]


@fragments.get("/ask/influence", responses={**page_of("A table."), **MAY_WORK})
async def influence(
    here: Here, request: Request, question: Asked, on: On = "", job: JobOf = ""
) -> Response:
    """What dropping each single word does."""
    name, made = await _on(here, question, on, job)
    rows = await dropped(here, made, name, job)
    result = made.results[name]
    shown = {"rows": rows, "result": result, "on": name}
    return _part(request, "ask_influence.html", "How much hangs on single words", question, shown)


@fragments.get("/ask/lint", responses={**page_of("What lint says."), **MAY_WORK})
async def linted(here: Here, request: Request, question: Asked, job: JobOf = "") -> Response:
    """What to know of the words before trusting the answer."""
    made = await answered(here, question, job)
    shown = {"lints": await looked_at(here, made, job)}
    return _part(request, "ask_lint.html", "Are the words good ones?", question, shown)


@fragments.get("/ask/multiverse", responses={**page_of("The curve."), **MAY_WORK})
async def other_seeds(
    here: Here, request: Request, question: Asked, on: On = "", job: JobOf = ""
) -> Response:
    """The same test with every documented choice of seed words."""
    name, made = await _on(here, question, on, job)
    found = await other_words(here, made, name, job)
    shown = {"told": _section(found, question.query, name)}
    return _part(request, "ask_choices.html", "With other seed words", question, shown)


def _part(
    request: Request, template: str, title: str, question: Question, shown: dict[str, Any]
) -> Response:
    return part_of(request, template, title, (f"/?{question.query}", "The answer"), **shown)


def _section(found: Multiverse, query: str, on: str) -> markupsafe.Markup:
    """The report's section about other seed words, for one test on one source."""
    where = f"{query}&{urlencode({'on': on})}"

    def draw(make: Any, name: str, said: str, **options: Any) -> Markup:
        return figure(f"/ask/curve.json?{where}", f"/ask/curve.svg?{where}", said)

    audited = Audited({}, Results.of([]), multiverses=(found,))
    (made,) = choices(audited, {source_of(found): on}, draw)
    return markupsafe.Markup(made)


@fragments.get("/ask/curve.{form}", responses={**PICTURE, **MAY_WORK}, response_class=Response)
async def curve(here: Here, question: Asked, form: Form, on: On = "", job: JobOf = "") -> Response:
    """The specification curve of a multiverse."""
    name, made = await _on(here, question, on, job)
    found = await other_words(here, made, name, job)
    key, called = ("curve", name, made.key), f"{made.test.id}-other-words"
    return await picture(here, key, lambda: plot_multiverses([found]), form, name=called, job=job)


async def _on(here: Session, question: Question, on: str, job: str) -> tuple[str, Answer]:
    """The answer on one source."""
    name = here.sources.find(on).name if on else here.sources.chosen(question.sources)[0].name
    return name, await answered(here, replace(question, sources=(name,)), job)


router = APIRouter()
for part in (fragments, api.downloads, api.router):
    router.include_router(part)
PAGE = Page("Ask", "/", router)
_MOVED: dict[int | str, dict[str, Any]] = {303: {"description": "The same question, shorter."}}


@router.get(
    "/",
    response_class=HTMLResponse,
    responses={**page_of("The page."), **MAY_WORK, **_MOVED},
)
async def page(
    here: Here,
    question: Asked,
    looking: Looking,
    request: Request,
    find_test: Search = "",
    job: JobOf = "",
) -> Response:
    """Ask a question, and read the answer. The address is the question."""
    is_searching = bool(find_test) or any(looking.values())
    is_asked = question.is_whole and not is_searching
    try:
        if is_asked:
            chosen = tuple(one.name for one in here.sources.chosen(question.sources))
            question = replace(question, sources=chosen)
            if not job and request.url.query != question.query:
                return RedirectResponse(f"/?{question.query}", 303)
            return HTMLResponse(await _written(here, await answered(here, question, job)))
        status, shown = 200, _form(here, question, looking, find_test)
        shown["chosen"] = {one.name for one in here.sources.chosen(question.sources)}
        if any(question.sets) and not is_searching:
            shown["needed"] = question.lacking
    except Working as still:
        status, shown = 202, _form(here, question, looking, find_test)
        shown |= {"working": still.job, "again": f"/ask/answer?{question.query}&job={still.job.id}"}
    except WeatherglassError as error:
        status, shown = status_of(error), _form(here, question, looking, find_test)
        shown["told"] = told_by(error)
    return HTMLResponse(render("ask.html", **shown), status)


@router.get(
    "/ask/answer",
    response_class=HTMLResponse,
    responses={**page_of("The answer alone."), **MAY_WORK},
)
async def answer(here: Here, question: Asked, job: JobOf = "") -> Response:
    """The answer to a question, as part of a page."""
    made = await answered(here, question, job)
    return HTMLResponse(render("ask_answer.html", **_view(here, made)))


async def _written(here: Session, answer: Answer) -> str:
    """The whole page of an answer, kept like the answer itself."""

    def work(report: Callable[..., None]) -> str:
        shown = _form(here, answer.question, dict.fromkeys(SIDES, ""), "")
        shown["chosen"] = set(answer.results)
        return render("ask.html", **shown | _view(here, answer))

    key = ("page", answer.key, tuple(one.name for one in here.sources))
    return await here.jobs.answer(key, "Writing", work)


def _form(here: Session, question: Question, looking: dict[str, str], tests: str) -> dict[str, Any]:
    """What a template needs to show the question."""
    try:
        whole = question.as_sets() if question.test and question.made(here.settings) else question
    except WeatherglassError:  # told where the answer would be
        whole = question
    return {
        "page_path": "/",
        "question": question,
        "sources": list(here.sources),
        "chosen": set(question.sources),
        "boxes": [box_of(here, whole, side, looking[side]) for side in SIDES],
        "tests": find_tests(tests),
        "find_test": tests,
    }


def _view(here: Session, answer: Answer) -> dict[str, Any]:
    """What a template needs to show an answer."""
    return {
        "answer": answer,
        "results": answer.results,
        "done": answer.done,
        "query": answer.question.query,
        "says": says,
        "how_sure": how_sure,
        "methods": METHODS,
        "script": as_python(answer, here.sources, here.settings.is_local),
    }
