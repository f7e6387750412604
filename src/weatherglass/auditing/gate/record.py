"""The record of a check: a verdict for each rule and test, and what is needed to repeat it."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from weatherglass._version import __version__
from weatherglass.errors import BadContent
from weatherglass.measures import Tabular, from_plain, load_json

Status = Literal["passed", "violated", "waived", "not run"]
Level = Literal["none", "note", "warning", "error"]

PASSED, VIOLATED, NOT_MEASURED = 0, 1, 3
"""Exit codes; 2 is a wrong command or policy."""


@dataclass(frozen=True)
class Verdict:
    """A test, measure or control of one source under one rule.

    Attributes
    ----------
    source, rule, test, title
        The names of the source, the rule and the test.
    kind
        ``rule`` or ``control``.
    line
        The line of the rule in the policy.
    status
        ``passed``, ``violated``, ``waived`` (violated, but accepted for now) or ``not run``.
    level
        What it means for the check: ``error`` (it fails), ``warning``, ``note`` or ``none``.
    sentence
        The numbers and the limit, in words.
    finding
        What the numbers say about the source: grade and sentence. Controls have none.
    waiver
        The reason and the last day of the waiver, or that it has expired.
    numbers, limits
        What was measured, and what the policy allows.
    evidence
        What the numbers rest on: words used and missing, method, published figure, options,
        the evidence of the grade, and warnings.
    """

    source: str
    rule: str
    test: str
    title: str
    status: Status
    level: Level
    sentence: str
    kind: Literal["rule", "control"] = "rule"
    line: int = 1
    finding: str = ""
    waiver: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The test, with a prefix if it is a control."""
        return f"control-{self.test}" if self.kind == "control" else self.test

    @property
    def reason(self) -> str:
        """The sentence, and the waiver."""
        return " ".join(filter(None, (self.sentence, self.waiver)))

    @property
    def message(self) -> str:
        """The reason and the finding, for a reader who sees nothing else."""
        return " ".join(filter(None, (self.reason, self.finding and f"Finding, {self.finding}")))


@dataclass(frozen=True, repr=False)
class Check(Tabular):
    """Everything about one check.

    Attributes
    ----------
    verdicts
        A verdict for each control and for each test of each rule, source by source.
    sources
        For each source its name, kind and fingerprint, or the reason why it cannot be opened.
    policy
        The file, its SHA-256 checksum, the policy itself, and the checksums of files of tests.
    baseline
        The folder of the baseline audit, and the fingerprints of its sources.
    seed, version, date
        Random seed, version of Weatherglass, and the time of the check.

    Examples
    --------
    >>> import weatherglass as wg
    >>> checked = wg.check("default", {"rules": [{"tests": ["weat6"], "effect": 1.0}]})
    >>> checked
    <Check of default: 1 violated, 4 passed>
    >>> checked.passed, checked.exit_code
    (False, 1)
    """

    measure: ClassVar[str] = "check"

    verdicts: tuple[Verdict, ...]
    sources: tuple[dict[str, Any], ...]
    policy: dict[str, Any]
    baseline: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    date: str = ""
    version: str = __version__

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """The verdicts that make the check fail."""
        return tuple(verdict for verdict in self.verdicts if verdict.level == "error")

    @property
    def exit_code(self) -> int:
        """0: passed; 1: a rule or control is violated; 3: something could not be measured."""
        if any(verdict.status == "violated" for verdict in self.failures):
            return VIOLATED
        # Nothing was measured: that is no pass, whatever the policy says about single tests.
        is_empty = all(verdict.status == "not run" for verdict in self.verdicts)
        return NOT_MEASURED if self.failures or is_empty else PASSED

    @property
    def passed(self) -> bool:
        """Whether every source passes."""
        return self.exit_code == PASSED

    def sentence(self) -> str:
        """Return the outcome in one sentence."""
        names = ", ".join(source["name"] for source in self.sources)
        closed = [f"{s['name']}: {s['reason']}" for s in self.sources if s.get("reason")]
        if len(closed) == len(self.sources):
            return f"Nothing could be measured. {' '.join(closed)}"
        counts = Counter(verdict.status for verdict in self.verdicts)
        total = len(self.verdicts)
        if self.passed:
            waived = f"; {counts['waived']} accepted by a waiver" if counts["waived"] else ""
            not_run = f"; {counts['not run']} could not be run" if counts["not run"] else ""
            return f"{names} passed{waived}{not_run}."
        controls = [verdict.test for verdict in self.failures if verdict.kind == "control"]
        parts = []
        if counts["violated"]:
            parts.append(f"{counts['violated']} of {total} violated")
        if counts["not run"]:
            parts.append(f"{counts['not run']} of {total} could not be run")
        failed = f" (controls: {', '.join(dict.fromkeys(controls))})" if controls else ""
        return f"{names} did not pass: {', '.join(parts)}{failed}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each verdict."""
        return [
            {
                "source": verdict.source,
                "rule": verdict.rule,
                "kind": verdict.kind,
                "test": verdict.test,
                "verdict": verdict.status,
                "level": verdict.level,
                **{name: verdict.numbers.get(name) for name in _COLUMNS},
                "reason": verdict.reason,
                "finding": verdict.finding,
            }
            for verdict in self.verdicts
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        fields = dataclasses.asdict(self)
        outcome = {"passed": self.passed, "exit_code": self.exit_code}
        return {"measure": self.measure, **outcome, **fields}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Check:
        """Return the check that `to_json` wrote."""
        try:
            record = load_json(text)
            computed = ("measure", "passed", "exit_code")
            return from_plain(cls, {k: v for k, v in record.items() if k not in computed})
        except (ValueError, AttributeError) as error:
            raise BadContent(f"This is not a check in JSON ({error}).") from None

    def __repr__(self) -> str:
        counts = Counter(verdict.status for verdict in self.verdicts)
        order: tuple[Status, ...] = ("violated", "not run", "waived", "passed")
        counted = ", ".join(f"{counts[status]} {status}" for status in order if counts[status])
        return f"<Check of {', '.join(source['name'] for source in self.sources)}: {counted}>"


_COLUMNS = ("effect", "value", "low", "high", "p", "p_corrected", "agreement")
