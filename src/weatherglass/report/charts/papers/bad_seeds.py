"""Charts of the seed lab: the figures of Antoniak and Mimno (2021), for any source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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

from ...audit import short_names
from ...html import spell
from ..effects import plot_comparison
from ..style import ACCENT, INK, PALE, RULE, SOFT, Values, halo_text, import_altair

_STUDY = re.compile(r"(.+)-([^-]*_(?:19|20)\d\d)")


def set_name(id: str) -> str:
    """A seed set's id in words, with its study.

    >>> set_name("female_1-Caliskan_et_al_2017"), set_name("my_words")
    ('female 1 (Caliskan et al. 2017)', 'my words')
    """
    name, study = _name_and_study(id)
    return f"{name} ({study})" if study else name


def pair_name(x: str, y: str) -> str:
    """The ids of two seed sets in words; a study that they share is named once.

    >>> pair_name("career-Caliskan_et_al_2017", "family-Caliskan_et_al_2017")
    'career / family (Caliskan et al. 2017)'
    """
    (first, first_study), (second, second_study) = _name_and_study(x), _name_and_study(y)
    if first_study != second_study:
        return f"{set_name(x)} / {set_name(y)}"
    return f"{first} / {second}" + (f" ({first_study})" if first_study else "")


def _name_and_study(id: str) -> tuple[str, str]:
    """The name of a set, and the study that used it."""
    name, study = id, ""
    while match := _STUDY.fullmatch(name):  # an id of the catalogue names its study twice
        name, study = match[1], match[2]
    return spell(name), spell(study).replace(" et al ", " et al. ")


def source_labels(experiments: Iterable[Experiment]) -> dict[str, str]:
    """A short name for each source."""
    names = list(dict.fromkeys(experiment.source["name"] for experiment in experiments))
    return short_names(names)


_COLOURS = (INK, ACCENT, "#7a5c99", "#4c9a6a", "#b0485a", "#8a8a3c")
# The two pairs that figure 5 of the paper highlights.
_HIGHLIGHTED = {
    "white_names-Knoche_et_al_2019 / black_names-Knoche_et_al_2019",
    "black_roles-Manzini_et_al_2019 / caucasian_roles-Manzini_et_al_2019",
}
_AXIS_TITLES = {
    "explained": "variance explained by the first component",
    "coherence-pca": "coherence in the PCA subspace",
    "coherence-weat": "coherence in the WEAT subspace",
    "effect": "size of the WEAT effect",
}
_KINDS = {"generated": PALE, "gathered": INK, "of figure 5": ACCENT, "own": ACCENT}


def draw_generated(experiments: Sequence[GeneratedPairs]) -> Any:
    """Set similarity against the measured value: a panel for each source."""
    alt = import_altair()
    labels = source_labels(experiments)
    panels = [_pair_scatter(item, labels[item.source["name"]]) for item in experiments]
    return panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=28)


def _pair_scatter(experiment: GeneratedPairs, label: str) -> Any:
    alt = import_altair()
    values = [
        {
            "pair": pair_name(pair.x, pair.y),
            "words": f"{', '.join(pair.x_words[:5])} / {', '.join(pair.y_words[:5])}",
            "kind": _kind(pair),
            "similarity": pair.similarity.mean,
            "value": abs(value.mean),
        }
        for pair in experiment.pairs
        if pair.similarity and (value := experiment.value(pair))
    ]
    if not values:
        raise CannotMeasure("There is nothing to draw: no pair could be measured.")
    kinds = [kind for kind in _KINDS if any(value["kind"] == kind for value in values)]
    base = alt.Chart(alt.Data(values=values)).encode(
        alt.X("similarity:Q", title="set similarity").scale(zero=False),
        alt.Y("value:Q", title=_AXIS_TITLES[experiment.against]).scale(zero=False),
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
    subtitle = f"{sum(value['kind'] == 'generated' for value in values)} generated pairs"
    if experiment.correlation:
        subtitle += f": r = {experiment.correlation.r:.2f}".replace("-", "−")
    layers = [
        cloud,
        *([line] if experiment.correlation else []),
        points,
        *_highlighted_names(values),
    ]
    return alt.layer(*layers).properties(
        width=400, height=300, title=alt.TitleParams(label, subtitle=subtitle, offset=8)
    )


def _highlighted_names(values: Values) -> list[Any]:
    """The names of the highlighted points, on the side where there is room."""
    alt = import_altair()
    highlighted = [value for value in values if value["kind"] in ("of figure 5", "own")]
    low, high = (end(value["similarity"] for value in values) for end in (min, max))
    highest = max((value["value"] for value in highlighted), default=0.0)
    layers = []
    for value in highlighted:
        is_right = value["similarity"] > low + 0.6 * (high - low)
        columns = ("similarity", "value", "kind")
        layers += halo_text(
            alt.Chart(alt.Data(values=[{name: value[name] for name in columns}])),
            {"x": alt.X("similarity:Q"), "y": alt.Y("value:Q"), "color": alt.Color("kind:N")},
            align="right" if is_right else "left",
            dx=-6 if is_right else 6,
            dy=-9 if value["value"] == highest else 11,
            fontSize=11,
            text=value["pair"].partition(" (")[0],
        )
    return layers


def _kind(pair: PairMeasures) -> str:
    return "of figure 5" if pair.name in _HIGHLIGHTED else str(pair.kind)


def draw_concept(experiments: Sequence[ConceptCosines]) -> Any:
    """A line for each set: a stroke for each word, a dot for their mean; colours are sources."""
    labels = source_labels(experiments)
    words: Values = []
    means: Values = []
    for experiment in experiments:
        for word_set in experiment.sets:
            mean = word_set.mean
            if mean is None:
                continue
            row = {"line": set_name(word_set.id), "source": labels[experiment.source["name"]]}
            means.append({**row, "value": mean.mean, "from": mean.low, "to": mean.high})
            words += [
                {**row, "word": spell(word), "value": cosine}
                for word, cosine in zip(word_set.words, word_set.cosines, strict=True)
            ]
    if not means:
        raise CannotMeasure("There is nothing to draw: no set could be measured.")
    title = f"cosine with the mean of {set_name(experiments[0].attribute)}"
    heading = f"Sets of words for “{experiments[0].concept}”"
    return _dot_plot(means, words, list(labels.values()), title, heading)


def draw_coherence(experiments: Sequence[MeasuredPairs]) -> Any:
    """A line for each pair, by rank; colours are sources."""
    labels = source_labels(experiments)
    subspace = experiments[0].ranked_by or "weat"
    rows: Values = []
    for experiment in experiments:
        source = labels[experiment.source["name"]]
        for pair in experiment.ranked(subspace).pairs:
            value = pair.coherence(subspace)
            if value is not None:
                row = {"line": pair_name(pair.x, pair.y), "source": source}
                rows.append({**row, "value": value.mean, "from": value.low, "to": value.high})
    if not rows:
        raise CannotMeasure("There is nothing to draw: no pair has a coherence.")
    title = f"coherence in the {subspace.upper()} subspace"
    heading = "How well the subspace separates two seed sets"
    if "top" in experiments[0].options:
        heading += f": the {experiments[0].options['top']} highest and lowest"
    return _dot_plot(rows, [], list(labels.values()), title, heading, domain=[0, 1])


def _dot_plot(
    means: Values,
    words: Values,
    sources: list[str],
    title: str,
    heading: str,
    *,
    domain: list[float] | None = None,
) -> Any:
    """A dot plot with intervals, sources side by side in each line; highest first."""
    alt = import_altair()
    is_single = len(sources) == 1
    y = alt.Y(
        "line:N",
        sort=_line_order(means, sources),
        title=None,
        axis=alt.Axis(labelLimit=560, grid=is_single),
    )
    colours = [_COLOURS[index % len(_COLOURS)] for index in range(len(sources))]
    colour = alt.Color(
        "source:N",
        sort=sources,
        scale=alt.Scale(domain=sources, range=colours),
        legend=None if is_single else alt.Legend(),
    )
    offset = alt.YOffset("source:N", sort=sources, scale=alt.Scale(domain=sources))
    channels = {"y": y, "color": colour} | ({} if is_single else {"yOffset": offset})
    scale = alt.Scale(zero=False) if domain is None else alt.Scale(domain=domain)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=6))
    base = alt.Chart(alt.Data(values=means))
    layers = []
    if words:
        strokes = alt.Chart(alt.Data(values=words)).mark_tick(
            thickness=1, opacity=0.35, height=9, orient="vertical"
        )
        layers.append(strokes.encode(x, tooltip=["word:N", "value:Q"], **channels))
    bars = base.transform_filter("isValid(datum.from)").mark_rule(strokeWidth=2.5, opacity=0.5)
    layers += [
        bars.encode(alt.X("from:Q", title=title), alt.X2("to:Q"), **channels),
        base.mark_circle(size=60, opacity=1).encode(
            x, tooltip=["line:N", "source:N", "value:Q"], **channels
        ),
    ]
    legend = ["strokes: words", "dots: means"] if words else []
    if any(row["from"] is not None for row in means):
        legend.append("bars: 95% of the samples")
    step = 16 if is_single else 11 * len(sources) + 7
    return alt.layer(*layers).properties(
        width=380,
        height=alt.Step(step, **{"for": "position"}),
        title=alt.TitleParams(
            f"{heading} · {sources[0]}" if is_single else heading, subtitle="; ".join(legend)
        ),
    )


def _line_order(means: Values, sources: list[str]) -> list[str]:
    """Lines by the value of the first source, highest first; those without one come last."""
    first = {row["line"]: row["value"] for row in means if row["source"] == sources[0]}
    lines = dict.fromkeys(row["line"] for row in means)
    return sorted(lines, key=lambda line: -first.get(line, -2.0))


_ARRANGEMENTS = ("ordered", "shuffled", "random")


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
    items = list(experiments) if isinstance(experiments, Iterable) else [experiments]
    kinds = {item.measure for item in items}
    if len(kinds) != 1:
        raise CannotMeasure(
            f"These experiments are of {len(kinds)} kinds; draw experiments of one kind together."
        )
    (kind,) = kinds
    draw = _CHARTS.get(kind)
    if draw is None:
        raise CannotMeasure(f"There is no chart for {kind}.")
    return (
        draw(items)
        .configure_view(strokeWidth=0)
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


def _draw_variance(experiments: Sequence[PairVariance]) -> Any:
    """Shares of variance by component: a column for each pair, a row for each source."""
    alt = import_altair()
    highest = max(
        value.mean
        for experiment in experiments
        for arrangement in experiment.arrangements
        for value in arrangement.components
    )
    rows = []
    for source, label in source_labels(experiments).items():
        panels = []
        for experiment in (item for item in experiments if item.source["name"] == source):
            names = pair_name(experiment.x, experiment.y)
            heading, _, study = names.removesuffix(")").partition(" (")
            place = f"{study} · {label}" if study else label
            rank = f"the first beats {experiment.less:.0%} of shuffles"
            title = alt.TitleParams(
                heading, subtitle=[place, f"{len(experiment.pairs)} pairs; {rank}"]
            )
            panels.append(
                _variance_panel(experiment, highest).properties(width=250, height=170, title=title)
            )
        rows.append(alt.hconcat(*panels, spacing=28))
    return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=26)


def _variance_panel(experiment: PairVariance, highest: float) -> Any:
    alt = import_altair()
    values = [
        {"order": row.arrangement, "component": component, **_mean_and_deviation(value)}
        for row in experiment.arrangements
        for component, value in enumerate(row.components, 1)
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        alt.X("component:O", title="component", axis=alt.Axis(labelAngle=0, grid=False)),
        alt.Color(
            "order:N",
            sort=list(_ARRANGEMENTS),
            scale=alt.Scale(domain=list(_ARRANGEMENTS), range=[INK, ACCENT, PALE]),
        ),
    )
    y = alt.Y(
        "mean:Q",
        title="variance explained",
        scale=alt.Scale(domain=[0, min(1.0, 1.1 * highest)], nice=False),
        axis=alt.Axis(format="%", tickCount=5),
    )
    bars = base.transform_filter("isValid(datum.from)").mark_rule(strokeWidth=1.5, opacity=0.6)
    return (
        bars.encode(alt.Y("from:Q", title="variance explained"), alt.Y2("to:Q"))
        + base.mark_line(strokeWidth=1.5).encode(y)
        + base.mark_circle(size=44, opacity=1).encode(y)
    )


def _mean_and_deviation(value: Spread) -> dict[str, Any]:
    """A mean, and one standard deviation to each side of it."""
    if value.sd is None:
        return {"mean": value.mean, "from": None, "to": None}
    return {"mean": value.mean, "from": value.mean - value.sd, "to": value.mean + value.sd}


def _draw_axes(experiments: Sequence[SeedAxis]) -> Any:
    """The words at both ends: a panel for each arrangement, a row for each pair and source."""
    alt = import_altair()
    labels = source_labels(experiments)
    rows = []
    for experiment in experiments:
        words = [word for ends in experiment.ends for word in (*ends.high, *ends.low)]
        reach = 1.05 * max(abs(word.cosine.mean) + (word.cosine.sd or 0) for word in words)
        panels = [_both_ends(ends, reach) for ends in experiment.ends]
        samples = experiment.source["samples"]
        bars = f"; bars: ± sd over {samples} samples" if samples else ""
        names = pair_name(experiment.x, experiment.y)
        title = alt.TitleParams(
            f"Component {experiment.component} of {names} · {labels[experiment.source['name']]}",
            subtitle=f"a star marks a seed{bars}",
            offset=14,
        )
        rows.append(alt.hconcat(*panels, spacing=18).properties(title=title))
    return rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=26)


_PANEL_WIDTH = 260


def _both_ends(ends: Ends, reach: float) -> Any:
    alt = import_altair()
    values = [
        {
            "at": f"{end}{rank:03}",
            "word": spell(word.word, mask=True) + ("*" if word.seed else ""),
            "end": end,
            **_mean_and_deviation(word.cosine),
        }
        for end, words in (("X", ends.high), ("Y", tuple(reversed(ends.low))))
        for rank, word in enumerate(words)
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        alt.Y("at:N", sort=None, title=None, axis=None),
        alt.Color("end:N", scale=alt.Scale(domain=["X", "Y"], range=[INK, ACCENT]), legend=None),
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
    zero = alt.value(0.5 * _PANEL_WIDTH)
    middle = alt.Chart(alt.Data(values=[{}])).mark_rule(color=RULE).encode(x=zero)
    explained = f"explains {ends.explained.mean:.0%} of the variance"
    agreement = "" if ends.agreement is None else f"; samples agree: r = {ends.agreement:.2f}"
    return (
        middle
        + lines.encode(alt.X("from:Q", title="cosine"), alt.X2("to:Q"))
        + base.mark_circle(size=44, opacity=1).encode(x)
        + right.encode(alt.Text("word:N"), x=zero)
        + left.encode(alt.Text("word:N"), x=zero)
    ).properties(
        width=_PANEL_WIDTH,
        height=alt.Step(15),
        title=alt.TitleParams(ends.arrangement, subtitle=explained + agreement),
    )


_CHARTS: dict[str, Any] = {
    PairVariance.measure: _draw_variance,
    SeedAxis.measure: _draw_axes,
    GeneratedPairs.measure: draw_generated,
    ConceptCosines.measure: draw_concept,
    MeasuredPairs.measure: draw_coherence,
    CorpusComparison.measure: lambda comparisons: plot_comparison(comparisons[0]),
}
