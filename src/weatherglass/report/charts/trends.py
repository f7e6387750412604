"""A picture of effects over checkpoints, years or any other fact that is a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.measures import Results
from weatherglass.seedlab import CorpusComparison

from ..audit import ALPHA, TestBySource, corrected_p, group_by_test, number_of, source_name
from .plot import ACCENT, INK, PALE, import_altair

MAX_POINTS = 4000
"""Most points in a picture: more are neither seen nor quick to draw."""

_COLUMNS = 3
_SERIES = 8


def source_facts(one: Any) -> dict[str, Any]:
    """What is known about the source of a result."""
    facts: dict[str, Any] = one.source.get("facts", {})
    return facts


def trend_axis(results: Iterable[Any]) -> str:
    """The first fact that is a number and not the same everywhere; nothing if there is none."""
    values: dict[str, set[Any]] = {}
    for one in results:
        for fact, value in source_facts(one).items():
            values.setdefault(fact, set()).add(value)
    for fact, known in values.items():
        if len(known) > 1 and not any(isinstance(value, str) for value in known):
            return fact
    return ""


def correct_by_source(results: Iterable[Any]) -> dict[int, float | None]:
    """The corrected p-value of every result, by `id`; each among those of its own source."""
    by_source: dict[str, list[Any]] = {}
    for one in results:
        by_source.setdefault(source_name(one), []).append(one)
    return {
        id(one): corrected_p(one, Results.of(some)) for some in by_source.values() for one in some
    }


def plot_trend(results: Results) -> tuple[Any, int, int]:
    """Draw the effect of each test over the sources, and say how many tests and points it has."""
    alt = import_altair()
    p = correct_by_source(results)
    measured = (one for one in results if number_of(one) is not None)
    tests = [one for one in group_by_test(measured) if one.done]
    if not tests:
        raise CannotMeasure("There is nothing to draw: no test was run.")
    longest = max(len(one.done) for one in tests)
    tests = sorted(tests, key=_size, reverse=True)[: max(1, MAX_POINTS // longest)]
    by, series = trend_axis(results), _series(results)
    rows = [row for one in tests for row in _rows(one, by, series, p)]
    rows = rows[:: -(-len(rows) // MAX_POINTS)]
    where = (
        alt.X("at:Q", title=by, scale=alt.Scale(zero=False))
        if by
        else alt.X("at:Q", title="sources, by effect", axis=alt.Axis(labels=False, ticks=False))
    )
    colour = alt.value(INK) if not series else alt.Color("series:N", title=series)
    base = alt.Chart().encode(where, alt.Y("effect:Q", title="effect"), color=colour)
    zero = alt.Chart().mark_rule(color=PALE, strokeDash=[3, 3]).encode(y=alt.datum(0))
    dots = base.mark_point(size=22, filled=True).encode(
        opacity=alt.condition("datum.sure", alt.value(1), alt.value(0.3)),
        tooltip=["source:N", "test:N", alt.Tooltip("effect:Q", format=".2f"), "p:N"],
    )
    line = [base.mark_line(strokeWidth=1, opacity=0.5)] if by else []
    chart = (
        alt.layer(zero, *line, dots, data=alt.Data(values=rows))
        .properties(width=230, height=110)
        .facet(
            alt.Facet("test:N", title=None, sort=[one.test for one in tests]),
            columns=_COLUMNS,
        )
        .configure_range(category=[INK, ACCENT, "#6a8f3c", "#7d5a9b", "#9c6b2f", PALE])
    )
    return chart, len(tests), len(rows)


def _size(one: TestBySource) -> float:
    return median(abs(n) for r in one.done.values() if (n := number_of(r)) is not None)


def _series(results: Sequence[Any]) -> str:
    """The first fact that is a word and has few values: a colour each."""
    values: dict[str, set[Any]] = {}
    for one in results:
        for fact, value in source_facts(one).items():
            values.setdefault(fact, set()).add(value)
    for fact, known in values.items():
        if 1 < len(known) <= _SERIES and all(isinstance(value, str) for value in known):
            return fact
    return ""


def _rows(
    one: TestBySource, by: str, series: str, corrected: dict[int, float | None]
) -> list[dict[str, Any]]:
    made: list[tuple[float, dict[str, Any]]] = []
    for result in one.done.values():
        number, p, facts = number_of(result), corrected[id(result)], source_facts(result)
        if number is None or (by and by not in facts):
            continue
        row = {"test": one.test, "source": source_name(result), "effect": round(number, 4)}
        row |= {"sure": p is not None and p <= ALPHA, "p": "" if p is None else f"{p:.2g}"}
        row |= {"series": str(facts.get(series, ""))} if series else {}
        made.append((facts[by] if by else number, row))
    made.sort(key=lambda pair: pair[0])
    return [row | {"at": value if by else at} for at, (value, row) in enumerate(made)]


_COLOURS = [INK, ACCENT, "#6a8f3c", "#7d5a9b", PALE]


def plot_comparison(found: CorpusComparison) -> Any:
    """Draw the effect of every test on every corpus, with 95 % of its bootstrap samples."""
    alt = import_altair()
    corpora = list(dict.fromkeys(one.corpus for one in found.effects))
    rows = [
        {
            "test": found.titles[one.test] or one.test,
            "corpus": one.corpus,
            "effect": one.effect,
            "low": one.spread.low if one.spread else one.effect,
            "high": one.spread.high if one.spread else one.effect,
        }
        for one in found.effects
        if one.effect is not None
    ]
    order = list(dict.fromkeys(str(row["test"]) for row in rows))
    colour = alt.Color(
        "corpus:N",
        sort=corpora,
        title="corpus",
        scale=_colours(corpora),
    )
    y = alt.Y("corpus:N", sort=corpora, title=None, axis=None)
    base = alt.Chart().encode(y, colour)
    x = alt.X("low:Q", title="effect, with 95 % of the samples")
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


def _colours(corpora: list[str]) -> Any:
    """A colour for each corpus; more than there are names for go from dark to light, in order."""
    alt = import_altair()
    if len(corpora) > len(_COLOURS):
        return alt.Scale(domain=corpora, scheme="viridis")
    return alt.Scale(domain=corpora, range=_COLOURS[: len(corpora)])
