"""`CorpusComparison`: the effects of tests in several corpora, and their differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from weatherglass.significance import equate_p

from .result import Experiment

ALPHA = 0.05  # level of significance in the sentence

Statistic = Literal["effect", "unstandardised"]


@dataclass(frozen=True)
class CorpusEffect:
    """The effect size of a test in one corpus.

    Attributes
    ----------
    test, corpus
        The test's id, and the name of the corpus.
    effect
        The effect size on the model of all documents; None if it could not be measured.
    unstandardised
        Its numerator: the mean association of X minus the mean association of Y.
    samples
        The effect sizes on the bootstrap samples.
    low, high
        The 95 % interval, effect ± t · standard deviation of the samples; None with fewer than 20
        samples.
    reason
        Why it could not be measured.

    Examples
    --------
    >>> effect = CorpusEffect("t", "a", 0.5, samples=(0.2, 0.4))
    >>> round(effect.mean, 2), round(effect.sd, 2), effect.is_shifted
    (0.3, 0.14, True)
    """

    test: str
    corpus: str
    effect: float | None
    unstandardised: float | None = None
    samples: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @property
    def mean(self) -> float | None:
        """The mean of the samples."""
        return math.fsum(self.samples) / len(self.samples) if self.samples else None

    @property
    def sd(self) -> float | None:
        """The standard deviation of the samples (ddof 1), the standard error of the effect."""
        mean = self.mean
        if mean is None or len(self.samples) < 2:
            return None
        squares = math.fsum((value - mean) ** 2 for value in self.samples)
        return math.sqrt(squares / (len(self.samples) - 1))

    @property
    def is_shifted(self) -> bool:
        """Whether the effect is more than a standard deviation from the mean of its samples."""
        if self.effect is None or self.mean is None or self.sd is None:
            return False
        return abs(self.effect - self.mean) > self.sd


@dataclass(frozen=True)
class CorpusDifference:
    """The difference of two corpora on one test: the first corpus minus the second.

    Attributes
    ----------
    statistic
        What is compared: the effect size, or its numerator, the unstandardised effect.
    difference
        The difference of the models of all documents.
    expected
        The difference expected if both corpora are random parts of one: 0 for corpora of the same
        number of documents; otherwise the mean of the permuted differences, as the effect of a
        small corpus differs from that of a large one.
    se
        The standard error of the difference if both corpora are random parts of one.
    low, high
        difference ± t · se, a 95 % interval if the corpora differ by a shift only.
    p, p_holm
        The two-sided p-value, and the same corrected over all differences and both statistics.
    method
        How p was computed: by Student's ``t``, or by ``rank`` from 99 permutations on.
    permuted
        The differences after documents were exchanged at random.
    """

    test: str
    corpora: tuple[str, str]
    statistic: Statistic
    difference: float
    expected: float
    se: float
    low: float
    high: float
    p: float
    p_holm: float
    method: Literal["t", "rank"]
    permuted: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class CorpusComparison(Experiment):
    """Tests on several corpora.

    Attributes
    ----------
    effects, differences
        The effect size of each test in each corpus, and the difference of every two corpora.
    unstandardised
        The differences of the unstandardised effects.
    titles, words, missing
        By test: its title, and by set the words that were used and those that were not. Only words
        that every model has are used, permuted ones included.
    notes
        What training left out, which differences were not tested, and what to be careful about.
    """

    measure: ClassVar[str] = "compare"

    effects: tuple[CorpusEffect, ...]
    differences: tuple[CorpusDifference, ...]
    titles: dict[str, str]
    words: dict[str, dict[str, tuple[str, ...]]]
    missing: dict[str, dict[str, tuple[str, ...]]]
    unstandardised: tuple[CorpusDifference, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def source_name(self) -> str:
        """The name of the corpus that was divided, or the names of all corpora."""
        return str(self.source.get("name") or ", ".join(self.corpora))

    @property
    def corpora(self) -> tuple[str, ...]:
        """The names of the corpora, in their order."""
        return tuple(dict.fromkeys(effect.corpus for effect in self.effects))

    def key_facts(self) -> dict[str, Any]:
        corpora = list(self.corpora)
        tests = list(dict.fromkeys(effect.test for effect in self.effects))
        return {"corpora": corpora, "tests": tests, "differences": len(self.differences)}

    def sentence(self) -> str:
        families = {"effect sizes": self.differences, "unstandardised effects": self.unstandardised}
        counts = [
            f"{sum(difference.p_holm <= ALPHA for difference in family):,} of {len(family):,} "
            f"differences of {name}"
            for name, family in families.items()
            if family
        ]
        if not counts:
            return "No difference between corpora was tested."
        return (
            f"{' and '.join(counts)} between corpora have p ≤ {ALPHA:g} after Holm's correction "
            "over all of them."
        )

    def summary_lines(self) -> list[str]:
        lines = [f"Comparison of corpora: {', '.join(self.key_facts()['corpora'])}"]
        for effect in self.effects:
            if effect.effect is None:
                lines.append(f"{effect.test} in {effect.corpus}: not run, {effect.reason}.")
                continue
            has_interval = effect.low is not None
            ends = f" ({effect.low:.2f} to {effect.high:.2f})" if has_interval else ""
            lines.append(f"{effect.test} in {effect.corpus}: effect {effect.effect:.2f}{ends}")
        for difference in self.differences:
            between = " − ".join(difference.corpora)
            lines.append(
                f"{difference.test}, {between}: {difference.difference:+.2f}, "
                f"{equate_p(difference.p)}"
            )
        return [*lines, self.sentence()]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each test and corpus, then one for each difference of two corpora."""
        effects = [
            {
                "test": effect.test,
                "corpus": effect.corpus,
                "against": None,
                "statistic": "effect",
                "effect": effect.effect,
                "unstandardised": effect.unstandardised,
                "mean": effect.mean,
                "sd": effect.sd,
                "low": effect.low,
                "high": effect.high,
                "samples": len(effect.samples),
                "expected": None,
                "p": None,
                "p_holm": None,
                "method": None,
                "reason": effect.reason,
            }
            for effect in self.effects
        ]
        return effects + [
            dict.fromkeys(effects[0])
            | {
                "test": difference.test,
                "corpus": difference.corpora[0],
                "against": difference.corpora[1],
                "statistic": difference.statistic,
                difference.statistic: difference.difference,
                "sd": difference.se,
                "low": difference.low,
                "high": difference.high,
                "samples": len(difference.permuted),
                "expected": difference.expected,
                "p": difference.p,
                "p_holm": difference.p_holm,
                "method": difference.method,
            }
            for difference in (*self.differences, *self.unstandardised)
        ]
