"""A picture of two discoveries of the same names and words: every cell's score in both."""

from __future__ import annotations

from typing import Any

from weatherglass.discovery.record import Comparison
from weatherglass.errors import CannotMeasure
from weatherglass.report import prose, rounding
from weatherglass.report.plots import ACCENT, INK, PALE, drawing
from weatherglass.report.words import spelled

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
            "scores": f"{rounding.effect(one.before.score)}, {rounding.effect(one.after.score)}",
        }
        for one in compared.changes
        if one.before is not None and one.after is not None
    ]
    if not rows:
        raise CannotMeasure("There is nothing to draw: no cell has a score in both.")
    alt = drawing()
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
        .properties(width=SIZE, height=SIZE, title=_title(compared, names, len(rows)))
        .configure_view(strokeWidth=0)
    )


def _words(words: tuple[str, ...]) -> str:
    return ", ".join(spelled(word, mask=True) for word in words)


def _title(compared: Comparison, names: list[str], drawn: int) -> dict[str, Any]:
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
