"""Charts of the agreement of sources: a scatter plot of two, a matrix of many, a row per test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import numbers
from ..audit import model_names
from ..html import spell
from .labels import place_on_axes
from .style import (
    DEEP_ACCENT,
    INK,
    LIGHT,
    PALE,
    TEXT,
    Values,
    halo_text,
    import_altair,
    ink_on,
    pad_range,
    quiet_axis,
    step,
    without_frame,
)
from .words import association_title

if TYPE_CHECKING:
    from weatherglass.measures import Agreement

_WIDTH, _HEIGHT = 440, 400
_WORD_SIZE = 10
_MAX_NAMED = 14  # words on which the sources differ most, of which those that fit are named
_CELL = 64
_MAX_NAME_LETTERS = 28


def plot_agreement(results: Sequence[Agreement]) -> Any:
    """Draw the agreement of sources.

    One test on two sources is drawn word by word, with the words named on which they differ most;
    several tests on two sources by their correlations with intervals; more sources as a matrix of
    correlations for each test.
    """
    alt = import_altair()
    names = {
        name: _shorten(short)
        for name, short in model_names(
            list(dict.fromkeys(s["name"] for result in results for s in result.sources))
        ).items()
    }
    if any(len(result.sources) > 2 for result in results):
        parts = [_draw_matrix(result, names) for result in results]
        return parts[0] if len(parts) == 1 else alt.vconcat(*parts)
    return _draw_words(results[0], names) if len(results) == 1 else _draw_tests(results, names)


def _shorten(name: str) -> str:
    return name if len(name) <= _MAX_NAME_LETTERS else f"…{name[1 - _MAX_NAME_LETTERS :]}"


def _draw_words(result: Agreement, names: Mapping[str, str]) -> Any:
    """The associations of every word on two sources, around the line on which they would agree."""
    alt = import_altair()
    (pair,) = result.pairs
    points = _points(result)
    domains = [pad_range([row[axis] for row in points], 0.07) for axis in ("x", "y")]
    far = {word for word, _ in result.most_different(pair, _MAX_NAMED)}
    placed = place_on_axes(
        [(row["x"], row["y"]) for row in points],
        [
            row["word"] if word in far else ""
            for word, row in zip(result.targets, points, strict=True)
        ],
        domains,
        _WIDTH,
        _HEIGHT,
        _WORD_SIZE,
    )
    labels: Values = [{"word": points[at.index]["word"], "x": at.x, "y": at.y} for at in placed]
    title = association_title(result)
    lines = [title] if isinstance(title, str) else title
    x, y = (
        channel(
            f"{axis}:Q",
            scale=alt.Scale(domain=domain, nice=False),
            axis=quiet_axis(title=[names[source], *lines], format="~g"),
        )
        for channel, axis, domain, source in (
            (alt.X, "x", domains[0], pair.first),
            (alt.Y, "y", domains[1], pair.second),
        )
    )
    sides = [name for name in ("X", "Y") if name in result.words]
    colour: Any = alt.value(INK)
    if sides:
        shown = [spell(result.label(name)) for name in sides]
        colour = alt.Color(
            "side:N",
            title=None,
            scale=alt.Scale(domain=shown, range=[INK, DEEP_ACCENT]),
            legend=alt.Legend(orient="top"),
        )
    tooltip = [
        alt.Tooltip("word:N"),
        alt.Tooltip("first:N", title=names[pair.first]),
        alt.Tooltip("second:N", title=names[pair.second]),
    ]
    layers = [
        alt.Chart(alt.Data(values=_line(result)))
        .mark_line(color=PALE, strokeWidth=1.5, clip=True)
        .encode(x, y),
        alt.Chart(alt.Data(values=points))
        .mark_circle(size=55, opacity=0.8)
        .encode(x, y, color=colour, tooltip=tooltip),
        *halo_text(
            alt.Chart(alt.Data(values=labels)),
            {"x": x, "y": y, "text": alt.Text("word:N")},
            align="left",
            baseline="middle",
            fontSize=_WORD_SIZE,
            color=TEXT,
        ),
    ]
    r = pair.pearson
    heading = alt.TitleParams(
        f"{result.title}: r = {r.value:.2f} ({r.low:.2f} to {r.high:.2f})",
        subtitle="grey: equal standardised associations; named: words far from it",
        anchor="start",
    )
    return alt.layer(*layers).properties(
        width=_WIDTH, height=_HEIGHT, view=without_frame(), title=heading
    )


def _points(result: Agreement) -> Values:
    first, second = result.associations
    sides = [name for name in ("X", "Y", "W") for _ in result.words.get(name, ())]
    return [
        {
            "target": word,
            "word": spell(word),
            "side": spell(result.label(side)),
            "x": x,
            "y": y,
            "first": numbers.effect(x),
            "second": numbers.effect(y),
        }
        for word, side, x, y in zip(result.targets, sides, first, second, strict=True)
    ]


def _line(result: Agreement) -> Values:
    """Two points of the line on which both sources have the same standardised association."""
    import numpy as np

    first, second = (np.array(values) for values in result.associations)
    slope = second.std() / first.std()
    ends = pad_range(first.tolist(), 0.07)
    return [{"x": x, "y": float(second.mean() + slope * (x - first.mean()))} for x in ends]


def _draw_matrix(result: Agreement, names: Mapping[str, str]) -> Any:
    """The Pearson correlation of every two sources, as a shade and a number."""
    alt = import_altair()
    order = [names[source["name"]] for source in result.sources]
    rows: Values = []
    for pair in result.pairs:
        r = pair.pearson
        shade = LIGHT[step(r.value, 0.0, 1.0)]
        facts = {
            "r": f"{r.value:.2f}",
            "interval": numbers.interval(r.low, r.high),
            "spearman": f"{pair.spearman.value:.2f}",
            "shade": shade,
            "ink": ink_on(shade),
        }
        for first, second in ((pair.first, pair.second), (pair.second, pair.first)):
            rows.append({"first": names[first], "second": names[second], **facts})
    x = alt.X(
        "second:N",
        sort=order,
        scale=alt.Scale(domain=order),
        title=None,
        axis=quiet_axis(orient="top", labelAngle=-40, labelLimit=260),
    )
    y = alt.Y(
        "first:N",
        sort=order,
        scale=alt.Scale(domain=order),
        title=None,
        axis=quiet_axis(labelLimit=260),
    )
    chart = alt.Chart(alt.Data(values=rows))
    tooltip = [
        alt.Tooltip("first:N", title="source"),
        alt.Tooltip("second:N", title="against"),
        alt.Tooltip("r:N", title="Pearson"),
        alt.Tooltip("interval:N", title="95 %"),
        alt.Tooltip("spearman:N", title="Spearman"),
    ]
    cells = chart.mark_rect(stroke="white").encode(
        x, y, alt.Color("shade:N", scale=None), tooltip=tooltip
    )
    text = chart.mark_text(fontSize=12).encode(
        x, y, alt.Text("r:N"), color=alt.Color("ink:N", scale=None)
    )
    words = result.pairs[0].pearson.n
    heading = alt.TitleParams(
        f"{result.title}: agreement of {len(order)} sources",
        subtitle=f"Pearson correlation of the associations of {words} words",
        anchor="start",
    )
    return (cells + text).properties(
        width=alt.Step(_CELL), height=alt.Step(_CELL / 2), view=without_frame(), title=heading
    )


def _draw_tests(results: Sequence[Agreement], names: Mapping[str, str]) -> Any:
    """The Pearson correlation of two sources on each test, with its interval."""
    alt = import_altair()
    order = [result.title for result in results]
    rows: Values = []
    published: Values = []
    for result in results:
        r = result.pairs[0].pearson
        row: dict[str, Any] = {
            "title": result.title,
            "r": r.value,
            "low": r.low,
            "high": r.high,
        }
        rows.append(
            row | {"rounded": f"{r.value:.2f}", "interval": numbers.interval(r.low, r.high)}
        )
        if result.published_agreement:
            published.append({"title": result.title, "r": result.published_agreement["pearson"]})
    low = min(0.0, *(row["low"] for row in rows))
    scale = alt.Scale(domain=[low, 1.0], nice=False)
    y = alt.Y("title:N", sort=order, title=None, axis=quiet_axis(labelLimit=480))
    title = "Pearson correlation of associations, with 95 % intervals over words"
    chart = alt.Chart(alt.Data(values=rows))
    layers = [
        chart.mark_rule(strokeWidth=3, color=PALE).encode(
            alt.X("low:Q", scale=scale, axis=quiet_axis(title=title)), y, alt.X2("high:Q")
        ),
        chart.mark_circle(size=90, color=INK, opacity=1).encode(
            alt.X("r:Q", scale=scale),
            y,
            tooltip=[
                alt.Tooltip("title:N", title="test"),
                alt.Tooltip("rounded:N", title="Pearson"),
                alt.Tooltip("interval:N", title="95 %"),
            ],
        ),
        alt.Chart(alt.Data(values=published))
        .mark_point(shape="diamond", size=90, color=DEEP_ACCENT, strokeWidth=2)
        .encode(alt.X("r:Q", scale=scale), y),
    ]
    first, second = (names[source["name"]] for source in results[0].sources)
    note = "diamond: published for GloVe and word2vec" if published else ""
    heading = alt.TitleParams(f"{first} and {second}", subtitle=note, anchor="start")
    return alt.layer(*layers).properties(
        width=360, height=alt.Step(24), view=without_frame(), title=heading
    )
