"""What stands under an answer: single words dropped, the sets looked at, other seed words."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

import markupsafe
from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from weatherglass.measures import Results
from weatherglass.report.arranged import source_of
from weatherglass.report.audit_seeds import choices
from weatherglass.report.audited import Audited
from weatherglass.report.markup import Markup
from weatherglass.report.multiverse_plot import plot_multiverses
from weatherglass.seedlab.multiverse_record import Multiverse

from .ask_answers import Answer, answered, dropped, looked_at, other_words
from .ask_question import Asked, JobOf, Question
from .charts import PICTURE, Form, figure, picture
from .responses import MAY_WORK, page_of, part_of
from .session import Here, Session

router = APIRouter(default_response_class=HTMLResponse)
On = Annotated[str, Query(max_length=200, description="A source by name; without it, the first.")]


@router.get("/ask/influence", responses={**page_of("A table."), **MAY_WORK})
async def influence(
    here: Here, request: Request, question: Asked, on: On = "", job: JobOf = ""
) -> Response:
    """What dropping each single word does."""
    name, made = await _on(here, question, on, job)
    rows = await dropped(here, made, name, job)
    result = made.results[name]
    shown = {"rows": rows, "result": result, "on": name}
    return _part(request, "ask_influence.html", "How much hangs on single words", question, shown)


@router.get("/ask/lint", responses={**page_of("What lint says."), **MAY_WORK})
async def linted(here: Here, request: Request, question: Asked, job: JobOf = "") -> Response:
    """What to know of the words before trusting the answer."""
    made = await answered(here, question, job)
    shown = {"lints": await looked_at(here, made, job)}
    return _part(request, "ask_lint.html", "Are the words good ones?", question, shown)


@router.get("/ask/multiverse", responses={**page_of("The curve."), **MAY_WORK})
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


@router.get("/ask/curve.{form}", responses={**PICTURE, **MAY_WORK}, response_class=Response)
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
