"""The heat map of a discovery: the categories that the reader chose, in the order of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query

from weatherglass.discovery import Category, Cell, Discovery, Group
from weatherglass.report import ordered_categories, prose, shade_cells, spell

from .question import MAX_VALUES, CellId, Search

_COLOURED = ("white", "black", "hispanic", "asian")
"""Groups of people that have a colour of their own in the style sheet."""


# What the reader chose


@dataclass(frozen=True)
class View:
    """What the reader chose to see of a result: hidden categories, and the column to sort by.

    Examples
    --------
    >>> View(hide=("C2", "C7"), sort="G1").query
    'hide=C2&hide=C7&sort=G1'
    """

    hide: tuple[str, ...] = ()
    sort: str = ""

    @property
    def query(self) -> str:
        """The query of the address, without what has its default value."""
        pairs = [("hide", id) for id in self.hide]
        return urlencode(pairs + ([("sort", self.sort)] if self.sort else []))

    def address(self, search: Search) -> str:
        """The address of a search that is viewed like this."""
        return "/discover?" + "&".join(filter(None, (search.query, self.query)))


async def _read_view(
    hide: Annotated[
        tuple[Annotated[str, Query(max_length=60)], ...],
        Query(max_length=MAX_VALUES["categories"], description="Ids of categories to hide."),
    ] = (),
    sort: CellId = "",
) -> View:
    return View(tuple(dict.fromkeys(filter(None, hide))), sort)


ViewQuery = Annotated[View, Depends(_read_view)]
"""What the reader chose to see, as an argument of a route."""


# The table


@dataclass(frozen=True)
class Bar:
    """A part of the glyph of a group: its colour, and where it begins and ends, in percent."""

    colour: str
    start: float
    width: float


@dataclass(frozen=True)
class Column:
    """A group of names as a column: what is known of them, as a line and as a glyph."""

    group: Group
    about: str
    glyph: tuple[Bar, ...]
    is_visible: bool
    is_sorted: bool
    address: str
    """The page sorted by this column."""


@dataclass(frozen=True)
class Row:
    """A category as a row, with the class and the cell of each column."""

    category: Category
    is_visible: bool
    cells: tuple[tuple[str, Cell | None], ...]
    address: str
    """The page without this category."""


def make_columns(discovery: Discovery, search: Search, view: View) -> list[Column]:
    """Return a column for each group; one without a significant cell is not visible at first."""
    with_cells = {cell.group for cell in discovery.significant if cell.category not in view.hide}
    return [
        Column(
            group,
            describe_names(group, discovery),
            make_glyph(group, discovery.columns),
            is_visible=group.id in with_cells,
            is_sorted=group.id == view.sort,
            address=replace(view, sort=group.id).address(search),
        )
        for group in discovery.groups
    ]


def make_rows(discovery: Discovery, search: Search, view: View) -> list[Row]:
    """Return a row for each category that is not hidden.

    Rows are in the order of the discovery or, sorted by a column, in that of its scores:
    significant cells first, the highest score at the top.
    """
    shades = shade_cells(discovery)
    cells = {(cell.group, cell.category): cell for cell in discovery.cells}
    with_cells = {cell.category for cell in discovery.significant}
    categories = [row for row in ordered_categories(discovery) if row.id not in view.hide]
    if view.sort:
        categories.sort(key=lambda row: _rank(cells.get((view.sort, row.id))))
    return [
        Row(
            category,
            is_visible=category.id in with_cells,
            cells=tuple(
                (shades.get((group.id, category.id), ""), cells.get((group.id, category.id)))
                for group in discovery.groups
            ),
            address=replace(view, hide=(*view.hide, category.id)).address(search),
        )
        for category in categories
    ]


def _rank(cell: Cell | None) -> tuple[int, float]:
    if cell is None:
        return 2, 0.0
    return (0 if cell.significant else 1), -cell.score


MAX_NAMES = 3


def describe_names(group: Group, discovery: Discovery) -> str:
    """What is known of the names of a group on one line; where nothing is, a few of the names."""
    names = ", ".join(spell(name, mask=True) for name in group.shown[:MAX_NAMES])
    return prose.describe_statistics(group, discovery) or names


def make_glyph(group: Group, columns: Mapping[str, Mapping[str, str]]) -> tuple[Bar, ...]:
    """Return the shares of women and men among the names, or else of all other shares, as bars.

    >>> group = Group("G1", (), 1, (), {"f": 0.25})
    >>> bars = make_glyph(group, {"f": {"label": "female", "unit": "share"}})
    >>> [(bar.colour, bar.start, bar.width) for bar in bars]
    [('women', 0.0, 25.0), ('men', 25.0, 75.0)]
    """
    shares = {
        about.get("label", "").lower(): min(1.0, max(0.0, group.facts[name]))
        for name, about in columns.items()
        if about.get("unit") == "share" and name in group.facts
    }
    if "female" in shares:
        shares = {"women": shares["female"], "men": 1 - shares["female"]}
    bars, start = [], 0.0
    for index, (label, share) in enumerate(shares.items()):
        known = (colour for colour in ("women", "men", *_COLOURED) if label.startswith(colour))
        width = min(100 * share, 100 - start)
        bars.append(Bar(next(known, f"concept-{index % 4 + 1}"), round(start, 1), round(width, 1)))
        start += width
    return tuple(bars)


def table_values(discovery: Discovery, search: Search, view: View) -> dict[str, Any]:
    """Return the values with which a template shows the heat map and its filter."""
    scores = [cell.score for cell in discovery.significant]
    hidden = [cell for cell in discovery.significant if cell.category in view.hide]
    with_cells = {cell.category for cell in discovery.significant}
    categories = ordered_categories(discovery)
    return {
        "view": view,
        "columns": make_columns(discovery, search, view),
        "rows": make_rows(discovery, search, view),
        "choices": [(row, row.id in view.hide) for row in categories if row.id in with_cells],
        "other_choices": [
            (row, row.id in view.hide) for row in categories if row.id not in with_cells
        ],
        "n_hidden": sum(row.id in view.hide for row in categories),
        "n_hidden_cells": len(hidden),
        "low": min(scores, default=0.0),
        "high": max(scores, default=0.0),
        "unhidden": replace(view, hide=()).address(search),
        "unsorted": replace(view, sort="").address(search),
    }
