"""The judgement of rules: each alone, on the numbers of one source."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError
from weatherglass.measures import Measurement, PairedDifference, Results, paired_results
from weatherglass.retrieval import RetrievalResult
from weatherglass.significance import benjamini_hochberg, holm

from ..changes import beyond
from .policy import AnyTest, Rule
from .policy_file import PolicyFile
from .record import Status
from .subjects import Subject
from .wording import not_run_sentence, rule_sentence


@dataclass(frozen=True)
class Judgement:
    """What a rule or control says about one test: the numbers, and whether they are allowed."""

    test: str
    title: str
    status: Status
    sentence: str
    numbers: dict[str, float] = field(default_factory=dict)
    evidence: dict[str, Any] = field(default_factory=dict)
    result: Measurement | None = field(default=None, repr=False)


def judge_rule(
    file: PolicyFile, number: int, subject: Subject, baseline: Subject | None = None
) -> list[Judgement]:
    """Return the judgement of every test of a rule."""
    rule = file.policy.rules[number]
    if rule.kind == "measure":
        return [_judge_measure(rule, subject)]
    if rule.kind == "discovery":
        return [_judge_discovery(rule, subject)]
    if rule.kind == "retrieval":
        return _judge_retrieval(rule, subject)
    return _judge_tests(rule, file.rule_tests[number], file.family_tests[number], subject, baseline)


def not_run(test: str, title: str, reason: object) -> Judgement:
    """Return the judgement of a test that has no numbers."""
    return Judgement(test, title, "not run", not_run_sentence(str(reason)))


def done(result: Measurement) -> Measurement:
    """Return a result that has numbers; otherwise raise `CannotMeasure` with the reason."""
    if not result.is_done or result.main_value is None:
        raise CannotMeasure(result.reason or "it has no number")
    return result


def describe_evidence(result: Measurement) -> dict[str, Any]:
    """Return what the numbers of a result rest on."""
    published = result.published_value
    return {
        "measure": result.measure,
        "words": {name: len(words) for name, words in result.words.items()},
        "missing": {name: list(words) for name, words in result.missing.items() if words},
        "unit": result.main_unit,
        "p_method": result.main_p_method,
        "grade": result.finding.grade,
        "grade_rests_on": [
            {"kind": item.kind, "verdict": item.verdict, "number": item.number}
            for item in result.finding.evidence
        ],
        "warnings": list(result.warnings),
        **({} if published is None else {"published": published}),
        "options": {name: str(value) for name, value in result.options.items()},
    }


@dataclass(frozen=True)
class _Measured:
    """A test with its numbers, before the correction of its p-value."""

    result: Measurement
    numbers: dict[str, float]
    p: float | None
    paired: PairedDifference | None = None


def _judge_tests(
    rule: Rule,
    tests: Sequence[AnyTest],
    family: Sequence[AnyTest],
    subject: Subject,
    baseline: Subject | None,
) -> list[Judgement]:
    measured: dict[str, _Measured] = {}
    reasons: dict[str, str] = {}
    for test in family:
        try:
            measured[test.id] = _measure(rule, test, subject, baseline)
        except UsageError:
            raise
        except WeatherglassError as error:
            reasons[test.id] = str(error)
    measured = _correct_findings(measured)
    corrected = correct(rule, {id: m.p for id, m in measured.items()})
    return [
        not_run(test.id, test.title, reasons[test.id])
        if test.id in reasons
        else _judge_test(rule, test, measured[test.id], corrected, subject)
        for test in tests
    ]


def _correct_findings(measured: Mapping[str, _Measured]) -> dict[str, _Measured]:
    """Correct the findings over the tests of a rule, as the commands that run tests do.

    The findings of an audit are corrected over its tests already, and stay as its report has them.
    """
    if any(item.result.p_finding is not None for item in measured.values()):
        return dict(measured)
    results = Results.of(item.result for item in measured.values()).correct_findings()
    return {
        id: replace(item, result=result)
        for (id, item), result in zip(measured.items(), results, strict=True)
    }


def correct(rule: Rule, p_values: Mapping[str, float | None]) -> dict[str, float]:
    """Return p-values corrected over the family of a rule; tests without a p-value are left out."""
    known = {id: p for id, p in p_values.items() if p is not None}
    if not known or rule.correction == "none":
        return known
    adjust = holm if rule.correction == "holm" else benjamini_hochberg
    return dict(zip(known, adjust(list(known.values())).tolist(), strict=True))


def _measure(rule: Rule, test: AnyTest, subject: Subject, baseline: Subject | None) -> _Measured:
    result = done(subject.result(test))
    numbers = _main_numbers(result, "effect")
    p = result.main_p_two_sided
    if p is not None:
        numbers["p"] = p
    if rule.increase is None:
        return _Measured(result, numbers, p)
    if baseline is None:
        raise CannotMeasure(f"the baseline has no source {subject.name}")
    try:
        before = done(baseline.result(test))
    except CannotMeasure as error:
        raise CannotMeasure(f"in the baseline, {error}") from None
    paired = paired_results(result, before)
    numbers["baseline"] = float(before.main_value or 0.0)
    if paired is None:
        return _Measured(result, numbers, None)
    # Over the words that both have, which may be fewer than the test has.
    numbers |= {"effect": paired.first, "baseline": paired.second}
    numbers |= {"difference": paired.difference, "p_paired": paired.p.value}
    numbers |= {"difference_low": paired.low, "difference_high": paired.high}
    return _Measured(result, numbers, paired.p.value, paired)


def _main_numbers(result: Measurement, name: str) -> dict[str, float]:
    numbers = {name: float(result.main_value or 0.0)}
    if result.main_interval is not None:
        low, high = result.main_interval.low, result.main_interval.high
        numbers |= {"low": low, "high": high} if math.isfinite(low) and math.isfinite(high) else {}
    return numbers


def _judge_test(
    rule: Rule,
    test: AnyTest,
    measured: _Measured,
    corrected: Mapping[str, float],
    subject: Subject,
) -> Judgement:
    result, numbers = measured.result, dict(measured.numbers)
    remarks = ""
    try:
        is_violated = _is_beyond(rule, measured)
        if rule.p is not None:
            if test.id not in corrected:
                raise CannotMeasure("there is no two-sided p-value; measure it again")
            numbers["p_corrected"] = corrected[test.id]
            is_violated = is_violated and corrected[test.id] <= rule.p
        if is_violated and rule.agreement is not None:
            agreement = subject.agreement(test)
            if agreement is None:
                remarks = ", other seed choices not tried"
            else:
                numbers["agreement"] = agreement
                is_violated = agreement >= rule.agreement
    except CannotMeasure as error:
        return not_run(test.id, test.title, error)
    sentence = rule_sentence(
        rule, numbers, result.main_name, family=len(corrected), remarks=remarks
    )
    status: Status = "violated" if is_violated else "passed"
    evidence = describe_evidence(result)
    return Judgement(test.id, test.title, status, sentence, numbers, evidence, result)


def _is_beyond(rule: Rule, measured: _Measured) -> bool:
    """Return whether the size of an effect, or of its increase, is beyond the limit."""
    value = measured.numbers["effect"]
    if rule.increase is not None:
        return _excess(rule, measured) > rule.increase
    if rule.effect is None:
        return True  # the other conditions decide
    if rule.judge == "effect":
        return abs(value) > rule.effect
    if "low" not in measured.numbers:
        raise CannotMeasure("it has no confidence interval")
    near_end = measured.numbers["low"] if value > 0 else -measured.numbers["high"]
    return near_end > rule.effect


def _excess(rule: Rule, measured: _Measured) -> float:
    """Return how far an effect is outside of the range from zero to the baseline's effect.

    With the signs of the baseline turned to be positive, an effect d against the baseline's d₀ is
    max(d - d₀, -d) outside: larger than before, or beyond zero in the other direction. For the
    interval, d is replaced by the end of the interval of the change that is nearer to the range.
    """
    before = measured.numbers["baseline"]
    if rule.judge == "effect":
        return beyond(measured.numbers["effect"], before)
    sign = -1.0 if before < 0 else 1.0
    if measured.paired is None:
        raise CannotMeasure("there is no paired test, and so no interval of the change")
    low, high = sorted(sign * end for end in (measured.paired.low, measured.paired.high))
    return max(low, -(abs(before) + high))


def _judge_measure(rule: Rule, subject: Subject) -> Judgement:
    try:
        result = done(subject.measure(rule))
    except UsageError:
        raise
    except WeatherglassError as error:
        return not_run(rule.measure, rule.description or rule.measure, error)
    title = rule.description or result.title
    numbers = _main_numbers(result, "value")
    p = result.main_p_two_sided
    if p is not None:
        numbers["p"] = p
    value = numbers["value"]
    ends = (value, value)
    if rule.judge == "interval":
        if "low" not in numbers:
            return not_run(rule.measure, title, "it has no confidence interval")
        ends = (numbers["low"], numbers["high"])
    is_above = rule.above is not None and ends[0] > rule.above
    is_below = rule.below is not None and ends[1] < rule.below
    is_violated = is_above or is_below
    if rule.p is not None:
        if p is None:
            return not_run(rule.measure, title, f"{rule.measure} has no two-sided p-value")
        numbers["p_corrected"] = p
        is_violated = is_violated and p <= rule.p
    sentence = rule_sentence(rule, numbers, rule.measure)
    status: Status = "violated" if is_violated else "passed"
    return Judgement(
        rule.measure, title, status, sentence, numbers, describe_evidence(result), result
    )


def _judge_discovery(rule: Rule, subject: Subject) -> Judgement:
    title = rule.description or "Discovery of biases that nobody asked about"
    try:
        found = subject.discover(rule)
    except UsageError:
        raise
    except WeatherglassError as error:
        return not_run("discovery", title, error)
    count = len(found.significant)
    numbers = {"value": float(count), "cells": float(len(found.cells))}
    limit = rule.cells if rule.cells is not None else 0
    evidence = {"alpha": found.alpha, "options": {k: str(v) for k, v in found.options.items()}}
    sentence = rule_sentence(rule, numbers, "cells")
    status: Status = "violated" if count > limit else "passed"
    return Judgement("discovery", title, status, sentence, numbers, evidence)


def _judge_retrieval(rule: Rule, subject: Subject) -> list[Judgement]:
    """Judge each two groups of names by their selection rates."""
    try:
        results = subject.retrieve(rule)
    except UsageError:
        raise
    except WeatherglassError as error:
        return [not_run("retrieval", rule.description or "Whose documents are found", error)]
    return [_judge_ratio(rule, result) for result in results]


def _judge_ratio(rule: Rule, result: RetrievalResult) -> Judgement:
    title = rule.description or result.title
    if not result.is_done or result.impact_ratio is None:
        return not_run(result.test, title, result.reason or "nothing is selected")
    gap = max(result.rates.values()) - min(result.rates.values())
    numbers = {"impact_ratio": result.impact_ratio, "impact_gap": gap}
    ratio = result.impact_ratio
    if result.impact_interval is not None:
        numbers |= {"low": result.impact_interval.low, "high": result.impact_interval.high}
    if rule.judge == "interval":
        if result.impact_interval is None:
            return not_run(result.test, title, "the impact ratio has no interval")
        ratio = result.impact_interval.high
    is_low = rule.min_impact_ratio is not None and ratio < rule.min_impact_ratio
    is_wide = rule.max_impact_gap is not None and gap > rule.max_impact_gap
    sentence = rule_sentence(rule, numbers, "impact ratio")
    status: Status = "violated" if is_low or is_wide else "passed"
    evidence = describe_evidence(result)
    return Judgement(result.test, title, status, sentence, numbers, evidence, result)
