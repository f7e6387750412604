"""Charts of analogies: pairs of words in a plane, and the answers to an analogy."""

from __future__ import annotations

from typing import Any

from weatherglass.measures import AnalogousPairs, Analogy, WordPlane

from ... import numbers
from ...html import spell
from ..axes import Size, plot_neighbours, quiet_axes
from ..labels import place_near, place_on_axes
from ..style import ACCENT, INK, TEXT, halo_text, import_altair, pad_range

_SIZES = {"large": (660, 460), "small": (286, 300)}
_FONT_SIZES = {"large": 12.0, "small": 10.5}


def plot_plane(plane: WordPlane, *, size: Size = "large") -> Any:
    """Draw words on their first two principal components, with a line for each pair.

    Returns
    -------
    altair.LayerChart
        The first words of the pairs are filled dots, the second ones rings. Labels touch neither
        each other nor a dot.
    """
    alt = import_altair()
    width, height = _SIZES[size]
    places = {placed.word: (placed.x, placed.y) for placed in plane.words}
    domains = [pad_range([place[k] for place in places.values()], 0.12) for k in range(2)]
    x, y = (
        channel(
            f"{field}:Q",
            title=f"{name} principal component ({100 * share:.0f} % of the variance)",
            scale=alt.Scale(domain=domain, nice=False),
            axis=alt.Axis(tickCount=5, format="~g"),
        )
        for channel, field, name, share, domain in (
            (alt.X, "x", "first", plane.explained[0], domains[0]),
            (alt.Y, "y", "second", plane.explained[1], domains[1]),
        )
    )
    pairs = [
        {"pair": number, "x": at[0], "y": at[1], "x2": to[0], "y2": to[1]}
        for number, pair in enumerate(plane.pairs)
        for at, to in [(places[pair[0]], places[pair[1]])]
    ]
    firsts = {first for first, _ in plane.pairs}
    rows = [
        {"word": spell(word), "x": at[0], "y": at[1], "is_first": word in firsts}
        for word, at in places.items()
    ]
    fill = alt.condition("datum.is_first", alt.value(INK), alt.value("white"))
    points = alt.Chart(alt.Data(values=rows)).mark_point(stroke=INK, strokeWidth=1.8, opacity=1)
    lines = alt.Chart(alt.Data(values=pairs)).mark_rule(color=ACCENT, strokeWidth=1.4, opacity=0.8)
    layers = [
        lines.encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q")),
        points.encode(x, y, fill=fill, tooltip=["word:N"]),
        *_labels(plane, domains, size, x, y),
    ]
    title = alt.TitleParams(
        "Pairs of words on two principal components",
        subtitle=[
            f"Mean cosine of the differences in all dimensions: {numbers.measure(plane.parallel)}; "
            f"with shuffled partners: {numbers.measure(plane.shuffled)}"
        ],
        anchor="start",
    )
    chart = quiet_axes(alt.layer(*layers).properties(width=width, height=height))
    return chart.properties(title=title) if size == "large" else chart


def _labels(plane: WordPlane, domains: list[list[float]], size: Size, x: Any, y: Any) -> list[Any]:
    """The words, as many as fit, with a thin line to those that are further away."""
    alt = import_altair()
    width, height = _SIZES[size]
    names = [spell(placed.word) for placed in plane.words]
    points = [(placed.x, placed.y) for placed in plane.words]
    placed_labels = place_on_axes(
        points, names, domains, width, height, _FONT_SIZES[size], positions=place_near
    )
    texts = [{"word": names[label.index], "x": label.x, "y": label.y} for label in placed_labels]
    leaders = [
        {"x": label.leader[0][0], "y": label.leader[0][1], "x2": end[0], "y2": end[1]}
        for label in placed_labels
        if label.leader
        for end in [label.leader[1]]
    ]
    rule = alt.Chart(alt.Data(values=leaders)).mark_rule(color=TEXT, strokeWidth=0.6, opacity=0.6)
    return [
        rule.encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q")),
        *halo_text(
            alt.Chart(alt.Data(values=texts)),
            {"x": x, "y": y, "text": alt.Text("word:N")},
            align="left",
            baseline="middle",
            fontSize=_FONT_SIZES[size],
            color=TEXT,
        ),
    ]


def plot_analogy(analogy: Analogy) -> Any:
    """Draw the answers to an analogy as bars of their scores."""
    bars = [(candidate.word, candidate.score) for candidate in analogy.answers]
    chart = plot_neighbours({analogy.source_name: bars}, title="score")
    inputs = "excluded" if analogy.excludes_inputs else "allowed"
    question = f"{spell(analogy.a)} is to {spell(analogy.b)} as {spell(analogy.c)} is to …"
    heading = import_altair().TitleParams(
        question,
        subtitle=[
            f"{analogy.rule_name}, inputs {inputs}; the best of all words: "
            f"{spell(analogy.unrestricted.word)}"
        ],
        anchor="start",
    )
    return chart.properties(title=heading)


def plot_analogous_pairs(found: AnalogousPairs) -> Any:
    """Draw pairs along a seed direction as bars of their scores."""
    bars = [(f"{pair.x} – {pair.y}", pair.score) for pair in found.pairs]
    chart = plot_neighbours(
        {found.source_name: bars}, title="cosine with the seed direction", label_width=260
    )
    a, b = (spell(word) for word in found.seeds[0])
    share = f"{100 * found.own_counterpart:.0f} %"
    heading = import_altair().TitleParams(
        f"{a} is to {b} as …",
        subtitle=[
            "The two words of a pair differ by construction; with the inputs allowed, the",
            f"first word is its own counterpart in {share} of the pairs",
        ],
        anchor="start",
    )
    return chart.properties(title=heading)
