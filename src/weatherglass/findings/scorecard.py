"""The scorecard of an audit: for each social dimension, what holds, depends or reverses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from weatherglass.catalog import CONTROL, dimension_position

from .evidence import Evidence, Kind
from .finding import ALPHA, Finding

Column = Literal[
    "effect", "other words", "without frequency", "without anisotropy", "compared with published"
]
COLUMNS: tuple[Column, ...] = get_args(Column)
"""The columns of a scorecard, in order."""

MarkKind = Literal["holds", "depends", "reverses", "none", "not tried"]
MARKS: tuple[MarkKind, ...] = get_args(MarkKind)

_EVIDENCE: dict[Column, tuple[Kind, ...]] = {
    "other words": ("interval", "leave-one-out", "seed choices"),
    "without frequency": ("frequency control", "covariate control"),
    "without anisotropy": ("anisotropy control",),
    "compared with published": ("published",),
}
# What a mark says of evidence that passes, that depends, and that has the other sign.
_WORDS: dict[Column, tuple[str, str, str]] = {
    "other words": ("holds", "depends", "reverses"),
    "without frequency": ("holds", "fades", "reverses"),
    "without anisotropy": ("holds", "fades", "reverses"),
    "compared with published": ("agrees", "size differs", "other sign"),
}


@dataclass(frozen=True)
class Mark:
    """A cell of a scorecard: its kind decides the shape, its label is always next to it."""

    kind: MarkKind
    label: str


@dataclass(frozen=True)
class ScorecardRow:
    """The findings about one social dimension on one source, with a mark for each column."""

    dimension: str
    source: str
    findings: tuple[Finding, ...]
    marks: Mapping[Column, Mark]

    @property
    def has_effect(self) -> bool:
        """Whether there is a difference, or a change of sign, that evidence could question."""
        return any(finding.direction or is_reversing(finding) for finding in self.findings)


def is_reversing(finding: Finding) -> bool:
    """Return whether some evidence gives a result the other sign.

    A result without a clear difference counts only if it has p ≤ 0.05 before correction: the sign
    of the others means nothing.
    """
    p = finding.result.main_p_for_finding
    is_result = finding.direction != 0 or (p is not None and p <= ALPHA)
    return is_result and any(item.reverses for item in finding.evidence)


def vanishes(finding: Finding) -> bool:
    """Return whether a clear difference is not clear any more under a control."""
    return finding.direction != 0 and any(
        item.verdict == "depends" and item.kind.endswith("control") for item in finding.evidence
    )


def reversal_sentence(finding: Finding) -> str:
    """Return the sentence of a finding that changes its sign, which begins with that."""
    if finding.direction != 0:
        return finding.sentence
    phrases = dict.fromkeys(
        item.phrase.removeprefix("reverses ") for item in finding.evidence if item.reverses
    )
    return f"Reverses {' and '.join(phrases)}. {finding.sentence}"


def lead_sentence(finding: Finding) -> str:
    """Return the sentence of a finding; a change of sign comes first."""
    return reversal_sentence(finding) if is_reversing(finding) else finding.sentence


def scorecard(findings: Iterable[Finding]) -> list[ScorecardRow]:
    """Count findings by social dimension and source, with a mark for each kind of evidence.

    Parameters
    ----------
    findings
        Findings of tests. Controls, whose answer is known, are left out.

    Returns
    -------
    list of ScorecardRow
        In the order of the catalogue's dimensions. The mark of a column is that of the worst
        evidence: a change of sign before an effect that fades before one that holds. Only clear
        differences and changes of sign count in the columns of evidence: the others have nothing
        to lose.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.weat(wg.open_vectors("default"), "weat6", control="frequency")
    >>> (row,) = scorecard([result.finding])
    >>> row.dimension, row.marks["without frequency"].label
    ('gender', 'holds')
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        result = finding.result
        if result.dimension != CONTROL and finding.grade != "not run":
            groups.setdefault((result.dimension, result.source_name), []).append(finding)
    sources = list(dict.fromkeys(source for _, source in groups))
    ordered = sorted(
        groups, key=lambda key: (dimension_position(key[0]), key[0], sources.index(key[1]))
    )
    return [_row(*key, groups[key]) for key in ordered]


def _row(dimension: str, source: str, findings: Sequence[Finding]) -> ScorecardRow:
    results = [finding for finding in findings if finding.direction or is_reversing(finding)]
    marks: dict[Column, Mark] = {"effect": _effect_mark(findings)}
    for column in COLUMNS[1:]:
        marks[column] = _evidence_mark(column, results)
    return ScorecardRow(dimension, source, tuple(findings), marks)


def _effect_mark(findings: Sequence[Finding]) -> Mark:
    """How many tests show a difference after correction."""
    different = sum(finding.direction != 0 for finding in findings)
    if not different:
        return Mark("none", "no clear difference")
    total = len(findings)
    if total == 1:
        return Mark("holds", "a difference")
    label = f"all {total} tests differ" if different == total else f"{different} of {total} differ"
    return Mark("holds" if different == total else "depends", label)


def _evidence_mark(column: Column, findings: Sequence[Finding]) -> Mark:
    if not findings:
        return Mark("none", "nothing to test")
    tried = [
        items
        for finding in findings
        if (items := [item for item in finding.evidence if item.kind in _EVIDENCE[column]])
    ]
    if not tried:
        return Mark("not tried", "not tried")
    holds, depends, reverses = _WORDS[column]
    reversing = sum(any(_has_other_sign(item) for item in items) for items in tried)
    failing = sum(any(item.verdict != "pass" for item in items) for items in tried)
    if reversing:
        return Mark("reverses", _count(reverses, reversing, len(tried)))
    if failing:
        return Mark("depends", _count(depends, failing, len(tried)))
    return Mark("holds", holds)


def _has_other_sign(item: Evidence) -> bool:
    return item.reverses or item.verdict == "fails"


def _count(word: str, number: int, total: int) -> str:
    return f"{word} in {number} of {total}" if total > 1 else word


def key_findings(findings: Iterable[Finding], limit: int = 3) -> list[Finding]:
    """Choose the findings that a reader should know first; controls are left out.

    First a change of sign, then an effect that vanishes under a control, then what is clear; each
    from another social dimension as far as possible, in the order of the findings.
    """
    people = [finding for finding in findings if finding.result.dimension != CONTROL]
    groups = [
        [finding for finding in people if is_reversing(finding)],
        [finding for finding in people if vanishes(finding) and not is_reversing(finding)],
        [finding for finding in people if finding.grade == "clear"],
    ]
    rest = [f for f in people if not any(f is chosen for group in groups for chosen in group)]
    groups.append(sorted(rest, key=lambda finding: finding.direction == 0))
    chosen: list[Finding] = []
    for group in groups[:3]:
        chosen += _first_of_new_dimension(group, chosen)
    remaining = [finding for group in (groups[2], *groups) for finding in group]
    while len(chosen) < limit and (more := _first_of_new_dimension(remaining, chosen)):
        chosen += more
    return chosen[:limit]


def _first_of_new_dimension(group: Sequence[Finding], chosen: Sequence[Finding]) -> list[Finding]:
    """The first finding that is not chosen yet, of a dimension that is not, if there is one."""
    free = [finding for finding in group if not any(finding is other for other in chosen)]
    used = {(other.result.dimension, other.result.source_name) for other in chosen}
    new = [f for f in free if (f.result.dimension, f.result.source_name) not in used]
    return (new or free)[:1]


def count_sentence(findings: Iterable[Finding]) -> str:
    """Say how many tests about people show a clear difference, and how many depend on something.

    >>> count_sentence([])
    'No test about people has a result.'
    """
    people = [
        finding
        for finding in findings
        if finding.result.dimension != CONTROL and finding.grade != "not run"
    ]
    if not people:
        return "No test about people has a result."
    clear = sum(finding.grade == "clear" for finding in people)
    mixed = sum(finding.grade == "mixed" for finding in people)
    reversing = sum(map(is_reversing, people))
    of = f"Of {len(people)} tests about people" if len(people) > 1 else "Of 1 test about people"
    if not clear + mixed + reversing:
        return f"{of}, none shows a clear difference."
    parts = [f"{clear or 'none'} {'shows' if clear < 2 else 'show'} a clear difference"]
    if mixed:
        parts.append(f"{mixed} {'depends' if mixed == 1 else 'depend'} on something that was tried")
    if reversing:
        parts.append(f"{reversing} {'changes its' if reversing == 1 else 'change their'} sign")
    return f"{of}, {_list(parts)}."


def _list(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last


def control_sentence(findings: Iterable[Finding]) -> str:
    """Say how many controls show the difference that they must show; empty without controls."""
    controls = [finding for finding in findings if finding.result.dimension == CONTROL]
    if not controls:
        return ""
    shown = sum(finding.direction > 0 for finding in controls)
    tests = "the 1 test" if len(controls) == 1 else f"{len(controls)} tests"
    verb = "shows" if shown == 1 else "show"
    which = "both" if shown == len(controls) == 2 else f"{shown or 'none'}"
    if len(controls) == 1:
        outcome = "it shows" if shown else "it does not show"
        return f"Control, {tests} whose answer is known: {outcome} the expected difference."
    return f"Controls, {tests} whose answer is known: {which} {verb} the expected difference."
