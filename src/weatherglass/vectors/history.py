"""How the vectors of a file were made: debiased, converted, reduced to some words.

A debiased file looks like any other, and passes tests along the axis that was removed from it. So
what is done to vectors stays with them: in the metadata of safetensors, Parquet, Arrow and ``.npz``
files, and otherwise in a file beside them, ``FILE.history``, which must be moved with the file. It
changes no number, so it is not part of the source's fingerprint; it holds the fingerprint of the
content that it is about, and is not believed about another.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weatherglass._files import (
    Input,
    atomic_write,
    combine_fingerprints,
    cpu_count,
    file_fingerprint,
    seal,
    unseal,
)
from weatherglass._version import __version__
from weatherglass.errors import CannotWrite, join_first, quote_safe

from .formats import MAX_HISTORY_BYTES, Format, find_format

if TYPE_CHECKING:
    from .vectors import Vectors

Entry = dict[str, Any]
_MAX_ENTRIES = 100
_MAX_PAIRS = 3  # in a sentence


def new_entry(action: str, vectors: Vectors, **facts: Any) -> Entry:
    """Return an entry about what is done to vectors: ``debias``, ``convert`` or ``subset``."""
    source = vectors.source.partition("?")[0]
    return {
        "action": action,
        # Without the folder, which is nobody else's business.
        "from": os.path.basename(source.rstrip("/")) or source,
        "fingerprint": vectors.fingerprint,
        **facts,
        "weatherglass": __version__,
    }


def decode_history(raw: bytes | str | None) -> tuple[Entry, ...]:
    """Return the entries in the metadata of a file; nothing if they are not as they were written.

    >>> decode_history(b'[{"action": "convert"}, 3]'), decode_history(b"nonsense")
    (({'action': 'convert'},), ())
    """
    try:
        entries = json.loads(raw or "[]")
    except (ValueError, RecursionError):
        return ()
    return clean_history(entries)


def clean_history(entries: Any) -> tuple[Entry, ...]:
    """Return those of the entries that are mappings with an action."""
    if not isinstance(entries, list | tuple):
        return ()
    valid = (e for e in entries if isinstance(e, dict) and isinstance(e.get("action"), str))
    return tuple(valid)[:_MAX_ENTRIES]


def history_path(path: Path) -> Path:
    """Return the path of the history beside a file."""
    return path.with_name(path.name + ".history")


def read_beside(path: Path, fingerprint: str) -> tuple[Entry, ...]:
    """Return the history in the file beside a source with this fingerprint.

    If that file is about other content, the only entry says so.
    """
    beside = history_path(path)
    try:
        if not beside.is_file() or beside.stat().st_size > MAX_HISTORY_BYTES:
            return ()
        record = unseal(beside.read_text(encoding="utf-8"))
        entries = clean_history(record["history"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ({"action": "unknown", "reason": f"{beside.name} is damaged"},)
    if record.get("of") != fingerprint:
        return ({"action": "unknown", "reason": f"{beside.name} is about other content"},)
    return entries


def write_vectors(vectors: Vectors, path: Path, form: Format) -> None:
    """Write vectors in a format, with their history inside the file or beside it."""
    if form.write is None:
        raise CannotWrite(f"Vectors cannot be written as {form.name}.")
    # The file first: if writing stops here, the old history is recognised as that of another file.
    form.write(vectors, path)
    beside = history_path(path)
    if form.history is not None or not vectors.history:
        with contextlib.suppress(OSError):
            beside.unlink()
        return
    source = Input(path)
    files = find_format(source).files(source)
    content = combine_fingerprints([file_fingerprint(file, cpu_count()) for file in files])
    with atomic_write(beside) as temporary:
        record = {"of": content, "history": list(vectors.history)}
        temporary.write_text(seal(record, indent=1), encoding="utf-8")


def describe_history(history: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence for each entry, the first thing that was done first.

    >>> describe_history([{"action": "convert", "from": "a.txt", "weatherglass": "0.1.0"}])
    ["Converted from 'a.txt' (Weatherglass 0.1.0)."]
    """
    return [_describe(entry) for entry in history]


def describe_histories(sources: Collection[Mapping[str, Any]]) -> list[str]:
    """Return the sentences for sources of a record, with their names if there are several.

    >>> entry = {"action": "convert", "from": "a.txt", "weatherglass": "0.1.0"}
    >>> describe_histories([{"name": "b", "history": [entry]}, {"name": "c"}])
    ["b: Converted from 'a.txt' (Weatherglass 0.1.0)."]
    """
    return [
        f"{source['name']}: {text}" if len(sources) > 1 else text
        for source in sources
        for text in describe_history(source.get("history") or ())
    ]


def _describe(entry: Mapping[str, Any]) -> str:
    action = str(entry.get("action"))
    if action == "unknown":
        return f"The history of this file is not known: {quote_safe(str(entry.get('reason')))}."
    facts = [
        f"{value:,} {noun}{'s' * (value != 1)}" if isinstance(value, int) else _plain(value)
        for name, noun in _NOUNS.items()
        if (value := entry.get(name)) is not None
    ]
    pairs = entry.get("pairs")
    if isinstance(pairs, list) and pairs:
        words = (
            "/".join(map(str, pair)) if isinstance(pair, list) else str(pair) for pair in pairs
        )
        facts.insert(0, "pairs " + join_first(map(quote_safe, words), _MAX_PAIRS))
    done = _ACTIONS.get(action, f"Changed ({quote_safe(action)})")
    details = f": {', '.join(facts)}" if facts else ""
    version = _plain(entry.get("weatherglass", "?"))
    return (
        f"{done} from {quote_safe(str(entry.get('from', '?')))}{details} (Weatherglass {version})."
    )


def _plain(value: object) -> str:
    """Return a value of a file that somebody else may have written, without control characters."""
    return quote_safe(str(value), 200)[1:-1]


_ACTIONS = {"debias": "Debiased", "convert": "Converted", "subset": "Reduced to some words"}
_NOUNS = {
    "method": "",
    "components": "component",
    "neutralised": "neutralised word",
    "equalised": "equalised set",
    "words": "word",
}
