"""The section of an audit's report about other measures than tests."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from weatherglass.measures import MEASURES
from weatherglass.significance import equate_p

from .. import numbers
from .data import AuditResult, Names, TestBySource, other_measures
from .rendering import render_part

_CEAT_MEANING = "The effect size of an association test over the contexts in which its words occur."
_DIRECTIONS = {
    "more": "larger values mean more bias",
    "less": "smaller values mean more bias",
    "either": "the sign is the direction",
}


def measures_section(audit: AuditResult, names: Names) -> list[Markup]:
    """The other measures, with what each number means."""
    tests = other_measures(audit.results)
    if not tests:
        return []
    sources = [name for name in names if any(name in test.results for test in tests)]
    return [
        render_part(
            "audit/measures.html",
            names=names,
            sources=sources,
            rows=[
                (_measure_title(test.measure), *_measured_sets(test), test.results)
                for test in tests
            ],
            value=_measure_value,
            meanings=[
                (_measure_title(name), _meaning(name))
                for name in dict.fromkeys(test.measure for test in tests)
            ],
        )
    ]


def _measure_title(name: str) -> str:
    measure = MEASURES.get(name)
    return measure.title if measure else name.upper()


def _measured_sets(test: TestBySource) -> tuple[str, str]:
    """The title of a measurement, and the labels of its sets."""
    labels = {name: label for name, label in test.any.labels.items() if label and label != name}
    sets = "; ".join(f"{name}: {label}" for name, label in labels.items())
    title = "" if test.title == _measure_title(test.measure) else test.title
    return title, sets


def _measure_value(result: Any) -> tuple[str, str]:
    """The number of a measure, and its interval and p-value."""
    details = []
    intervals = getattr(result, "intervals", ())
    if intervals:
        ends = (numbers.measure(end) for end in (intervals[0].low, intervals[0].high))
        details.append(" to ".join(ends))
    if result.main_p is not None:
        details.append(equate_p(result.main_p))
    quantiles = list(getattr(result, "quantiles", {}).values())
    if quantiles:
        details.append(f"over samples {numbers.interval(quantiles[0], quantiles[-1])}")
    write = numbers.effect if result.decimals == 2 else numbers.measure
    return write(result.main_value), " · ".join(details)


def _meaning(name: str) -> str:
    """What a measure's number means, and its scale."""
    measure = MEASURES.get(name)
    if measure is None:
        return _CEAT_MEANING if name == "ceat" else ""
    low, high = (None if end is None else numbers.plain(end) for end in (measure.low, measure.high))
    scale = f"{numbers.plain(measure.neutral)} is unbiased"
    if low is not None:
        scale = f"From {low} {'up' if high is None else f'to {high}'}; {scale}"
    return f"{measure.reading} {scale}; {_DIRECTIONS[measure.larger]}."
