"""Where what was compiled cannot be kept, it is compiled again: nothing is stopped by it."""

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
def opened(tmp_path: Path) -> Callable[[], ModuleType]:
    """Opens a file with a kernel anew, as the next run does."""
    file = tmp_path / "kernel.py"
    file.write_text(_SOURCE, encoding="utf-8")

    def opened() -> ModuleType:
        spec = importlib.util.spec_from_file_location("kernel", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return opened


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if ".nb" in path.name]


def refusing(error: int) -> Callable[..., NoReturn]:
    def refuse(*arguments: Any, **named: Any) -> NoReturn:
        raise OSError(error, "refused")

    return refuse


def hits(module: ModuleType) -> int:
    return sum(module.doubled.stats.cache_hits.values())


def test_a_kernel_is_compiled_once(opened: Callable[[], ModuleType]) -> None:
    first = opened()
    assert (first.doubled(4), hits(first)) == (8, 0)
    second = opened()
    assert (second.doubled(4), hits(second)) == (8, 1)


def test_a_kernel_runs_where_no_folder_can_be_written(
    opened: Callable[[], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", refusing(errno.EROFS))
    module = opened()
    with pytest.raises(RuntimeError, match="no locator available"):
        module.by_numba()
    assert module.doubled(4) == 8
    assert not kept(tmp_path)


@pytest.mark.parametrize("step", ["_save_index", "_save_data"])
def test_a_kernel_runs_where_the_disk_is_full(
    opened: Callable[[], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(IndexDataCacheFile, step, refusing(errno.ENOSPC))
        module = opened()
        with pytest.raises(OSError, match="refused"):
            module.by_numba()(4)
        assert module.doubled(4) == 8
    assert opened().doubled(4) == 8
    last = opened()
    assert (last.doubled(4), hits(last)) == (8, 1)  # there is room again


def test_a_damaged_kernel_on_a_full_disk_is_compiled_again(
    opened: Callable[[], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().doubled(4)
    for path in kept(tmp_path):
        path.write_bytes(b"")
    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", refusing(errno.ENOSPC))
    assert opened().doubled(4) == 8


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"\x80\x05none of ours", b"."])
def test_a_damaged_kernel_is_compiled_again(
    opened: Callable[[], ModuleType], tmp_path: Path, ending: str, content: bytes
) -> None:
    opened().doubled(4)
    (file,) = (path for path in kept(tmp_path) if path.suffix == ending)
    file.write_bytes(content)
    damaged = opened()
    assert (damaged.doubled(4), hits(damaged)) == (8, 0)
    mended = opened()
    assert (mended.doubled(4), hits(mended)) == (8, 1)
