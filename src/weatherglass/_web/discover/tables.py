"""What a discovery found, on a page: the report's table with cells to open, and one cell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from weatherglass.discovery import Category, Cell, Change, Comparison, Discovery, Group
from weatherglass.errors import UnknownEntry, UsageError, did_you_mean, quote_safe
from weatherglass.report import (
    CHANGE_MARKS,
    discovery_table,
    element,
    format_p_interval,
    groups_table,
    label_markup,
    prose,
    word_list,
)
from weatherglass.report import table as plain_table
from weatherglass.significance import format_p
from weatherglass.vectors import Vectors

from ..jobs import Cancelled
from ..session import Session
from ..sources import fingerprints
from .question import Search

_SHARE = re.compile(r' style="--share:([\d.]+%)"')
_GONE = Markup("–")


def linked_cells_table(found: Discovery, search: Search) -> Markup:
    """The report's table of groups and categories, each cell a link to its details."""

    def link(cell: Cell, details: Markup) -> Markup:
        where = f"/discover/cell?{search.query}&" + urlencode(
            {"group": cell.group, "category": cell.category}
        )
        return element(
            "a",
            word_list(cell.words),
            element("span", details, class_="said"),
            class_="in",
            href=where,
            hx_get=where,
            hx_target="#cell",
        )

    return discovery_table(found, fill_cell=link)


def names_table(found: Discovery) -> Markup:
    """The groups with a few of their names.

    The bars under shares are styles inside the report's page, which pages of the server do not
    allow: a script sets them.
    """
    return Markup(_SHARE.sub(r' data-share="\1"', groups_table(found)))


def changes_table(compared: Comparison) -> Markup:
    """What appears, vanishes and stays between two sources, the highest scores first."""
    labels = {one.id: label_markup(one.label) for one in compared.before.categories}
    rows = [
        (
            element("span", labels[_cell_of(one).category]),
            _cell_of(one).group,
            element("span", element("b", mark), " ", kind),
            *_two(one.before),
            *_two(one.after),
        )
        for kind, mark in CHANGE_MARKS.items()
        for one in compared.of(kind)
    ]
    heads = ("Category", "Group", "Change", "Words before", "p", "Words after", "p")
    return plain_table("Changes", heads, rows, numbers=(4, 6))


def _cell_of(one: Change) -> Cell:
    cell = one.before or one.after
    assert cell is not None  # one of the two is always there
    return cell


def _two(cell: Cell | None) -> tuple[Markup, str]:
    if cell is None:
        return _GONE, "–"
    return _words(cell), format_p(cell.p.value)


def _words(cell: Cell) -> Markup:
    """The words as one thing, which a narrow screen does not take apart."""
    return element("span", word_list(cell.words))


@dataclass(frozen=True)
class OpenedCell:
    """One cell with its group and category, the others of its category, and its words'
    neighbours."""

    cell: Cell
    group: Group
    category: Category
    beside: tuple[Cell, ...]
    near: Mapping[str, list[tuple[str, float]]]

    @property
    def p(self) -> str:
        """The p-value, with how much the chance of the draw leaves open."""
        p = self.cell.p
        if p.low > 0:
            return format_p_interval(p)
        return f"{format_p(p.value)} (at most {format_p(p.high)})"

    @property
    def others(self) -> int:
        """How many names of the group are not shown."""
        return self.group.size - len(self.group.shown)

    @property
    def others_table(self) -> Markup:
        """The same category in the other groups."""
        rows = [
            (
                one.group,
                _words(one),
                f"{one.score:.3f}",
                format_p(one.p.value),
                "significant" if one.significant else "not significant",
            )
            for one in sorted(self.beside, key=lambda one: -one.score)
        ]
        heads = ("Group", "Words", "Score", "p", "")
        return plain_table("Other groups", heads, rows, numbers=(2, 3))


def find_cell(found: Discovery, group: str, category: str) -> tuple[Cell, Group, Category]:
    """A cell by the ids of its group and category."""
    groups = {one.id: one for one in found.groups}
    categories = {one.id: one for one in found.categories}
    for what, id, known in (("group", group, groups), ("category", category, categories)):
        if id not in known:
            near = did_you_mean(id, known)
            raise UnknownEntry(f"This search has no {what} {quote_safe(id)}.{near}")
    for one in found.cells:
        if (one.group, one.category) == (group, category):
            return one, groups[group], categories[category]
    raise UnknownEntry(f"{group} has too few words in {category} for a cell.")


def figures(compared: Comparison) -> list[tuple[str, str]]:
    """The figures of a comparison to be seen first."""
    told = {"appears": "cells appear", "vanishes": "cells vanish", "stays": "cells stay"}
    return [
        (f"{CHANGE_MARKS[kind]} {len(compared.of(kind)):,}", said) for kind, said in told.items()
    ]


def describe_search(found: Discovery) -> Markup:
    """What was searched, in a few sentences."""
    return prose.describe_search(found)


SearchResult = Discovery | Comparison
NEIGHBOURS_PER_WORD = 8
"""Neighbours of a word."""


async def run_search(here: Session, search: Search, job: str = "") -> SearchResult:
    """What a search found.

    The search goes on from what an earlier one of the same kind has counted, so that nothing is
    lost when the server is started anew.
    """
    if not search.source:
        raise UsageError("No source was named; a search needs one.")
    vectors = await here.sources.opened(search.sources, job)

    def work(report: Callable[..., None]) -> SearchResult:
        from weatherglass.discovery import discover, discover_both

        def tell(done: int, total: int) -> None:
            report(done, total, "Turning names against words at random")

        run: Any = discover_both if search.is_comparison else discover
        made: SearchResult = run(*vectors.values(), resume=True, progress=tell, **search.options)
        return made

    key = ("discover", search, fingerprints(vectors))
    try:
        what = "Putting names into groups and words into categories"
        return await here.jobs.answer(key, what, work, is_long=True, job=job)
    except Cancelled as error:
        raise Cancelled(f"{error} The same search goes on from what was counted.") from None


async def open_cell(
    here: Session, search: Search, group: str, category: str, job: str = ""
) -> OpenedCell:
    """A cell, and the nearest neighbours of its words."""
    found = await run_search(here, search, job)
    if isinstance(found, Comparison):
        found = found.before
    one, its_group, its_category = find_cell(found, group, category)
    vectors = (await here.sources.opened((search.source,), job))[search.source]
    near = await neighbours(here, vectors, one.words, job)
    beside = tuple(other for other in found.cells if other.category == category and other != one)
    return OpenedCell(one, its_group, its_category, beside, near)


async def neighbours(
    here: Session, vectors: Vectors, words: tuple[str, ...], job: str = ""
) -> dict[str, list[tuple[str, float]]]:
    """The nearest neighbours of some words."""

    def work(report: Callable[..., None]) -> dict[str, list[tuple[str, float]]]:
        made = {}
        for at, word in enumerate(words):
            report(at, len(words))
            made[word] = vectors.neighbours(word, NEIGHBOURS_PER_WORD)
        return made

    key = ("near", words, vectors.fingerprint)
    return await here.jobs.answer(key, "Looking for neighbours", work, job=job)
