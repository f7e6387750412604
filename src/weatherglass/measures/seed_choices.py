"""How a result fares over the documented seed choices of its sets."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeedChoices:
    """How a result fares over the documented seed choices of its sets (a multiverse).

    Attributes
    ----------
    share
        The share of them with the same direction and a p-value of at most 0.05.
    reversed
        The share with the other direction and such a p-value.
    of
        How many there are.
    """

    share: float
    reversed: float
    of: int
