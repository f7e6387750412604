"""The correlations of associations with ratings by people, and their reliability ceiling."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.significance import (
    Correlation,
    Interval,
    clamp_p,
    partial_correlation,
    pearson,
    spearman,
)

from .controls import ControlledValue

Floats = NDArray[np.float64]


def correlate(x: Floats, y: Floats, logs: Floats | None) -> dict[str, Any]:
    """Return the correlations of associations x and ratings y, also given log frequencies.

    r is Pearson's correlation. Given log frequency f it is partial, with the p-value of
    t = r √(df / (1 − r²)) on df = n − 3 degrees of freedom. Without frequencies, or if they are
    all the same, there is no partial correlation.
    """
    from scipy import stats

    r, ranks, line = pearson(x, y), spearman(x, y), stats.linregress(x, y)
    numbers: dict[str, Any] = {
        "pearson": r.value,
        "pearson_p": clamp_p(stats.pearsonr(x, y).pvalue),
        "intervals": (_interval(r),),
        "spearman": ranks.value,
        "spearman_interval": _interval(ranks),
        "slope": float(line.slope),
        "intercept": float(line.intercept),
        "associations": tuple(x.tolist()),
        "ratings": tuple(y.tolist()),
    }
    if logs is None or np.ptp(logs) == 0:
        return numbers
    try:
        partial = partial_correlation(x, y, logs)
    except CannotMeasure:
        return numbers
    df = len(x) - 3
    t = partial.value * np.sqrt(df / max(1e-300, 1 - partial.value**2))
    p = clamp_p(2 * stats.t.sf(abs(t), df))
    control = ControlledValue(
        "frequency",
        effect=partial.value,
        p=p,
        survives=partial.value / r.value if r.value else None,
        asked="frequency",
        p_two_sided=p,
    )
    return numbers | {
        "partial": partial.value,
        "partial_p": p,
        "partial_interval": _interval(partial),
        "controls": (control,),
    }


def rate_reliability(x: Floats, y: Floats, errors: Floats | None) -> dict[str, Any]:
    """Return the reliability of ratings, the ceiling, and the correlation corrected for it."""
    if errors is None:
        return {}
    reliability = 1 - float(errors.mean()) / float(y.var(ddof=1))
    if reliability <= 0:  # the ratings differ by no more than their errors
        return {"reliability": 0.0, "ceiling": 0.0}
    ceiling = float(np.sqrt(reliability))
    r = pearson(x, y).value
    return {"reliability": reliability, "ceiling": ceiling, "disattenuated": r / ceiling}


def other_correlation(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation, or None if it is not defined."""
    try:
        return pearson(x, y).value
    except CannotMeasure:
        return None


def _interval(correlation: Correlation) -> Interval:
    low, high, confidence = correlation.low, correlation.high, correlation.confidence
    return Interval(low, high, confidence, "fisher z", about="other rated words")
