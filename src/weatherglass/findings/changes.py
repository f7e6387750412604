"""How findings differ between two audits: which appeared, vanished or reversed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from .finding import Finding

ChangeKind = Literal["reversed", "appeared", "vanished", "regraded", "same", "removed", "added"]
CHANGE_KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""All kinds of changes, in the order in which they are listed."""

_LABELS: dict[ChangeKind, str] = {
    "reversed": "reversed",
    "appeared": "appeared",
    "vanished": "vanished",
    "regraded": "other grade",
    "same": "same finding",
    "removed": "only before",
    "added": "only after",
}


@dataclass(frozen=True)
class FindingChange:
    """The finding of one test in two audits; None in the audit that did not run it.

    `p` is the p-value of the change of the effect size, where it could be tested.
    """

    before: Finding | None
    after: Finding | None
    p: float | None = None

    @property
    def finding(self) -> Finding:
        """The later finding, or the earlier one where the test was not run again."""
        finding = self.after or self.before
        assert finding is not None  # a change has at least one finding
        return finding

    @property
    def kind(self) -> ChangeKind:
        """What happened to the finding.

        ``reversed``: it has the other direction. ``appeared``, ``vanished``: only the later, or
        only the earlier audit finds a difference. ``regraded``: the same direction with another
        grade. ``removed``, ``added``: only one audit has a result. A grade that differs only
        because the p-value was corrected over another number of tests is the ``same``.
        """
        before, after = self.before, self.after
        if before is None or before.grade == "not run":
            return "added" if after is not None and after.grade != "not run" else "same"
        if after is None or after.grade == "not run":
            return "removed"
        if self.is_correction_only:
            return "same"
        if before.direction * after.direction < 0:
            return "reversed"
        if bool(before.direction) != bool(after.direction):
            return "appeared" if after.direction else "vanished"
        return "same" if before.grade == after.grade else "regraded"

    @property
    def label(self) -> str:
        """The kind in words."""
        return _LABELS[self.kind]

    @property
    def is_correction_only(self) -> bool:
        """Whether the grades differ only by the number of tests that p is corrected for."""
        before, after = self.before, self.after
        if before is None or after is None or before.grade == after.grade:
            return False
        first, second = before.result, after.result
        return (
            first.family != second.family
            and first.main_value == second.main_value
            and first.main_p_for_finding == second.main_p_for_finding
            and _other_verdicts(before) == _other_verdicts(after)
        )

    @property
    def values(self) -> tuple[float | None, float | None]:
        """The main number before and after."""
        before, after = (
            finding.result.main_value if finding is not None and finding.result.is_done else None
            for finding in (self.before, self.after)
        )
        return before, after

    @property
    def delta(self) -> float | None:
        """The main number after, minus that before; None where an audit lacks it."""
        before, after = self.values
        return None if before is None or after is None else after - before


def _other_verdicts(finding: Finding) -> list[tuple[str, str]]:
    """The evidence that correction does not change."""
    return [(item.kind, item.verdict) for item in finding.evidence if item.kind not in _CORRECTED]


_CORRECTED = ("p", "power")


def changes_sentence(changes: Iterable[FindingChange]) -> str:
    """Say how many findings appeared, vanished, reversed or have another grade.

    >>> changes_sentence([])
    'No test was run in both audits.'
    """
    both = [change for change in changes if change.kind not in ("removed", "added")]
    if not both:
        return "No test was run in both audits."
    counts = {kind: sum(change.kind == kind for change in both) for kind in CHANGE_KINDS}
    parts = [
        f"{counts[kind]} {kind}" for kind in ("appeared", "vanished", "reversed") if counts[kind]
    ]
    if counts["regraded"]:
        parts.append(f"{counts['regraded']} changed grade")
    if not parts:
        tests = "the 1 test" if len(both) == 1 else f"all {len(both)} tests"
        return f"No finding changed: {tests} that both audits ran {_verb(both)} the same finding."
    number, rest = parts[0].split(" ", 1)
    parts[0] = f"{number} {'finding' if number == '1' else 'findings'} {rest}"
    unchanged = counts["same"]
    tail = f"; {unchanged} stayed the same" if unchanged else ""
    return f"{', '.join(parts)}{tail}."


def _verb(changes: Sequence[FindingChange]) -> str:
    return "has" if len(changes) == 1 else "have"
