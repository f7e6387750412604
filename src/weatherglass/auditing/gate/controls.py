"""Controls: does a source encode anything? Verdicts on noise mean nothing."""

from __future__ import annotations

from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError

from .policy import AnyTest, Controls
from .policy_file import PolicyFile
from .record import Status
from .rules import Judgement, describe_evidence, done, not_run
from .subjects import Subject
from .wording import (
    alike_sentence,
    duplicates_sentence,
    positive_control_sentence,
    valence_limit_sentence,
)

_COPIES = "Vectors that are copies of each other"
_ALIKE = "Vectors that are all alike"
_VALENCE = "Agreement with the ratings of people"


def judge_controls(file: PolicyFile, subject: Subject) -> list[Judgement]:
    """Return a judgement for each control that a policy demands."""
    controls = file.policy.controls
    if controls is None:
        return []
    tests, words = file.control_tests(subject.is_encoder), file.control_tests(is_encoder=False)
    judged = [
        _judge_test(controls, test, word_test, subject)
        for test, word_test in zip(tests, words, strict=True)
    ]
    # Copies and vectors that are all alike are faults of vectors, which a table does not have.
    health = [] if subject.is_table else _judge_health(controls, subject)
    return judged + health + _judge_valence(controls, subject)


def _judge_test(
    controls: Controls, test: AnyTest, word_test: AnyTest, subject: Subject
) -> Judgement:
    try:
        try:
            result = done(subject.result(test))
        except CannotMeasure:
            # An audit of an encoder may have the version in words only.
            if test.id == word_test.id:
                raise
            result = done(subject.result(word_test))
    except UsageError:
        raise
    except WeatherglassError as error:
        return not_run(test.id, test.title, error)
    value = float(result.main_value or 0.0)
    is_met = value >= controls.effect
    sentence = positive_control_sentence(controls, value, is_met)
    status: Status = "passed" if is_met else "violated"
    evidence = describe_evidence(result)
    return Judgement(result.test, test.title, status, sentence, {"effect": value}, evidence, result)


def _judge_health(controls: Controls, subject: Subject) -> list[Judgement]:
    try:
        health = subject.health()
    except UsageError:
        raise
    except WeatherglassError as error:
        return [not_run("duplicates", _COPIES, error), not_run("alike", _ALIKE, error)]
    judged = []
    for test, title, value, limit, word in (
        ("duplicates", _COPIES, health.duplicates, controls.duplicates, duplicates_sentence),
        ("alike", _ALIKE, health.alike, controls.alike, alike_sentence),
    ):
        is_met = value <= limit
        status: Status = "passed" if is_met else "violated"
        judged.append(
            Judgement(test, title, status, word(controls, value, is_met), {"value": value})
        )
    return judged


def _judge_valence(controls: Controls, subject: Subject) -> list[Judgement]:
    if controls.valence is None:
        return []
    try:
        valence = subject.valence()
    except UsageError:
        raise
    except WeatherglassError as error:
        return [not_run("valence", _VALENCE, error)]
    if valence.r is None:
        return [not_run("valence", _VALENCE, valence.reason)]
    is_met = valence.r >= controls.valence
    status: Status = "passed" if is_met else "violated"
    sentence = valence_limit_sentence(controls, valence.r, valence.n, is_met)
    return [Judgement("valence", _VALENCE, status, sentence, {"value": valence.r})]
