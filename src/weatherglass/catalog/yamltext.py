"""YAML as text only: ``no``, ``on``, ``null`` and ``1e5`` are words.

The document is built from the parser's events, not by a loader. No scalar is resolved; an alias
(which lets a few lines stand for gigabytes), a tag, a key that comes twice and a deep nest are
refused; and nothing recurses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weatherglass.errors import CatalogError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import Event

DEPTH = 24  # an entry of the catalogue is eight deep


def read_yaml(text: str, name: str) -> list[Any]:
    """Every document of a YAML text; `name` is what errors call it.

    Examples
    --------
    >>> read_yaml("words: [no, on, 1e5, null, ~]", "mine.yaml")
    [{'words': ['no', 'on', '1e5', 'null', '~']}]
    """
    import yaml

    loader = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
    try:
        return _build(yaml.parse(text, Loader=loader), name)
    except yaml.MarkedYAMLError as error:
        place = _place(error.problem_mark or error.context_mark)
        raise CatalogError(f"{name}{place}: not YAML ({error.problem or error.context}).") from None
    except yaml.YAMLError as error:
        reason = getattr(error, "reason", None) or "it cannot be read"
        raise CatalogError(f"{name}: not YAML ({reason}).") from None
    except (ValueError, OverflowError):  # an escape beyond the last code point
        raise CatalogError(f"{name}: not YAML (a character that does not exist).") from None


def _place(mark: Any) -> str:
    return f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""


def _build(events: Iterator[Event], name: str) -> list[Any]:
    import yaml

    documents: list[Any] = []
    stack: list[list[Any] | dict[str, Any]] = [documents]
    keys: list[str | None] = [None]  # beside each open container: the key that waits for a value

    def fail(event: Event, problem: str) -> CatalogError:
        return CatalogError(f"{name}{_place(event.start_mark)}: {problem}")

    def place(event: Event, value: Any) -> None:
        top = stack[-1]
        if isinstance(top, list):
            top.append(value)
        elif keys[-1] is not None:
            top[keys[-1]] = value
            keys[-1] = None
        elif not isinstance(value, str):
            raise fail(event, "a list or a mapping stands where a field's name was expected.")
        elif value in top:
            raise fail(event, f"{shown(value)} is there twice in one mapping. Keep one.")
        else:
            keys[-1] = value

    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise fail(event, "anchors and aliases (& and *) are not read. Write the value out.")
        if tag := getattr(event, "tag", None):
            raise fail(event, f"the tag {shown(tag)} is not read. Write plain text.")
        if isinstance(event, yaml.ScalarEvent):
            place(event, event.value)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            made: list[Any] | dict[str, Any] = (
                [] if isinstance(event, yaml.SequenceStartEvent) else {}
            )
            place(event, made)
            stack.append(made)
            keys.append(None)
            if len(stack) > DEPTH:
                raise fail(event, f"nested more than {DEPTH} deep. A test needs eight.")
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            stack.pop()
            keys.pop()
    return documents
