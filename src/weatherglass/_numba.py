"""`compiled`: numba's njit with a disk cache that survives full disks and damaged files.

Import it only in kernel modules, because numba is slow to import.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class _SafeCache(FunctionCache):  # type: ignore[misc]
    """A cache of compiled code in which a full disk or a damaged file only means a cache miss."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file can raise almost anything
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(Exception):  # disk full, or a damaged index
            super().save_overload(sig, data)


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles a function on its first call, and releases the GIL in it.

    Compiled code is cached beside the source, or in the user's cache folder if that is read-only.
    If neither can be written, nothing is cached; numba's own ``cache=True`` would fail to import.

    Parameters
    ----------
    options
        Options of `numba.njit`.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = njit(nogil=True, **options)(function)
        with contextlib.suppress(RuntimeError):  # no cache folder can be written
            kernel._cache = _SafeCache(function)
        return kernel

    return decorate
