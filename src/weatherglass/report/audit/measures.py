"""The section of an audit's page about the other measures, with what their numbers mean."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from weatherglass.measures import MEASURES

from .. import numbers
from ..html import element, join, sentence_markup, table, two_lines
from ..page import definition_list, section
from .data import AuditResult, Names, TestBySource, number_of, other_measures, p_of

_CEAT = "The effect of an association test over the contexts in which its words occur."
_LARGER = {
    "more": "larger is more",
    "less": "smaller is more",
    "either": "the sign is the direction",
}


def measures_section(audited: AuditResult, names: Names) -> list[Markup]:
    """The other measures, with what each number means."""
    tests = other_measures(audited.results)
    if not tests:
        return []
    shown = [name for name in names if any(name in one.on for one in tests)]
    heads = ["Measure", "Of", *(element("bdi", names[name]) for name in shown)]
    if len(shown) == 1:
        heads[2] = "Value"
    rows = [
        [_called(one.measure), _of(one), *(_value(one.on.get(name)) for name in shown)]
        for one in tests
    ]
    read = (
        "Each has a scale of its own: compare a measure across sources or sets, not with other "
        "measures. What the numbers mean stands below."
    )
    used = dict.fromkeys(one.measure for one in tests)
    return [
        section(
            "measures",
            "Other measures",
            element("p", read),
            table("Other measures", heads, rows, numbers=range(2, 2 + len(shown)), stack=True),
            element("h3", "What the numbers mean"),
            definition_list([(_called(name), _meaning(name)) for name in used]),
        )
    ]


def _called(measure: str) -> str:
    known = MEASURES.get(measure)
    return known.title if known else measure.upper()


def _of(one: TestBySource) -> Markup:
    """What was measured, and what its sets are called."""
    labels = {name: label for name, label in one.any.labels.items() if label and label != name}
    sets = "; ".join(f"{name}: {label}" for name, label in labels.items())
    return two_lines(
        sentence_markup("" if one.title == _called(one.measure) else one.title),
        sentence_markup(sets),
    )


def _value(one: Any) -> str:
    if one is None:
        return numbers.ABSENT
    if one.status != "done":
        return element("a", "not run", href="#missing")
    intervals = getattr(one, "intervals", ())
    small = []
    if intervals:
        small = [f"{numbers.measure(intervals[0].low)} to {numbers.measure(intervals[0].high)}"]
    p = p_of(one)
    small += [numbers.p_equation(p)] if p is not None else []
    quantiles = getattr(one, "quantiles", None)
    if quantiles:
        ends = list(quantiles.values())
        small.append(f"over samples {numbers.interval(ends[0], ends[-1])}")
    write = numbers.effect if one.measure == "ceat" else numbers.measure
    return two_lines(write(number_of(one)), " · ".join(small))


def _meaning(measure: str) -> Markup:
    """What a measure's number says, and on which scale."""
    known = MEASURES.get(measure)
    if known is None:
        return join(_CEAT if measure == "ceat" else "")
    low, high = (None if end is None else numbers.plain(end) for end in (known.low, known.high))
    scale = f"{numbers.plain(known.neutral)} is without bias"
    if low is not None:
        scale = f"From {low} {'up' if high is None else f'to {high}'}; {scale}"
    return join(f"{known.reading} {scale}, {_LARGER[known.larger]}.")
