"""Strict readers of text, YAML and JSON files that users write.

Files are limited in size and must be UTF-8. Every error is a sentence with the place in the file.
Scalars in YAML stay text, because ``no``, ``on`` and ``null`` are words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CatalogError, quote_safe

if TYPE_CHECKING:
    from yaml import Event

MAX_BYTES = 64 * 1024 * 1024  # the largest published catalogue has a few hundred kilobytes
MAX_DEPTH = 24  # an entry of the catalogue has eight levels


def printable_path(path: Path) -> str:
    r"""Return a path for a message, with control characters escaped.

    >>> print(printable_path(Path("a\x1b[31m.yaml")))
    a\x1b[31m.yaml
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(path))


def read_text(path: Path) -> str:
    """Return the text of a file, without a byte order mark."""
    name = printable_path(path)
    try:
        with path.open("rb") as stream:
            # Read one byte more than allowed instead of asking for the size: a pipe has none.
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CatalogError(f"{name}: cannot be read ({reason}).") from None
    if len(content) > MAX_BYTES:
        limit = f"{MAX_BYTES // 2**20} MB"
        raise CatalogError(f"{name}: larger than {limit}, the limit for such a file.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CatalogError(
            f"{name}, line {line}: byte {error.start + 1} is not UTF-8. Save it as UTF-8 text."
        ) from None


def read_json(text: str, name: str) -> list[Any]:
    """Return all values of a JSON text: a single object, or one after another (JSON Lines).

    `name` is what error messages call the text.

    Examples
    --------
    >>> read_json('{"a": 1}\\n{"a": 2}', "mine.jsonl")
    [{'a': 1}, {'a': 2}]
    """

    def to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs):
            duplicate = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise CatalogError(f"{name}: duplicate key {quote_safe(duplicate)} in one object.")
        return record

    decoder = json.JSONDecoder(object_pairs_hook=to_dict)
    values: list[Any] = []
    position = 0
    try:
        while position < len(text):
            if text[position].isspace():
                position += 1
                continue
            value, position = decoder.raw_decode(text, position)
            values.append(value)
    except json.JSONDecodeError as error:
        place = f"{name}, line {error.lineno}, column {error.colno}"
        raise CatalogError(f"{place}: not JSON ({error.msg}).") from None
    except RecursionError:
        raise CatalogError(f"{name}: nested too deep. A test needs four levels.") from None
    except ValueError:  # Python limits the digits of an integer
        raise CatalogError(f"{name}: a number has too many digits.") from None
    return values


def read_yaml(text: str, name: str) -> list[Any]:
    """Return all documents of a YAML text, with every scalar as text.

    `name` is what error messages call the text.

    Examples
    --------
    >>> read_yaml("words: [no, on, 1e5, null, ~]", "mine.yaml")
    [{'words': ['no', 'on', '1e5', 'null', '~']}]
    """
    import yaml

    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    try:
        return _build_documents(yaml.parse(text, Loader=loader), name)
    except yaml.MarkedYAMLError as error:
        place = _format_mark(error.problem_mark or error.context_mark)
        raise CatalogError(f"{name}{place}: not YAML ({error.problem or error.context}).") from None
    except yaml.YAMLError as error:
        reason = getattr(error, "reason", None) or "it cannot be read"
        raise CatalogError(f"{name}: not YAML ({reason}).") from None
    except (ValueError, OverflowError):  # an escape beyond the last code point
        raise CatalogError(f"{name}: not YAML (a character that does not exist).") from None


def list_lines(text: str, key: str) -> list[int]:
    """Return the line of each item of a list in a YAML mapping, counted from 1.

    The list is the value of `key` in the outermost mapping of a text that `read_yaml` has read. For
    any other value the result is the line of the key; if there is no such key, it is empty.

    Examples
    --------
    >>> list_lines("not_run: pass\\nrules:\\n- {p: 1}\\n- {p: 2}\\n", "rules")
    [3, 4]
    >>> list_lines("rules: []\\ncontrols: none", "controls"), list_lines("rules: []", "controls")
    ([2], [])
    """
    import yaml

    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    root = yaml.compose(text, Loader=loader)
    for name, value in root.value if isinstance(root, yaml.MappingNode) else ():
        if name.value == key:
            items = value.value if isinstance(value, yaml.SequenceNode) else ()
            return [item.start_mark.line + 1 for item in items] or [name.start_mark.line + 1]
    return []


def _format_mark(mark: Any) -> str:
    return f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""


def _build_documents(events: Iterator[Event], name: str) -> list[Any]:
    """Build lists, dicts and text from parser events.

    PyYAML's own loaders resolve aliases and keep the last of duplicate keys; both are errors here.
    """
    import yaml

    documents: list[Any] = []
    containers: list[list[Any] | dict[str, Any]] = [documents]  # those still open, outermost first
    keys: list[str | None] = [None]  # of each open container: the key whose value comes next

    def error(event: Event, problem: str) -> CatalogError:
        return CatalogError(f"{name}{_format_mark(event.start_mark)}: {problem}")

    def add(event: Event, value: Any) -> None:
        container = containers[-1]
        if isinstance(container, list):
            container.append(value)
        elif keys[-1] is not None:
            container[keys[-1]] = value
            keys[-1] = None
        elif not isinstance(value, str):
            raise error(event, "a list or a mapping where a key was expected.")
        elif value in container:
            raise error(event, f"duplicate key {quote_safe(value)} in one mapping.")
        else:
            keys[-1] = value

    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise error(event, "anchors and aliases (& and *) are not allowed. Repeat the value.")
        if tag := getattr(event, "tag", None):
            raise error(event, f"the tag {quote_safe(tag)} is not allowed. Write plain text.")
        if isinstance(event, yaml.ScalarEvent):
            add(event, event.value)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            is_list = isinstance(event, yaml.SequenceStartEvent)
            container: list[Any] | dict[str, Any] = [] if is_list else {}
            add(event, container)
            containers.append(container)
            keys.append(None)
            if len(containers) > MAX_DEPTH:
                raise error(event, f"nested more than {MAX_DEPTH} deep. A test needs eight levels.")
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            containers.pop()
            keys.pop()
    return documents
