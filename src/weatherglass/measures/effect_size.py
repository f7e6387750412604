"""Associations and effect size of WEAT, in the symbols of Caliskan et al. (2017)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .word_sets import FoundSet

Floats = NDArray[np.float64]

MIN_WORDS = {"X": 2, "Y": 2, "A": 1, "B": 1}
NOISE = 1e-15  # rounding error of an association, which is a difference of means of cosines
MIN_USUAL_VALUE = 1e-3  # the largest cosine of a test is above this
MIN_SPREAD = 100 * NOISE  # standard deviation of the associations; below it all are the same


def associations(w: Floats, a: Floats, b: Floats) -> Floats:
    """Return s(w, A, B) of each row of `w`: its mean cosine with A minus its mean cosine with B.

    The cosines are averaged, and not the attributes, so that a table of cosines gives the same
    numbers to the last bit.
    """
    values: Floats = cosines(w, a).mean(axis=1) - cosines(w, b).mean(axis=1)
    return values


def cosines(w: Floats, a: Floats) -> Floats:
    """Return the cosine of each row of `w` with each row of `a`, all of unit length.

    Each is an inner product of its own. In a matrix product the last bit of a cosine would depend
    on which other words are in the sets.

    >>> cosines(np.array([[1.0, 0.0]]), np.array([[0.6, 0.8], [0.0, 1.0]]))
    array([[0.6, 0. ]])
    """
    rows, others = np.ascontiguousarray(w), np.ascontiguousarray(a)
    table: Floats = np.matmul(rows[:, None, None, :], others[None, :, :, None])[..., 0, 0]
    return np.ascontiguousarray(table)


def spread(x: Any, y: Any, ddof: int) -> Any:
    """Return the standard deviation of the associations of all targets, along the last axis."""
    return np.concatenate([x, y], axis=-1).std(axis=-1, ddof=ddof)


def effect(x: Any, y: Any, ddof: int) -> float:
    """Return the effect size d of the associations x of X and y of Y."""
    return float((np.mean(x) - np.mean(y)) / spread(x, y, ddof))


def max_effect(n: int, m: int, ddof: int = 1) -> float | None:
    """Return the largest effect that n targets against m can have: √(N(N − ddof) / (nm)).

    It is reached where all targets of a set have the same association.

    >>> [round(max_effect(n, m) or 0, 2) for n, m in ((2, 20), (8, 8))], max_effect(8, 8, ddof=0)
    ([3.4, 1.94], 2.0)
    """
    total = n + m
    return math.sqrt(total * (total - ddof) / (n * m)) if n and m else None


def cosine_tables(found: Mapping[str, FoundSet]) -> dict[tuple[str, str], Floats]:
    """Return the tables of cosines of both target sets with both attribute sets."""
    return {
        (targets, attributes): cosines(found[targets].rows, found[attributes].rows)
        for targets in "XY"
        for attributes in "AB"
    }


def value_scale(tables: Iterable[Floats]) -> float:
    """Return the size of the values of a table, which rounding errors are proportional to.

    It is 1 for values of about the size of cosines, so that a table of cosines gives the same
    numbers as the vectors.

    >>> value_scale([np.array([[0.2, -0.5]])]), value_scale([np.array([[2000.0, 0.0]])])
    (1.0, 2000.0)
    """
    largest = max((float(np.abs(table).max(initial=0.0)) for table in tables), default=0.0)
    return 1.0 if largest == 0 or MIN_USUAL_VALUE <= largest <= 1 else largest


def mean_differences(cosines: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    """Return s(w, A, B) of the targets from the tables of their cosines."""
    return {
        targets: cosines[targets, "A"].mean(axis=1) - cosines[targets, "B"].mean(axis=1)
        for targets in "XY"
    }
