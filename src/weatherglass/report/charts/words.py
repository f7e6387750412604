"""Charts of the words of a test: strips of associations, scatter plots of facts.

`weatherglass.plot`, the report and the web page all draw with these functions; they differ only in
the width. Charts have no configuration of their own, so that several can be combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weatherglass.measures import WefatResult

from .. import numbers
from ..audit import TestBySource
from ..html import spell
from .labels import (
    LINE_HEIGHT,
    place_labels,
    place_near,
    place_on_axes,
    stack_above,
)
from .style import (
    DEEP_ACCENT,
    INK,
    PALE,
    TEXT,
    Values,
    halo_text,
    import_altair,
    pad_range,
    quiet_axis,
    without_frame,
)

STRIPS_WIDTH = 330  # two are next to each other on a screen, and one fits a phone
_HEAD_HEIGHT, _STROKE_HEIGHT, _ROW_GAP = 17, 16, 9
_WORD_SIZE = 9.5
_LEVEL_HEIGHT = LINE_HEIGHT * _WORD_SIZE + 1.6  # a little more than labels keep from each other
_LABEL_GAP = _STROKE_HEIGHT / 2 + 1
_MAX_TITLE_LETTERS = 54
_SIDE_COLOURS = {"X": INK, "Y": DEEP_ACCENT}


def draw_strips(
    test: TestBySource, names: Mapping[str, str], *, width: float = STRIPS_WIDTH, levels: int = 2
) -> Any:
    """Draw the association of every target word of a test, a strip for each set and source.

    Parameters
    ----------
    test
        An association test, with its results on each source.
    names
        Short name of each source.
    width
        Width of the plot area in pixels.
    levels
        Maximum number of lines of labels above a strip.

    Returns
    -------
    altair.LayerChart
        A stroke for each word, a ring for the mean of each set. The outermost words are labelled
        first, others where there is room; pointing at a stroke names it.
    """
    alt = import_altair()
    heads, strokes, means = _strip_rows(test, names)
    domain = pad_range([row["at"] for row in strokes], 0.06)
    labels, height = _lay_out_strips(heads, strokes, means, domain, width, levels)
    x = alt.X(
        "at:Q",
        title=association_title(test.any),
        scale=alt.Scale(domain=domain, nice=False),
        axis=quiet_axis(tickCount=5, format=".2~f", titleLimit=width),
    )
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], reverse=True, nice=False))
    colour = alt.Color(
        "side:N",
        legend=None,
        scale=alt.Scale(domain=list(_SIDE_COLOURS), range=list(_SIDE_COLOURS.values())),
    )
    layers = [
        alt.Chart(alt.Data(values=strokes))
        .mark_tick(thickness=2, height=_STROKE_HEIGHT, opacity=0.75, orient="vertical")
        .encode(x, y, colour, tooltip=["word:N", "association:N"]),
        alt.Chart(alt.Data(values=means))
        .mark_point(size=60, fill="white", strokeWidth=2, opacity=1)
        .encode(x, y, colour),
        *halo_text(
            alt.Chart(alt.Data(values=heads)),
            {"x": alt.value(0), "y": y, "text": alt.Text("text:N")},
            align="left",
            baseline="middle",
            fontSize=11.5,
            fontWeight="bold",
            color=TEXT,
        ),
        *halo_text(
            alt.Chart(alt.Data(values=labels)),
            {"x": x, "y": y, "text": alt.Text("word:N")},
            baseline="middle",
            fontSize=_WORD_SIZE,
            color="#444",
        ),
    ]
    return alt.layer(*layers).properties(width=width, height=height, view=without_frame())


def _strip_rows(test: TestBySource, names: Mapping[str, str]) -> tuple[Values, Values, Values]:
    """The data of headings, strokes and means, by the number of their strip."""
    heads: Values = []
    strokes: Values = []
    means: Values = []
    sources = [name for name in names if name in test.done]
    for source in sources:
        result = test.done[source]
        for side in _SIDE_COLOURS:
            strip = {"strip": len(heads), "side": side}
            suffix = f" · {names[source]}" if len(sources) > 1 else ""
            heads.append({**strip, "text": f"{result.label(side)}{suffix}"})
            pairs = list(zip(result.words[side], result.associations[side], strict=True))
            strokes += [
                {**strip, "word": spell(word), "at": value, "association": numbers.effect(value)}
                for word, value in pairs
            ]
            means.append({**strip, "at": sum(value for _, value in pairs) / len(pairs)})
    return heads, strokes, means


def _lay_out_strips(
    heads: Values, strokes: Values, means: Values, domain: list[float], width: float, levels: int
) -> tuple[Values, float]:
    """Set the y of every row, and return the labels of words and the height of the chart.

    A strip is as high as its labels need: its heading, the lines of labels, the strokes.
    """
    scale = width / (domain[1] - domain[0])
    positions = stack_above(levels, gap=_LABEL_GAP, pitch=_LEVEL_HEIGHT, chart_width=width)
    labels: Values = []
    top = 0.0
    for head in heads:
        rows = [row for row in strokes if row["strip"] == head["strip"]]
        baseline = levels * _LEVEL_HEIGHT + _LABEL_GAP  # as if all levels were used
        placed = place_labels(
            [((row["at"] - domain[0]) * scale, baseline) for row in rows],
            [row["word"] for row in rows],
            width=width,
            height=baseline + _STROKE_HEIGHT,
            size=_WORD_SIZE,
            positions=positions,
        )
        highest = min((label.top for label in placed), default=baseline)
        shift = top + _HEAD_HEIGHT - highest
        head["y"] = top + _HEAD_HEIGHT / 2 - 1
        for row in (*rows, means[head["strip"]]):
            row["y"] = baseline + shift
        labels += [
            {
                "word": rows[label.index]["word"],
                "at": domain[0] + label.centre / scale,
                "y": label.middle + shift,
            }
            for label in placed
        ]
        top = baseline + shift + _STROKE_HEIGHT / 2 + _ROW_GAP
    return labels, top


def association_title(result: Any) -> str | list[str]:
    """Title of an axis of associations: what its ends mean, on two lines if it is long."""
    a, b = (result.label(name) for name in "AB")
    text = f"← {b} · association · {a} →"
    return text if len(text) <= _MAX_TITLE_LETTERS else [f"← {b}", f"{a} →"]


SCATTER_WIDTH, SCATTER_HEIGHT = 330, 270


def draw_scatter(
    result: WefatResult,
    *,
    width: float = SCATTER_WIDTH,
    height: float = SCATTER_HEIGHT,
    pointer: str = "pointed",
) -> Any:
    """Draw a factual test: facts against associations, the regression line, labels that fit.

    `pointer` names the selection that enlarges the point under the mouse; charts that are combined
    need different ones.
    """
    alt = import_altair()
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    fact_title = (result.fact.get("name") or "fact") + unit
    points: Values = [
        {"word": spell(word), "association": x, "fact": y, "rounded": numbers.effect(x)}
        for word, x, y in zip(result.words["W"], result.associations, result.facts, strict=True)
    ]
    slope, intercept = result.slope or 0.0, result.intercept or 0.0
    ends = (min(result.associations), max(result.associations))
    line = [{"association": x, "fact": slope * x + intercept} for x in ends]
    domains = [
        pad_range(result.associations, 0.05),
        fact_domain([*result.facts, *(row["fact"] for row in line)]),
    ]
    x = alt.X(
        "association:Q",
        scale=alt.Scale(domain=domains[0], nice=False),
        axis=quiet_axis(title=association_title(result), tickCount=int(width / 60), format="~g"),
    )
    y = alt.Y(
        "fact:Q",
        scale=alt.Scale(domain=domains[1], nice=False),
        axis=quiet_axis(title=fact_title),
    )
    tooltip = [
        alt.Tooltip("word:N"),
        alt.Tooltip("rounded:N", title="association"),
        alt.Tooltip("fact:Q", title=fact_title),
    ]
    labels, leaders = scatter_labels(points, line, domains, width, height)
    pointed = alt.selection_point(name=pointer, on="pointerover", empty=False)
    layers = [
        alt.Chart(alt.Data(values=line)).mark_line(color=DEEP_ACCENT, strokeWidth=1.5).encode(x, y),
        alt.Chart(alt.Data(values=points))
        .mark_circle(color=INK, opacity=0.8)
        .encode(x, y, size=alt.condition(pointed, alt.value(150), alt.value(45)), tooltip=tooltip)
        .add_params(pointed),
        *(
            [
                alt.Chart(alt.Data(values=leaders))
                .mark_rule(color=PALE, strokeWidth=0.8)
                .encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q"))
            ]
            if leaders
            else []
        ),
        *halo_text(
            alt.Chart(alt.Data(values=labels)),
            {"x": x, "y": y, "text": alt.Text("word:N")},
            align="left",
            baseline="middle",
            fontSize=_WORD_SIZE,
            color="#444",
        ),
    ]
    return alt.layer(*layers).properties(width=width, height=height, view=without_frame())


def fact_domain(facts: Sequence[float]) -> list[float]:
    """The range of facts with zero in it; where no fact is negative it begins at zero."""
    low, high = pad_range([0.0, *facts], 0.04)
    return [0.0 if min(facts) >= 0 else low, high]


def scatter_labels(
    points: Values, line: Values, domains: Sequence[Sequence[float]], width: float, height: float
) -> tuple[Values, Values]:
    """The labels of points, off the regression line, and lines to those that are further away."""
    positions = [(row["association"], row["fact"]) for row in points]
    words = [row["word"] for row in points]
    ends = [(row["association"], row["fact"]) for row in line]
    placed = place_on_axes(
        positions, words, domains, width, height, _WORD_SIZE, line=ends, positions=place_near
    )
    labels = [{"word": words[at.index], "association": at.x, "fact": at.y} for at in placed]
    leaders = [
        {"association": x, "fact": y, "x2": x2, "y2": y2}
        for (x, y), (x2, y2) in (at.leader for at in placed if at.leader)
    ]
    return labels, leaders
