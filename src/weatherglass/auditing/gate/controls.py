"""Controls: does a source encode anything? Verdicts on noise mean nothing."""

from __future__ import annotations

from weatherglass.errors import CannotMeasure, UsageError, WeatherglassError

from .policy import AnyTest, Controls
from .policy_file import PolicyFile
from .record import Status
from .rules import Judgement, describe_evidence, done, not_run
from .subjects import Subject, control_tests
from .wording import alike_sentence, duplicates_sentence, positive_control_sentence

_COPIES = "Vectors that are copies of each other"
_ALIKE = "Vectors that are all alike"


def judge_controls(file: PolicyFile, subject: Subject) -> list[Judgement]:
    """Return a judgement for each control that a policy demands."""
    controls = file.policy.controls
    if controls is None:
        return []
    words = file.find_tests(controls.tests)
    judged = [
        _judge_test(controls, test, word_test, subject)
        for test, word_test in zip(control_tests(subject, words), words, strict=True)
    ]
    return judged + _judge_health(controls, subject)


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
