"""What pyarrow does not check in a Parquet file: the sizes of its pages, and levels in its footer.

The footer of a file says how many values and bytes each column has, but every page says it again,
and pyarrow allocates what the pages say. A file whose pages contradict its footer could so take any
amount of memory. pyarrow does not show the headers of pages, so that they are read here: they are
structs in Thrift's compact protocol, and a column is a sequence of headers and pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, Any

_HEADER_BYTES = 1 << 10  # read at first; a header with long statistics needs more
_MAX_HEADER_BYTES = 16 << 20  # as in pyarrow
_MAX_DEPTH = 16
# Fields of PageHeader in parquet.thrift, and the kinds of pages whose values become rows.
_UNPACKED_SIZE, _PACKED_SIZE = 2, 3
_DATA_PAGE, _DATA_PAGE_V2 = 5, 8
_NUM_VALUES = 1  # a field of both kinds of page
# Fields of the footer that lead to the histograms of levels: groups, columns, their metadata, their
# size statistics, and the histograms of repetition and definition levels.
_GROUPS, _COLUMNS, _COLUMN_METADATA, _STATISTICS, _HISTOGRAMS = 4, 1, 3, 16, (2, 3)
_FOOTER_END = 8  # the length of the footer, and b"PAR1"
# Types of Thrift's compact protocol.
_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


def page_sizes(file: IO[bytes], column: Any) -> tuple[int, int]:
    """Return the number of values and the unpacked bytes that the pages of a column chunk claim.

    Parameters
    ----------
    file
        The Parquet file, open for reading.
    column
        The chunk's entry in the footer: ``metadata.row_group(i).column(j)``.

    Raises
    ------
    ValueError
        A header is damaged, or a page lies outside its chunk.
    """
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < (column.dictionary_page_offset or 0) < start:
        start = column.dictionary_page_offset
    end, values, unpacked = start + column.total_compressed_size, 0, 0
    # pyarrow ends in the same way: the page that reaches the number in the footer is the last one.
    while start < end and values < column.num_values:
        header, size = _read_header(file, start, end)
        packed, page_unpacked = header.get(_PACKED_SIZE), header.get(_UNPACKED_SIZE)
        if (
            type(packed) is not int
            or type(page_unpacked) is not int
            or min(packed, page_unpacked) < 0
        ):
            raise ValueError("a page has no size")
        for kind in (_DATA_PAGE, _DATA_PAGE_V2):
            page = header.get(kind)
            count = page.get(_NUM_VALUES) if isinstance(page, dict) else 0
            if type(count) is not int or count < 0:
                raise ValueError("a page has no number of values")
            values += count
        unpacked += page_unpacked
        start += size + packed
    return values, unpacked


def check_levels(file: IO[bytes], metadata: Any) -> None:
    """Check that the histograms of levels in the footer have as many bins as there are levels.

    If one has not, pyarrow ends the process as soon as it looks at the column.

    Raises
    ------
    ValueError
        One has another number of bins, or the footer is damaged.
    """
    start = file.seek(0, 2) - _FOOTER_END - metadata.serialized_size
    file.seek(start)
    try:
        footer = _Struct(file.read(metadata.serialized_size), has_lists=True).read()
        for group in footer.get(_GROUPS) or []:
            for index, column in enumerate(group.get(_COLUMNS) or []):
                sizes = (column.get(_COLUMN_METADATA) or {}).get(_STATISTICS) or {}
                schema = metadata.schema.column(index)
                levels = schema.max_repetition_level, schema.max_definition_level
                for field, highest in zip(_HISTOGRAMS, levels, strict=True):
                    if sizes.get(field) and len(sizes[field]) != highest + 1:
                        raise ValueError("a histogram does not fit its column")
    except (IndexError, AttributeError, TypeError):
        raise ValueError("the footer is damaged") from None


def _read_header(file: IO[bytes], start: int, end: int) -> tuple[dict[int, Any], int]:
    """Return the fields of the page header at a place, and how many bytes the header has."""
    length = _HEADER_BYTES
    while True:
        file.seek(start)
        raw = file.read(min(length, end - start))
        try:
            reader = _Struct(raw)
            return reader.read(), reader.position
        except IndexError:
            if len(raw) < length or length >= _MAX_HEADER_BYTES:
                raise ValueError("the header of a page is cut off") from None
            length *= 8


@dataclass
class _Struct:
    """Reads a struct in Thrift's compact protocol; an end that is missing is an `IndexError`."""

    raw: bytes
    position: int = 0
    has_lists: bool = False

    def read(self, depth: int = 0) -> dict[int, Any]:
        """Return the integers, structs and lists among the fields, by their numbers."""
        if depth > _MAX_DEPTH:
            raise ValueError("nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            number = number + step if step else self._integer()
            fields[number] = self._value(kind, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return None
        if kind in (_I16, _I32, _I64):
            return self._integer()
        if kind == _STRUCT:
            return self.read(depth + 1)
        if kind == _BINARY:
            self._skip(self._unsigned())
        elif kind in (_BYTE, _DOUBLE):
            self._skip(1 if kind == _BYTE else 8)
        elif kind in (_LIST, _SET) and self.has_lists:
            return self._list(depth)
        else:  # lists, which no header of a page has, and maps, which no footer has either
            raise ValueError("an unknown field")
        return None

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        kind, length = head & 15, head >> 4
        if length == 15:
            length = self._unsigned()
        if kind in (_TRUE, _FALSE):  # in a list, each takes a byte
            self._skip(length)
            return []
        return [self._value(kind, depth) for _ in range(length)]

    def _byte(self) -> int:
        self.position += 1
        return self.raw[self.position - 1]

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError("an integer is too long")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)

    def _skip(self, count: int) -> None:
        self.position += count
        if self.position > len(self.raw):
            raise IndexError
