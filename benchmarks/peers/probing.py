"""Six targets that distinguish a permutation test from draws with replacement.

A permutation test redistributes the targets; drawing with replacement takes some of them twice and
others not at all. On the published tests both give nearly the same p-value, and telling them apart
would need more draws than there is time for. With six targets all partitions and all draws can be
enumerated, so the probe uses the six targets for which the two p-values differ most, however ties
are counted.
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from .judging import SIGNIFICANCE, Floats, Sets, fits, p_with_replacement, truth

DRAWS = 720  # the number of orders of six words: wefe makes no more draws
MAX_CANDIDATES = 400


def separate_targets(sets: Sets) -> Sets:
    """The first three targets of each set."""
    return sets | {side: sets[side][:3] for side in "XY"}


def mixed_targets(sets: Sets, x: Floats, y: Floats) -> Sets:
    """Six targets, divided so that the two p-values differ most, in standard errors."""
    words, values = sets["X"] + sets["Y"], np.concatenate([x, y])
    sixes = list(combinations(range(len(words)), 6))
    largest, best = 0.0, (tuple(range(3)), tuple(range(3, 6)))
    for six in sixes[:: max(1, len(sixes) // MAX_CANDIDATES)]:
        for left in list(combinations(six, 3)):
            right = tuple(k for k in six if k not in left)
            result = truth(values[list(left)], values[list(right)], float("nan"))
            assert result.p_strict is not None
            gap = max(result.p_strict - result.p_replaced, result.p_replaced - result.p)
            gap /= sqrt(result.p * (1 - result.p) / DRAWS) if result.p < 1 else 1
            if gap > largest:
                largest, best = gap, (left, right)
    return sets | {side: [words[k] for k in six] for side, six in zip("XY", best, strict=True)}


def describe_probe(
    answer: dict[str, Any], mixed: tuple[Floats, Floats], separate: tuple[Floats, Floats]
) -> list[str]:
    """Sentences on what the six targets show about a tool's p-value."""
    right, other = truth(*mixed, float("nan")), p_with_replacement(*mixed)
    notes, rejected = [], f"rejected at {SIGNIFICANCE:g}"
    draws = answer["draws"]
    for p in answer["p"]:
        # Rounding may put a tie on either side, so every p-value between the two bounds is right.
        bounds = [right.p, right.p_strict or 0.0]
        is_right = min(bounds) <= p <= max(bounds) or any(fits(p, draws, end) for end in bounds)
        notes.append(
            f"p {p:.3f} from {draws} draws; partitions give {min(bounds):.3f} to "
            f"{max(bounds):.3f} ({'fits' if is_right else rejected}), draws with replacement "
            f"{other:.3f} ({'fits' if fits(p, draws, other) else rejected})"
        )
    forward, swapped = answer["two-sided"]
    exact = 2 * truth(*separate, float("nan")).p
    notes.append(
        f"two-sided p {forward:.3f}, with X and Y swapped {swapped:.3f}; exact, both {exact:.3f}"
        + (": |draw| is compared with the signed statistic" if swapped == 1 else "")
    )
    notes.append(f"p_value_method='exact', which its documentation offers: {answer['exact']}")
    return notes
