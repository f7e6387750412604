"""Conditions on the metadata of a document, such as ``party=Republican`` and ``year>=1900``.

A condition is a column, a comparison and a value, and nothing else: it is parsed here, never run.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weatherglass.errors import UsageError, quote_safe

from .numbers import is_date, parse_number

_CONDITION = re.compile(r"\s*([^<>=!]+?)\s*(<=|>=|!=|==|=|<|>)\s*(.*?)\s*", re.DOTALL)
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """A condition on a column.

    Attributes
    ----------
    column, comparison
        The name of the column, and one of ``=``, ``!=``, ``<``, ``<=``, ``>`` and ``>=``.
    values
        The value to compare with; for ``=`` and ``!=`` there may be several.
    """

    column: str
    comparison: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.column}{self.comparison}{'|'.join(self.values)}"

    def holds(self, meta: Mapping[str, str]) -> bool:
        """Return whether a document with this metadata meets the condition.

        A document without a value for the column, or without a number where the order of numbers is
        compared, does not.

        >>> [parse_condition("year>=1900").holds({"year": year}) for year in ("1899", "1900-05-01")]
        [False, True]
        """
        value = meta.get(self.column)
        if value is None:
            return False
        if self.comparison == "=":
            return any(_is_equal(value, wanted) for wanted in self.values)
        if self.comparison == "!=":
            return not any(_is_equal(value, wanted) for wanted in self.values)
        wanted = self.values[0]
        # A date is compared with a year by its year, and with a date by its day.
        number = parse_number(value, whole_years=not is_date(wanted))
        return number is not None and _ORDER[self.comparison](number, parse_number(wanted))


def _is_equal(value: str, wanted: str) -> bool:
    if value == wanted:
        return True
    number = parse_number(value, whole_years=not is_date(wanted))
    return number is not None and number == parse_number(wanted)


def parse_condition(text: str) -> Condition:
    """Parse a condition: a column, a comparison and a value; alternatives are separated by ``|``.

    Raises
    ------
    UsageError
        It is not a condition.

    >>> str(parse_condition("party = Republican | Democratic"))
    'party=Democratic|Republican'
    """
    match = _CONDITION.fullmatch(text)
    if match is None or not match[3]:
        raise UsageError(
            f"{quote_safe(text)} is not a condition; expected a column, a comparison (=, !=, <, "
            "<=, > or >=) and a value, such as party=Republican or year>=1900."
        )
    column, comparison, value = match.groups()
    comparison = "=" if comparison == "==" else comparison
    if comparison not in _ORDER:
        values = tuple(part.strip() for part in value.split("|"))
        return Condition(column, comparison, tuple(sorted(set(values))))
    if parse_number(value) is None:
        raise UsageError(
            f"The condition {quote_safe(text)} compares with {quote_safe(value)}, which is neither "
            "a number nor a date such as 1900-12-31."
        )
    return Condition(column, comparison, (value,))
