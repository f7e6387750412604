"""HDF5 files of other people: complete in themselves, and no larger than they look.

A link, external storage or a virtual data set makes HDF5 open other files, whose content would
become words and numbers. Data sets that were never written, and chunks, can claim any size.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from weatherglass.errors import BadContent, MissingExtra, WeatherglassError, quote_safe

from .inputs import too_large_error
from .memory import check_memory, max_parsed_size


def import_h5py() -> Any:
    """Return the module h5py, or say how to install it."""
    try:
        import h5py
    except ImportError:
        raise MissingExtra("HDF5", "formats") from None
    return h5py


@contextlib.contextmanager
def open_hdf5(path: Path) -> Iterator[Any]:
    """Open a file for reading, unless something in it leads to another file.

    Whatever goes wrong while it is open is `BadContent`: a damaged file can raise almost anything.
    """
    h5py = import_h5py()
    try:
        # Some disks have no locks, which must not make a file unreadable.
        with h5py.File(path, "r", locking="best-effort") as file:
            _refuse_links(path, file, h5py)
            yield file
    except WeatherglassError:
        raise
    except Exception as error:
        reason = str(error).split("\n")[0][:200]
        raise BadContent(f"{path} is a damaged or foreign HDF5 file ({reason}).") from None


def _refuse_links(path: Path, file: Any, h5py: Any) -> None:
    """Refuse a file that is not complete in itself, before anything in it is read."""

    def visit(name: str, link: Any) -> BadContent | None:
        if not isinstance(link, h5py.HardLink):
            return BadContent(
                f"{path}: {quote_safe(name)} is a link. Links, which can lead to other files, are "
                "not followed: copy the data into the file."
            )
        item = file.get(name)
        if isinstance(item, h5py.Dataset) and (item.external or item.is_virtual):
            return BadContent(
                f"{path}: the numbers of {quote_safe(name)} are stored in other files, which are "
                "not opened: copy them into the file."
            )
        return None

    # The visit ends at the first result. HDF5 cannot pass an exception on.
    if (error := file.visititems_links(visit)) is not None:
        raise error


def check_data_sets(path: Path, size: int, data_sets: Iterable[Any]) -> None:
    """Refuse data sets that claim to be far larger than their files, which have `size` bytes.

    A chunk is unpacked as a whole, even to read one number of it.
    """
    limit, total = max_parsed_size(size), 0
    for data in data_sets:
        total += data.nbytes
        chunk = math.prod(data.chunks) * data.dtype.itemsize if data.chunks else 0
        if max(total, chunk) > limit:
            raise too_large_error(path, limit)
    check_memory(path, total)
