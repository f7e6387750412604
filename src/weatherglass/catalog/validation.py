"""Validation of records, with problems worded as plain sentences instead of pydantic's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from weatherglass.errors import CatalogError, did_you_mean, quote_safe

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    Model = TypeVar("Model", bound=BaseModel)

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


def validate(
    model: type[Model], data: Any, name: str, nested: Iterable[type[BaseModel]] = ()
) -> Model:
    """Validate `data` as a `model`; raise a CatalogError that begins with `name` otherwise.

    An unknown field gets a suggestion from the fields of the model and of its `nested` models.
    """
    from pydantic import ValidationError

    known = [*model.model_fields, *(field for owner in nested for field in owner.model_fields)]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise validation_error(error, name, known) from None


def validation_error(error: ValidationError, name: str, known: Iterable[str]) -> CatalogError:
    """Return the first problem as a CatalogError; the others are its notes (PEP 678)."""
    known = tuple(known)
    first, *others = [
        f"{name}: {_sentence(details, known)}" for details in error.errors(include_url=False)
    ]
    result = CatalogError(first)
    for other in others:
        result.add_note(other)
    return result


def list_problems(error: CatalogError) -> list[str]:
    """Return all problems that a CatalogError holds: its message and its notes."""
    return [str(error), *getattr(error, "__notes__", ())]


def describe_value(value: Any) -> str:
    """Describe a value from a file in a few words that are safe to print.

    >>> describe_value(["a", "b"]), describe_value("no"), describe_value(None)
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


def check_words(words: Sequence[str]) -> None:
    """Raise a ValueError for an empty or repeated word, for pydantic to report."""
    if not all(word.strip() for word in words):
        raise ValueError("has an empty word; a word needs at least one visible character")
    repeated = [word for word, count in Counter(words).items() if count > 1]
    if repeated:
        others = f" (and {len(repeated) - 1} more)" if len(repeated) > 1 else ""
        raise ValueError(f"has the duplicate {quote_safe(repeated[0])}{others}")


def _sentence(details: ErrorDetails, known: Iterable[str]) -> str:
    place = _format_place(details["loc"])
    kind = details["type"]
    if kind == "missing":
        return f"{place} is missing."
    if kind == "extra_forbidden":
        return f"{place} is not a known field.{did_you_mean(str(details['loc'][-1]), known)}"
    if kind == "value_error":
        return f"{place} {details['ctx']['error']}.".lstrip()
    if kind in _EXPECTED:
        value = describe_value(details["input"])
        return f"{place} is {value}; {_EXPECTED[kind]} was expected.".lstrip()
    return f"{place}: {details['msg']}.".lstrip(": ")


def _format_place(parts: Iterable[int | str]) -> str:
    place = ""
    for part in parts:
        place += f" item {part + 1}" if isinstance(part, int) else f".{quote_safe(part)[1:-1]}"
    return place.lstrip(".")
