"""The specification curve: every effect of a multiverse in order, and which sets it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weatherglass.report.datasets import Datasets
from weatherglass.report.multiverse_order import COLUMNS, WIDTH, Ranked, ranked
from weatherglass.report.multiverse_rows import SOFT, set_rows
from weatherglass.report.plots import ACCENT, INK, PALE, RULE, drawing
from weatherglass.seedlab.multiverse_parts import Specification
from weatherglass.seedlab.multiverse_record import Multiverse

HEIGHT = 210
_NOT_SIGNIFICANT = "#b9c7cc"
_LABEL = "#a85d12"  # the accent, dark enough to read
_ABOUT = ("sets:N", "effect:Q", "p:N")


def plot_multiverses(found: Sequence[Multiverse], *, columns: int = COLUMNS) -> Any:
    """Draw multiverses, one below the other.

    Parameters
    ----------
    found
        What `weatherglass.multiverse` gave.
    columns
        Most columns of a picture. Fewer make it smaller, not narrower.

    Returns
    -------
    altair.VConcatChart
        Above, the effects in order, dark where they are significant after Holm's correction, with
        a ring for every choice of whole sets, if these are few, and the documented one marked.
        Below, a row for each choice of sets: the shade is the share of the specifications of a
        column that use it, the dots are the whole sets again. Where there are more specifications
        than columns, each column has several neighbours in rank, and the subtitle says how many.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.multiverse(wg.open_vectors("default"), "weat7", samples=2)
    >>> len(plot_multiverses([found]).vconcat)
    1
    """
    alt = drawing()
    data = Datasets()
    return data.on(
        alt.vconcat(*(_curve(one, data, columns) for one in found), spacing=40)
        .resolve_scale(x="independent", y="independent")
        .configure_view(strokeWidth=0)
        .configure_axis(domain=False, ticks=False, labelFontSize=11, titleFontSize=11)
        .configure_concat(spacing=8)
        .properties(background="white")
    )


def _curve(found: Multiverse, data: Datasets, columns: int) -> Any:
    alt = drawing()
    order = ranked(found, columns)
    whole = alt.Scale(domain=[0, len(found.specifications)], nice=False)
    x = alt.X("start:Q", axis=None, scale=whole)
    parts = [
        _effects(order, x, data),
        *(set_rows(order, factor, x, data) for factor in found.factors),
    ]
    return alt.vconcat(*parts, spacing=8, title=_title(order)).resolve_scale(
        x="shared", color="independent"
    )


def _effects(order: Ranked, x: Any, data: Datasets) -> Any:
    """The curve itself: a box for each column, a ring for whole sets, the documented one."""
    alt = drawing()
    effects = [0.0, *(one.effect for one in order.found.specifications)]
    low, high = min(effects), max(effects)
    room = 0.05 * (high - low)
    y = alt.Y(
        "low:Q",
        title="effect",
        axis=alt.Axis(gridColor=RULE, tickCount=6),
        scale=alt.Scale(domain=[low - room, high + room], nice=False),
    )
    colour = alt.Color(
        "significant:Q",
        title="significant (Holm)",
        scale=alt.Scale(domain=[0, 1], range=[_NOT_SIGNIFICANT, INK]),
        legend=alt.Legend(orient="right", format="%", gradientLength=110, titleFontSize=10),
    )
    boxes = _boxes(order, thick=2 * (high - low) / HEIGHT)
    rings = [_point(one, order) for one in order.ringed]
    layers = [
        alt.Chart(data.named([{"low": 0}])).mark_rule(color=PALE).encode(y),
        alt.Chart(data.named(boxes))
        .mark_rect(aria=False)
        .encode(x, y, colour, alt.X2("end:Q"), alt.Y2("high:Q"), tooltip=["significant:Q"]),
        alt.Chart(data.named(rings))
        .mark_point(size=34, color=INK, fill="white", strokeWidth=1.3, opacity=1)
        .encode(x, y, tooltip=list(_ABOUT)),
    ]
    if order.found.documented is not None:
        layers += _marked(order, order.found.specifications[order.found.documented], x, y, data)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _boxes(order: Ranked, thick: float) -> list[dict[str, Any]]:
    """From the least effect of a column to its largest, so thick that a flat piece is seen."""
    alpha = order.found.options["alpha"]
    return [
        {
            "start": one.start,
            "end": one.end,
            "low": one.specifications[0].effect - thick,
            "high": one.specifications[-1].effect + thick,
            "significant": sum(s.p_holm <= alpha for s in one.specifications) / one.size,
        }
        for one in order.columns
    ]


def _marked(order: Ranked, own: Specification, x: Any, y: Any, data: Datasets) -> list[Any]:
    """The documented specification; its label stands on the side with more room."""
    alt = drawing()
    mark = alt.Chart(data.named([_point(own, order)]))
    left = order.place(own) > len(order.found.specifications) / 2
    aside = {"align": "right", "dx": -10} if left else {"align": "left", "dx": 10}
    text = mark.mark_text(fontSize=11, fontWeight="bold", color=_LABEL, dy=-8, **aside)
    return [
        mark.mark_rule(color=ACCENT, strokeWidth=1, opacity=0.8).encode(x),
        mark.mark_point(size=70, color=ACCENT, fill=ACCENT, opacity=1).encode(
            x, y, tooltip=list(_ABOUT)
        ),
        text.encode(x, y, alt.Text("label:N")),
    ]


def _point(one: Specification, order: Ranked) -> dict[str, Any]:
    return {
        "start": order.place(one),
        "low": one.effect,
        "effect": one.effect,
        "sets": " × ".join(choice.name for choice in order.found.choices(one.sets)),
        "p": str(one.p),
        "label": f"documented: {one.effect:.2f}",
    }


def _title(order: Ranked) -> dict[str, Any]:
    found = order.found
    whole = found.summary.significant["holm"]["whole"]
    same = found.summary.same_sign["whole"]
    sign = "a positive" if found.documented is None else "the documented"
    sizes = sorted({one.size for one in order.columns})
    rings = " (rings)" if order.ringed else ""
    rows = "Rows: which sets were chosen."
    if sizes[-1] > 1:
        each = " or ".join(map(str, sizes))
        rows = (
            f"Each column has {each} specifications, neighbours in rank. Rows: which sets were "
            "chosen; the darker, the more of a column have them."
        )
    many = f"{len(found.specifications):,} specifications on {found.source['name']}"
    return {
        "text": f"{found.title}: {many}",
        "subtitle": [
            f"Of {whole.of} choices of whole sets{rings}, {same.count} have {sign} sign "
            f"and {whole.count} are significant after Holm's correction.",
            rows,
        ],
        "subtitleColor": SOFT,
        "anchor": "start",
        "frame": "bounds",
        "offset": 12,
    }
