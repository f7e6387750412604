"""Word2vec binary: a line ``rows dim``, then word, space, float32 numbers and perhaps a newline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import MAX_LINE_BYTES, Input, open_compressed
from weatherglass.errors import BadContent, CannotWrite, TooLarge, quote_safe

from .format import Chunk, Format, Rows, WantedWords, is_capitalised
from .text import count_trailing_numbers, parse_header

if TYPE_CHECKING:
    from ..vectors import Vectors

_READ_BYTES = 8 << 20
_MAX_DIM = 1 << 20


def matches(source: Input) -> bool:
    """Recognise a word2vec header that no line of numbers follows."""
    first, newline, rest = source.head.partition(b"\n")
    if not newline or parse_header(first) is None:
        return False
    rest = rest.lstrip(b"\r\n")
    return b"\0" in rest or (
        bool(rest.strip()) and not count_trailing_numbers(rest.split(b"\n", 1)[0])
    )


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows; the file is read once, in large pieces."""
    from .kernels import walk_records

    shape = parse_header(source.head.partition(b"\n")[0])
    assert shape is not None
    rows, dim = shape
    if not 1 <= dim <= _MAX_DIM:
        raise BadContent(f"{source.path}: the header says that rows have {dim:,} numbers.")
    start, end = np.empty((2, _READ_BYTES // (4 * dim + 1) + 2), dtype=np.int64)
    rest, done = b"", 0
    with source.stream() as stream:
        stream.read(source.head.index(b"\n") + 1)
        while done < rows:
            data = stream.read(_READ_BYTES)
            raw = rest + data
            buffer = np.frombuffer(raw, dtype=np.uint8)
            left = min(rows - done, len(start))
            count, used = walk_records(buffer, 0, ord(" "), 4 * dim, start[:left], end[:left])
            if not count and len(data) < _READ_BYTES:
                raise BadContent(
                    f"{source.path}: the header says {rows:,} rows of {dim} numbers, "
                    f"but the file is cut off after {done:,}."
                )
            if not count and len(rest) > MAX_LINE_BYTES + 4 * dim:
                raise TooLarge(f"{source.path} has a word of more than {MAX_LINE_BYTES >> 20} MiB.")
            spans = zip(start[:count].tolist(), end[:count].tolist(), strict=True)
            words = [raw[a:b] for a, b in spans]
            keep, ranks = list(range(count)), None
            if wanted is not None:
                source.cased |= any(map(is_capitalised, words))
                keep, ranks = wanted.choose(words)
            body = _rows_at(buffer, end[:count][keep] + 1, dim)
            yield Chunk.of([words[i] for i in keep], body, ranks=ranks)
            done += count
            rest = raw[used:]
        if rest.strip(b" \r\n") or stream.read(64).strip(b" \r\n"):
            raise BadContent(
                f"{source.path}: the header says {rows:,} rows of {dim} numbers, but the file goes "
                "on after them. Its first line is wrong, or it is not a word2vec file."
            )


def _rows_at(buffer: NDArray[np.uint8], starts: NDArray[np.int64], dim: int) -> Rows:
    """Return the float32 rows that begin at `starts`, which need not be aligned."""
    if not starts.size:
        return np.empty((0, dim), dtype=np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(buffer, 4 * dim)
    rows: Rows = windows[starts].view("<f4").astype(np.float32, copy=False)
    return rows


def write(vectors: Vectors, path: Path) -> None:
    """Write with a newline after each row, as the original program does."""
    with open_compressed(path) as out:
        out.write(f"{len(vectors)} {vectors.dim}\n".encode())
        for position, word in enumerate(vectors.words.iter_raw()):
            if b" " in word or b"\n" in word:
                raise CannotWrite(
                    f"The word {quote_safe(word)} cannot be written to a word2vec binary file, "
                    "where a space ends the word; write .txt, .npz or .parquet instead."
                )
            out.write(word + b" " + vectors.matrix[position].astype("<f4").tobytes() + b"\n")


FORMAT = Format(name="word2vec binary", matches=matches, read=read, suffixes=(".bin",), write=write)
