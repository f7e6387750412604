"""What changed between two audits."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.measures import Results, to_record
from weatherglass.report import Audited


@dataclass(frozen=True)
class Changed:
    """One number in two audits; `None` where one of them does not have it."""

    source: str
    measure: str
    test: str
    number: str
    before: Any
    after: Any

    @property
    def of_both(self) -> bool:
        """Whether both audits have it."""
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


def changes(before: Audited, after: Audited) -> tuple[Changed, ...]:
    """Every number that differs. Two audits of one source each are compared whatever its name."""
    single = len(before.about["sources"]) == len(after.about["sources"]) == 1
    old, new = _numbers(before, single), _numbers(after, single)
    return tuple(
        Changed(*place, old.get(place), new.get(place))
        for place in dict.fromkeys((*old, *new))
        if old.get(place) != new.get(place)
    )


def nearly(found: Sequence[Changed]) -> bool:
    """Whether numbers differ in their last digits only, as they may from machine to machine."""
    return all(
        isinstance(one.before, float)
        and isinstance(one.after, float)
        and math.isclose(one.before, one.after, rel_tol=1e-6, abs_tol=1e-12)
        for one in found
    )


def _numbers(audited: Audited, single: bool) -> dict[tuple[str, str, str, str], Any]:
    """Each number under its place: source, measure, test and name."""

    def named(source: dict[str, Any]) -> str:
        return "" if single else str(source.get("name", ""))

    found: dict[tuple[str, str, str, str], Any] = {
        (named(one), "source", "", "fingerprint"): one.get("fingerprint") or None
        for one in audited.about["sources"]
    }
    for one in Results.of(audited.results):
        record = to_record(one)
        for number in _NUMBERS:
            value = record.get(number)
            if value is not None:
                value = value["value"] if isinstance(value, dict) else value
                found[named(one.source), one.measure, one.test, number] = value
    for search in audited.discoveries:
        for cell in search.cells:
            place = f"{cell.group} {cell.category}"
            words = ", ".join(cell.words)
            found[named(search.source), "discovery", place, "words"] = words
            found[named(search.source), "discovery", place, "p"] = cell.p.value
    for many in audited.multiverses:
        for name, value in _summary(many).items():
            found[named(many.source), "multiverse", many.test, name] = value
    for lint in audited.lints:
        for name, count in lint.counts.items():
            found[named(lint.source), "lint", name, "findings"] = count
    return found


def _summary(many: Any) -> dict[str, Any]:
    summary = many.summary
    agreeing = dataclasses.asdict(summary.same_sign["all"])
    return dict(summary.effects) | {f"same sign: {name}": n for name, n in agreeing.items()}
