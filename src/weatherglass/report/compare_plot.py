"""A picture of corpora compared: each effect with the interval that its samples give."""

from __future__ import annotations

from typing import Any

from weatherglass.seedlab.compare import CorpusComparison

from .plots import ACCENT, INK, PALE, drawing

_COLOURS = [INK, ACCENT, "#6a8f3c", "#7d5a9b", PALE]


def plot_comparison(found: CorpusComparison) -> Any:
    """Draw the effect of every test on every corpus, with 95 % of its bootstrap samples."""
    alt = drawing()
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
    alt = drawing()
    if len(corpora) > len(_COLOURS):
        return alt.Scale(domain=corpora, scheme="viridis")
    return alt.Scale(domain=corpora, range=_COLOURS[: len(corpora)])
