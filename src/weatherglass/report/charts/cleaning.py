"""Chart of the names that a discovery kept and dropped (figure 1 of Swinger et al. 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weatherglass.discovery import Cleaning, Discovery
from weatherglass.errors import CannotMeasure

from ..discovery import prose
from ..html import spell
from .labels import place_near, place_on_axes
from .style import (
    DEEP_ACCENT,
    INK,
    PALE,
    SOFT,
    Datasets,
    Values,
    halo_text,
    import_altair,
    pad_range,
    quiet_axis,
)

_WIDTH, _HEIGHT = 640, 420
_MAX_LABELS = 40
_LABEL_SIZE = 10.5
_GRID = 3.5  # pixels: points of the same colour within this distance are drawn once
_KINDS = {"kept": "#649fb1", "dropped": DEEP_ACCENT}


def plot_cleaning(discovery: Discovery, *, show_slurs: bool = False) -> Any:
    """Draw the probability of each name against its rank in the embedding.

    Parameters
    ----------
    discovery
        The result of `weatherglass.discover`, with names that the list states the frequency of.
    show_slurs
        Write slurs out; they are masked otherwise.

    Returns
    -------
    altair.LayerChart
        A dot for each name, in one colour if cleaning kept it and in another if it was dropped, on
        logarithmic axes; the power law of the names kept as a line; and labels for the names
        farthest from it. A name below the line is more frequent in text than among people.
        Dots of one colour that would cover each other are drawn once.

    Raises
    ------
    CannotMeasure
        The list does not state how many people have a name, or too few names were kept.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> discovery = wg.discover(vectors.subset(vectors.words[:8000]), groups=4, categories=8,
    ...                         words=2000, rotations=99, control="none")
    >>> chart = plot_cleaning(discovery)
    >>> chart.title["text"]
    'Names kept and dropped by cleaning on default'
    """
    cleaning = discovery.cleaning
    if cleaning is None:
        raise CannotMeasure(
            "There is nothing to draw: the list of names does not state how many people have each."
        )
    alt = import_altair()
    law = cleaning.power_law
    points = _points(cleaning, mask=not show_slurs)
    domains = [pad_range([row[axis] for row in points], 0.03) for axis in ("rank", "p")]
    ends = [
        (x, law.constant + law.exponent * x)
        for x in _clip_line(law.exponent, law.constant, domains)
    ]
    farthest = np.argsort(-np.abs(cleaning.residuals), kind="stable")[: 2 * _MAX_LABELS].tolist()
    drawn = _thin(points, farthest, domains)
    labels, leaders = _labels([points[i] for i in farthest], drawn, domains, ends)
    data = Datasets()
    x = alt.X(
        "rank:Q",
        scale=alt.Scale(domain=domains[0], nice=False),
        axis=_log_axis("rank of the name in the embedding"),
    )
    y = alt.Y(
        "p:Q",
        scale=alt.Scale(domain=domains[1], nice=False),
        axis=_log_axis("share of people with the name"),
    )
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=list(_KINDS), range=list(_KINDS.values())),
        legend=alt.Legend(orient="top", title=None, symbolOpacity=1),
    )
    line = data.add([{"rank": rank, "p": p} for rank, p in ends])
    layers = [
        alt.Chart(data.add(drawn))
        .mark_circle(size=14, opacity=0.75, aria=False)
        .encode(x, y, colour, tooltip=["name:N", "kind:N"]),
        alt.Chart(line).mark_line(color=INK, strokeWidth=1.5, strokeDash=[6, 3]).encode(x, y),
    ]
    if leaders:
        rule = alt.Chart(data.add(leaders)).mark_rule(color=PALE, strokeWidth=0.8)
        layers.append(rule.encode(x, y, alt.X2("x2:Q"), alt.Y2("y2:Q")))
    layers += halo_text(
        alt.Chart(data.add(labels)),
        {"x": x, "y": y, "text": alt.Text("name:N"), "color": alt.Color("ink:N", scale=None)},
        align="left",
        baseline="middle",
        fontSize=_LABEL_SIZE,
    )
    chart = (
        alt.layer(*layers)
        .resolve_scale(color="independent")
        .properties(
            width=_WIDTH, height=_HEIGHT, background="white", title=_title(discovery, cleaning)
        )
    )
    return data.attach(chart.configure_view(strokeWidth=0))


def _log_axis(title: str) -> Any:
    """An axis of powers of ten, for data that are logarithms."""
    power = "(datum.value < 0 ? '1/' : '') + format(pow(10, abs(datum.value)), ',')"
    return quiet_axis(title=title, values=list(range(-9, 10)), labelExpr=power)


def _points(cleaning: Cleaning, mask: bool) -> Values:
    ranks = np.log10(np.array(cleaning.ranks, float)).tolist()
    rows = zip(cleaning.names, ranks, cleaning.log_probabilities, cleaning.is_kept, strict=True)
    return [
        {
            "name": spell(name, mask=mask),
            "rank": rank,
            "p": p,
            "kind": "kept" if is_kept else "dropped",
        }
        for name, rank, p, is_kept in rows
    ]


def _thin(points: Values, first: Sequence[int], domains: list[list[float]]) -> Values:
    """Return one of the points that would cover each other: of `first`, or else drawn at random.

    So the colours of a crowd are about as frequent as the kinds of its names. If each kind were
    thinned by itself, the fifth that is dropped would look like a half, or cover the others.
    """
    (low_x, high_x), (low_y, high_y) = domains
    across, down = _WIDTH / _GRID / (high_x - low_x), _HEIGHT / _GRID / (high_y - low_y)
    cells: dict[tuple[int, int], dict[str, Any]] = {}
    order = np.random.default_rng(0).permutation(len(points)).tolist()
    for row in (points[i] for i in (*first, *order)):
        at = int((row["rank"] - low_x) * across), int((row["p"] - low_y) * down)
        cells.setdefault(at, row)
    return list(cells.values())


def _clip_line(exponent: float, constant: float, domains: list[list[float]]) -> list[float]:
    """The ranks, as logarithms, between which the power law is inside the chart."""
    (low_x, high_x), (low_y, high_y) = domains
    if not exponent:
        return [low_x, high_x]
    crossings = sorted((y - constant) / exponent for y in (low_y, high_y))
    return [max(low_x, crossings[0]), min(high_x, crossings[1])]


def _labels(
    rows: Values,
    drawn: Values,
    domains: list[list[float]],
    line: list[tuple[float, float]],
) -> tuple[Values, Values]:
    """The labels of `rows`, the farthest from the power law first, and lines to those not near."""
    others = [row for row in drawn if row not in rows]
    placed = place_on_axes(
        [(row["rank"], row["p"]) for row in (*rows, *others)],
        [*(row["name"] for row in rows), *("" for _ in others)],
        domains,
        _WIDTH,
        _HEIGHT,
        _LABEL_SIZE,
        line=line,
        positions=place_near,
    )[:_MAX_LABELS]
    labels: Values = [
        {
            "name": rows[label.index]["name"],
            "rank": label.x,
            "p": label.y,
            "ink": INK if rows[label.index]["kind"] == "kept" else DEEP_ACCENT,
        }
        for label in placed
    ]
    leaders: Values = [
        {"rank": x, "p": y, "x2": x2, "y2": y2}
        for (x, y), (x2, y2) in (label.leader for label in placed if label.leader)
    ]
    return labels, leaders


def _title(discovery: Discovery, cleaning: Cleaning) -> dict[str, Any]:
    law = cleaning.power_law
    kept = sum(cleaning.is_kept)
    exponent = f"{law.exponent:.2f}".replace("-", "−")
    return {
        "text": f"Names kept and dropped by cleaning on {prose.short_name(discovery)}",
        "subtitle": [
            f"{len(cleaning.names):,} names, of which {kept:,} were kept. Line: the power law of "
            f"these, exponent {exponent}, R² {law.r2:.2f}.",
            "Labels: names farthest from the line; below it, a token is more frequent in text than "
            "the name is among people.",
        ],
        "subtitleColor": SOFT,
        "anchor": "start",
        "offset": 10,
    }
