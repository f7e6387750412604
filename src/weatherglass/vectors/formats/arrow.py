"""Parquet and Arrow tables: a column of words, and a column of vectors or one column per dimension.

`columns` says which columns are which. An integer column named ``count`` says how often each word
occurs in the training text.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import (
    Input,
    arrow_size,
    atomic_write,
    check_levels,
    decoded_size,
    has_shared_prefixes,
    max_parsed_size,
    parquet_sizes,
    too_large_error,
)
from weatherglass.errors import (
    BadContent,
    UsageError,
    WeatherglassError,
    join_first,
    quote_safe,
)

from .columns import COUNT, Columns, choose_columns, choose_words, is_text
from .format import HISTORY, Chunk, Counts, Format, WantedWords, encode_history
from .wordlist import iter_chunks

if TYPE_CHECKING:
    from ..vectors import Vectors

_BATCH_ROWS = 1 << 14
_BATCH_BYTES = 64 << 20
_MAX_DIM = 1 << 20


def matches(source: Input) -> bool:
    """Recognise Parquet and Arrow by their first bytes."""
    return not source.compression and source.head.startswith((b"PAR1", b"ARROW1"))


def read(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Yield the rows."""
    columns, widths = _find_columns(source), set()
    for batch in _batches(source.path, source.total_size, columns.words, columns.needed):
        words = _words(source, batch, columns.words)
        numbers = _numbers(source.path, batch, columns)
        widths.add(numbers.shape[1])
        if len(widths) > 1:
            raise _ragged_error(source.path, widths)
        counts = _counts(source.path, batch) if columns.count else None
        yield from iter_chunks(source, words, numbers, wanted, counts)


def describe(source: Input) -> dict[str, str]:
    """Return which columns are read as words and as vectors."""
    return _find_columns(source).describe()


def first_text_column(path: Path) -> list[bytes]:
    """Return the words of a table that serves as a word list."""
    source = Input(path)
    name = choose_words(path, _read_schema(path))
    batches = _batches(path, source.size, name, [name])
    return [word for batch in batches for word in _words(source, batch, name)]


def _find_columns(source: Input) -> Columns:
    return choose_columns(source.path, _read_schema(source.path), source.options)


def _read_schema(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _explain_errors(path), pa.OSFile(str(path)) as file:
        if file.read(4) == b"PAR1":
            with pq.ParquetFile(file) as table:
                schema = table.schema_arrow
        else:
            schema = pa.ipc.open_file(file).schema
        assert isinstance(schema.names, list)  # a name that is not text raises an error here
        return schema


@contextlib.contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except WeatherglassError:
        raise
    except Exception as error:  # a damaged file can raise almost anything
        reason = str(error).split("\n")[0][:200] or type(error).__name__
        raise BadContent(f"{path} is a damaged or cut-off table ({reason}).") from None


def _batches(path: Path, size: int, words: str, needed: list[str]) -> Iterator[Any]:
    """Yield the record batches of a table with the columns that are needed.

    The file is not memory-mapped: see `file_table`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _explain_errors(path), pa.OSFile(str(path)) as file:
        if file.read(4) == b"PAR1":
            with pq.ParquetFile(file, pre_buffer=False) as table:
                check_levels(file, table.metadata)
                # As a dictionary, a word that is repeated a million times takes memory only once.
                dictionaries = [] if has_shared_prefixes(table.metadata, words) else [words]
            with pq.ParquetFile(
                file,
                pre_buffer=False,
                read_dictionary=dictionaries,
                page_checksum_verification=True,
            ) as table:
                with open(path, "rb") as raw:
                    rows = _parquet_batch_rows(path, raw, size, table.metadata, words, needed)
                yield from filter(len, table.iter_batches(rows, columns=needed))
            return
        with open(path, "rb") as raw:
            unpacked = arrow_size(raw, path.stat().st_size)
        if unpacked > (limit := max_parsed_size(size)):
            raise too_large_error(path, limit)
        names = pa.ipc.open_file(file).schema.names
        places = {name: place for place, name in reversed(list(enumerate(names)))}
        options = pa.ipc.IpcReadOptions(included_fields=[places[name] for name in needed])
        reader = pa.ipc.open_file(file, options=options)
        for i in range(reader.num_record_batches):
            batch = reader.get_batch(i)
            # Otherwise a damaged file could be read beyond its end.
            batch.validate(full=True)
            yield from (batch.slice(k, _BATCH_ROWS) for k in range(0, len(batch), _BATCH_ROWS))


def read_arrow_file(path: Path) -> Any:
    """Read a Parquet or Arrow file as a table of pyarrow, with the same limits as for vectors."""
    import pyarrow as pa

    schema = _read_schema(path)
    words = next((field.name for field in schema if is_text(field.type)), schema.names[0])
    duplicate, times = Counter(schema.names).most_common(1)[0]
    if times > 1:
        raise BadContent(f"{path} has several columns called {quote_safe(duplicate)}.")
    size, total, batches = path.stat().st_size, 0, []
    for batch in _batches(path, size, words, schema.names):
        with _explain_errors(path):
            total += sum(decoded_size(column) for column in batch.columns if _is_repeated(column))
        if total > (limit := max_parsed_size(size)):
            raise too_large_error(path, limit)
        batches.append(batch)
    with _explain_errors(path):
        return pa.Table.from_batches(batches) if batches else schema.empty_table()


def _is_repeated(column: Any) -> bool:
    """Whether a column has texts that may each stand in many rows."""
    from pyarrow import types

    return types.is_dictionary(column.type) and is_text(column.type.value_type)


def _parquet_batch_rows(
    path: Path, file: IO[bytes], size: int, metadata: Any, words: str, needed: list[str]
) -> int:
    """Return how many rows to read at once; refuse a file whose columns are far larger than it."""
    vectors = [name for name in needed if name != words]
    rows = max(0, metadata.num_rows)
    values, unpacked = parquet_sizes(file, metadata, vectors)
    unpacked_words = parquet_sizes(file, metadata, [words])[1]
    if max(4 * values, unpacked + unpacked_words) > (limit := max_parsed_size(size)):
        raise too_large_error(path, limit)
    width = -(-values // max(1, rows))
    if width > _MAX_DIM:
        raise BadContent(f"{path}: its rows have {width:,} numbers.")
    row_bytes = 8 * width + 1
    if has_shared_prefixes(metadata, words):  # any of them may be as long as all together
        row_bytes += unpacked_words
    return int(max(1, min(_BATCH_ROWS, _BATCH_BYTES // row_bytes)))


def table_columns(
    table: Any, name: str
) -> tuple[list[str], NDArray[Any], NDArray[np.int64] | None]:
    """Return the words, numbers and counts of a table in memory, chosen as those of a file.

    Parameters
    ----------
    table
        A table of pyarrow.
    name
        What error messages call it.
    """
    path = Path(name)
    try:
        columns = choose_columns(path, table.schema, {})
    except (BadContent, UsageError):
        listed = join_first(map(quote_safe, table.schema.names), 10)
        raise BadContent(
            f"{name} must have one column of words and otherwise the dimensions, numbered (d0, "
            f"d1, …) or as one column of lists; its columns are {listed}. Or give the words and "
            "the rows as a pair: (words, matrix)."
        ) from None
    texts = table.column(columns.words).to_pylist()
    if any(word is None for word in texts):
        raise BadContent(f"{name}: {texts.count(None):,} rows have no word.")
    batch = table.select(columns.needed).combine_chunks()
    batches = batch.to_batches() or [batch]
    matrix = np.concatenate([_numbers(path, part, columns) for part in batches])
    counts = [_counts(path, part) for part in batches] if columns.count else None
    words = [
        word.decode("utf-8", "surrogateescape") if isinstance(word, bytes) else word
        for word in texts
    ]
    return words, matrix, None if counts is None else np.concatenate(counts)


def _words(source: Input, batch: Any, name: str) -> list[bytes]:
    import pyarrow as pa

    column = batch.column(batch.schema.names.index(name))
    if column.null_count:
        raise BadContent(f"{source.path}: {column.null_count:,} rows have no word.")
    if pa.types.is_dictionary(column.type):
        with _explain_errors(source.path):
            if decoded_size(column) > (limit := max_parsed_size(source.total_size)):
                raise too_large_error(source.path, limit)
            column = column.cast(pa.dictionary(column.type.index_type, pa.large_binary()))
            column = column.dictionary_decode()
    return list(column.cast(pa.large_binary()).to_pylist())


def _numbers(path: Path, batch: Any, columns: Columns) -> NDArray[Any]:
    import pyarrow.compute as pc

    places = {name: place for place, name in enumerate(batch.schema.names)}
    arrays = [batch.column(places[name]) for name in columns.vectors]
    if not columns.is_list:
        if any(array.null_count for array in arrays):
            raise BadContent(f"{path}: a row of its vectors has a gap.")
        return np.column_stack([_to_numpy(path, array) for array in arrays])
    flat = arrays[0].flatten()
    lengths = set(pc.unique(pc.list_value_length(arrays[0])).to_pylist())
    if flat.null_count or len(lengths) > 1 or not any(lengths):
        raise _ragged_error(path, lengths)
    return _to_numpy(path, flat).reshape(len(batch), -1)


def _counts(path: Path, batch: Any) -> Counts:
    import pyarrow as pa

    column = batch.column(batch.schema.names.index(COUNT))
    try:
        counts: Counts = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        raise BadContent(f"{path}: the count of a word is 2^63 or more.") from None
    if column.null_count or (counts < 0).any():
        raise BadContent(f"{path}: the count of a word is missing or negative.")
    return counts


def _to_numpy(path: Path, column: Any) -> NDArray[Any]:
    from pyarrow import types

    if types.is_floating(column.type) or types.is_integer(column.type):
        numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return numbers
    raise BadContent(f"{path}: its vectors contain {column.type}, expected numbers.")


def _ragged_error(path: Path, lengths: set[Any]) -> BadContent:
    widths = join_first("no" if n is None else str(n) for n in sorted(lengths, key=str))
    return BadContent(
        f"{path}: its vectors have {widths} numbers, expected the same number in all and no gaps."
    )


def write(vectors: Vectors, path: Path) -> None:
    """Write columns ``word``, ``vector`` and, if there are counts, ``count``.

    If a word is not UTF-8, the column of words is binary.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = pa.array(list(vectors.words.iter_raw()), pa.binary())
    with contextlib.suppress(pa.ArrowInvalid):
        words = words.cast(pa.string())
    flat = pa.array(np.ascontiguousarray(vectors.matrix).ravel())
    rows = pa.FixedSizeListArray.from_arrays(flat, vectors.dim)
    columns = {"word": words, "vector": rows}
    if vectors.counts is not None:
        columns[COUNT] = pa.array(np.asarray(vectors.counts))
    table = pa.table(columns)
    if history := encode_history(vectors):
        table = table.replace_schema_metadata({HISTORY: history})
    with atomic_write(path) as temporary:
        if path.suffix == ".parquet":
            pq.write_table(table, temporary, compression="zstd")
        else:
            with pa.ipc.new_file(str(temporary), table.schema) as writer:
                writer.write_table(table, max_chunksize=_BATCH_ROWS)


def read_history(source: Input) -> bytes | None:
    """Return the history in the metadata of the schema."""
    with _explain_errors(source.path):
        metadata = _read_schema(source.path).metadata or {}
    history: bytes | None = metadata.get(HISTORY.encode())
    return history


FORMAT = Format(
    name="Arrow or Parquet",
    options=("words", "vector"),
    matches=matches,
    read=read,
    describe=describe,
    suffixes=(".parquet", ".arrow"),
    write=write,
    history=read_history,
)
