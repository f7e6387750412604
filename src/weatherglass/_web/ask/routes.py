"""The routes of Home and Ask: the workbench with its four sets, the answer, and its evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import WeatherglassError
from weatherglass.measures import Results, WeatResult, control_outcome, format_percentile
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
from ..rendering import (
    CHART_RESPONSES,
    ChartFormat,
    chart_figure,
    chart_response,
    render,
    show_slurs,
)
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
from ..word_sets import find_sets, find_tests, format_words, look_up_words
from . import api, found
from .contexts import find_contexts, has_corpus
from .evidence import complete_result, lint_sets, measure_controls, run_multiverse
from .explain import P_METHODS, explain_alignment, explain_p_value
from .quality import measure_quality
from .question import (
    MAX_DROP,
    SIDES,
    Answer,
    Question,
    QuestionQuery,
    Side,
    answer_question,
    measure_influence,
)
from .robustness import describe_checks
from .stories import STORIES, Story, ask_story, find_story
from .workbench import ROLES, SetView, describe_sets, question_classes, replace_at

router = APIRouter()
router.include_router(api.router)
router.include_router(found.router)
PAGE = Page("Ask", "/ask", router)

MAX_SIMILAR_SETS = 5
"""Published sets that are offered for a set without a search."""

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


# Home and the workbench

_BOX_PARAMETERS = frozenset(
    f"{prefix}{side}{suffix}"
    for side in SIDES
    for prefix, suffix in (("", ""), ("", "_name"), ("add_", ""), ("find_", ""))
)
"""The parameters of the four sets: an address with one of them asks, if only for the words."""

_NO_SEARCHES = dict.fromkeys(SIDES, "")


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
    story: Annotated[str, Query(max_length=20, description="A story of Home.")] = "",
    job: JobQuery = "",
) -> Response:
    """Home, with a finished answer; or the workbench, if the address contains a question."""
    is_searching = bool(find_test) or any(searches.values())
    names: set[str] = set(request.query_params)
    if not (question.test or is_searching or names & _BOX_PARAMETERS):
        return await _render_home(session, find_story(story), question, job)
    try:
        if question.is_complete and not is_searching:
            chosen = tuple(source.name for source in session.sources.choose(question.sources))
            question = replace(question, sources=chosen)
            if not job and request.url.query != question.query:
                return RedirectResponse(f"/?{question.query}", 303)
            answer = await answer_question(session, question, job)
            return HTMLResponse(_render_answer_page(session, answer))
        status, values = 200, _bench_values(session, question, None, searches)
        session.sources.choose(question.sources)
    except Working as working:
        status, values = 202, _bench_values(session, question, None, searches)
        again = f"/ask/answer?{question.query}&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values = error_status(error), _bench_values(session, question, None, searches)
        values["error"] = error_text(error)
    values |= {"tests": find_tests(find_test), "find_test": find_test}
    return HTMLResponse(render("ask.html", **values), status)


@router.get(
    "/ask", **HTML_ROUTE, responses={**html_response("The workbench."), **REDIRECT_RESPONSES}
)
async def workbench(question: QuestionQuery) -> Response:
    """The workbench, with the words of the first story to begin with."""
    begin = question if question.is_complete else ask_story(STORIES[0], question.sources)
    return RedirectResponse(f"/?{begin.query}", 303)


async def _render_home(
    session: Session, story: Story, question: Question, job: str
) -> HTMLResponse:
    """Render Home: the finished answer of a story."""
    asked = ask_story(story, question.sources)
    values: dict[str, Any] = {
        "page_path": "/",
        "story": story,
        "stories": STORIES,
        "query": asked.query,
        "chosen_sources": question.sources,
    }
    status = 200
    try:
        chosen = session.sources.choose(question.sources)[:1]
        asked = replace(asked, sources=tuple(source.name for source in chosen))
        values["query"] = asked.query
        answer = await answer_question(session, asked, job)
        values |= _answer_values(session, answer)
    except Working as working:
        status = 202
        again = f"/ask/answer?{asked.query}&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values["error"] = error_status(error), error_text(error)
    return HTMLResponse(render("home.html", **values), status)


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
    return HTMLResponse(render("ask_whole.html", **_answer_values(session, answer)))


@router.get(
    "/ask/edit",
    **HTML_ROUTE,
    responses={**html_response("The workbench without its frame."), **JOB_RESPONSES},
)
async def edit_part(
    session: CurrentSession, question: QuestionQuery, job: JobQuery = ""
) -> Response:
    """The workbench after a change of the question: the four sets, the answer, its robustness.

    The address of the question is in ``data-query``. A question that cannot be answered gives the
    sets with the reason, so that the page can always be replaced.
    """
    values: dict[str, Any]
    try:
        chosen = tuple(source.name for source in session.sources.choose(question.sources))
        question = replace(question, sources=chosen)
        if question.is_complete:
            answer = await answer_question(session, question, job)
            values = _bench_values(session, question, answer, _NO_SEARCHES)
            values |= _answer_values(session, answer)
        else:
            values = _bench_values(session, question, None, _NO_SEARCHES)
    except WeatherglassError as error:
        values = _bench_values(session, question, None, _NO_SEARCHES)
        values["error"] = error_text(error)
    return HTMLResponse(render("ask_bench.html", **values))


def _render_answer_page(session: Session, answer: Answer) -> str:
    """Render the page of an answer; it is remembered with the answer.

    A few milliseconds on the event loop: a job would wait behind the questions of other readers.
    """
    names = tuple(source.title for source in session.sources)
    key = (*names, *answer.complete, str(show_slurs()))
    if key not in answer.pages:
        values = _bench_values(session, answer.question, answer, _NO_SEARCHES)
        values |= {"tests": find_tests(""), "find_test": ""} | _answer_values(session, answer)
        answer.pages.clear()
        answer.pages[key] = render("ask.html", **values)
    return answer.pages[key]


def _bench_values(
    session: Session, question: Question, answer: Answer | None, searches: dict[str, str]
) -> dict[str, Any]:
    """Return the values with which a template shows the question: sets, sources and options."""
    sets = describe_sets(session, question, answer)
    try:
        chosen = {source.name for source in session.sources.choose(question.sources)}
    except WeatherglassError:  # shown in place of the answer
        chosen = set()
    is_empty = not question.test and not any(question.sets)
    return {
        "page_path": "/ask",
        "question": question,
        "query": question.query if question.is_complete else "",
        "swapped": _swap_targets(question).query,
        "sources": list(session.sources),
        "chosen": chosen,
        "sets": sets,
        "searches": searches,
        "matches": {view.side: _matches(question, view, searches[view.side]) for view in sets},
        "empty_sets": [] if question.is_complete else _empty_sets(question, is_empty),
    }


def _empty_sets(question: Question, is_empty: bool) -> list[str]:
    if is_empty:
        return ["all four sets"]
    return [f"“{ROLES[side.lower()]}”" for side in question.empty_sets]


def _swap_targets(question: Question) -> Question:
    (x, y, a, b), (x_name, y_name, a_name, b_name) = (
        question.with_sets().sets,
        question.with_sets().names,
    )
    swapped = replace(question, test="", sets=(y, x, a, b))
    return replace(swapped, names=(y_name, x_name, a_name, b_name))


def _matches(question: Question, view: SetView, search: str) -> dict[str, Any]:
    """Return published sets for one of the four sets: those searched for, or similar ones."""
    known = {reference.name for reference in view.word_set.references}
    similar = find_sets(search or view.label, MAX_SIMILAR_SETS + len(known))
    kept = [match for match in similar if search or match.name not in known]
    limit = len(kept) if search else MAX_SIMILAR_SETS
    return {
        "side": view.side,
        "search": search,
        "matches": [
            (match, query_with_set(question, view.side, match.name)) for match in kept[:limit]
        ],
    }


def _answer_values(session: Session, answer: Answer) -> dict[str, Any]:
    """Return the values with which a template shows an answer."""
    classes = question_classes(session, answer.question)
    views = [
        _view(session, answer, name, classes, answer.complete.get(name)) for name in answer.results
    ]
    words = sum(len(word_set.words) for word_set in answer.test.sets.values())
    words += len(answer.dropped)
    return {
        "answer": answer,
        "question": answer.question,
        "views": views,
        "query": answer.question.query,
        "max_drop": max(1, min(MAX_DROP, words // 2 - 3), answer.question.drop),
        **_NUMBER_WORDS,
        "script": api.python_script(answer, session.sources, session.settings.is_local),
    }


_NUMBER_WORDS: dict[str, Any] = {
    "evidence_list": evidence_list,
    "explain_p_value": explain_p_value,
    "explain_alignment": explain_alignment,
    "format_percentile": format_percentile,
    "p_methods": P_METHODS,
}
"""The functions with which templates word the numbers of a finding."""


def _view(
    session: Session,
    answer: Answer,
    name: str,
    classes: dict[str, str],
    complete: WeatResult | None,
) -> dict[str, Any]:
    """Return the values with which a template shows the result on one source."""
    result = answer.results[name] if complete is None else complete
    finding = result.finding
    is_loud = is_reversing(finding)
    return {
        "name": name,
        "model": session.sources.find(name).title,
        "slot": _slot(session, name),
        "result": result,
        "is_done": result.is_done,
        "is_complete": complete is not None or not result.is_done,
        "finding": finding,
        "sentence": reversal_sentence(finding) if is_loud else finding.sentence,
        "is_reversing": is_loud,
        "badge": grade_badge(finding),
        "classes": classes,
        "checks": describe_checks(result, complete is not None) if result.is_done else [],
        "query": answer.question.query,
        "has_texts": result.is_done and has_corpus(session, name),
    }


def _slot(session: Session, source: str) -> int:
    """Return the number of a source, by which the page knows the place of its finding."""
    return [known.name for known in session.sources].index(source)


# The boxes: tests and sets to choose from, words while they are typed


def query_with_set(question: Question, side: str, name: str) -> str:
    """Return the query of a question with a set of the catalogue in one of its boxes.

    >>> query_with_set(Question(), "a", "weat6.A")
    'a=%40weat6.A'
    """
    index, question = SIDES.index(side), question.with_sets()
    sets = replace_at(question.sets, index, f"@{name}")
    return replace(question, sets=sets, names=replace_at(question.names, index, "")).query


@router.get("/ask/tests", **HTML_ROUTE, responses=html_response("Links to tests."))
async def list_tests(question: QuestionQuery, find_test: SearchText = "") -> Response:
    """Search the tests of the catalogue; the links keep the chosen sources."""
    return HTMLResponse(render("ask_tests.html", tests=find_tests(find_test), question=question))


@router.get("/ask/find", **HTML_ROUTE, responses=html_response("Links to sets."))
async def list_sets(
    session: CurrentSession, question: QuestionQuery, searches: SetSearches, side: Side = "x"
) -> Response:
    """Search the sets of the catalogue for one of the four boxes."""
    view = _set_view(session, question, side)
    box = _matches(question, view, searches[side])
    return HTMLResponse(render("ask_set_matches.html", box=box))


@router.get("/ask/set", **HTML_ROUTE, responses=html_response("One of the four boxes."))
async def set_box(
    session: CurrentSession,
    question: QuestionQuery,
    side: Side = "x",
    write_out: Annotated[bool, Query(description="Words instead of references.")] = False,
) -> Response:
    """One of the four boxes, with the set that was chosen."""
    view = _set_view(session, question, side)
    if write_out:
        word_set = view.word_set
        text = format_words(word_set.entries, word_set.muted)
        view = replace(view, text=text, name=word_set.label)
    values = {
        "set": view,
        "searches": _NO_SEARCHES,
        "matches": {side: _matches(question, view, "")},
    }
    return HTMLResponse(render("ask_set.html", **values))


def _set_view(session: Session, question: Question, side: str) -> SetView:
    return describe_sets(session, question, None)[SIDES.index(side)]


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
    # The answer on all sources of the question, so that its page has the evidence from now on.
    source = session.sources.choose([on] if on else question.sources)[0].name
    answer = await answer_question(session, question, job)
    if source not in answer.results:
        source, answer = await _answer_on(session, question, on, job)
    result = await complete_result(session, answer, source, job)
    answer.complete[source] = result
    values = {
        "view": _view(session, answer, source, question_classes(session, question), result),
        "many": len(answer.results) > 1,
        **_NUMBER_WORDS,
    }
    title = "The finding with all evidence"
    return _render_evidence(request, "ask_complete.html", title, question, values)


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
    "/ask/quality", **HTML_ROUTE, responses={**html_response("Correlations."), **JOB_RESPONSES}
)
async def quality_part(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The agreement of a source with ratings of words by people."""
    source = session.sources.choose([on] if on else question.sources)[0]
    results = await measure_quality(session, source.name, job)
    rows = [(result, grade_badge(result.finding)) for result in results]
    values = {"rows": rows, "model": source.title}
    return _render_evidence(request, "ask_quality.html", "How good it is", question, values)


@router.get(
    "/ask/context", **HTML_ROUTE, responses={**html_response("Lines of text."), **JOB_RESPONSES}
)
async def context_part(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> Response:
    """The targets near the attributes, in the texts that the vectors were trained on."""
    source, answer = await _answer_on(session, question, on, job)
    values = {
        "pairs": await find_contexts(session, answer, source, job),
        "result": answer.results[source],
        "source": source,
    }
    title = "In the texts"
    return _render_evidence(request, "ask_context.html", title, question, values)


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
