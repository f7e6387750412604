"""The numbers that changed between two audits."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.measures import Results
from weatherglass.report import AuditResult


@dataclass(frozen=True)
class Change:
    """A number in two audits; `None` in the audit that does not have it."""

    source: str
    measure: str
    test: str
    number: str
    before: Any
    after: Any

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


def find_changes(before: AuditResult, after: AuditResult) -> tuple[Change, ...]:
    """Return every number that differs between two audits.

    If each has a single source, these are compared whatever their names.
    """
    single = len(before.about["sources"]) == len(after.about["sources"]) == 1
    old, new = _numbers(before, single), _numbers(after, single)
    return tuple(
        Change(*place, old.get(place), new.get(place))
        for place in dict.fromkeys((*old, *new))
        if old.get(place) != new.get(place)
    )


def is_rounding_only(changes: Sequence[Change]) -> bool:
    """Return whether only last digits differ, as they may from one machine to another."""
    return all(
        isinstance(change.before, float)
        and isinstance(change.after, float)
        and math.isclose(change.before, change.after, rel_tol=1e-6, abs_tol=1e-12)
        for change in changes
    )


def _numbers(audited: AuditResult, single: bool) -> dict[tuple[str, str, str, str], Any]:
    """The numbers of an audit by source, measure, test and name."""

    def name_of(source: dict[str, Any]) -> str:
        return "" if single else str(source.get("name", ""))

    numbers: dict[tuple[str, str, str, str], Any] = {
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
