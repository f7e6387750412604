"""Which single word, dropped, moves the effect and the p-value most."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weatherglass.significance import Alternative
from weatherglass.significance.many import permutation_many

from .words import Found


@dataclass(frozen=True, slots=True)
class Influence:
    """Effect and p-value of a test without one word.

    The p-value is exact for up to 32 targets and otherwise found by tilted inversion, because
    there is one for every word.
    """

    set: str
    word: str
    effect: float
    p: float
    moved: float


def leave_one_out(
    found: Mapping[str, Found],
    ddof: int,
    alternative: Alternative,
    effect: Callable[[Any, Any, int], float],
) -> tuple[Influence, ...]:
    """Drop each word of the four sets in turn; the word that moves the effect most comes first."""
    cosines = {
        (targets, attributes): found[targets].rows @ found[attributes].rows.T
        for targets in "XY"
        for attributes in "AB"
    }
    whole = _associations(cosines)
    reference = effect(whole["X"], whole["Y"], ddof)
    least = {"X": 3, "Y": 3, "A": 2, "B": 2}
    dropped: list[tuple[str, str]] = []
    left: list[tuple[Any, Any]] = []
    for name, one in found.items():
        for k, word in enumerate(one.words if len(one.words) >= least[name] else ()):
            without = _associations(
                {
                    key: np.delete(table, k, axis=key.index(name)) if name in key else table
                    for key, table in cosines.items()
                }
            )
            dropped.append((name, word))
            left.append((without["X"], without["Y"]))
    made = []
    for (name, word), (x, y), p in zip(
        dropped, left, permutation_many(left, alternative=alternative), strict=True
    ):
        value = effect(x, y, ddof)
        made.append(Influence(name, word, value, p.value, value - reference))
    return tuple(sorted(made, key=lambda one: -abs(one.moved)))


def _associations(cosines: Mapping[tuple[str, str], Any]) -> dict[str, Any]:
    return {
        targets: cosines[targets, "A"].mean(axis=1) - cosines[targets, "B"].mean(axis=1)
        for targets in "XY"
    }
