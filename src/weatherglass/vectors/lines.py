"""One line of a text file of vectors, read slowly and surely.

The compiled reader does ordinary lines. What it is not certain of comes here: words that hold
spaces, numbers written in unusual ways, and lines that are wrong.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from weatherglass.errors import UnknownFormat, shown

from .chunks import Rows

_FIELD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(
    rb"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)
_DECIMAL = re.compile(rb"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_HEADER = re.compile(rb"([0-9]{1,18})[ \t]+([0-9]{1,9})[ \t\r]*")


class LineError(Exception):
    """What is wrong with a line; the reader adds the file and the line number."""


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out: numbers a row, rows if a header says so, where rows begin."""

    dim: int
    rows: int | None
    skip: int


def parse_line(line: bytes, dim: int) -> tuple[bytes, Rows]:
    """The word and the numbers of a line: the last `dim` fields are numbers, the rest is the word.

    >>> parse_line(b". . . 0.5 -1e-2", 2)
    (b'. . .', array([ 0.5 , -0.01], dtype=float32))
    """
    line = line.rstrip(b" \t\r")
    fields = list(_FIELD.finditer(line))
    # A line that begins with a space has the empty word.
    words = len(fields) - dim if fields and fields[0].start() == 0 else len(fields) - dim + 1
    if words < 1:
        raise LineError(too_few(line, dim))
    numbers = fields[len(fields) - dim :]
    word = line[: numbers[0].start() - 1]
    word = word.rstrip(b" \t") or word
    for number in numbers:
        if not _NUMBER.fullmatch(number.group()):
            raise LineError(f"has {shown(number.group())} where a number was expected")
    extra = _FIELD.findall(word)[1:]
    if extra and all(map(_DECIMAL.fullmatch, extra)):
        # A word may hold spaces and numbers ("apollo 11"), but decimals are more of the vector.
        raise LineError(f"has {dim + len(extra)} numbers, expected {dim}")
    with np.errstate(over="ignore"):
        return word, np.array([float(n.group()) for n in numbers]).astype(np.float32)


def too_few(line: bytes, dim: int) -> str:
    """What is wrong with a line that has a word and not enough numbers, or none."""
    fields = len(_FIELD.findall(line.rstrip(b" \t\r")))
    numbers = fields if line.startswith((b" ", b"\t")) else fields - 1
    return f"has {numbers} numbers, expected {dim}"


def header(line: bytes) -> tuple[int, int] | None:
    """Rows and numbers a row, if the line is a word2vec header.

    >>> header(b"400000 50")
    (400000, 50)
    """
    found = _HEADER.fullmatch(line)
    return (int(found[1]), int(found[2])) if found else None


def numbers_at_end(line: bytes) -> int:
    """How many fields at the end of a line are numbers, leaving one field for the word."""
    fields = _FIELD.findall(line.rstrip(b" \t\r"))
    count = 0
    # A line that begins with a space has the empty word.
    for text in reversed(fields if line.startswith((b" ", b"\t")) else fields[1:]):
        if not _NUMBER.fullmatch(text):
            break
        count += 1
    return count


def layout(lines: list[bytes]) -> Layout:
    """The layout of a text file from its first lines."""
    bom = 3 if lines[0].startswith(b"\xef\xbb\xbf") else 0
    first = lines[0][bom:]
    said = header(first)
    if said is not None:
        return Layout(dim=said[1], rows=said[0], skip=len(lines[0]) + 1)
    counts = Counter(map(numbers_at_end, [first, *lines[1:]]))
    del counts[0]
    if not counts:
        raise UnknownFormat(f"no numbers in its first line {shown(first)}")
    # Most lines agree. On a tie the smaller width: a word that ends in a number adds one.
    dim = min(counts, key=lambda width: (-counts[width], width))
    return Layout(dim=dim, rows=None, skip=bom)
