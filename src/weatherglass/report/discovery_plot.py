"""The paper's table as a picture: groups as columns, categories as rows, words in shaded cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weatherglass.discovery.record import Category, Cell, Discovery, Group
from weatherglass.errors import CannotMeasure
from weatherglass.report import prose, shades
from weatherglass.report.fitting import fitted
from weatherglass.report.plots import INK, drawing
from weatherglass.report.words import spelled

WIDTH = 1000  # what a README has room for
_LABEL, _HEAD = 124, 34  # the column of labels and the row of groups
_NARROWEST, _WIDEST = 72, 150
_FONT, _LINE, _PAD, _GAP = 10.5, 12.5, 5, 2
_BOLD = 0.85  # the part of the room that counts, because bold letters are wider
_SOFT = "#51646b"

Values = list[dict[str, Any]]


def plot_discovery(found: Discovery, *, rows: int = 12, show_slurs: bool = False) -> Any:
    """Draw the strongest categories of a discovery.

    Parameters
    ----------
    found
        What a discovery found.
    rows
        How many categories to draw, those with the highest total score.
    show_slurs
        Write slurs out; they are masked otherwise.

    Returns
    -------
    altair.LayerChart
        Significant cells with their words, shaded by score. Groups without one in these categories
        are left out, as in the paper's tables. Groups are called by their ids: their names stand
        elsewhere, so that nobody's name stands on top of a column of stereotypes.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                     rotations=999)
    >>> chart = plot_discovery(found, rows=3)
    >>> len(chart.layer[0].data.values) <= 4 * 3
    True
    """
    known = {one.id: one for one in found.categories}
    categories = [known[id] for id in found.order if id in known][:rows]
    wanted = {one.id for one in categories}
    cells = [one for one in found.cells if one.significant and one.category in wanted]
    if not cells:
        raise CannotMeasure("There is nothing to draw: no cell is significant.")
    with_cells = {one.group for one in cells}
    groups = [one for one in found.groups if one.id in with_cells]
    table = _laid_out(groups, categories, cells, mask=not show_slurs)
    return _drawn(table, _title(found, len(categories)))


@dataclass(frozen=True)
class _Table:
    """What stands where, in pixels."""

    width: float
    height: float
    heads: Values
    labels: Values
    cells: Values


def _laid_out(
    groups: list[Group], categories: list[Category], cells: list[Cell], mask: bool
) -> _Table:
    """Columns share the width; every row is as high as its longest cell."""
    column = max(_NARROWEST, min(_WIDEST, (WIDTH - _LABEL) / len(groups)))
    left = {one.id: _LABEL + at * column for at, one in enumerate(groups)}
    heads = [
        {"x": left[one.id] + _PAD, "id": spelled(one.id), "size": prose.count(one.size, "name")}
        for one in groups
    ]
    low, high = (end(cell.score for cell in cells) for end in (min, max))
    labels: Values = []
    boxes: Values = []
    top: float = _HEAD
    for category in categories:
        here = [cell for cell in cells if cell.category == category.id]
        label = ", ".join(spelled(word, mask=mask) for word in category.label.split(", "))
        name = fitted(label, _BOLD * _LABEL, _FONT)
        inside = [_lines(cell, column, mask) for cell in here]
        bottom = top + _LINE * max(map(len, [name, *inside])) + 2 * _PAD
        labels.append({"y": top + _PAD, "label": "\n".join(name)})
        for cell, lines in zip(here, inside, strict=True):
            shade = shades.LIGHT[shades.step(cell.score, low, high)]
            boxes.append(
                {
                    "group": spelled(cell.group),
                    "category": label,
                    "words": "\n".join(lines),
                    "score": cell.score,
                    "p": str(cell.p),
                    "ink": shades.ink_on(shade),
                    "x": left[cell.group],
                    "x2": left[cell.group] + column - _GAP,
                    "y": top,
                    "y2": bottom - _GAP,
                }
            )
        top = bottom
    return _Table(_LABEL + column * len(groups), top, heads, labels, boxes)


def _lines(cell: Cell, column: float, mask: bool) -> list[str]:
    room = column - _PAD - 2 * _GAP
    return [line for word in cell.words for line in fitted(spelled(word, mask=mask), room, _FONT)]


def _drawn(table: _Table, title: dict[str, Any]) -> Any:
    alt = drawing()

    def texts(values: Values, **more: Any) -> Any:
        how = {"align": "left", "baseline": "top", "lineBreak": "\n", "lineHeight": _LINE}
        return alt.Chart(alt.Data(values=values)).mark_text(**how, **more)

    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    about = ["group:N", "category:N", "words:N", "score:Q", "p:N"]
    boxes = alt.Chart(alt.Data(values=table.cells)).mark_rect()
    words = texts(table.cells, fontSize=_FONT, dx=_PAD, dy=_PAD)
    labels = texts(table.labels, fontSize=_FONT, fontWeight="bold", color=INK)
    ids = texts(table.heads, fontSize=12.5, fontWeight="bold", color=INK)
    sizes = texts(table.heads, fontSize=9.5, color=_SOFT)
    return (
        alt.layer(
            boxes.encode(
                x, y, alt.X2("x2:Q"), alt.Y2("y2:Q"), _shade(alt, table.cells), tooltip=about
            ),
            words.encode(x, y, alt.Text("words:N"), alt.Color("ink:N", scale=None), tooltip=about),
            labels.encode(y, alt.Text("label:N"), x=alt.value(0)),
            ids.encode(x, alt.Text("id:N"), y=alt.value(2)),
            sizes.encode(x, alt.Text("size:N"), y=alt.value(18)),
        )
        .resolve_scale(color="independent")
        .properties(
            width=table.width,
            height=table.height,
            background="white",
            title=alt.TitleParams(**title, anchor="start", offset=14),
        )
        .configure_view(strokeWidth=0)
    )


def _shade(alt: Any, cells: Values) -> Any:
    """The scale of the page, with its key below the table."""
    scores = [cell["score"] for cell in cells]
    ends = [min(scores), max(max(scores), min(scores) + 1e-9)]
    return alt.Color(
        "score:Q",
        scale=alt.Scale(type="quantize", domain=ends, range=list(shades.LIGHT)),
        legend=alt.Legend(
            orient="bottom", direction="horizontal", format=".2f", gradientLength=220
        ),
    )


def _title(found: Discovery, rows: int) -> dict[str, Any]:
    shown = f", of which {rows} are shown" if rows < len(found.order) else ""
    cells = prose.count(len(found.cells), "cell")
    categories = prose.count(len(found.order), "category", "categories")
    return {
        "text": f"What {prose.short_name(found)} associates with groups of names",
        "subtitle": (
            f"{len(found.significant):,} of {cells} are significant (α = {found.alpha:g}), "
            f"in {categories}{shown}."
        ),
        "subtitleColor": _SOFT,
    }
