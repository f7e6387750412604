"""NumPy's ``.npy`` with a word list in another file, and ``.npz`` that includes the words.

Arrays of Python objects are refused, because they are pickles.
"""

from __future__ import annotations

import ast
import math
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import (
    ArrayFile,
    Input,
    atomic_write,
    check_table,
    max_unpacked_size,
    too_large_error,
)
from weatherglass.errors import BadContent, PickleRefused, SourceError, quote_safe

from ..vocabulary import to_bytes
from .file_table import FileTable
from .format import MAX_HISTORY_BYTES, Chunk, Format, WantedWords, encode_history
from .wordlist import (
    SUFFIXES,
    find_word_list,
    iter_chunks,
    join_words,
    read_words,
    write_with_words,
)

if TYPE_CHECKING:
    from ..vectors import Vectors


_READ_BYTES = 1 << 18
_HISTORY_MEMBER = "history.json"
_MAX_HEADER_BYTES = 10_000  # as in NumPy: parsing a longer one can crash Python


def _matrix_file(source: Input) -> Path | None:
    """Return the ``.npy`` itself, or the only one in a folder that also has one word list."""
    if not source.is_folder:
        return (
            source.path if source.head.startswith(b"\x93NUMPY") and not source.compression else None
        )
    arrays = sorted(source.path.glob("*.npy"))
    return arrays[0] if len(arrays) == 1 and _words_file(source, arrays[0]) else None


def _words_file(source: Input, matrix: Path) -> Path | None:
    if not source.is_folder:
        return find_word_list(source, matrix)
    lists = [path for path in sorted(source.path.iterdir()) if path.suffix in SUFFIXES]
    return lists[0] if len(lists) == 1 else None


def npy_files(source: Input) -> Sequence[Path]:
    """Return the matrix and its word list."""
    matrix = _matrix_file(source)
    assert matrix is not None
    words = _words_file(source, matrix)
    assert words is not None
    return [matrix, words]


def read_npy(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows of a ``.npy``."""
    path, list_path = npy_files(source)
    matrix = load_matrix(path)
    return iter_chunks(source, read_words(list_path, len(matrix)), matrix, wanted)


def load_matrix(path: Path) -> NDArray[np.generic]:
    """Return the table in a ``.npy`` file; its rows are read when they are used."""
    with open(path, "rb") as file:
        header = _read_header(path, file, path.stat().st_size)
        start = file.tell()
    if len(header.shape) != 2 or not header.shape[1]:
        raise BadContent(
            f"{path}: an array of shape {header.shape}, expected a table of rows and columns."
        )
    shape = (header.shape[0], header.shape[1])
    return FileTable(path, start, shape, header.dtype, header.by_column)  # type: ignore[return-value]


@dataclass(frozen=True)
class _Header:
    """What the header of an array says; `size` is the number of bytes that follow it."""

    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype[Any]

    @property
    def size(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def _read_header(path: Path, file: IO[bytes], size: int) -> _Header:
    """Read the header of an array in a stream of `size` bytes, which may be damaged."""
    try:
        raw = _read_header_bytes(file)
        with warnings.catch_warnings(action="ignore"):  # a damaged header is parsed as Python code
            fields = ast.literal_eval(raw.decode("utf-8", "surrogateescape").strip())
        shape, by_column, descr = (fields[name] for name in ("shape", "fortran_order", "descr"))
        if not isinstance(shape, tuple) or any(type(n) is not int for n in shape):
            raise ValueError("its shape is not a tuple of integers")
        if not isinstance(descr, str):
            raise ValueError("it describes records, not numbers or words")
        dtype = np.dtype(descr)
    except Exception as error:  # a damaged file can raise almost anything
        reason = str(error).split("\n")[0][:100] or type(error).__name__
        raise BadContent(
            f"{path} is a damaged or cut-off NumPy file: its header cannot be read ({reason})."
        ) from None
    if dtype.hasobject:
        raise PickleRefused(
            f"{path} contains Python objects, which can run code when opened. Save the "
            "vectors with a numeric dtype and the words as text."
        )
    header = _Header(shape, bool(by_column), dtype)
    if dtype.itemsize < 1 or min(header.shape, default=0) < 0:
        raise BadContent(f"{path} is a damaged NumPy file: its elements have no size.")
    if header.size > size - file.tell():
        raise BadContent(
            f"{path} is a damaged or cut-off NumPy file: the header says {header.size:,} bytes, "
            f"and {max(0, size - file.tell()):,} follow it."
        )
    return header


def _read_header_bytes(file: IO[bytes]) -> bytes:
    """Return the header as it stands after the magic number, the version and its length."""
    magic, version = file.read(6), file.read(2)
    if magic != b"\x93NUMPY" or version[:1] not in (b"\1", b"\2", b"\3"):
        raise ValueError("wrong magic number or version")
    length = int.from_bytes(file.read(2 if version[0] == 1 else 4), "little")
    if length > _MAX_HEADER_BYTES:
        raise ValueError(f"it has {length:,} bytes")
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError("it is longer than the file")
    return raw


def describe_npy(source: Input) -> dict[str, str]:
    """Return the files of the matrix and of the words."""
    matrix, words = npy_files(source)
    return {"words from": words.name, "vectors from": matrix.name}


def describe_npz(source: Input) -> dict[str, str]:
    """Return the arrays of the matrix and of the words."""
    table, words = _choose_members(source, _read_headers(source))
    found = quote_safe(words.removesuffix(".npy")) if words else ""
    return {
        "words from": f"array {found}" if found else find_word_list(source, source.path).name,
        "vectors from": f"array {quote_safe(table.removesuffix('.npy'))}",
    }


def _is_npz(source: Input) -> bool:
    if not source.head.startswith(b"PK\x03\x04") or source.compression:
        return False
    return any(name.endswith(".npy") for name in source.members())


def npz_files(source: Input) -> Sequence[Path]:
    """Return the archive and, unless the words are inside it, its word list."""
    if _choose_members(source, _read_headers(source))[1] is not None:
        return [source.path]
    return [source.path, find_word_list(source, source.path)]


def read_npz(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows of a ``.npz`` with one table of numbers and one list of words."""
    headers = _read_headers(source)
    table_name, list_name = _choose_members(source, headers)
    header = headers[table_name]
    row_bytes = header.shape[1] * header.dtype.itemsize
    check_table(source.path, source.total_size, header.shape[0], row_bytes, in_memory=True)
    if list_name is None:
        words = read_words(find_word_list(source, source.path), header.shape[0])
    else:
        list_header = headers[list_name]
        count = list_header.shape[0] if list_header.shape else 1
        check_table(source.path, source.total_size, count, list_header.dtype.itemsize, True)
        words = _npz_words(source.path, _load_member(source, list_name, list_header))
    return iter_chunks(source, words, _load_member(source, table_name, header), wanted)


def _read_headers(source: Input) -> dict[str, _Header]:
    """Return the headers of the arrays in an archive, by member; nothing else is unpacked."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            members = archive.infolist()
            if sum(info.file_size for info in members) > (limit := max_unpacked_size(source.size)):
                raise too_large_error(source.path, limit)
            headers = {}
            for info in members:
                if info.filename.endswith(".npy"):
                    if info.filename in headers:
                        raise BadContent(
                            f"{source.path} has two arrays called {quote_safe(info.filename)}."
                        )
                    with archive.open(info) as file:
                        headers[info.filename] = _read_header(source.path, file, info.file_size)
        return headers
    except SourceError:
        raise
    except Exception as error:  # zipfile raises many kinds of errors on damaged files
        raise _damaged_archive(source.path, error) from None


def _choose_members(source: Input, headers: dict[str, _Header]) -> tuple[str, str | None]:
    """Return the members with the table of numbers and with the words, if those are inside."""
    tables, lists = [], []
    for name, header in headers.items():
        if len(header.shape) == 2 and header.dtype.kind in "fiu":
            tables.append(name)
        if len(header.shape) <= 1 and (header.dtype.kind in "US" or header.dtype == np.uint8):
            lists.append(name)
    if len(tables) != 1 or len(lists) > 1:
        contents = ", ".join(
            f"{name.removesuffix('.npy')} {header.dtype}{header.shape}"
            for name, header in headers.items()
        )
        raise BadContent(
            f"{source.path} contains {contents[:500]}: expected one table of numbers and one word "
            "list."
        )
    return tables[0], lists[0] if lists else None


def _load_member(source: Input, name: str, header: _Header) -> NDArray[Any]:
    array = np.empty(header.shape, header.dtype, order="F" if header.by_column else "C")
    view, filled = memoryview(bytearray()), 0
    if array.size:
        view = array.ravel(order="K").view(np.uint8).data
    try:
        with zipfile.ZipFile(source.path) as archive, archive.open(name) as file:
            _read_header_bytes(file)
            while part := file.read(min(_READ_BYTES, len(view) - filled)):
                view[filled : filled + len(part)] = part
                filled += len(part)
            file.read(1)  # at the end, the checksum of the member is verified
        if filled < len(view):
            raise ValueError("cut off")
    except Exception as error:  # zipfile raises many kinds of errors on damaged files
        raise _damaged_archive(source.path, error) from None
    return array


def _damaged_archive(path: Path, error: Exception) -> BadContent:
    reason = str(error).split("\n")[0][:200] or type(error).__name__
    return BadContent(f"{path} is a damaged or cut-off NumPy file ({reason}).")


def _npz_words(path: Path, array: NDArray[np.generic]) -> list[bytes]:
    if array.dtype.kind == "u":
        return array.astype(np.uint8).tobytes().split(b"\n")[:-1]
    try:
        words = array.ravel().tolist()
    except (ValueError, SystemError):  # code points beyond Unicode
        raise BadContent(f"{path}: its list of words is damaged.") from None
    return [word if isinstance(word, bytes) else to_bytes(str(word)) for word in words]


def write_npy(vectors: Vectors, path: Path) -> None:
    """Write the matrix, and the words to a file ``.npy.vocab``."""
    with write_with_words(vectors, path) as file:
        ArrayFile(file).save(vectors.matrix)


def write_npz(vectors: Vectors, path: Path) -> None:
    """Write ``vectors`` and ``words``, the latter as the bytes of a text with one word per line."""
    words = np.frombuffer(join_words(vectors), dtype=np.uint8)
    history = encode_history(vectors)
    with atomic_write(path) as temporary:
        with open(temporary, "wb") as file:
            np.savez(file, words=words, vectors=vectors.matrix)
        if history:
            with zipfile.ZipFile(temporary, "a") as archive:
                # A date of its own would make the bytes of each file different.
                archive.writestr(zipfile.ZipInfo(_HISTORY_MEMBER), history)


def read_history(source: Input) -> bytes | None:
    """Return the history, a member of the archive that is no array."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            if archive.getinfo(_HISTORY_MEMBER).file_size > MAX_HISTORY_BYTES:
                return None
            return archive.read(_HISTORY_MEMBER)
    except Exception:  # there is none, or it is damaged; zipfile raises many kinds of errors
        return None


NPY = Format(
    name="NumPy .npy",
    options=("vocab",),
    matches=lambda source: _matrix_file(source) is not None,
    read=read_npy,
    files=npy_files,
    describe=describe_npy,
    suffixes=(".npy",),
    write=write_npy,
)
NPZ = Format(
    name="NumPy .npz",
    matches=_is_npz,
    read=read_npz,
    files=npz_files,
    describe=describe_npz,
    options=("vocab",),
    suffixes=(".npz",),
    write=write_npz,
    history=read_history,
)
