"""Associations word by word: a stroke for each target, named where there is room."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weatherglass.report import rounding
from weatherglass.report.arranged import Asked
from weatherglass.report.plots import INK, RULE, drawing
from weatherglass.report.words import spelled

WIDTH = 330  # two stand side by side on a screen, and one fits a phone
_ROW, _LETTER, _LEVELS = 62, 5.4, 2
_LONGEST = 54  # letters of a heading
_COLOURS = {"X": INK, "Y": "#b8600b"}

Values = list[dict[str, Any]]


def strips(one: Asked, names: Mapping[str, str]) -> Any:
    """Draw the association of every target of a test, a line for each set and source.

    Returns
    -------
    altair.LayerChart
        A stroke for each word, a dot for the mean of each set. The words at the ends are named
        first, others where there is room; pointing at a stroke names it.
    """
    alt = drawing()
    shown = [name for name in names if name in one.done]
    values: Values = []
    means: Values = []
    heads: Values = []
    for source in shown:
        result = one.done[source]
        for side in ("X", "Y"):
            y = _ROW * len(heads) + 44
            where = f" · {names[source]}" if len(shown) > 1 else ""
            heads.append({"y": y - 37, "text": f"{result.labels.get(side) or side}{where}"})
            row = {"side": side, "y": y}
            pairs = list(zip(result.words[side], result.associations[side], strict=True))
            values += [
                {**row, "word": spelled(word), "at": value, "association": rounding.effect(value)}
                for word, value in pairs
            ]
            means.append({**row, "at": sum(value for _, value in pairs) / len(pairs)})
    ends = [min(v["at"] for v in values), max(v["at"] for v in values)]
    room = 0.06 * (ends[1] - ends[0] or 1)
    domain = [ends[0] - room, ends[1] + room]
    height = _ROW * len(heads)
    x = alt.X(
        "at:Q",
        title=between(one.any),
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(tickCount=5, format=".2~f", titleLimit=WIDTH),
    )
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], reverse=True, nice=False))
    colour = alt.Color(
        "side:N",
        legend=None,
        scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())),
    )
    named = alt.Chart(alt.Data(values=_named(values, domain)))
    strokes = alt.Chart(alt.Data(values=values)).mark_tick(
        thickness=2, height=16, opacity=0.75, orient="vertical"
    )
    layers = [
        alt.Chart(alt.Data(values=heads))
        .mark_text(align="left", baseline="middle", fontSize=11.5, fontWeight="bold", color="#333")
        .encode(y, alt.Text("text:N"), x=alt.value(0)),
        strokes.encode(x, y, colour, tooltip=["word:N", "association:N"]),
        alt.Chart(alt.Data(values=means))
        .mark_point(size=60, fill="white", strokeWidth=2, opacity=1)
        .encode(x, y, colour),
    ]
    for level in range(_LEVELS):
        layers.append(
            named.transform_filter(f"datum.level == {level}")
            .mark_text(fontSize=9.5, dy=-14 - 10 * level, color="#444")
            .encode(x, y, alt.Text("word:N"))
        )
    return (
        alt.layer(*layers)
        .properties(width=WIDTH, height=height)
        .configure_view(strokeWidth=0)
        .configure_axis(
            gridColor=RULE, domain=False, ticks=False, labelFontSize=11, titleFontSize=11
        )
    )


def _named(values: Values, domain: list[float]) -> Values:
    """The words that can be written without touching another, those at the ends of a line first."""
    scale = WIDTH / (domain[1] - domain[0])
    made: Values = []
    taken: dict[tuple[float, int], list[tuple[float, float]]] = {}
    for row in dict.fromkeys(one["y"] for one in values):
        line = sorted((one for one in values if one["y"] == row), key=lambda one: one["at"])
        for one in sorted(line, key=lambda one: min(line.index(one), len(line) - line.index(one))):
            middle = (one["at"] - domain[0]) * scale
            half = _LETTER * len(one["word"]) / 2 + 2
            if middle - half < -8 or middle + half > WIDTH + 8:
                continue
            for level in range(_LEVELS):
                others = taken.setdefault((row, level), [])
                if all(middle + half < a or middle - half > b for a, b in others):
                    others.append((middle - half, middle + half))
                    made.append({**one, "level": level})
                    break
    return made


def between(result: Any) -> str | list[str]:
    """What the two ends of an axis of associations stand for, on two lines if they are long."""
    a, b = (result.labels.get(name) or name for name in "AB")
    text = f"← {b} · association · {a} →"
    return text if len(text) <= _LONGEST else [f"← {b}", f"{a} →"]
