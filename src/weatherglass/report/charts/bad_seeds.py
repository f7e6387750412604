"""Pictures of the seed lab: the figures of Antoniak and Mimno (2021), for any source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from weatherglass.errors import CannotMeasure
from weatherglass.seedlab import (
    ConceptCosines,
    CorpusComparison,
    Ends,
    Experiment,
    GeneratedPairs,
    MeasuredPairs,
    PairMeasures,
    PairVariance,
    SeedAxis,
    Spread,
)

from ..html import spell
from .style import ACCENT, INK, PALE, RULE, import_altair
from .trends import plot_comparison

_STUDY = re.compile(r"(.+)-([^-]*_(?:19|20)\d\d)")


def set_name(id: str) -> str:
    """A seed set's id as it is read.

    >>> set_name("female_1-Caliskan_et_al_2017"), set_name("my_words")
    ('female 1 (Caliskan et al. 2017)', 'my words')
    """
    name, study = _parts(id)
    return f"{name} ({study})" if study else name


def pair_name(x: str, y: str) -> str:
    """The ids of two seed sets as they are read; of one study, it is named once.

    >>> pair_name("career-Caliskan_et_al_2017", "family-Caliskan_et_al_2017")
    'career / family (Caliskan et al. 2017)'
    """
    (first, one), (second, other) = _parts(x), _parts(y)
    if one != other:
        return f"{set_name(x)} / {set_name(y)}"
    return f"{first} / {second}" + (f" ({one})" if one else "")


def _parts(id: str) -> tuple[str, str]:
    """What a set is called, and the study that used it."""
    name, study = id, ""
    while found := _STUDY.fullmatch(name):  # one id of the catalogue names its study twice
        name, study = found[1], found[2]
    return spell(name), spell(study).replace(" et al ", " et al. ")


def source_labels(experiments: Iterable[Experiment]) -> dict[str, str]:
    """A short name for each source: of a path its last part, or two where these are the same."""
    names = list(dict.fromkeys(one.source["name"] for one in experiments))
    last = {name: PurePath(name).name or name for name in names}
    times = Counter(last.values())
    return {
        name: spell(
            short if times[short] == 1 else "/".join(PurePath(name).parts[-2:]), phrase=False
        )
        for name, short in last.items()
    }


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
    alt = import_altair()
    labels = source_labels(found)
    panels = [_scatter(one, labels[one.source["name"]]) for one in found]
    return panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=28)


def _scatter(one: GeneratedPairs, label: str) -> Any:
    alt = import_altair()
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
    alt = import_altair()
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
    alt = import_altair()
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
            words += [{**row, "word": spell(word), "cosine": value} for word, value in strokes]
            low, high = (one.mean.low, one.mean.high)
            means.append({**row, "cosine": one.mean.mean, "from": low, "to": high})
    if not means:
        raise CannotMeasure("There is nothing to draw: no set could be measured.")
    title = f"cosine with the mean of {set_name(found[0].attribute)}"
    heading = f"Sets of words for “{found[0].concept}”"
    return _dots(alt, means, words, "set", "cosine", sources, title, heading)


def draw_coherence(found: Sequence[MeasuredPairs]) -> Any:
    """A line for each pair, by rank; colours are sources."""
    alt = import_altair()
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
    alt = import_altair()
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
    alt = import_altair()
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
    alt = import_altair()
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
    alt = import_altair()
    values = [
        {
            "at": f"{end}{place:03}",
            "word": spell(word.word, mask=True) + ("*" if word.seed else ""),
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
