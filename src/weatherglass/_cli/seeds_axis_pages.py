"""The tables of components, axes and concepts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from .output import table
from .seeds_asking import lines, missing_words, number

if TYPE_CHECKING:
    from weatherglass.seedlab.axis import AxisWord, SeedAxis
    from weatherglass.seedlab.concept import ConceptCosines
    from weatherglass.seedlab.variance import PairVariance

_COLUMNS = 5  # components in the table


def variance_page(found: Sequence[PairVariance]) -> str:
    """What each component explains, three lines for each pair."""
    rows = []
    remarks = []
    several = len({one.source["name"] for one in found}) > 1
    for some in found:
        where = f" on {some.source['name']}" if several else ""
        for one in some.arrangements:
            first = one.arrangement == "ordered"  # what stands above need not be said again
            row: dict[str, Any] = {"source": some.source["name"] * first} if several else {}
            row |= {"X": some.x * first, "Y": some.y * first}
            row |= {"pairs": str(len(some.pairs)) * first, "order": one.arrangement}
            shares = [number(value, 2) for value in one.components[:_COLUMNS]]
            row |= {str(at): shares[at - 1] if at <= len(shares) else "" for at in range(1, 6)}
            rows.append(row)
        remarks.append(
            f"{some.name}{where}: the first component of the pairs explains more than that of "
            f"{some.less:.0%} of {some.options['draws']} shuffles."
        )
        remarks += missing_words(some.name, some.missing, some.source["name"])
    name = "" if several else f" on {found[0].source['name']}"
    return table(rows, f"Variance explained by each component{name}") + lines(remarks)


def axis_page(found: Sequence[SeedAxis], show_slurs: bool) -> str:
    """The words at both ends, side by side."""
    text = ""
    for some in found:
        columns = {}
        for one in some.ends:
            columns[f"{one.arrangement}: X end"] = [_word(word, show_slurs) for word in one.high]
            columns[f"{one.arrangement}: Y end"] = [_word(word, show_slurs) for word in one.low]
        rows = [
            dict(zip(columns, cells, strict=True))
            for cells in zip_longest(*columns.values(), fillvalue="")
        ]
        text += table(
            rows,
            f"Component {some.component} of {some.name} on {some.source['name']} (a star: a seed)",
        )
        agreement = [
            f"{one.arrangement} {one.agreement:.2f}"
            for one in some.ends
            if one.agreement is not None
        ]
        if agreement:
            text += lines(
                [
                    "How far the samples agree on the axis (correlation): "
                    + ", ".join(agreement)
                    + "."
                ]
            )
        text += lines(missing_words(some.name, some.missing))
    return text


def _word(one: AxisWord, show_slurs: bool) -> str:
    from weatherglass.catalog import masked

    word = one.word if show_slurs else masked(one.word)
    return f"{word}* {one.cosine.mean:.2f}" if one.seed else f"{word} {one.cosine.mean:.2f}"


def concept_page(found: Sequence[ConceptCosines]) -> str:
    """A line for each set, a column for each source."""
    rows: dict[str, dict[str, Any]] = {}
    remarks = []
    for some in found:
        where = some.source["name"]
        for one in some.sets:
            if any(one.id == other.id and other.mean for each in found for other in each.sets):
                row = rows.setdefault(one.id, {"set": one.id})
                row[where] = number(one.mean)
                row[f"words of {where}"] = f"{len(one.words)}/{len(one.words) + len(one.missing)}"
        done = [one.mean.mean for one in some.sets if one.mean]
        if len(done) > 1:
            remarks.append(
                f"On {where} the answer goes from {min(done):.3f} to {max(done):.3f} with the "
                f"choice of the set ({len(done)} sets)."
            )
        for one in some.sets:
            if one.mean is None:
                which = f" on {where}" if one.missing else ""
                remarks.append(f"{one.id}: not run{which}, {one.reason}.")
        remarks += missing_words(some.attribute, some.attribute_missing, where)
    title = f"Cosine of the sets of {found[0].concept} with {found[0].attribute}"
    return table(list(rows.values()), title) + lines(remarks)
