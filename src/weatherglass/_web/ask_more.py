"""What stands under an answer: single words dropped, the sets looked at, other seed words."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from weatherglass.report.multiverse_plot import plot_multiverses

from .answering import Answer, answered, dropped, looked_at, other_words
from .answers import MAY_WORK, page_of
from .charts import PICTURE, Form, picture
from .choices import told
from .question import Asked, JobOf, Question
from .rendering import render
from .session import Here, Session

router = APIRouter(default_response_class=HTMLResponse)
On = Annotated[str, Query(max_length=200, description="A source by name; without it, the first.")]


@router.get("/ask/influence", responses={**page_of("A table."), **MAY_WORK})
async def influence(here: Here, question: Asked, on: On = "", job: JobOf = "") -> Response:
    """What dropping each single word does."""
    name, made = await _on(here, question, on, job)
    rows = await dropped(here, made, name, job)
    result = made.results[name]
    return HTMLResponse(render("ask_influence.html", rows=rows, result=result, on=name))


@router.get("/ask/lint", responses={**page_of("What lint says."), **MAY_WORK})
async def linted(here: Here, question: Asked, job: JobOf = "") -> Response:
    """What to know of the words before trusting the answer."""
    made = await answered(here, question, job)
    return HTMLResponse(render("ask_lint.html", lints=await looked_at(here, made, job)))


@router.get("/ask/multiverse", responses={**page_of("The curve."), **MAY_WORK})
async def choices(here: Here, question: Asked, on: On = "", job: JobOf = "") -> Response:
    """The same test with every documented choice of seed words."""
    name, made = await _on(here, question, on, job)
    found = await other_words(here, made, name, job)
    return HTMLResponse(render("ask_choices.html", told=told(found, question.query, name)))


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
