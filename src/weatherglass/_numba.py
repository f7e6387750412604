"""Compile inner loops, and keep them for the next run where there is room.

Import this where a kernel is: it brings in numba, which is slow.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache


class _Kept(FunctionCache):  # type: ignore[misc]
    """What was compiled before. A full disk or a damaged file only means to compile again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damage shows itself in many ways
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(Exception):  # no room, or damaged and no room to mend it
            super().save_overload(sig, data)


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called; other threads can run while it runs.

    What was compiled is kept beside the source, or in the user's cache if that cannot be written.
    Where neither can, numba's own `cache=True` would refuse to import.

    Parameters
    ----------
    options
        For `numba.njit`.
    """

    def made(function: Callable[..., Any]) -> Any:
        kernel = njit(nogil=True, **options)(function)
        with contextlib.suppress(RuntimeError):  # no folder can be written
            kernel._cache = _Kept(function)
        return kernel

    return made
