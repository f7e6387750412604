"""The vocabulary that stands beside a matrix: a list of words as text, JSON, Parquet or Arrow."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import Input, atomic_write
from weatherglass.errors import BadContent, CannotWrite, SourceNotFound, quote_safe

from ..vocabulary import to_bytes
from .format import Chunk, Counts, Rows, WantedWords

if TYPE_CHECKING:
    from ..vectors import Vectors

_ENDINGS = (".vocab", ".vocab.txt", ".words", ".words.txt", ".txt", ".json", ".parquet", ".arrow")
_NAMES = ("vocab.txt", "words.txt", "vocab.json", "words.json", "tokenizer.json", "vocab.parquet")
SUFFIXES = (".vocab", ".words", ".txt", ".json", ".parquet", ".arrow")
_MARK = b"\xef\xbb\xbf"


def find_word_list(source: Input, matrix: Path) -> Path:
    """The vocabulary file for a matrix: named by ``?vocab=``, or found beside it."""
    named = source.options.get("vocab")
    if named is not None:
        path = Path(named) if Path(named).is_absolute() else matrix.parent / named
        if not path.is_file():
            raise SourceNotFound(f"There is no vocabulary file {path}.")
        return path
    names = (word_list_path(matrix).name, *(matrix.stem + ending for ending in _ENDINGS), *_NAMES)
    for name in names:
        if (path := matrix.parent / name).is_file() and path != matrix:
            return path
    raise SourceNotFound(
        f"{matrix} holds numbers but no words, and no vocabulary stands beside it: expected "
        f"{matrix.name}.vocab (one word a line), or say which with {matrix.name}?vocab=FILE."
    )


def read_words(path: Path) -> list[bytes]:
    """The words of a vocabulary file, in order."""
    if path.suffix in (".parquet", ".arrow"):
        from .arrow import first_text_column

        return first_text_column(path)
    content = path.read_bytes().removeprefix(_MARK)
    if path.suffix == ".json":
        return _json_words(path, content)
    lines = content.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


def _json_words(path: Path, content: bytes) -> list[bytes]:
    """A list of words, a map of word to row, or the tokenizer file of a model."""
    try:
        found: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise BadContent(f"{path} is not JSON.") from None
    if isinstance(found, dict) and isinstance(found.get("model"), dict):
        found = found["model"].get("vocab")
    if isinstance(found, list) and all(isinstance(pair, list) and pair for pair in found):
        found = [pair[0] for pair in found]  # Unigram: [piece, score]
    if isinstance(found, dict):
        if not all(type(row) is int for row in found.values()) or (
            sorted(found.values()) != list(range(len(found)))
        ):
            raise BadContent(f"{path}: the rows of its words are not 0 to {len(found) - 1:,}.")
        found = sorted(found, key=found.__getitem__)
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise BadContent(f"{path} is no list of words and no map of word to row.")
    return list(map(to_bytes, found))


def iter_chunks(
    source: Input,
    words: list[bytes],
    matrix: NDArray[Any],
    wanted: WantedWords | None,
    counts: Counts | None = None,
) -> Iterator[Chunk]:
    """Chunks of a matrix and the list of its words, with their counts if they are known."""
    path = source.path
    if matrix.ndim != 2 or not matrix.shape[1]:
        raise BadContent(f"{path}: its array has shape {matrix.shape}, expected rows and columns.")
    if matrix.dtype.kind not in "fiu":
        raise BadContent(f"{path}: its array holds {matrix.dtype}, expected numbers.")
    if len(words) != len(matrix):
        raise BadContent(f"{path}: {len(matrix):,} rows, but {len(words):,} words stand beside it.")
    if wanted is not None:
        source.cased |= any(word != word.lower() for word in words)
        keep = [i for i, word in enumerate(words) if word in wanted.words]
        some = None if counts is None else counts[keep]
        yield Chunk.of([words[i] for i in keep], to_rows(matrix[keep]), some)
        return
    step = max(1, (4 << 20) // matrix.shape[1])
    for start in range(0, len(words), step):
        part = slice(start, start + step)
        some = None if counts is None else counts[part]
        yield Chunk.of(words[part], to_rows(matrix[part]), some)


def to_rows(numbers: NDArray[Any]) -> Rows:
    """Numbers of any type as float32; what is too large becomes infinity and is reported."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(numbers, dtype=np.float32)


def word_list_path(matrix: Path) -> Path:
    """The list of words that is written for a matrix; no two matrices share one."""
    return matrix.with_name(matrix.name + ".vocab")


@contextlib.contextmanager
def write_with_words(vectors: Vectors, path: Path) -> Iterator[IO[bytes]]:
    """A stream into a matrix file; the words, one a line, appear beside it.

    Two files cannot change at once. So that no matrix is ever read with the words of another, the
    old one goes first and the new one comes last: in between there is none.
    """
    words = join_words(vectors)
    with atomic_write(path) as matrix_file:
        with open(matrix_file, "wb") as stream:
            yield stream
        with atomic_write(word_list_path(path)) as list_file:
            # A mark at the start is dropped in reading: a word that begins with one needs two.
            list_file.write_bytes(_MARK + words if words.startswith(_MARK) else words)
            if path.is_file():
                path.unlink()


def join_words(vectors: Vectors) -> bytes:
    """The words, a newline after each."""
    words = list(vectors.words.iter_raw())
    for word in words:
        if b"\n" in word or word.endswith(b"\r"):
            raise CannotWrite(
                f"The word {quote_safe(word)} cannot stand in a list with one word a line; "
                "write .parquet instead."
            )
    return b"".join(word + b"\n" for word in words)
