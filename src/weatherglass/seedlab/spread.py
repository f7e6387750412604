"""A number measured on several models: its mean, and how far the models disagree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """A number that was measured several times.

    Attributes
    ----------
    mean
        Their mean; the number itself, if there is one.
    sd
        Their standard deviation (ddof 1); None for one number.
    low, high
        The percentiles that enclose 95 % of them; None for one number.
    n
        How many there are.

    Examples
    --------
    >>> Spread.of([0.25])
    Spread(mean=0.25, sd=None, low=None, high=None, n=1)
    >>> Spread.of([1.0, 2.0, 3.0])
    Spread(mean=2.0, sd=1.0, low=1.05, high=2.95, n=3)
    """

    mean: float
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 1

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The mean and spread of at least one number."""
        numbers = np.array(list(values), dtype=np.float64)
        if len(numbers) == 1:
            return cls(float(numbers[0]))
        tail = 100 * (1 - CONFIDENCE) / 2
        low, high = np.percentile(numbers, [tail, 100 - tail]).round(12).tolist()
        return cls(float(numbers.mean()), float(numbers.std(ddof=1)), low, high, len(numbers))

    def __str__(self) -> str:
        return f"{self.mean:.3f}" if self.sd is None else f"{self.mean:.3f} ± {self.sd:.3f}"
