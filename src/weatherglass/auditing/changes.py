"""The numbers that changed between two audits."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weatherglass.catalog import dimension_position
from weatherglass.findings import CHANGE_KINDS, FindingChange
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

    @property
    def is_sign_flip(self) -> bool:
        """Whether it is an effect, a correlation or a value with another sign than before."""
        is_effect = self.number in _MAIN_NUMBERS and self.size is not None
        return is_effect and self.before * self.after < 0

    @property
    def size(self) -> float | None:
        """The size of the change of a number; None for a text, or where an audit lacks it."""
        if isinstance(self.before, float) and isinstance(self.after, float):
            return abs(self.after - self.before)
        return None

    @property
    def increase(self) -> float | None:
        """How far an effect or correlation is outside of the range from zero to the earlier one.

        That is how much larger it is, or how far it is beyond zero in the other direction.
        """
        if self.number not in ("effect", "pearson") or self.size is None:
            return None
        return beyond(self.after, self.before)


_NUMBERS = (
    "status",
    "effect",
    "p",
    "effect by sentence",
    "p by sentence",
    "p_rotation",
    "p_holm",
    "pearson",
    "pearson_p",
    "spearman",
    "value",
)


_MAIN_NUMBERS = ("effect", "pearson", "value")


def beyond(effect: float, before: float) -> float:
    """Return how far an effect is outside of the range from zero to an earlier effect.

    >>> beyond(1.5, 1.25), beyond(-1.5, -1.25), beyond(0.5, 1.25), beyond(-0.5, 1.25)
    (0.25, 0.25, -0.5, 0.5)
    """
    sign = -1.0 if before < 0 else 1.0
    return max(sign * effect - abs(before), -sign * effect)


def find_changes(before: AuditResult, after: AuditResult) -> tuple[Change, ...]:
    """Return every number that differs between two audits, the most important ones first.

    Effects that changed sign come first, then fingerprints and other texts, then other effects and
    correlations by the size of the change, then the rest. If each audit has a single source, these
    are compared whatever their names. A corrected p-value that changed only because it is corrected
    over another number of tests is no change.
    """
    single = len(before.about["sources"]) == len(after.about["sources"]) == 1
    old, new = _numbers(before, single), _numbers(after, single)
    results = [_results(audited, single) for audited in (before, after)]
    changes = []
    for place in dict.fromkeys((*old, *new)):
        if old.get(place) != new.get(place) and not _is_correction_only(place, old, new):
            p = _paired_p(place, *results)
            changes.append(Change(*place, old.get(place), new.get(place), p))
    return tuple(sorted(changes, key=_order))


def find_finding_changes(
    before: AuditResult, after: AuditResult, changes: Sequence[Change]
) -> tuple[FindingChange, ...]:
    """Return the findings of all tests in two audits, by social dimension.

    Within a dimension, findings that reversed come first, then those that appeared or vanished.
    `changes` are those of `find_changes`, which has tested the differences.
    """
    single = len(before.about["sources"]) == len(after.about["sources"]) == 1
    old, new = (_results(audited, single) for audited in (before, after))
    p_values = {
        (change.source, change.measure, change.test): change.p
        for change in changes
        if change.number in _MAIN_NUMBERS
    }
    pairs = []
    for place in dict.fromkeys((*new, *old)):
        first, second = old.get(place), new.get(place)
        pairs.append(
            FindingChange(
                first.finding if first is not None else None,
                second.finding if second is not None else None,
                p_values.get(place),
            )
        )
    return tuple(sorted(pairs, key=_finding_order))


def _finding_order(change: FindingChange) -> tuple[int, str, int, float]:
    dimension = change.finding.result.dimension
    kind = CHANGE_KINDS.index(change.kind)
    return dimension_position(dimension), dimension, kind, -abs(change.delta or 0.0)


def count_correction_only(before: AuditResult, after: AuditResult) -> int:
    """Return how many corrected p-values differ only by the number of tests in the audit."""
    single = len(before.about["sources"]) == len(after.about["sources"]) == 1
    old, new = _numbers(before, single), _numbers(after, single)
    return sum(
        old[place] != new[place] and _is_correction_only(place, old, new)
        for place in old
        if place in new
    )


def _order(change: Change) -> tuple[int, float]:
    if change.size is None:
        is_text = isinstance(change.before, str) or isinstance(change.after, str)
        return (1 if is_text else 3), 0.0
    if change.number not in _MAIN_NUMBERS:
        return 3, 0.0
    return (0 if change.is_sign_flip else 2), -change.size


Place = tuple[str, str, str, str]
"""Source, measure, test and the name of the number."""


def _is_correction_only(place: Place, old: dict[Place, Any], new: dict[Place, Any]) -> bool:
    """Whether a corrected p-value changed although the p-value itself is the same."""
    if place[3] != "p_holm":
        return False
    plain = [(*place[:3], name) for name in ("p by sentence", "p", "pearson_p")]
    known = next((where for where in plain if where in old and where in new), None)
    return known is not None and old[known] == new[known]


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
        record = _by_word(result.to_dict())
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


def _by_word(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record in which effect and p-value of a sentence test count each word once."""
    if record.get("effect_by_word") is None or record.get("level") != "sentence":
        return record
    sentences = {"effect by sentence": record["effect"], "p by sentence": record["p"]}
    return record | sentences | {"effect": record["effect_by_word"], "p": record["p_by_word"]}


def _summary(multiverse: Any) -> dict[str, Any]:
    summary = multiverse.summary
    same_sign = dataclasses.asdict(summary.same_sign["all"])
    return dict(summary.effects) | {f"same sign: {name}": n for name, n in same_sign.items()}
