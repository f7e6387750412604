"""The chart of an evaluation by people: how many chose the group of the discovery, by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure

from ..html import spell
from .style import SOFT, import_altair, quiet_axis

if TYPE_CHECKING:
    from weatherglass.crowd import CrowdResult

_ROW_HEIGHT, _WIDTH, _LABEL_LIMIT = 20, 420, 360
AGREED, OTHER, GUESS = "#1f5a70", "#9aa8ad", "#d9822b"


def plot_crowd(result: CrowdResult) -> Any:
    """Draw the share of people who chose the group of the discovery, for each cell.

    A tick marks the share 1/c that guessing gives; filled points are cells on which the plurality
    agrees with the discovery.
    """
    if not result.answered:
        raise CannotMeasure("There is nothing to draw: no matching answers count.")
    alt = import_altair()
    cells = sorted(result.answered, key=lambda cell: -cell.agreeing / cell.workers)
    rows = [
        {
            "cell": f"{cell.group}: {', '.join(spell(word, mask=True) for word in cell.words)}",
            "share": cell.agreeing / cell.workers,
            "guessing": 1 / cell.choices,
            "people": "agree" if cell.agrees else "choose another group, or are tied",
        }
        for cell in cells
    ]
    names = [row["cell"] for row in rows]
    y = alt.Y("cell:N", sort=names, title=None, axis=quiet_axis(labelLimit=_LABEL_LIMIT))
    scale = alt.Scale(domain=[0, 1])
    base = alt.Chart(alt.Data(values=rows)).encode(y=y)
    guesses = base.mark_tick(color=GUESS, thickness=2, size=14).encode(
        x=alt.X("guessing:Q", scale=scale)
    )
    colours = alt.Scale(
        domain=["agree", "choose another group, or are tied"], range=[AGREED, OTHER]
    )
    axis = quiet_axis(format="%", tickCount=5, orient="top")
    title = "people who chose the group of the discovery (tick: guessing)"
    points = base.mark_point(size=70, filled=True, opacity=1).encode(
        x=alt.X("share:Q", scale=scale, title=title, axis=axis),
        color=alt.Color("people:N", scale=colours, legend=alt.Legend(title=None, orient="bottom")),
    )
    heading = f"{len(result.agreed)} of {len(cells)} cells: people agree with the discovery"
    workers = (
        f"{len(result.counted)} workers; guessing would give {result.accurate_by_guessing:.0%}"
    )
    return (
        alt.layer(guesses, points)
        .properties(
            width=_WIDTH,
            height=_ROW_HEIGHT * len(rows),
            title=alt.TitleParams(heading, subtitle=[workers], anchor="start", subtitleColor=SOFT),
        )
        .configure_view(strokeWidth=0)
    )
