"""The numbers that changed between two audits."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.measures import Measurement, Results, paired_results
from weatherglass.report import AuditResult


@dataclass(frozen=True)
class Change:
    """A number in two audits; `None` in the audit that does not have it.

    `p` is the p-value of the change, of effects and correlations whose words' associations both
    audits have: see `weatherglass.measures.paired_difference`.
    """

    source: str
    measure: str
    test: str
    number: str
    before: Any
    after: Any
    p: float | None = None

    @property
    def of_both(self) -> bool:
        """Whether both audits have the number."""
        return self.before is not None and self.after is not None


_NUMBERS = (
    "status",
    "effect",
    "p",
    "p_rotation",
    "p_holm",
    "pearson",
    "pearson_p",
    "spearman",
    "value",
)


_MAIN_NUMBERS = ("effect", "pearson", "value")


def find_changes(before: AuditResult, after: AuditResult) -> tuple[Change, ...]:
    """Return every number that differs between two audits, the most important ones first.

    These are fingerprints and other texts, then effects that changed sign, then other effects and
    correlations by the size of the change, then the rest. If each audit has a single source, these
    are compared whatever their names.
    """
    single = len(before.about["sources"]) == len(after.about["sources"]) == 1
    old, new = _numbers(before, single), _numbers(after, single)
    results = [_results(audited, single) for audited in (before, after)]
    changes = []
    for place in dict.fromkeys((*old, *new)):
        if old.get(place) != new.get(place):
            p = _paired_p(place, *results)
            changes.append(Change(*place, old.get(place), new.get(place), p))
    return tuple(sorted(changes, key=_order))


def _order(change: Change) -> tuple[int, float]:
    before, after = change.before, change.after
    if not (isinstance(before, float) and isinstance(after, float)):
        return (0 if isinstance(before, str) or isinstance(after, str) else 3), 0.0
    if change.number not in _MAIN_NUMBERS:
        return 3, 0.0
    return (1 if before * after < 0 else 2), -abs(after - before)


Place = tuple[str, str, str, str]
"""Source, measure, test and the name of the number."""


def _results(audited: AuditResult, single: bool) -> dict[tuple[str, str, str], Measurement]:
    """The results of an audit by source, measure and test."""
    return {
        (_source_name(result.source, single), result.measure, result.test): result
        for result in Results.of(audited.results)
    }


def _paired_p(
    place: Place,
    before: dict[tuple[str, str, str], Measurement],
    after: dict[tuple[str, str, str], Measurement],
) -> float | None:
    """The p-value of the change of an effect; None where it cannot be tested."""
    first, second = before.get(place[:3]), after.get(place[:3])
    if place[3] not in _MAIN_NUMBERS or first is None or second is None:
        return None
    difference = paired_results(first, second)
    return difference.p.value if difference else None


def is_rounding_only(changes: Sequence[Change]) -> bool:
    """Return whether only last digits differ, as they may from one machine to another."""
    return all(
        isinstance(change.before, float)
        and isinstance(change.after, float)
        and math.isclose(change.before, change.after, rel_tol=1e-6, abs_tol=1e-12)
        for change in changes
    )


def _source_name(source: dict[str, Any], single: bool) -> str:
    return "" if single else str(source.get("name", ""))


def _numbers(audited: AuditResult, single: bool) -> dict[Place, Any]:
    """The numbers of an audit by their places."""

    def name_of(source: dict[str, Any]) -> str:
        return _source_name(source, single)

    numbers: dict[Place, Any] = {
        (name_of(source), "source", "", "fingerprint"): source.get("fingerprint") or None
        for source in audited.about["sources"]
    }
    for result in Results.of(audited.results):
        record = result.to_dict()
        for number in _NUMBERS:
            value = record.get(number)
            if value is not None:
                value = value["value"] if isinstance(value, dict) else value
                numbers[name_of(result.source), result.measure, result.test, number] = value
        for control in result.controls:
            if control.effect is not None:
                test = name_of(result.source), result.measure, result.test
                numbers[*test, f"effect {control.phrase}"] = control.effect
                numbers[*test, f"p {control.phrase}"] = control.p
    for discovery in audited.discoveries:
        for cell in discovery.cells:
            place = f"{cell.group} {cell.category}"
            words = ", ".join(cell.words)
            numbers[name_of(discovery.source), "discovery", place, "words"] = words
            numbers[name_of(discovery.source), "discovery", place, "p"] = cell.p.value
    for multiverse in audited.multiverses:
        for name, value in _summary(multiverse).items():
            numbers[name_of(multiverse.source), "multiverse", multiverse.test, name] = value
    for lint in audited.lints:
        for name, count in lint.counts.items():
            numbers[name_of(lint.source), "lint", name, "findings"] = count
    return numbers


def _summary(multiverse: Any) -> dict[str, Any]:
    summary = multiverse.summary
    same_sign = dataclasses.asdict(summary.same_sign["all"])
    return dict(summary.effects) | {f"same sign: {name}": n for name, n in same_sign.items()}
