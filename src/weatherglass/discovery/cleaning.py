"""What cleaning did to a list of names: how frequent each is among people and in the vocabulary.

Figure 1 of Swinger et al. (2019) plots the probability of a name against its rank in the embedding.
Both follow a power law (Zipf's law); a name that is much more frequent in text than among people,
such as Virginia, has other uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import CannotMeasure, UsageError, join_first, quote_safe
from weatherglass.vectors import Vectors, order_by_frequency

if TYPE_CHECKING:
    from weatherglass.catalog import NameList

    from .names import Names

_MIN_NAMES = 3  # to fit a line


@dataclass(frozen=True)
class PowerLaw:
    """log₁₀ p = constant + exponent · log₁₀ rank, fitted by least squares to the names kept."""

    exponent: float
    constant: float
    r2: float

    def log_probability(self, rank: float) -> float:
        """Return log₁₀ of the probability that the law gives a name of this rank."""
        return float(self.constant + self.exponent * np.log10(rank))


@dataclass(frozen=True)
class Cleaning:
    """The names of a list that a vocabulary has, before cleaning.

    Attributes
    ----------
    names
        As the vocabulary spells them.
    ranks
        The rank of each name among all tokens by frequency; 1 is the most frequent token.
    people
        How many people have each name.
    is_kept
        Whether cleaning kept each name.
    total
        The number of people with any name of the list, also one that the vocabulary lacks.

    Examples
    --------
    >>> cleaned = Cleaning(("ann", "bea", "may", "cleo"), (100, 1_000, 60, 10_000),
    ...                    (1000, 100, 10, 10), (True, True, False, True), 2000)
    >>> [round(p, 2) for p in cleaned.log_probabilities]
    [-0.3, -1.3, -2.3, -2.3]
    >>> round(cleaned.power_law.exponent, 3), cleaned.outliers[:1]
    (-1.0, ('may',))
    """

    names: tuple[str, ...]
    ranks: tuple[int, ...]
    people: tuple[float, ...]
    is_kept: tuple[bool, ...]
    total: float

    def __post_init__(self) -> None:
        if len({len(self.names), len(self.ranks), len(self.people), len(self.is_kept)}) > 1:
            raise ValueError("names, ranks, people and is_kept have different lengths")
        if min(self.ranks, default=1) < 1 or min((*self.people, self.total)) <= 0:
            raise ValueError("a rank is below 1, or a number of people is not above 0")

    @property
    def log_probabilities(self) -> tuple[float, ...]:
        """log₁₀ of the share of people who have each name."""
        return tuple(np.log10(np.array(self.people) / self.total).tolist())

    @cached_property
    def power_law(self) -> PowerLaw:
        """The power law of the names kept.

        Raises
        ------
        CannotMeasure
            There are fewer than three names, or all of one rank.
        """
        is_kept = np.array(self.is_kept, bool)
        x = np.log10(np.array(self.ranks, float))[is_kept]
        y = np.array(self.log_probabilities)[is_kept]
        if len(set(x.tolist())) < _MIN_NAMES:
            raise CannotMeasure(f"A power law needs {_MIN_NAMES} names; cleaning kept {len(x)}.")
        exponent, constant = np.polyfit(x, y, 1)
        spread = float(((y - y.mean()) ** 2).sum())
        rest = float(((y - constant - exponent * x) ** 2).sum())
        return PowerLaw(float(exponent), float(constant), 1 - rest / spread if spread else 1.0)

    @property
    def residuals(self) -> tuple[float, ...]:
        """log₁₀ of each name's probability minus what the power law gives for its rank.

        Below zero: the token is more frequent in text than the name is among people.
        """
        law = self.power_law
        expected = law.constant + law.exponent * np.log10(np.array(self.ranks, float))
        return tuple((np.array(self.log_probabilities) - expected).tolist())

    @property
    def outliers(self) -> tuple[str, ...]:
        """All names, the ones farthest from the power law first."""
        order = np.argsort(-np.abs(self.residuals), kind="stable")
        return tuple(self.names[i] for i in order.tolist())


def trace_cleaning(
    vectors: Vectors, name_list: NameList, before: Names, after: Names, column: str | None
) -> Cleaning | None:
    """Return how frequent the names are and which were kept; None if no column counts people."""
    if column is None or before.people is None:
        return None
    has_people = np.isfinite(before.people) & (before.people > 0)
    total = float(sum(value or 0 for value in name_list.facts[column]))
    if not has_people.any():
        return None
    dropped = set(after.dropped)
    ranks = np.argsort(order_by_frequency(vectors))[before.positions[has_people]] + 1
    names = tuple(vectors.words.at(before.positions[has_people]))
    people = tuple(before.people[has_people].tolist())
    return Cleaning(
        names, tuple(ranks.tolist()), people, tuple(name not in dropped for name in names), total
    )


def people_column(name_list: NameList, weights: str) -> str | None:
    """Return the column of a list that states how many people have a name; None if it has none.

    `weights` is ``none``, ``population`` or the name of the column, which then must exist.
    """
    known = name_list.people_column
    if weights == "none" or (weights == "population" and known):
        return known
    if weights in name_list.facts:
        return weights
    numeric = join_first(map(quote_safe, name_list.facts))
    has = f"Its numeric columns are {numeric}." if numeric else "It has no numeric column."
    what = (
        "does not state how many people have a name"
        if weights == "population"
        else f"has no numeric column {quote_safe(weights)}"
    )
    raise UsageError(f"{name_list.title} {what}, so names cannot be weighted. {has}")


def name_weights(names: Names, weights: str) -> NDArray[np.float64] | None:
    """Return how often each name counts; None if once."""
    return None if weights == "none" else names.people
