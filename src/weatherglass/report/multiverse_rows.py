"""The rows under a specification curve: which sets were chosen, and what each does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weatherglass.report.datasets import Datasets, Values
from weatherglass.report.multiverse_order import WIDTH, Ranked
from weatherglass.report.plots import ACCENT, INK, drawing
from weatherglass.report.shades import LIGHT
from weatherglass.seedlab.multiverse_parts import Choice, Margin

ROW = 17
SOFT = "#51646b"
_LONGEST = 58
_HEADS = {"mean": ("mean effect", 62), "significant": ("significant", 132)}

Named = dict[str, tuple[Choice, Margin]]


def set_rows(order: Ranked, factor: Sequence[Choice], x: Any, data: Datasets) -> Any:
    """A row for each choice of a factor, the one with the largest mean effect on top."""
    alt = drawing()
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
    alt = drawing()
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
