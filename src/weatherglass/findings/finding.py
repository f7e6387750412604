"""`Finding`: a result, its evidence, its grade, and the sentence that every surface shows."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from weatherglass.errors import BadContent
from weatherglass.measures import (
    Measurement,
    SeedChoices,
    from_plain,
    load_json,
    upper_first,
)
from weatherglass.significance import Interval

from .evidence import GRADING_KINDS, Evidence, Judge

Grade = Literal["clear", "mixed", "none", "not run"]
GRADES: tuple[Grade, ...] = get_args(Grade)
"""All grades, the strongest finding first."""

ALPHA = 0.05
_VERBS = ("is not certain", "fades", "reverses", "hinges on", "holds")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A result with its evidence, its grade and its sentence.

    Attributes
    ----------
    grade
        ``clear``: the result holds under all evidence that was collected. ``mixed``: it depends on
        something, which the sentence names. ``none``: no clear difference. ``not run``: there is
        no number, or the measure has no significance test.
    sentence
        What was found, with its direction unless the grade is ``none``.
    evidence
        What was tried, and whether the result holds under it.
    not_collected
        The kinds of evidence that could be collected for this result, but were not.
    context
        The baseline in a sentence. It says how ordinary such an alignment is, and never passes or
        fails.
    direction
        1 if the main number is positive (X with A), -1 if it is negative, 0 if the grade names no
        direction.
    result
        The result.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.weat(wg.open_vectors("default"), "weat6", influence=True)
    >>> print(result.finding)
    clear: Male names are more strongly associated with career words, rather than family words, \
than female names are.
    >>> [evidence.kind for evidence in result.finding.evidence]
    ['p', 'interval', 'leave-one-out', 'anisotropy control', 'published']
    >>> result.finding.not_collected
    ('seed choices', 'frequency control')
    """

    grade: Grade
    sentence: str
    evidence: tuple[Evidence, ...] = ()
    not_collected: tuple[str, ...] = ()
    context: str = ""
    direction: int = 0
    result: Measurement

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What a mixed finding depends on, in phrases; sign changes come first."""
        return _phrases(self.evidence)

    @property
    def is_reversed(self) -> bool:
        """Whether the published result has the other direction."""
        return self.direction != 0 and any(
            item.kind == "published" and item.verdict == "fails" for item in self.evidence
        )

    def lines(self) -> list[str]:
        """Return the evidence in lines: the verdict, the kind, and what was found."""
        rows = [f"{item.verdict}: {item.kind}, {item.text}." for item in self.evidence]
        rows += [f"context: {self.context}"] if self.context else []
        missing = ", ".join(self.not_collected)
        return rows + ([f"not collected: {missing}."] if missing else [])

    def __str__(self) -> str:
        return f"{self.grade}: {self.sentence}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return {
            "grade": self.grade,
            "sentence": self.sentence,
            "evidence": [asdict(item) for item in self.evidence],
            "not_collected": list(self.not_collected),
            "context": self.context,
            "direction": self.direction,
            "result": self.result.to_dict(),
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_dict(cls, record: Any) -> Finding:
        """Return the finding that `to_dict` wrote; a `ValueError` says why it is none."""
        if not isinstance(record, dict) or set(record) != set(cls.__dataclass_fields__):
            raise ValueError("a finding has a grade, a sentence, evidence and a result")
        fields = {name: part for name, part in record.items() if name != "result"}
        parsed = from_plain(_Stored, fields)
        return cls(**vars(parsed), result=Measurement.from_dict(record["result"]))

    @classmethod
    def from_json(cls, text: str | bytes) -> Finding:
        """Return the finding that `to_json` wrote."""
        try:
            return cls.from_dict(load_json(text))
        except ValueError as error:
            raise BadContent(f"This is not a finding in JSON ({error}).") from None

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(line)}</li>" for line in self.lines())
        head = f"<b>{self.grade}</b>: {html.escape(self.sentence)}"
        return f"<p>{head}</p><ul>{items}</ul>"


@dataclass(frozen=True, kw_only=True)
class _Stored:
    """The fields of a finding but for its result, whose class its record names."""

    grade: Grade
    sentence: str
    evidence: tuple[Evidence, ...]
    not_collected: tuple[str, ...]
    context: str
    direction: int


def finding(
    result: Measurement,
    *,
    alpha: float = ALPHA,
    seed_choices: SeedChoices | None = None,
    documents: Interval | None = None,
) -> Finding:
    """Grade a result by all evidence that was collected for it, and say what was found.

    Parameters
    ----------
    result
        The result of a measure. What it carries is evidence: p-value, intervals, leave-one-out
        (``influence=True``), controls (``control=["frequency", "top:2"]``).
    alpha
        The significance level.
    seed_choices
        How the result fares over documented seed choices; `Multiverse.seed_choices` gives it. By
        default that of the result, which an audit adds.
    documents
        The interval over models trained on resampled documents of the same corpus. By default that
        of the result, which a measurement of a folder of `weatherglass.train` has.

    Returns
    -------
    Finding

    Notes
    -----
    The p-value is two-sided unless a direction was declared, and corrected for all tests of the
    result set that `Results.correct` returned. Above `alpha` the grade is ``none``. A result with
    a p-value up to `alpha` is ``clear`` if all other evidence passes, and otherwise ``mixed``.
    Leave-one-out and controls are judged by their own two-sided p-values, uncorrected.
    ``docs/methods/findings.md`` has all rules.

    Examples
    --------
    >>> import weatherglass as wg
    >>> result = wg.weat(wg.open_vectors("default"), "weat5")
    >>> finding = wg.finding(result)
    >>> finding.grade, finding.depends_on
    ('mixed', ('fades when the mean and the first 2 principal components are removed',))
    """
    if not result.is_done:
        sentence = f"{result.title} was not run: {result.reason}."
        return Finding(grade="not run", sentence=sentence, result=result)
    judge = Judge(result, alpha)
    choices = seed_choices or result.seed_choices
    over_documents = documents or _document_interval(result)
    evidence = [
        judge.significance(),
        *judge.intervals(),
        judge.leave_one_out(),
        judge.seed_choices(choices) if choices else None,
        *judge.controls(),
        judge.documents(over_documents) if over_documents else None,
        judge.valence(),
        judge.published(),
    ]
    collected = tuple(item for item in evidence if item is not None)
    grade = _grade(collected)
    about: dict[str, Any] = {
        "grade": grade,
        "not_collected": _not_collected(result, collected),
        "context": _context(result),
        "result": result,
    }
    if grade == "not run":
        reason = "Significance was not tested, because this measure has no p-value."
        sentence = f"{reason} {upper_first(result.claim())}"
        return Finding(sentence=sentence, evidence=collected, **about)
    if grade == "none":
        absence, power = _absence(judge)
        return Finding(sentence=absence, evidence=(*collected, *power), **about)
    direction = judge.direction
    return Finding(
        sentence=_state(result, collected), evidence=collected, direction=direction, **about
    )


def _document_interval(result: Measurement) -> Interval | None:
    """Return the interval over documents, if zero means no difference for this measure."""
    if result.document_samples is None or result.main_p_for_finding is None:
        return None
    return result.document_samples.interval


def _grade(evidence: Iterable[Evidence]) -> Grade:
    graded = [item for item in evidence if item.kind in GRADING_KINDS]
    deciding = [item for item in graded if item.kind == "p"] or [
        item for item in graded if item.kind in ("interval", "documents")
    ]
    if not deciding:
        return "not run"
    if not all(item.verdict == "pass" for item in deciding):
        return "none"
    return "clear" if all(item.verdict == "pass" for item in graded) else "mixed"


def _phrases(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    graded = [item for item in evidence if item.kind in GRADING_KINDS and item.phrase]
    ordered = sorted(graded, key=lambda item: not item.reverses)
    return tuple(dict.fromkeys(item.phrase for item in ordered))


def _state(result: Measurement, evidence: tuple[Evidence, ...]) -> str:
    """Return the claim, with what it depends on; changes of sign come first."""
    claim = result.claim().rstrip(".")
    if any(item.kind == "published" and item.verdict == "fails" for item in evidence):
        claim += ", the reverse of the published result"
    graded = [item for item in evidence if item.kind in GRADING_KINDS]
    reversing = _phrases(item for item in graded if item.reverses)
    others = _phrases(item for item in graded if not item.reverses)
    if reversing:
        rest = f"; it also {_join(others)}" if others else ""
        return f"{upper_first(_join(reversing))}; as measured, {claim}{rest}."
    return upper_first(f"{claim}; but this {_join(others)}." if others else f"{claim}.")


def _join(phrases: Iterable[str]) -> str:
    """Join phrases, with a verb that several share only once.

    >>> _join(["fades when a is removed", "fades when b is removed", "hinges on 'c'"])
    "fades when a is removed and when b is removed, and hinges on 'c'"
    """
    by_verb: dict[str, list[str]] = {}
    for phrase in phrases:
        verb = next((verb for verb in _VERBS if phrase.startswith(f"{verb} ")), "")
        by_verb.setdefault(verb, []).append(phrase.removeprefix(verb).strip())
    groups = [f"{verb} {' and '.join(rest)}".strip() for verb, rest in by_verb.items()]
    is_compound = any(" and " in group for group in groups)
    return (", and " if is_compound else " and ").join(groups)


def _absence(judge: Judge) -> tuple[str, list[Evidence]]:
    """Return that there is no clear difference, and what the test could have found."""
    if stated := judge.result.absence():
        return upper_first(stated), []
    text, alternative = "No clear difference", judge.result.finding_alternative
    if alternative != "two-sided":
        sign = "positive" if alternative == "greater" else "negative"
        text += f" in the direction that was declared ({sign}),"
    text = f"{text} {judge.result.subject()}".rstrip(" ,")
    power = judge.power()
    if power is None:
        return f"{text}.", []
    if power.detectable is None:
        reason = str(power)
        item = Evidence("power", "fails", None, reason)
        return f"{text}; {reason}.", [item]
    could = f"this test could have detected {power.detectable:.2g} or more"
    item = Evidence("power", "pass", power.detectable, str(power))
    return f"{text}; {could}.", [item]


def _not_collected(result: Measurement, evidence: Iterable[Evidence]) -> tuple[str, ...]:
    collected = {item.kind for item in evidence}
    if result.is_of_table:  # controls change vectors, which a table does not have
        collected |= {"frequency control", "anisotropy control"}
    return tuple(kind for kind in result.possible_evidence if kind not in collected)


def _context(result: Measurement) -> str:
    baseline = getattr(result, "baseline", None)
    return baseline.sentence() if baseline is not None and baseline.percentile is not None else ""
