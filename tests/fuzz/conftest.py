"""Shared by the fuzz tests: the targets of ``fuzz/``, a folder to write to, and small limits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from weatherglass._files import cache, inputs

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))  # the targets are in fuzz/, for `make fuzz`


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that lasts for a test file, as hypothesis needs it."""
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(autouse=True, scope="module")
def _own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use an own cache, no network, and a low limit for decompression."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setattr(inputs, "MIN_UNPACK_LIMIT", 1 << 20)
        # Files are parsed however slow the machine is: copies of files that are older than this
        # would be opened instead.
        patch.setattr(cache, "_RACY_NS", 1 << 62)
        yield
