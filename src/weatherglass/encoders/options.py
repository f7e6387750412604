"""The options of an encoder's name, checked."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from weatherglass.errors import UsageError, shown
from weatherglass.vectors import Spec


def choice(spec: Spec, option: str, allowed: Collection[str], default: str) -> str:
    """The value of an option that has a few possible ones."""
    value = spec.options.get(option, default)
    if value not in allowed:
        raise UsageError(
            f"{option}={shown(value)} in {shown(spec.text)} is not one of {', '.join(allowed)}."
        )
    return value


def number(spec: Spec, option: str) -> int | None:
    """The value of an option that is a whole number, or None where it is not given."""
    value = spec.options.get(option)
    try:
        return None if value is None else int(value)
    except ValueError:
        raise UsageError(
            f"{option}={shown(value or '')} in {shown(spec.text)} is no whole number."
        ) from None


def without(spec: Spec, own: Collection[str]) -> str:
    """The source inside an encoder's name: what is left without the scheme and its own options.

    >>> spec = Spec("", "cbow", "v.txt.zip", {"case": "lower", "member": "a b.txt"})
    >>> without(spec, ["case"])
    'v.txt.zip?member=a%20b.txt'
    """
    rest = "&".join(
        f"{quote(key, safe='')}={quote(value, safe='')}"
        for key, value in spec.options.items()
        if key not in own
    )
    return f"{spec.rest}?{rest}" if rest else spec.rest
