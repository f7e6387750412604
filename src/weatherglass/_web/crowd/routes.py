"""The routes of the lab mode: the tasks of a study, and the answers of people who do them.

Task pages are those of `weatherglass.crowd`, which have no links to other pages of the server. The
key stays on the server. Answers are appended to ``answers.jsonl`` in the folder of the study.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi import Path as PathParameter
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from weatherglass.crowd import (
    ANSWERS_FILE,
    CrowdStudy,
    Submission,
    append_line,
    policy_of,
    presented_order,
    read_answers,
    study_texts,
    task_page,
    valid_submission,
)
from weatherglass.errors import BadContent
from weatherglass.report import table

from ..rendering import render
from ..responses import HTML_ROUTE, html_response
from ..session import CurrentSession, Page, Session

router = APIRouter()
PAGE = Page("Crowd", "/crowd", router)

ANSWERS_PATH = "/crowd/answers"
TaskPath = Annotated[str, PathParameter(description="The id of a task.", max_length=60)]
MAX_LINE_BYTES, MAX_ANSWERS_BYTES = 1 << 20, 16 << 20
"""The longest answers to a task, and all answers of a study, which every request reads: those of
forty thousand tasks, which take about a second."""

_reading = threading.Lock()
"""One request at a time reads the answers and appends to them: many at once would take the memory
of as many copies, and could save the same answers twice."""

_SAVED = "Your answers are saved."
_ENDED = "Your answers are saved. The study ends here for you; thank you for taking part."


class Saved(BaseModel):
    """The answers were saved: what to tell the worker, and the address of the next task."""

    message: str
    next: str | None


def _study_folder(session: Session) -> Path:
    if session.settings.study is None:
        raise HTTPException(404, "There is no study on this server.")
    return session.settings.study


@router.get("/crowd", **HTML_ROUTE, responses={**html_response("The page.")})
async def index(session: CurrentSession) -> Response:
    """The tasks of the study, and how many people have answered each."""
    folder = _study_folder(session)
    return HTMLResponse(await run_in_threadpool(_render_index, folder))


def _render_index(folder: Path) -> str:
    study = CrowdStudy.load(folder)
    with _reading:
        submissions = _stored(folder, study)
    rows = []
    for task in study.tasks:
        workers = {s.worker.strip() for s in submissions if s.task == task.id}
        rows.append((task.id, str(len(task.cells)), str(len(task.options)), str(len(workers))))
    heads = ("Task", "Items", "Choices", "People who answered")
    tasks = table("Tasks", heads, rows, numbers=(1, 2, 3), stack=False)
    return render("crowd.html", page_path="/crowd", study=study, tasks=tasks)


@router.get("/crowd/{id}", **HTML_ROUTE, responses={**html_response("The page of a task.")})
async def task(id: TaskPath, session: CurrentSession) -> Response:
    """The page of a task, which sends its answers to this server."""
    folder = _study_folder(session)
    text = await run_in_threadpool(_render_task, folder, id)
    policy = f"{policy_of(ANSWERS_PATH)}; frame-ancestors 'none'"
    return HTMLResponse(text, headers={"Content-Security-Policy": policy})


def _render_task(folder: Path, id: str) -> str:
    study = CrowdStudy.load(folder)
    task = study.task(id)
    if task is None:
        raise HTTPException(404, "There is no such task.")
    return task_page(study, task, study_texts(folder), send=ANSWERS_PATH)


@router.post(ANSWERS_PATH)
async def answers(record: Annotated[dict[str, Any], Body()], session: CurrentSession) -> Saved:
    """Save the answers to a task, and say which task is next."""
    return await run_in_threadpool(_save, _study_folder(session), record)


def _save(folder: Path, record: dict[str, Any]) -> Saved:
    study = CrowdStudy.load(folder)
    submission = valid_submission(record, study)
    with _reading:
        stored = [s for s in _stored(folder, study) if s.worker == submission.worker]
        # A request that is sent again, because its answer was lost, is not saved again.
        if all(known.code != submission.code for known in stored):
            _append(folder / ANSWERS_FILE, submission.to_json())
    done = {*(known.task for known in stored), submission.task}
    if submission.task == "exam" and not _has_passed(study, submission):
        return Saved(message=_ENDED, next=None)
    waiting = [task.id for task in study.tasks if task.id not in done and task.kind != "exam"]
    order = presented_order(study.options.rng, submission.worker, "tasks", waiting)
    # Matching tasks come first: ratings would show which cells people agree on.
    order.sort(key=lambda id: not id.startswith("match"))
    return Saved(message=_SAVED, next=f"/crowd/{order[0]}" if order else None)


def _append(path: Path, line: str) -> None:
    size = path.stat().st_size if path.is_file() else 0
    added = len(line.encode("utf-8", "backslashreplace"))
    if added > MAX_LINE_BYTES or size + added > MAX_ANSWERS_BYTES:
        raise HTTPException(413, "These answers are not saved: the study has no room for them.")
    append_line(path, line)


def _has_passed(study: CrowdStudy, submission: Submission) -> bool:
    (exam,) = study.of_kind("exam")
    correct = sum(submission.answers.get(item.id) == item.group for item in exam.items)
    return correct / len(exam.items) > study.options.pass_share


def _stored(folder: Path, study: CrowdStudy) -> list[Submission]:
    path = folder / ANSWERS_FILE
    if not path.is_file() or not path.stat().st_size:
        return []
    try:
        return read_answers([path], study).submissions
    except BadContent:  # a single line, torn when the power was lost
        return []
