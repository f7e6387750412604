"""JSON, one value or one after another, every failure a plain sentence."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from weatherglass.errors import CatalogError, shown


def read_json(text: str, name: str) -> list[Any]:
    """Every value of a JSON text: one object, or one after another (JSON Lines).

    Examples
    --------
    >>> read_json('{"a": 1}\\n{"a": 2}', "mine.jsonl")
    [{'a': 1}, {'a': 2}]
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise CatalogError(f"{name}: {shown(twice)} is there twice in one object. Keep one.")
        return made

    decoder = json.JSONDecoder(object_pairs_hook=once)
    values: list[Any] = []
    at = 0
    try:
        while at < len(text):
            if text[at].isspace():
                at += 1
                continue
            value, at = decoder.raw_decode(text, at)
            values.append(value)
    except json.JSONDecodeError as error:
        place = f"{name}, line {error.lineno}, column {error.colno}"
        raise CatalogError(f"{place}: not JSON ({error.msg}).") from None
    except RecursionError:
        raise CatalogError(f"{name}: nested too deep. A test needs four levels.") from None
    except ValueError:  # Python's limit on the digits of a whole number
        raise CatalogError(f"{name}: a number with too many digits.") from None
    return values
