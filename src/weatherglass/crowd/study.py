"""`CrowdStudy`: the tasks of an evaluation by people, with their key, as a record.

The protocol is that of Swinger et al. (2019), section 4.1. Workers first pass an exam, in which
they sort names into the groups of the discovery. In a matching task they match the c significant
cells of a category, each shown by its words, to the c groups, each shown by a few names. Cells on
which the plurality agrees with the discovery are then rated for political incorrectness.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from weatherglass._files import read_text
from weatherglass._version import __version__
from weatherglass.errors import BadContent, CatalogError, SourceNotFound, UsageError
from weatherglass.measures import from_plain, load_json

TaskKind = Literal["exam", "match", "rate"]
RATINGS = ("1", "2", "3", "4", "5", "6", "7")
"""From "politically correct, inoffensive, or just random" to "possibly very offensive"."""

STUDY_FILE, DISCOVERY_FILE, ANSWERS_FILE = "study.json", "discovery.json", "answers.jsonl"


@dataclass(frozen=True)
class StudyGroup:
    """A group of names, and the names that stand for it on the pages."""

    id: str
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Item:
    """Something to answer: a name of the exam, the words of a cell, or an attention check.

    Attributes
    ----------
    id
        An id that does not reveal the answer.
    words
        The name, or the words of the cell.
    group
        The group of the name or the cell: the key of an exam or a matching task. Of an attention
        check, the group that workers are asked to choose.
    category
        The category of the cell; empty for names and attention checks.
    check
        The answer that an attention check asks for; empty for other items.
    """

    id: str
    words: tuple[str, ...]
    group: str
    category: str = ""
    check: str = ""


@dataclass(frozen=True)
class Task:
    """A page of items with the same options: group ids, or the ratings from 1 to 7."""

    id: str
    kind: TaskKind
    options: tuple[str, ...]
    items: tuple[Item, ...]
    category: str = ""

    @property
    def cells(self) -> tuple[Item, ...]:
        """The items that are no attention checks."""
        return tuple(item for item in self.items if not item.check)


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """The numbers of a study; the defaults are those of the paper.

    Attributes
    ----------
    tests
        How many categories are evaluated: those with the highest scores.
    names
        Names of each group in the exam.
    shown
        Names that stand for a group; at most as many as the discovery chose.
    pass_share
        A worker passes the exam with a larger share of correct answers.
    matchers, raters
        How many workers each matching task and each rating task is meant for.
    one_to_one
        Whether a worker may use each group only once in a matching task.
    offensive
        A cell is offensive if its mean rating is at least this; the paper does not state its limit.
    min_seconds
        A worker who takes less time than this for an item, on average, is careless.
    show_slurs
        Whether workers see slurs in full.
    rng
        Random seed of the names of the exam and of every order.
    """

    tests: int = 12
    names: int = 3
    shown: int = 5
    pass_share: float = 0.5
    matchers: int = 18
    raters: int = 13
    one_to_one: bool = False
    offensive: float = 4.0
    min_seconds: float = 1.0
    show_slurs: bool = False
    rng: int = 0

    def __post_init__(self) -> None:
        for name in ("tests", "names", "shown", "matchers", "raters"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if not 0 <= self.pass_share < 1:
            raise UsageError(f"pass_share is {self.pass_share}; it must be at least 0 and below 1.")
        if not 1 <= self.offensive <= 7:
            raise UsageError(f"offensive is {self.offensive}; ratings are from 1 to 7.")
        if not 0 <= self.min_seconds < 3600:
            raise UsageError(f"min_seconds is {self.min_seconds}; use 0 to 3600 seconds.")


@dataclass(frozen=True, kw_only=True)
class CrowdStudy:
    """The tasks of an evaluation of a discovery by people, with their key.

    `weatherglass.export_crowd_study` makes it and writes its folder; `CrowdStudy.load` reads it
    back from there.

    Attributes
    ----------
    source
        The name of the source that was searched.
    significant
        The number of significant cells of the whole discovery.
    groups
        The groups of names.
    tasks
        The exam, the matching tasks, and the rating tasks once there are any.
    options
        The numbers of the study.
    notes
        What the reader should know, such as categories that could not be used.
    version
        The version of Weatherglass that made it.
    """

    source: str
    significant: int
    groups: tuple[StudyGroup, ...]
    tasks: tuple[Task, ...]
    options: StudyOptions = field(default_factory=StudyOptions)
    notes: tuple[str, ...] = ()
    version: str = __version__

    def __post_init__(self) -> None:
        groups = {group.id for group in self.groups}
        named = {name for task in self.tasks for name in _named_groups(task)}
        if strange := named - groups:
            raise ValueError(f"{min(strange)!r} is no group of it")
        ids = [item.id for task in self.tasks for item in task.items]
        if len(set(ids)) < len(ids) or len({task.id for task in self.tasks}) < len(self.tasks):
            raise ValueError("two items or tasks have the same id")

    @cached_property
    def id(self) -> str:
        """A fingerprint of the groups, the exam, the matching tasks and their design, which
        answers carry."""
        fixed = [dataclasses.asdict(task) for task in self.tasks if task.kind != "rate"]
        groups = [dataclasses.asdict(group) for group in self.groups]
        design = [self.options.rng, self.options.one_to_one]
        text = json.dumps([self.source, groups, fixed, *design])
        return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()

    def of_kind(self, kind: TaskKind) -> tuple[Task, ...]:
        """The tasks of a kind."""
        return tuple(task for task in self.tasks if task.kind == kind)

    def task(self, id: str) -> Task | None:
        """The task with this id; None if there is none."""
        return self._tasks_by_id.get(id)

    @cached_property
    def _tasks_by_id(self) -> dict[str, Task]:
        return {task.id: task for task in self.tasks}

    def items(self) -> Iterator[tuple[Task, Item]]:
        """Yield every item with its task."""
        for task in self.tasks:
            for item in task.items:
                yield task, item

    def shown_names(self, group: str) -> tuple[str, ...]:
        """The names that stand for a group."""
        return next(entry.shown for entry in self.groups if entry.id == group)

    def to_json(self) -> str:
        """Return the study, with its key, as JSON text."""
        record = {"crowd_study": self.id} | dataclasses.asdict(self)
        return json.dumps(record, indent=1, ensure_ascii=True) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> CrowdStudy:
        """Return the study that `to_json` wrote."""
        try:
            record = load_json(text)
            stated = record.pop("crowd_study", None) if isinstance(record, dict) else None
            study: CrowdStudy = from_plain(cls, record)
        except (ValueError, UsageError) as error:
            raise BadContent(f"This is not a crowd study in JSON ({error}).") from None
        if stated != study.id:
            raise BadContent("The crowd study was changed after it was written: its id is wrong.")
        return study

    @classmethod
    def load(cls, folder: str | Path) -> CrowdStudy:
        """Return the study in a folder that `export_crowd_study` wrote."""
        path = Path(folder) / STUDY_FILE
        if not path.is_file():
            raise SourceNotFound(
                f"{folder} has no {STUDY_FILE}. Name the folder that `weatherglass crowd export` "
                "wrote."
            )
        try:
            return cls.from_json(read_text(path))
        except CatalogError as error:
            raise BadContent(str(error)) from None

    def with_tasks(self, kind: TaskKind, tasks: tuple[Task, ...]) -> CrowdStudy:
        """Return the study with these tasks in place of those of the same kind."""
        others = tuple(task for task in self.tasks if task.kind != kind)
        return dataclasses.replace(self, tasks=(*others, *tasks))


def _named_groups(task: Task) -> set[str]:
    options: set[str] = set(task.options) if task.kind != "rate" else set()
    return options | {item.group for item in task.items if item.group}
