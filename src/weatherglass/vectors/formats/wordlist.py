"""Word lists of matrix files that hold only numbers: as text, JSON, Parquet or Arrow."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ROW_BYTES, Input, atomic_write, check_memory, check_table
from weatherglass.errors import BadContent, CannotWrite, SourceNotFound, quote_safe

from ..vocabulary import to_bytes
from .format import Chunk, Counts, Rows, WantedWords, is_capitalised

if TYPE_CHECKING:
    from ..vectors import Vectors

_ENDINGS = (".vocab", ".vocab.txt", ".words", ".words.txt", ".txt", ".json", ".parquet", ".arrow")
_NAMES = ("vocab.txt", "words.txt", "vocab.json", "words.json", "tokenizer.json", "vocab.parquet")
SUFFIXES = (".vocab", ".words", ".txt", ".json", ".parquet", ".arrow")
_JSON_RATIO = 32  # memory that JSON takes as objects, relative to its text: "[]," takes 64 bytes
_CHUNK_NUMBERS = 1 << 19  # a chunk is read into memory
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def find_word_list(source: Input, matrix: Path) -> Path:
    """Return the word list of a matrix: given by ``?vocab=``, or found in the same folder."""
    option = source.options.get("vocab")
    if option is not None:
        path = Path(option) if Path(option).is_absolute() else matrix.parent / option
        if not path.is_file():
            raise SourceNotFound(f"There is no vocabulary file {path}.")
        return path
    names = (word_list_path(matrix).name, *(matrix.stem + ending for ending in _ENDINGS), *_NAMES)
    for name in names:
        if (path := matrix.parent / name).is_file() and path != matrix:
            return path
    raise SourceNotFound(
        f"{matrix} has numbers but no words, and there is no word list in its folder: expected "
        f"{matrix.name}.vocab (one word per line), or name the file with {matrix.name}?vocab=FILE."
    )


def read_words(path: Path, rows: int | None = None) -> list[bytes]:
    """Return the words of a word list, in order; there must be `rows` of them, if that is given."""
    if path.suffix in (".parquet", ".arrow"):
        from .arrow import first_text_column

        return first_text_column(path)
    size = path.stat().st_size
    if path.suffix == ".json":
        check_memory(path, _JSON_RATIO * size)
        return _read_json_words(path, path.read_bytes().removeprefix(_BYTE_ORDER_MARK))
    check_memory(path, 2 * size)
    content = path.read_bytes().removeprefix(_BYTE_ORDER_MARK)
    if not content:
        return []
    count = content.count(b"\n") + (not content.endswith(b"\n"))
    if rows is not None and count != rows:  # before the lines become objects
        raise wrong_length(path, rows, count)
    check_memory(path, size + count * ROW_BYTES)
    lines = content.removesuffix(b"\n").split(b"\n")
    return [line.removesuffix(b"\r") for line in lines]


def wrong_length(path: Path, rows: int, words: int) -> BadContent:
    """Return the error for a word list that does not have one word for each row."""
    return BadContent(f"{path}: {rows:,} rows, but the word list has {words:,} words.")


def _read_json_words(path: Path, content: bytes) -> list[bytes]:
    """Read a list of words, a mapping of words to rows, or the tokenizer file of a model."""
    try:
        words: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise BadContent(f"{path} is not JSON.") from None
    if isinstance(words, dict) and isinstance(words.get("model"), dict):
        words = words["model"].get("vocab")
    if isinstance(words, list) and all(isinstance(pair, list) and pair for pair in words):
        words = [pair[0] for pair in words]  # Unigram: [piece, score]
    if isinstance(words, dict):
        if not all(type(row) is int for row in words.values()) or (
            sorted(words.values()) != list(range(len(words)))
        ):
            raise BadContent(f"{path}: the rows of its words are not 0 to {len(words) - 1:,}.")
        words = sorted(words, key=words.__getitem__)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise BadContent(f"{path} is neither a list of words nor a mapping of words to rows.")
    return list(map(to_bytes, words))


def iter_chunks(
    source: Input,
    words: list[bytes],
    matrix: NDArray[Any],
    wanted: WantedWords | None,
    counts: Counts | None = None,
) -> Iterator[Chunk]:
    """Yield the rows of a matrix with their words and, if known, their counts."""
    path = source.path
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise BadContent(f"{path}: its array has shape {matrix.shape}, expected rows and columns.")
    if matrix.dtype.kind not in "fiu":
        raise BadContent(f"{path}: its array contains {matrix.dtype}, expected numbers.")
    if len(words) != len(matrix):
        raise wrong_length(path, len(matrix), len(words))
    check_table(path, source.total_size, len(words), 4 * matrix.shape[1])
    if wanted is not None:
        source.cased |= any(map(is_capitalised, words))
        keep, ranks = wanted.choose(words)
        kept_counts = None if counts is None else counts[keep]
        yield Chunk.of([words[i] for i in keep], to_rows(matrix[keep]), kept_counts, ranks)
        return
    step = max(1, _CHUNK_NUMBERS // matrix.shape[1])
    for start in range(0, len(words), step):
        part = slice(start, start + step)
        part_counts = None if counts is None else counts[part]
        yield Chunk.of(words[part], to_rows(matrix[part]), part_counts)


def to_rows(numbers: NDArray[Any]) -> Rows:
    """Convert numbers of any type to float32; float64 is kept, so that equal directions stay equal.

    Too large numbers become infinity, which is reported.

    >>> to_rows(np.array([[1, 2]])).dtype, to_rows(np.array([[0.1]])).dtype
    (dtype('float32'), dtype('float64'))
    """
    is_double = numbers.dtype.kind == "f" and numbers.dtype.itemsize >= 8
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(numbers, dtype=np.float64 if is_double else np.float32)


def word_list_path(matrix: Path) -> Path:
    """Return the path of the word list written for a matrix; no two matrices share one."""
    return matrix.with_name(matrix.name + ".vocab")


@contextlib.contextmanager
def write_with_words(vectors: Vectors, path: Path) -> Iterator[IO[bytes]]:
    """Open a stream that writes a matrix file, and write its word list, one word per line.

    Two files cannot be replaced at once. So that no matrix is ever read with the words of another,
    the old matrix is deleted first and the new one appears last.
    """
    words = join_words(vectors)
    with atomic_write(path) as matrix_file:
        with open(matrix_file, "wb") as stream:
            yield stream
        with atomic_write(word_list_path(path)) as list_file:
            # Reading removes a byte order mark: a first word that begins with one needs two.
            mark = _BYTE_ORDER_MARK if words.startswith(_BYTE_ORDER_MARK) else b""
            list_file.write_bytes(mark + words)
            if path.is_file():
                path.unlink()


def join_words(vectors: Vectors) -> bytes:
    """Return the words with a newline after each."""
    words = list(vectors.words.iter_raw())
    for word in words:
        if b"\n" in word or word.endswith(b"\r"):
            raise CannotWrite(
                f"The word {quote_safe(word)} cannot be written to a list with one word per line; "
                "write .parquet instead."
            )
    return b"".join(word + b"\n" for word in words)
