"""Round numbers for the axes of drawings."""

from __future__ import annotations

import math

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def nice_ticks(low: float, high: float, count: int = 6) -> list[float]:
    """Return about `count` round numbers between two values.

    >>> nice_ticks(-0.6, 1.9), nice_ticks(0, 100, 4)
    ([-0.5, 0.0, 0.5, 1.0, 1.5], [0.0, 25.0, 50.0, 75.0, 100.0])
    """
    if not (math.isfinite(low) and math.isfinite(high) and high > low):
        return []
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _STEPS if power * factor >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(step * k, 12) + 0.0 for k in range(first, last + 1)]
