"""The words of a verdict: what was measured, and what the policy allows. Nothing else words it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weatherglass.measures import Measurement
from weatherglass.significance import format_p

from .policy import Controls, Rule


def rule_sentence(
    rule: Rule, numbers: Mapping[str, float], noun: str, *, family: int = 1, remarks: str = ""
) -> str:
    """Return the numbers and the limit of a rule in one sentence.

    Parameters
    ----------
    noun
        What the main number is called: effect, correlation, or the name of a measure.
    family
        The number of tests that p is corrected over.
    remarks
        Clauses between the numbers and the limit.
    """
    return f"{_measured(rule, numbers, noun, family)}{remarks}; {_limit(rule)}."


def _measured(rule: Rule, numbers: Mapping[str, float], noun: str, family: int) -> str:
    if rule.kind == "discovery":
        cells = numbers["cells"]
        return f"{numbers['value']:.0f} of {cells:.0f} pairs of a group and a category significant"
    if rule.kind == "retrieval":
        text = f"{noun} {numbers['impact_ratio']:.2f}"
        if "low" in numbers:
            text += f" (95% interval {numbers['low']:.2f} to {numbers['high']:.2f})"
        return f"{text}, selection rates {100 * numbers['impact_gap']:.1f} points apart"
    value = numbers.get("effect", numbers.get("value", 0.0))
    decimals = 3 if rule.kind == "measure" else 2
    parts = [f"{noun} {value:.{decimals}f}"]
    if rule.judge == "interval" and "low" in numbers:
        ends = f"{numbers['low']:.{decimals}f} to {numbers['high']:.{decimals}f}"
        parts[0] += f" (95% interval {ends})"
    if "baseline" in numbers:
        parts.append(f"{numbers['baseline']:.2f} in the baseline")
        if rule.judge == "interval" and "difference_low" in numbers:
            ends = f"{numbers['difference_low']:.2f} to {numbers['difference_high']:.2f}"
            parts.append(f"95% interval of the change {ends}")
        if "p_paired" in numbers:
            parts.append(f"p of the change {format_p(numbers['p_paired'])}")
    if "p_corrected" in numbers and rule.p is not None:
        over = f" over {family} tests" if family > 1 and rule.correction != "none" else ""
        corrected = "corrected p" if over else "two-sided p"
        parts.append(f"{corrected} {format_p(numbers['p_corrected'])}{over}")
    elif "p" in numbers:
        parts.append(f"two-sided p {format_p(numbers['p'])}")
    if "agreement" in numbers:
        parts.append(f"{numbers['agreement']:.0%} of seed choices agree in sign")
    return ", ".join(parts)


def _limit(rule: Rule) -> str:
    what = "the near end of the interval" if rule.judge == "interval" else ""
    conditions = [f"p ≤ {rule.p:g}"] if rule.p is not None else []
    conditions += [f"{rule.agreement:.0%} agreement"] if rule.agreement is not None else []
    only_with = f" with {' and '.join(conditions)}" if conditions else ""
    if rule.kind == "discovery":
        return f"the limit is {rule.cells}"
    if rule.kind == "retrieval":
        limits = []
        if rule.min_impact_ratio is not None:
            of_what = " for the far end of the interval" if rule.judge == "interval" else ""
            limits.append(f"the ratio must be at least {rule.min_impact_ratio:g}{of_what}")
        if rule.max_impact_gap is not None:
            limits.append(f"at most {100 * rule.max_impact_gap:g} points are allowed")
        return " and ".join(limits)
    of = f" for {what}" if what else ""
    if rule.kind == "measure":
        ends = [
            f"{side} {limit:g}"
            for side, limit in (("above", rule.above), ("below", rule.below))
            if limit is not None
        ]
        return f"not allowed is {what or 'a value'} {' or '.join(ends)}{only_with}"
    if rule.increase is not None:
        return f"the limit is {rule.increase:g} beyond the baseline{of}{only_with}"
    if rule.effect is None:
        return f"not allowed{only_with}"
    size = f"the limit is {rule.effect:g} in either direction{of}"
    return f"{size}{only_with}" if conditions else size


def finding_text(result: Measurement | None) -> str:
    """Return the grade and the sentence of a result's finding, which is worded elsewhere."""
    return "" if result is None else str(result.finding)


def not_run_sentence(reason: str) -> str:
    """Return why there is no verdict."""
    return f"Not run: {str(reason).rstrip('.')}."


def positive_control_sentence(controls: Controls, value: float, is_met: bool) -> str:
    """Return the effect of a test with a known result, and what it says about the source."""
    if is_met:
        return f"effect {value:.2f}, at least {controls.effect:g} as it must be."
    return (
        f"effect {value:.2f}; a source that encodes anything has at least {controls.effect:g} "
        "here. It looks like noise, or a damaged model; verdicts on it mean nothing."
    )


def duplicates_sentence(controls: Controls, share: float, is_met: bool) -> str:
    """Return the share of equal vectors, and what it says about the source."""
    limit = f"at most {controls.duplicates:.0%} may be"
    text = f"{share:.1%} of the vectors are copies of another; {limit}."
    return text if is_met else f"{text} The model is damaged, or was cut off."


def alike_sentence(controls: Controls, cosine: float, is_met: bool) -> str:
    """Return the mean cosine of two vectors, and what it says about the source."""
    text = f"the mean cosine of two vectors is {cosine:.3f}; at most {controls.alike:g} is allowed."
    return text if is_met else f"{text} The vectors are practically all the same."


def valence_limit_sentence(controls: Controls, r: float, words: int, is_met: bool) -> str:
    """Return how far a source agrees with the ratings of people, and what the policy demands."""
    text = (
        f"associations agree with how pleasant people find {words:,} words with r = {r:.2f}; at "
        f"least {controls.valence:g} is demanded."
    )
    return text if is_met else f"{text} The source encodes too little of what people agree on."


def waiver_clause(reason: str, until: Any, is_expired: bool) -> str:
    """Return what a waiver does to a violation."""
    if is_expired:
        return f"A waiver ({reason}) expired on {until} and has no effect."
    return f"Accepted until {until}: {reason.rstrip('.')}."
