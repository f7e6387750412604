"""The files that an ONNX graph keeps its weights in.

A graph names these files freely (``external_data`` of a tensor), so only the graph itself tells
which ones they are. The protocol-buffer format is simple enough to read the names directly; the
`onnx` package, which would parse the whole graph into memory, is not needed.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path

from weatherglass.errors import EncoderError, SourceError

# For each message type of onnx.proto: the numbers of the fields that can contain a tensor with
# external data, and the type of the message in the field.
_FIELDS: Mapping[str, Mapping[int, str]] = {
    "Model": {7: "Graph", 20: "Training", 25: "Function"},
    "Training": {1: "Graph", 2: "Graph"},
    "Graph": {1: "Node", 5: "Tensor", 15: "SparseTensor"},
    "Function": {7: "Node", 11: "Attribute"},
    "Node": {5: "Attribute"},
    "Attribute": {
        5: "Tensor",
        6: "Graph",
        10: "Tensor",
        11: "Graph",
        22: "SparseTensor",
        23: "SparseTensor",
    },
    "SparseTensor": {1: "Tensor", 2: "Tensor"},
    "Tensor": {13: "Entry"},
}
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types
_MAX_DEPTH = 100


def graph_files(graph: Path) -> list[Path]:
    """Return the file of a graph, and the files that hold its external data, in a fixed order.

    Raises
    ------
    SourceError
        A file cannot be read.
    EncoderError
        The file is not a graph, or names a file outside of its folder.
    """
    try:
        with open(graph, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            locations = sorted(set(_locations(raw, 0, len(raw), "Model", 0)))
    except OSError as error:
        raise SourceError(f"{graph} cannot be read: {error.strerror}.") from None
    except (ValueError, LookupError):
        raise EncoderError(f"{graph} cannot be loaded: it is not an ONNX graph.") from None
    folder = graph.parent.resolve()
    files = [graph]
    for location in locations:
        path = (folder / location.replace("\0", "")).resolve()
        if not path.is_relative_to(folder) or "\0" in location:
            raise EncoderError(f"{graph} keeps weights outside of its folder; that is refused.")
        files.append(path)
    return files


def _locations(raw: mmap.mmap, start: int, end: int, kind: str, depth: int) -> Iterator[str]:
    """Yield the locations of external data in a message that lies from `start` to `end`."""
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    for number, first, last in _fields(raw, start, end):
        inner = _FIELDS[kind].get(number)
        if inner == "Entry":
            entry = {
                field: raw[at:stop].decode("utf-8") for field, at, stop in _fields(raw, first, last)
            }
            if entry.get(1) == "location":
                yield entry[2]
        elif inner is not None:
            yield from _locations(raw, first, last, inner, depth + 1)


def _fields(raw: mmap.mmap, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number of each field that holds bytes, and where they start and end."""
    while start < end:
        tag, start = _varint(raw, start)
        wire = tag & 7
        if wire == _BYTES:
            size, start = _varint(raw, start)
            if start + size > end:
                raise ValueError("a field is longer than its message")
            yield tag >> 3, start, start + size
            start += size
        elif wire == _VARINT:
            _, start = _varint(raw, start)
        elif wire in (_FIXED64, _FIXED32):
            start += 8 if wire == _FIXED64 else 4
        else:
            raise ValueError("an unknown wire type")
    if start != end:
        raise ValueError("a field is longer than its message")


def _varint(raw: mmap.mmap, at: int) -> tuple[int, int]:
    """Return an integer of variable length, and the position after it."""
    value = 0
    for shift in range(0, 70, 7):
        byte = raw[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("an integer is too long")
