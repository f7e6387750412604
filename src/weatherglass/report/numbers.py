"""Numbers as text: effects with two decimals, p-values through `format_p`."""

from __future__ import annotations

import math

from weatherglass.significance import format_p

ABSENT = "–"


def effect(value: float | None) -> str:
    """An effect size or correlation, with two decimals.

    >>> effect(1.7078), effect(-0.334), effect(-0.001), effect(None)
    ('1.71', '−0.33', '0.00', '–')
    """
    return _rounded(value, 2)


def measure(value: float | None) -> str:
    """The value of another measure, whose scale may be small: three decimals.

    >>> measure(0.0401), measure(-5.6378), measure(-0.0001), measure(None)
    ('0.040', '−5.638', '0.000', '–')
    """
    return _rounded(value, 3)


def _rounded(value: float | None, decimals: int) -> str:
    """A rounded number with a true minus sign, and without one for zero."""
    if value is None or not math.isfinite(value):
        return ABSENT
    text = f"{value:.{decimals}f}"
    zero = f"{0:.{decimals}f}"
    return zero if text == f"-{zero}" else text.replace("-", "−")


def plain(value: float) -> str:
    """A round number, such as an end of a scale.

    >>> plain(-1.0), plain(0.5)
    ('−1', '0.5')
    """
    return f"{value:g}".replace("-", "−")


def interval(low: float, high: float) -> str:
    """An interval of effect sizes.

    >>> interval(-0.096, 1.594)
    '−0.10 to 1.59'
    """
    return f"{effect(low)} to {effect(high)}"


def p_value(value: float | None) -> str:
    """A p-value for a table.

    >>> p_value(7.77e-05), p_value(None)
    ('7.8e-05', '–')
    """
    return ABSENT if value is None else format_p(value)


def duration(seconds: float) -> str:
    """A duration in its two largest units.

    >>> duration(3.2), duration(94), duration(7300)
    ('3 seconds', '1 minute 34 seconds', '2 hours 1 minute')
    """
    rest = round(seconds)
    parts = []
    for unit, size in (("hour", 3600), ("minute", 60), ("second", 1)):
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number} {unit}" + ("" if number == 1 else "s"))
    return " ".join(parts[:2]) or "less than a second"
