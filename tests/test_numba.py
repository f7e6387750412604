"""A cache of compiled kernels that cannot be written or read never stops a kernel from running."""

from __future__ import annotations

import errno
import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest
from numba.core.caching import IndexDataCacheFile

_SOURCE = """
from numba import njit
from weatherglass._numba import compiled

def by_numba():
    return njit(cache=True)(doubled.py_func)

@compiled()
def doubled(x):
    return 2 * x
"""


@pytest.fixture
def import_kernel(tmp_path: Path) -> Callable[[], ModuleType]:
    """Return a function that imports a file with a kernel anew, as the next run would."""
    file = tmp_path / "kernel.py"
    file.write_text(_SOURCE, encoding="utf-8")

    def load() -> ModuleType:
        spec = importlib.util.spec_from_file_location("kernel", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def cached_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if ".nb" in path.name]


def raise_os_error(error: int) -> Callable[..., NoReturn]:
    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        raise OSError(error, "refused")

    return refuse


def hits(module: ModuleType) -> int:
    return sum(module.doubled.stats.cache_hits.values())


def test_a_compiled_kernel_is_loaded_from_the_cache_in_the_next_run(
    import_kernel: Callable[[], ModuleType],
) -> None:
    first = import_kernel()
    assert (first.doubled(4), hits(first)) == (8, 0)
    second = import_kernel()
    assert (second.doubled(4), hits(second)) == (8, 1)


def test_a_kernel_runs_without_a_writable_cache_folder(
    import_kernel: Callable[[], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", raise_os_error(errno.EROFS))
    module = import_kernel()
    with pytest.raises(RuntimeError, match="no locator available"):
        module.by_numba()
    assert module.doubled(4) == 8
    assert not cached_files(tmp_path)


@pytest.mark.parametrize("step", ["_save_index", "_save_data"])
def test_a_kernel_runs_when_the_disk_is_full(
    import_kernel: Callable[[], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(IndexDataCacheFile, step, raise_os_error(errno.ENOSPC))
        module = import_kernel()
        with pytest.raises(OSError, match="refused"):
            module.by_numba()(4)
        assert module.doubled(4) == 8
    assert import_kernel().doubled(4) == 8
    last = import_kernel()
    assert (last.doubled(4), hits(last)) == (8, 1)  # the disk has space again


def test_a_damaged_cached_kernel_on_a_full_disk_is_compiled_again(
    import_kernel: Callable[[], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_kernel().doubled(4)
    for path in cached_files(tmp_path):
        path.write_bytes(b"")
    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", raise_os_error(errno.ENOSPC))
    assert import_kernel().doubled(4) == 8


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05none of ours", b"."])
def test_a_damaged_cached_kernel_is_compiled_and_cached_again(
    import_kernel: Callable[[], ModuleType], tmp_path: Path, ending: str, content: bytes
) -> None:
    import_kernel().doubled(4)
    (file,) = (path for path in cached_files(tmp_path) if path.suffix == ending)
    file.write_bytes(content)
    damaged = import_kernel()
    assert (damaged.doubled(4), hits(damaged)) == (8, 0)
    repaired = import_kernel()
    assert (repaired.doubled(4), hits(repaired)) == (8, 1)
