"""Ask: four word sets, one or more sources, an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import WeatherglassError
from weatherglass.measures import Results
from weatherglass.report import (
    AuditResult,
    plot_multiverses,
    seed_choices_section,
    source_name,
)
from weatherglass.seedlab import Multiverse

from ..charts import CHART_RESPONSES, ChartFormat, chart_figure, chart_response
from ..jobs import Working
from ..rendering import render
from ..responses import JOB_RESPONSES, error_status, error_text, html_response, render_part
from ..session import CurrentSession, Page, Session
from ..word_sets import WordSetInput, find_sets, find_tests, format_words, look_up_words
from . import api
from .api import as_python
from .question import (
    P_METHODS,
    SIDES,
    Answer,
    JobQuery,
    Question,
    QuestionQuery,
    SetTexts,
    Side,
    answer_question,
    explain_p_value,
    lint_sets,
    measure_influence,
    run_multiverse,
    state_result,
)

fragments = APIRouter(default_response_class=HTMLResponse)
Search = Annotated[str, Query(max_length=100, description="What to look for.")]


async def _read_searches(
    find_x: Search = "", find_y: Search = "", find_a: Search = "", find_b: Search = ""
) -> dict[str, str]:
    return dict(zip(SIDES, (find_x, find_y, find_a, find_b), strict=True))


SetSearches = Annotated[dict[str, str], Depends(_read_searches)]
"""What is looked for in the catalogue, box by box."""


def describe_box(here: Session, question: Question, side: str, looking: str = "") -> dict[str, Any]:
    """What a template needs to show one of the four boxes."""
    try:
        typed = question.read(side, here.settings)
    except WeatherglassError:  # told where the words are shown
        typed = WordSetInput()
    at = SIDES.index(side)
    return {
        "side": side,
        "text": question.sets[at],
        "name": question.names[at],
        "typed": typed,
        "find": looking,
        "found": [(one, query_with_set(question, side, one.name)) for one in find_sets(looking)],
    }


def query_with_set(question: Question, side: str, name: str) -> str:
    """A question, as the end of an address, with a set of the catalogue in one of its boxes.

    >>> query_with_set(Question(), "a", "weat6.A")
    'a=%40weat6.A'
    """
    at, whole = SIDES.index(side), question.as_sets()
    made = replace(
        whole, sets=_replace_at(whole.sets, at, f"@{name}"), names=_replace_at(whole.names, at, "")
    )
    return made.query


def _replace_at(some: SetTexts, at: int, text: str) -> SetTexts:
    x, y, a, b = (text if k == at else one for k, one in enumerate(some))
    return x, y, a, b


@fragments.get("/ask/tests", responses=html_response("Links to tests."))
async def list_tests(question: QuestionQuery, find_test: Search = "") -> Response:
    """Tests of the catalogue that a search finds, as links for the sources chosen."""
    return HTMLResponse(render("ask_tests.html", tests=find_tests(find_test), question=question))


@fragments.get("/ask/find", responses=html_response("Sets to pick."))
async def list_sets(
    here: CurrentSession, question: QuestionQuery, looking: SetSearches, side: Side = "x"
) -> Response:
    """Sets of the catalogue that a search finds, for one of the four boxes."""
    box = describe_box(here, question, side, looking[side])
    return HTMLResponse(render("ask_found.html", box=box))


@fragments.get("/ask/set", responses=html_response("One of the four boxes."))
async def set_box(
    here: CurrentSession,
    question: QuestionQuery,
    side: Side = "x",
    write_out: Annotated[bool, Query(description="Words in place of references.")] = False,
) -> Response:
    """One of the four boxes anew, with a set that was picked."""
    box = describe_box(here, question, side)
    if write_out:
        typed = question.read(side, here.settings)
        box |= {"text": format_words(typed.words), "name": typed.label}
    return HTMLResponse(render("ask_set.html", box=box, is_new=True))


@fragments.get("/ask/words", responses={**html_response("The words of a set."), **JOB_RESPONSES})
async def words(
    here: CurrentSession, question: QuestionQuery, side: Side = "x", job: JobQuery = ""
) -> Response:
    """What is in one of the four boxes: words missing, provenance, what lint says."""
    typed = question.read(side, here.settings)
    if not typed.words:
        return HTMLResponse("")
    found = await look_up_words(here, question.sources, typed, job)
    return HTMLResponse(render("ask_words.html", typed=typed, found=found, side=side))


OneSource = Annotated[
    str, Query(max_length=200, description="A source by name; without it, the first.")
]


@fragments.get("/ask/influence", responses={**html_response("A table."), **JOB_RESPONSES})
async def influence_part(
    here: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: OneSource = "",
    job: JobQuery = "",
) -> Response:
    """What dropping each single word does."""
    name, made = await _answer_on(here, question, on, job)
    rows = await measure_influence(here, made, name, job)
    result = made.results[name]
    shown = {"rows": rows, "result": result, "on": name}
    return _render_answer_part(
        request, "ask_influence.html", "How much hangs on single words", question, shown
    )


@fragments.get("/ask/lint", responses={**html_response("What lint says."), **JOB_RESPONSES})
async def lint_part(
    here: CurrentSession, request: Request, question: QuestionQuery, job: JobQuery = ""
) -> Response:
    """What to know of the words before trusting the answer."""
    made = await answer_question(here, question, job)
    shown = {"lints": await lint_sets(here, made, job)}
    return _render_answer_part(
        request, "ask_lint.html", "Are the words good ones?", question, shown
    )


@fragments.get("/ask/multiverse", responses={**html_response("The curve."), **JOB_RESPONSES})
async def multiverse_part(
    here: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: OneSource = "",
    job: JobQuery = "",
) -> Response:
    """The same test with every documented choice of seed words."""
    name, made = await _answer_on(here, question, on, job)
    found = await run_multiverse(here, made, name, job)
    shown = {"told": _multiverse_section(found, question.query, name)}
    return _render_answer_part(
        request, "ask_choices.html", "With other seed words", question, shown
    )


def _render_answer_part(
    request: Request, template: str, title: str, question: Question, shown: dict[str, Any]
) -> Response:
    return render_part(request, template, title, (f"/?{question.query}", "The answer"), **shown)


def _multiverse_section(found: Multiverse, query: str, on: str) -> Markup:
    """The report's section about other seed words, for one test on one source."""
    where = f"{query}&{urlencode({'on': on})}"

    def draw(make: Any, name: str, said: str, **options: Any) -> Markup:
        return chart_figure(f"/ask/curve.json?{where}", f"/ask/curve.svg?{where}", said)

    audited = AuditResult({}, Results.of([]), multiverses=(found,))
    (made,) = seed_choices_section(audited, {source_name(found): on}, draw)
    return made


@fragments.get(
    "/ask/curve.{form}", responses={**CHART_RESPONSES, **JOB_RESPONSES}, response_class=Response
)
async def curve(
    here: CurrentSession,
    question: QuestionQuery,
    form: ChartFormat,
    on: OneSource = "",
    job: JobQuery = "",
) -> Response:
    """The specification curve of a multiverse."""
    name, made = await _answer_on(here, question, on, job)
    found = await run_multiverse(here, made, name, job)
    key, called = ("curve", name, made.key), f"{made.test.id}-other-words"
    return await chart_response(
        here, key, lambda: plot_multiverses([found]), form, name=called, job=job
    )


async def _answer_on(here: Session, question: Question, on: str, job: str) -> tuple[str, Answer]:
    """The answer on one source."""
    name = here.sources.find(on).name if on else here.sources.chosen(question.sources)[0].name
    return name, await answer_question(here, replace(question, sources=(name,)), job)


router = APIRouter()
for part in (fragments, api.downloads, api.router):
    router.include_router(part)
PAGE = Page("Ask", "/", router)
_MOVED: dict[int | str, dict[str, Any]] = {303: {"description": "The same question, shorter."}}


@router.get(
    "/",
    response_class=HTMLResponse,
    responses={**html_response("The page."), **JOB_RESPONSES, **_MOVED},
)
async def page(
    here: CurrentSession,
    question: QuestionQuery,
    looking: SetSearches,
    request: Request,
    find_test: Search = "",
    job: JobQuery = "",
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
            return HTMLResponse(
                await _render_answer_page(here, await answer_question(here, question, job))
            )
        status, shown = 200, _form_values(here, question, looking, find_test)
        shown["chosen"] = {one.name for one in here.sources.chosen(question.sources)}
        if any(question.sets) and not is_searching:
            shown["needed"] = question.lacking
    except Working as still:
        status, shown = 202, _form_values(here, question, looking, find_test)
        shown |= {"working": still.job, "again": f"/ask/answer?{question.query}&job={still.job.id}"}
    except WeatherglassError as error:
        status, shown = error_status(error), _form_values(here, question, looking, find_test)
        shown["told"] = error_text(error)
    return HTMLResponse(render("ask.html", **shown), status)


@router.get(
    "/ask/answer",
    response_class=HTMLResponse,
    responses={**html_response("The answer alone."), **JOB_RESPONSES},
)
async def answer(here: CurrentSession, question: QuestionQuery, job: JobQuery = "") -> Response:
    """The answer to a question, as part of a page."""
    made = await answer_question(here, question, job)
    return HTMLResponse(render("ask_answer.html", **_answer_values(here, made)))


async def _render_answer_page(here: Session, answer: Answer) -> str:
    """The whole page of an answer, kept like the answer itself."""

    def work(report: Callable[..., None]) -> str:
        shown = _form_values(here, answer.question, dict.fromkeys(SIDES, ""), "")
        shown["chosen"] = set(answer.results)
        return render("ask.html", **shown | _answer_values(here, answer))

    key = ("page", answer.key, tuple(one.name for one in here.sources))
    return await here.jobs.answer(key, "Writing", work)


def _form_values(
    here: Session, question: Question, looking: dict[str, str], tests: str
) -> dict[str, Any]:
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
        "boxes": [describe_box(here, whole, side, looking[side]) for side in SIDES],
        "tests": find_tests(tests),
        "find_test": tests,
    }


def _answer_values(here: Session, answer: Answer) -> dict[str, Any]:
    """What a template needs to show an answer."""
    return {
        "answer": answer,
        "results": answer.results,
        "done": answer.done,
        "query": answer.question.query,
        "says": state_result,
        "how_sure": explain_p_value,
        "methods": P_METHODS,
        "script": as_python(answer, here.sources, here.settings.is_local),
    }
