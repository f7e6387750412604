"""A p-value: the number, its bounds, and the method that computed it."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Literal, get_args

from weatherglass.errors import UsageError

Alternative = Literal["greater", "less", "two-sided"]
Method = Literal[
    "exact", "clusters", "tilted", "bracket", "sample", "normal", "rotation", "baseline"
]

MIN_P = sys.float_info.min
"""Smallest p-value, to which those too small for a float are rounded up: none is ever zero."""


def check_alternative(alternative: str) -> None:
    """Raise `UsageError` unless `alternative` is one of the three values."""
    if alternative not in get_args(Alternative):
        known = ", ".join(get_args(Alternative))
        raise UsageError(f"alternative is {alternative!r}; it must be one of {known}.")


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value with its bounds and the method that computed it.

    Attributes
    ----------
    value : float
        The p-value; above 0 and at most 1.
    low, high : float
        Bounds of the true p-value. What they rest on depends on `method`: a count for ``exact``
        (both equal `value`), a proof for ``clusters`` and ``bracket``, four times the estimated
        numerical error for ``tilted``, and a 99 % confidence interval for ``sample``, ``normal``,
        ``baseline`` and, if rotations were sampled, ``rotation``.
    method : str
        ``exact``, ``clusters``, ``tilted``, ``bracket``, ``sample``, ``normal``, ``rotation`` or
        ``baseline``.
    alternative : str
        ``greater``, ``less`` or ``two-sided`` (twice the smaller tail, at most 1).
    count, partitions : int or None
        For ``exact``: the number of partitions at least as extreme as the observed one, and of
        all partitions.

    Examples
    --------
    >>> p = PValue.from_count(1, 12870)
    >>> print(p, "=", p.fraction)
    7.8e-05 = 1/12870
    """

    value: float
    low: float
    high: float
    method: Method
    alternative: Alternative = "greater"
    count: int | None = None
    partitions: int | None = None

    @classmethod
    def from_count(
        cls, count: int, partitions: int, alternative: Alternative = "greater"
    ) -> PValue:
        """Return the exact p-value `count` / `partitions`."""
        value = clamp_p(count / partitions)
        return cls(value, value, value, "exact", alternative, count, partitions)

    def as_two_sided(self) -> PValue | None:
        """Return the two-sided p-value, which is twice the smaller tail, if this is that tail.

        None where it is not: the other tail, which shares its ties with this one, must be computed.

        >>> PValue.from_count(1, 12870).as_two_sided().fraction
        '2/12870'
        >>> PValue.from_count(12869, 12870).as_two_sided() is None
        True
        """
        if self.alternative == "two-sided":
            return self
        # The tails together hold all partitions, so one that holds less than half is the smaller.
        if self.high > 0.5:
            return None
        value, low, high = (min(1.0, 2 * end) for end in (self.value, self.low, self.high))
        count = None if self.count is None else 2 * self.count
        return PValue(value, low, high, self.method, "two-sided", count, self.partitions)

    def two_sided_value(self) -> float:
        """Return the two-sided p-value, also where this is the larger tail.

        The smaller tail is then taken from the complement, which is exact unless other partitions
        tie with the observed one.

        >>> round(PValue.from_count(12869, 12870).two_sided_value() * 12870, 6)
        4.0
        """
        known = self.as_two_sided()
        if known is not None:
            return known.value
        observed = 1 / self.partitions if self.partitions else 0.0
        return min(1.0, 2 * (1 - self.value + observed))

    @property
    def fraction(self) -> str | None:
        """``"count/partitions"`` if the p-value was counted, otherwise None."""
        if self.count is None or self.partitions is None:
            return None
        return f"{self.count}/{self.partitions}"

    def to_dict(self) -> dict[str, float | int | str | None]:
        """Return the fields that are set, ready for JSON.

        >>> PValue(0.25, 0.2, 0.3, "sample").to_dict()
        {'value': 0.25, 'low': 0.2, 'high': 0.3, 'method': 'sample', 'alternative': 'greater'}
        """
        fields: dict[str, float | int | str | None] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "method": self.method,
            "alternative": self.alternative,
        }
        if self.count is not None:
            fields |= {"count": self.count, "partitions": self.partitions}
        return fields

    def __str__(self) -> str:
        return format_p(self.value)


def clamp_p(p: float) -> float:
    """Return `p` as a float in (0, 1]; values too small for a float become `MIN_P`."""
    return min(1.0, max(float(p), MIN_P))


def format_p(p: float) -> str:
    """Format a p-value with two significant digits, as everywhere in this project.

    Examples
    --------
    >>> [format_p(p) for p in (1.0, 0.155, 0.0181, 0.0009999, 7.77e-05, 5.8e-51)]
    ['1', '0.15', '0.018', '0.0010', '7.8e-05', '5.8e-51']
    >>> format_p(0.0), format_p(0.9999)
    ('<2.2e-308', '>0.99')
    """
    if math.isnan(p):
        return "nan"
    if p <= MIN_P:
        return f"<{MIN_P:.1e}"
    if p >= 0.995:
        return "1" if p >= 1 else ">0.99"
    if p < 0.000995:
        return f"{p:.1e}"
    decimals = 1 - int(f"{p:.1e}"[-3:])  # of the rounded value: 0.0009999 is written 0.0010
    return f"{p:.{max(2, decimals)}f}"


def equate_p(p: float) -> str:
    """Write a p-value with its name, for sentences.

    >>> equate_p(0.0181), equate_p(0.0), equate_p(0.9999)
    ('p = 0.018', 'p < 2.2e-308', 'p > 0.99')
    """
    text = format_p(p)
    return f"p {text[0]} {text[1:]}" if text[0] in "<>" else f"p = {text}"
