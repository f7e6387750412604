"""What lint found: findings, which checks were run, and what they were run on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from weatherglass.errors import join_first, quote_safe

from ..result import Experiment

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")  # the gravest last

RARE = 1.0  # occurrences in a million words; ten in ten million, which the paper's threshold drops
STRANGER = 0.2  # share of equally frequent words that are nearer to the rest of a set than its word


@dataclass(frozen=True)
class Check:
    """One thing that lint looks at.

    Attributes
    ----------
    name
        What it is called.
    about
        Whether it looks at each ``set``, at each ``pair`` of sets, or only at pairs of ``opposed``
        sets, which stand at two ends of one thing, such as women and men.
    needs
        ``words``: nothing else; or ``tags``, ``frequencies``, ``corpus``, ``vectors``.
    number
        What the value of a finding is.
    warning, error
        From which value on a finding is one; None: never.
    falling
        Whether small values are the grave ones.
    place
        Where Antoniak and Mimno (2021) write of it.
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
        """How grave a value is.

        >>> by_name("size").severity(8), by_name("size").severity(0)
        ('note', 'error')
        """
        sign = -1 if self.falling else 1
        for name, limit in (("error", self.error), ("warning", self.warning)):
            if limit is not None and sign * value >= sign * limit:
                return "error" if name == "error" else "warning"
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
    Check("size", "set", "words", "different words", _SIZE, 4, 0, falling=True),
    Check("duplicates", "set", "words", "words beyond the first of their kind", _SIMILAR, 1),
    Check("capitals", "set", "words", "words that another is in lower case", _SIMILAR),
    Check("letters", "set", "words", "words that begin or end with no letter", _EXAMINE, 1),
    Check("phrases", "set", "words", "terms of several words", _UNIGRAMS),
    Check("names", "set", "words", "share of the words", _REDUCTIVE),
    Check("slurs", "set", "words", "slurs", _DOCUMENT, 1),
    Check("stereotypes", "set", "words", "1: the catalogue marks the set", _IMPRECISE),
    Check("group-words", "set", "words", "words for a group of people", _IMPRECISE, 1),
    Check("other-concepts", "set", "words", "words of other concepts' sets", _IMPRECISE),
    Check("documentation", "set", "words", "fields that are empty, of four", _DOCUMENT),
    Check("parts-of-speech", "set", "tags", "share of the commonest", _LEXICAL),
    Check("frequency", "set", "frequencies", "median in a million words", _LEXICAL),
    Check("rare", "set", "frequencies", "share of the words", _LEXICAL, 0.5),
    Check("unseen", "set", "corpus", "share of the words", _ABSENT, 0.2, 1),
    Check("missing", "set", "vectors", "share of the words", _ABSENT, 0.2, 1),
    Check("outlier", "set", "vectors", "share of words that would fit better", _SIMILAR),
    Check("strangers", "set", "vectors", "share of the words", _SIMILAR, 0.4),
    Check("senses", "set", "vectors", "share of the words", _LEXICAL, 0.4),
    Check("overlap", "pair", "words", "share of the smaller set", _SIMILAR, 1e-9, 0.5),
    Check("alternatives", "pair", "words", "share of the smaller set", "section 9"),
    Check("circular", "pair", "words", "words for what the other stands for", _IMPRECISE, 1),
    Check("binary", "opposed", "words", "groups that are told apart", _REDUCTIVE),
    Check("size-gap", "opposed", "words", "times as many words", _SIZE, 2),
    Check("pairing", "opposed", "words", "pairs of words", _SIZE),
    Check("parts-of-speech-gap", "opposed", "tags", "share that differs", _LEXICAL, 0.5),
    Check("frequency-gap", "opposed", "frequencies", "times as frequent", _LEXICAL, 5),
    Check("paired-frequency", "opposed", "frequencies", "times, in the median pair", _LEXICAL, 5),
    Check("similarity", "pair", "vectors", "cosine of the set means", _SIMILAR, 0.95),
    Check("order", "opposed", "vectors", "share of shuffles that do as well", _SIZE, 0.5),
)
# fmt: on


def by_name(name: str) -> Check:
    """The check of that name."""
    return next(one for one in CHECKS if one.name == name)


_LISTED = 5  # words that a sentence names


@dataclass(frozen=True)
class Finding:
    """One number about a seed set, or about a pair of sets.

    Attributes
    ----------
    check
        The name of the check, as in `weatherglass.seedlab.lint.findings.CHECKS`.
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
    return join_first(map(quote_safe, words), most)


def number(count: int, what: str) -> str:
    """A count with its noun.

    >>> number(1, "word"), number(2, "word")
    ('1 word', '2 words')
    """
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def are(count: int) -> str:
    """The verb after a count."""
    return "is" if count == 1 else "are"
