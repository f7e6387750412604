"""A frozen record as JSON text, and back without loss."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from typing import TYPE_CHECKING, Any, TypeVar

from weatherglass.errors import BadContent, shown

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Kind = TypeVar("Kind")
_DEEPEST = 100  # levels; the deepest result has ten, and writing one goes through them all


def to_json(record: Any) -> str:
    """Everything that a result holds; the measure's name comes first."""
    plain = {"measure": record.measure} | dataclasses.asdict(record)
    return json.dumps(plain, indent=2, allow_nan=False)


def from_json(kind: type[Kind], text: str | bytes, what: str) -> Kind:
    """The record that `to_json` wrote; `what` is its name in a complaint."""
    try:
        return from_plain(kind, loads(text))
    except ValueError as error:
        raise BadContent(f"This is not a {what} in JSON ({error}).") from None


def loads(text: str | bytes) -> Any:
    """What a JSON text says, if it can be written again; a `ValueError` says what is wrong."""
    try:
        made = json.loads(text, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("nested too deep") from None
    level = [made]
    for _ in range(_DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return made
    raise ValueError("nested too deep")


def from_plain(kind: type[Kind], record: Any) -> Kind:
    """The record that plain data stands for; a `ValueError` says in a few words why it is none."""
    from pydantic import ValidationError

    try:
        made: Kind = _adapter(kind).validate_python(record)  # type: ignore[arg-type]
        return made
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{shown(place)[1:-1]}: {first['msg']}".lstrip(": ")) from None


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _finite(text: str) -> float:
    """JSON has no other numbers, though Python reads and makes them."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no finite number")
    return number
