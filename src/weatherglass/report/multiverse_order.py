"""The specifications of a multiverse in the order of their effects, thinned for a picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from weatherglass.seedlab.multiverse_parts import Specification
from weatherglass.seedlab.multiverse_record import Multiverse

WIDTH = 560
COLUMNS = 280
"""Most columns of the picture: two pixels each. More specifications are put together in rank."""

MOST_RINGS = 80
"""Most choices of whole sets that are marked one by one; more would hide the curve."""


@dataclass(frozen=True)
class Column:
    """Neighbours in rank that are drawn as one: the ranks from `start` up to `end`."""

    start: int
    end: int
    specifications: tuple[Specification, ...]

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.specifications)


@dataclass(frozen=True)
class Ranked:
    """A multiverse in order: its columns, and where each specification stands in the picture."""

    found: Multiverse
    columns: tuple[Column, ...]
    places: dict[int, float]

    @property
    def ringed(self) -> tuple[Specification, ...]:
        """The specifications of whole sets, if they are few enough to be marked."""
        whole = self.found.whole
        return whole if len(whole) <= MOST_RINGS else ()

    def place(self, one: Specification) -> float:
        """The middle of the rank of a specification."""
        return self.places[id(one)]


def ranked(found: Multiverse, columns: int = COLUMNS) -> Ranked:
    """The specifications from the smallest effect to the largest, in so many columns at most."""
    ordered = sorted(found.specifications, key=lambda one: one.effect)
    count = min(columns, len(ordered))
    edges = [round(k * len(ordered) / count) for k in range(count + 1)]
    made = tuple(Column(low, high, tuple(ordered[low:high])) for low, high in pairwise(edges))
    return Ranked(found, made, {id(one): at + 0.5 for at, one in enumerate(ordered)})
