"""Pictures of many seed sets: a point or a line for each, colours for sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.report.plots import ACCENT, INK, PALE, drawing
from weatherglass.report.seedlab_names import pair_name, set_name, source_labels
from weatherglass.report.words import spelled
from weatherglass.seedlab.concept import ConceptCosines
from weatherglass.seedlab.generated import GeneratedPairs
from weatherglass.seedlab.measured import MeasuredPairs, PairMeasures

SOFT = "#51646b"
_COLOURS = (INK, ACCENT, "#7a5c99", "#4c9a6a", "#b0485a", "#8a8a3c")
# The two pairs that figure 5 of the paper points out.
_POINTED_OUT = {
    "white_names-Knoche_et_al_2019 / black_names-Knoche_et_al_2019",
    "black_roles-Manzini_et_al_2019 / caucasian_roles-Manzini_et_al_2019",
}
_AGAINST = {
    "explained": "variance explained by the first component",
    "coherence-pca": "coherence in the PCA subspace",
    "coherence-weat": "coherence in the WEAT subspace",
    "effect": "size of the WEAT effect",
}
_KINDS = {"generated": PALE, "gathered": INK, "of figure 5": ACCENT, "own": ACCENT}

Values = list[dict[str, Any]]


def draw_generated(found: Sequence[GeneratedPairs]) -> Any:
    """Similarity against what is measured: a panel for each source."""
    alt = drawing()
    labels = source_labels(found)
    panels = [_scatter(one, labels[one.source["name"]]) for one in found]
    return panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=28)


def _scatter(one: GeneratedPairs, label: str) -> Any:
    alt = drawing()
    values = [
        {
            "pair": pair_name(pair.x, pair.y),
            "words": f"{', '.join(pair.x_words[:5])} / {', '.join(pair.y_words[:5])}",
            "kind": _kind(pair),
            "similarity": pair.similarity.mean,
            "value": abs(value.mean),
        }
        for pair in one.pairs
        if pair.similarity and (value := one.value(pair))
    ]
    if not values:
        raise CannotMeasure("There is nothing to draw: no pair could be measured.")
    kinds = [kind for kind in _KINDS if any(value["kind"] == kind for value in values)]
    base = alt.Chart(alt.Data(values=values)).encode(
        alt.X("similarity:Q", title="set similarity").scale(zero=False),
        alt.Y("value:Q", title=_AGAINST[one.against]).scale(zero=False),
        alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[_KINDS[kind] for kind in kinds])),
        tooltip=["pair:N", "words:N", "similarity:Q", "value:Q"],
    )
    cloud = base.transform_filter("datum.kind == 'generated'").mark_circle(size=26, opacity=0.55)
    points = base.transform_filter("datum.kind != 'generated'").mark_circle(size=50, opacity=0.95)
    line = (
        base.transform_filter("datum.kind == 'generated'")
        .transform_regression("similarity", "value")
        .mark_line(color=SOFT, strokeDash=[4, 3], strokeWidth=1.5)
        .encode(color=alt.value(SOFT))
    )
    told = f"{sum(value['kind'] == 'generated' for value in values)} generated pairs"
    if one.correlation:
        told += f": r = {one.correlation.r:.2f}".replace("-", "−")
    layers = [cloud, *([line] if one.correlation else []), points, *_names(values)]
    return alt.layer(*layers).properties(
        width=400, height=300, title=alt.TitleParams(label, subtitle=told, offset=8)
    )


def _names(values: Values) -> list[Any]:
    """The names of the points that are pointed out, to the right of them where there is room."""
    alt = drawing()
    named = [value for value in values if value["kind"] in ("of figure 5", "own")]
    low, high = (end(value["similarity"] for value in values) for end in (min, max))
    heights = sorted(value["value"] for value in named)
    layers = []
    for value in named:
        left = value["similarity"] > low + 0.6 * (high - low)
        above = value["value"] == heights[-1]
        how = {"align": "right" if left else "left", "dx": -6 if left else 6}
        point = {"similarity": value["similarity"], "value": value["value"], "kind": value["kind"]}
        text = value["pair"].partition(" (")[0]
        for halo in ({"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"}, {}):
            layers.append(
                alt.Chart(alt.Data(values=[point]))
                .mark_text(**how, dy=-9 if above else 11, fontSize=11, text=text, **halo)
                .encode(alt.X("similarity:Q"), alt.Y("value:Q"), alt.Color("kind:N"))
            )
    return layers


def _kind(pair: PairMeasures) -> str:
    return "of figure 5" if pair.name in _POINTED_OUT else str(pair.kind)


def draw_concept(found: Sequence[ConceptCosines]) -> Any:
    """A line for each set: a stroke for each word, a dot for their mean; colours are sources."""
    alt = drawing()
    labels = source_labels(found)
    sources = list(labels.values())
    words: Values = []
    means: Values = []
    for some in found:
        for one in some.sets:
            if one.mean is None:
                continue
            row = {"set": set_name(one.id), "source": labels[some.source["name"]]}
            strokes = zip(one.words, one.cosines, strict=True)
            words += [{**row, "word": spelled(word), "cosine": value} for word, value in strokes]
            low, high = (one.mean.low, one.mean.high)
            means.append({**row, "cosine": one.mean.mean, "from": low, "to": high})
    if not means:
        raise CannotMeasure("There is nothing to draw: no set could be measured.")
    title = f"cosine with the mean of {set_name(found[0].attribute)}"
    heading = f"Sets of words for “{found[0].concept}”"
    return _dots(alt, means, words, "set", "cosine", sources, title, heading)


def draw_coherence(found: Sequence[MeasuredPairs]) -> Any:
    """A line for each pair, by rank; colours are sources."""
    alt = drawing()
    labels = source_labels(found)
    by = found[0].ranked_by or "weat"
    values: Values = []
    for some in found:
        for one in some.ranked(by).pairs:
            value = one.coherence(by)
            if value is not None:
                row = {"pair": pair_name(one.x, one.y), "source": labels[some.source["name"]]}
                values.append({**row, "coherence": value.mean, "from": value.low, "to": value.high})
    if not values:
        raise CannotMeasure("There is nothing to draw: no pair has a coherence.")
    title = f"coherence in the {by.upper()} subspace"
    heading = "How far apart the subspace draws two seed sets"
    if "top" in found[0].options:
        heading += f": the {found[0].options['top']} highest and lowest"
    return _dots(
        alt, values, [], "pair", "coherence", list(labels.values()), title, heading, [0, 1]
    )


def _dots(
    alt: Any,
    means: Values,
    strokes: Values,
    row: str,
    column: str,
    sources: list[str],
    title: str,
    heading: str,
    domain: list[float] | None = None,
) -> Any:
    """A dot plot with intervals, sources side by side in each line; highest first."""
    order = _order(means, row, column, sources)
    step = 16 if len(sources) == 1 else 11 * len(sources) + 7
    y = alt.Y(
        f"{row}:N", sort=order, title=None, axis=alt.Axis(labelLimit=560, grid=len(sources) == 1)
    )
    colours = [_COLOURS[at % len(_COLOURS)] for at in range(len(sources))]
    colour = alt.Color(
        "source:N",
        sort=sources,
        scale=alt.Scale(domain=sources, range=colours),
        legend=None if len(sources) == 1 else alt.Legend(),
    )
    offset = alt.YOffset("source:N", sort=sources, scale=alt.Scale(domain=sources))
    more = {} if len(sources) == 1 else {"yOffset": offset}
    scale = alt.Scale(zero=False) if domain is None else alt.Scale(domain=domain)
    x = alt.X(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))
    base = alt.Chart(alt.Data(values=means))
    layers = []
    if strokes:
        ticks = alt.Chart(alt.Data(values=strokes)).mark_tick(
            thickness=1, opacity=0.35, height=9, orient="vertical"
        )
        layers.append(ticks.encode(x, y, colour, tooltip=["word:N", f"{column}:Q"], **more))
    spread = base.transform_filter("isValid(datum.from)").mark_rule(strokeWidth=2.5, opacity=0.5)
    layers.append(spread.encode(alt.X("from:Q", title=title), y, colour, alt.X2("to:Q"), **more))
    layers.append(
        base.mark_circle(size=60, opacity=1).encode(
            x, y, colour, tooltip=[f"{row}:N", "source:N", f"{column}:Q"], **more
        )
    )
    name = heading if len(sources) > 1 else f"{heading} · {sources[0]}"
    told = ["strokes: words" if strokes else "", "dots: means" if strokes else ""]
    told.append("bars: 95% of the samples" if any(one["from"] is not None for one in means) else "")
    return alt.layer(*layers).properties(
        width=380,
        height=alt.Step(step, **{"for": "position"}),
        title=alt.TitleParams(name, subtitle="; ".join(filter(None, told))),
    )


def _order(means: Values, row: str, column: str, sources: list[str]) -> list[str]:
    """Lines by the number of the first source, highest first; those it has not come last."""
    first = {value[row]: value[column] for value in means if value["source"] == sources[0]}
    return sorted(
        dict.fromkeys(value[row] for value in means), key=lambda name: -first.get(name, -2.0)
    )
