"""Bins: numbers or dates of a column as a few groups, such as decades."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from weatherglass.errors import UsageError, quote_safe

from .numbers import format_number, parse_number

MAX_BINS = 500
_YEARS = {"year": 1, "decade": 10, "century": 100}


@dataclass(frozen=True)
class Bins:
    """How numbers are divided into bins.

    Attributes
    ----------
    years
        The years of a bin: 1, 10 or 100; None for other bins.
    number
        How many bins with about equally many documents; None for other bins.
    edges
        The smallest number of each bin but the first.
    names
        The names of the bins between and around `edges`.

    Examples
    --------
    >>> parse_bins("decade").name(1867.0), parse_bins("1861,1901").name(1867.0)
    ('1860s', '1861-1900')
    >>> parse_bins("2").fit([1790, 1800, 1900, 2000]).name(1800)
    '1790-1800'
    """

    years: int | None = None
    number: int | None = None
    edges: tuple[float, ...] = ()
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = {years: name for name, years in _YEARS.items()}
        if self.years is not None:
            return words[self.years]
        return ",".join(map(format_number, self.edges)) if self.edges else str(self.number)

    @property
    def must_be_fitted(self) -> bool:
        """Whether the edges depend on the numbers of the corpus, which `fit` must see first."""
        return self.number is not None and not self.names

    def fit(self, numbers: Sequence[float]) -> Bins:
        """Return bins with about equally many of these numbers; equal numbers share a bin."""
        ordered = sorted(numbers)
        count = len(ordered)
        number = min(self.number or 1, count)
        cuts = {ordered[round(k * count / number)] for k in range(1, number)}
        edges = tuple(sorted(cuts - {ordered[0]}))
        starts = [0, *(bisect.bisect_left(ordered, edge) for edge in edges), count]
        names = [_range_name(ordered[first], ordered[last - 1]) for first, last in pairwise(starts)]
        return Bins(number=self.number, edges=edges, names=tuple(names))

    def name(self, number: float) -> str:
        """Return the name of the bin of a number."""
        if self.years is None:
            return self.names[bisect.bisect_right(self.edges, number)]
        first = math.floor(number / self.years) * self.years
        if self.years == 1:
            return str(first)
        return f"{first}s" if self.years == 10 else f"{first}-{first + self.years - 1}"


def parse_bins(bins: str | int | Sequence[float]) -> Bins:
    """Parse bins: a number of bins, ``year``, ``decade``, ``century``, or edges such as 1900,1945.

    Raises
    ------
    UsageError
        It is none of these.
    """
    if isinstance(bins, int):
        bins = str(bins)
    elif not isinstance(bins, str):
        bins = ",".join(map(str, bins)) + ","
    text = bins.strip().lower()
    if text in _YEARS:
        return Bins(years=_YEARS[text])
    if text.isascii() and text.isdigit():
        if not 2 <= int(text) <= MAX_BINS:
            raise UsageError(
                f"{int(text)} bins are not from 2 to {MAX_BINS}. To divide at a single number, end "
                f"it with a comma: {text},"
            )
        return Bins(number=int(text))
    edges = [parse_number(part) for part in text.removesuffix(",").split(",")]
    if None in edges or not 1 <= len(edges) < MAX_BINS:
        raise UsageError(
            f"bins is {quote_safe(bins)}; it must be a number of bins, year, decade, century, or "
            "edges such as 1861,1901,1946."
        )
    ordered = sorted({edge for edge in edges if edge is not None})
    return Bins(edges=tuple(ordered), names=tuple(_edge_names(ordered)))


def _edge_names(edges: Sequence[float]) -> list[str]:
    """Return the names of the bins around edges.

    >>> _edge_names([1861, 1901]), _edge_names([0.5])
    (['to 1860', '1861-1900', 'from 1901'], ['under 0.5', 'from 0.5'])
    """
    is_whole = all(edge == int(edge) for edge in edges)
    first = f"to {int(edges[0]) - 1}" if is_whole else f"under {format_number(edges[0])}"
    between = [
        _range_name(low, high - 1)
        if is_whole
        else f"{format_number(low)} to under {format_number(high)}"
        for low, high in pairwise(edges)
    ]
    return [first, *between, f"from {format_number(edges[-1])}"]


def _range_name(low: float, high: float) -> str:
    """Return the name of a range of numbers."""
    dash = "-" if low >= 0 and low == int(low) and high == int(high) else " to "
    return format_number(low) if low == high else f"{format_number(low)}{dash}{format_number(high)}"
