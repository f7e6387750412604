"""`RetrievalResult`: do documents score higher with the names of one group than of another?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.findings import COVARIATES
from weatherglass.measures import (
    ControlledValue,
    Influence,
    effect,
    interval_columns,
)
from weatherglass.significance import (
    Interval,
    batch_permutation_p,
    crossed_score_interval,
    effect_interval,
    permutation_p,
)

from .name_groups import NameGroupsResult

Floats = NDArray[np.float64]

OTHER_NAMES = "other names"
OTHER_CHOICES = "other names, documents and queries"
DRAWS = 9_999


@dataclass(frozen=True, kw_only=True, repr=False)
class RetrievalResult(NameGroupsResult):
    """Two groups of names in one retrieval audit; X and Y are the names of both groups.

    Attributes
    ----------
    effect
        Within each query and document the scores are centred over names; a name's association is
        its mean. The effect is the difference of the means of both groups, divided by the standard
        deviation over all of their names.
    intervals
        Of the effect: over other names, and over other names, documents and queries.
    p_placebo
        The share of random splits of placebo words with a difference as large; None without them.
    rates, impact_ratio, impact_interval
        Selection rates of both groups in the top share, the lower divided by the higher, and its
        interval over other documents.
    top
        The share of each ranking that is selected.
    """

    measure: ClassVar[str] = "retrieval"
    noun: ClassVar[str] = "retrieval result"
    chart: ClassVar[str] = "rankings"
    p_placebo: float | None = None
    rates: dict[str, float] = field(default_factory=dict)
    impact_ratio: float | None = None
    impact_interval: Interval | None = None
    top: float = 0.1

    def claim(self) -> str:
        first, second = self.ordered_sets
        return (
            f"the same documents score higher with {self.set_phrase(first)} than with "
            f"{self.set_phrase(second)}."
        )

    def subject(self) -> str:
        return (
            f"between the scores of documents with {self.set_phrase('X')} and with "
            f"{self.set_phrase('Y')}"
        )

    def measure_columns(self) -> dict[str, Any]:
        return {
            **interval_columns(self.main_interval),
            "difference": self.difference,
            "impact_ratio": self.impact_ratio,
            "impact_low": self.impact_interval.low if self.impact_interval else None,
            "impact_high": self.impact_interval.high if self.impact_interval else None,
            "top": self.top,
            "p_naive": self.naive_p,
            "p_placebo": self.p_placebo,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
        }


def compare_groups(
    centred: Floats, x: Sequence[int], y: Sequence[int], labels: Sequence[str]
) -> dict[str, Any]:
    """Return the numbers of a `RetrievalResult`, except for selection, controls and placebo.

    Parameters
    ----------
    centred
        Scores with axes query, document, name, centred over names.
    x, y
        The positions of the names of both groups.
    labels
        All names.

    Raises
    ------
    CannotMeasure
        All names have the same score.
    """
    mean = centred.mean(axis=(0, 1))
    first, second = mean[list(x)], mean[list(y)]
    spread = float(np.concatenate([first, second]).std(ddof=1))
    largest = float(np.abs(centred).max())
    if spread <= 1e-9 * max(largest, 1e-9):
        raise CannotMeasure("All names have the same score, so the effect has no scale.")
    p = permutation_p(first, second, alternative="two-sided")
    return {
        "effect": effect(first, second, 1),
        "difference": float(first.mean() - second.mean()),
        "p": p,
        "intervals": tuple(score_intervals(centred, list(x), list(y))),
        "influence": _leave_one_out(first, second, x, y, labels),
        **_naive(centred, list(x), list(y)),
        "associations": {"X": tuple(first.tolist()), "Y": tuple(second.tolist())},
        "words": {
            "X": tuple(labels[k] for k in x),
            "Y": tuple(labels[k] for k in y),
        },
        "n": {"X": len(x), "Y": len(y)},
    }


def score_intervals(centred: Floats, x: list[int], y: list[int]) -> list[Interval]:
    """Return the intervals of the effect: over other names; over other names and texts."""
    by_document, by_query = centred.mean(axis=0).T, centred.mean(axis=1).T
    mean = by_document.mean(axis=1)
    try:
        return [
            effect_interval(mean[x], mean[y], about=OTHER_NAMES),
            crossed_score_interval(
                (by_document[x], by_query[x]), (by_document[y], by_query[y]), about=OTHER_CHOICES
            ),
        ]
    except CannotMeasure:  # the names of a group do not vary
        return []


def _leave_one_out(
    first: Floats, second: Floats, x: Sequence[int], y: Sequence[int], labels: Sequence[str]
) -> tuple[Influence, ...]:
    """Leave out each name in turn; the name that moves the effect most comes first."""
    if min(len(first), len(second)) <= 2:
        return ()
    reference = effect(first, second, 1)
    left = [("X", labels[x[k]], np.delete(first, k), second) for k in range(len(first))]
    left += [("Y", labels[y[k]], first, np.delete(second, k)) for k in range(len(second))]
    p_values = batch_permutation_p([(a, b) for _, _, a, b in left], alternative="two-sided")
    influences = []
    for (side, name, a, b), p in zip(left, p_values, strict=True):
        value = effect(a, b, 1)
        influences.append(Influence(side, name, value, p.value, value - reference, p.value))
    return tuple(sorted(influences, key=lambda influence: -abs(influence.moved)))


def _naive(centred: Floats, x: list[int], y: list[int]) -> dict[str, Any]:
    """Return Welch's t-test over all scores, as if they were independent."""
    from scipy import stats

    first, second = centred[:, :, x].ravel(), centred[:, :, y].ravel()
    with np.errstate(all="ignore"):
        p = float(stats.ttest_ind(first, second, equal_var=False).pvalue)
    return {"naive_p": p if np.isfinite(p) else None, "naive_rows": len(first) + len(second)}


def adjust_for_covariates(
    mean: Floats, x: Sequence[int], y: Sequence[int], covariates: Floats, seed: int
) -> ControlledValue:
    """Return the effect at equal covariates of the names.

    Parameters
    ----------
    mean
        The mean centred score of every name.
    x, y
        The positions of the names of both groups.
    covariates
        A row for each name.
    seed
        Random seed of the permutations.

    Notes
    -----
    The difference is the coefficient of the group in a regression of the scores on group and
    covariates; it is divided by the same standard deviation as the effect. Its p-value permutes the
    residuals of the regression on the covariates alone [1]_.

    References
    ----------
    .. [1] D. Freedman, D. Lane (1983). A nonstochastic interpretation of reported significance
       levels. J. Bus. Econ. Stat. 1, 292-298.
    """
    chosen = [*x, *y]
    about: dict[str, Any] = {"name": COVARIATES, "asked": COVARIATES, "rows": None}
    scores = mean[chosen]
    group = np.r_[np.full(len(x), 0.5), np.full(len(y), -0.5)]
    design = np.column_stack([np.ones(len(chosen)), covariates[chosen]])
    # A covariate that does not vary among these names says nothing.
    basis, values, _ = np.linalg.svd(design, full_matrices=False)
    basis = basis[:, values > 1e-9 * values[0]]
    residual = scores - basis @ (basis.T @ scores)
    free = group - basis @ (basis.T @ group)
    if len(chosen) - basis.shape[1] < 3 or float(free @ free) < 1e-6 * float(group @ group):
        return ControlledValue(**about, reason="the groups do not overlap in the covariates")
    coefficient = float(free @ residual / (free @ free))
    rng = np.random.default_rng(seed)
    draws = rng.permuted(np.tile(residual, (DRAWS, 1)), axis=1) @ free
    observed = abs(float(free @ residual))
    count = int((np.abs(draws) >= observed * (1 - 1e-12)).sum())
    spread = float(scores.std(ddof=1))
    raw = effect(mean[list(x)], mean[list(y)], 1)
    adjusted = coefficient / spread
    return ControlledValue(
        **about,
        effect=adjusted,
        p=(1 + count) / (DRAWS + 1),
        p_two_sided=(1 + count) / (DRAWS + 1),
        survives=adjusted / raw if raw else None,
    )
