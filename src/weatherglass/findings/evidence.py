"""Evidence: what was tried on a result, and whether the result holds under it.

Numbers are relative to the direction of the result: they do not change if X and Y, or A and B, are
swapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from weatherglass.errors import join_first, quote_safe
from weatherglass.measures import ControlledValue, Measurement, SeedChoices
from weatherglass.significance import Interval, Power, equate_p, format_p
from weatherglass.vectors import R2_THRESHOLD

from .valence import MIN_VALENCE, is_low

Kind = Literal[
    "p",
    "interval",
    "leave-one-out",
    "seed choices",
    "frequency control",
    "anisotropy control",
    "covariate control",
    "documents",
    "valence",
    "published",
    "power",
]
Verdict = Literal["pass", "depends", "fails"]

GRADING_KINDS: tuple[Kind, ...] = tuple(
    kind for kind in get_args(Kind) if kind not in ("published", "power")
)
"""Kinds that decide the grade. A published figure is of another source, and power is about what
was not found."""

MIN_SEED_SHARE = 0.8
"""Share of the documented seed choices under which a result must hold to pass."""

COVARIATES = "covariates"
"""The control of a retrieval audit: what is known about names besides their group."""

NAME_FREQUENCY = "covariates: frequency"
"""The same where the number of tokens plays no part."""

_MAX_WORDS = 3  # named in a sentence


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece of evidence about a result.

    Attributes
    ----------
    kind
        What was tried; one of the kinds in ``docs/methods/findings.md``.
    verdict
        ``pass``: the result holds. ``depends``: it has the same direction, but is not significant,
        or not certain. ``fails``: it has the other direction, or there is no evidence for it.
    number
        The number behind the verdict: a p-value, an end of an interval, a share of the effect.
    text
        The same in a few words.
    phrase
        What a sentence says of it, such as ``reverses when word frequency is removed``; empty if
        it passes.
    reverses
        Whether the result changes its sign.
    """

    kind: Kind
    verdict: Verdict
    number: float | None
    text: str
    phrase: str = ""
    reverses: bool = False


@dataclass(frozen=True)
class Judge:
    """Judges the evidence of one result at a significance level."""

    result: Measurement
    alpha: float

    @property
    def direction(self) -> int:
        """The sign of the main number: 1, -1, or 0 where there is none."""
        value = self.result.main_value or 0.0
        return (value > 0) - (value < 0)

    @property
    def p(self) -> float | None:
        """The p-value that decides, corrected if the result is one of several."""
        p = self.result.main_p_for_finding
        return self.result.p_finding if self.result.p_finding is not None else p

    def significance(self) -> Evidence | None:
        """Judge the p-value."""
        p, raw = self.p, self.result.main_p_for_finding
        if p is None or raw is None or self.result.p_for_correction is None:
            return None
        unit = f", {self.result.main_unit}" if self.result.main_unit else ""
        alternative = self.result.finding_alternative
        sided = alternative if alternative == "two-sided" else f"one-sided, {alternative}"
        text = f"{equate_p(raw)} ({sided}{unit})"
        if self.result.family > 1:
            text += f", {format_p(p)} corrected for {self.result.family} tests"
        return Evidence("p", "pass" if p <= self.alpha else "fails", p, text)

    def intervals(self) -> Iterator[Evidence]:
        """Judge each interval by the end that is nearer to zero."""
        for interval in self.result.evidence_intervals:
            yield self.interval(interval, "interval", f"over {interval.about}")

    def interval(self, interval: Interval, kind: Kind, about: str) -> Evidence:
        """Judge an interval: does it leave out zero, and everything beyond it?"""
        near = interval.low if self.direction > 0 else -interval.high
        far = interval.high if self.direction > 0 else -interval.low
        text = f"{100 * interval.confidence:g} % interval {about}: {near:.2f} to {far:.2f}"
        text += " in the direction of the effect"
        if near > 0:
            return Evidence(kind, "pass", near, text)
        phrase = f"is not certain {about}"
        return Evidence(kind, "depends", near, text, phrase)

    def leave_one_out(self) -> Evidence | None:
        """Judge whether leaving out one word changes the sign, or the significance."""
        is_possible = "leave-one-out" in self.result.possible_evidence
        influence = getattr(self.result, "influence", ()) if is_possible else ()
        effect = self.result.value
        if not influence or not effect:
            return None
        remaining = [(left_out.effect / effect, left_out) for left_out in influence]
        reversing = [(share, word) for share, word in remaining if share < 0]
        losing = [(share, word) for share, word in remaining if self._is_lost(word)]
        chosen = reversing or losing
        share, word = min(chosen or remaining, key=lambda pair: pair[0])
        p = word.p if self.result.is_declared else word.p_two_sided
        text = f"without {quote_safe(word.word)}, {_remaining(share)}"
        text += f" ({equate_p(p)})" if p is not None else ""
        if not chosen:
            return Evidence("leave-one-out", "pass", share, text)
        ordered = sorted(chosen, key=lambda pair: pair[0])
        named = join_first((quote_safe(word.word) for _, word in ordered), _MAX_WORDS)
        if reversing:
            phrase = f"reverses without {named}"
            return Evidence("leave-one-out", "fails", share, text, phrase, reverses=True)
        return Evidence("leave-one-out", "depends", share, text, f"hinges on {named}")

    def _is_lost(self, left_out: Any) -> bool:
        """Return whether a result is not significant any more, although it could be."""
        p = left_out.p if self.result.is_declared else left_out.p_two_sided
        if left_out.effect == 0:  # nothing is left
            return True
        if p is None or p <= self.alpha:
            return False
        # With one word fewer, a small test may have no significant outcome at all.
        return self.result.smallest_p_without(left_out.set) <= self.alpha

    def seed_choices(self, choices: SeedChoices) -> Evidence:
        """Judge the share of documented seed choices under which the result holds."""
        text = f"holds for {choices.share:.0%} of {choices.of:,} published seed lists"
        if choices.reversed:
            text += f", reverses for {choices.reversed:.0%}"
        if choices.share >= MIN_SEED_SHARE:
            return Evidence("seed choices", "pass", choices.share, text)
        phrase = f"holds for {100 * choices.share:.0f} % of published seed lists"
        if choices.reversed > choices.share:
            phrase = f"reverses for {100 * choices.reversed:.0f} % of published seed lists"
            return Evidence("seed choices", "fails", choices.share, text, phrase, reverses=True)
        return Evidence("seed choices", "depends", choices.share, text, phrase)

    def controls(self) -> Iterator[Evidence]:
        """Judge the same measurement on controlled vectors."""
        values = list(self.result.controls)
        sampled: ControlledValue | None = getattr(self.result, "anisotropy", None)
        # The control that was asked for is fitted to more words than the sampled one.
        is_controlled = any(_kind(value) == "anisotropy control" for value in values)
        if sampled is not None and not is_controlled:
            values.append(sampled)
        for value in values:
            if (evidence := self._control(value)) is not None:
                yield evidence

    def _control(self, value: ControlledValue) -> Evidence | None:
        kind = _kind(value)
        if value.effect is None or value.survives is None:
            is_weak = value.r2_before is not None and value.r2_before <= R2_THRESHOLD
            if value.name == "none" and value.asked == "auto" and is_weak:
                text = f"frequency is hardly predictable (R² {value.r2_before:.2f})"
                return Evidence(kind, "pass", value.r2_before, text)
            return None
        removed = removal(value.name)
        p = value.p if self.result.is_declared else value.p_two_sided
        if p is None and value.p is not None:  # a result of an older version, one-sided
            p = min(1.0, 2 * min(value.p, 1 - value.p))
        text = f"{_remaining(value.survives)} {removed}"
        text += f" ({equate_p(p)})" if p is not None else ""
        if value.rows is not None:
            text += f", fitted to {value.rows:,} sampled words"
        if value.survives < 0:
            phrase = f"reverses {removed}"
            return Evidence(kind, "fails", value.survives, text, phrase, reverses=True)
        if p is None or p <= self.alpha:
            return Evidence(kind, "pass", value.survives, text)
        return Evidence(kind, "depends", value.survives, text, f"fades {removed}")

    def documents(self, interval: Interval) -> Evidence:
        """Judge the interval over models that were trained on resampled documents."""
        return self.interval(interval, "documents", "over resampled documents")

    def valence(self) -> Evidence | None:
        """Judge whether the source encodes what people agree on, where that was measured."""
        valence = self.result.valence
        if valence is None or valence.r is None:
            return None
        text = f"r = {valence.r:.2f} between associations and the ratings of valence by people"
        if not is_low(valence):
            return Evidence("valence", "pass", valence.r, text)
        text += f", below {MIN_VALENCE:g}"
        phrase = (
            "comes from a source that encodes little of what people agree on (valence "
            f"r = {valence.r:.2f})"
        )
        return Evidence("valence", "depends", valence.r, text, phrase)

    def published(self) -> Evidence | None:
        """Compare with the published figure; it decides no grade, being of another source."""
        value, published = self.result.main_value, self.result.published_value
        if published is None or not value:
            return None
        if value * published < 0:
            text = f"the published figure, {published:.2f}, has the other sign"
            return Evidence("published", "fails", published / value, text)
        interval = self.result.main_interval
        if interval is None or interval.low <= published <= interval.high:
            where = "" if interval is None else " and lies in the interval"
            text = f"the published figure, {published:.2f}, has the same sign{where}"
            return Evidence("published", "pass", published / value, text)
        text = f"the published figure, {published:.2f}, has the same sign, outside the interval"
        return Evidence("published", "depends", published / value, text)

    def power(self) -> Power | None:
        """Return what the test could have found, at the level that correction asks for."""
        return self.result.power_at(self.alpha / self.result.family)


def _kind(value: ControlledValue) -> Kind:
    name = value.asked if value.name == "none" else value.name
    if name in (COVARIATES, NAME_FREQUENCY):
        return "covariate control"
    is_frequency = "frequency" in name or name in ("auto", "none")
    return "frequency control" if is_frequency else "anisotropy control"


def removal(name: str) -> str:
    """Return when a controlled number applies, to follow a verb.

    >>> removal("frequency")
    'when word frequency is removed'
    >>> removal("top:2")
    'when the mean and the first 2 principal components are removed'
    """
    if name == COVARIATES:
        return "at equal frequency and number of tokens of the names"
    if name == NAME_FREQUENCY:
        return "at equal frequency of the names"
    removed = []
    for part in name.split("+"):
        if part == "frequency":
            removed.append("word frequency")
        elif part == "center":
            removed.append("the mean")
        elif part.startswith("top:"):
            count = part.partition(":")[2]
            parts = "principal component" if count == "1" else f"{count} principal components"
            removed.append(f"the mean and the first {parts}")
    verb = "are" if len(removed) > 1 or " and " in "".join(removed) else "is"
    phrases = [f"when {' and '.join(removed)} {verb} removed"] if removed else []
    return " and ".join(phrases + ["when the vectors are whitened"] * ("whiten" in name))


def _remaining(share: float) -> str:
    """Return how much of an effect is left without something.

    >>> _remaining(0.96), _remaining(1.2), _remaining(-0.03)
    ('96% of the effect remains', 'the effect grows to 120%', 'the effect reverses to −3%')
    """
    percent = f"{share:.0%}".replace("-", "−")
    if percent == "−0%" or 0 <= share < 1.005:
        return f"{percent.lstrip('−')} of the effect remains"
    return f"the effect {'grows' if share > 0 else 'reverses'} to {percent}"
