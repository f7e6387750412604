"""A table of numbers in a file, read row by row, never memory-mapped.

The files of a source belong to the user. If another program makes a mapped file shorter, touching
the lost pages kills the process; reading them gives fewer bytes, which is an error with a sentence.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import BadContent

_MAX_GAP_ROWS = 16  # rows that are cheaper to read and drop than to skip
_MAX_READ_BYTES = 16 << 20


class FileTable:
    """Rows of a file, read when they are indexed with a slice or a list of positions.

    Parameters
    ----------
    path
        The file.
    start
        The offset of the first number.
    shape, dtype
        Rows and columns, and the type of the numbers.
    by_column
        Whether the numbers are in Fortran order: column after column.
    """

    def __init__(
        self,
        path: Path,
        start: int,
        shape: tuple[int, int],
        dtype: np.dtype[Any],
        by_column: bool = False,
    ) -> None:
        self._path, self._start, self._by_column = path, start, by_column
        self.shape, self.ndim, self.dtype = shape, 2, dtype
        if start + shape[0] * shape[1] * dtype.itemsize > path.stat().st_size:
            raise BadContent(f"{path} is cut off: it has fewer numbers than its header says.")

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> NDArray[Any]:
        if isinstance(index, slice):
            first, stop, _ = index.indices(len(self))
            with open(self._path, "rb", buffering=0) as file:
                return self._read(file, first, max(first, stop))
        positions = np.asarray(index, dtype=np.intp)
        distinct, places = np.unique(positions, return_inverse=True)
        rows = np.empty((len(distinct), self.shape[1]), dtype=self.dtype)
        done = 0
        with open(self._path, "rb", buffering=0) as file:
            for run in self._runs(distinct):
                part = self._read(file, int(run[0]), int(run[-1]) + 1)
                rows[done : done + len(run)] = part[run - run[0]]
                done += len(run)
        return rows[places]

    def _runs(self, positions: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """Cut sorted positions where the gap is not worth reading, or the run gets too long."""
        if not len(positions):
            return []
        max_rows = max(1, _MAX_READ_BYTES // (self.shape[1] * self.dtype.itemsize))
        is_cut = np.diff(positions) > min(_MAX_GAP_ROWS, max_rows)
        is_cut |= np.diff(positions // max_rows) > 0
        return np.split(positions, np.flatnonzero(is_cut) + 1)

    def _read(self, file: IO[bytes], first: int, stop: int) -> NDArray[Any]:
        if not self._by_column:
            rows = np.empty((stop - first, self.shape[1]), dtype=self.dtype)
            self._fill(file, rows, first * self.shape[1])
            return rows
        columns = np.empty((self.shape[1], stop - first), dtype=self.dtype)
        for number, column in enumerate(columns):
            self._fill(file, column, number * self.shape[0] + first)
        return columns.T

    def _fill(self, file: IO[bytes], out: NDArray[Any], skip: int) -> None:
        """Fill an array with the numbers after the first `skip`."""
        file.seek(self._start + skip * self.dtype.itemsize)
        view, filled = out.reshape(-1).view(np.uint8).data, 0
        while filled < len(view):
            count = file.readinto(view[filled:])  # type: ignore[attr-defined]
            if not count:
                raise BadContent(f"{self._path} became shorter while it was being read.")
            filled += count
