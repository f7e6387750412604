"""The specification curve: every effect of a multiverse in order, and the sets it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from weatherglass.seedlab import Choice, Margin, Multiverse, Specification

from .style import ACCENT, INK, LIGHT, PALE, RULE, SOFT, Datasets, Values, import_altair

WIDTH = 560
MAX_COLUMNS = 280
"""Maximum number of columns: two pixels each. More specifications share columns by rank."""

MAX_RINGS = 80
"""Maximum number of choices of whole sets with a mark of their own; more would hide the curve."""


@dataclass(frozen=True)
class Column:
    """Specifications adjacent in rank that are drawn as one: ranks `start` to `end` - 1."""

    start: int
    end: int
    specifications: tuple[Specification, ...]

    @property
    def size(self) -> int:
        """The number of specifications."""
        return len(self.specifications)


@dataclass(frozen=True)
class Ranking:
    """A multiverse by rank: its columns, and the x of each specification in the chart."""

    multiverse: Multiverse
    columns: tuple[Column, ...]
    positions: dict[int, float]

    @property
    def ringed(self) -> tuple[Specification, ...]:
        """The specifications of whole sets, if they are few enough to be marked."""
        whole = self.multiverse.whole
        return whole if len(whole) <= MAX_RINGS else ()

    def position(self, specification: Specification) -> float:
        """The middle of the rank of a specification."""
        return self.positions[id(specification)]


def rank_specifications(multiverse: Multiverse, columns: int = MAX_COLUMNS) -> Ranking:
    """Rank the specifications by effect, from the smallest, in at most `columns` columns."""
    ranked = sorted(multiverse.specifications, key=lambda specification: specification.effect)
    count = min(columns, len(ranked))
    edges = [round(k * len(ranked) / count) for k in range(count + 1)]
    groups = tuple(Column(low, high, tuple(ranked[low:high])) for low, high in pairwise(edges))
    positions = {id(specification): rank + 0.5 for rank, specification in enumerate(ranked)}
    return Ranking(multiverse, groups, positions)


_ROW_HEIGHT = 17
_MAX_LABEL_LETTERS = 58
# Columns of numbers to the right of the rows: heading, and pixels from the curve to its right edge.
_NUMBER_COLUMNS = {"mean": ("mean effect", 62), "significant": ("significant", 132)}

LabelledChoices = dict[str, tuple[Choice, Margin]]


def _choice_rows(ranking: Ranking, factor: Sequence[Choice], x: Any, data: Datasets) -> Any:
    """A row for each choice of a factor, the one with the largest mean effect on top."""
    alt = import_altair()
    choices = label_choices(ranking, factor)
    y = alt.Y(
        "name:N",
        sort=list(choices),
        title=None,
        scale=alt.Scale(domain=list(choices)),
        axis=alt.Axis(labelLimit=460, labelPadding=8, grid=False),
    )
    cells = cell_rows(ranking, choices)
    shade = alt.Opacity(
        "share:Q",
        scale=alt.Scale(domain=[0, max(cell["share"] for cell in cells)], range=[0.1, 1]),
        legend=None,
    )
    colour = alt.condition("datum.own", alt.value(ACCENT), alt.value(INK))
    layers = [
        alt.Chart(data.add(cells))
        .mark_rect(color=LIGHT[4], aria=False)
        .encode(x, y, shade, alt.X2("end:Q"), tooltip=["name:N", "share:Q"]),
        alt.Chart(data.add(_dot_rows(ranking, choices)))
        .mark_circle(size=26, opacity=1, stroke="white", strokeWidth=0.6, aria=False)
        .encode(x, y, color=colour),
        *_number_columns(choices, y, data),
    ]
    heading = f"Sets for {' and '.join(factor[0].sets)}: {_concepts(ranking, factor)}"
    title = alt.TitleParams(
        heading, fontSize=11, anchor="start", frame="group", color=INK, offset=4
    )
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(_ROW_HEIGHT), title=title)


def label_choices(ranking: Ranking, factor: Sequence[Choice]) -> LabelledChoices:
    """The choices that were used, by the label of their row."""
    margins = {tuple(row.sets.items()): row for row in ranking.multiverse.summary.margins}
    used = [
        (choice, margins[sets])
        for choice in factor
        if (sets := tuple(choice.sets.items())) in margins
    ]
    choices: LabelledChoices = {}
    for choice, margin in sorted(used, key=lambda pair: -pair[1].mean):
        label = _choice_label(choice)
        duplicates = sum(other.removesuffix("′") == label for other in choices)
        choices[label + "′" * duplicates] = choice, margin
    return choices


def cell_rows(ranking: Ranking, choices: LabelledChoices) -> Values:
    """For each column and choice, the share of specifications that use it."""
    names = {tuple(choice.sets.values()): name for name, (choice, _) in choices.items()}
    sides = tuple(next(iter(choices.values()))[0].sets)
    rows: Values = []
    for column in ranking.columns:
        shares: dict[str, float] = {}
        for specification in column.specifications:
            name = names[tuple(specification.sets[side] for side in sides)]
            shares[name] = shares.get(name, 0.0) + 1 / column.size
        rows += [
            {"start": column.start, "end": column.end, "name": name, "share": share}
            for name, share in shares.items()
        ]
    return rows


def _dot_rows(ranking: Ranking, choices: LabelledChoices) -> Values:
    """The specifications of whole sets; the documented one last, so that nothing covers it."""
    own = documented_specification(ranking.multiverse)
    rows = [
        {"start": ranking.position(specification), "name": name, "own": specification is own}
        for specification in ranking.ringed or ((own,) if own else ())
        for name, (choice, _) in choices.items()
        if choice.sets.items() <= specification.sets.items()
    ]
    return sorted(rows, key=lambda row: bool(row["own"]))


def documented_specification(multiverse: Multiverse) -> Specification | None:
    index = multiverse.documented
    return None if index is None else multiverse.specifications[index]


def _number_columns(choices: LabelledChoices, y: Any, data: Datasets) -> list[Any]:
    """Mean effect and share significant, in columns to the right, with their headings."""
    alt = import_altair()
    rows = [
        {
            "name": name,
            "mean": f"{margin.mean:.2f}",
            "significant": f"{margin.significant.share:.0%}",
        }
        for name, (_, margin) in choices.items()
    ]
    table = data.add(rows)
    layers = []
    for name, (head, right) in _NUMBER_COLUMNS.items():
        texts = alt.Chart(table).mark_text(align="right", fontSize=11, color=SOFT)
        heading = alt.Chart(data.add([{"head": head}])).mark_text(
            align="right", baseline="bottom", fontSize=10, color=SOFT
        )
        edge = alt.value(WIDTH + right)
        layers.append(texts.encode(y, alt.Text(f"{name}:N"), x=edge))
        layers.append(heading.encode(alt.Text("head:N"), x=edge, y=alt.value(-5)))
    return layers


def _concepts(ranking: Ranking, factor: Sequence[Choice]) -> str:
    sides = [ranking.multiverse.sides[side] for side in factor[0].sets]
    return ", ".join(" or ".join(side.concepts) or side.label for side in sides)


def _choice_label(choice: Choice) -> str:
    """The name of a choice; of one that is too long, the beginning and the study."""
    name = choice.name
    if len(name) > _MAX_LABEL_LETTERS:
        names, comma, study = name.rpartition(", ")
        keeps_study = names and len(study) < _MAX_LABEL_LETTERS // 2
        end = f"…{comma}{study}" if keeps_study else "…"
        name = (names or name)[: _MAX_LABEL_LETTERS - len(end)] + end
    return f"{name} *" if choice.documented else name


CURVE_HEIGHT = 210
_NOT_SIGNIFICANT = "#b9c7cc"
_LABEL_COLOUR = "#a85d12"  # the accent, dark enough to read
_TOOLTIP = ("sets:N", "effect:Q", "p:N")


def plot_multiverses(multiverses: Sequence[Multiverse], *, columns: int = MAX_COLUMNS) -> Any:
    """Draw multiverses, one below the other.

    Parameters
    ----------
    multiverses
        Results of `weatherglass.multiverse`.
    columns
        Maximum number of columns of a chart. Fewer make the file smaller, not the chart narrower.

    Returns
    -------
    altair.VConcatChart
        Above, the effects by rank, dark where they are significant after Holm's correction, with a
        ring for every choice of whole sets, if these are few, and the documented one marked. Below,
        a row for each choice of sets: the shade is the share of a column's specifications that use
        it, the dots are the whole sets again. Where there are more specifications than columns,
        each column holds several of adjacent rank, and the subtitle says how many.

    Examples
    --------
    >>> import weatherglass as wg
    >>> multiverse = wg.multiverse(wg.open_vectors("default"), "weat7", samples=2)
    >>> len(plot_multiverses([multiverse]).vconcat)
    1
    """
    alt = import_altair()
    data = Datasets()
    curves = (_specification_curve(multiverse, data, columns) for multiverse in multiverses)
    return data.attach(
        alt.vconcat(*curves, spacing=40)
        .resolve_scale(x="independent", y="independent")
        .configure_view(strokeWidth=0)
        .configure_axis(domain=False, ticks=False, labelFontSize=11, titleFontSize=11)
        .configure_concat(spacing=8)
        .properties(background="white")
    )


def _specification_curve(multiverse: Multiverse, data: Datasets, columns: int) -> Any:
    alt = import_altair()
    ranking = rank_specifications(multiverse, columns)
    scale = alt.Scale(domain=[0, len(multiverse.specifications)], nice=False)
    x = alt.X("start:Q", axis=None, scale=scale)
    parts = [
        _effect_curve(ranking, x, data),
        *(_choice_rows(ranking, factor, x, data) for factor in multiverse.factors),
    ]
    return alt.vconcat(*parts, spacing=8, title=_title(ranking)).resolve_scale(
        x="shared", color="independent", opacity="independent"
    )


def _effect_curve(ranking: Ranking, x: Any, data: Datasets) -> Any:
    """A box for each column, a ring for each choice of whole sets, the documented one marked."""
    alt = import_altair()
    effects = [0.0, *(item.effect for item in ranking.multiverse.specifications)]
    low, high = min(effects), max(effects)
    padding = 0.05 * (high - low)
    y = alt.Y(
        "low:Q",
        title="effect size",
        axis=alt.Axis(gridColor=RULE, tickCount=6),
        scale=alt.Scale(domain=[low - padding, high + padding], nice=False),
    )
    colour = alt.Color(
        "significant:Q",
        title="significant (Holm)",
        scale=alt.Scale(domain=[0, 1], range=[_NOT_SIGNIFICANT, INK]),
        legend=alt.Legend(orient="right", format="%", gradientLength=110, titleFontSize=10),
    )
    boxes = _box_rows(ranking, min_height=2 * (high - low) / CURVE_HEIGHT)
    rings = [_point_row(specification, ranking) for specification in ranking.ringed]
    layers = [
        alt.Chart(data.add([{"low": 0}])).mark_rule(color=PALE).encode(y),
        alt.Chart(data.add(boxes))
        .mark_rect(aria=False)
        .encode(x, y, colour, alt.X2("end:Q"), alt.Y2("high:Q"), tooltip=["significant:Q"]),
        alt.Chart(data.add(rings))
        .mark_point(size=34, color=INK, fill="white", strokeWidth=1.3, opacity=1)
        .encode(x, y, tooltip=list(_TOOLTIP)),
    ]
    documented = documented_specification(ranking.multiverse)
    if documented is not None:
        layers += _documented_mark(ranking, documented, x, y, data)
    return alt.layer(*layers).properties(width=WIDTH, height=CURVE_HEIGHT)


def _box_rows(ranking: Ranking, min_height: float) -> Values:
    """The range of effects of each column, at least so high that a flat part stays visible."""
    alpha = ranking.multiverse.options["alpha"]
    return [
        {
            "start": column.start,
            "end": column.end,
            "low": column.specifications[0].effect - min_height,
            "high": column.specifications[-1].effect + min_height,
            "significant": sum(s.p_holm <= alpha for s in column.specifications) / column.size,
        }
        for column in ranking.columns
    ]


def _documented_mark(
    ranking: Ranking, documented: Specification, x: Any, y: Any, data: Datasets
) -> list[Any]:
    """The documented specification; its label is on the side with more room."""
    alt = import_altair()
    mark = alt.Chart(data.add([_point_row(documented, ranking)]))
    is_right = ranking.position(documented) > len(ranking.multiverse.specifications) / 2
    side = {"align": "right", "dx": -10} if is_right else {"align": "left", "dx": 10}
    text = mark.mark_text(fontSize=11, fontWeight="bold", color=_LABEL_COLOUR, dy=-8, **side)
    return [
        mark.mark_rule(color=ACCENT, strokeWidth=1, opacity=0.8).encode(x),
        mark.mark_point(size=70, color=ACCENT, fill=ACCENT, opacity=1).encode(
            x, y, tooltip=list(_TOOLTIP)
        ),
        text.encode(x, y, alt.Text("label:N")),
    ]


def _point_row(specification: Specification, ranking: Ranking) -> dict[str, Any]:
    choices = ranking.multiverse.choices(specification.sets)
    own = "documented" if ranking.multiverse.own_adjective == "documented" else "your sets"
    return {
        "start": ranking.position(specification),
        "low": specification.effect,
        "effect": specification.effect,
        "sets": " × ".join(choice.name for choice in choices),
        "p": str(specification.p),
        "label": f"{own}: {specification.effect:.2f}",
    }


def _title(ranking: Ranking) -> dict[str, Any]:
    multiverse = ranking.multiverse
    significant = multiverse.summary.significant["holm"]["whole"]
    same_sign = multiverse.summary.same_sign["whole"]
    signs = {"documented": "the documented sign", "your": "the sign of your sets"}
    has_own = multiverse.documented is not None
    sign = signs[multiverse.own_adjective] if has_own else "a positive sign"
    sizes = sorted({column.size for column in ranking.columns})
    rings = " (rings)" if ranking.ringed else ""
    rows = "Rows: the sets of each specification."
    if sizes[-1] > 1:
        each = " or ".join(map(str, sizes))
        rows = (
            f"Each column holds {each} specifications of adjacent rank. Rows: their sets; the "
            "darker, the larger the share of the column."
        )
    count = f"{len(multiverse.specifications):,} specifications on {multiverse.source['name']}"
    return {
        "text": f"{multiverse.title}: {count}",
        "subtitle": [
            f"Of {significant.of} choices of whole sets{rings}, {same_sign.count} have {sign} "
            f"and {significant.count} are significant after Holm's correction.",
            rows,
        ],
        "subtitleColor": SOFT,
        "anchor": "start",
        "frame": "bounds",
        "offset": 12,
    }
