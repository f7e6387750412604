"""Where words lie along one axis, or on two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from weatherglass.measures import MeasureResult

from .. import numbers
from ..html import spell
from .labels import place_labels
from .plot import INK, PALE, RULE, import_altair

Size = Literal["large", "small"]
"""Of a picture: for a screen, or for a phone and for several side by side."""

MAX_WORDS = 80
"""Most words along one axis; of more, as many from each end."""

_COLOURS = (INK, "#b8600b", "#7a4f9a", "#2f7d55", "#a3364d", "#59666b")
_SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down")
_MAPS = {"large": (660, 460), "small": (286, 300)}
_LINES = {"large": 520, "small": 205}
_LETTERS = {"large": 12.0, "small": 10.5}

Sides = tuple[str, str]
"""What lies at the low and at the high end of an axis."""


def plot_axis(results: Mapping[str, MeasureResult], sides: Sides, *, size: Size = "large") -> Any:
    """Draw words along an axis: a line for each word, a mark on it for each source.

    Parameters
    ----------
    results
        What SemAxis gave, by the name of the source.
    sides
        What lies at the low end and at the high end.
    size
        For a screen, or for a phone.

    Returns
    -------
    altair.LayerChart
        The word with the largest mean on top.

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
    found: dict[str, dict[str, float]] = {}
    for name, one in results.items():
        for word, value in zip(one.words["X"], one.by_word["X"], strict=True):
            found.setdefault(word, {})[name] = value
    order = sorted(found, key=lambda word: -sum(found[word].values()) / len(found[word]))
    shown = (
        order if len(order) <= MAX_WORDS else [*order[: MAX_WORDS // 2], *order[-MAX_WORDS // 2 :]]
    )
    rows: list[dict[str, Any]] = [
        {"at": at, "word": spell(word), "source": name, "x": x, "cosine": numbers.measure(x)}
        for at, word in enumerate(shown)
        for name, x in found[word].items()
    ]
    names = [{"at": at, "word": spell(word)} for at, word in enumerate(shown)]
    domain = _domain([row["x"] for row in rows])
    x = alt.X(
        "x:Q",
        title=_titled(sides, _LINES[size]),
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(orient="top", tickCount=5, format=".2~f"),
    )
    y = alt.Y("at:O", axis=None)
    marks = {
        field: kind(
            "source:N",
            title=None,
            legend=alt.Legend(orient="bottom", columns=2 if size == "large" else 1, labelLimit=240)
            if len(results) > 1
            else None,
            scale=alt.Scale(domain=list(results), range=list(values[: len(results)])),
        )
        for field, kind, values in (
            ("color", alt.Color, _COLOURS),
            ("shape", alt.Shape, _SHAPES),
        )
    }
    letters = _LETTERS[size]
    lines = alt.Chart(alt.Data(values=names))
    layers = [
        lines.mark_rule(color=RULE).encode(y),
        alt.Chart(alt.Data(values=[{}])).mark_rule(color=PALE).encode(x=alt.datum(0)),
        lines.mark_text(align="right", fontSize=letters, limit=11 * letters, color="#333").encode(
            y, alt.Text("word:N"), x=alt.value(-8)
        ),
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(x, y, tooltip=["word:N", "source:N", "cosine:N"], **marks),
    ]
    return finished(alt.layer(*layers).properties(width=_LINES[size], height=alt.Step(20)))


def plot_map(
    across: MeasureResult,
    up: MeasureResult,
    sides: Sequence[Sides],
    *,
    size: Size = "large",
    domains: Sequence[Sequence[float]] | None = None,
) -> Any:
    """Draw words on two axes: a point for each, named where there is room.

    Parameters
    ----------
    across, up
        What SemAxis gave for the same words on both axes.
    sides
        What lies at the low and the high end of each.
    size
        For a screen, or for a phone.
    domains
        The ends of both axes, so that several pictures can be compared; see `axis_domains`.

    Returns
    -------
    altair.LayerChart
        Names touch neither each other nor a point; pointing at a point names it.
    """
    alt = import_altair()
    width, height = _MAPS[size]
    values = list(zip(across.words["X"], across.by_word["X"], up.by_word["X"], strict=True))
    ends = domains or axis_domains([(across, up)])
    words = [spell(word) for word, _, _ in values]
    named = _named(words, [(x, y) for _, x, y in values], ends, size)
    dots = [
        {"word": word, "x": x, "y": y, "across": numbers.measure(x), "up": numbers.measure(y)}
        for word, (_, x, y) in zip(words, values, strict=True)
    ]
    x, y = (
        kind(
            f"{field}:Q",
            title=_titled(side, room),
            scale=alt.Scale(domain=list(end), nice=False),
            axis=alt.Axis(tickCount=5, format=".2~f"),
        )
        for kind, field, side, end, room in (
            (alt.X, "x", sides[0], ends[0], width),
            (alt.Y, "y", sides[1], ends[1], height),
        )
    )
    here = alt.selection_point(name="pointed", on="pointerover", empty=False)
    nothing = alt.Chart(alt.Data(values=[{}]))
    layers = [
        nothing.mark_rule(color=PALE).encode(x=alt.datum(0)),
        nothing.mark_rule(color=PALE).encode(y=alt.datum(0)),
        alt.Chart(alt.Data(values=dots))
        .mark_circle(color=INK, opacity=0.85)
        .encode(
            x,
            y,
            size=alt.condition(here, alt.value(150), alt.value(45)),
            tooltip=["word:N", "across:N", "up:N"],
        )
        .add_params(here),
        *(
            alt.Chart(alt.Data(values=named))
            .mark_text(
                align="left", baseline="middle", fontSize=_LETTERS[size], color="#333", **halo
            )
            .encode(x, y, alt.Text("word:N"))
            for halo in ({"stroke": "white", "strokeWidth": 3}, {})  # over lines it stays readable
        ),
    ]
    return finished(alt.layer(*layers).properties(width=width, height=height))


def _named(
    words: Sequence[str],
    values: Sequence[tuple[float, float]],
    ends: Sequence[Sequence[float]],
    size: Size,
) -> list[dict[str, Any]]:
    """The words that there is room for, and where on the axes each begins."""
    width, height = _MAPS[size]
    (low_x, high_x), (low_y, high_y) = ends
    across, up = (high_x - low_x) / width, (high_y - low_y) / height  # of a pixel
    places = [((x - low_x) / across, (high_y - y) / up) for x, y in values]
    return [
        {"word": words[one.at], "x": low_x + one.left * across, "y": high_y - one.middle * up}
        for one in place_labels(places, words, width=width, height=height, size=_LETTERS[size])
    ]


def axis_domains(pairs: Sequence[tuple[MeasureResult, MeasureResult]]) -> list[list[float]]:
    """The ends of both axes for results on several sources."""
    return [_domain([x for pair in pairs for x in pair[k].by_word["X"]]) for k in range(2)]


def _domain(values: Sequence[float]) -> list[float]:
    """The ends of an axis: zero is inside, and points do not lie on the edge."""
    low, high = min([0.0, *values]), max([0.0, *values])
    room = 0.08 * (high - low) or 0.1
    return [low - room, high + room]


def _titled(sides: Sides, room: float) -> str | list[str]:
    """What the two ends of an axis stand for, on two lines where one is too short."""
    low, high = (spell(side, phrase=False) for side in sides)
    text = f"← {low} · {high} →"
    return text if len(text) * 6 <= room else [f"← {low}", f"{high} →"]


def finished(chart: Any) -> Any:
    """A chart with quiet axes."""
    return chart.configure_view(strokeWidth=0).configure_axis(
        gridColor=RULE, domain=False, ticks=False, labelFontSize=11, titleFontSize=12
    )


def plot_neighbours(found: Mapping[str, Sequence[tuple[str, float]]]) -> Any:
    """Draw the neighbours of a word: a bar for each, a panel for each source.

    Parameters
    ----------
    found
        The words and their cosines, by the name of the source.

    Returns
    -------
    altair.HConcatChart

    Examples
    --------
    >>> len(plot_neighbours({"tiny": [("moon", 0.8), ("star", 0.6)]}).hconcat)
    1
    """
    alt = import_altair()
    cosines = [cosine for some in found.values() for _, cosine in some]
    domain = [min(0.0, *cosines), max(0.05, *cosines)]
    panels = []
    for name, some in found.items():
        rows = [
            {"at": at, "word": spell(word), "x": x, "cosine": numbers.measure(x)}
            for at, (word, x) in enumerate(some)
        ]
        chart = alt.Chart(alt.Data(values=rows))
        x = alt.X("x:Q", title="cosine", scale=alt.Scale(domain=domain))
        y = alt.Y("at:O", axis=None)
        panels.append(
            alt.layer(
                chart.mark_bar(color=INK, height=12).encode(x, y),
                chart.mark_text(align="right", fontSize=12, limit=150).encode(
                    y, alt.Text("word:N"), x=alt.value(-8)
                ),
                chart.mark_text(align="left", fontSize=11, dx=4).encode(x, y, alt.Text("cosine:N")),
            ).properties(
                width=200, height=alt.Step(20), title=alt.TitleParams(spell(name), anchor="start")
            )
        )
    return finished(alt.hconcat(*panels, spacing=40))
