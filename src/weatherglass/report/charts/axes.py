"""Charts of single words: along one axis, on two axes, and their nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from weatherglass.measures import MeasureResult

from .. import numbers
from ..html import spell
from .labels import place_on_axes
from .style import INK, PALE, RULE, TEXT, halo_text, import_altair

Size = Literal["large", "small"]
"""Size of a chart: for a screen, or for a phone and for several side by side."""

MAX_WORDS = 80
"""Maximum number of words along one axis; of more, half from each end."""

_COLOURS = (INK, "#b8600b", "#7a4f9a", "#2f7d55", "#a3364d", "#59666b")
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
_MAP_SIZES = {"large": (960, 560), "small": (286, 300)}
_AXIS_LENGTHS = {"large": 860, "small": 205}
_FONT_SIZES = {"large": 12.0, "small": 10.5}

Sides = tuple[str, str]
"""What the low and the high end of an axis mean."""


def plot_axis(results: Mapping[str, MeasureResult], sides: Sides, *, size: Size = "large") -> Any:
    """Draw words along an axis: a line for each word, a mark on it for each source.

    Parameters
    ----------
    results
        SemAxis results, by the name of the source.
    sides
        What the low and the high end mean.
    size
        For a screen, or for a phone.

    Returns
    -------
    altair.LayerChart
        The word with the largest mean is on top.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.Vectors.of(["nurse", "pilot", "she", "he"], [[4, 3], [3, 4], [1, 0], [0, 1]])
    >>> sets = {"X": ["nurse", "pilot"], "A": ["she"], "B": ["he"]}
    >>> chart = plot_axis({"tiny": wg.measure(vectors, "semaxis", sets)}, ("men", "women"))
    >>> len(chart.layer)
    4
    """
    alt = import_altair()
    names, rows = _axis_rows(results)
    x = alt.X(
        "x:Q",
        title=_axis_title(sides, _AXIS_LENGTHS[size]),
        scale=alt.Scale(domain=_domain([row["x"] for row in rows]), nice=False),
        axis=alt.Axis(orient="top", tickCount=5, format=".2~f"),
    )
    y = alt.Y("at:O", axis=None)
    font_size = _FONT_SIZES[size]
    lines = alt.Chart(alt.Data(values=names))
    words = lines.mark_text(align="right", fontSize=font_size, limit=11 * font_size, color=TEXT)
    marks = alt.Chart(alt.Data(values=rows)).mark_point(filled=True, size=70, opacity=0.9)
    layers = [
        lines.mark_rule(color=RULE).encode(y),
        alt.Chart(alt.Data(values=[{}])).mark_rule(color=PALE).encode(x=alt.datum(0)),
        words.encode(y, alt.Text("word:N"), x=alt.value(-8)),
        marks.encode(
            x, y, tooltip=["word:N", "source:N", "cosine:N"], **_source_marks(list(results), size)
        ),
    ]
    return quiet_axes(alt.layer(*layers).properties(width=_AXIS_LENGTHS[size], height=alt.Step(20)))


def _axis_rows(
    results: Mapping[str, MeasureResult],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The words in order of their mean, and the cosine of each on each source."""
    cosines: dict[str, dict[str, float]] = {}
    for name, result in results.items():
        for word, value in zip(result.words["X"], result.by_word["X"], strict=True):
            cosines.setdefault(word, {})[name] = value
    order = sorted(cosines, key=lambda word: -sum(cosines[word].values()) / len(cosines[word]))
    if len(order) > MAX_WORDS:
        order = [*order[: MAX_WORDS // 2], *order[-MAX_WORDS // 2 :]]
    names = [{"at": index, "word": spell(word)} for index, word in enumerate(order)]
    rows = [
        {"at": index, "word": spell(word), "source": name, "x": x, "cosine": numbers.measure(x)}
        for index, word in enumerate(order)
        for name, x in cosines[word].items()
    ]
    return names, rows


def _source_marks(names: list[str], size: Size) -> dict[str, Any]:
    """Colour and shape of each source, with a legend where there are several."""
    alt = import_altair()
    legend = alt.Legend(orient="bottom", columns=2 if size == "large" else 1, labelLimit=240)
    return {
        field: channel(
            "source:N",
            title=None,
            legend=legend if len(names) > 1 else None,
            scale=alt.Scale(domain=names, range=list(values[: len(names)])),
        )
        for field, channel, values in (
            ("color", alt.Color, _COLOURS),
            ("shape", alt.Shape, _SHAPES),
        )
    }


def plot_map(
    across: MeasureResult,
    up: MeasureResult,
    sides: Sequence[Sides],
    *,
    size: Size = "large",
    domains: Sequence[Sequence[float]] | None = None,
) -> Any:
    """Draw words on two axes: a point for each, labelled where there is room.

    Parameters
    ----------
    across, up
        SemAxis results for the same words on both axes.
    sides
        What the low and the high end of each axis mean.
    size
        For a screen, or for a phone.
    domains
        The ends of both axes, so that several charts are comparable; see `axis_domains`.

    Returns
    -------
    altair.LayerChart
        Labels touch neither each other nor a point; pointing at a point names it.
    """
    alt = import_altair()
    width, height = _MAP_SIZES[size]
    domains = domains or axis_domains([(across, up)])
    words = [spell(word) for word in across.words["X"]]
    points = list(zip(across.by_word["X"], up.by_word["X"], strict=True))
    labels = [
        {"word": words[at.index], "x": at.x, "y": at.y}
        for at in place_on_axes(points, words, domains, width, height, _FONT_SIZES[size])
    ]
    rows = [
        {"word": word, "x": x, "y": y, "across": numbers.measure(x), "up": numbers.measure(y)}
        for word, (x, y) in zip(words, points, strict=True)
    ]
    x, y = (
        channel(
            f"{field}:Q",
            title=_axis_title(side, length),
            scale=alt.Scale(domain=list(domain), nice=False),
            axis=alt.Axis(tickCount=5, format=".2~f"),
        )
        for channel, field, side, domain, length in (
            (alt.X, "x", sides[0], domains[0], width),
            (alt.Y, "y", sides[1], domains[1], height),
        )
    )
    pointed = alt.selection_point(name="pointed", on="pointerover", empty=False)
    zero = alt.Chart(alt.Data(values=[{}])).mark_rule(color=PALE)
    point_size = alt.condition(pointed, alt.value(150), alt.value(45))
    layers = [
        zero.encode(x=alt.datum(0)),
        zero.encode(y=alt.datum(0)),
        alt.Chart(alt.Data(values=rows))
        .mark_circle(color=INK, opacity=0.85)
        .encode(x, y, size=point_size, tooltip=["word:N", "across:N", "up:N"])
        .add_params(pointed),
        *halo_text(
            alt.Chart(alt.Data(values=labels)),
            {"x": x, "y": y, "text": alt.Text("word:N")},
            align="left",
            baseline="middle",
            fontSize=_FONT_SIZES[size],
            color=TEXT,
        ),
    ]
    return quiet_axes(alt.layer(*layers).properties(width=width, height=height))


def axis_domains(pairs: Sequence[tuple[MeasureResult, MeasureResult]]) -> list[list[float]]:
    """The ends of both axes for results on several sources."""
    return [_domain([x for pair in pairs for x in pair[k].by_word["X"]]) for k in range(2)]


def _domain(values: Sequence[float]) -> list[float]:
    """The ends of an axis: zero is inside, and no point is on the edge."""
    low, high = min([0.0, *values]), max([0.0, *values])
    padding = 0.08 * (high - low) or 0.1
    return [low - padding, high + padding]


def _axis_title(sides: Sides, length: float) -> str | list[str]:
    """What the two ends of an axis mean, on two lines where one is too short."""
    low, high = (spell(side, phrase=False) for side in sides)
    text = f"← {low} · {high} →"
    return text if len(text) * 6 <= length else [f"← {low}", f"{high} →"]


def quiet_axes(chart: Any) -> Any:
    """Configure a chart with grid lines only."""
    return chart.configure_view(strokeWidth=0).configure_axis(
        gridColor=RULE, domain=False, ticks=False, labelFontSize=11, titleFontSize=12
    )


def plot_neighbours(
    neighbours: Mapping[str, Sequence[tuple[str, float]]],
    *,
    title: str = "cosine",
    label_width: float = 150,
) -> Any:
    """Draw the nearest neighbours of a word: a bar for each, a panel for each source.

    Parameters
    ----------
    neighbours
        Words and their cosine similarities, by the name of the source.
    title
        What the numbers are.
    label_width
        The width at which a word is cut, in pixels.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> len(plot_neighbours({"tiny": [("moon", 0.8), ("star", 0.6)]}).hconcat)
    1
    """
    alt = import_altair()
    cosines = [cosine for pairs in neighbours.values() for _, cosine in pairs]
    domain = [min(0.0, *cosines), max(0.05, *cosines)]
    panels = []
    for name, pairs in neighbours.items():
        rows = [
            {"at": index, "word": spell(word), "x": x, "cosine": numbers.measure(x)}
            for index, (word, x) in enumerate(pairs)
        ]
        chart = alt.Chart(alt.Data(values=rows))
        x = alt.X("x:Q", title=title, scale=alt.Scale(domain=domain))
        y = alt.Y("at:O", axis=None)
        panels.append(
            alt.layer(
                chart.mark_bar(color=INK, height=12).encode(x, y),
                chart.mark_text(align="right", fontSize=12, limit=label_width).encode(
                    y, alt.Text("word:N"), x=alt.value(-8)
                ),
                chart.mark_text(align="left", fontSize=11, dx=4).encode(x, y, alt.Text("cosine:N")),
            ).properties(
                width=200, height=alt.Step(20), title=alt.TitleParams(spell(name), anchor="start")
            )
        )
    return quiet_axes(alt.hconcat(*panels, spacing=40))
