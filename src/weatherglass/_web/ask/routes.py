"""The routes of Home and Ask: the workbench with its four sets, the answer, and its evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from weatherglass.errors import WeatherglassError
from weatherglass.measures import Results, control_outcome
from weatherglass.report import (
    AuditResult,
    grade_badge,
    plot_multiverses,
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
from ..sources import Source
from ..word_sets import find_tests, format_words, look_up_words
from . import api, found
from .answer import Answer, answer_question, measure_influence
from .contexts import find_contexts
from .evidence import complete_result, lint_sets, measure_controls, run_multiverse
from .page import (
    NO_SEARCHES,
    NUMBER_WORDS,
    answer_values,
    bench_values,
    find_matches,
    render_answer_page,
    view_result,
)
from .quality import measure_quality
from .question import SIDES, Question, QuestionQuery, Side
from .stories import STORIES, Story, ask_story, find_story
from .workbench import SetView, describe_sets, question_classes

router = APIRouter()
router.include_router(api.router)
router.include_router(found.router)
PAGE = Page("Ask", "/ask", router)

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
            answer = await answer_question(session, question, job, render=render_answer_page)
            return HTMLResponse(render_answer_page(session, answer))
        status, values = 200, bench_values(session, question, None, searches)
        session.sources.choose(question.sources)
    except Working as working:
        status, values = 202, bench_values(session, question, None, searches)
        again = f"/ask/answer?{question.query}&job={working.job.id}"
        values |= {"working": working.job, "again": again}
    except WeatherglassError as error:
        status, values = error_status(error), bench_values(session, question, None, searches)
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
        values |= answer_values(session, answer)
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
    return HTMLResponse(render("ask_whole.html", **answer_values(session, answer)))


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
            values = bench_values(session, question, answer, NO_SEARCHES)
            values |= answer_values(session, answer)
        else:
            values = bench_values(session, question, None, NO_SEARCHES)
    except WeatherglassError as error:
        values = bench_values(session, question, None, NO_SEARCHES)
        values["error"] = error_text(error)
    return HTMLResponse(render("ask_bench.html", **values))


# The boxes: tests and sets to choose from, words while they are typed


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
    box = find_matches(question, view, searches[side])
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
        "searches": NO_SEARCHES,
        "matches": {side: find_matches(question, view, "")},
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


@dataclass(frozen=True)
class EvidenceRequest:
    """A request for evidence about a question, on one of its sources.

    Attributes
    ----------
    on
        The name of the source; empty for the first of the question.
    job
        The work that the reader waits for already.
    """

    session: Session
    request: Request
    question: Question
    on: str
    job: str

    @property
    def source(self) -> Source:
        """The source that the evidence is about."""
        return self.session.sources.choose([self.on] if self.on else self.question.sources)[0]

    async def answer(self) -> tuple[str, Answer]:
        """Answer the question on the one source; return its name and the answer."""
        name = self.source.name
        asked = replace(self.question, sources=(name,))
        return name, await answer_question(self.session, asked, self.job)

    def render(self, template: str, title: str, values: dict[str, Any]) -> Response:
        """Render a part of the answer's page, or a page of its own without scripts."""
        back = (f"/?{self.question.query}", "Back to the answer")
        return render_part(self.request, template, title, back, **values)


async def _read_evidence_request(
    session: CurrentSession,
    request: Request,
    question: QuestionQuery,
    on: SourceQuery = "",
    job: JobQuery = "",
) -> EvidenceRequest:
    return EvidenceRequest(session, request, question, on, job)


EvidenceQuery = Annotated[EvidenceRequest, Depends(_read_evidence_request)]
"""The question, the source and the work of a request for evidence."""


@router.get(
    "/ask/finding", **HTML_ROUTE, responses={**html_response("A finding."), **JOB_RESPONSES}
)
async def finding_part(asked: EvidenceQuery) -> Response:
    """The finding with all evidence: also the frequency control and other published seed lists."""
    # The answer on all sources of the question, so that its page has the evidence from now on.
    source = asked.source.name
    answer = await answer_question(asked.session, asked.question, asked.job)
    if source not in answer.results:
        source, answer = await asked.answer()
    result = await complete_result(asked.session, answer, source, asked.job)
    answer.complete[source] = result
    classes = question_classes(asked.session, asked.question)
    values = {
        "view": view_result(asked.session, answer, source, classes, result),
        "many": len(answer.results) > 1,
        **NUMBER_WORDS,
    }
    title = "The finding with all evidence"
    return asked.render("ask_complete.html", title, values)


@router.get("/ask/controls", **HTML_ROUTE, responses={**html_response("A table."), **JOB_RESPONSES})
async def controls_part(asked: EvidenceQuery) -> Response:
    """The effect size without word frequency, and without the main axes."""
    source, answer = await asked.answer()
    values = {
        "result": await measure_controls(asked.session, answer, source, asked.job),
        "source": source,
        "control_outcome": control_outcome,
    }
    title = "Is it frequency, or a direction that all words share?"
    return asked.render("ask_controls.html", title, values)


@router.get(
    "/ask/influence", **HTML_ROUTE, responses={**html_response("A table."), **JOB_RESPONSES}
)
async def influence_part(asked: EvidenceQuery) -> Response:
    """The effect size when each word is left out in turn."""
    source, answer = await asked.answer()
    values = {
        "rows": await measure_influence(asked.session, answer, source, asked.job),
        "result": answer.results[source],
        "source": source,
    }
    title = "Does one word drive it?"
    return asked.render("ask_influence.html", title, values)


@router.get(
    "/ask/quality", **HTML_ROUTE, responses={**html_response("Correlations."), **JOB_RESPONSES}
)
async def quality_part(asked: EvidenceQuery) -> Response:
    """The agreement of a source with ratings of words by people."""
    source = asked.source
    results = await measure_quality(asked.session, source.name, asked.job)
    rows = [(result, grade_badge(result.finding)) for result in results]
    values = {"rows": rows, "model": source.title}
    return asked.render("ask_quality.html", "How good it is", values)


@router.get(
    "/ask/context", **HTML_ROUTE, responses={**html_response("Lines of text."), **JOB_RESPONSES}
)
async def context_part(asked: EvidenceQuery) -> Response:
    """The targets near the attributes, in the texts that the vectors were trained on."""
    source, answer = await asked.answer()
    values = {
        "pairs": await find_contexts(asked.session, answer, source, asked.job),
        "result": answer.results[source],
        "source": source,
    }
    title = "In the texts"
    return asked.render("ask_context.html", title, values)


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
    asked = EvidenceRequest(session, request, question, "", job)
    return asked.render("ask_lint.html", title, values)


@router.get(
    "/ask/multiverse",
    **HTML_ROUTE,
    responses={**html_response("The specification curve."), **JOB_RESPONSES},
)
async def multiverse_part(asked: EvidenceQuery) -> Response:
    """The same test with every documented choice of seed words."""
    source, answer = await asked.answer()
    result = await run_multiverse(asked.session, answer, source, asked.job)
    values = {"section": _multiverse_section(result, asked.question.query, source)}
    title = "With other seed words"
    return asked.render("ask_multiverse.html", title, values)


@router.get(
    "/ask/curve.{form}", response_class=Response, responses={**CHART_RESPONSES, **JOB_RESPONSES}
)
async def multiverse_chart(asked: EvidenceQuery, form: ChartFormat) -> Response:
    """The specification curve of a multiverse."""
    source, answer = await asked.answer()
    result = await run_multiverse(asked.session, answer, source, asked.job)
    return await chart_response(
        asked.session.jobs,
        ("curve", source, answer.key),
        lambda: plot_multiverses([result]),
        form,
        name=f"{answer.test.id}-multiverse",
        job=asked.job,
    )


def _multiverse_section(result: Multiverse, query: str, source: str) -> Markup:
    """The report's section about other seed words, for one test on one source."""
    where = f"{query}&{urlencode({'on': source})}"

    def draw(make: Any, name: str, description: str, **options: Any) -> Markup:
        return chart_figure(f"/ask/curve.json?{where}", f"/ask/curve.svg?{where}", description)

    audit = AuditResult({}, Results.of([]), multiverses=(result,))
    (section,) = seed_choices_section(audit, {result.source_name: source}, draw)
    return section
