"""Six targets that tell two ways of drawing apart, whatever is done with ties.

A permutation test divides the targets anew; drawing with replacement takes some twice and others
not at all. On the tests themselves the two give nearly the same p-value, and more draws would be
needed than there is time for. With six targets every partition and every draw can be written down,
so the six are chosen for which the two differ most.
"""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np

from .judging import UNLIKELY, Floats, Sets, fits, replaced, truth

DRAWS = 720  # as many as there are orders of six words: wefe makes no more
TRIED = 400


def apart(sets: Sets) -> Sets:
    """Three targets of each side."""
    return sets | {side: sets[side][:3] for side in "XY"}


def mixed(sets: Sets, x: Floats, y: Floats) -> Sets:
    """Six targets, divided so that the ways of drawing differ most, in standard errors."""
    words, values = sets["X"] + sets["Y"], np.concatenate([x, y])
    sixes = list(combinations(range(len(words)), 6))
    best, chosen = 0.0, (tuple(range(3)), tuple(range(3, 6)))
    for six in sixes[:: max(1, len(sixes) // TRIED)]:
        for left in list(combinations(six, 3)):
            right = tuple(k for k in six if k not in left)
            one = truth(values[list(left)], values[list(right)], float("nan"))
            assert one.p_strict is not None
            gap = max(one.p_strict - one.p_replaced, one.p_replaced - one.p)
            gap /= sqrt(one.p * (1 - one.p) / DRAWS) if one.p < 1 else 1
            if gap > best:
                best, chosen = gap, (left, right)
    return sets | {side: [words[k] for k in some] for side, some in zip("XY", chosen, strict=True)}


def told(
    said: dict[str, Any], mixed: tuple[Floats, Floats], apart: tuple[Floats, Floats]
) -> list[str]:
    """What the six targets show of a peer's p-value, in sentences."""
    right, other = truth(*mixed, float("nan")), replaced(*mixed)
    notes, no = [], f"ruled out at {UNLIKELY:g}"
    for p in said["p"]:
        # A tie may fall on either side by rounding: any share between the two ends is honest.
        ends = [right.p, right.p_strict or 0.0]
        honest = min(ends) <= p <= max(ends) or any(fits(p, said["draws"], end) for end in ends)
        notes.append(
            f"p {p:.3f} from {said['draws']} draws; partitions give {min(ends):.3f} to "
            f"{max(ends):.3f} ({'fits' if honest else no}), draws with replacement {other:.3f} "
            f"({'fits' if fits(p, said['draws'], other) else no})"
        )
    there, back = said["two-sided"]
    counted = 2 * truth(*apart, float("nan")).p
    notes.append(
        f"two-sided p {there:.3f}, with X and Y exchanged {back:.3f}; counted, both {counted:.3f}"
        + (": |draw| is held against the statistic with its sign" if back == 1 else "")
    )
    notes.append(f"p_value_method='exact', which its documentation offers: {said['exact']}")
    return notes
