"""Seed sets as the text of a file: YAML, JSON, CSV or a plain list of words."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from weatherglass.catalog.seedschema import SeedSet
from weatherglass.catalog.studies import studies
from weatherglass.errors import UsageError, shown

_A_LINE = 8  # words


def seeds_text(sets: Sequence[SeedSet], form: str) -> str:
    """Seed sets as the text of a file that `load_seeds` reads.

    Parameters
    ----------
    sets
        The sets, each with an id of its own.
    form
        ``"yaml"`` and ``"json"`` hold everything; ``"csv"`` holds id, concept and words, and
        ``"txt"`` the words of a single set.

    Raises
    ------
    UsageError
        If the form cannot hold these sets.

    Examples
    --------
    >>> print(seeds_text([SeedSet(id="it", words=["no", "on"])], "yaml"), end="")
    seeds:
      - id: "it"
        words: ["no", "on"]
    """
    if form not in _WRITERS:
        raise UsageError(f"The form is {shown(form)}; one of {', '.join(_WRITERS)} was expected.")
    text = _WRITERS[form](sets)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"A word is not valid Unicode, and {form} cannot hold it.") from None
    return text


def _yaml(sets: Sequence[SeedSet]) -> str:
    records = [
        "    ".join(f"{name}: {_flow(value)}\n" for name, value in _fields(one).items())
        for one in sets
    ]
    return "seeds:\n" + "\n".join(f"  - {record}" for record in records)


def _json(sets: Sequence[SeedSet]) -> str:
    return json.dumps({"seeds": [_fields(one) for one in sets]}, indent=2) + "\n"


def _csv(sets: Sequence[SeedSet]) -> str:
    words = [(one.id, one.concept, word) for one in sets for word in one.words]
    # The writer sees no need to quote a carriage return, at which the reader ends the line.
    returns = any("\r" in cell for row in words for cell in row)
    stream = io.StringIO()
    writer = csv.writer(
        stream, lineterminator="\n", quoting=csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL
    )
    writer.writerows([("set", "concept", "word"), *words])
    return stream.getvalue()


def _txt(sets: Sequence[SeedSet]) -> str:
    if len(sets) != 1:
        raise UsageError(f"A plain list holds one seed set; {len(sets)} were given. Write YAML.")
    (one,) = sets
    broken = [word for word in one.words if word.strip().splitlines() != [word]]
    if broken:
        raise UsageError(f"{shown(broken[0])} does not fit on a line of a plain list. Write YAML.")
    return "".join(f"{word}\n" for word in one.words)


_WRITERS = {"yaml": _yaml, "json": _json, "csv": _csv, "txt": _txt}
SEED_FORMATS = tuple(_WRITERS)


def _fields(one: SeedSet) -> dict[str, Any]:
    """What a set has, with the key of its study where the catalogue has the study."""
    made = one.model_dump(exclude_defaults=True)
    if one.study and studies().get(one.study.key) == one.study:
        made["study"] = one.study.key
    return made


def _flow(value: Any) -> str:
    """A value in YAML, every text in double quotes: then no word is anything but text."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_flow(part)}" for name, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        parts = [_flow(part) for part in value]
        lines = [", ".join(parts[k : k + _A_LINE]) for k in range(0, len(parts), _A_LINE)]
        between = ",\n      "
        return f"[{between.join(lines)}]"
    if not isinstance(value, str):
        return json.dumps(value)
    # YAML has the escapes of JSON, and more characters that need one.
    quoted = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() or _surrogate(c) else f"\\U{ord(c):08x}" for c in quoted)


def _surrogate(c: str) -> bool:
    # Half a character has no escape in YAML: left as it is, it is found when the text is encoded.
    return "\ud800" <= c <= "\udfff"
