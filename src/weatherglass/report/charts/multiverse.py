"""The specification curve: every effect of a multiverse in order, and which sets it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from weatherglass.seedlab import Choice, Margin, Multiverse, Specification

from .plot import ACCENT, INK, PALE, RULE, import_altair
from .style import LIGHT, Datasets, Values

WIDTH = 560
MAX_COLUMNS = 280
"""Most columns of the picture: two pixels each. More specifications are put together in rank."""

MAX_RINGS = 80
"""Most choices of whole sets that are marked one by one; more would hide the curve."""


@dataclass(frozen=True)
class Column:
    """Neighbours in rank that are drawn as one: the ranks from `start` up to `end`."""

    start: int
    end: int
    specifications: tuple[Specification, ...]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.specifications)


@dataclass(frozen=True)
class Ranked:
    """A multiverse in order: its columns, and where each specification stands in the picture."""

    found: Multiverse
    columns: tuple[Column, ...]
    places: dict[int, float]

    @property
    def ringed(self) -> tuple[Specification, ...]:
        """The specifications of whole sets, if they are few enough to be marked."""
        whole = self.found.whole
        return whole if len(whole) <= MAX_RINGS else ()

    def place(self, one: Specification) -> float:
        """The middle of the rank of a specification."""
        return self.places[id(one)]


def ranked(found: Multiverse, columns: int = MAX_COLUMNS) -> Ranked:
    """The specifications from the smallest effect to the largest, in so many columns at most."""
    ordered = sorted(found.specifications, key=lambda one: one.effect)
    count = min(columns, len(ordered))
    edges = [round(k * len(ordered) / count) for k in range(count + 1)]
    made = tuple(Column(low, high, tuple(ordered[low:high])) for low, high in pairwise(edges))
    return Ranked(found, made, {id(one): at + 0.5 for at, one in enumerate(ordered)})


ROW = 17
SOFT = "#51646b"
_LONGEST = 58
_HEADS = {"mean": ("mean effect", 62), "significant": ("significant", 132)}

Named = dict[str, tuple[Choice, Margin]]


def set_rows(order: Ranked, factor: Sequence[Choice], x: Any, data: Datasets) -> Any:
    """A row for each choice of a factor, the one with the largest mean effect on top."""
    alt = import_altair()
    rows = _rows(order, factor)
    y = alt.Y(
        "name:N",
        sort=list(rows),
        title=None,
        scale=alt.Scale(domain=list(rows)),
        axis=alt.Axis(labelLimit=460, labelPadding=8, grid=False),
    )
    cells = _cells(order, rows)
    shade = alt.Opacity(
        "share:Q",
        scale=alt.Scale(domain=[0, max(cell["share"] for cell in cells)], range=[0.1, 1]),
        legend=None,
    )
    own = alt.condition("datum.own", alt.value(ACCENT), alt.value(INK))
    layers = [
        alt.Chart(data.named(cells))
        .mark_rect(color=LIGHT[4], aria=False)
        .encode(x, y, shade, alt.X2("end:Q"), tooltip=["name:N", "share:Q"]),
        alt.Chart(data.named(_dots(order, rows)))
        .mark_circle(size=26, opacity=1, stroke="white", strokeWidth=0.6, aria=False)
        .encode(x, y, color=own),
        *_texts(rows, y, data),
    ]
    heading = f"Sets for {' and '.join(factor[0].sets)}: {_concepts(order, factor)}"
    title = alt.TitleParams(
        heading, fontSize=11, anchor="start", frame="group", color=INK, offset=4
    )
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(ROW), title=title)


def _rows(order: Ranked, factor: Sequence[Choice]) -> Named:
    """The choices that were used, by the label of their row."""
    margins = {tuple(one.sets.items()): one for one in order.found.summary.margins}
    used = [
        (choice, margins[sets])
        for choice in factor
        if (sets := tuple(choice.sets.items())) in margins
    ]
    made: Named = {}
    for choice, margin in sorted(used, key=lambda one: -one[1].mean):
        label = _label(choice)
        same = sum(other.removesuffix("′") == label for other in made)
        made[label + "′" * same] = choice, margin
    return made


def _cells(order: Ranked, rows: Named) -> Values:
    """For each column and choice, the share of specifications that use it."""
    names = {tuple(choice.sets.values()): name for name, (choice, _) in rows.items()}
    sides = tuple(next(iter(rows.values()))[0].sets)
    made: Values = []
    for column in order.columns:
        shares: dict[str, float] = {}
        for one in column.specifications:
            name = names[tuple(one.sets[side] for side in sides)]
            shares[name] = shares.get(name, 0.0) + 1 / column.size
        made += [
            {"start": column.start, "end": column.end, "name": name, "share": share}
            for name, share in shares.items()
        ]
    return made


def _dots(order: Ranked, rows: Named) -> Values:
    """The specifications of whole sets; the documented one last, so that nothing covers it."""
    found = order.found
    own = None if found.documented is None else found.specifications[found.documented]
    marked = order.ringed or ((own,) if own else ())
    made = [
        {"start": order.place(one), "name": name, "own": one is own}
        for one in marked
        for name, (choice, _) in rows.items()
        if choice.sets.items() <= one.sets.items()
    ]
    return sorted(made, key=lambda dot: bool(dot["own"]))


def _texts(rows: Named, y: Any, data: Datasets) -> list[Any]:
    """Mean effect and share significant, in columns to the right, with their headings."""
    alt = import_altair()
    facts = [
        {
            "name": name,
            "mean": f"{margin.mean:.2f}",
            "significant": f"{margin.significant.share:.0%}",
        }
        for name, (_, margin) in rows.items()
    ]
    table = data.named(facts)
    layers = []
    for name, (head, right) in _HEADS.items():
        texts = alt.Chart(table).mark_text(align="right", fontSize=11, color=SOFT)
        heading = alt.Chart(data.named([{"head": head}])).mark_text(
            align="right", baseline="bottom", fontSize=10, color=SOFT
        )
        at = alt.value(WIDTH + right)
        layers.append(texts.encode(y, alt.Text(f"{name}:N"), x=at))
        layers.append(heading.encode(alt.Text("head:N"), x=at, y=alt.value(-5)))
    return layers


def _concepts(order: Ranked, factor: Sequence[Choice]) -> str:
    sides = [order.found.sides[side] for side in factor[0].sets]
    return ", ".join(" or ".join(side.concepts) or side.label for side in sides)


def _label(choice: Choice) -> str:
    """The name of a choice; of one that is too long, the beginning and the study."""
    name = choice.name
    if len(name) > _LONGEST:
        names, comma, study = name.rpartition(", ")
        end = f"…{comma}{study}" if names and len(study) < _LONGEST // 2 else "…"
        name = (names or name)[: _LONGEST - len(end)] + end
    return f"{name} *" if choice.documented else name


HEIGHT = 210
_NOT_SIGNIFICANT = "#b9c7cc"
_LABEL = "#a85d12"  # the accent, dark enough to read
_ABOUT = ("sets:N", "effect:Q", "p:N")


def plot_multiverses(found: Sequence[Multiverse], *, columns: int = MAX_COLUMNS) -> Any:
    """Draw multiverses, one below the other.

    Parameters
    ----------
    found
        What `weatherglass.multiverse` gave.
    columns
        Most columns of a picture. Fewer make it smaller, not narrower.

    Returns
    -------
    altair.VConcatChart
        Above, the effects in order, dark where they are significant after Holm's correction, with
        a ring for every choice of whole sets, if these are few, and the documented one marked.
        Below, a row for each choice of sets: the shade is the share of the specifications of a
        column that use it, the dots are the whole sets again. Where there are more specifications
        than columns, each column has several neighbours in rank, and the subtitle says how many.

    Examples
    --------
    >>> import weatherglass as wg
    >>> found = wg.multiverse(wg.open_vectors("default"), "weat7", samples=2)
    >>> len(plot_multiverses([found]).vconcat)
    1
    """
    alt = import_altair()
    data = Datasets()
    return data.on(
        alt.vconcat(*(_curve(one, data, columns) for one in found), spacing=40)
        .resolve_scale(x="independent", y="independent")
        .configure_view(strokeWidth=0)
        .configure_axis(domain=False, ticks=False, labelFontSize=11, titleFontSize=11)
        .configure_concat(spacing=8)
        .properties(background="white")
    )


def _curve(found: Multiverse, data: Datasets, columns: int) -> Any:
    alt = import_altair()
    order = ranked(found, columns)
    whole = alt.Scale(domain=[0, len(found.specifications)], nice=False)
    x = alt.X("start:Q", axis=None, scale=whole)
    parts = [
        _effects(order, x, data),
        *(set_rows(order, factor, x, data) for factor in found.factors),
    ]
    return alt.vconcat(*parts, spacing=8, title=_title(order)).resolve_scale(
        x="shared", color="independent"
    )


def _effects(order: Ranked, x: Any, data: Datasets) -> Any:
    """The curve itself: a box for each column, a ring for whole sets, the documented one."""
    alt = import_altair()
    effects = [0.0, *(one.effect for one in order.found.specifications)]
    low, high = min(effects), max(effects)
    room = 0.05 * (high - low)
    y = alt.Y(
        "low:Q",
        title="effect",
        axis=alt.Axis(gridColor=RULE, tickCount=6),
        scale=alt.Scale(domain=[low - room, high + room], nice=False),
    )
    colour = alt.Color(
        "significant:Q",
        title="significant (Holm)",
        scale=alt.Scale(domain=[0, 1], range=[_NOT_SIGNIFICANT, INK]),
        legend=alt.Legend(orient="right", format="%", gradientLength=110, titleFontSize=10),
    )
    boxes = _boxes(order, thick=2 * (high - low) / HEIGHT)
    rings = [_point(one, order) for one in order.ringed]
    layers = [
        alt.Chart(data.named([{"low": 0}])).mark_rule(color=PALE).encode(y),
        alt.Chart(data.named(boxes))
        .mark_rect(aria=False)
        .encode(x, y, colour, alt.X2("end:Q"), alt.Y2("high:Q"), tooltip=["significant:Q"]),
        alt.Chart(data.named(rings))
        .mark_point(size=34, color=INK, fill="white", strokeWidth=1.3, opacity=1)
        .encode(x, y, tooltip=list(_ABOUT)),
    ]
    if order.found.documented is not None:
        layers += _marked(order, order.found.specifications[order.found.documented], x, y, data)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _boxes(order: Ranked, thick: float) -> list[dict[str, Any]]:
    """From the least effect of a column to its largest, so thick that a flat piece is seen."""
    alpha = order.found.options["alpha"]
    return [
        {
            "start": one.start,
            "end": one.end,
            "low": one.specifications[0].effect - thick,
            "high": one.specifications[-1].effect + thick,
            "significant": sum(s.p_holm <= alpha for s in one.specifications) / one.size,
        }
        for one in order.columns
    ]


def _marked(order: Ranked, own: Specification, x: Any, y: Any, data: Datasets) -> list[Any]:
    """The documented specification; its label stands on the side with more room."""
    alt = import_altair()
    mark = alt.Chart(data.named([_point(own, order)]))
    left = order.place(own) > len(order.found.specifications) / 2
    aside = {"align": "right", "dx": -10} if left else {"align": "left", "dx": 10}
    text = mark.mark_text(fontSize=11, fontWeight="bold", color=_LABEL, dy=-8, **aside)
    return [
        mark.mark_rule(color=ACCENT, strokeWidth=1, opacity=0.8).encode(x),
        mark.mark_point(size=70, color=ACCENT, fill=ACCENT, opacity=1).encode(
            x, y, tooltip=list(_ABOUT)
        ),
        text.encode(x, y, alt.Text("label:N")),
    ]


def _point(one: Specification, order: Ranked) -> dict[str, Any]:
    return {
        "start": order.place(one),
        "low": one.effect,
        "effect": one.effect,
        "sets": " × ".join(choice.name for choice in order.found.choices(one.sets)),
        "p": str(one.p),
        "label": f"documented: {one.effect:.2f}",
    }


def _title(order: Ranked) -> dict[str, Any]:
    found = order.found
    whole = found.summary.significant["holm"]["whole"]
    same = found.summary.same_sign["whole"]
    sign = "a positive" if found.documented is None else "the documented"
    sizes = sorted({one.size for one in order.columns})
    rings = " (rings)" if order.ringed else ""
    rows = "Rows: which sets were chosen."
    if sizes[-1] > 1:
        each = " or ".join(map(str, sizes))
        rows = (
            f"Each column has {each} specifications, neighbours in rank. Rows: which sets were "
            "chosen; the darker, the more of a column have them."
        )
    many = f"{len(found.specifications):,} specifications on {found.source['name']}"
    return {
        "text": f"{found.title}: {many}",
        "subtitle": [
            f"Of {whole.of} choices of whole sets{rings}, {same.count} have {sign} sign "
            f"and {whole.count} are significant after Holm's correction.",
            rows,
        ],
        "subtitleColor": SOFT,
        "anchor": "start",
        "frame": "bounds",
        "offset": 12,
    }
