"""Charts of discoveries: the table of Swinger et al. (2019), and the scores of two discoveries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weatherglass.discovery import Category, Cell, Comparison, Discovery, Group
from weatherglass.errors import CannotMeasure

from .. import numbers
from ..discovery import prose
from ..html import spell
from . import style
from .labels import wrap_text
from .style import ACCENT, INK, PALE, SOFT, Values, import_altair, pad_range

# Lengths are in pixels.
WIDTH = 1000  # fits a README
_LABEL_WIDTH, _HEAD_HEIGHT = 124, 34
_MIN_COLUMN, _MAX_COLUMN = 72, 150
_FONT_SIZE, _LINE_HEIGHT, _PADDING, _GAP = 10.5, 12.5, 5, 2
_ABOUT_SIZE = 9.5
_BOLD_SHARE = 0.85  # bold letters are wider: their lines may use only this share of the width


def plot_discovery(discovery: Discovery, *, rows: int = 12, show_slurs: bool = False) -> Any:
    """Draw the strongest categories of a discovery.

    Parameters
    ----------
    discovery
        The result of `weatherglass.discover`.
    rows
        Number of categories to draw, those with the highest total score.
    show_slurs
        Write slurs out; they are masked otherwise.

    Returns
    -------
    altair.LayerChart
        Significant cells with their words, shaded by score. Groups without one in these categories
        are left out, as in the paper's tables. A column is headed by what is known of the names of
        its group, such as "95 % women, born about 1973", so that nobody's name heads a column of
        stereotypes; a group of which nothing is known, by a few of its names.

    Examples
    --------
    >>> import weatherglass as wg
    >>> discovery = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                         rotations=999)
    >>> chart = plot_discovery(discovery, rows=3)
    >>> len(chart.layer[0].data.values) <= 4 * 3
    True
    """
    by_id = {category.id: category for category in discovery.categories}
    categories = [by_id[id] for id in discovery.order if id in by_id][:rows]
    drawn = {category.id for category in categories}
    cells = [cell for cell in discovery.cells if cell.significant and cell.category in drawn]
    if not cells:
        raise CannotMeasure("There is nothing to draw: no cell is significant.")
    with_cells = {cell.group for cell in cells}
    groups = [group for group in discovery.groups if group.id in with_cells]
    about = {group.id: describe_group(group, discovery.columns) for group in groups}
    table = _lay_out(groups, about, categories, cells, mask=not show_slurs)
    return _draw_table(table, _table_title(discovery, len(categories)))


def describe_group(group: Group, columns: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return what is known of the names of a group, a few words each; or some of its names.

    >>> columns = {"f": {"label": "female", "unit": "share"}, "y": {"label": "", "unit": "year"}}
    >>> describe_group(Group("G1", ("ann",), 9, (), {"f": 0.953, "y": 1973.2}), columns)
    ['95 % women', 'born about 1973']
    >>> describe_group(Group("G1", ("ann", "eve"), 9, ("ann", "eve")), {})
    ['ann, eve']
    """
    facts = {name: about for name, about in columns.items() if name in group.facts}
    shares = {
        about["label"]: group.facts[name]
        for name, about in facts.items()
        if about.get("unit") == "share"
    }
    female = next((shares.pop(label) for label in shares if label.lower() == "female"), None)
    lines = [] if female is None else [_gender(female)]
    years = [group.facts[name] for name, about in facts.items() if about.get("unit") == "year"]
    lines += [f"born about {years[0]:.0f}"] if years else []
    if shares:
        label = max(shares, key=shares.__getitem__)
        lines.append(f"{100 * shares[label]:.0f} % {label}")
    return lines or [", ".join(group.shown)]


def _gender(female: float) -> str:
    share, noun = (female, "women") if female >= 0.5 else (1 - female, "men")
    return f"{100 * share:.0f} % {noun}"


@dataclass(frozen=True)
class _Table:
    """Headings, labels and cells with their places, in pixels."""

    width: float
    height: float
    heads: Values
    labels: Values
    cells: Values


def _lay_out(
    groups: list[Group],
    about: dict[str, list[str]],
    categories: list[Category],
    cells: list[Cell],
    mask: bool,
) -> _Table:
    """Place the cells: columns share the width, and a row is as high as its longest cell."""
    column = max(_MIN_COLUMN, min(_MAX_COLUMN, (WIDTH - _LABEL_WIDTH) / len(groups)))
    left = {group.id: _LABEL_WIDTH + index * column for index, group in enumerate(groups)}
    heads = [
        {
            "x": left[group.id] + _PADDING,
            "id": spell(group.id),
            "size": prose.count_noun(group.size, "name"),
            "about": "\n".join(
                line
                for text in about[group.id]
                for line in wrap_text(spell(text, mask=mask), column - _PADDING, _ABOUT_SIZE)
            ),
        }
        for group in groups
    ]
    head_lines = max(str(head["about"]).count("\n") + 1 for head in heads)
    low, high = (end(cell.score for cell in cells) for end in (min, max))
    labels: Values = []
    boxes: Values = []
    top: float = _HEAD_HEIGHT + head_lines * _LINE_HEIGHT
    for category in categories:
        row_cells = [cell for cell in cells if cell.category == category.id]
        label = ", ".join(spell(word, mask=mask) for word in category.label.split(", "))
        name = wrap_text(label, _BOLD_SHARE * _LABEL_WIDTH, _FONT_SIZE)
        contents = [_cell_lines(cell, column, mask) for cell in row_cells]
        bottom = top + _LINE_HEIGHT * max(map(len, [name, *contents])) + 2 * _PADDING
        labels.append({"y": top + _PADDING, "label": "\n".join(name)})
        for cell, lines in zip(row_cells, contents, strict=True):
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
    return _Table(_LABEL_WIDTH + column * len(groups), top, heads, labels, boxes)


def _cell_lines(cell: Cell, column: float, mask: bool) -> list[str]:
    room = column - _PADDING - 2 * _GAP
    return [
        line for word in cell.words for line in wrap_text(spell(word, mask=mask), room, _FONT_SIZE)
    ]


def _draw_table(table: _Table, title: dict[str, Any]) -> Any:
    alt = import_altair()

    def texts(values: Values, **options: Any) -> Any:
        layout = {"align": "left", "baseline": "top", "lineBreak": "\n", "lineHeight": _LINE_HEIGHT}
        return alt.Chart(alt.Data(values=values)).mark_text(**layout, **options)

    x, y = alt.X("x:Q", scale=None, axis=None), alt.Y("y:Q", scale=None, axis=None)
    tooltip = ["group:N", "category:N", "words:N", "score:Q", "p:N"]
    boxes = alt.Chart(alt.Data(values=table.cells)).mark_rect()
    words = texts(table.cells, fontSize=_FONT_SIZE, dx=_PADDING, dy=_PADDING)
    labels = texts(table.labels, fontSize=_FONT_SIZE, fontWeight="bold", color=INK)
    ids = texts(table.heads, fontSize=12.5, fontWeight="bold", color=INK)
    sizes = texts(table.heads, fontSize=_ABOUT_SIZE, color=SOFT)
    facts = texts(table.heads, fontSize=_ABOUT_SIZE, color=SOFT)
    return (
        alt.layer(
            boxes.encode(
                x, y, alt.X2("x2:Q"), alt.Y2("y2:Q"), _shade(alt, table.cells), tooltip=tooltip
            ),
            words.encode(
                x, y, alt.Text("words:N"), alt.Color("ink:N", scale=None), tooltip=tooltip
            ),
            labels.encode(y, alt.Text("label:N"), x=alt.value(0)),
            ids.encode(x, alt.Text("id:N"), y=alt.value(2)),
            sizes.encode(x, alt.Text("size:N"), y=alt.value(18)),
            facts.encode(x, alt.Text("about:N"), y=alt.value(18 + _LINE_HEIGHT)),
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
    """The shades of the page, with a legend below the table."""
    scores = [cell["score"] for cell in cells]
    ends = [min(scores), max(max(scores), min(scores) + 1e-9)]
    return alt.Color(
        "score:Q",
        scale=alt.Scale(type="quantize", domain=ends, range=list(style.LIGHT)),
        legend=alt.Legend(
            orient="bottom", direction="horizontal", format=".2f", gradientLength=220
        ),
    )


def _table_title(discovery: Discovery, rows: int) -> dict[str, Any]:
    omission = f", of which {rows} are drawn" if rows < len(discovery.order) else ""
    cells = prose.count_noun(len(discovery.cells), "cell")
    categories = prose.count_noun(len(discovery.order), "category", "categories")
    return {
        "text": f"What {prose.short_name(discovery)} associates with groups of names",
        "subtitle": (
            f"{len(discovery.significant):,} of {cells} (a group and a category of words) are "
            f"significant (α = {discovery.alpha:g}), in {categories}{omission}. Shares and years "
            f"are means over the {_members(discovery)} of a group."
        ),
        "subtitleColor": SOFT,
    }


def _members(discovery: Discovery) -> str:
    return "people" if prose.is_weighted(discovery) else "names"


_CHANGE_SIZE = 380
_CHANGE_MARKS = {
    "stays": (INK, "circle"),
    "vanishes": ("#8a4b8f", "triangle-down"),
    "appears": (ACCENT, "triangle-up"),
}
_PLURALS = {"stays": "stay", "vanishes": "vanish", "appears": "appear"}


def plot_change(comparison: Comparison) -> Any:
    """Draw what changed between two discoveries.

    Parameters
    ----------
    comparison
        The result of `weatherglass.discover_both`.

    Returns
    -------
    altair.LayerChart
        A mark for each cell that is significant in one of them or in both: its score before and
        after, with its words where the pointer is. Cells on the line have the same score in both;
        below it they have become weaker. A cell with too few words in one of them has no score
        there, and the subtitle counts those.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> comparison = wg.discover_both(vectors, vectors, groups=4, categories=8, words=2000,
    ...                               rotations=999)
    >>> marks = plot_change(comparison).layer[1].data.values
    >>> {row["change"] for row in marks}
    {'stays'}
    """
    rows = [
        {
            "change": change.change,
            "before": change.before.score,
            "after": change.after.score,
            "group": change.before.group,
            "words before": _masked_words(change.before.words),
            "words after": _masked_words(change.after.words),
            "scores": f"{numbers.effect(change.before.score)}, "
            f"{numbers.effect(change.after.score)}",
        }
        for change in comparison.changes
        if change.before is not None and change.after is not None
    ]
    if not rows:
        raise CannotMeasure("There is nothing to draw: no cell has a score in both.")
    alt = import_altair()
    scores = [cell.score for c in comparison.changes for cell in (c.before, c.after) if cell]
    scale = alt.Scale(domain=pad_range(scores, 0.05), nice=False)
    names = [prose.short_name(found) for found in (comparison.before, comparison.after)]
    x = alt.X("before:Q", title=f"score on {names[0]}", scale=scale)
    y = alt.Y("after:Q", title=f"score on {names[1]}", scale=scale)
    colours, shapes = (
        alt.Scale(domain=list(_CHANGE_MARKS), range=list(values))
        for values in zip(*_CHANGE_MARKS.values(), strict=True)
    )
    marks = (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=70, opacity=0.85)
        .encode(
            x,
            y,
            alt.Color("change:N", title=None, scale=colours),
            alt.Shape("change:N", title=None, scale=shapes),
            tooltip=["change:N", "group:N", "words before:N", "words after:N", "scores:N"],
        )
    )
    diagonal = [{"before": end, "after": end} for end in scale.domain]
    line = alt.Chart(alt.Data(values=diagonal)).mark_line(color=PALE, strokeDash=[4, 4])
    return (
        alt.layer(line.encode(x, y), marks)
        .properties(
            width=_CHANGE_SIZE,
            height=_CHANGE_SIZE,
            title=_change_title(comparison, names, len(rows)),
        )
        .configure_view(strokeWidth=0)
    )


def _masked_words(words: tuple[str, ...]) -> str:
    return ", ".join(spell(word, mask=True) for word in words)


def _change_title(comparison: Comparison, names: list[str], drawn: int) -> dict[str, Any]:
    counts = ", ".join(f"{len(comparison.of(kind)):,} {_PLURALS[kind]}" for kind in _CHANGE_MARKS)
    sentences = [f"Of the significant cells {counts}."]
    if drawn < len(comparison.changes):
        omitted = len(comparison.changes) - drawn
        sentences.append(f"{omitted:,} of them have too few words in one, and are not drawn.")
    return {
        "text": f"{names[0]} and {names[1]}: associations with names",
        "subtitle": sentences,
        "subtitleColor": SOFT,
        "anchor": "start",
    }
