"""Makes the tasks of a study from a discovery, and rating tasks from agreed cells."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.random import Generator

from weatherglass.discovery import Cell, Discovery, Group
from weatherglass.errors import CannotMeasure, UsageError

from .study import RATINGS, CrowdStudy, Item, StudyGroup, StudyOptions, Task

MIN_CHOICES = 2
"""Matching a single cell to a single group says nothing."""


def make_study(discovery: Discovery, options: StudyOptions) -> CrowdStudy:
    """Return the exam and the matching tasks of a discovery.

    The exam has `options.names` names of each group, drawn at random among those that do not stand
    for the group. A matching task has the significant cells of a category as items and their groups
    as options, and one attention check.
    """
    rng = np.random.default_rng(options.rng)
    if len(discovery.groups) < MIN_CHOICES:
        raise CannotMeasure("The discovery has a single group of names; people cannot choose.")
    cells = {
        id: [cell for cell in discovery.cells if cell.category == id and cell.significant]
        for id in discovery.order
    }
    usable = [id for id in discovery.order if len(cells[id]) >= MIN_CHOICES]
    if not usable:
        raise CannotMeasure(
            "No category of the discovery has two significant cells, so there is nothing to match."
        )
    notes = []
    skipped = [id for id in discovery.order[: options.tests] if id not in usable]
    if skipped:
        single = "1 category has" if len(skipped) == 1 else f"{len(skipped)} categories have"
        notes.append(f"{single} a single significant cell and cannot be matched; the next is used.")
    if len(usable) < options.tests:
        notes.append(
            f"{len(usable)} of the {options.tests} requested tests can be matched: the others have "
            "fewer than two significant cells."
        )
    groups = tuple(StudyGroup(group.id, group.shown[: options.shown]) for group in discovery.groups)
    exam, exam_notes = _exam(discovery.groups, options, rng)
    matching = [
        _matching_task(number, id, cells[id], groups, rng)
        for number, id in enumerate(usable[: options.tests], 1)
    ]
    return CrowdStudy(
        source=discovery.source_name,
        significant=len(discovery.significant),
        groups=groups,
        tasks=(exam, *matching),
        options=options,
        notes=(*notes, *exam_notes),
    )


def _exam(
    groups: Collection[Group], options: StudyOptions, rng: Generator
) -> tuple[Task, list[str]]:
    """Return the exam, and notes on groups with too few names."""
    drawn: list[tuple[str, str]] = []
    short = []
    for group in groups:
        shown = set(group.shown[: options.shown])
        others = sorted(set(group.names) - shown)
        if len(others) < options.names:
            short.append(group.id)
        chosen = rng.permutation(len(others))[: options.names]
        drawn += [(others[k], group.id) for k in chosen]
    if not drawn:
        raise UsageError("All names of the groups are shown, so none is left for the exam.")
    mixed = [drawn[k] for k in rng.permutation(len(drawn))]
    items = tuple(
        Item(f"exam-{number:02}", (name,), group) for number, (name, group) in enumerate(mixed, 1)
    )
    names = f"fewer than {options.names} names that are not shown"
    notes = [f"The exam has fewer names of {', '.join(short)}: {names}."] if short else []
    return Task("exam", "exam", tuple(group.id for group in groups), items), notes


def _matching_task(
    number: int, category: str, cells: list[Cell], groups: tuple[StudyGroup, ...], rng: Generator
) -> Task:
    """Return a task with the cells in random order, so that ids do not reveal the groups."""
    id = f"match-{number:02}"
    mixed = [cells[k] for k in rng.permutation(len(cells))]
    items = [
        Item(f"{id}-{place:02}", cell.words, cell.group, category)
        for place, cell in enumerate(mixed, 1)
    ]
    present = {cell.group for cell in cells}
    options = tuple(group.id for group in groups if group.id in present)
    asked = options[int(rng.integers(len(options)))]
    check = Item(f"{id}-check", (), asked, check=asked)
    return Task(id, "match", options, (*items, check), category)


def make_ratings(study: CrowdStudy, agreed: Collection[str]) -> CrowdStudy:
    """Return the study with rating tasks for the matched items with these ids.

    As in the paper, only cells for which the most chosen group is that of the discovery are rated.
    """
    rng = np.random.default_rng([study.options.rng, 1])
    tasks = []
    for task in study.of_kind("match"):
        cells = [item for item in task.cells if item.id in agreed]
        if not cells:
            continue
        id = task.id.replace("match", "rate")
        items = [
            Item(item.id.replace("match", "rate"), item.words, item.group, item.category)
            for item in cells
        ]
        asked = RATINGS[int(rng.integers(len(RATINGS)))]
        check = Item(f"{id}-check", (), items[0].group, check=asked)
        tasks.append(Task(id, "rate", RATINGS, (*items, check), task.category))
    return study.with_tasks("rate", tuple(tasks))
