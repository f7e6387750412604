"""Compiled libraries on one core each while tasks run side by side.

Sums are added in one order then, whatever the number of workers; and workers × threads never are
more than the cores.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

_lock = threading.Lock()
_inside = 0
_limits: Any = None


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep to one core until the last thread of this process that asked for it is done.

    The limit is one for the whole process: were it lifted whenever a thread is done, it would be
    lifted for those that are not.
    """
    global _inside, _limits
    from threadpoolctl import threadpool_limits

    with _lock:
        if not _inside:
            _limits = threadpool_limits(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limits.restore_original_limits()
