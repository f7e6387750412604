"""Charts of texts that differ only in a name: retrieval audits, and the sentiment scorer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from weatherglass.retrieval import FOUR_FIFTHS

from ..audit import ALPHA, group_by_test, model_names
from ..html import spell
from .effects import draw_forest
from .style import ACCENT, INK, SERIES, SOFT, import_altair, quiet_axis

if TYPE_CHECKING:
    from weatherglass.retrieval import Retrieval, RetrievalResult
    from weatherglass.scoring import Sentiment, SentimentResult

_WIDTH, _HEIGHT = 420, 220
_TICKS = [1, 2, 5, 10, 20, 50, 90]


def plot_retrieval(found: Retrieval) -> Any:
    """Draw a retrieval audit: the effects with intervals, and below them the impact ratios."""
    alt = import_altair()
    forest = plot_contrasts(list(found.results))
    return alt.vconcat(forest, _draw_ratios(found)).resolve_scale(color="independent")


def plot_contrasts(results: Sequence[RetrievalResult]) -> Any:
    """Draw the effects of a retrieval audit, with their intervals over other names."""
    return _draw_effects(results, "Documents that differ only in a name, ranked", "with")


def _draw_effects(results: Sequence[Any], title: str, preposition: str) -> Any:
    """Draw effects over names; the title ends with the source, if there is only one."""
    alt = import_altair()
    names = model_names([result.source_name for result in results])
    on = f" {preposition} {next(iter(names.values()))}" if len(names) == 1 else ""
    heading = alt.TitleParams(
        f"{title}{on}",
        subtitle=f"effect over names, each counted once; filled: p ≤ {ALPHA:g} after Holm's "
        "correction",
        anchor="start",
        offset=12,
    )
    chart = draw_forest(group_by_test(results), names, width=None, fluid=False)
    return chart.properties(title=heading)


def _draw_ratios(found: Retrieval) -> Any:
    """Draw the impact ratio of every dimension over the share that is selected."""
    alt = import_altair()
    rows = [
        {"top": 100 * point.top, "ratio": point.impact_ratio, "by": selection.dimension}
        for selection in found.selections
        for point in selection.curve
        if point.impact_ratio is not None
    ]
    dimensions = [selection.dimension for selection in found.selections]
    x = alt.X(
        "top:Q",
        scale=alt.Scale(type="log", domain=[1, 100], nice=False),
        axis=quiet_axis(12, title="share of each ranking that is selected, %", values=_TICKS),
    )
    y = alt.Y(
        "ratio:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=quiet_axis(12, title="impact ratio"),
    )
    colour = alt.Color(
        "by:N",
        scale=alt.Scale(domain=dimensions, range=list(SERIES[: len(dimensions)])),
        legend=alt.Legend(title=None, orient="right"),
    )
    lines = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, color=colour)
    limit = alt.Chart(alt.Data(values=[{"ratio": FOUR_FIFTHS}]))
    rule = limit.mark_rule(color=SOFT, strokeDash=[4, 3]).encode(y="ratio:Q")
    title = alt.TitleParams(
        "Impact ratio: lowest selection rate over highest",
        subtitle="dashed: four fifths",
        anchor="start",
    )
    chart = alt.layer(rule, lines.mark_line(), lines.mark_point(filled=True, size=40))
    return chart.properties(width=_WIDTH, height=_HEIGHT, title=title)


def plot_sentiment(found: Sentiment) -> Any:
    """Draw the effects over names, and below them the scores of each sentence."""
    alt = import_altair()
    done = [result for result in found.results if result.is_done]
    return alt.vconcat(plot_name_effects(done), _draw_ranges(found))


def plot_name_effects(results: Sequence[SentimentResult]) -> Any:
    """Draw the effects of groups of names on the score, with their intervals."""
    title = "Sentiment scores of the same sentences with different names"
    return _draw_effects(results, title, "on")


def _draw_ranges(found: Sentiment) -> Any:
    """Draw a line from the lowest to the highest score of each sentence over names."""
    alt = import_altair()
    rows = [
        {
            "sentence": spell(entry.sentence, phrase=False),
            "low": entry.low,
            "high": entry.high,
            "changes": entry.changes_sign,
            "names": f"{spell(entry.lowest)} … {spell(entry.highest)}",
        }
        for entry in sorted(found.sentences, key=lambda entry: -(entry.low + entry.high))
    ]
    x = alt.X("low:Q", axis=quiet_axis(12, title="score, from the lowest name to the highest"))
    y = alt.Y("sentence:N", sort=None, title=None, axis=alt.Axis(labelLimit=260, ticks=False))
    colour = alt.condition("datum.changes", alt.value(ACCENT), alt.value(INK))
    bars = (
        alt.Chart(alt.Data(values=rows))
        .mark_rule(strokeWidth=5, strokeCap="round")
        .encode(x, y, alt.X2("high:Q"), color=colour, tooltip=["sentence:N", "names:N"])
    )
    zero = alt.Chart(alt.Data(values=[{"low": 0}])).mark_rule(color=SOFT).encode(x="low:Q")
    title = alt.TitleParams(
        "The score of each sentence over names",
        subtitle="orange: the name decides between a positive and a negative score",
        anchor="start",
    )
    return alt.layer(zero, bars).properties(width=_WIDTH, height=alt.Step(18), title=title)
