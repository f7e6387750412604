"""The neighbours of a word: a bar for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weatherglass.report import rounding
from weatherglass.report.places import finished
from weatherglass.report.plots import INK, drawing
from weatherglass.report.words import spelled


def plot_near(found: Mapping[str, Sequence[tuple[str, float]]]) -> Any:
    """Draw the neighbours of a word: a bar for each, a panel for each source.

    Parameters
    ----------
    found
        The words and their cosines, by the name of the source.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> len(plot_near({"tiny": [("moon", 0.8), ("star", 0.6)]}).hconcat)
    1
    """
    alt = drawing()
    cosines = [cosine for some in found.values() for _, cosine in some]
    domain = [min(0.0, *cosines), max(0.05, *cosines)]
    panels = []
    for name, some in found.items():
        rows = [
            {"at": at, "word": spelled(word), "x": x, "cosine": rounding.measure(x)}
            for at, (word, x) in enumerate(some)
        ]
        chart = alt.Chart(alt.Data(values=rows))
        x = alt.X("x:Q", title="cosine", scale=alt.Scale(domain=domain))
        y = alt.Y("at:O", axis=None)
        panels.append(
            alt.layer(
                chart.mark_bar(color=INK, height=12).encode(x, y),
                chart.mark_text(align="right", fontSize=12, limit=150).encode(
                    y, alt.Text("word:N"), x=alt.value(-8)
                ),
                chart.mark_text(align="left", fontSize=11, dx=4).encode(x, y, alt.Text("cosine:N")),
            ).properties(
                width=200, height=alt.Step(20), title=alt.TitleParams(spelled(name), anchor="start")
            )
        )
    return finished(alt.hconcat(*panels, spacing=40))
