"""What lint found: findings, which checks were run, and what they were run on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from weatherglass.errors import few, shown

from .checks import SEVERITIES, Severity, by_name
from .record import Experiment

_LISTED = 5  # words that a sentence names


@dataclass(frozen=True)
class Finding:
    """One number about a seed set, or about a pair of sets.

    Attributes
    ----------
    check
        The name of the check, as in `weatherglass.seedlab.checks.CHECKS`.
    severity
        ``"note"``, ``"warning"`` or ``"error"``.
    sets
        The ids of the set, or of both.
    words
        The words it is about, all of them; the sentence may name a few.
    value
        The number; the check says what it counts.
    sentence
        The same in plain words.
    place
        Where Antoniak and Mimno (2021) write of it.
    """

    check: str
    severity: Severity
    sets: tuple[str, ...]
    words: tuple[str, ...]
    value: float
    sentence: str
    place: str


@dataclass(frozen=True)
class Looked:
    """A check that was run over so many sets or pairs and found so much; or why it was not run."""

    check: str
    status: Literal["done", "not run"]
    reason: str = ""
    looked_at: int = 0
    findings: int = 0


@dataclass(frozen=True, kw_only=True)
class Lint(Experiment):
    """What lint found.

    Attributes
    ----------
    findings
        By set, then by pair, each in the order of the checks.
    checks
        For every check, what it looked at, or why it was not run.
    sets, pairs
        The ids of what was looked at.
    neighbours
        For each word that the source has, the nearest words in it and their cosines.
    corpus
        The corpus that words were counted in, with its documents and words.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "lint"

    findings: tuple[Finding, ...]
    checks: tuple[Looked, ...]
    sets: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    neighbours: dict[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    corpus: dict[str, Any] = field(default_factory=dict)

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings that are so grave, or graver."""
        enough = SEVERITIES[SEVERITIES.index(severity) :]
        return tuple(one for one in self.findings if one.severity in enough)

    @property
    def counts(self) -> dict[str, int]:
        """How many errors, warnings and notes there are."""
        found = Counter(one.severity for one in self.findings)
        return {name: found[name] for name in reversed(SEVERITIES)}

    @property
    def not_run(self) -> dict[str, tuple[str, ...]]:
        """The reasons why checks were not run, each with its checks."""
        reasons: dict[str, tuple[str, ...]] = {}
        for one in self.checks:
            if one.status == "not run":
                reasons[one.reason] = (*reasons.get(one.reason, ()), one.check)
        return reasons

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat row for each finding."""
        return [row(one) for one in self.findings]


def finding(
    check: str, sets: Sequence[str], value: float, sentence: str, words: Sequence[str] = ()
) -> Finding:
    """A finding, as grave as its number."""
    known = by_name(check)
    severity = known.severity(value)
    return Finding(check, severity, tuple(sets), tuple(words), float(value), sentence, known.place)


def row(one: Finding) -> dict[str, Any]:
    """A finding as a flat row; words have a bar between them."""
    return {
        "severity": one.severity,
        "check": one.check,
        "set": one.sets[0],
        "against": one.sets[1] if len(one.sets) > 1 else "",
        "value": round(one.value, 6),
        "words": "|".join(one.words),
        "sentence": one.sentence,
        "place": one.place,
    }


def listed(words: Sequence[str], most: int = _LISTED) -> str:
    """A few words, quoted, and how many more there are.

    >>> listed(["sun", "rain", "wind"], 2)
    "'sun', 'rain' and 1 more"
    """
    return few(map(shown, words), most)


def number(count: int, what: str) -> str:
    """A count with its noun.

    >>> number(1, "word"), number(2, "word")
    ('1 word', '2 words')
    """
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def are(count: int) -> str:
    """The verb after a count."""
    return "is" if count == 1 else "are"
