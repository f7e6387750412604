"""Changes to good files: in their bytes, and in what their JSON or YAML says.

All chance comes from the `Random` that is given, so that hypothesis can steer it, and a seed gives
the same changes again.
"""

from __future__ import annotations

import copy
import json
import struct
from random import Random
from typing import Any

from weatherglass._files.records import read_json, read_yaml
from weatherglass.errors import WeatherglassError

# What breaks readers: borders of number types, what ends or opens something, text that is hostile.
_PIECES = (
    *(struct.pack("<q", n) for n in (-1, 0, 1, 2**31 - 1, 2**31, 2**40, 2**63 - 1, -(2**63))),
    *(struct.pack("<i", n) for n in (-1, 2**31 - 1, -(2**31))),
    *(b"999999999999999999", b"-1", b"1e999", b"nan", b"\n", b" ", b"\t", b"\0", b"\r", b'"', b","),
    *(b"{", b"[", b"<", b"&", b"\xff", b"\xed\xa0\x80", b"\x1b[31m", "\u202e".encode(), b"\\ud800"),
)
_LEAVES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**30, 0.5, 1e308, -0.0),
    *("", " ", "a", "rose", "1", "-1", "1e999", "nan", "\0", "\x1b[31m", "\n", "\u202e", "é" * 300),
    *("../../x", "weat6", "default", "*", [], {}, [[]], [None], ["a", "a"], {"": ""}, [1, "a"]),
)
_DEEP = "many lists in one another"


def mutated(content: bytes, kind: str, random: Random) -> bytes:
    """A good file with a few changes."""
    if random.random() < 0.5:
        changed = _in_tree(content, kind, random)
        if changed is not None:
            return changed
    for _ in range(random.randint(1, 4)):
        content = _in_bytes(content, random)
    return content


def _in_bytes(content: bytes, random: Random) -> bytes:
    at, to = sorted(random.randint(0, len(content)) for _ in range(2))
    piece = random.choice(_PIECES)
    if random.random() < 0.4:
        piece = random.randbytes(random.randint(1, 3))
    made = {
        "set": content[:at] + piece + content[at + len(piece) :],
        "insert": content[:at] + piece + content[at:],
        "delete": content[:at] + content[to:],
        "double": content[:to] + content[at:to] + content[to:],
        "cut": content[:at],
    }
    return made[random.choice(sorted(made))]


def _in_tree(content: bytes, kind: str, random: Random) -> bytes | None:
    """Changes to the values of a document; None if the file is no document."""
    try:
        tree = _parsed(content, kind)
        if tree is None:
            return None
        for _ in range(random.randint(1, 3)):
            tree = _changed(tree, random)
        lines = tree if kind.endswith("jsonl") and isinstance(tree, list) else [tree]
        made = "\n".join(map(json.dumps, lines))
    except (WeatherglassError, ValueError, IndexError, RecursionError):
        return None  # changed before, and no document any more
    nest = random.choice((30, 900, 100_000))  # only as text: Python could not write it
    return made.replace(f'"{_DEEP}"', "[" * nest + "]" * nest).encode()


def _parsed(content: bytes, kind: str) -> Any:
    ending = kind.rpartition(".")[2]
    if ending == "jsonl":
        return read_json(content.decode(), kind)
    if ending == "json":
        return json.loads(content)
    return read_yaml(content.decode(), kind)[0] if ending in ("yaml", "yml") else None


def _changed(tree: Any, random: Random) -> Any:
    """One change somewhere; the whole is replaced now and then, too."""
    places = list(_places(tree))
    if not places or random.random() < 0.03:
        return copy.deepcopy(random.choice(_LEAVES))
    parent, key = random.choice(places)
    what = random.choice(("replace", "replace", "remove", "double", "rename", "wrap", "deepen"))
    if what == "remove":
        del parent[key]
    elif what == "double" and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif what == "rename" and isinstance(parent, dict):
        parent[str(random.choice(_LEAVES))] = parent.pop(key)
    elif what == "wrap":
        parent[key] = random.choice(([parent[key]], {"a": parent[key]}))
    elif what == "deepen":
        parent[key] = _DEEP
    else:
        parent[key] = copy.deepcopy(random.choice(_LEAVES))
    return tree


def _places(tree: Any) -> Any:
    """Every value in a tree, by the container that holds it and its key there."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            for key, value in list(one.items() if isinstance(one, dict) else enumerate(one)):
                yield one, key
                waiting.append(value)
