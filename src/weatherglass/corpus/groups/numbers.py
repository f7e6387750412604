"""Numbers and dates in metadata."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_DATE = re.compile(r"(-?\d{1,4})-(\d\d)(?:-(\d\d))?(?:[T ].*)?")


def parse_number(value: str, *, whole_years: bool = False) -> float | None:
    """Return the number that a value of a column stands for; None if it is not a number.

    A date (``1861-12-03``, ``1861-12``) is its year and the part of the year that has passed, or,
    with `whole_years`, its year.

    >>> parse_number("1861"), parse_number("1861-07-01"), parse_number("May 1861")
    (1861.0, 1861.5, None)
    """
    value = value.strip()
    if _NUMBER.fullmatch(value):
        number = float(value)
        return number if math.isfinite(number) else None
    date = _DATE.fullmatch(value)
    if date is None:
        return None
    year, month, day = (int(part) if part else 1 for part in date.groups())
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return float(year) if whole_years else year + (month - 1) / 12 + (day - 1) / 372


def is_date(value: str) -> bool:
    """Return whether a value is a date with a month, not only a year.

    >>> is_date("1861-12"), is_date("1861")
    (True, False)
    """
    return _DATE.fullmatch(value.strip()) is not None


def format_number(value: float) -> str:
    """Format a number for the name of a group, whole numbers without a decimal point.

    >>> format_number(1900.0), format_number(0.25)
    ('1900', '0.25')
    """
    return str(int(value)) if value == int(value) else f"{value:g}"
