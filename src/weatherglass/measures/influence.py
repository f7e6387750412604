"""Leave-one-out: effect and p-value of an association test without each single word."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weatherglass.significance import Alternative, PValue, batch_permutation_p, permutation_p

from .alternatives import two_sided
from .effect_size import (
    MIN_SPREAD,
    MIN_WORDS,
    cosine_tables,
    effect,
    mean_differences,
    spread,
    value_scale,
)
from .word_sets import FoundSet

KERNELS = "weatherglass.significance.batch_kernels"
MAX_COUNTED_SINGLY = 28  # targets whose partitions are counted in less than a millisecond


@dataclass(frozen=True, slots=True)
class Influence:
    """Effect and p-value of a test without one word, and how far the effect moved.

    The p-values are exact for up to 32 targets and otherwise computed as by
    `batch_permutation_p`, because there is one for every word.
    """

    set: str
    word: str
    effect: float
    p: float
    moved: float
    p_two_sided: float | None = None


def leave_one_out(
    found: Mapping[str, FoundSet], ddof: int, alternative: Alternative
) -> tuple[Influence, ...]:
    """Drop each word of the four sets in turn; the word that moves the effect most comes first."""
    cosines = cosine_tables(found)
    complete = mean_differences(cosines)
    scale = value_scale(cosines.values()) if found["X"].is_of_table else 1.0
    reference = effect(complete["X"], complete["Y"], ddof)
    dropped: list[tuple[str, str]] = []
    remaining: list[tuple[Any, Any]] = []
    for name, words in found.items():
        if len(words.words) <= MIN_WORDS[name]:  # the test needs them all
            continue
        for k, word in enumerate(words.words):
            if name in "XY":  # the associations of the other targets stay the same
                reduced = complete | {name: np.delete(complete[name], k)}
            else:
                reduced = mean_differences(
                    {
                        key: np.delete(table, k, axis=1) if name in key else table
                        for key, table in cosines.items()
                    }
                )
            dropped.append((name, word))
            remaining.append((reduced["X"], reduced["Y"]))
    p_values = _permutation_ps(remaining, alternative)
    influences = []
    for (name, word), value, p, both in zip(
        dropped,
        _effects(remaining, ddof, scale * MIN_SPREAD),
        p_values,
        two_sided_ps(remaining, p_values),
        strict=True,
    ):
        influences.append(Influence(name, word, value, p.value, value - reference, both.value))
    return tuple(sorted(influences, key=lambda influence: -abs(influence.moved)))


def _effects(tests: Sequence[tuple[Any, Any]], ddof: int, min_spread: float) -> list[float]:
    """Return the effect size of each test; tests of the same sizes are computed together.

    Where one word carries the whole difference, nothing is left without it, and the effect is 0.
    """
    alike: dict[tuple[int, int], list[int]] = {}
    for k, (x, y) in enumerate(tests):
        alike.setdefault((len(x), len(y)), []).append(k)
    effects = [0.0] * len(tests)
    for chosen in alike.values():
        x, y = (np.stack([tests[k][side] for k in chosen]) for side in (0, 1))
        differences, spreads = x.mean(axis=1) - y.mean(axis=1), spread(x, y, ddof)
        for k, difference, deviation in zip(
            chosen, differences.tolist(), spreads.tolist(), strict=True
        ):
            if deviation > min_spread:
                effects[k] = difference / deviation
    return effects


def _permutation_ps(tests: Sequence[tuple[Any, Any]], alternative: Alternative) -> Sequence[PValue]:
    """Return the p-values of many tests."""
    is_small = all(len(x) + len(y) <= MAX_COUNTED_SINGLY for x, y in tests)
    if is_small and KERNELS not in sys.modules:
        # The same numbers; loading the compiled kernels would take longer than counting singly.
        return [permutation_p(x, y, alternative=alternative) for x, y in tests]
    return batch_permutation_p(tests, alternative=alternative)


def two_sided_ps(tests: Sequence[tuple[Any, Any]], p_values: Sequence[PValue]) -> list[PValue]:
    """Return two-sided p-values; those whose smaller tail is not known are computed together."""
    others = [test for test, p in zip(tests, p_values, strict=True) if p.as_two_sided() is None]
    computed = iter(_permutation_ps(others, "two-sided"))
    return [two_sided(p, lambda: next(computed)) for p in p_values]
