"""GloVe text (no header), word2vec text and fastText ``.vec`` (header ``rows numbers``)."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import MAX_LINE_BYTES, PADDING, Block, Input, map_in_order, open_compressed
from weatherglass.errors import BadContent, CannotWrite, UnknownFormat, quote_safe

from ..vocabulary import to_bytes
from .format import Chunk, Format, Rows, WantedWords

if TYPE_CHECKING:
    from ..vectors import Vectors

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
        raise LineError(describe_short_line(line, dim))
    numbers = fields[len(fields) - dim :]
    word = line[: numbers[0].start() - 1]
    word = word.rstrip(b" \t") or word
    for number in numbers:
        if not _NUMBER.fullmatch(number.group()):
            raise LineError(f"has {quote_safe(number.group())} where a number was expected")
    extra = _FIELD.findall(word)[1:]
    if extra and all(map(_DECIMAL.fullmatch, extra)):
        # A word may hold spaces and numbers ("apollo 11"), but decimals are more of the vector.
        raise LineError(f"has {dim + len(extra)} numbers, expected {dim}")
    with np.errstate(over="ignore"):
        return word, np.array([float(n.group()) for n in numbers]).astype(np.float32)


def describe_short_line(line: bytes, dim: int) -> str:
    """What is wrong with a line that has a word and not enough numbers, or none."""
    fields = len(_FIELD.findall(line.rstrip(b" \t\r")))
    numbers = fields if line.startswith((b" ", b"\t")) else fields - 1
    return f"has {numbers} numbers, expected {dim}"


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Rows and numbers a row, if the line is a word2vec header.

    >>> parse_header(b"400000 50")
    (400000, 50)
    """
    found = _HEADER.fullmatch(line)
    return (int(found[1]), int(found[2])) if found else None


def count_trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers, leaving one field for the word."""
    fields = _FIELD.findall(line.rstrip(b" \t\r"))
    count = 0
    # A line that begins with a space has the empty word.
    for text in reversed(fields if line.startswith((b" ", b"\t")) else fields[1:]):
        if not _NUMBER.fullmatch(text):
            break
        count += 1
    return count


def find_layout(lines: list[bytes]) -> Layout:
    """The layout of a text file from its first lines."""
    bom = 3 if lines[0].startswith(b"\xef\xbb\xbf") else 0
    first = lines[0][bom:]
    said = parse_header(first)
    if said is not None:
        return Layout(dim=said[1], rows=said[0], skip=len(lines[0]) + 1)
    counts = Counter(map(count_trailing_numbers, [first, *lines[1:]]))
    del counts[0]
    if not counts:
        raise UnknownFormat(f"no numbers in its first line {quote_safe(first)}")
    # Most lines agree. On a tie the smaller width: a word that ends in a number adds one.
    dim = min(counts, key=lambda width: (-counts[width], width))
    return Layout(dim=dim, rows=None, skip=bom)


_ODD = re.compile(rb"[ \t\r\n\0]")


@dataclass(frozen=True, eq=False)
class _Parsed:
    """What came of a block: its chunk, how many lines and rows it has, the first wrong line."""

    chunk: Chunk
    lines: int
    rows: int = 0
    wrong: tuple[int, str] | None = None
    cased: bool = False


def matches(source: Input) -> bool:
    """Text, by its first bytes: no NUL, and numbers at the ends of the lines."""
    if source.is_folder or b"\0" in source.head:
        return False
    first, *rest = source.lines(3)
    if parse_header(first.removeprefix(b"\xef\xbb\xbf")) is None:
        return True  # whether it holds vectors, `find_layout` tells
    row = next((line for line in rest if line.strip()), None)
    return row is None or count_trailing_numbers(row) > 0


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows. Of a file that is searched, only the wanted rows are parsed."""
    try:
        plan = find_layout(source.lines(20))
    except UnknownFormat as error:
        raise UnknownFormat(
            f"{source.path} is not a file of vectors: {error}. A text file of vectors has one word "
            "and its numbers a line."
        ) from None
    if not 1 <= plan.dim <= MAX_LINE_BYTES // 2:
        raise BadContent(f"{source.path}: the header says that rows have {plan.dim:,} numbers.")
    work: Callable[[Callable[[], Block]], _Parsed]
    if wanted is None:
        work = functools.partial(_parse_block, plan.dim)
    else:
        work = functools.partial(_search_block, plan.dim, wanted, wanted.first_fields())
    lines = 0 if plan.rows is None else 1
    rows = 0
    for parsed in map_in_order(work, source.blocks(plan.skip), workers):
        if parsed.wrong is not None:
            line, problem = parsed.wrong
            raise BadContent(f"{source.path}: line {lines + line:,} {problem}.")
        lines += parsed.lines
        source.cased |= parsed.cased
        rows += parsed.rows
        yield parsed.chunk
    _check_rows(source, plan, rows)


def _check_rows(source: Input, plan: Layout, rows: int) -> None:
    if plan.rows is not None and rows != plan.rows:
        raise BadContent(
            f"{source.path}: the header says {plan.rows:,} rows of {plan.dim} numbers, "
            f"the file has {rows:,}. It may be cut off; if it is not, mend its first line."
        )
    if not rows:
        raise BadContent(f"{source.path} has no rows.")


def _parse_block(dim: int, load: Callable[[], Block]) -> _Parsed:
    block = load()
    return _parse(block.data, block.size, dim)


def _parse(data: NDArray[np.uint8], size: int, dim: int) -> _Parsed:
    from .kernels import UNCERTAIN, parse_lines

    most = size // (dim + 1) + 1
    rows = np.empty((most, dim), dtype=np.float32)
    start, end, line_end, line = np.empty((4, most), dtype=np.int64)
    state = np.empty(most, dtype=np.uint8)
    found, lines, short = parse_lines(data, size, dim, rows, start, end, line_end, line, state)
    raw = data[:size].tobytes() if short >= 0 or (state[:found] == UNCERTAIN).any() else b""
    settled: dict[int, bytes] = {}
    for row in np.flatnonzero(state[:found] == UNCERTAIN).tolist():
        try:
            settled[row], rows[row] = parse_line(raw[start[row] : line_end[row]], dim)
        except LineError as error:
            return _Parsed(_no_rows(dim), lines, wrong=(int(line[row]), str(error)))
    if short >= 0:
        problem = describe_short_line(raw[short : raw.index(b"\n", short)], dim)
        return _Parsed(_no_rows(dim), lines, wrong=(lines, problem))
    blob, ends = _gather_words(data, start[:found], end[:found])
    chunk = Chunk(blob, ends, rows[:found])
    if settled:
        words = chunk.words()
        for row, word in settled.items():
            words[row] = word
        chunk = Chunk.of(words, chunk.rows)
    return _Parsed(chunk, lines, found)


def _gather_words(
    data: NDArray[np.uint8], start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    from .kernels import gather

    ends = np.cumsum(end - start).astype(np.uint64)
    blob = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    gather(data, start, end, blob)
    return blob, ends


def _no_rows(dim: int) -> Chunk:
    return Chunk.of([], np.empty((0, dim), dtype=np.float32))


def _search_block(
    dim: int, wanted: WantedWords, table: NDArray[np.uint64], load: Callable[[], Block]
) -> _Parsed:
    from .kernels import find_lines

    block = load()
    hits = np.empty(block.size // 2 + 1, dtype=np.int64)  # a line that is not blank has two bytes
    found, lines, rows, cased = find_lines(block.data, block.size, table, hits)
    if not found:
        return _Parsed(_no_rows(dim), lines, rows, cased=cased)
    raw = block.data[: block.size].tobytes()
    candidates = b"".join(
        raw[begin : raw.index(b"\n", begin) + 1] for begin in hits[:found].tolist()
    )
    data = np.frombuffer(candidates + bytes(PADDING), dtype=np.uint8)
    parsed = _parse(data, len(candidates), dim)
    if parsed.wrong is not None:
        line = raw.count(b"\n", 0, hits[parsed.wrong[0] - 1]) + 1
        return _Parsed(parsed.chunk, lines, wrong=(line, parsed.wrong[1]))
    return _Parsed(parsed.chunk.only(wanted), lines, rows, cased=cased)


def write_glove(vectors: Vectors, path: Path) -> None:
    """Write without a header."""
    _write(vectors, path, b"")


def write_word2vec(vectors: Vectors, path: Path) -> None:
    """Write with a header."""
    _write(vectors, path, f"{len(vectors)} {vectors.dim}\n".encode())


def _write(vectors: Vectors, path: Path, first: bytes) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    _check_layout(vectors, path, first)
    with open_compressed(path) as out:
        out.write(first)
        for start in range(0, len(vectors), step := 20_000):
            words = vectors.words[start : start + step]
            rows = vectors.matrix[start : start + step]
            # Arrow prints the shortest text that reads back as the same float32.
            numbers = pc.cast(pa.array(np.ascontiguousarray(rows).ravel()), pa.string())
            lists = pa.FixedSizeListArray.from_arrays(numbers, vectors.dim)
            joined = pc.binary_join(lists.cast(pa.list_(pa.string())), " ").to_pylist()
            for word, line in zip(words, joined, strict=True):
                raw, text = to_bytes(word), line.encode()
                if _ODD.search(raw) and not _reads_back(raw, text, vectors.dim):
                    raise CannotWrite(
                        f"The word {quote_safe(word)} cannot stand in a text file of vectors; "
                        "write .parquet or .arrow instead."
                    )
                out.write(raw + b" " + text + b"\n")


def _reads_back(word: bytes, numbers: bytes, dim: int) -> bool:
    """Whether a word with white space in it would be read as it was written."""
    if b"\n" in word or b"\0" in word or word != word.strip(b" \t\r"):
        return False
    try:
        return parse_line(word + b" " + numbers, dim)[0] == word
    except LineError:
        return False


def _check_layout(vectors: Vectors, path: Path, first: bytes) -> None:
    """Refuse vectors whose first lines would be read as something else than they are."""
    lines = [to_bytes(word) + b" 0" * vectors.dim for word in vectors.words[:20]]
    plan = find_layout([first.removesuffix(b"\n")] if first else lines)
    if plan.dim != vectors.dim or plan.skip != len(first):
        raise CannotWrite(
            f"{path.name} would be read with another number of columns, because of words such as "
            f"{quote_safe(vectors.words[0])}; write .vec, which says how many there are, or .parquet."
        )


GLOVE = Format(
    name="text",
    matches=matches,
    read=read,
    suffixes=(".txt",),
    write=write_glove,
)
WORD2VEC = Format(
    name="text with header",
    matches=lambda source: False,  # read by the format above, which sees the header
    read=read,
    suffixes=(".vec",),
    write=write_word2vec,
)
