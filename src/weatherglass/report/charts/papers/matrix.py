"""Matrices of encoders and tests: effects by word, and the figure of May et al. (2019)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.measures import PAPER_ALPHA

from ... import numbers
from ..style import ACCENT, INK, SOFT, import_altair

if TYPE_CHECKING:
    from weatherglass.encoders import SeatResult
    from weatherglass.measures import SeatTable


def draw_matrix(results: Sequence[SeatResult], alpha: float) -> Any:
    """Draw encoders and tests as a matrix: the effect as colour, a dot where it is significant.

    Effects count each word once. A dot marks a two-sided p-value of at most `alpha` after Holm's
    correction.
    """
    alt = import_altair()
    rows = [
        {
            "encoder": _short_encoder_name(result.source["name"]),
            "test": result.test,
            "effect": result.main_value,
            "p": numbers.p_value(result.main_p_for_finding),
            "significant": result.p_finding is not None and result.p_finding <= alpha,
        }
        for result in results
    ]
    chart = alt.Chart(alt.Data(values=rows)).encode(
        alt.X(
            "encoder:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelAngle=-60, labelLimit=260, orient="top"),
        ),
        alt.Y("test:N", sort=None, title=None, axis=alt.Axis(labelLimit=360)),
        tooltip=["encoder:N", "test:N", "effect:Q", "p:N"],
    )
    colour = alt.Color(
        "effect:Q",
        title="effect size",
        scale=alt.Scale(domain=[-2, 0, 2], range=[ACCENT, "#f4f4f2", INK]),
    )
    cells = chart.mark_rect(stroke="white").encode(colour)
    dots = chart.transform_filter("datum.significant").mark_circle(color="#111", size=22, opacity=1)
    heading = f"Effect sizes by word; dots: p ≤ {alpha:g} after Holm's correction"
    return (cells + dots).properties(
        width=alt.Step(34), height=alt.Step(17), title=alt.TitleParams(heading, anchor="start")
    )


def draw_paper_matrix(table: SeatTable, alpha: float = PAPER_ALPHA) -> Any:
    """Draw the supplement's Figure 1: models and tests, with the significant results filled.

    A cell is filled where the paper's p-value (one-sided, over sentences) is significant at `alpha`
    after Holm's correction over all rows, and white where it is not; a test that a model was not
    run on has no cell. The colour is the sign of the effect.
    """
    alt = import_altair()
    names = {name: _short_encoder_name(name) for name in table.encoders}
    labels = {True: "significant, effect above 0", False: "significant, effect below 0"}
    rows = [
        {
            "encoder": names[row.encoder],
            "test": row.test,
            "result": labels[row.effect_size >= 0] if is_rejected else "not significant",
            "effect": numbers.effect(row.effect_size),
            "p": numbers.p_value(row.p_value),
        }
        for row, is_rejected in zip(table.rows, table.rejected(alpha), strict=True)
    ]
    n_significant = sum(row["result"] != "not significant" for row in rows)
    colour = alt.Color(
        "result:N",
        title=None,
        scale=alt.Scale(
            domain=[*labels.values(), "not significant"], range=[INK, ACCENT, "#ffffff"]
        ),
        legend=alt.Legend(orient="bottom", symbolStrokeColor=SOFT, labelLimit=400),
    )
    heading = alt.TitleParams(
        f"Significant results at {alpha:g} after Holm's correction over {len(rows)} rows",
        subtitle=[f"{n_significant} of {len(rows)}; one-sided p over sentences, as in the paper"],
        anchor="start",
    )
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_rect(stroke=SOFT, strokeWidth=0.6)
        .encode(
            alt.X(
                "encoder:N",
                sort=None,
                title=None,
                axis=alt.Axis(labelAngle=-60, labelLimit=260, orient="top"),
            ),
            alt.Y("test:N", sort=None, title=None, axis=alt.Axis(labelLimit=360)),
            colour,
            tooltip=["encoder:N", "test:N", "effect:N", "p:N", "result:N"],
        )
        .properties(width=alt.Step(34), height=alt.Step(17), title=heading)
    )


def _short_encoder_name(name: str) -> str:
    """An encoder's name for an axis: of a long path, the last two parts."""
    scheme, colon, rest = name.partition(":")
    parts = Path(rest).parts
    return f"{scheme}{colon}…/{'/'.join(parts[-2:])}" if len(parts) > 3 else name
