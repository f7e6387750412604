"""JSON records with a checksum, so that a record damaged on disk is not believed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_CHECKSUM = "checksum"


def seal(record: Mapping[str, Any], *, indent: int | None = None) -> str:
    """Return a record as JSON, with a checksum of everything else in it.

    >>> seal({"effect": 1.5})
    '{"effect": 1.5, "checksum": "f516eeb77bf3fdbae609c3ea9058710d"}'
    """
    return json.dumps({**record, _CHECKSUM: _digest(record)}, indent=indent)


def unseal(text: str | bytes) -> dict[str, Any]:
    """Return the record that `seal` wrote; raise `ValueError` if anything in it has changed.

    >>> unseal(seal({"effect": 1.5}))
    {'effect': 1.5}
    >>> unseal(seal({"effect": 1.5}).replace("1.5", "0.5"))
    Traceback (most recent call last):
    ...
    ValueError: the checksum is wrong
    """
    record = json.loads(text)
    if not isinstance(record, dict) or record.pop(_CHECKSUM, None) != _digest(record):
        raise ValueError("the checksum is wrong")
    return record


def _digest(record: Mapping[str, Any]) -> str:
    # Numbers and the order of keys are the same before and after a round trip through JSON.
    return hashlib.blake2b(json.dumps(record).encode(), digest_size=16).hexdigest()
