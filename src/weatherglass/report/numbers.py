"""Numbers as every page writes them: effects with two decimals, p-values through `format_p`."""

from __future__ import annotations

import math

from weatherglass.significance import format_p

ABSENT = "–"


def effect(value: float | None) -> str:
    """An effect, a correlation or another number of that size.

    >>> effect(1.7078), effect(-0.334), effect(-0.001), effect(None)
    ('1.71', '−0.33', '0.00', '–')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "−")


def measure(value: float | None) -> str:
    """The number of another measure, whose scale may be small: three decimals.

    >>> measure(0.0401), measure(-5.6378), measure(-0.0001), measure(None)
    ('0.040', '−5.638', '0.000', '–')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    text = f"{value:.3f}"
    return "0.000" if text == "-0.000" else text.replace("-", "−")


def plain(value: float) -> str:
    """A round number, such as an end of a scale.

    >>> plain(-1.0), plain(0.5)
    ('−1', '0.5')
    """
    return f"{value:g}".replace("-", "−")


def interval(low: float, high: float) -> str:
    """The two ends of an interval.

    >>> interval(-0.096, 1.594)
    '−0.10 to 1.59'
    """
    return f"{effect(low)} to {effect(high)}"


def p_value(value: float | None) -> str:
    """A p-value, in a table.

    >>> p_value(7.77e-05), p_value(None)
    ('7.8e-05', '–')
    """
    return ABSENT if value is None else format_p(value)


def p_equation(value: float) -> str:
    """A p-value, in a sentence.

    >>> p_equation(0.0181), p_equation(0.0)
    ('p = 0.018', 'p < 2.2e-308')
    """
    text = format_p(value)
    sign, text = (text[0], text[1:]) if text[0] in "<>" else ("=", text)
    return f"p {sign} {text}"


def duration(seconds: float) -> str:
    """So many seconds, for people.

    >>> duration(3.2), duration(94), duration(7300)
    ('3 seconds', '1 minute 34 seconds', '2 hours 1 minute')
    """
    whole = round(seconds)
    sizes = (("hour", 3600), ("minute", 60), ("second", 1))
    parts = []
    for name, size in sizes:
        number, whole = divmod(whole, size)
        if number:
            parts.append(f"{number} {name}" + ("" if number == 1 else "s"))
    return " ".join(parts[:2]) or "less than a second"
