"""How much memory a reader may use, known before it allocates any.

Two limits apply to a file, and the smaller one counts:

- the share `SHARE` of the memory that is available, or what ``WEATHERGLASS_MAX_MEMORY`` (on the
  command line: ``--max-memory``) says;
- `MAX_PARSED_RATIO` times the size of the file, so that a small file cannot fill the memory or the
  disk (`MIN_UNPACK_LIMIT` is always allowed).
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

from weatherglass.errors import TooLarge, UsageError, quote_safe

from . import inputs

MAX_MEMORY_VARIABLE = "WEATHERGLASS_MAX_MEMORY"
SHARE = 0.5
MAX_PARSED_RATIO = 50
ROW_BYTES = 64
"""Memory for a row beside its numbers: its word, where that ends, its hash, its place in order."""

_FALLBACK_BYTES = 4 << 30  # where the operating system does not say how much there is
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_CGROUP_FILES = (  # limit and use, of version 2 and version 1
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def parse_size(text: str) -> int:
    """Return a number of bytes: ``"500M"``, ``"4G"``, ``"1.5 GiB"``; a unit is a power of 1024.

    >>> parse_size("1.5G"), parse_size("800")
    (1610612736, 800)
    """
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if size < 1:
        raise UsageError(
            f"{quote_safe(text)} is not an amount of memory: expected a number of bytes, or a "
            "number with a unit, such as 500M or 4G."
        )
    return size


def max_memory() -> int:
    """Return how many bytes a reader may hold in memory."""
    chosen = os.environ.get(MAX_MEMORY_VARIABLE)
    return parse_size(chosen) if chosen else int(SHARE * available_memory())


def available_memory() -> int:
    """Return the bytes of memory that this process can still get, also inside a container."""
    amounts = [_system_memory()]
    for limit_file, usage_file in _CGROUP_FILES:
        limit, usage = _read_number(limit_file), _read_number(usage_file)
        if limit is not None and usage is not None:
            amounts.append(max(0, limit - usage))
    return min(amounts)


def _system_memory() -> int:
    try:
        match = re.search(r"MemAvailable:\s+([0-9]+) kB", Path("/proc/meminfo").read_text())
        if match:
            return int(match[1]) << 10
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):  # not Linux, or not POSIX
        return _FALLBACK_BYTES


def _read_number(path: str) -> int | None:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):  # no such control group, or "max"
        return None


def address_space_left() -> float:
    """Return the bytes of addresses that this process may still reserve; infinite without a limit.

    Batch systems and ``ulimit -v`` set such limits, and some libraries abort the process there.
    """
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # not POSIX, or not Linux
        return math.inf
    return math.inf if limit == resource.RLIM_INFINITY else max(0, limit - used)


def max_parsed_size(size: int) -> int:
    """Return how many bytes the rows and words of files of `size` bytes may take."""
    return max(inputs.MIN_UNPACK_LIMIT, MAX_PARSED_RATIO * size)


def check_memory(path: Path, size: int) -> None:
    """Refuse a file that needs `size` bytes of memory, if that is more than a reader may use."""
    if size > (limit := max_memory()):
        raise TooLarge(
            f"{path} needs about {format_size(size)} of memory, more than the "
            f"{format_size(limit)} that reading a file may take. If you trust it, raise the limit: "
            f"{MAX_MEMORY_VARIABLE}={_suggest(size)}."
        )


def check_table(path: Path, size: int, rows: int, row_bytes: int, in_memory: bool = False) -> None:
    """Refuse a table before it is read, if it is far larger than its files or than the memory.

    Parameters
    ----------
    size
        The size of the files on disk.
    rows, row_bytes
        The number of rows, and how many bytes the numbers of one row take.
    in_memory
        Whether the numbers are held in memory; otherwise only the words are.
    """
    total = rows * (row_bytes + ROW_BYTES)
    if total > (limit := max_parsed_size(size)):
        raise inputs.too_large_error(path, limit)
    check_memory(path, total if in_memory else rows * ROW_BYTES)


def format_size(size: int) -> str:
    """Return a number of bytes for people.

    >>> format_size(999), format_size(5 << 30), format_size(1 << 100)
    ('999 bytes', '5.0 GiB', '1,152,921,504,606,846,976.0 TiB')
    """
    for unit, name in ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size} bytes"


def _suggest(size: int) -> str:
    return f"{-(-size // (1 << 30))}G"
