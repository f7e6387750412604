"""Chart of norms: ratings against associations, with the words farthest from the line named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import numbers
from ..html import spell
from .labels import place_on_axes
from .style import DEEP_ACCENT, INK, Values, halo_text, import_altair, pad_range, quiet_axis
from .words import association_title

if TYPE_CHECKING:
    from weatherglass.measures import NormsResult

WIDTH, HEIGHT = 520, 400
_MAX_NAMED = 16  # words with the largest residuals
_WORD_SIZE = 11
_MANY = 500  # points that are drawn small and pale, so that their density shows


def plot_norms(results: Sequence[NormsResult]) -> Any:
    """Draw the scatter plot of each result, side by side."""
    alt = import_altair()
    charts = [_draw(result) for result in results]
    chart = charts[0] if len(charts) == 1 else alt.hconcat(*charts)
    return chart.configure_view(strokeWidth=0)


def _draw(result: NormsResult) -> Any:
    alt = import_altair()
    unit = f" ({result.norms['unit']})" if result.norms.get("unit") else ""
    title = (result.norms.get("name") or "rating") + unit
    residuals = result.residuals()
    points: Values = [
        {"word": spell(word), "association": x, "rating": y, "rounded": numbers.effect(x)}
        for word, x, y in zip(result.words["W"], result.associations, result.ratings, strict=True)
    ]
    slope, intercept = result.slope or 0.0, result.intercept or 0.0
    ends = (min(result.associations), max(result.associations))
    line = [{"association": x, "rating": slope * x + intercept} for x in ends]
    domains = [pad_range(result.associations, 0.05), pad_range(result.ratings, 0.05)]
    x = alt.X(
        "association:Q",
        scale=alt.Scale(domain=domains[0], nice=False),
        axis=quiet_axis(title=association_title(result), format="~g"),
    )
    y = alt.Y(
        "rating:Q",
        scale=alt.Scale(domain=domains[1], nice=False),
        axis=quiet_axis(title=title),
    )
    tooltip = [
        alt.Tooltip("word:N"),
        alt.Tooltip("rounded:N", title="association"),
        alt.Tooltip("rating:Q", title=title),
    ]
    is_many = len(points) > _MANY
    farthest = np.argsort(-np.abs(residuals), kind="stable")[:_MAX_NAMED].tolist()
    named = [points[i] for i in farthest]
    layers = [
        alt.Chart(alt.Data(values=points))
        .mark_circle(color=INK, opacity=0.25 if is_many else 0.6, size=10 if is_many else 30)
        .encode(x, y, tooltip=tooltip),
        alt.Chart(alt.Data(values=line))
        .mark_line(color=DEEP_ACCENT, strokeWidth=1.5, clip=True)
        .encode(x, y),
        alt.Chart(alt.Data(values=named)).mark_circle(color=DEEP_ACCENT, size=30).encode(x, y),
        *halo_text(
            alt.Chart(alt.Data(values=_labels(named, domains))),
            {"x": x, "y": y, "text": alt.Text("word:N")},
            align="left",
            baseline="middle",
            fontSize=_WORD_SIZE,
            color="#444",
        ),
    ]
    heading = f"{result.title} on {spell(result.source_name, phrase=False)}"
    interval = result.main_interval
    ends_text = f" ({interval.low:.2f} to {interval.high:.2f})" if interval else ""
    subtitle = (
        f"r = {result.pearson:.2f}{ends_text} over {len(points):,} words; named: those farthest "
        "from the line"
    )
    return alt.layer(*layers).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.TitleParams(heading, subtitle=subtitle, anchor="start"),
    )


def _labels(points: Values, domains: Sequence[Sequence[float]]) -> Values:
    positions = [(row["association"], row["rating"]) for row in points]
    words = [row["word"] for row in points]
    placed = place_on_axes(positions, words, domains, WIDTH, HEIGHT, _WORD_SIZE)
    return [{"word": words[at.index], "association": at.x, "rating": at.y} for at in placed]
