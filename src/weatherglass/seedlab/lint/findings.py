"""The result of lint: findings, which checks ran, and the table of checks with their limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from weatherglass.errors import join_first, quote_safe

from ..result import Experiment

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")  # in ascending order

# Ten occurrences in ten million words, the minimum count of the paper's models (section 6).
RARE_PER_MILLION = 1.0
# A word fits its set badly if more of the equally frequent words would fit better.
MAX_BETTER_SHARE = 0.2


@dataclass(frozen=True)
class Check:
    """A check that lint runs.

    Attributes
    ----------
    name
        Its name.
    about
        Whether it runs on each ``set``, on each ``pair`` of sets, or only on pairs of ``opposed``
        sets, the two ends of one dimension, such as women and men.
    needs
        ``words``: nothing else; or ``tags``, ``frequencies``, ``corpus``, ``vectors``.
    number
        The meaning of the value of a finding.
    warning, error
        The value from which a finding is a warning or an error; None: never.
    falling
        Whether small values are the severe ones.
    place
        Where Antoniak and Mimno (2021) discuss it.
    """

    name: str
    about: Literal["set", "pair", "opposed"]
    needs: Literal["words", "tags", "frequencies", "corpus", "vectors"]
    number: str
    place: str
    warning: float | None = None
    error: float | None = None
    falling: bool = False

    def severity(self, value: float) -> Severity:
        """Return the severity of a value.

        >>> find_check("size").severity(8), find_check("size").severity(0)
        ('note', 'error')
        """
        sign = -1 if self.falling else 1
        limits: tuple[tuple[Severity, float | None], ...] = (
            ("error", self.error),
            ("warning", self.warning),
        )
        for severity, limit in limits:
            if limit is not None and sign * value >= sign * limit:
                return severity
        return "note"


_REDUCTIVE = "section 8, Reductive Definitions"
_IMPRECISE = "section 8, Imprecise Definitions"
_LEXICAL = "section 8, Lexical Factors"
_SIZE = "section 8, Set Size and Alignment"
_SIMILAR = "section 8, Set Similarity"
_UNIGRAMS = "section 3, Gathered Seed Sets"
_ABSENT = "section 7"
_EXAMINE = "section 9, examine seed features"
_DOCUMENT = "section 9, document all seeds"

# fmt: off
CHECKS: tuple[Check, ...] = (
    # name, about, needs, number, place, warning from, error from
    Check("size", "set", "words", "distinct words", _SIZE, 4, 0, falling=True),
    Check("duplicates", "set", "words", "repeated words", _SIMILAR, 1),
    Check("capitals", "set", "words", "words that differ only in capitals", _SIMILAR),
    Check("letters", "set", "words", "words that begin or end with no letter", _EXAMINE, 1),
    Check("phrases", "set", "words", "terms of several words", _UNIGRAMS),
    Check("names", "set", "words", "share of the words", _REDUCTIVE),
    Check("slurs", "set", "words", "slurs", _DOCUMENT, 1),
    Check("stereotypes", "set", "words", "1: the catalogue marks the set", _IMPRECISE),
    Check("group-words", "set", "words", "words for a group of people", _IMPRECISE, 1),
    Check("other-concepts", "set", "words", "words of other concepts' sets", _IMPRECISE),
    Check("documentation", "set", "words", "missing fields, of four", _DOCUMENT),
    Check("parts-of-speech", "set", "tags", "share of the most common", _LEXICAL),
    Check("frequency", "set", "frequencies", "median per million words", _LEXICAL),
    Check("rare", "set", "frequencies", "share of the words", _LEXICAL, 0.5),
    Check("unseen", "set", "corpus", "share of the words", _ABSENT, 0.2, 1),
    Check("missing", "set", "vectors", "share of the words", _ABSENT, 0.2, 1),
    Check("outlier", "set", "vectors", "share of words that fit better", _SIMILAR),
    Check("strangers", "set", "vectors", "share of the words", _SIMILAR, 0.4),
    Check("senses", "set", "vectors", "share of the words", _LEXICAL, 0.4),
    Check("overlap", "pair", "words", "share of the smaller set", _SIMILAR, 1e-9, 0.5),
    Check("alternatives", "pair", "words", "share of the smaller set", "section 9"),
    Check("circular", "pair", "words", "words for the other set's concept", _IMPRECISE, 1),
    Check("binary", "opposed", "words", "groups that are distinguished", _REDUCTIVE),
    Check("size-gap", "opposed", "words", "ratio of the sizes", _SIZE, 2),
    Check("pairing", "opposed", "words", "pairs of words", _SIZE),
    Check("parts-of-speech-gap", "opposed", "tags", "share that differs", _LEXICAL, 0.5),
    Check("frequency-gap", "opposed", "frequencies", "ratio of the medians", _LEXICAL, 5),
    Check("paired-frequency", "opposed", "frequencies", "ratio in the median pair", _LEXICAL, 5),
    Check("similarity", "pair", "vectors", "cosine of the set means", _SIMILAR, 0.95),
    Check("order", "opposed", "vectors", "share of shuffles that do as well", _SIZE, 0.5),
)
# fmt: on


def find_check(name: str) -> Check:
    """Return the check with this name."""
    return next(check for check in CHECKS if check.name == name)


@dataclass(frozen=True)
class Finding:
    """A number about a seed set or a pair of sets, with its severity.

    Attributes
    ----------
    check
        The name of the check, as in `weatherglass.seedlab.lint.findings.CHECKS`.
    severity
        ``"note"``, ``"warning"`` or ``"error"``.
    sets
        The ids of the set, or of both.
    words
        All words concerned; the sentence may name only some of them.
    value
        The number; the check says what it counts.
    sentence
        The finding in plain English.
    place
        Where Antoniak and Mimno (2021) discuss it.
    """

    check: str
    severity: Severity
    sets: tuple[str, ...]
    words: tuple[str, ...]
    value: float
    sentence: str
    place: str


@dataclass(frozen=True)
class CheckRun:
    """A check with its number of sets or pairs and of findings, or why it was not run."""

    check: str
    status: Literal["done", "not run"]
    reason: str = ""
    looked_at: int = 0
    findings: int = 0


@dataclass(frozen=True, kw_only=True, repr=False)
class Lint(Experiment):
    """The findings of lint.

    Attributes
    ----------
    findings
        By set, then by pair, each in the order of the checks.
    checks
        For every check, what it examined, or why it was not run.
    sets, pairs
        The ids of the sets and pairs that were checked.
    neighbours
        For each word in the source, its nearest neighbours and their cosines.
    corpus
        The corpus in which words were counted, with its numbers of documents and words.
    language_note
        In which language the words were checked, and what states it, in a sentence.
    source, options, version
        What is needed to repeat it.
    """

    measure: ClassVar[str] = "lint"
    chart: ClassVar[str] = "lint"

    findings: tuple[Finding, ...]
    checks: tuple[CheckRun, ...]
    sets: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    neighbours: dict[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    corpus: dict[str, Any] = field(default_factory=dict)
    language_note: str = ""

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of this severity or a higher one."""
        wanted = SEVERITIES[SEVERITIES.index(severity) :]
        return tuple(finding for finding in self.findings if finding.severity in wanted)

    @property
    def counts(self) -> dict[str, int]:
        """The number of errors, warnings and notes."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in reversed(SEVERITIES)}

    @property
    def not_run(self) -> dict[str, tuple[str, ...]]:
        """The names of the checks that were not run, by reason."""
        reasons: dict[str, tuple[str, ...]] = {}
        for run in self.checks:
            if run.status == "not run":
                reasons[run.reason] = (*reasons.get(run.reason, ()), run.check)
        return reasons

    def key_facts(self) -> dict[str, Any]:
        return {"sets": len(self.sets), "pairs": len(self.pairs)} | {
            f"{severity}s": count for severity, count in self.counts.items()
        }

    def sentence(self) -> str:
        counts = [count_noun(count, severity) for severity, count in self.counts.items()]
        sets = count_noun(len(self.sets), "seed set")
        return f"{', '.join(counts[:-1])} and {counts[-1]} in {sets}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each finding."""
        return [finding_row(finding) for finding in self.findings]


def make_finding(
    check: str, sets: Sequence[str], value: float, sentence: str, words: Sequence[str] = ()
) -> Finding:
    """Return a finding with the severity of its value."""
    known = find_check(check)
    severity = known.severity(value)
    return Finding(check, severity, tuple(sets), tuple(words), float(value), sentence, known.place)


def finding_row(finding: Finding) -> dict[str, Any]:
    """Return a finding as a flat row, with words separated by a bar."""
    return {
        "severity": finding.severity,
        "check": finding.check,
        "set": finding.sets[0],
        "against": finding.sets[1] if len(finding.sets) > 1 else "",
        "value": round(finding.value, 6),
        "words": "|".join(finding.words),
        "sentence": finding.sentence,
        "place": finding.place,
    }


def quote_first(words: Sequence[str], limit: int = 5) -> str:
    """Return the first words in quotes, and how many more there are.

    >>> quote_first(["sun", "rain", "wind"], 2)
    "'sun', 'rain' and 1 more"
    """
    return join_first(map(quote_safe, words), limit)


def count_noun(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> count_noun(1, "word"), count_noun(2, "word")
    ('1 word', '2 words')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def is_or_are(count: int) -> str:
    """Return the verb that follows a count."""
    return "is" if count == 1 else "are"
