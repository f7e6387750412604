"""Charts of effects over sources: over checkpoints, years or another number, and over corpora."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.measures import Results
from weatherglass.seedlab import CorpusComparison

from ..audit import ALPHA, TestBySource, corrected_p, group_by_test
from .style import ACCENT, INK, PALE, import_altair

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


def correct_by_source(results: Iterable[Any]) -> dict[int, float | None]:
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
    p = correct_by_source(results)
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
    return median(abs(n) for r in test.done.values() if (n := r.main_value) is not None)


def _series_fact(results: Sequence[Any]) -> str:
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
    """Draw the effect of every test on every corpus, with 95 % of its bootstrap samples."""
    alt = import_altair()
    corpora = list(dict.fromkeys(effect.corpus for effect in comparison.effects))
    rows = [
        {
            "test": comparison.titles[row.test] or row.test,
            "corpus": row.corpus,
            "effect": row.effect,
            "low": row.spread.low if row.spread else row.effect,
            "high": row.spread.high if row.spread else row.effect,
        }
        for row in comparison.effects
        if row.effect is not None
    ]
    order = list(dict.fromkeys(str(row["test"]) for row in rows))
    colour = alt.Color("corpus:N", sort=corpora, title="corpus", scale=_corpus_scale(corpora))
    y = alt.Y("corpus:N", sort=corpora, title=None, axis=None)
    base = alt.Chart().encode(y, colour)
    x = alt.X("low:Q", title="effect size, with 95 % of the samples")
    bars = base.mark_rule(strokeWidth=3).encode(x, alt.X2("high:Q"))
    dots = base.mark_circle(size=110, opacity=1).encode(
        alt.X("effect:Q"), tooltip=["test:N", "corpus:N", "effect:Q", "low:Q", "high:Q"]
    )
    zero = alt.Chart().mark_rule(color=PALE, strokeDash=[3, 3]).encode(x=alt.datum(0))
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
    )


def _corpus_scale(corpora: list[str]) -> Any:
    """A colour for each corpus; more corpora than colours go from dark to light, in order."""
    alt = import_altair()
    if len(corpora) > len(_CORPUS_COLOURS):
        return alt.Scale(domain=corpora, scheme="viridis")
    return alt.Scale(domain=corpora, range=_CORPUS_COLOURS[: len(corpora)])
