"""What is wrong with a record, in plain sentences instead of pydantic's report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CatalogError, did_you_mean, quote_safe

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

# pydantic's error types -> what was expected, in a user's words.
_EXPECTED = {
    "string_type": "text",
    "string_unicode": "text in valid Unicode",
    "tuple_type": "a list",
    "model_type": "a mapping of fields",
    "model_attributes_type": "a mapping of fields",
    "dict_type": "a mapping",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number of ordinary size",
    "int_from_float": "a whole number",
    "too_short": "at least one word",
}


def seen(value: Any) -> str:
    """A value from a file in a few safe words.

    >>> seen(["a", "b"]), seen("no"), seen(None)
    ('a list of 2', "'no'", 'empty')
    """
    if value is None or value == "":
        return "empty"
    if isinstance(value, str | bytes):
        return quote_safe(value)
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return quote_safe(repr(value))[1:-1]


def _place(parts: Iterable[int | str]) -> str:
    place = ""
    for part in parts:
        place += f" item {part + 1}" if isinstance(part, int) else f".{quote_safe(part)[1:-1]}"
    return place.lstrip(".")


def _sentence(error: ErrorDetails, known: Iterable[str]) -> str:
    place = _place(error["loc"])
    kind = error["type"]
    if kind == "missing":
        return f"{place} is missing."
    if kind == "extra_forbidden":
        return f"{place} is not a known field.{did_you_mean(str(error['loc'][-1]), known)}"
    if kind == "value_error":
        return f"{place} {error['ctx']['error']}.".lstrip()
    if kind in _EXPECTED:
        return f"{place} is {seen(error['input'])}; {_EXPECTED[kind]} was expected.".lstrip()
    return f"{place}: {error['msg']}.".lstrip(": ")


def complaint(error: ValidationError, who: str, known: Iterable[str]) -> CatalogError:
    """The first problem as a CatalogError; the others are its notes (PEP 678)."""
    known = tuple(known)
    first, *others = [f"{who}: {_sentence(one, known)}" for one in error.errors(include_url=False)]
    made = CatalogError(first)
    for other in others:
        made.add_note(other)
    return made


def problems(error: CatalogError) -> list[str]:
    """Every problem that a CatalogError stands for."""
    return [str(error), *getattr(error, "__notes__", ())]
