"""WEAT of two seed sets with fixed attributes: statistic, effect, subspace (sections 5 and 6)."""

from __future__ import annotations

import numpy as np

from weatherglass.measures.weat import NO_SPREAD, effect, spread

from .models import Floats
from .similarity import NOTHING

GOOD, BAD = ("good",), ("bad",)  # the attributes of section 6


def associations(w: Floats, a: Floats, b: Floats) -> Floats:
    """s(w, A, B) of each row of `w`: its mean cosine with A less that with B."""
    values: Floats = w @ (a.mean(axis=0) - b.mean(axis=0))
    return values


def weat_statistic(x: Floats, y: Floats) -> float:
    """s(X, Y, A, B) = Σ s(x, A, B) - Σ s(y, A, B), from the associations of X and of Y.

    As section 5 has it, whatever the sizes. Of sets of unequal sizes the larger has the more say;
    the effect does not depend on size.

    >>> round(weat_statistic(np.array([0.5, 0.25]), np.array([0.25])), 2)
    0.5
    """
    return float(x.sum() - y.sum())


def weat_effect(x: Floats, y: Floats) -> float | None:
    """The difference of the means over the standard deviation of all associations.

    None where a set has one word only, or all words have the same association.

    >>> round(weat_effect(np.array([1.0, 0.0]), np.array([0.0, -1.0])), 2)
    1.22
    """
    if min(len(x), len(y)) < 2 or spread(x, y, 1) <= NO_SPREAD:
        return None
    return effect(x, y, 1)


def weat_axis(x: Floats, y: Floats) -> Floats | None:
    """The WEAT subspace: the difference of the set means, at unit length; None where it is 0."""
    if not len(x) or not len(y):
        return None
    difference = x.mean(axis=0) - y.mean(axis=0)
    length = float(np.linalg.norm(difference))
    return None if length < NOTHING else difference / length
