"""The forest plot: every effect with its interval, beside the published one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weatherglass.report import rounding
from weatherglass.report.arranged import Asked, number_of, published_number
from weatherglass.report.plots import INK, RULE, drawing
from weatherglass.report.strongest import LEVEL

COLOURS = (INK, "#b8600b", "#7a5c99", "#3f7f57", "#b0485a", "#6d6d2c")
WIDTH = 640
_PUBLISHED = "#6b777c"
_TITLE, _LINE, _GAP = 20, 15, 9  # the title of a test, a line for each source, the room below

Values = list[dict[str, Any]]


def forest(tests: Sequence[Asked], names: Mapping[str, str]) -> Any:
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
    alt = drawing()
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
        .properties(width=WIDTH, height=height, autosize={"type": "fit-x", "contains": "padding"})
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
    tests: Sequence[Asked], shown: Sequence[str], names: Mapping[str, str]
) -> tuple[Values, Values, Values]:
    points: Values = []
    titles: Values = []
    printed: Values = []
    top = float(_TITLE) / 2
    for one in tests:
        published = published_number(one.any)
        only = one.done.get(shown[0]) if len(shown) == 1 else None
        said = "" if only is None else f"{rounding.effect(number_of(only))}, p = {only.p}"
        titles.append({"y": top, "title": one.title, "said": said})
        middle = top + _TITLE - 3 + _LINE * (len(shown) - 1) / 2
        for at, source in enumerate(shown):
            result = one.done.get(source)
            if result is not None:
                y = top + _TITLE - 3 + _LINE * at
                points.append({"y": y, **_point(one, result, names[source])})
        if published is not None:
            place = {"y": middle, "effect": published, "test": one.title}
            printed.append({**place, "published": rounding.effect(published)})
        top += _TITLE + _GAP + _LINE * len(shown)
    return points, titles, printed


def _point(one: Asked, result: Any, source: str) -> dict[str, Any]:
    first = result.intervals[0] if result.intervals else None
    published = published_number(result)
    return {
        "effect": result.effect,
        "low": first.low if first else None,
        "high": first.high if first else None,
        "sure": result.p_holm is not None and result.p_holm <= LEVEL,
        "test": one.title,
        "source": source,
        "effect here": rounding.effect(result.effect),
        "interval": rounding.ends(first.low, first.high) if first else rounding.ABSENT,
        "p": str(result.p),
        "corrected p": rounding.p_value(result.p_holm),
        "published": rounding.effect(published),
    }


def _domain(points: Values, printed: Values) -> list[float]:
    ends = [one[name] for one in points for name in ("effect", "low", "high")]
    ends += [one["effect"] for one in printed]
    known = [0.0, 2.0, *(end for end in ends if end is not None)]
    room = 0.03 * (max(known) - min(known))
    return [min(known) - room, max(known) + room]
