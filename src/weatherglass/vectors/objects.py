"""Vectors from objects in memory: mappings, pairs, gensim, data frames, PyTorch, Hugging Face.

Objects are recognised by what they have, so that no other library is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from weatherglass.errors import BadContent, UsageError, join_first, quote_safe

from .tokens import whole_words
from .vectors import Vectors


class KeyedVectorsLike(Protocol):
    """The keyed vectors of gensim, or anything with the same two attributes."""

    @property
    def index_to_key(self) -> Sequence[str]:
        """The words."""
        ...

    @property
    def vectors(self) -> Any:
        """Their rows."""
        ...


class ArrowStream(Protocol):
    """A table that Arrow can read: of pyarrow, polars, pandas, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream."""
        ...


VectorsObject = Mapping[str, ArrayLike] | tuple[Any, Any] | KeyedVectorsLike | ArrowStream
"""Objects that `vectors_of` turns into vectors."""


def vectors_of(value: object, name: str = "") -> Vectors | None:
    """Return the vectors of an object in memory; None if it has no words and rows.

    Parameters
    ----------
    value
        A mapping from words to rows; a pair of words and rows; keyed vectors of gensim; a table of
        pandas, polars or Arrow; a pair of a model and a tokenizer of Hugging Face. Words are a
        sequence, a mapping from words to row numbers, or a tokenizer; rows are anything that NumPy
        can read, a tensor of PyTorch or an ``nn.Embedding``.
    name
        What results call it; by default the name of its class.

    Raises
    ------
    BadContent
        Its words and rows do not match, or are no words and numbers.

    Examples
    --------
    >>> vectors_of({"north": [0, 2], "east": [3, 0]})
    <Vectors dict: 2 words × 2>
    >>> vectors_of((["north", "east"], [[0, 2], [3, 0]]), name="compass")
    <Vectors compass: 2 words × 2>
    >>> vectors_of(3.5) is None
    True
    """
    name = name or type(value).__name__
    if isinstance(value, Vectors):
        return value
    if isinstance(value, Mapping):
        return _from_mapping(value, name)
    if is_pair(value):
        first, second = value
        default = "memory" if name == type(value).__name__ else name
        return _from_pair(first, second, default)
    if hasattr(value, "wv") and _is_keyed(value.wv):  # a whole model of gensim
        return _from_keyed(value.wv, name)
    if _is_keyed(value):
        return _from_keyed(value, name)
    if is_frame(value):
        return _from_frame(value, name)
    return None


def is_pair(value: object) -> TypeGuard[tuple[Any, Any]]:
    """Return whether a value is a pair of words and rows, or of a model and a tokenizer.

    A pair of two names is a list of sources, not a source.

    >>> is_pair((["a", "b"], [[1], [2]])), is_pair(("a.txt", "b.txt"))
    (True, False)
    """
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    first, second = value
    if _is_model(first):
        return _is_tokenizer(second)
    if _is_model(second):
        return _is_vocabulary(first)
    return _is_vocabulary(first) and _has_rows(second)


def is_row(value: object) -> bool:
    """Return whether a value is a row of numbers.

    >>> is_row([0.1, 2]), is_row(["a", "b"]), is_row(([0.1], [2])), is_row("a")
    (True, False, False, False)
    """
    dimensions = getattr(value, "ndim", None)
    if dimensions is not None:
        return bool(dimensions == 1)
    return isinstance(value, list | tuple) and all(isinstance(n, Real) for n in _first(value))


def is_frame(value: object) -> bool:
    """Return whether a value is a table of pandas, polars or Arrow."""
    return not isinstance(value, type) and (
        hasattr(value, "__arrow_c_stream__") or _is_pandas(value)
    )


def arrow_table(value: Any) -> Any:
    """Return a table of pandas, polars or Arrow as a table of pyarrow; a text index is a column."""
    import pyarrow as pa

    if isinstance(value, pa.Table):
        return value
    if _is_pandas(value):
        # An index that only counts the rows is no column of words.
        has_words = all(isinstance(label, str) for label in value.index[:1])
        value = value.reset_index() if len(value) and has_words else value
        value = value.rename(columns=str)
        return pa.Table.from_pandas(value, preserve_index=False)
    return _without_views(pa.RecordBatchReader.from_stream(value).read_all())


def _without_views(table: Any) -> Any:
    """Return a table whose text is in columns of the usual type; polars has another."""
    import pyarrow as pa

    fields = [
        pa.field(
            field.name, pa.large_string() if pa.types.is_string_view(field.type) else field.type
        )
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _is_pandas(value: object) -> bool:
    return all(hasattr(value, name) for name in ("index", "columns", "iloc", "reset_index"))


def _is_keyed(value: object) -> bool:
    return hasattr(value, "index_to_key") and hasattr(value, "vectors")


def _is_tensor(value: object) -> bool:
    return all(hasattr(value, name) for name in ("detach", "cpu", "dtype"))


def _is_model(value: object) -> bool:
    """Return whether a value is a model of Hugging Face."""
    return callable(getattr(value, "get_input_embeddings", None))


def _is_tokenizer(value: object) -> bool:
    return callable(getattr(value, "get_vocab", None))


def _is_vocabulary(value: object) -> bool:
    if isinstance(value, str | bytes):
        return False
    if _is_tokenizer(value):
        return True
    if isinstance(value, Mapping):
        return all(isinstance(word, str) for word in _first(value))
    is_listed = isinstance(value, Iterable) and hasattr(value, "__len__")
    return is_listed and all(isinstance(word, str) for word in _first(value))


def _first(values: Any) -> list[Any]:
    return [value for _, value in zip(range(3), values, strict=False)]


def _has_rows(value: object) -> bool:
    """Return whether a value may hold rows of numbers: a table, not a list of names."""
    if isinstance(value, str | bytes | Mapping):
        return False
    if _is_tensor(value) or hasattr(value, "weight") or hasattr(value, "__array__"):
        return True
    return isinstance(value, list | tuple) and not any(isinstance(row, str) for row in value)


def _from_mapping(value: Mapping[Any, Any], name: str) -> Vectors:
    wrong = next((word for word in value if not isinstance(word, str)), None)
    if wrong is not None or not value:
        problem = f"its key {quote_safe(repr(wrong))} is not a word" if value else "it is empty"
        raise BadContent(f"The {name} is not a mapping from words to rows: {problem}.")
    return Vectors.of(list(value), _stack(value, name), source=name)


def _stack(rows: Mapping[str, Any], name: str) -> NDArray[Any]:
    """Return the rows of a mapping as a table; name the first whose length differs."""
    arrays = {word: to_array(row, name) for word, row in rows.items()}
    shapes = [array.shape for array in arrays.values()]
    for word, shape in zip(arrays, shapes, strict=True):
        if len(shape) != 1 or shape != shapes[0]:
            raise BadContent(
                f"The {name} has a row of shape {shapes[0]} for {quote_safe(next(iter(arrays)))} "
                f"and one of shape {shape} for {quote_safe(word)}; expected rows of equal length."
            )
    return np.stack(list(arrays.values()))


def _from_pair(first: Any, second: Any, name: str) -> Vectors:
    if _is_model(first):
        first, second = second, first
    if _is_model(second):
        name = type(second).__name__ if name == "memory" else name
        second = second.get_input_embeddings()
    matrix = to_array(second, name)
    if not isinstance(first, Mapping) and not _is_tokenizer(first):
        words = [str(word) for word in first]
        _check_shape(name, matrix, len(words))
        return Vectors.of(words, matrix, source=name)
    numbers = whole_words(first) if _is_tokenizer(first) else _row_numbers(first, name)
    if matrix.ndim != 2:
        raise BadContent(f"The rows of {name} have the shape {matrix.shape}, expected a table.")
    rows = np.array(list(numbers.values()), dtype=np.int64)
    outside = rows.size and (int(rows.min()) < 0 or int(rows.max()) >= len(matrix))
    if outside or not rows.size:
        problem = (
            f"names row {int(rows.max())}, but there are {len(matrix):,} rows, counted from 0"
            if rows.size
            else "has no words"
        )
        raise BadContent(f"The vocabulary of {name} {problem}.")
    return Vectors.of(list(numbers), matrix[rows], source=name)


def _row_numbers(vocabulary: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return a vocabulary in the order of its row numbers."""
    try:
        numbers = {str(word): int(row) for word, row in vocabulary.items()}
    except (TypeError, ValueError):
        raise BadContent(
            f"The vocabulary of {name} must be a mapping from words to row numbers."
        ) from None
    return dict(sorted(numbers.items(), key=lambda item: item[1]))


def _check_shape(name: str, matrix: NDArray[Any], words: int) -> None:
    if matrix.ndim != 2 or len(matrix) != words:
        raise BadContent(
            f"{name}: {words:,} words and rows of shape {matrix.shape} do not match; expected one "
            "row of numbers for each word."
        )


def _from_keyed(value: Any, name: str) -> Vectors:
    counts = getattr(value, "expandos", {}).get("count")  # gensim keeps them there
    words = list(value.index_to_key)
    matrix = to_array(value.vectors, name)
    _check_shape(name, matrix, len(words))
    has_counts = counts is not None and len(counts) == len(words)
    return Vectors.of(words, matrix, source=name, counts=counts if has_counts else None)


def _from_frame(value: Any, name: str) -> Vectors:
    from .formats import table_columns

    table = arrow_table(value)
    try:
        words, matrix, counts = table_columns(table, name)
    except UsageError as error:
        raise BadContent(str(error)) from None
    return Vectors.of(words, matrix, source=name, counts=counts)


def to_array(value: Any, name: str) -> NDArray[Any]:
    """Return numbers as an array: of NumPy, PyTorch (trainable, any type and device) or others."""
    weight = getattr(value, "weight", value)  # of nn.Embedding
    try:
        if _is_tensor(weight):
            weight = _tensor_to_numpy(weight.detach().cpu())
        array: NDArray[Any] = np.asarray(weight)
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise BadContent(f"The rows of {name} cannot be read as numbers ({reason}).") from None
    if array.dtype.kind not in "fiub":
        raise BadContent(
            f"The rows of {name} must be numbers of equal length, but are of type {array.dtype} "
            f"({join_first([quote_safe(str(value)[:40])])})."
        )
    return array


def _tensor_to_numpy(tensor: Any) -> Any:
    try:
        return tensor.numpy()
    except TypeError:  # NumPy has no bfloat16 and none of the types of floats with 8 bits
        return tensor.float().numpy()
