"""What a file format is to the rest of the package. The table of all formats is in `detect`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .chunks import Chunk, Wanted
from .inputs import Input

if TYPE_CHECKING:
    from .vectors import Vectors

Reader = Callable[[Input, Wanted | None, int], Iterator[Chunk]]


def _one_file(source: Input) -> Sequence[Path]:
    return [source.path]


@dataclass(frozen=True)
class Format:
    """One file format.

    Attributes
    ----------
    name
        What `weatherglass vectors info` calls it.
    matches
        Whether an input has this format, judged by its content.
    read
        Yields the rows, all of them or those whose words are wanted, with so many threads.
    files
        The files that make up the source; together they give its fingerprint.
    options
        What may follow a question mark in the source's name.
    suffixes, write
        The names of files that `write` makes of vectors.
    """

    name: str
    matches: Callable[[Input], bool]
    read: Reader
    files: Callable[[Input], Sequence[Path]] = _one_file
    options: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    write: Callable[[Vectors, Path], None] | None = None
