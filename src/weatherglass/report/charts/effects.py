"""Charts of effect sizes: forest plots, trends over sources and corpora.

`weatherglass.plot`, the report and the web page all draw with these functions; they differ only in
the width. Charts have no configuration of their own, so that several can be combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CannotMeasure
from weatherglass.measures import Results
from weatherglass.significance import equate_p

from .. import numbers
from ..audit import ALPHA, TestBySource, corrected_p, group_by_test
from .labels import width_in_ems
from .style import (
    ACCENT,
    INK,
    PALE,
    SERIES,
    SOFT,
    Values,
    halo_text,
    import_altair,
    pad_range,
    quiet_axis,
    without_frame,
)

if TYPE_CHECKING:
    from weatherglass.encoders import CeatResult
    from weatherglass.seedlab import CorpusComparison

FOREST_WIDTH = 640
MAX_FOREST_WIDTH = 900
_PUBLISHED = "#6b777c"
_TITLE_HEIGHT, _SOURCE_HEIGHT, _TEST_GAP = 20, 15, 9  # pixels
_FONT_SIZE = 12


def draw_forest(
    tests: Sequence[TestBySource],
    names: Mapping[str, str],
    *,
    width: float | None = FOREST_WIDTH,
    fluid: bool = True,
) -> Any:
    """Draw the effect sizes of association tests with their intervals and published effects.

    Parameters
    ----------
    tests
        Association tests, with their results on each source.
    names
        Short name of each source.
    width
        Width in pixels; `None`: as wide as the titles need.
    fluid
        Whether the width is that of the whole chart, which a page may change, or of the plot area.

    Returns
    -------
    altair.LayerChart
        Titles are above their lines, so that it can be read on a narrow screen too. A dot is filled
        unless its p-value is above 0.05 after correction; a diamond is the published effect.
    """
    alt = import_altair()
    tests = [test for test in tests if test.done]
    sources = [name for name in names if any(name in test.done for test in tests)]
    points, titles, published = _forest_rows(tests, sources, names)
    height = _TITLE_HEIGHT + len(tests) * _test_height(len(sources))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[0, height], reverse=True, nice=False))
    x_options = {
        "scale": alt.Scale(domain=_forest_domain(points, published), nice=False),
        "axis": quiet_axis(_FONT_SIZE, orient="top", tickCount=8, format="~g", title="effect size"),
    }
    layers = [
        alt.Chart(alt.Data(values=[{"effect": 0}]))
        .mark_rule(color=SOFT)
        .encode(alt.X("effect:Q", **x_options)),
        *_forest_points(points, published, [names[name] for name in sources], x_options, y),
        *_forest_texts(titles, y),
    ]
    width = _fitting_width(titles) if width is None else width
    chart = alt.layer(*layers).properties(width=width, height=height, view=without_frame())
    if fluid:
        chart = chart.properties(autosize={"type": "fit-x", "contains": "padding"})
    return chart


def _fitting_width(titles: Values) -> float:
    """The width at which no title is cut, as far as there is room."""
    needed = (_text_width(row["title"]) + _text_width(row["numbers"]) + 24 for row in titles)
    return min(MAX_FOREST_WIDTH, max([FOREST_WIDTH, *needed]))


def _text_width(text: str) -> float:
    return _FONT_SIZE * width_in_ems(text)


def _test_height(sources: int) -> int:
    return _TITLE_HEIGHT + _TEST_GAP + _SOURCE_HEIGHT * sources


def _forest_points(
    points: Values, published: Values, labels: list[str], x_options: dict[str, Any], y: Any
) -> list[Any]:
    """Intervals, published effects, and the effects themselves."""
    alt = import_altair()
    x = alt.X("effect:Q", **x_options)
    colour = alt.Color(
        "source:N",
        title=None,
        scale=alt.Scale(domain=labels, range=[SERIES[k % 6] for k in range(len(labels))]),
        legend=alt.Legend(orient="top", labelFontSize=_FONT_SIZE) if len(labels) > 1 else None,
    )
    fill = alt.condition("datum.filled", colour, alt.value("white"))
    columns = ["test", "source", "effect size", "interval", "p", "corrected p", "grade"]
    columns.append("published")
    effects = alt.Chart(alt.Data(values=points))
    return [
        effects.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2, opacity=0.7)
        .encode(alt.X("low:Q", **x_options), y, colour, alt.X2("high:Q")),
        alt.Chart(alt.Data(values=published))
        .mark_point(shape="diamond", size=90, color=_PUBLISHED, strokeWidth=1.8, opacity=1)
        .encode(x, y, tooltip=["test:N", "published:N"]),
        effects.mark_point(size=85, opacity=1, strokeWidth=1.8).encode(
            x, y, stroke=colour, fill=fill, tooltip=[alt.Tooltip(f"{name}:N") for name in columns]
        ),
    ]


def _forest_texts(titles: Values, y: Any) -> list[Any]:
    """Titles at the left and numbers at the right; a title ends before the numbers begin."""
    alt = import_altair()
    chart = alt.Chart(alt.Data(values=titles))
    numbers_width = 12 + max((_text_width(row["numbers"]) for row in titles), default=0)
    style: dict[str, Any] = {"baseline": "middle", "fontSize": _FONT_SIZE, "halo_width": 4}
    return [
        *halo_text(
            chart,
            {"x": alt.value(2), "y": y, "text": alt.Text("title:N")},
            align="left",
            color="#17262c",
            limit={"expr": f"width - {numbers_width:.0f}"},
            **style,
        ),
        *halo_text(
            chart,
            {"x": {"value": "width"}, "y": y, "text": alt.Text("numbers:N")},
            align="right",
            color=SOFT,
            limit=400,
            **style,
        ),
    ]


def _forest_rows(
    tests: Sequence[TestBySource], sources: Sequence[str], names: Mapping[str, str]
) -> tuple[Values, Values, Values]:
    """The data of effects, of titles, and of published effects."""
    points: Values = []
    titles: Values = []
    published: Values = []
    top = _TITLE_HEIGHT / 2
    for test in tests:
        result = test.done.get(sources[0]) if len(sources) == 1 else None
        text = "" if result is None else _effect_and_p(result)
        titles.append({"y": top, "title": test.title, "numbers": text})
        first_line = top + _TITLE_HEIGHT - 3
        for index, source in enumerate(sources):
            if source in test.done:
                y = first_line + _SOURCE_HEIGHT * index
                points.append({"y": y, **_forest_point(test.done[source], test, names[source])})
        effect = test.any.published_value
        if effect is not None:
            middle = first_line + _SOURCE_HEIGHT * (len(sources) - 1) / 2
            row = {"y": middle, "effect": effect, "test": test.title}
            published.append({**row, "published": numbers.effect(effect)})
        top += _test_height(len(sources))
    return points, titles, published


def _effect_and_p(result: Any) -> str:
    p = result.main_p_for_finding
    tested = "" if p is None else f", {equate_p(p)}"
    return f"{numbers.effect(result.main_value)}{tested}"


def _forest_point(result: Any, test: TestBySource, source: str) -> dict[str, Any]:
    interval = result.main_interval
    return {
        "effect": result.main_value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "filled": result.p_finding is None or result.p_finding <= ALPHA,
        "test": test.title,
        "source": source,
        "effect size": numbers.effect(result.main_value),
        "interval": numbers.interval(interval.low, interval.high) if interval else numbers.ABSENT,
        "p": numbers.p_value(result.main_p_for_finding),
        "corrected p": numbers.p_value(result.p_finding),
        "grade": result.finding.grade,
        "published": numbers.effect(result.published_value),
    }


def _forest_domain(points: Values, published: Values) -> list[float]:
    ends = [row[name] for row in points for name in ("effect", "low", "high")]
    ends += [row["effect"] for row in published]
    return pad_range([0.0, 2.0, *(end for end in ends if end is not None)], 0.03)


def draw_contexts(results: Sequence[CeatResult]) -> Any:
    """Draw tests over contexts: the combined effect, and the range of 95 % of the samples."""
    alt = import_altair()
    rows = [
        {
            "title": result.title,
            "effect": result.effect,
            "low": min(result.quantiles.values(), default=result.effect),
            "high": max(result.quantiles.values(), default=result.effect),
        }
        for result in results
    ]
    order = [result.title for result in results]
    y = alt.Y("title:N", sort=order, title=None, axis=alt.Axis(labelLimit=640, grid=True))
    heading = f"Association tests on {results[0].source['name']}"
    chart = alt.Chart(alt.Data(values=rows)).properties(
        width=360, height=alt.Step(26), title=alt.TitleParams(heading, anchor="start")
    )
    x = alt.X("low:Q", title="effect size, with 95 % of the samples of contexts")
    return (
        alt.Chart(alt.Data(values=[{}])).mark_rule(color=PALE).encode(x=alt.datum(0))
        + chart.mark_rule(strokeWidth=3, color=PALE).encode(x, y, alt.X2("high:Q"))
        + chart.mark_circle(size=110, color=INK, opacity=1).encode(alt.X("effect:Q"), y)
    )


MAX_POINTS = 4000
"""Maximum number of points in a chart: more are neither legible nor fast to draw."""

_PANEL_COLUMNS = 3
_MAX_SERIES = 8


def source_facts(result: Any) -> dict[str, Any]:
    """Facts about the source of a result, such as its year."""
    facts: dict[str, Any] = result.source.get("facts", {})
    return facts


def _fact_values(results: Iterable[Any]) -> dict[str, set[Any]]:
    """The different values of each fact."""
    values: dict[str, set[Any]] = {}
    for result in results:
        for fact, value in source_facts(result).items():
            values.setdefault(fact, set()).add(value)
    return values


def trend_axis(results: Iterable[Any]) -> str:
    """The first fact that is a number and differs between sources; empty if there is none."""
    for fact, values in _fact_values(results).items():
        if len(values) > 1 and not any(isinstance(value, str) for value in values):
            return fact
    return ""


def _correct_by_source(results: Iterable[Any]) -> dict[int, float | None]:
    """The corrected p-value of every result, by `id`; corrected over the tests of its source."""
    by_source: dict[str, list[Any]] = {}
    for result in results:
        by_source.setdefault(result.source_name, []).append(result)
    return {
        id(result): corrected_p(result, Results.of(group))
        for group in by_source.values()
        for result in group
    }


def plot_trend(results: Results) -> tuple[Any, int, int]:
    """Draw the effect of each test over the sources.

    Returns the chart, the number of tests in it and the number of points.
    """
    alt = import_altair()
    p = _correct_by_source(results)
    measured = (result for result in results if result.main_value is not None)
    tests = [test for test in group_by_test(measured) if test.done]
    if not tests:
        raise CannotMeasure("There is nothing to draw: no test was run.")
    longest = max(len(test.done) for test in tests)
    tests = sorted(tests, key=_median_size, reverse=True)[: max(1, MAX_POINTS // longest)]
    axis, series = trend_axis(results), _series_fact(results)
    rows = [row for test in tests for row in _trend_rows(test, axis, series, p)]
    rows = rows[:: -(-len(rows) // MAX_POINTS)]
    x = (
        alt.X("at:Q", title=axis, scale=alt.Scale(zero=False))
        if axis
        else alt.X("at:Q", title="sources, by effect", axis=alt.Axis(labels=False, ticks=False))
    )
    colour = alt.value(INK) if not series else alt.Color("series:N", title=series)
    base = alt.Chart().encode(x, alt.Y("effect:Q", title="effect size"), color=colour)
    zero = alt.Chart().mark_rule(color=PALE, strokeDash=[3, 3]).encode(y=alt.datum(0))
    dots = base.mark_point(size=22, filled=True).encode(
        opacity=alt.condition("datum.significant", alt.value(1), alt.value(0.3)),
        tooltip=["source:N", "test:N", alt.Tooltip("effect:Q", format=".2f"), "p:N"],
    )
    line = [base.mark_line(strokeWidth=1, opacity=0.5)] if axis else []
    chart = (
        alt.layer(zero, *line, dots, data=alt.Data(values=rows))
        .properties(width=230, height=110)
        .facet(
            alt.Facet("test:N", title=None, sort=[test.test for test in tests]),
            columns=_PANEL_COLUMNS,
        )
        .configure_range(category=[INK, ACCENT, "#6a8f3c", "#7d5a9b", "#9c6b2f", PALE])
    )
    return chart, len(tests), len(rows)


def _median_size(test: TestBySource) -> float:
    values = [result.main_value for result in test.done.values()]
    sizes: list[float] = [abs(value) for value in values if value is not None]
    return median(sizes)


def _series_fact(results: Results) -> str:
    """The first fact that is text and has few values, which become colours."""
    for fact, values in _fact_values(results).items():
        if 1 < len(values) <= _MAX_SERIES and all(isinstance(value, str) for value in values):
            return fact
    return ""


def _trend_rows(
    test: TestBySource, axis: str, series: str, corrected: dict[int, float | None]
) -> list[dict[str, Any]]:
    positions: list[tuple[float, dict[str, Any]]] = []
    for result in test.done.values():
        number, p, facts = result.main_value, corrected[id(result)], source_facts(result)
        if number is None or (axis and axis not in facts):
            continue
        row = {"test": test.test, "source": result.source_name, "effect": round(number, 4)}
        row |= {"significant": p is not None and p <= ALPHA, "p": "" if p is None else f"{p:.2g}"}
        row |= {"series": str(facts.get(series, ""))} if series else {}
        positions.append((facts[axis] if axis else number, row))
    positions.sort(key=lambda pair: pair[0])
    return [row | {"at": value if axis else rank} for rank, (value, row) in enumerate(positions)]


_CORPUS_COLOURS = [INK, ACCENT, "#6a8f3c", "#7d5a9b", PALE]


def plot_comparison(comparison: CorpusComparison) -> Any:
    """Draw the effect of every test on every corpus, with its 95 % interval if it has one."""
    alt = import_altair()
    corpora = list(comparison.corpora)
    by = comparison.options.get("by")
    rows = [
        {
            "test": comparison.titles[row.test] or row.test,
            "corpus": row.corpus,
            "effect": row.effect,
            "low": row.effect if row.low is None else row.low,
            "high": row.effect if row.high is None else row.high,
        }
        for row in comparison.effects
        if row.effect is not None
    ]
    order = list(dict.fromkeys(str(row["test"]) for row in rows))
    colour = alt.Color("corpus:N", sort=corpora, title=by or "corpus", scale=_corpus_scale(corpora))
    y = alt.Y("corpus:N", sort=corpora, title=None, axis=None)
    base = alt.Chart().encode(y, colour)
    has_intervals = any(row.low is not None for row in comparison.effects)
    title = "effect size" + (", with its 95 % interval over documents" if has_intervals else "")
    x = alt.X("low:Q", title=title)
    bars = base.mark_rule(strokeWidth=3).encode(x, alt.X2("high:Q"))
    dots = base.mark_circle(size=110, opacity=1).encode(
        alt.X("effect:Q"), tooltip=["test:N", "corpus:N", "effect:Q", "low:Q", "high:Q"]
    )
    zero = alt.Chart().mark_rule(color=PALE, strokeDash=[3, 3]).encode(x=alt.datum(0))
    heading = alt.TitleParams(f"Effects by {by}" if by else "Effects in corpora", anchor="start")
    return (
        alt.layer(zero, bars, dots, data=alt.Data(values=rows))
        .properties(width=440, height=alt.Step(18))
        .facet(
            row=alt.Row(
                "test:N",
                sort=order,
                title=None,
                header=alt.Header(labelAngle=0, labelAlign="left", labelLimit=420),
            ),
            spacing=6,
        )
        .properties(title=heading)
    )


def _corpus_scale(corpora: list[str]) -> Any:
    """A colour for each corpus; more corpora than colours go from dark to light, in order."""
    alt = import_altair()
    if len(corpora) > len(_CORPUS_COLOURS):
        return alt.Scale(domain=corpora, scheme="viridis")
    return alt.Scale(domain=corpora, range=_CORPUS_COLOURS[: len(corpora)])
