"""Reading a user's text file: bounded in size, UTF-8, every failure a plain sentence."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass.errors import CatalogError, quote_safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import Event

MAX_BYTES = 64 * 1024 * 1024  # bytes; the largest published catalogue is a few hundred kilobytes


def printable_path(path: Path) -> str:
    r"""A path for a message, control characters made visible.

    >>> print(printable_path(Path("a\x1b[31m.yaml")))
    a\x1b[31m.yaml
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(path))


def read_text(path: Path) -> str:
    """The whole text of a file, without a byte order mark."""
    name = printable_path(path)
    try:
        with path.open("rb") as stream:
            # One byte more than allowed, and not the size in the directory: a pipe has none.
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CatalogError(f"{name}: cannot be read ({reason}).") from None
    if len(content) > MAX_BYTES:
        raise CatalogError(
            f"{name}: larger than {MAX_BYTES // 2**20} MB, the limit for such a file."
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CatalogError(
            f"{name}, line {line}: byte {error.start + 1} is not UTF-8. Save it as UTF-8 text."
        ) from None


def read_csv_rows(
    path: Path, columns: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The wanted columns of each line that is not blank, with its line number.

    Commas stand between the columns, tabs if the name ends in ``.tsv``. A column of `optional`
    that the file does not have is empty in every line.
    """
    where = printable_path(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if not set(columns) <= set(header):
            wanted = ", ".join(columns)
            raise CatalogError(
                f"{where}, line 1: the header is {quote_safe(delimiter.join(header))}; "
                f"the columns {wanted} were expected."
            )
        places = [header.index(name) if name in header else -1 for name in (*columns, *optional)]
        for row in reader:
            if not any(row):
                continue
            if len(row) != len(header):
                raise CatalogError(
                    f"{where}, line {reader.line_num}: has {len(row)} columns; "
                    f"the header has {len(header)}."
                )
            yield reader.line_num, tuple("" if place < 0 else row[place] for place in places)
    except csv.Error as error:
        raise CatalogError(f"{where}, line {reader.line_num}: not CSV ({error}).") from None


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
            raise CatalogError(
                f"{name}: {quote_safe(twice)} is there twice in one object. Keep one."
            )
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


MAX_DEPTH = 24  # an entry of the catalogue is eight deep


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
            raise fail(event, f"{quote_safe(value)} is there twice in one mapping. Keep one.")
        else:
            keys[-1] = value

    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise fail(event, "anchors and aliases (& and *) are not read. Write the value out.")
        if tag := getattr(event, "tag", None):
            raise fail(event, f"the tag {quote_safe(tag)} is not read. Write plain text.")
        if isinstance(event, yaml.ScalarEvent):
            place(event, event.value)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            made: list[Any] | dict[str, Any] = (
                [] if isinstance(event, yaml.SequenceStartEvent) else {}
            )
            place(event, made)
            stack.append(made)
            keys.append(None)
            if len(stack) > MAX_DEPTH:
                raise fail(event, f"nested more than {MAX_DEPTH} deep. A test needs eight.")
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            stack.pop()
            keys.pop()
    return documents
