"""The intervals of an effect size: by default one over other targets, more if asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure
from weatherglass.significance import (
    Interval,
    VariancePart,
    bootstrap_interval,
    crossed_interval,
    effect_interval,
)

Floats = NDArray[np.float64]
OTHER_TEMPLATES = "other words in all four sets and other templates"
Cosines = Mapping[tuple[str, str], Floats]
"""Tables of cosines by the names of target set and attribute set: ``cosines["X", "A"]``."""


def effect_intervals(
    x: Floats,
    y: Floats,
    ddof: int,
    rng: int,
    cosines: Cosines | None = None,
    weights: Mapping[str, Floats] | None = None,
    templates: Sequence[VariancePart] = (),
) -> tuple[Interval, ...]:
    """Return the intervals of the effect size of the associations x of X and y of Y.

    The first is over other target words (noncentral t). With `cosines` there follow the one over
    other words in all four sets, and the BCa bootstrap. One that cannot be computed is left out.

    Parameters
    ----------
    weights
        Of the attributes of A and B in the mean association, where they are not equal.
    templates
        What the choice of templates adds to the variance, for words in sentences.
    """
    more: dict[str, Any] = {"extra": templates, "about": OTHER_TEMPLATES} if templates else {}

    def statistic(x: Any, y: Any, axis: int = -1) -> Any:
        spread = np.concatenate([x, y], axis=axis).std(axis=axis, ddof=ddof)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (x.mean(axis=axis) - y.mean(axis=axis)) / spread

    compute: list[Callable[[], Interval]] = [lambda: effect_interval(x, y, ddof=ddof)]
    if cosines is not None:
        tables = [cosines[targets, attributes] for targets in "XY" for attributes in "AB"]
        a, b = ((weights or {}).get(name) for name in "AB")
        compute += [
            lambda: crossed_interval(*tables, weights=(a, b), ddof=ddof, **more),
            lambda: bootstrap_interval(x, y, statistic, rng=rng),
        ]
    intervals = []
    for interval in compute:
        try:
            intervals.append(interval())
        except CannotMeasure:  # too few words, or words that do not vary
            continue
    return tuple(intervals)
