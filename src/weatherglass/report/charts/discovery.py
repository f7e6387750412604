"""The paper's table as a picture: groups as columns, categories as rows, words in shaded cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weatherglass.discovery import Category, Cell, Comparison, Discovery, Group
from weatherglass.errors import CannotMeasure

from .. import numbers
from ..discovery import prose
from ..html import spell
from . import style
from .labels import wrap_text
from .style import ACCENT, INK, PALE, import_altair

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
        {"x": left[one.id] + _PAD, "id": spell(one.id), "size": prose.count_noun(one.size, "name")}
        for one in groups
    ]
    low, high = (end(cell.score for cell in cells) for end in (min, max))
    labels: Values = []
    boxes: Values = []
    top: float = _HEAD
    for category in categories:
        here = [cell for cell in cells if cell.category == category.id]
        label = ", ".join(spell(word, mask=mask) for word in category.label.split(", "))
        name = wrap_text(label, _BOLD * _LABEL, _FONT)
        inside = [_lines(cell, column, mask) for cell in here]
        bottom = top + _LINE * max(map(len, [name, *inside])) + 2 * _PAD
        labels.append({"y": top + _PAD, "label": "\n".join(name)})
        for cell, lines in zip(here, inside, strict=True):
            shade = style.LIGHT[style.step(cell.score, low, high)]
            boxes.append(
                {
                    "group": spell(cell.group),
                    "category": label,
                    "words": "\n".join(lines),
                    "score": cell.score,
                    "p": str(cell.p),
                    "ink": style.ink_on(shade),
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
    return [line for word in cell.words for line in wrap_text(spell(word, mask=mask), room, _FONT)]


def _drawn(table: _Table, title: dict[str, Any]) -> Any:
    alt = import_altair()

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
        scale=alt.Scale(type="quantize", domain=ends, range=list(style.LIGHT)),
        legend=alt.Legend(
            orient="bottom", direction="horizontal", format=".2f", gradientLength=220
        ),
    )


def _title(found: Discovery, rows: int) -> dict[str, Any]:
    shown = f", of which {rows} are shown" if rows < len(found.order) else ""
    cells = prose.count_noun(len(found.cells), "cell")
    categories = prose.count_noun(len(found.order), "category", "categories")
    return {
        "text": f"What {prose.short_name(found)} associates with groups of names",
        "subtitle": (
            f"{len(found.significant):,} of {cells} are significant (α = {found.alpha:g}), "
            f"in {categories}{shown}."
        ),
        "subtitleColor": _SOFT,
    }


SIZE = 380
_KINDS = {"stays": (INK, "circle"), "vanishes": ("#8a4b8f", "triangle-down")}
_KINDS |= {"appears": (ACCENT, "triangle-up")}

_PLURAL = {"stays": "stay", "vanishes": "vanish", "appears": "appear"}


def plot_change(compared: Comparison) -> Any:
    """Draw what changed between two discoveries.

    Parameters
    ----------
    compared
        What `weatherglass.discover_both` gave.

    Returns
    -------
    altair.LayerChart
        A mark for each cell that is significant in one of them or in both: its score before and
        after, with its words where the pointer is. Cells on the line have the same score in both;
        below it they have become weaker. A cell that has too few words in one of them has no score
        there, and the subtitle counts those.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> compared = wg.discover_both(vectors, vectors, groups=4, categories=8, words=2000,
    ...                             rotations=999)
    >>> marks = plot_change(compared).layer[1].data.values
    >>> {one["change"] for one in marks}
    {'stays'}
    """
    rows = [
        {
            "change": one.change,
            "before": one.before.score,
            "after": one.after.score,
            "group": one.before.group,
            "words before": _words(one.before.words),
            "words after": _words(one.after.words),
            "scores": f"{numbers.effect(one.before.score)}, {numbers.effect(one.after.score)}",
        }
        for one in compared.changes
        if one.before is not None and one.after is not None
    ]
    if not rows:
        raise CannotMeasure("There is nothing to draw: no cell has a score in both.")
    alt = import_altair()
    ends = [cell.score for one in compared.changes for cell in (one.before, one.after) if cell]
    room = 0.05 * (max(ends) - min(ends) or 1)
    scale = alt.Scale(domain=[min(ends) - room, max(ends) + room], nice=False)
    names = [prose.short_name(one) for one in (compared.before, compared.after)]
    x = alt.X("before:Q", title=f"score on {names[0]}", scale=scale)
    y = alt.Y("after:Q", title=f"score on {names[1]}", scale=scale)
    kinds = list(_KINDS)
    marks = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=70, opacity=0.85)
        .encode(
            x,
            y,
            alt.Color(
                "change:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=[_KINDS[kind][0] for kind in kinds]),
            ),
            alt.Shape(
                "change:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=[_KINDS[kind][1] for kind in kinds]),
            ),
            tooltip=["change:N", "group:N", "words before:N", "words after:N", "scores:N"],
        )
    )
    line = [{"before": end, "after": end} for end in scale.domain]
    same = alt.Chart(alt.Data(values=line)).mark_line(color=PALE, strokeDash=[4, 4]).encode(x, y)
    return (
        alt.layer(same, marks)
        .properties(width=SIZE, height=SIZE, title=_change_title(compared, names, len(rows)))
        .configure_view(strokeWidth=0)
    )


def _words(words: tuple[str, ...]) -> str:
    return ", ".join(spell(word, mask=True) for word in words)


def _change_title(compared: Comparison, names: list[str], drawn: int) -> dict[str, Any]:
    counts = ", ".join(f"{len(compared.of(kind)):,} {_PLURAL[kind]}" for kind in _KINDS)
    said = [f"Of the significant cells {counts}."]
    if drawn < len(compared.changes):
        left = len(compared.changes) - drawn
        said.append(f"{left:,} of them have too few words in one, and are not drawn.")
    return {
        "text": f"{names[0]} and {names[1]}: associations with names",
        "subtitle": said,
        "subtitleColor": "#51646b",
        "anchor": "start",
    }
