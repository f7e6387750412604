"""The routes of the Ask page: the question with its boxes, the answer, and the evidence for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import WeatherglassError
from weatherglass.measures import Results, control_outcome, format_percentile
from weatherglass.report import (
    AuditResult,
    evidence_list,
    grade_badge,
    is_reversing,
    plot_multiverses,
    reversal_sentence,
    seed_choices_section,
)
from weatherglass.seedlab import Multiverse

from ..jobs import Working
from ..rendering import CHART_RESPONSES, ChartFormat, chart_figure, chart_response, render
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
from ..word_sets import WordSetInput, find_sets, find_tests, format_words, look_up_words
from . import api
from .question import (
    P_METHODS,
    SIDES,
    Answer,
    Question,
    QuestionQuery,
    SetTexts,
    Side,
    answer_question,
    complete_result,
    explain_alignment,
    explain_p_value,
    lint_sets,
    measure_controls,
    measure_influence,
    run_multiverse,
)

router = APIRouter()
router.include_router(api.router)
PAGE = Page("Ask", "/", router)

SearchText = Annotated[str, Query(max_length=100, description="The text to search for.")]


async def _read_searches(
    find_x: SearchText = "",
    find_y: SearchText = "",
    find_a: SearchText = "",
    find_b: SearchText = "",
) -> dict[str, str]:
    return dict(zip(SIDES, (find_x, find_y, find_a, find_b), strict=True))


SetSearches = Annotated[dict[str, str], Depends(_read_searches)]
"""The text to search for in the catalogue, by set."""


# The page


@router.get(
    "/",
    **HTML_ROUTE,
    responses={**html_response("The page."), **JOB_RESPONSES, **REDIRECT_RESPONSES},
)
async def page(
    session: CurrentSession,
    question: QuestionQuery,
    searches: SetSearches,
    request: Request,
    find_test: SearchText = "",
    job: JobQuery = "",
) -> Response:
    """Ask a question and read the answer. The address contains the question."""
    is_searching = bool(find_test) or any(searches.values())
    try:
        if question.is_complete and not is_searching:
            names = tuple(source.name for source in session.sources.choose(question.sources))
            question = replace(question, sources=names)
            if not job and request.url.query != question.query:
                return RedirectResponse(f"/?{question.query}", 303)
            answer = await answer_question(session, question, job)
            return HTMLResponse(await _render_answer_page(session, answer))
        status, values = 200, _form_values(session, question, searches, find_test)
        chosen = session.sources.choose(question.sources)
        values["chosen"] = {source.name for source in chosen}
        if any(question.sets) and not is_searching:
            values["empty_sets"] = question.empty_sets
    except Working as working:
        status, values = 202, _form_values(session, question, searches, find_test)
        again = f"/ask/answer?{question.query}&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values = error_status(error), _form_values(session, question, searches, find_test)
        values["error"] = error_text(error)
    return HTMLResponse(render("ask.html", **values), status)


@router.get(
    "/ask/answer",
    **HTML_ROUTE,
    responses={**html_response("The answer alone."), **JOB_RESPONSES},
)
async def answer_part(
    session: CurrentSession, question: QuestionQuery, job: JobQuery = ""
) -> Response:
    """The answer to a question, as part of a page."""
    answer = await answer_question(session, question, job)
    return HTMLResponse(render("ask_answer.html", **_answer_values(session, answer)))


async def _render_answer_page(session: Session, answer: Answer) -> str:
    """Render the page of an answer; it is remembered like the answer itself."""

    def work(report: Callable[..., None]) -> str:
        values = _form_values(session, answer.question, dict.fromkeys(SIDES, ""), "")
        values["chosen"] = set(answer.results)
        return render("ask.html", **values | _answer_values(session, answer))

    key = ("page", answer.key, tuple(source.name for source in session.sources))
    return await session.jobs.answer(key, "Writing the page", work)


def _form_values(
    session: Session, question: Question, searches: dict[str, str], test_search: str
) -> dict[str, Any]:
    """Return the values with which a template shows the question."""
    in_boxes = question
    try:
        if question.test and question.build_test(session.settings):
            in_boxes = question.with_sets()
    except WeatherglassError:  # shown in place of the answer
        pass
    return {
        "page_path": "/",
        "question": question,
        "sources": list(session.sources),
        "chosen": set(question.sources),
        "boxes": [describe_box(session, in_boxes, side, searches[side]) for side in SIDES],
        "tests": find_tests(test_search),
        "find_test": test_search,
    }


def _answer_values(session: Session, answer: Answer) -> dict[str, Any]:
    """Return the values with which a template shows an answer."""
    return {
        "answer": answer,
        "results": answer.results,
        "done": answer.done,
        "query": answer.question.query,
        "slots": {name: _slot(session, name) for name in answer.results},
        "grade_badge": grade_badge,
        "evidence_list": evidence_list,
        "is_reversing": is_reversing,
        "reversal_sentence": reversal_sentence,
        "explain_p_value": explain_p_value,
        "explain_alignment": explain_alignment,
        "format_percentile": format_percentile,
        "p_methods": P_METHODS,
        "script": api.python_script(answer, session.sources, session.settings.is_local),
    }


# The boxes: tests and sets to choose from, words while they are typed


def describe_box(
    session: Session, question: Question, side: str, search: str = ""
) -> dict[str, Any]:
    """Return the values with which a template shows one of the four boxes."""
    try:
        word_set = question.read(side, session.settings)
    except WeatherglassError:  # shown below the box, where the words are looked up
        word_set = WordSetInput()
    index = SIDES.index(side)
    matches = find_sets(search)
    return {
        "side": side,
        "text": question.sets[index],
        "name": question.names[index],
        "word_set": word_set,
        "search": search,
        "matches": [(match, query_with_set(question, side, match.name)) for match in matches],
    }


def query_with_set(question: Question, side: str, name: str) -> str:
    """Return the query of a question with a set of the catalogue in one of its boxes.

    >>> query_with_set(Question(), "a", "weat6.A")
    'a=%40weat6.A'
    """
    index, question = SIDES.index(side), question.with_sets()
    sets = _replace_at(question.sets, index, f"@{name}")
    return replace(question, sets=sets, names=_replace_at(question.names, index, "")).query


def _replace_at(texts: SetTexts, index: int, text: str) -> SetTexts:
    x, y, a, b = (text if k == index else old for k, old in enumerate(texts))
    return x, y, a, b


@router.get("/ask/tests", **HTML_ROUTE, responses=html_response("Links to tests."))
async def list_tests(question: QuestionQuery, find_test: SearchText = "") -> Response:
    """Search the tests of the catalogue; the links keep the chosen sources."""
    return HTMLResponse(render("ask_tests.html", tests=find_tests(find_test), question=question))


@router.get("/ask/find", **HTML_ROUTE, responses=html_response("Links to sets."))
async def list_sets(
    session: CurrentSession, question: QuestionQuery, searches: SetSearches, side: Side = "x"
) -> Response:
    """Search the sets of the catalogue for one of the four boxes."""
    box = describe_box(session, question, side, searches[side])
    return HTMLResponse(render("ask_set_matches.html", box=box))


@router.get("/ask/set", **HTML_ROUTE, responses=html_response("One of the four boxes."))
async def set_box(
    session: CurrentSession,
    question: QuestionQuery,
    side: Side = "x",
    write_out: Annotated[bool, Query(description="Words instead of references.")] = False,
) -> Response:
    """One of the four boxes, with the set that was chosen."""
    box = describe_box(session, question, side)
    if write_out:
        word_set = question.read(side, session.settings)
        box |= {"text": format_words(word_set.words), "name": word_set.label}
    return HTMLResponse(render("ask_set.html", box=box, is_new=True))


@router.get(
    "/ask/words",
    **HTML_ROUTE,
    responses={**html_response("The words of a set."), **JOB_RESPONSES},
)
async def words_part(
    session: CurrentSession, question: QuestionQuery, side: Side = "x", job: JobQuery = ""
) -> Response:
    """Missing words, provenance and lint findings of one of the four boxes."""
    word_set = question.read(side, session.settings)
    if not word_set.words:
        return HTMLResponse("")
    lookup = await look_up_words(session, question.sources, word_set, job)
    return HTMLResponse(render("ask_words.html", word_set=word_set, lookup=lookup, side=side))


# The evidence: influence of single words, lint, multiverse


@router.get(
    "/ask/finding", **HTML_ROUTE, responses={**html_response("A finding."), **JOB_RESPONSES}
)
async def finding_part(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The finding with all evidence: also the frequency control and other published seed lists."""
    source, answer = await _answer_on(session, question, on, job)
    result = await complete_result(session, answer, source, job)
    values = {
        "finding": result.finding,
        "slot": _slot(session, source),
        "grade_badge": grade_badge,
        "evidence_list": evidence_list,
        "is_reversing": is_reversing,
        "reversal_sentence": reversal_sentence,
    }
    title = "The finding with all evidence"
    return _render_evidence(request, "ask_complete.html", title, question, values)


def _slot(session: Session, source: str) -> int:
    """Return the number of a source, by which the page knows the place of its finding."""
    return [known.name for known in session.sources].index(source)


@router.get("/ask/controls", **HTML_ROUTE, responses={**html_response("A table."), **JOB_RESPONSES})
async def controls_part(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The effect size without word frequency, and without the main axes."""
    source, answer = await _answer_on(session, question, on, job)
    values = {
        "result": await measure_controls(session, answer, source, job),
        "source": source,
        "control_outcome": control_outcome,
    }
    title = "Is it frequency, or a direction that all words share?"
    return _render_evidence(request, "ask_controls.html", title, question, values)


@router.get(
    "/ask/influence", **HTML_ROUTE, responses={**html_response("A table."), **JOB_RESPONSES}
)
async def influence_part(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The effect size when each word is left out in turn."""
    source, answer = await _answer_on(session, question, on, job)
    values = {
        "rows": await measure_influence(session, answer, source, job),
        "result": answer.results[source],
        "source": source,
    }
    title = "Does one word drive it?"
    return _render_evidence(request, "ask_influence.html", title, question, values)


@router.get(
    "/ask/lint", **HTML_ROUTE, responses={**html_response("Lint findings."), **JOB_RESPONSES}
)
async def lint_part(
    session: CurrentSession, request: Request, question: QuestionQuery, job: JobQuery = ""
) -> Response:
    """Problems of the word sets."""
    answer = await answer_question(session, question, job)
    values = {"lints": await lint_sets(session, answer, job)}
    title = "Are the words well chosen?"
    return _render_evidence(request, "ask_lint.html", title, question, values)


@router.get(
    "/ask/multiverse",
    **HTML_ROUTE,
    responses={**html_response("The specification curve."), **JOB_RESPONSES},
)
async def multiverse_part(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The same test with every documented choice of seed words."""
    source, answer = await _answer_on(session, question, on, job)
    result = await run_multiverse(session, answer, source, job)
    values = {"section": _multiverse_section(result, question.query, source)}
    title = "With other seed words"
    return _render_evidence(request, "ask_multiverse.html", title, question, values)


@router.get(
    "/ask/curve.{form}", response_class=Response, responses={**CHART_RESPONSES, **JOB_RESPONSES}
)
async def multiverse_chart(
    session: CurrentSession,
    question: QuestionQuery,
    form: ChartFormat,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The specification curve of a multiverse."""
    source, answer = await _answer_on(session, question, on, job)
    result = await run_multiverse(session, answer, source, job)
    return await chart_response(
        session.jobs,
        ("curve", source, answer.key),
        lambda: plot_multiverses([result]),
        form,
        name=f"{answer.test.id}-multiverse",
        job=job,
    )


async def _answer_on(
    session: Session, question: Question, source: str, job: str
) -> tuple[str, Answer]:
    """Answer a question on one source: the named one, or the first of the question."""
    chosen = [source] if source else question.sources
    name = session.sources.choose(chosen)[0].name
    return name, await answer_question(session, replace(question, sources=(name,)), job)


def _render_evidence(
    request: Request, template: str, title: str, question: Question, values: dict[str, Any]
) -> Response:
    back = (f"/?{question.query}", "Back to the answer")
    return render_part(request, template, title, back, **values)


def _multiverse_section(result: Multiverse, query: str, source: str) -> Markup:
    """The report's section about other seed words, for one test on one source."""
    where = f"{query}&{urlencode({'on': source})}"

    def draw(make: Any, name: str, description: str, **options: Any) -> Markup:
        return chart_figure(f"/ask/curve.json?{where}", f"/ask/curve.svg?{where}", description)

    audit = AuditResult({}, Results.of([]), multiverses=(result,))
    (section,) = seed_choices_section(audit, {result.source_name: source}, draw)
    return section
