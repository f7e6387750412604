"""How large an Arrow or Parquet file is once it is unpacked, from its metadata alone.

Both formats can describe gigabytes in a few bytes: by compression, by dictionaries, by runs of
equal values. pyarrow allocates what a file describes, so it is added up before.

The metadata of Arrow files is in FlatBuffers. pyarrow does not show the sizes of compressed
buffers, so that the few tables that lead to them are read here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import IO, Any

from .parquet_pages import page_sizes

_FOOTER_DICTIONARIES, _FOOTER_BATCHES = 2, 3  # positions of fields in their tables
_MESSAGE_TYPE, _MESSAGE_HEADER = 1, 2
_DICTIONARY_BATCH = 2
_BATCH_BUFFERS, _BATCH_COMPRESSION = 2, 3
_DICTIONARY_DATA = 1
_MAGIC_BYTES = 6
_MAX_METADATA_BYTES = 64 << 20


def parquet_sizes(file: IO[bytes], metadata: Any, columns: Sequence[str]) -> tuple[int, int]:
    """Return the number of values and of unpacked bytes in some columns of a Parquet file.

    Each is what the footer or the pages say, whichever is more: see `parquet_pages`.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    chosen = frozenset(columns)  # there may be many thousands, as there may be in the file
    lengths = {len(name) for name in chosen}
    values, unpacked = 0, 0
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for index in range(row_group.num_columns):
            column = row_group.column(index)
            if _is_within(column.path_in_schema, chosen, lengths):
                page_values, page_bytes = page_sizes(file, column)
                values += max(0, column.num_values, page_values)
                unpacked += max(0, column.total_uncompressed_size, page_bytes)
    return values, unpacked


def _is_within(path: str, columns: frozenset[str], lengths: set[int]) -> bool:
    """Whether a path is one of the columns, or of a field of it: ``vector.list.element``."""
    return any(
        path[length : length + 1] in ("", ".") and path[:length] in columns for length in lengths
    )


def has_shared_prefixes(metadata: Any, name: str) -> bool:
    """Return whether texts are stored as differences to the text before (DELTA_BYTE_ARRAY)."""
    return any(
        "DELTA_BYTE_ARRAY" in column.encodings
        for group in range(metadata.num_row_groups)
        for column in map(
            metadata.row_group(group).column, range(metadata.row_group(group).num_columns)
        )
        if column.path_in_schema == name
    )


def decoded_size(column: Any) -> int:
    """Return how many bytes the texts of a column take, once each row has its own.

    Raises
    ------
    pyarrow.ArrowException
        The column is damaged.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
    else:
        lengths = pc.binary_length(column)
    return int(pc.sum(lengths).as_py() or 0)


def arrow_size(file: IO[bytes], size: int) -> int:
    """Return the unpacked bytes of all batches of an Arrow file.

    Raises
    ------
    ValueError, IndexError, struct.error
        The file is damaged.
    """
    file.seek(size - _MAGIC_BYTES - 4)
    length = struct.unpack("<i", file.read(4))[0]
    footer = _Table.root(_read_at(file, size - _MAGIC_BYTES - 4 - length, length))
    total = 0
    for field in (_FOOTER_DICTIONARIES, _FOOTER_BATCHES):
        for place in footer.structs(field, 24):
            # A block: offset, length of the metadata (and padding), length of the body.
            offset, metadata_length, _, body_length = struct.unpack_from("<qiiq", place)
            if not (0 <= offset < size and 0 <= body_length <= size):
                raise ValueError("a batch lies outside the file")
            total += _batch_size(file, offset, metadata_length, body_length)
    return total


def _batch_size(file: IO[bytes], offset: int, metadata_length: int, body_length: int) -> int:
    raw = _read_at(file, offset, metadata_length)
    # Since version 0.15 of the format, a marker comes before the length.
    message = _Table.root(raw[8:] if raw.startswith(b"\xff\xff\xff\xff") else raw[4:])
    batch = message.table(_MESSAGE_HEADER)
    if message.byte(_MESSAGE_TYPE) == _DICTIONARY_BATCH:
        batch = batch.table(_DICTIONARY_DATA)
    if not batch.has(_BATCH_COMPRESSION):
        return body_length
    total = 0
    for place in batch.structs(_BATCH_BUFFERS, 16):
        start, length = struct.unpack_from("<qq", place)
        if length >= 8:  # the unpacked length comes first; -1 says that it is not compressed
            unpacked = struct.unpack("<q", _read_at(file, offset + metadata_length + start, 8))[0]
            total += length if unpacked < 0 else unpacked
    return total


def _read_at(file: IO[bytes], offset: int, length: int) -> bytes:
    if offset < 0 or not 0 <= length <= _MAX_METADATA_BYTES:
        raise ValueError("metadata out of bounds")
    file.seek(offset)
    return file.read(length)


class _Table:
    """A table of a FlatBuffer: fields that are found by an offset table before it."""

    def __init__(self, raw: bytes, position: int) -> None:
        self._raw, self._position = raw, position
        self._offsets = position - struct.unpack_from("<i", raw, position)[0]
        if not 0 <= self._offsets < len(raw):
            raise ValueError("damaged metadata")

    @classmethod
    def root(cls, raw: bytes) -> _Table:
        return cls(raw, struct.unpack_from("<I", raw)[0])

    def _field(self, index: int) -> int:
        """Return the place of a field, 0 if the table does not have it."""
        size = struct.unpack_from("<H", self._raw, self._offsets)[0]
        if 4 + 2 * index >= size:
            return 0
        offset = struct.unpack_from("<H", self._raw, self._offsets + 4 + 2 * index)[0]
        return self._position + int(offset) if offset else 0

    def has(self, index: int) -> bool:
        return self._field(index) > 0

    def byte(self, index: int) -> int:
        place = self._field(index)
        return self._raw[place] if place else 0

    def table(self, index: int) -> _Table:
        place = self._field(index)
        if not place:
            raise ValueError("damaged metadata")
        return _Table(self._raw, place + struct.unpack_from("<I", self._raw, place)[0])

    def structs(self, index: int, size: int) -> Iterator[bytes]:
        """Yield the structs of a vector, `size` bytes each."""
        place = self._field(index)
        if not place:
            return
        start = place + struct.unpack_from("<I", self._raw, place)[0]
        count = struct.unpack_from("<I", self._raw, start)[0]
        if count * size > len(self._raw):
            raise ValueError("damaged metadata")
        for number in range(count):
            first = start + 4 + number * size
            yield self._raw[first : first + size]
