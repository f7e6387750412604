"""WEFAT: does the association of a word predict a fact of the world (Caliskan et al. 2017).

The word embedding factual association test, from Science 356, 183-186.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import FactualTest
from weatherglass.errors import CannotMeasure
from weatherglass.significance import Alternative, Correlation, Interval, Power, correlation_power
from weatherglass.significance import pearson as correlate_words
from weatherglass.significance import spearman as rank_correlate_words
from weatherglass.vectors import Case

from .association_table import Embedding
from .claims import lower_first
from .controls import Controls, needs_all_rows, with_controls
from .documents import with_documents
from .each_test import each_test
from .effect_size import cosines, value_scale
from .embedding import Source, open_embedding
from .measurement import (
    Measurement,
    Section,
    describe_source,
    describe_test,
    interval_columns,
)
from .word_sets import FoundSet, case_hint, find_sets, split_found, too_few_reason

Floats = NDArray[np.float64]

MIN_WORDS = {"W": 3, "A": 1, "B": 1}
_MIN_SPREAD = 1e-13  # of cosines or associations; below it all are the same but for rounding


@dataclass(frozen=True, kw_only=True, repr=False)
class WefatResult(Measurement):
    """The result of one factual test on one source.

    Attributes
    ----------
    pearson, pearson_p, spearman, spearman_p
        Correlation of association and fact, with two-sided p-values.
    intervals
        The confidence interval of Pearson's correlation over other words; empty with fewer than
        five words.
    spearman_interval
        That of Spearman's correlation.
    p_holm, p_bh
        `pearson_p` corrected over the tests of a result set; see `Results.correct`.
    slope, intercept
        The regression line: fact = slope · association + intercept.
    associations, facts
        Every point, in the order of ``words["W"]``: the target's normalised association with A
        rather than B, and its fact.
    fact
        The name and unit of the facts.

    The other attributes are those of every `Measurement`.
    """

    measure: ClassVar[str] = "wefat"
    chart: ClassVar[str] = "facts"
    decimals: ClassVar[int] = 2
    section: ClassVar[Section] = "facts"
    main_name: ClassVar[str] = "correlation"
    possible_evidence: ClassVar[tuple[str, ...]] = (
        "p",
        "interval",
        "frequency control",
        "anisotropy control",
    )

    pearson: float | None = None
    pearson_p: float | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    spearman: float | None = None
    spearman_p: float | None = None
    intervals: tuple[Interval, ...] = ()
    spearman_interval: Interval | None = None
    slope: float | None = None
    intercept: float | None = None
    associations: tuple[float, ...] = ()
    facts: tuple[float, ...] = ()
    fact: dict[str, str] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """Pearson's correlation."""
        return self.pearson

    @property
    def max_value(self) -> float | None:
        return 1.0

    @property
    def p_value(self) -> float | None:
        return self.pearson_p

    @property
    def main_p_method(self) -> str:
        return "Pearson"

    @property
    def question(self) -> Hashable:
        sets = super().question
        return sets if sets == self.test else (sets, self.fact.get("name"))

    def claim(self) -> str:
        fact = lower_first(self.fact.get("name") or "fact")
        words, a, b = (self.set_phrase(name) for name in "WAB")
        direction = "higher" if (self.pearson or 0.0) >= 0 else "lower"
        return (
            f"the more strongly {words} are associated with {a} rather than {b}, the {direction} "
            f"their {fact}."
        )

    def subject(self) -> str:
        fact = lower_first(self.fact.get("name") or "fact")
        words, a, b = (self.set_phrase(name) for name in "WAB")
        return f"in {fact} between {words} associated with {a} and with {b}"

    def target_associations(self) -> dict[str, tuple[float, ...]]:
        return {"W": self.associations}

    def target_facts(self) -> tuple[float, ...]:
        return self.facts

    def power_at(
        self, alpha: float, power: float = 0.8, alternative: Alternative | None = None
    ) -> Power | None:
        n = len(self.facts)
        return correlation_power(n, alpha=alpha, power=power) if self.is_done else None

    def set_sizes(self) -> list[int | None]:
        return [self.n.get("W"), None, self.n.get("A"), self.n.get("B")]

    def measure_columns(self) -> dict[str, Any]:
        return {
            **interval_columns(self.main_interval),
            "spearman": self.spearman,
            "spearman_p": self.spearman_p,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            "slope": self.slope,
            "intercept": self.intercept,
            "published_correlation": (self.published or {}).get("correlation"),
        }


@each_test(FactualTest)
def wefat(
    source: Source,
    test: FactualTest,
    *,
    case: Case = "auto",
    max_missing: float = 0.2,
    allow_overlap: bool = False,
    control: Controls | None = None,
) -> WefatResult:
    """Run a word embedding factual association test, or several.

    Parameters
    ----------
    source
        Any source: see `as_source`. Of a file, only the rows of the test are read.
    test
        A factual test, or its id in the catalogue; or several tests, a pattern or a file, as for
        `weat`.
    case, max_missing, allow_overlap, control
        As for `weat`.

    Returns
    -------
    WefatResult
        For several tests `Results`.

    Notes
    -----
    Each target's association is the mean cosine with A minus the mean cosine with B, divided by
    the standard deviation (ddof 1) of its cosines with all attributes. The null hypothesis is that
    association and fact are not related; the p-value of the correlation is that of the slope of
    the paper's linear regression.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.Vectors.of("nurse clerk plumber she he".split(),
    ...     [[1, .1], [1, .9], [.1, 1], [1, 0], [0, 1]])
    >>> facts = {"nurse": 90.0, "clerk": 60.0, "plumber": 2.0}
    >>> result = wg.wefat(vectors, wg.FactualTest(a=["she"], b=["he"], facts=facts))
    >>> result.status, result.n["W"]
    ('done', 3)
    """
    options: dict[str, Any] = {
        "case": case,
        "max_missing": max_missing,
        "allow_overlap": allow_overlap,
    }
    needed = None if needs_all_rows(control) else test.sets.values()
    vectors = open_embedding(source, needed, case)
    result = _measure(vectors, test, options)

    def again(rows: Embedding) -> WefatResult:
        return _measure(rows, test, options)

    result = with_documents(result, vectors, test.sets, again)
    return with_controls(result, vectors, control, test.sets, again)


def _measure(vectors: Embedding, test: FactualTest, options: dict[str, Any]) -> WefatResult:
    found, reason = find_sets(vectors, test.sets, options["case"], options["allow_overlap"])
    about = describe_test(test, *split_found(found), describe_source(vectors), options)
    about["merged"] = {name: words.merged for name, words in found.items() if words.merged}
    about["fact"] = {"name": test.facts.name, "unit": test.facts.unit}
    reason = reason or too_few_reason(
        about["words"], about["missing"], MIN_WORDS, options["max_missing"]
    )
    if not reason:
        values = normalised_associations(found)
        facts = np.array([test.facts.values[i] for i in found["W"].kept])
        reason = _constant_reason(values, facts)
    if reason:
        reason += case_hint(vectors, about["missing"], options["case"])
        return WefatResult(status="not run", reason=reason, **about)
    from scipy import stats

    with np.errstate(all="ignore"):
        line = stats.linregress(values, facts)
        pearson = stats.pearsonr(values, facts)
        # Ranks must not be decided by rounding noise: associations equal on paper tie.
        ranked = np.round(values, 12)
        spearman = stats.spearmanr(ranked, facts)
    if not np.isfinite([line.slope, line.intercept, pearson.statistic]).all():
        reason = "the facts are too large to compute with"
        return WefatResult(status="not run", reason=reason, **about)
    intervals = (
        _interval(correlate_words, values, facts),
        _interval(rank_correlate_words, ranked, facts),
    )
    return WefatResult(
        status="done",
        pearson=float(pearson.statistic),
        pearson_p=float(pearson.pvalue),
        spearman=float(spearman.statistic),
        spearman_p=float(spearman.pvalue),
        intervals=(intervals[0],) if intervals[0] else (),
        spearman_interval=intervals[1],
        slope=float(line.slope),
        intercept=float(line.intercept),
        associations=tuple(values.tolist()),
        facts=tuple(facts.tolist()),
        **about,
    )


def normalised_associations(found: Mapping[str, FoundSet]) -> Floats:
    """Return s(w, A, B) of each target over the standard deviation of its cosines with A and B."""
    targets, a, b = (found[name].rows for name in "WAB")
    return normalised_rows(targets, a, b, found["W"].is_of_table)


def normalised_rows(targets: Floats, a: Floats, b: Floats, is_of_table: bool = False) -> Floats:
    """Return the same for rows of unit length; NaN where the cosines of a target are all the same.

    >>> normalised_rows(np.array([[1.0, 0.0]]), np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    array([1.41421356])
    """
    with_a, with_b = cosines(targets, a), cosines(targets, b)
    spread = np.concatenate([with_a, with_b], axis=1).std(axis=1, ddof=1)
    scale = value_scale([with_a, with_b]) if is_of_table else 1.0
    spread = np.where(spread > scale * _MIN_SPREAD, spread, np.nan)
    values: Floats = (with_a.mean(axis=1) - with_b.mean(axis=1)) / spread
    return values


def _interval(
    correlate: Callable[[Floats, Floats], Correlation], x: Floats, y: Floats
) -> Interval | None:
    try:
        correlation = correlate(x, y)
    except CannotMeasure:  # too few words
        return None
    low, high, confidence = correlation.low, correlation.high, correlation.confidence
    return Interval(low, high, confidence, "fisher z", about="other target words")


def _constant_reason(values: Floats, facts: Floats) -> str:
    """Return why there is no correlation to compute; empty if there is one."""
    if not np.isfinite(values).all():
        return "a target has the same cosine with every attribute, so its association has no scale"
    if np.ptp(values) <= _MIN_SPREAD * max(1.0, float(np.abs(values).max())):
        return "all targets have the same association, so there is nothing to correlate"
    if (facts == facts[0]).all():
        return "all targets have the same fact, so there is nothing to correlate"
    return ""
