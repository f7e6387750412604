"""Mutations of valid files: of their bytes, and of the values in JSON or YAML.

All randomness comes from the `Random` argument, so that hypothesis can control it and a seed gives
the same mutations again.
"""

from __future__ import annotations

import copy
import json
import struct
from random import Random
from typing import Any

from weatherglass._files.records import read_json, read_yaml
from weatherglass.errors import WeatherglassError

# Likely to break readers: limits of number types, delimiters, control characters.
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
_DEEP = "placeholder for deeply nested lists"


def mutate(content: bytes, kind: str, random: Random) -> bytes:
    """Apply a few random mutations to a valid file; `kind` is the name of its seed."""
    if random.random() < 0.5:
        document = _mutate_document(content, kind, random)
        if document is not None:
            return document
    for _ in range(random.randint(1, 4)):
        content = _mutate_bytes(content, random)
    return content


def _mutate_bytes(content: bytes, random: Random) -> bytes:
    start, end = sorted(random.randint(0, len(content)) for _ in range(2))
    piece = random.choice(_PIECES)
    if random.random() < 0.4:
        piece = random.randbytes(random.randint(1, 3))
    mutations = {
        "set": content[:start] + piece + content[start + len(piece) :],
        "insert": content[:start] + piece + content[start:],
        "delete": content[:start] + content[end:],
        "double": content[:end] + content[start:end] + content[end:],
        "cut": content[:start],
    }
    return mutations[random.choice(sorted(mutations))]


def _mutate_document(content: bytes, kind: str, random: Random) -> bytes | None:
    """Mutate the values of a JSON or YAML document; None if the file is not one."""
    try:
        tree = _parse(content, kind)
        if tree is None:
            return None
        for _ in range(random.randint(1, 3)):
            tree = _mutate_tree(tree, random)
        lines = tree if kind.endswith("jsonl") and isinstance(tree, list) else [tree]
        text = "\n".join(map(json.dumps, lines))
    except (WeatherglassError, ValueError, IndexError, RecursionError):
        return None  # an earlier mutation broke the syntax
    # Inserted as text, because json.dumps cannot write such nesting.
    depth = random.choice((30, 900, 100_000))
    return text.replace(f'"{_DEEP}"', "[" * depth + "]" * depth).encode()


def _parse(content: bytes, kind: str) -> Any:
    ending = kind.rpartition(".")[2]
    if ending == "jsonl":
        return read_json(content.decode(), kind)
    if ending == "json":
        return json.loads(content)
    return read_yaml(content.decode(), kind)[0] if ending in ("yaml", "yml") else None


def _mutate_tree(tree: Any, random: Random) -> Any:
    """Apply one mutation at a random place; rarely, replace the whole document."""
    places = list(_places(tree))
    if not places or random.random() < 0.03:
        return copy.deepcopy(random.choice(_LEAVES))
    parent, key = random.choice(places)
    mutation = random.choice(("replace", "replace", "remove", "double", "rename", "wrap", "deepen"))
    if mutation == "remove":
        del parent[key]
    elif mutation == "double" and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif mutation == "rename" and isinstance(parent, dict):
        parent[str(random.choice(_LEAVES))] = parent.pop(key)
    elif mutation == "wrap":
        parent[key] = random.choice(([parent[key]], {"a": parent[key]}))
    elif mutation == "deepen":
        parent[key] = _DEEP
    else:
        parent[key] = copy.deepcopy(random.choice(_LEAVES))
    return tree


def _places(tree: Any) -> Any:
    """Container and key of every value in a document."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict | list):
            for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
                yield node, key
                stack.append(value)
