"""NumPy's ``.npy`` with a word list in another file, and ``.npz`` that includes the words.

Arrays of Python objects are refused, because they are pickles.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import ArrayFile, Input, atomic_write, max_unpacked_size, too_large_error
from weatherglass.errors import BadContent, PickleRefused, TooLarge

from ..vocabulary import to_bytes
from .format import Chunk, Format, WantedWords
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
    matrix, words = npy_files(source)
    return iter_chunks(source, read_words(words), load_matrix(matrix), wanted)


def load_matrix(path: Path) -> NDArray[np.generic]:
    """Memory-map a ``.npy`` file."""
    try:
        with open(path, "rb") as file:
            preamble = file.read(12)
        # NumPy allocates the length that the header claims to have, up to four gigabytes.
        if preamble[6] > 1 and int.from_bytes(preamble[8:12], "little") > path.stat().st_size:
            raise ValueError("its header is longer than the file")
        with warnings.catch_warnings(action="ignore"):  # a damaged header is parsed as Python code
            array: NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # a damaged file can raise almost anything
        raise _to_our_error(path, error) from None
    return array


def _to_our_error(path: Path, error: Exception) -> Exception:
    if "pickle" in str(error).lower() or "object" in str(error).lower():
        return PickleRefused(
            f"{path} contains Python objects, which can run code when opened. Save the "
            "vectors with a numeric dtype and the words as text."
        )
    reason = str(error).split("\n")[0][:200]
    return BadContent(f"{path} is a damaged or cut-off NumPy file ({reason}).")


def _is_npz(source: Input) -> bool:
    if not source.head.startswith(b"PK\x03\x04") or source.compression:
        return False
    return any(name.endswith(".npy") for name in source.members())


def read_npz(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows of a ``.npz`` with one table of numbers and one list of words."""
    arrays = _load_archive(source)
    tables = [array for array in arrays.values() if array.ndim == 2 and array.dtype.kind in "fiu"]
    lists = [array for array in arrays.values() if array.ndim <= 1 and array.dtype.kind in "USu"]
    if len(tables) != 1 or len(lists) > 1:
        contents = ", ".join(f"{name} {array.dtype}{array.shape}" for name, array in arrays.items())
        raise BadContent(
            f"{source.path} contains {contents}: expected one table of numbers and one word list."
        )
    words = (
        _npz_words(source.path, lists[0])
        if lists
        else read_words(find_word_list(source, source.path))
    )
    return iter_chunks(source, words, tables[0], wanted)


def _load_archive(source: Input) -> dict[str, NDArray[np.generic]]:
    try:
        with zipfile.ZipFile(source.path) as archive:
            size = sum(info.file_size for info in archive.infolist())
        if size > (limit := max_unpacked_size(source.size)):
            raise too_large_error(source.path, limit)
        with (
            warnings.catch_warnings(action="ignore"),
            np.load(source.path, allow_pickle=False) as loaded,
        ):
            arrays = {name: loaded[name] for name in loaded.files}
    except TooLarge:
        raise
    except Exception as error:  # a damaged file can raise almost anything
        raise _to_our_error(source.path, error) from None
    return {name: array for name, array in arrays.items() if isinstance(array, np.ndarray)}


def _npz_words(path: Path, array: NDArray[np.generic]) -> list[bytes]:
    if array.dtype.kind == "u":
        return array.astype(np.uint8).tobytes().split(b"\n")[:-1]
    try:
        words = array.ravel().tolist()
    except ValueError:  # code points beyond Unicode
        raise BadContent(f"{path}: its list of words is damaged.") from None
    return [word if isinstance(word, bytes) else to_bytes(str(word)) for word in words]


def write_npy(vectors: Vectors, path: Path) -> None:
    """Write the matrix, and the words to a file ``.npy.vocab``."""
    with write_with_words(vectors, path) as file:
        ArrayFile(file).save(vectors.matrix)


def write_npz(vectors: Vectors, path: Path) -> None:
    """Write ``vectors`` and ``words``, the latter as the bytes of a text with one word per line."""
    words = np.frombuffer(join_words(vectors), dtype=np.uint8)
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, words=words, vectors=vectors.matrix)


NPY = Format(
    name="NumPy .npy",
    options=("vocab",),
    matches=lambda source: _matrix_file(source) is not None,
    read=read_npy,
    files=npy_files,
    suffixes=(".npy",),
    write=write_npy,
)
NPZ = Format(
    name="NumPy .npz",
    matches=_is_npz,
    read=read_npz,
    options=("vocab",),
    suffixes=(".npz",),
    write=write_npz,
)
