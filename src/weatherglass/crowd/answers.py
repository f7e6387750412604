"""Answers of workers: records of the pages, tables of survey tools, exports of Label Studio."""

from __future__ import annotations

import dataclasses
import io
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weatherglass._files import printable_path, read_text
from weatherglass.catalog import make_table, parse_rows
from weatherglass.errors import BadContent, CatalogError, UsageError, join_first, quote_safe
from weatherglass.measures import from_plain, load_json

from .order import completion_code
from .study import CrowdStudy, Task
from .task_page import group_names

WORKER_COLUMNS = ("worker", "worker_id", "workerid", "prolific_pid", "participant", "responseid")
SECONDS_COLUMNS = ("seconds", "duration", "duration (in seconds)")
MAX_WORKER_LENGTH = 200


@dataclass(frozen=True)
class Submission:
    """The answers of a worker to a task.

    Attributes
    ----------
    study, task, worker
        The ids of the study, the task and the worker.
    answers
        From item to the id of the chosen group, or to a rating.
    seconds
        The time that it took, if known.
    started
        When it was started, in ISO 8601, if known.
    code
        The completion code that the page showed; empty for other tools.
    """

    study: str
    task: str
    worker: str
    answers: dict[str, str]
    seconds: float | None = None
    started: str = ""
    code: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "seconds", _seconds(self.seconds))

    @property
    def has_right_code(self) -> bool:
        """Whether there is no code, or the code is that of these answers."""
        expected = completion_code(self.study, self.task, self.worker, self.answers)
        return not self.code or self.code == expected

    def to_json(self) -> str:
        """Return the submission as a line of JSON, as the pages write it."""
        return json.dumps(dataclasses.asdict(self), ensure_ascii=True)


@dataclass
class AnswerSet:
    """The submissions that were read, and what was wrong with the files."""

    submissions: list[Submission] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_answers(sources: Iterable[str | Path | Submission], study: CrowdStudy) -> AnswerSet:
    """Read files of answers: JSON and JSON Lines of the pages, CSV or TSV, Label Studio's JSON.

    A table is long, with the columns worker, item, answer and maybe seconds, or wide, with a column
    worker and a column for each item. Answers are group ids, or the names shown for the group.
    """
    result = AnswerSet()
    for source in sources:
        if isinstance(source, Submission):
            result.submissions.append(source)
            continue
        path = Path(source)
        try:
            text = read_text(path)
        except CatalogError as error:
            raise BadContent(str(error)) from None
        if path.suffix.lower() in (".csv", ".tsv"):
            _read_table(text, path, study, result)
        else:
            _read_json(text, path, study, result)
    return result


def _read_json(text: str, path: Path, study: CrowdStudy, result: AnswerSet) -> None:
    """Read one value, a list of them, or one value per line; a damaged line is skipped and noted.

    The last line of a file of the lab mode is torn if the machine lost power while writing it.
    """
    name = printable_path(path)
    try:
        content = load_json(text)
        records = content if isinstance(content, list) else [content]
    except ValueError:
        records, damaged = [], []
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                records.append(load_json(line))
            except ValueError:
                damaged.append(str(number))
        if not records:
            raise BadContent(f"{name} has no answers in JSON.") from None
        if damaged:
            result.notes.append(
                f"{name}: {len(damaged)} damaged or incomplete lines were skipped "
                f"({join_first(damaged)})."
            )
    if any(isinstance(record, dict) and "annotations" in record for record in records):
        result.submissions += _label_studio(records, study)
        return
    unusable = 0
    for record in records:
        try:
            submission: Submission = from_plain(Submission, record)
        except ValueError:
            unusable += 1
            continue
        result.submissions.append(submission)
    if unusable == len(records):
        raise BadContent(f"{name} has no answers of a crowd study.")
    if unusable:
        result.notes.append(f"{name}: {unusable} records are no answers and were skipped.")


def _label_studio(records: Sequence[Any], study: CrowdStudy) -> list[Submission]:
    """Return the annotations of an export of Label Studio, by worker and task."""
    rows: list[tuple[str, str, str, float | None]] = []
    for record in records:
        if not isinstance(record, dict):
            continue
        data, annotations = record.get("data"), record.get("annotations")
        item = data.get("item") if isinstance(data, dict) else None
        for annotation in annotations if isinstance(annotations, list) else ():
            if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
                continue
            chosen = _choice(annotation.get("result"))
            if isinstance(item, str) and chosen:
                worker = annotation.get("completed_by", "")
                if isinstance(worker, dict):
                    worker = worker.get("email") or worker.get("id", "")
                rows.append((str(worker), item, chosen, _seconds(annotation.get("lead_time"))))
    return _group_rows(rows, study)


def _choice(result: Any) -> str:
    for region in result if isinstance(result, list) else ():
        value = region.get("value") if isinstance(region, dict) else None
        choices = value.get("choices") if isinstance(value, dict) else None
        if isinstance(choices, list) and choices and isinstance(choices[0], str):
            return choices[0]
    return ""


def _read_table(text: str, path: Path, study: CrowdStudy, result: AnswerSet) -> None:
    name = printable_path(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        rows = parse_rows(io.StringIO(text, newline=""), delimiter, name)
        if not rows:
            raise BadContent(f"{name} is empty.")
        table = make_table(name, [cell.strip() for cell in rows[0][1]], rows[1:])
    except CatalogError as error:
        raise BadContent(str(error)) from None
    lower = [column.lower() for column in table.header]
    worker = next((lower.index(column) for column in WORKER_COLUMNS if column in lower), None)
    if worker is None:
        raise BadContent(
            f"{name} has no column of workers; name it worker, or one of "
            f"{', '.join(WORKER_COLUMNS[1:])}."
        )
    seconds = next((lower.index(column) for column in SECONDS_COLUMNS if column in lower), None)
    is_long = "item" in lower and "answer" in lower
    items = {item.id for _, item in study.items()}
    columns = {k: column for k, column in enumerate(table.header) if column in items}
    if not is_long and not columns:
        raise BadContent(
            f"{name} has neither the columns item and answer nor a column for an item of the study."
        )
    parsed: list[tuple[str, str, str, float | None]] = []
    for row in table.rows:
        time = _seconds(row[seconds]) if seconds is not None else None
        if is_long:
            parsed.append((row[worker], row[lower.index("item")], row[lower.index("answer")], time))
        else:
            chosen = {column: row[k] for k, column in columns.items() if row[k].strip()}
            share = None if time is None or not chosen else time / len(chosen)
            parsed += [(row[worker], item, answer, share) for item, answer in chosen.items()]
    result.submissions += _group_rows(parsed, study)


def _seconds(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _group_rows(
    rows: Iterable[tuple[str, str, str, float | None]], study: CrowdStudy
) -> list[Submission]:
    """Return a submission for each worker and task, from rows of worker, item, answer, seconds.

    If a worker answered an item twice, the first answer counts.
    """
    homes = {item.id: task for task, item in study.items()}
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    times: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for worker, item, answer, seconds in rows:
        task = homes.get(item.strip())
        if task is None or not worker.strip() or item.strip() in answers[worker, task.id]:
            continue
        answers[worker, task.id][item.strip()] = answer.strip()
        times[worker, task.id].append(seconds)
    return [
        Submission(study.id, task, worker, chosen, _total(times[worker, task]))
        for (worker, task), chosen in answers.items()
    ]


def _total(times: Sequence[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return sum(known) if len(known) == len(times) else None


def option_of(task: Task, answer: str, study: CrowdStudy) -> str | None:
    """Return the option that an answer names: its id, or the names shown for the group."""
    if answer in task.options:
        return answer
    if task.kind == "rate":
        return None
    texts: Mapping[str, str] = {group_names(option, study): option for option in task.options}
    return texts.get(answer)


def valid_submission(record: Any, study: CrowdStudy) -> Submission:
    """Return the complete answers of a page of this study; raise `UsageError` if they are none."""
    try:
        submission: Submission = from_plain(Submission, record)
    except ValueError as error:
        raise UsageError(f"These are no answers ({error}).") from None
    task = study.task(submission.task)
    if submission.study != study.id or task is None:
        raise UsageError("These answers belong to another study.")
    if not submission.worker.strip() or len(submission.worker) > MAX_WORKER_LENGTH:
        raise UsageError("The answers have no valid worker id.")
    items = {item.id for item in task.items}
    for item, answer in submission.answers.items():
        if item not in items or answer not in task.options:
            raise UsageError(f"{quote_safe(item)} has an answer that is no option.")
    if missing := len(items) - len(submission.answers):
        raise UsageError(f"{missing} of {len(items)} answers are missing.")
    if not submission.code or not submission.has_right_code:
        raise UsageError("The completion code is not that of the answers.")
    return submission


def duplicates_removed(submissions: Iterable[Submission]) -> Iterator[Submission]:
    """Yield the first submission of each worker to each task, by the time of its start."""
    seen = set()
    for submission in sorted(submissions, key=lambda submission: submission.started):
        key = (submission.worker.strip(), submission.task)
        if key not in seen:
            seen.add(key)
            yield submission
