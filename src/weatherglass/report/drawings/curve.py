"""The specification curve of a report, as SVG that a template writes.

`plot_multiverses` of `charts` draws the same numbers with altair, for files.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weatherglass.seedlab import Choice, Multiverse

from .. import numbers
from ..charts import (
    Ranking,
    cell_rows,
    documented_specification,
    label_choices,
    pad_range,
    rank_specifications,
)
from .forest import NARROW, WIDE
from .ticks import nice_ticks

MAX_COLUMNS = 140
_CURVE_HEIGHT, _ROW_HEIGHT, _HEADING = 170.0, 17.0, 26.0
_LEVELS = 4
_LEFT = {WIDE: 372.0, NARROW: 34.0}
_RIGHT = {WIDE: 800.0, NARROW: 332.0}


@dataclass(frozen=True)
class CurveRow:
    """A choice of sets: its name, the ranks at which it occurs by share, and two numbers."""

    name: str
    y: float
    runs: tuple[tuple[int, str], ...]
    """For each level of shade, 1 to 4, the path of the ranks."""

    dots: tuple[float, ...]
    mean: str
    significant: str


@dataclass(frozen=True)
class Factor:
    """The choices for one or two sets, under a heading."""

    heading: str
    y: float
    rows: tuple[CurveRow, ...]


@dataclass(frozen=True)
class Curve:
    """A specification curve at one width; all lengths are in pixels."""

    width: float
    height: float
    left: float
    right: float
    bottom: float
    ticks: tuple[tuple[float, str], ...]
    zero: float
    columns: dict[str, str]
    """The paths of columns of which most are significant, and of the others."""

    rings: tuple[tuple[float, float], ...]
    documented: tuple[float, float, str] | None
    factors: tuple[Factor, ...]


def lay_out_curve(multiverse: Multiverse, width: float = WIDE) -> Curve:
    """Place the effects of all specifications by rank, and below the sets they came from.

    Parameters
    ----------
    multiverse
        The result of `weatherglass.multiverse`.
    width
        `WIDE`, or `NARROW`, which has no rows: a phone has no room for the names of sets, and the
        table has what the rows say.
    """
    ranking = rank_specifications(multiverse, MAX_COLUMNS)
    total = len(multiverse.specifications)
    low, high = pad_range([0.0, *(s.effect for s in multiverse.specifications)], 0.05)
    left, right = _LEFT[width], _RIGHT[width]
    top = 24.0

    def across(rank: float) -> float:
        return left + rank / total * (right - left)

    def down(effect: float) -> float:
        return top + (high - effect) / (high - low) * _CURVE_HEIGHT

    own = documented_specification(multiverse)
    mark = None
    if own is not None:
        text = f"{multiverse.own_adjective} sets: {numbers.effect(own.effect)}"
        mark = (across(ranking.position(own)), down(own.effect), text)
    ringed = [item for item in ranking.ringed if item is not own]
    bottom = top + _CURVE_HEIGHT
    factors, y = [], bottom + 14
    for factor in multiverse.factors if width == WIDE else ():
        rows, next_y = _rows(ranking, factor, across, y + _HEADING)
        factors.append(Factor(_heading(multiverse, factor), y + 15, rows))
        y = next_y + 6
    return Curve(
        width,
        y,
        left,
        right,
        bottom,
        tuple((down(value), numbers.plain(value)) for value in nice_ticks(low, high)),
        down(0.0),
        _column_paths(ranking, across, down),
        tuple((across(ranking.position(item)), down(item.effect)) for item in ringed),
        mark,
        tuple(factors),
    )


def _column_paths(
    ranking: Ranking, across: Callable[[float], float], down: Callable[[float], float]
) -> dict[str, str]:
    """The range of effects of each column, at least so high that a flat part stays visible."""
    alpha = ranking.multiverse.options["alpha"]
    paths = {"significant": "", "not-significant": ""}
    for column in ranking.columns:
        significant = sum(s.p_holm <= alpha for s in column.specifications)
        kind = "significant" if 2 * significant >= column.size else "not-significant"
        x, end = across(column.start), across(column.end)
        y, bottom = down(column.specifications[-1].effect), down(column.specifications[0].effect)
        height = max(4.0, bottom - y)
        y = (y + bottom - height) / 2
        paths[kind] += f"M{x:.1f} {y:.1f}H{end:.1f}v{height:.1f}H{x:.1f}z"
    return paths


def _rows(
    ranking: Ranking, factor: Sequence[Choice], across: Callable[[float], float], top: float
) -> tuple[tuple[CurveRow, ...], float]:
    choices = label_choices(ranking, factor)
    cells = cell_rows(ranking, choices)
    largest = max((cell["share"] for cell in cells), default=1.0)
    rows = []
    for index, (name, (choice, margin)) in enumerate(choices.items()):
        y = top + _ROW_HEIGHT * index
        paths = dict.fromkeys(range(1, _LEVELS + 1), "")
        for cell in (cell for cell in cells if cell["name"] == name):
            level = max(1, min(_LEVELS, round(_LEVELS * cell["share"] / largest + 0.499)))
            paths[level] += f"M{across(cell['start']):.1f} {y:.1f}H{across(cell['end']):.1f}"
        dots = tuple(
            across(ranking.position(specification))
            for specification in ranking.ringed
            if choice.sets.items() <= specification.sets.items()
        )
        runs = tuple((level, path) for level, path in paths.items() if path)
        significant = f"{margin.significant.share:.0%}"
        rows.append(CurveRow(name, y, runs, dots, numbers.effect(margin.mean), significant))
    return tuple(rows), top + _ROW_HEIGHT * len(rows)


def _heading(multiverse: Multiverse, factor: Sequence[Choice]) -> str:
    sides = [multiverse.sides[side] for side in factor[0].sets]
    concepts = ", ".join(" or ".join(side.concepts) or side.label for side in sides)
    return f"Sets for {' and '.join(factor[0].sets)}: {concepts}"
