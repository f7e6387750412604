"""The forest plot: every effect with its interval, beside the published one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weatherglass.measures import WefatResult

from .. import numbers
from ..audit import ALPHA, TestBySource, number_of, published_number
from ..html import spell
from .plot import INK, RULE, import_altair

COLOURS = (INK, "#b8600b", "#7a5c99", "#3f7f57", "#b0485a", "#6d6d2c")
FOREST_WIDTH = 640
_PUBLISHED = "#6b777c"
_TITLE, _LINE, _GAP = 20, 15, 9  # the title of a test, a line for each source, the room below

Values = list[dict[str, Any]]


def draw_forest(tests: Sequence[TestBySource], names: Mapping[str, str]) -> Any:
    """Draw the effects of association tests.

    Parameters
    ----------
    tests
        Association tests, with what they gave on each source.
    names
        What each source is called.

    Returns
    -------
    altair.LayerChart
        Titles stand above their lines, so that it can be read on a narrow screen too.
    """
    done = [one for one in tests if one.done]
    shown = [name for name in names if any(name in one.done for one in done)]
    points, titles, printed = _laid_out(done, shown, names)
    height = _TITLE + len(done) * (_TITLE + _GAP + _LINE * len(shown))
    alt = import_altair()
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], reverse=True, nice=False))
    domain = _domain(points, printed)
    scale = alt.Scale(domain=domain, nice=False)
    axis = alt.Axis(orient="top", title="effect", grid=True, tickCount=8, format="~g")
    x = alt.X("effect:Q", scale=scale, axis=axis)
    labels = [names[name] for name in shown]
    colour = alt.Color(
        "source:N",
        title=None,
        scale=alt.Scale(domain=labels, range=[COLOURS[k % 6] for k in range(len(labels))]),
        legend=alt.Legend(orient="top", labelFontSize=12) if len(shown) > 1 else None,
    )
    about = [
        alt.Tooltip(f"{name}:N")
        for name in ("test", "source", "effect here", "interval", "p", "corrected p", "published")
    ]
    ours = alt.Chart(alt.Data(values=points))
    filled = alt.condition("datum.sure", colour, alt.value("white"))
    layers = [
        alt.Chart(alt.Data(values=[{"effect": 0}])).mark_rule(color="#51646b").encode(x),
        ours.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, opacity=0.7)
        .encode(alt.X("low:Q", scale=scale, axis=axis), y, colour, alt.X2("high:Q")),
        alt.Chart(alt.Data(values=printed))
        .mark_point(shape="diamond", size=90, color=_PUBLISHED, strokeWidth=1.8, opacity=1)
        .encode(x, y, tooltip=["test:N", "published:N"]),
        ours.mark_point(size=85, opacity=1, strokeWidth=1.8).encode(
            x, y, stroke=colour, fill=filled, tooltip=about
        ),
        _texts(alt, titles, "title", y, alt.value(2), {"expr": f"width - {_room(titles)}"}, "left"),
        _texts(alt, titles, "said", y, {"value": "width"}, 400, "right"),
    ]
    return (
        alt.layer(*layers)
        .properties(
            width=FOREST_WIDTH, height=height, autosize={"type": "fit-x", "contains": "padding"}
        )
        .configure_view(strokeWidth=0)
        .configure_axis(
            gridColor=RULE, domain=False, ticks=False, labelFontSize=12, titleFontSize=12
        )
    )


def _texts(alt: Any, values: Values, name: str, y: Any, at: Any, limit: Any, align: str) -> Any:
    """Text at one end of the lines, on a white edge that keeps the grid out of it."""
    how = {"align": align, "baseline": "middle", "fontSize": 12, "limit": limit}
    soft = "#17262c" if align == "left" else "#51646b"
    edge = {"stroke": "white", "strokeWidth": 4, "strokeJoin": "round"}
    chart = alt.Chart(alt.Data(values=values))
    place = (y, alt.Text(f"{name}:N"))
    return alt.layer(
        *(chart.mark_text(**how, color=soft, **more).encode(*place, x=at) for more in (edge, {}))
    )


def _room(titles: Values) -> int:
    """How wide the numbers at the right are."""
    return 12 + round(6.4 * max((len(one["said"]) for one in titles), default=0))


def _laid_out(
    tests: Sequence[TestBySource], shown: Sequence[str], names: Mapping[str, str]
) -> tuple[Values, Values, Values]:
    points: Values = []
    titles: Values = []
    printed: Values = []
    top = float(_TITLE) / 2
    for one in tests:
        published = published_number(one.any)
        only = one.done.get(shown[0]) if len(shown) == 1 else None
        said = "" if only is None else f"{numbers.effect(number_of(only))}, p = {only.p}"
        titles.append({"y": top, "title": one.title, "said": said})
        middle = top + _TITLE - 3 + _LINE * (len(shown) - 1) / 2
        for at, source in enumerate(shown):
            result = one.done.get(source)
            if result is not None:
                y = top + _TITLE - 3 + _LINE * at
                points.append({"y": y, **_point(one, result, names[source])})
        if published is not None:
            place = {"y": middle, "effect": published, "test": one.title}
            printed.append({**place, "published": numbers.effect(published)})
        top += _TITLE + _GAP + _LINE * len(shown)
    return points, titles, printed


def _point(one: TestBySource, result: Any, source: str) -> dict[str, Any]:
    first = result.intervals[0] if result.intervals else None
    published = published_number(result)
    return {
        "effect": result.effect,
        "low": first.low if first else None,
        "high": first.high if first else None,
        "sure": result.p_holm is not None and result.p_holm <= ALPHA,
        "test": one.title,
        "source": source,
        "effect here": numbers.effect(result.effect),
        "interval": numbers.interval(first.low, first.high) if first else numbers.ABSENT,
        "p": str(result.p),
        "corrected p": numbers.p_value(result.p_holm),
        "published": numbers.effect(published),
    }


def _domain(points: Values, printed: Values) -> list[float]:
    ends = [one[name] for one in points for name in ("effect", "low", "high")]
    ends += [one["effect"] for one in printed]
    known = [0.0, 2.0, *(end for end in ends if end is not None)]
    room = 0.03 * (max(known) - min(known))
    return [min(known) - room, max(known) + room]


STRIPS_WIDTH = 330  # two stand side by side on a screen, and one fits a phone
_ROW, _LETTER, _LEVELS = 62, 5.4, 2
_LONGEST = 54  # letters of a heading
_COLOURS = {"X": INK, "Y": "#b8600b"}


def draw_strips(one: TestBySource, names: Mapping[str, str]) -> Any:
    """Draw the association of every target of a test, a line for each set and source.

    Returns
    -------
    altair.LayerChart
        A stroke for each word, a dot for the mean of each set. The words at the ends are named
        first, others where there is room; pointing at a stroke names it.
    """
    alt = import_altair()
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
                {**row, "word": spell(word), "at": value, "association": numbers.effect(value)}
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
        axis=alt.Axis(tickCount=5, format=".2~f", titleLimit=STRIPS_WIDTH),
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
        .properties(width=STRIPS_WIDTH, height=height)
        .configure_view(strokeWidth=0)
        .configure_axis(
            gridColor=RULE, domain=False, ticks=False, labelFontSize=11, titleFontSize=11
        )
    )


def _named(values: Values, domain: list[float]) -> Values:
    """The words that can be written without touching another, those at the ends of a line first."""
    scale = STRIPS_WIDTH / (domain[1] - domain[0])
    made: Values = []
    taken: dict[tuple[float, int], list[tuple[float, float]]] = {}
    for row in dict.fromkeys(one["y"] for one in values):
        line = sorted((one for one in values if one["y"] == row), key=lambda one: one["at"])
        for one in sorted(line, key=lambda one: min(line.index(one), len(line) - line.index(one))):
            middle = (one["at"] - domain[0]) * scale
            half = _LETTER * len(one["word"]) / 2 + 2
            if middle - half < -8 or middle + half > STRIPS_WIDTH + 8:
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


SCATTER_WIDTH, HEIGHT = 330, 270
_SCATTER_LINE = "#b8600b"


def draw_scatter(result: WefatResult) -> Any:
    """Draw a factual test: points, the regression line, and names where there is room."""
    alt = import_altair()
    unit = f" ({result.fact['unit']})" if result.fact.get("unit") else ""
    name = (result.fact.get("name") or "fact") + unit
    points = [
        {"word": spell(word), "association": x, "fact": y, "near": numbers.effect(x)}
        for word, x, y in zip(result.words["W"], result.associations, result.facts, strict=True)
    ]
    slope, intercept = result.slope or 0.0, result.intercept or 0.0
    ends = [min(result.associations), max(result.associations)]
    line = [{"association": x, "fact": slope * x + intercept} for x in ends]
    x = alt.X("association:Q", title=between(result)).scale(zero=False)
    y = alt.Y("fact:Q", title=name)
    about = [
        alt.Tooltip("word:N"),
        alt.Tooltip("near:N", title="association"),
        alt.Tooltip("fact:Q", title=name),
    ]
    here = alt.selection_point(name="pointed", on="pointerover", empty=False)
    dots = (
        alt.Chart(alt.Data(values=points))
        .mark_circle(color=INK, opacity=0.8)
        .encode(x, y, size=alt.condition(here, alt.value(150), alt.value(45)), tooltip=about)
        .add_params(here)
    )
    names = alt.Chart(alt.Data(values=_readable(points))).mark_text(
        align="left", dx=6, fontSize=9.5, color="#444"
    )
    fit = alt.Chart(alt.Data(values=line)).mark_line(color=_SCATTER_LINE, strokeWidth=1.5)
    return (
        alt.layer(fit.encode(x, y), dots, names.encode(x, y, alt.Text("word:N")))
        .properties(width=SCATTER_WIDTH, height=HEIGHT)
        .configure_view(strokeWidth=0)
        .configure_axis(
            gridColor=RULE, domain=False, ticks=False, labelFontSize=11, titleFontSize=11
        )
    )


def _readable(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points whose names touch no name already written, no point and no edge."""
    scales, least = {}, {}
    for axis, pixels in (("association", SCATTER_WIDTH), ("fact", HEIGHT)):
        values = [point[axis] for point in points]
        scales[axis] = pixels / (max(values) - min(values) or 1)
        least[axis] = min(values)

    def place(point: dict[str, Any]) -> tuple[float, float]:
        left = (point["association"] - least["association"]) * scales["association"]
        return left, (point["fact"] - least["fact"]) * scales["fact"]

    dots = [place(point) for point in points]
    taken: list[tuple[float, float, float]] = []
    kept = []
    for point, (left, low) in zip(points, dots, strict=True):
        start, end = left + 5, left + 8 + 5.2 * len(point["word"])
        covers = any(start < x < end and abs(low - y) < 7 for x, y in dots)
        touches = any(abs(low - y) < 10 and start < b and end > a for a, b, y in taken)
        if end < SCATTER_WIDTH + 10 and not covers and not touches:
            taken.append((start, end, low))
            kept.append(point)
    return kept
