"""Text files: GloVe (no header), word2vec and fastText ``.vec`` (a header ``rows dim``)."""

from __future__ import annotations

import contextlib
import dataclasses
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
from .sampled_lines import SampledLines

if TYPE_CHECKING:
    from ..vectors import Vectors

_FIELD = re.compile(rb"[^ \t]+")
_NUMBER = re.compile(
    rb"[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|nan|inf|infinity)", re.IGNORECASE
)
_DECIMAL = re.compile(rb"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_WHITE_SPACE = re.compile(rb"[ \t\r\n\0]")
_HEADER = re.compile(rb"([0-9]{1,30})[ \t]+([0-9]{1,30})[ \t\r]*")


class LineError(Exception):
    """A line is invalid; the reader adds the file and the line number to the message."""


@dataclass(frozen=True)
class Layout:
    """The layout of a text file.

    Attributes
    ----------
    dim
        Numbers per row.
    rows
        The number of rows, if there is a header.
    skip
        Bytes before the first row.
    """

    dim: int
    rows: int | None
    skip: int


def parse_line(line: bytes, dim: int) -> tuple[bytes, Rows]:
    """Return the word and the numbers of a line: its last `dim` fields, and what is before them.

    >>> parse_line(b". . . 0.5 -1e-2", 2)
    (b'. . .', array([ 0.5 , -0.01], dtype=float32))
    """
    line = line.rstrip(b" \t\r")
    fields = list(_FIELD.finditer(line))
    # A line that begins with a space has the empty word.
    fields_of_word = len(fields) - dim
    if not fields or fields[0].start() > 0:
        fields_of_word += 1
    if fields_of_word < 1:
        raise LineError(describe_short_line(line, dim))
    numbers = fields[len(fields) - dim :]
    word = line[: numbers[0].start() - 1]
    word = word.rstrip(b" \t") or word
    for number in numbers:
        if not _NUMBER.fullmatch(number.group()):
            raise LineError(f"has {quote_safe(number.group())} where a number was expected")
    extra = _FIELD.findall(word)[1:]
    if extra and all(map(_DECIMAL.fullmatch, extra)):
        # A word may contain spaces and numbers ("apollo 11"), but decimals belong to the vector.
        raise LineError(f"has {dim + len(extra)} numbers, expected {dim}")
    with np.errstate(over="ignore"):
        return word, np.array([float(n.group()) for n in numbers]).astype(np.float32)


def describe_short_line(line: bytes, dim: int) -> str:
    """Return the problem of a line that has too few numbers for `dim` dimensions."""
    fields = len(_FIELD.findall(line.rstrip(b" \t\r")))
    numbers = fields if line.startswith((b" ", b"\t")) else fields - 1
    return f"has {numbers} numbers, expected {dim}"


def parse_header(line: bytes) -> tuple[int, int] | None:
    """Return the number of rows and of numbers per row, if the line is a word2vec header.

    >>> parse_header(b"400000 50")
    (400000, 50)
    """
    match = _HEADER.fullmatch(line)
    return (int(match[1]), int(match[2])) if match else None


def count_trailing_numbers(line: bytes) -> int:
    """Count the fields at the end of a line that are numbers, leaving one field for the word."""
    fields = _FIELD.findall(line.rstrip(b" \t\r"))
    count = 0
    # A line that begins with a space has the empty word.
    for text in reversed(fields if line.startswith((b" ", b"\t")) else fields[1:]):
        if not _NUMBER.fullmatch(text):
            break
        count += 1
    return count


def find_layout(lines: list[bytes]) -> Layout:
    """Find the layout of a text file from its first lines."""
    bom = 3 if lines[0].startswith(b"\xef\xbb\xbf") else 0
    first = lines[0][bom:]
    shape = parse_header(first)
    if shape is not None:
        return Layout(dim=shape[1], rows=shape[0], skip=len(lines[0]) + 1)
    counts = Counter(map(count_trailing_numbers, [first, *lines[1:]]))
    del counts[0]
    if not counts:
        raise UnknownFormat(f"no numbers in its first line {quote_safe(first)}")
    # The most common width; of two equally common ones the smaller, because a word that ends in a
    # number makes its line look wider.
    dim = min(counts, key=lambda width: (-counts[width], width))
    return Layout(dim=dim, rows=None, skip=bom)


@dataclass(frozen=True, eq=False)
class _Parsed:
    """The result of reading a block.

    Attributes
    ----------
    chunk
        The rows, or those of the wanted words.
    lines, rows
        The number of lines and of rows in the block.
    problem
        The first invalid line, counted from 1, and what is wrong with it.
    cased
        Whether a word has a capital letter A to Z.
    starts
        Where each row begins in the block, where a sample of the rows is read.
    block
        The block itself; its data are valid only if it has no `start`.
    """

    chunk: Chunk
    lines: int
    rows: int = 0
    problem: tuple[int, str] | None = None
    cased: bool = False
    starts: NDArray[np.int64] | None = None
    block: Block | None = None


def matches(source: Input) -> bool:
    """Recognise text: no NUL among the first bytes, and after a header a line of numbers."""
    if source.is_folder or b"\0" in source.head:
        return False
    first, *rest = source.lines(3)
    if parse_header(first.removeprefix(b"\xef\xbb\xbf")) is None:
        return True  # `find_layout` tells whether it contains vectors
    row = next((line for line in rest if line.strip()), None)
    return row is None or count_trailing_numbers(row) > 0


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows; with wanted words, only their lines are parsed."""
    try:
        layout = find_layout(source.lines(20))
    except UnknownFormat as error:
        raise UnknownFormat(
            f"{source.path} is not a file of vectors: {error}. Each line must have a word and "
            "its numbers."
        ) from None
    if not 1 <= layout.dim <= MAX_LINE_BYTES // 2:
        raise BadContent(f"{source.path}: the header says that rows have {layout.dim:,} numbers.")
    read_block: Callable[[Callable[[], Block]], _Parsed]
    if wanted is None:
        read_block = functools.partial(_parse_block, layout.dim)
    else:
        read_block = functools.partial(_search_block, layout.dim, wanted, wanted.first_fields())
    lines = 0 if layout.rows is None else 1
    rows = 0
    sample = None if wanted is None or wanted.sampler is None else SampledLines(wanted.sampler)
    for parsed in map_in_order(read_block, source.blocks(layout.skip), workers):
        if parsed.problem is not None:
            line, problem = parsed.problem
            raise BadContent(f"{source.path}: line {lines + line:,} {problem}.")
        lines += parsed.lines
        source.cased |= parsed.cased
        chunk = parsed.chunk
        if sample is not None and parsed.block is not None and parsed.starts is not None:
            chunk = dataclasses.replace(chunk, ranks=_add(chunk.ranks, rows))
            sample.add(parsed.block, parsed.starts)
        rows += parsed.rows
        if layout.rows is not None and rows > layout.rows:
            break  # it is wrong already, and the file may be long
        yield chunk
    _check_rows(source, layout, rows)
    if sample is not None:
        yield _parse_sample(sample, source, layout.dim)


def _check_rows(source: Input, layout: Layout, rows: int) -> None:
    if layout.rows is not None and rows != layout.rows:
        more = " or more" if rows > layout.rows else ""
        raise BadContent(
            f"{source.path}: the header says {layout.rows:,} rows of {layout.dim} numbers, "
            f"but the file has {rows:,}{more}. It may be cut off; if it is not, correct its first "
            "line."
        )
    if not rows:
        raise BadContent(f"{source.path} has no rows.")


def _parse_block(dim: int, load: Callable[[], Block]) -> _Parsed:
    block = load()
    return _parse(block.data, block.size, dim)


def _parse(data: NDArray[np.uint8], size: int, dim: int) -> _Parsed:
    from .kernels import UNCERTAIN, parse_lines

    max_rows = size // (dim + 1) + 1  # a field has at least one byte, and white space before it
    rows = np.empty((max_rows, dim), dtype=np.float32)
    start, end, line_end, line = np.empty((4, max_rows), dtype=np.int64)
    state = np.empty(max_rows, dtype=np.uint8)
    count, lines, short = parse_lines(data, size, dim, rows, start, end, line_end, line, state)
    uncertain = np.flatnonzero(state[:count] == UNCERTAIN).tolist()
    raw = data[:size].tobytes() if short >= 0 or uncertain else b""
    corrected: dict[int, bytes] = {}
    for row in uncertain:
        try:
            corrected[row], rows[row] = parse_line(raw[start[row] : line_end[row]], dim)
        except LineError as error:
            return _Parsed(_no_rows(dim), lines, problem=(int(line[row]), str(error)))
    if short >= 0:
        problem = describe_short_line(raw[short : raw.index(b"\n", short)], dim)
        return _Parsed(_no_rows(dim), lines, problem=(lines, problem))
    blob, ends = _gather_words(data, start[:count], end[:count])
    chunk = Chunk(blob, ends, rows[:count])
    if corrected:
        words = chunk.words()
        for row, word in corrected.items():
            words[row] = word
        chunk = Chunk.of(words, chunk.rows)
    return _Parsed(chunk, lines, count)


def _gather_words(
    data: NDArray[np.uint8], start: NDArray[np.int64], end: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.uint64]]:
    from .kernels import gather

    ends = np.cumsum(end - start).astype(np.uint64)
    blob = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    gather(data, start, end, blob)
    return blob, ends


def _no_rows(dim: int) -> Chunk:
    ranks = np.empty(0, dtype=np.int64)
    return Chunk.of([], np.empty((0, dim), dtype=np.float32), ranks=ranks)


def _add(ranks: NDArray[np.int64] | None, rows: int) -> NDArray[np.int64] | None:
    return None if ranks is None else ranks + rows


def _parse_sample(sample: SampledLines, source: Input, dim: int) -> Chunk:
    """Return the sampled rows. An invalid line that nobody asked for is left out."""
    ranks, lines = sample.read(source.path)
    text = b"".join(lines)
    parsed = _parse(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), len(text), dim)
    if parsed.problem is None:
        return dataclasses.replace(parsed.chunk, ranks=ranks)
    words, rows, keep = [], [], []
    for k, line in enumerate(lines):
        with contextlib.suppress(LineError):
            word, row = parse_line(line.removesuffix(b"\n"), dim)
            words.append(word)
            rows.append(row)
            keep.append(k)
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), dim)
    return Chunk.of(words, matrix, ranks=ranks[keep])


def _search_block(
    dim: int, wanted: WantedWords, table: NDArray[np.uint64], load: Callable[[], Block]
) -> _Parsed:
    from .kernels import find_lines

    block = load()
    max_rows = block.size // 2 + 1  # a line that is not blank has two bytes
    hits = np.empty(max_rows, dtype=np.int64)
    starts = np.empty(max_rows if wanted.sampler is not None else 0, dtype=np.int64)
    count, lines, rows, cased = find_lines(block.data, block.size, table, hits, starts)
    starts = starts[:rows].copy()  # the copy frees the rest
    held = None if wanted.sampler is None else block
    if not count:
        return _Parsed(_no_rows(dim), lines, rows, None, cased, starts, held)
    raw = block.data[: block.size].tobytes()
    candidates = b"".join(
        raw[begin : raw.index(b"\n", begin) + 1] for begin in hits[:count].tolist()
    )
    data = np.frombuffer(candidates + bytes(PADDING), dtype=np.uint8)
    parsed = _parse(data, len(candidates), dim)
    if parsed.problem is not None:
        line = raw.count(b"\n", 0, hits[parsed.problem[0] - 1]) + 1
        return _Parsed(parsed.chunk, lines, problem=(line, parsed.problem[1]))
    chunk = parsed.chunk
    if starts.size:
        ranks = np.searchsorted(starts, hits[:count]).astype(np.int64)
        chunk = dataclasses.replace(chunk, ranks=ranks)
    return _Parsed(chunk.only(wanted), lines, rows, None, cased, starts, held)


def write_glove(vectors: Vectors, path: Path) -> None:
    """Write without a header."""
    _write(vectors, path, b"")


def write_word2vec(vectors: Vectors, path: Path) -> None:
    """Write with a header."""
    _write(vectors, path, f"{len(vectors)} {vectors.dim}\n".encode())


def _write(vectors: Vectors, path: Path, header: bytes) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    _check_layout(vectors, path, header)
    with open_compressed(path) as out:
        out.write(header)
        for start in range(0, len(vectors), step := 20_000):
            words = vectors.words[start : start + step]
            rows = vectors.matrix[start : start + step]
            # Arrow prints the shortest text that is parsed as the same float32.
            numbers = pc.cast(pa.array(np.ascontiguousarray(rows).ravel()), pa.string())
            lists = pa.FixedSizeListArray.from_arrays(numbers, vectors.dim)
            lines = pc.binary_join(lists.cast(pa.list_(pa.string())), " ").to_pylist()
            for word, line in zip(words, lines, strict=True):
                raw, text = to_bytes(word), line.encode()
                if _WHITE_SPACE.search(raw) and not _reads_back(raw, text, vectors.dim):
                    raise CannotWrite(
                        f"The word {quote_safe(word)} cannot be written to a text file of vectors; "
                        "write .parquet or .arrow instead."
                    )
                out.write(raw + b" " + text + b"\n")


def _reads_back(word: bytes, numbers: bytes, dim: int) -> bool:
    """Return whether a word with white space would be read as it is written."""
    if b"\n" in word or b"\0" in word or word != word.strip(b" \t\r"):
        return False
    try:
        return parse_line(word + b" " + numbers, dim)[0] == word
    except LineError:
        return False


def _check_layout(vectors: Vectors, path: Path, header: bytes) -> None:
    """Refuse vectors whose first lines would be read with another layout."""
    lines = [to_bytes(word) + b" 0" * vectors.dim for word in vectors.words[:20]]
    layout = find_layout([header.removesuffix(b"\n")] if header else lines)
    if layout.dim != vectors.dim or layout.skip != len(header):
        raise CannotWrite(
            f"{path.name} would be read with another number of columns, because of words such as "
            f"{quote_safe(vectors.words[0])}; write .vec, which states their number, or .parquet."
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
    matches=lambda source: False,  # read by the format above, which recognises the header
    read=read,
    suffixes=(".vec",),
    write=write_word2vec,
)
