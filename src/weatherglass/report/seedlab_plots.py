"""Pictures of the seed lab: the figures of Antoniak and Mimno (2021), for any source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.report.compare_plot import plot_comparison
from weatherglass.report.plots import ACCENT, INK, PALE, RULE, drawing
from weatherglass.report.seedlab_dots import SOFT, draw_coherence, draw_concept, draw_generated
from weatherglass.report.seedlab_names import pair_name, source_labels
from weatherglass.report.words import spelled
from weatherglass.seedlab.axis import Ends, SeedAxis
from weatherglass.seedlab.compare import CorpusComparison
from weatherglass.seedlab.concept import ConceptCosines
from weatherglass.seedlab.generated import GeneratedPairs
from weatherglass.seedlab.measured import MeasuredPairs
from weatherglass.seedlab.record import Experiment
from weatherglass.seedlab.spread import Spread
from weatherglass.seedlab.variance import PairVariance

_ORDERS = ("ordered", "shuffled", "random")


def plot_experiments(experiments: Experiment | Sequence[Experiment]) -> Any:
    """Draw experiments of one kind, on one source or on several.

    Returns
    -------
    altair.Chart
        Shows itself in a notebook; `save_plot` writes it to a file.

    Raises
    ------
    CannotMeasure
        There is nothing to draw, or the experiments are of several kinds.
    """
    several = [experiments] if isinstance(experiments, Experiment) else list(experiments)
    kinds = {type(one) for one in several}
    if len(kinds) != 1:
        raise CannotMeasure(f"Experiments of one kind can be drawn together, not of {len(kinds)}.")
    (kind,) = kinds
    draw = next((draw for known, draw in _DRAWN.items() if issubclass(kind, known)), None)
    if draw is None:
        raise CannotMeasure(f"There is no picture of {kind.measure}.")
    chart = draw(several)
    return (
        chart.configure_view(strokeWidth=0)
        .configure_axis(
            gridColor="#e6eaeb",
            domain=False,
            ticks=False,
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            titleColor=SOFT,
        )
        .configure_legend(
            labelFontSize=11, title=None, orient="top", symbolOpacity=1, labelLimit=420
        )
        .configure_title(anchor="start", fontSize=12, subtitleColor=SOFT, subtitleFontSize=11)
        .properties(background="white", padding=8)
    )


def _variance(found: Sequence[PairVariance]) -> Any:
    """Shares of variance by component: a column for each pair, a row for each source."""
    alt = drawing()
    labels = source_labels(found)
    top = max(
        value.mean for one in found for order in one.arrangements for value in order.components
    )
    rows = []
    for source, label in labels.items():
        parts = []
        for one in (one for one in found if one.source["name"] == source):
            heading, _, study = pair_name(one.x, one.y).removesuffix(")").partition(" (")
            where = f"{study} · {label}" if study else label
            told = f"{len(one.pairs)} pairs; the first beats {one.less:.0%} of shuffles"
            parts.append(
                _shares(one, top).properties(
                    width=250,
                    height=170,
                    title=alt.TitleParams(heading, subtitle=[where, told]),
                )
            )
        rows.append(alt.hconcat(*parts, spacing=28))
    return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=26)


def _shares(one: PairVariance, top: float) -> Any:
    alt = drawing()
    values = [
        {"order": order.arrangement, "component": at, **_ends(value)}
        for order in one.arrangements
        for at, value in enumerate(order.components, 1)
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        alt.X("component:O", title="component", axis=alt.Axis(labelAngle=0, grid=False)),
        alt.Color(
            "order:N",
            sort=list(_ORDERS),
            scale=alt.Scale(domain=list(_ORDERS), range=[INK, ACCENT, PALE]),
        ),
    )
    y = alt.Y(
        "mean:Q",
        title="variance explained",
        scale=alt.Scale(domain=[0, min(1.0, 1.1 * top)], nice=False),
        axis=alt.Axis(format="%", tickCount=5),
    )
    bars = base.transform_filter("isValid(datum.from)").mark_rule(strokeWidth=1.5, opacity=0.6)
    return (
        bars.encode(alt.Y("from:Q", title="variance explained"), alt.Y2("to:Q"))
        + base.mark_line(strokeWidth=1.5).encode(y)
        + base.mark_circle(size=44, opacity=1).encode(y)
    )


def _ends(value: Spread) -> dict[str, Any]:
    """A mean, and a standard deviation to each side of it."""
    if value.sd is None:
        return {"mean": value.mean, "from": None, "to": None}
    return {"mean": value.mean, "from": value.mean - value.sd, "to": value.mean + value.sd}


def _axes(found: Sequence[SeedAxis]) -> Any:
    """The words at both ends: a panel for each arrangement, a row for each pair and source."""
    alt = drawing()
    labels = source_labels(found)
    rows = []
    for one in found:
        where = f" · {labels[one.source['name']]}"
        words = [word for ends in one.ends for word in (*ends.high, *ends.low)]
        reach = 1.05 * max(abs(word.cosine.mean) + (word.cosine.sd or 0) for word in words)
        panels = [_both_ends(ends, reach) for ends in one.ends]
        samples = one.source["samples"]
        told = "a star marks a seed" + (f"; bars: ± sd over {samples} samples" if samples else "")
        title = alt.TitleParams(
            f"Component {one.component} of {pair_name(one.x, one.y)}{where}",
            subtitle=told,
            offset=14,
        )
        rows.append(alt.hconcat(*panels, spacing=18).properties(title=title))
    return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=26)


def _both_ends(ends: Ends, reach: float) -> Any:
    alt = drawing()
    values = [
        {
            "at": f"{end}{place:03}",
            "word": spelled(word.word, mask=True) + ("*" if word.seed else ""),
            "end": end,
            **_ends(word.cosine),
        }
        for end, some in (("X", ends.high), ("Y", tuple(reversed(ends.low))))
        for place, word in enumerate(some)
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        alt.Y("at:N", sort=None, title=None, axis=None),
        alt.Color(
            "end:N",
            scale=alt.Scale(domain=["X", "Y"], range=[INK, ACCENT]),
            legend=None,
        ),
    )
    x = alt.X(
        "mean:Q",
        title="cosine",
        scale=alt.Scale(domain=[-reach, reach], nice=False),
        axis=alt.Axis(values=[-0.5, 0, 0.5], grid=False),
    )
    lines = base.transform_filter("isValid(datum.from)").mark_rule(strokeWidth=1.5, opacity=0.6)
    right = base.transform_filter("datum.end == 'X'").mark_text(align="right", dx=-7, fontSize=11)
    left = base.transform_filter("datum.end == 'Y'").mark_text(align="left", dx=7, fontSize=11)
    zero = alt.value(0.5 * _PANEL)
    middle = alt.Chart(alt.Data(values=[{}])).mark_rule(color=RULE).encode(x=zero)
    explained = f"explains {ends.explained.mean:.0%} of the variance"
    agree = "" if ends.agreement is None else f"; samples agree: r = {ends.agreement:.2f}"
    return (
        middle
        + lines.encode(alt.X("from:Q", title="cosine"), alt.X2("to:Q"))
        + base.mark_circle(size=44, opacity=1).encode(x)
        + right.encode(alt.Text("word:N"), x=zero)
        + left.encode(alt.Text("word:N"), x=zero)
    ).properties(
        width=_PANEL,
        height=alt.Step(15),
        title=alt.TitleParams(
            ends.arrangement,
            subtitle=explained + agree,
        ),
    )


_PANEL = 260


_DRAWN: dict[type[Experiment], Any] = {
    PairVariance: _variance,
    SeedAxis: _axes,
    GeneratedPairs: draw_generated,
    ConceptCosines: draw_concept,
    MeasuredPairs: draw_coherence,
    CorpusComparison: lambda several: plot_comparison(several[0]),
}
