"""A frozen record as JSON text, and back without loss."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, TypeVar

from weatherglass.errors import BadContent

Kind = TypeVar("Kind")


def to_json(record: Any) -> str:
    """Everything that a result holds; the measure's name comes first."""
    plain = {"measure": record.measure} | dataclasses.asdict(record)
    return json.dumps(plain, indent=2, allow_nan=False)


def from_json(kind: type[Kind], text: str | bytes, what: str) -> Kind:
    """The record that `to_json` wrote; `what` is its name in a complaint."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadContent(f"This is not a {what} in JSON ({place}: {first['msg']}).") from None
