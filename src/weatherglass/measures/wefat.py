"""WEFAT: does nearness predict a fact of the world (Caliskan et al., Science 2017)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.catalog import FactualTest
from weatherglass.catalog import test as catalogue_test
from weatherglass.errors import UsageError
from weatherglass.vectors import Case, ControlMethod, Vectors

from .frequency_control import Controlled, survival
from .result import Record, described, named
from .word_sets import Found, find_sets, too_few, words_of

LEAST = {"W": 3, "A": 1, "B": 1}
_NO_SPREAD = 1e-13


@dataclass(frozen=True, kw_only=True)
class WefatResult(Record):
    """The result of one factual test on one source; beside what every `Record` has:

    Attributes
    ----------
    pearson, pearson_p, spearman, spearman_p
        Correlation of association and fact, with two-sided p-values.
    p_holm, p_bh
        `pearson_p` corrected over the tests of a result set; see `Results.correct`.
    slope, intercept
        The regression line: fact = slope · association + intercept.
    associations, facts
        Every point, in the order of ``words["W"]``: the target's normalised association with A
        rather than B, and its fact.
    fact
        The name and unit of the facts.
    control
        Pearson's correlation and its p-value without word frequency, and how much of the
        correlation survives, if asked for.
    """

    measure: ClassVar[str] = "wefat"

    pearson: float | None = None
    pearson_p: float | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    spearman: float | None = None
    spearman_p: float | None = None
    slope: float | None = None
    intercept: float | None = None
    associations: tuple[float, ...] = ()
    facts: tuple[float, ...] = ()
    fact: dict[str, str] = field(default_factory=dict)
    control: dict[str, Any] | None = None


def wefat(
    vectors: Vectors,
    test: FactualTest | str,
    *,
    case: Case = "auto",
    max_missing: float = 0.2,
    control: Controlled | ControlMethod | None = None,
) -> WefatResult:
    """Run one word embedding factual association test.

    Parameters
    ----------
    vectors
        The embedding.
    test
        A factual test, or its id in the catalogue.
    case, max_missing, control
        As for `weat`.

    Returns
    -------
    WefatResult

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
    if isinstance(test, str):
        test = _factual_test(catalogue_test(test))
    entry, options = test, {"case": case, "max_missing": max_missing}
    plain = _measure(vectors, entry, options)
    if control is None:
        return plain
    told = survival(
        plain,
        vectors,
        control,
        lambda without: _measure(without, entry, options),
        "pearson",
        lambda one: (one.pearson, one.pearson_p),
    )
    return dataclasses.replace(plain, control=told, options=options | {"control": told["asked"]})


def _measure(vectors: Vectors, test: FactualTest, options: dict[str, Any]) -> WefatResult:
    found, reason = find_sets(vectors, test.sets, options["case"])
    about = described(test, *words_of(found), named(vectors), options)
    about["merged"] = {name: one.merged for name, one in found.items() if one.merged}
    about["fact"] = {"name": test.facts.name, "unit": test.facts.unit}
    reason = reason or too_few(about["words"], about["missing"], LEAST, options["max_missing"])
    if not reason:
        values = normalised_associations(found)
        facts = np.array([test.facts.values[i] for i in found["W"].kept])
        reason = _flat(values, facts)
    if reason:
        return WefatResult(status="not run", reason=reason, **about)
    from scipy import stats

    with np.errstate(all="ignore"):
        line = stats.linregress(values, facts)
        pearson = stats.pearsonr(values, facts)
        # Ranks must not be decided by rounding noise: associations equal on paper tie.
        spearman = stats.spearmanr(np.round(values, 12), facts)
    if not np.isfinite([line.slope, line.intercept, pearson.statistic]).all():
        reason = "the facts are too large to compute with"
        return WefatResult(status="not run", reason=reason, **about)
    return WefatResult(
        status="done",
        pearson=float(pearson.statistic),
        pearson_p=float(pearson.pvalue),
        spearman=float(spearman.statistic),
        spearman_p=float(spearman.pvalue),
        slope=float(line.slope),
        intercept=float(line.intercept),
        associations=tuple(values.tolist()),
        facts=tuple(facts.tolist()),
        **about,
    )


def normalised_associations(found: dict[str, Found]) -> NDArray[np.float64]:
    """s(w, A, B) of each target over the standard deviation of its cosines with A and B."""
    near = found["W"].rows @ found["A"].rows.T
    far = found["W"].rows @ found["B"].rows.T
    spread = np.concatenate([near, far], axis=1).std(axis=1, ddof=1)
    spread = np.where(spread > _NO_SPREAD, spread, np.nan)
    values: NDArray[np.float64] = (near.mean(axis=1) - far.mean(axis=1)) / spread
    return values


def _flat(values: NDArray[np.float64], facts: NDArray[np.float64]) -> str:
    if not np.isfinite(values).all():
        return "a target has the same cosine with every attribute, so its association has no scale"
    if np.ptp(values) <= _NO_SPREAD * max(1.0, float(np.abs(values).max())):
        return "all targets have the same association, so there is nothing to correlate"
    if (facts == facts[0]).all():
        return "all targets have the same fact, so there is nothing to correlate"
    return ""


def _factual_test(entry: Any) -> FactualTest:
    if not isinstance(entry, FactualTest):
        raise UsageError(f"{entry.id} is an {entry.kind} test; `weat` runs it, `wefat` does not.")
    return entry
